# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""In which language something is said."""

from __future__ import annotations

import logging
import re

from karma_language.vocabulary.terms import STOP_WORDS
from karma_language.vocabulary.words import AUXILIARIES, DETERMINERS, PERSONS

ENGLISH = "en"
_SMALL = STOP_WORDS | DETERMINERS | PERSONS | AUXILIARIES.keys()
_NONE = "zxx"
"""Of what is in no language."""
_SHARE = 0.35
"""Share of articles, pronouns and other small words of English from which on a text is English without doubt."""
_ASKED = 0.2
"""The same for one that begins as an English question does: "can Anna eat nuts?"."""
_MODALS = frozenset(("can", "could", "may", "might", "must", "shall", "should", "would", "does", "did"))
_MARGIN = 10.0
"""How far another language has to be ahead of English, in logarithms of probability: names are of any language."""


def language_of(text: str) -> str:
    """Return the code (ISO 639) of the language that words are in: the likeliest one, as few words tell little.

    English while nothing can be told: what tells unpacks its tables into a temporary file once, for which a full disk
    has no room.
    """
    words = re.findall(r"[^\W\d_]+", text.casefold())
    least = _ASKED if _MODALS.issuperset(words[:1]) else _SHARE
    if sum(word in _SMALL for word in words) >= least * len(words):
        return ENGLISH
    import py3langid  # type: ignore[import-untyped]  # half a second, for what does not look English

    try:
        ranked = py3langid.rank(text)
    except OSError as error:
        logging.getLogger(__name__).warning("Everything is taken for English for now: %s", error)
        return ENGLISH
    (language, best), english = ranked[0], dict(ranked)[ENGLISH]
    return str(language) if best - english > _MARGIN and language != _NONE else ENGLISH
