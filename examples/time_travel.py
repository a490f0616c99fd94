# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A day in the life of a mug, and questions about the past: what was known then, not what is known now.

It prints:
    0.5 h ago: The mug is in the fridge; I saw it 30 minutes ago.
    3 h ago: The mug is on the kitchen table, in the kitchen; I saw it ….
    7 h ago: The mug is on the desk, in the office; I saw it ….
    before you moved it: The mug was on the kitchen table, in the kitchen, before I moved it; now it is in the fridge.
    7 h ago it knew: Mug is on the Desk, in office
    today: Something has changed. The mug is in the fridge now, no longer on the desk, in the office (seen …).
"""

import tempfile
import time
from pathlib import Path

from karma_memory import Memory, Query

HOUR = 3600.0
now = time.time()
with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "home.sqlite3") as memory:
    memory.see("mug", on="desk", room="office", stamp=now - 9 * HOUR)
    memory.see("mug", on="kitchen table", room="kitchen", stamp=now - 5 * HOUR)
    memory.did("put", "mug", "fridge", stamp=now - 1 * HOUR)

    for hours in (0.5, 3, 7):
        print(f"{hours} h ago:", memory.ask("Where is the mug?", at=now - hours * HOUR).text)
    print("before you moved it:", memory.ask("Where was the mug before you moved it?").text)
    then = memory.recall(Query("mug", at=now - 7 * HOUR, kinds=frozenset({"long_term"})))
    print("7 h ago it knew:", then.recollections[0].record.text)
    print("today:", memory.ask("What changed in the last ten hours?").text)
