# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a question that the rules can't read is probably about: by the thing that it names, and the words it has.

A last resort: whoever uses it has found no other answer, and says "I don't know" where this finds none.
"""

from __future__ import annotations

import re
from datetime import timezone, tzinfo

from karma_language.noun_phrases import mark
from karma_language.question_kinds import SEE
from karma_language.reading import Kind, Question, Relation, Thing, Where
from karma_language.rewording import reworded
from karma_language.time_expressions import take_time
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.words import STATES, base_form, each

_HINTS: tuple[tuple[Kind, frozenset[str]], ...] = (
    (Kind.WHY, frozenset(each("why reason purpose"))),
    (Kind.WHO, frozenset(each("who whose person"))),
    (Kind.HOW_OFTEN, frozenset(each("often times occasions"))),
    (Kind.COUNT, frozenset(each("many number count"))),
    (Kind.CHANGED, frozenset(each("change changes different difference otherwise"))),
    (Kind.EXISTS, frozenset(each("own exist"))),
    (Kind.WHERE, frozenset(each("where location whereabouts"))),
)
"""Kind → words of which a question of that kind has one; the first that fits counts."""
_LONG = frozenset(each("long since become duration"))
_LASTING = frozenset(each("been there become stay stayed lie sit stand")) | STATES.keys()
_HANDLING = frozenset(each("move put bring carry fetch take place shift touch pick grab remove steal handle"))
_LATE = frozenset(each("last recently recent when time"))
_TELLING = frozenset(each("tell say mention inform word words remark"))
_ASKING = frozenset(each("ask order want request need"))


def hinted(text: str, lexicon: Lexicon, now: float, *, zone: tzinfo = timezone.utc) -> Question | None:
    """Return what words probably ask for, None where they name no single thing, or hint at nothing.

    `now`: seconds, when it was said.
    """
    said, time = take_time(reworded(text.strip(" ?!.")), now, zone)
    form = mark(said, lexicon)
    things = [thing for thing in form.things if thing.categories]
    rooms = [thing for thing in form.things if thing.room and not thing.categories]
    if len(things) > 1 or len(rooms) > 1 or not (things or rooms):
        return None
    named = {word for one in (*things, *rooms) for word in one.text.casefold().split()}
    words = {*re.findall(r"[a-z]+", said.casefold())} - named
    thing = next(iter(things), None)
    place = Where(relation=Relation.IN, thing=rooms[0]) if rooms else None
    kind = _kind({*words, *map(base_form, words)}, thing)
    if kind is None or (thing is None and kind is not Kind.CHANGED):
        return None
    state = next((STATES[word] for word in sorted(words) if word in STATES), "")
    deed = "see" if kind is Kind.WHEN else ""
    if kind in (Kind.WHY, Kind.WHO, Kind.HOW_OFTEN) and not (deed := _deed(words)):
        return None
    return Question(quote=text, kind=kind, thing=thing, place=place, state=state, deed=deed, time=time)


def _kind(words: set[str], thing: Thing | None) -> Kind | None:
    seen = bool(words & SEE)
    if seen and words & _LATE and "where" not in words:
        return Kind.WHEN
    if (
        words & _LONG
        and words & _LASTING
        and thing is not None
        and not seen
        and "changes" not in words
        and "changed" not in words
    ):
        return Kind.HOW_LONG
    found = next((kind for kind, cues in _HINTS if cues & words), None)
    if found is None and thing is not None and words & STATES.keys():
        return Kind.WHICH if "which" in words else Kind.STATE
    return found


def _deed(words: set[str]) -> str:
    """Return what was done: told, asked for, or moved; "" for none of these."""
    bases = {*map(base_form, words)}
    return "tell" if bases & _TELLING else "ask" if bases & _ASKING else "move" if bases & _HANDLING else ""
