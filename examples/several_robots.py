# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Two robots, one memory: what one has seen, the other need not look for.

A file is one program's at a time: here the robots take turns. With PostgreSQL they share it at the same time, each in
a program of its own: python several_robots.py postgresql://… (pip install "karma-memory[postgresql]").

It prints:
    upstairs: The mug is on the coffee table, in the living room.
    downstairs: The mug is in the sink.
"""

import sys
import tempfile
from pathlib import Path

from karma_memory import Memory

with tempfile.TemporaryDirectory() as folder:
    location = sys.argv[1] if len(sys.argv) > 1 else str(Path(folder) / "home.sqlite3")
    with Memory(location, robot="downstairs") as memory:
        memory.see("mug", on="coffee table", room="living room")
    with Memory(location, robot="upstairs") as memory:
        print("upstairs:", memory.ask("Where is the mug?").text)
        memory.did("put", "mug", "sink")
    with Memory(location, robot="downstairs") as memory:
        print("downstairs:", memory.ask("Where is the mug?").text)
