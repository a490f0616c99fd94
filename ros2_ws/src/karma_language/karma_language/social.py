# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Greetings, thanks and the like: words that want a friendly line and nothing done."""

from __future__ import annotations

import re
from collections.abc import Mapping

from karma_language.reading import Social

_SAYINGS: Mapping[str, str] = {
    "thanks": r"thanks?|thank|thx|ta|cheers|merci|danke|gracias|grazie|arigato",
    "greeting": r"hello|hi|hey|greetings|morning|afternoon|evening|day|hallo|bonjour|hola|ciao|salut|servus|moin",
    "farewell": r"bye|goodbye|night|later|see|ciao|adieu|tschüss|adios",
    "praise": r"well|done|nice|great|job|perfect|excellent|brilliant|awesome|lovely|super|wonderful|fantastic|amazing|clever|bravo|best|love|impressive|sweet",
    "apology": r"sorry|apologies|pardon|excuse",
    "agreement": r"ok|okay|right|fine|yes|yep|yeah|sure|alright|agreed|good|mind|never|nothing|no|problem|cool|all",
}
_FILL = re.compile(
    r"(?:you|so|very|much|a|lot|the|my|dear|robot|karma|there|again|for|that|it|this|your|help|work|bot|buddy|mate|friend|"
    r"everyone|everybody|to|is|was|are|i|really|good|and|too|oh|ah|wow|please|today|all|always|s|re|in|now|then|just|that's|"
    r"schön|sehr|beaucoup|mille|muchas|bien|guten|gute|nacht|tag|bon|buenos|dias|job|one|me|us|must|say|what|how)"
)
_ANSWERS: Mapping[str, str] = {
    "thanks": "You're welcome.",
    "greeting": "Hello! What can I do for you?",
    "farewell": "Goodbye!",
    "praise": "Thank you, I'm glad to help.",
    "apology": "No problem.",
    "agreement": "All right.",
}
_LONGEST = 10
"""Words of a formula; who says more says something else, too."""


def read_social(text: str) -> Social | None:
    """Return what kind of formula an utterance is, None for what says anything besides."""
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)*", text.casefold())
    if not 0 < len(words) <= _LONGEST or text.rstrip().endswith("?"):
        return None
    kinds = [kind for kind, sayings in _SAYINGS.items() for word in words if re.fullmatch(sayings, word)]
    if not kinds or not all(
        _FILL.fullmatch(word) or any(re.fullmatch(s, word) for s in _SAYINGS.values()) for word in words
    ):
        return None
    return Social.model_validate({"quote": text.strip(), "kind": kinds[0]})


def friendly(social: Social) -> str:
    """Return the line that answers a formula."""
    return _ANSWERS[social.kind]
