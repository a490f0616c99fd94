# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Greetings, thanks and other small talk: they want a friendly line and nothing done."""

from __future__ import annotations

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


def friendly(social: Social) -> str:
    """Return the line that answers a formula."""
    return _ANSWERS[social.kind]
