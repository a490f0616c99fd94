# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The scripted user and the judge: they know the intent and speak about nothing else."""

from __future__ import annotations

import random

from karma_eval.pahf.scenarios import Intent

ANSWERS = (
    "The {}, please.",
    "{}, please.",
    "I'd like the {}.",
    "I want the {}.",
    "The {} would be great, thanks.",
)
PLACE_ANSWERS = ("On the {}, please.", "Put it on the {}.", "The {}, please.", "It goes to the {}.", "{}, please.")
CORRECTIONS = (
    "No, I wanted the {0}.",
    "That's not what I wanted. I prefer the {0} in this case, please bring that instead.",
    "Not the {1}, please. The {0}.",
    "You might not know it, but I prefer the {0} now.",
    "Actually, I would like the {0} instead of the {1}.",
)
PLACE_CORRECTIONS = (
    "No, I wanted it on the {0}.",
    "That's not the right place. Put it on the {0} instead, please.",
    "Not the {1}, please. It belongs on the {0}.",
    "You might not know it, but I prefer the {0} now.",
    "Actually, I would like it on the {0} rather than the {1}.",
)
THANKS = ("Thank you, that's exactly right!", "Great, thanks!", "Perfect.")


def is_right(intent: Intent, thing: str, place: str) -> bool:
    """Whether object and location are what the user wants. `place`: "" for bringing."""
    return (_plain(thing), _plain(place)) == (_plain(intent.thing), _plain(intent.place))


class Person:
    """Says what is wanted, in words, when asked and when something else was done."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - wordings only

    def answer(self, intent: Intent) -> str:
        """Answer a question: name the intended object or place."""
        return self._random.choice(PLACE_ANSWERS if intent.place else ANSWERS).format(intent.place or intent.thing)

    def react(self, intent: Intent, thing: str, place: str) -> str:
        """Say thanks for what is right; else say what was wanted. `thing`, `place`: what was chosen."""
        if is_right(intent, thing, place):
            return self._random.choice(THANKS)
        words = self._random.choice(PLACE_CORRECTIONS if intent.place else CORRECTIONS)
        wrong = (place if intent.place else thing) or "other one"
        return words.format(intent.place or intent.thing, wrong)


def _plain(name: str) -> str:
    return " ".join(name.lower().split())
