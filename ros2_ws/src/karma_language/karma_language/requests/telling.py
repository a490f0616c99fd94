# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What words tell, with what the grammar reads of the home: what is forbidden, and whose things are."""

from __future__ import annotations

import re
from collections.abc import Iterable

from karma_language.reading import Telling, Told
from karma_language.requests.prohibitions import for_all
from karma_language.requests.requests import household_grammar

_WHOSE = re.compile(r"\b(?:mine|ours|belongs?|one)\b|['’]s\b|s['’]", re.IGNORECASE)
"""What is in words that say whose a thing is."""
_MINE = ("mine", "ours")


def with_home(told: Iterable[Told], words: str) -> tuple[Told, ...]:
    """Return what words tell, with what they forbid and whose things they say are.

    `told`: what they tell of people. A fact that says no more than whose a thing is comes to nothing else.
    """
    owners = _owners(words)
    named = {name for one in owners if one.about[0].categories for name in (*one.of, *_MINE)}
    facts = (one for one in told if not (one.kind is Telling.FACT and {*map(str.casefold, one.value)} & named))
    return (*facts, *for_all(words), *owners)


def _owners(words: str) -> tuple[Told, ...]:
    if not _WHOSE.search(words) or words.rstrip().endswith("?"):
        return ()  # without a grammar, which takes a moment to load
    owned = (one for one in household_grammar().belongings(words) if one.owner)
    return tuple(Told(quote=words, kind=Telling.OWNER, of=(one.owner,), about=(one.thing,)) for one in owned)
