# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Greetings, thanks and the like: formulas that want a friendly line and nothing done."""

from __future__ import annotations

import re
from collections.abc import Mapping

from karma_language.reading import Social

_HEADS: Mapping[str, frozenset[str]] = {
    "thanks": frozenset(
        ["thanks", "thank", "thx", "cheers", "merci", "danke", "gracias", "grazie", "obrigado", "arigato"]
    ),
    "greeting": frozenset(
        ["hello", "hi", "hey", "morning", "afternoon", "evening", "hallo", "bonjour", "hola", "ciao", "salut"]
    ),
    "farewell": frozenset(["bye", "goodbye", "night", "adieu", "tschüss", "adios"]),
    "praise": frozenset(
        [
            "done",
            "nice",
            "great",
            "perfect",
            "excellent",
            "brilliant",
            "awesome",
            "wonderful",
            "fantastic",
            "bravo",
            "well",
        ]
    ),
    "apology": frozenset(["sorry", "apologies", "pardon"]),
    "agreement": frozenset(["ok", "okay", "alright", "fine", "yes", "yeah", "never", "nothing"]),
}
"""Words that make a formula one of its kind."""
_FILLERS = frozenset(
    [
        "you",
        "so",
        "very",
        "much",
        "a",
        "lot",
        "the",
        "my",
        "dear",
        "robot",
        "karma",
        "there",
        "again",
        "for",
        "that",
        "it",
        "this",
        "your",
        "help",
        "all",
        "good",
        "job",
        "work",
        "mind",
        "to",
        "everyone",
        "really",
        "and",
        "oh",
        "wow",
        "please",
        "now",
        "then",
        "mate",
        "friend",
        "schön",
        "sehr",
        "beaucoup",
        "muchas",
        "guten",
        "gute",
        "tag",
    ]
)
"""Words that go with them and say nothing else."""
_LONGEST = 120
"""Characters of a formula."""
_ANSWERS: Mapping[str, str] = {
    "thanks": "You're welcome.",
    "greeting": "Hello! What can I do for you?",
    "farewell": "Goodbye!",
    "praise": "Thank you, I'm glad to help.",
    "apology": "No problem.",
    "agreement": "All right.",
}


def read_social(text: str) -> Social | None:
    """Return what kind of formula an utterance is, None for what says anything besides."""
    if len(text) > _LONGEST:
        return None
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)*", text.casefold())
    heads = [kind for word in words for kind, named in _HEADS.items() if word in named]
    known = _FILLERS.union(*_HEADS.values())
    if not heads or not known.issuperset(words) or text.rstrip().endswith("?"):
        return None
    return Social.model_validate({"quote": text.strip(), "kind": heads[0]})


def friendly(social: Social) -> str:
    """Return the line that answers a formula."""
    return _ANSWERS[social.kind]
