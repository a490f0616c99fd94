# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Greetings, thanks and other small talk, told by likeness to examples: they want a friendly line and nothing done.

Ask last, for what nothing else reads: a sentence embedder hears the tone, not the request within.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from karma_language.reading import Social
from karma_language.vocabulary.embedder import Embedder, Vectors
from karma_language.words import each

_LIKE = {
    "thanks": "thank you very much|cheers, that's so kind of you",
    "greeting": (
        "hello robot|good morning, how are you?|long time no see, what's new?|did you have a nice day?|"
        "merry Christmas and happy birthday|guess who is back home"
    ),
    "farewell": "good night, see you tomorrow|that's all for today, goodbye|have a nice weekend, take care",
    "praise": "well done, you are great|you are my best friend|you're so sweet, I love you|wow, that's amazing",
    "apology": "sorry, my mistake|sorry I was rude to you",
    "agreement": "never mind, it's fine|don't worry, forget about it|not now, maybe later",
    "chatter": (
        "haha, I was only kidding|what a beautiful day today, isn't it?|oh well, it was worth trying|"
        "are you tired? what a busy day|I am so happy, excited and nervous|I was just talking to myself"
    ),
}
"""Kind → examples."""
_KINDS = tuple(kind for kind, examples in _LIKE.items() for _ in each(examples, "|"))
_UNLIKE = each(
    "put the cup in the sink|bring me the book|turn on the lamp|where is my phone?|is it on?|what did you do today?|"
    "how many are there?|I like tea in the morning|I moved it to the sofa|my name is Anna|stop, don't do that|"
    "no, the other one|yes, the red one|I am cold and hungry|it is dark|clean it and put it away|that one is mine|"
    "forget what I told you|what do you know about me?|I have a headache|in the kitchen|"
    "from now on it begins at eight|put it back where it belongs|it's pizza night|time for bed, turn everything off|"
    "who is visiting us tonight?|I have to get up at six tomorrow|the train leaves on Monday at seven|"
    "whichever, any one will do|the soup is too hot|it is stuffy in this room|paint the wall|call me Tom from now on|"
    "I'm thirsty, get me a drink|the other one, on the table|put the dog to bed|cool the drinks down|"
    "I don't like onions|she has her birthday in May|I'm tired, switch the TV off|my mother is ill|"
    "we are going on holiday in August|sing me a song|can you dance?|what is my name?|the key is under the mat|"
    "leave it open|don't touch that|yes, do that|wait, not that one|good work is done with the red brush|"
    "I prefer my coffee black|when is dinner?|sorry, I meant the fork|thanks, now the spoon|"
    "hello, bring me the newspaper|good night, turn off the lights|hang it up again|throw it away|the milk is off|"
    "it's broken|he is my brother|I forgot my keys somewhere|take it easy with the glasses|"
    "has anything changed since yesterday?|when did you last see it?|what happened today?|"
    "which day does the cleaner come?|if it rains I take the bus",
    "|",
)
"""An example of what else people say, of each sort."""
_LEAST = 0.25
"""Cosine to an example."""
_LONGEST = 120
"""Characters."""
_ANSWERS = {
    "thanks": "You're welcome.",
    "greeting": "Hello! What can I do for you?",
    "farewell": "Goodbye!",
    "praise": "Thank you, I'm glad to help.",
    "apology": "No problem.",
    "agreement": "All right.",
    "chatter": "Nice of you to chat with me.",
}


class SocialReader:
    """Tells a formula of politeness from what says anything else."""

    def __init__(self, embedder: Embedder | None) -> None:
        """Without an embedder, nothing is a formula."""
        self._embedder = embedder

    def read(self, text: str, margin: float = 0.0) -> Social | None:
        """Return what kind of formula an utterance is, None for what is none.

        `margin`: how much liker it must be to one than to anything else, as cosine; more where another reading stands.
        """
        if self._embedder is None or not any(map(str.isalnum, text)) or len(text) > _LONGEST:
            return None
        vector = self._embedder.embed([text])[0]
        like, unlike = (examples @ vector for examples in self._examples)
        if like.max() < max(_LEAST, unlike.max() + margin):
            return None
        return Social.model_validate({"quote": text.strip(), "kind": _KINDS[int(np.argmax(like))]})

    @cached_property
    def _examples(self) -> tuple[Vectors, Vectors]:
        assert self._embedder is not None
        return self._embedder.embed(each("|".join(_LIKE.values()), "|")), self._embedder.embed(_UNLIKE)


def friendly(social: Social) -> str:
    """Return the line that answers a formula."""
    return _ANSWERS[social.kind]
