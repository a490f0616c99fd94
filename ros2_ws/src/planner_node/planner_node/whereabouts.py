# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is believed of the world, said to people: where things are, and what they are called."""

from __future__ import annotations

import re

from karma_language.answers.speech import form_of_be, is_plural
from karma_language.vocabulary.lexicon import Lexicon
from planner_node.world import World


def in_nouns(text: str, world: World, lexicon: Lexicon) -> str:
    """Return text for people: what stands in it by its id is called by its noun."""
    named = (b for b in world if not (b.id.isalpha() or b.id.isdecimal()))
    nouns = {b.id: lexicon.kind(b.node.category).noun for b in named}
    ids = "|".join(re.escape(one) for one in sorted(nouns, key=len, reverse=True))

    def called(found: re.Match[str]) -> str:
        return f"{'the' if found.start() else 'The'} {nouns[found[0]]}"

    return re.sub(rf"(?<!\w)(?:{ids})(?!\w)", called, text) if ids else text


def whereabouts(node_id: str, world: World, lexicon: Lexicon) -> str:
    """Return in a sentence where an object that is known is, as far as that is."""
    belief = world.get(node_id)
    assert belief is not None
    node, noun = belief.node, lexicon.kind(belief.node.category).noun
    if node_id == world.held:
        return f"I hold the {noun}."
    holder = world.get(node.receptacle)
    room = world.room_name(node)
    where = [f"{node.relation or 'on'} the {lexicon.kind(holder.node.category).noun}"] if holder else []
    where += [f"in the {room}"] if room else []
    if not where and node.position is not None:
        where = [f"at ({node.position[0]:.1f}, {node.position[1]:.1f}) m on the map"]
    be = form_of_be(1 + is_plural(noun))
    return f"The {noun} {be} {', '.join(where)}." if where else f"I found the {noun}."
