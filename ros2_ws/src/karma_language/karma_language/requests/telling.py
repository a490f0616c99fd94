# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What words tell, with what the grammar reads of the home: what is forbidden, and whose things are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import zip_longest

from karma_language.reading import Telling, Told
from karma_language.requests.belonging import Belonging
from karma_language.requests.prohibitions import for_all
from karma_language.requests.requests import LONGEST, household_grammar
from karma_language.vocabulary.words import SENTENCE_END

_WHOSE = re.compile(
    r"\b(?:mine|ours|my|our|belongs?|ones?|hers|theirs|of me|own|gave|given|left|bought|used to be)\b"
    r"|['’]s\b|s['’]|[:=]| [–—-] ",
    re.IGNORECASE,
)
"""What is in words that say whose a thing is."""


def with_home(told: Iterable[Told], words: str, now: float) -> tuple[Told, ...]:
    """Return what words tell, with what they forbid and whose things they say are.

    `told`: what they tell of people; a fact that says no more than whose a thing is comes to nothing else. `now`: when
    they were said, seconds.
    """
    words = words[:LONGEST]
    owned = _owned(words)
    nouns = {one.thing.last_word for one in owned if one.thing.categories and not one.by_the_way}
    facts = (one for one in told if not (one.kind is Telling.FACT and nouns & {*one.relation.casefold().split()}))
    owners = (
        Told(
            quote=words,
            kind=Telling.OWNER,
            of=(() if one.not_so else (_as_written(one.owner, words),)),
            about=(one.thing,),
        )
        for one in owned
    )
    return (*(facts if owned else told), *for_all(words, now), *owners)


def says_whose(words: str) -> bool:
    """Whether words say whose a thing is, or is not: of all that was said of a thing, the last counts."""
    return any(not one.by_the_way for one in _owned(words))


def _owned(words: str) -> list[Belonging]:
    if not _WHOSE.search(words):
        return []  # without a grammar, which takes a moment to load
    grammar, parts = household_grammar(), re.split(SENTENCE_END, words)

    def answered(part: str, following: str) -> bool:
        """Whether what follows a question says whose it is: "the book on the desk? MINE"."""
        return len(grammar.belongings(part)) < len(grammar.belongings(f"{part} {following}"))

    asserted = [
        part
        for part, following in zip_longest(parts, parts[1:], fillvalue="")
        if not part.rstrip().endswith("?") or answered(part, following)
    ]
    return [one for one in grammar.belongings(" ".join(asserted)) if one.owner and not one.past]


def _as_written(owner: str, words: str) -> str:
    """Return an owner with the capitals that it has in words."""
    found = re.search(rf"\b{re.escape(owner)}\b", words, re.IGNORECASE)
    return found[0] if found is not None and owner != "me" else owner
