# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Greetings, thanks and other small talk: they want a friendly line and nothing done."""

from __future__ import annotations

from karma_language.questions.sentence_classifier import Utterance, classifier
from karma_language.reading import Social

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
    return social_in(text, classifier().hear(text))


def social_in(text: str, heard: Utterance) -> Social | None:
    """Return what kind of small talk words are, as they were heard; None for what says anything else."""
    return Social.model_validate({"quote": text.strip(), "kind": heard.kind}) if heard.chats else None


def friendly(social: Social) -> str:
    """Return the line that answers a formula."""
    return _ANSWERS[social.kind]
