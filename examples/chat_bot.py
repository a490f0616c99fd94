# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""People talk to it: what they state is remembered, what they ask is answered. What is ann's is not told to bob.

It prints:
    ann: My sister lives in Oslo.
    bob: I am allergic to nuts.
    bob: Tell me where the mug is.
      -> The mug is on the shelf.
    ann: Where does my sister live?
      -> Oslo. You told me just now: “My sister lives in Oslo.”
    bob: Where does my sister live?
      -> I don't know: nothing that I have seen or been told answers that.
    bob: What am I allergic to?
      -> Nuts. You told me just now: “I am allergic to nuts.”
    ann: Thank you!
      -> You're welcome.
"""

import tempfile
import time
from pathlib import Path

from karma_language.dialogue.social import small_talk
from karma_language.questions.questions import read_questions
from karma_memory import Memory

SAID = [
    ("ann", "My sister lives in Oslo."),
    ("bob", "I am allergic to nuts."),
    ("bob", "Tell me where the mug is."),
    ("ann", "Where does my sister live?"),
    ("bob", "Where does my sister live?"),
    ("bob", "What am I allergic to?"),
    ("ann", "Thank you!"),
]
"""Put your microphone, or your chat window, here."""


def hear(memory: Memory, user: str, words: str) -> str:
    """Remember or answer what a person said; return what there is to say to it."""
    if words.rstrip().endswith("?") or read_questions(words, time.time()) or small_talk(words):
        return memory.ask(words, user=user).text
    return "" if memory.tell(words, user=user) else "I don't keep what you say, as you wanted."


with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "home.sqlite3") as memory:
    memory.see("mug", on="shelf")
    for user, words in SAID:
        print(f"{user}: {words}")
        if answer := hear(memory, user, words):
            print(f"  -> {answer}")
