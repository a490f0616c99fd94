# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Greetings, thanks and the like, told by likeness to an example of each: they want a friendly line and nothing done.

Ask last, for what nothing else reads: a sentence embedder hears the tone, not the request within.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from karma_language.reading import Social
from karma_language.vocabulary.embedder import Embedder, Vectors

_LIKE = (
    ("thanks", "thank you very much"),
    ("greeting", "hello robot"),
    ("greeting", "good morning, how are you?"),
    ("farewell", "good night, see you tomorrow"),
    ("farewell", "that's all for today, goodbye"),
    ("praise", "well done, you are great"),
    ("apology", "sorry, my mistake"),
    ("agreement", "never mind, it's fine"),
)
"""Kind and example."""
_UNLIKE = (
    "put the cup in the sink",
    "bring me the book",
    "turn on the lamp",
    "where is my phone?",
    "is it on?",
    "what did you do today?",
    "how many are there?",
    "I like tea in the morning",
    "I moved it to the sofa",
    "my name is Anna",
    "stop, don't do that",
    "no, the other one",
    "yes, the red one",
    "I am cold and hungry",
    "it is dark",
    "clean it and put it away",
    "that one is mine",
    "forget what I told you",
    "what do you know about me?",
    "I have a headache",
    "in the kitchen",
    "from now on it begins at eight",
)
"""An example of what else people say, of each sort."""
_LEAST, _MARGIN = 0.25, 0.03
"""Cosine to an example, and how far that must be above the one to anything else."""
_LONGEST = 120
"""Characters."""
_ANSWERS = {
    "thanks": "You're welcome.",
    "greeting": "Hello! What can I do for you?",
    "farewell": "Goodbye!",
    "praise": "Thank you, I'm glad to help.",
    "apology": "No problem.",
    "agreement": "All right.",
}


class SocialReader:
    """Tells a formula of politeness from what says anything else."""

    def __init__(self, embedder: Embedder | None) -> None:
        """Without an embedder, nothing is a formula."""
        self._embedder = embedder

    def read(self, text: str) -> Social | None:
        """Return what kind of formula an utterance is, None for what is none."""
        if self._embedder is None or not text.strip() or len(text) > _LONGEST:
            return None
        vector = self._embedder.embed([text])[0]
        like, unlike = (examples @ vector for examples in self._examples)
        if like.max() < max(_LEAST, unlike.max() + _MARGIN):
            return None
        return Social.model_validate({"quote": text.strip(), "kind": _LIKE[int(np.argmax(like))][0]})

    @cached_property
    def _examples(self) -> tuple[Vectors, Vectors]:
        assert self._embedder is not None
        return self._embedder.embed([example for _, example in _LIKE]), self._embedder.embed(_UNLIKE)


def friendly(social: Social) -> str:
    """Return the line that answers a formula."""
    return _ANSWERS[social.kind]
