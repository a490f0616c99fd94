# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Greetings, thanks and other small talk: they want a friendly line and nothing done."""

from __future__ import annotations

from karma_language.reading import Social
from karma_language.sentence_classifier import Act, classifier

LIKELY = 0.65
"""Probability from which words are small talk."""

_ANSWERS = {
    "thanks": "You're welcome.",
    "greeting": "Hello! What can I do for you?",
    "farewell": "Goodbye!",
    "praise": "Thank you, I'm glad to help.",
    "apology": "No problem.",
    "agreement": "All right.",
    "complaint": "I am sorry. Tell me what I should have done.",
    "chatter": "Nice of you to chat with me.",
}


def small_talk(text: str) -> Social | None:
    """Return what kind of small talk words are, None for what says anything else."""
    act, probability, kind = classifier().hear(text)
    likely = act is Act.CHATS and probability >= LIKELY
    return Social.model_validate({"quote": text.strip(), "kind": kind}) if likely else None


def friendly(social: Social) -> str:
    """Return the line that answers a formula."""
    return _ANSWERS[social.kind]
