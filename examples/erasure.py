# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is known of a person, handed out as data; then every byte of it is erased. What the robot saw stays.

It prints:
    kept of ann: My sister lives in Oslo. I am allergic to nuts.
    erased: 4 events; "Oslo" is in the files: False
    ann asks: I don't know: …
    the mug stays: The mug is on the shelf, in the kitchen.
"""

import tempfile
from pathlib import Path

from karma_memory import Memory
from karma_memory.users.erasure import forget_user

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "home.sqlite3"
    with Memory(file) as memory:
        memory.see("mug", on="shelf", room="kitchen")
        memory.tell("My sister lives in Oslo.", user="ann")
        memory.tell("I am allergic to nuts.", user="ann")
        data = memory.users.data("ann")  # JSON: all that is kept of her
        print("kept of ann:", *(record["text"] for record in data["memories"] if record["kind"] == "told"))

    erased = forget_user(file, "ann")  # nobody has the memory open meanwhile
    left = any(b"Oslo" in part.read_bytes() for part in Path(folder).iterdir())
    print(f'erased: {erased.events} events; "Oslo" is in the files: {left}')
    with Memory(file) as memory:
        print("ann asks:", memory.ask("Where does my sister live?", user="ann").text)
        print("the mug stays:", memory.ask("Where is the mug?").text)
