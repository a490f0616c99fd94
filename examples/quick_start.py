# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What was seen, told and done, and a question about it.

It prints:
    The mug is in the sink. You told me just now: “The blue mug is mine.”
"""

from karma_memory import Memory

with Memory("home.sqlite3") as memory:
    memory.see("mug", on="kitchen table", room="kitchen", at=(1.0, 2.0, 0.9))
    memory.tell("The blue mug is mine.", user="ann")
    memory.did("put", "mug", "sink", succeeded=True)
    print(memory.ask("where is my mug?", user="ann").text)
