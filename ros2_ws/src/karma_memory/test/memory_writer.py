# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A memory server's process: remembers events while another one does, and prints digests of what came of it.

It says `ready`, begins when a line comes on stdin, and ends when it has observed the events of both. Then it prints the
last sequence, and digests of its state and of the order in which it observed what was told.
"""

import hashlib
import sys
import time

from world import told

from karma_memory import Event, Memory
from karma_memory.encoding import dumps

BATCH = 8
"""Events of one call."""


def main(location: str, folder: str, count: str, name: str, other: str) -> None:
    number = int(count)
    with Memory(location, folder=folder, embedder="lexical") as memory:
        order = hashlib.sha256()
        observe = memory._live._observe

        def noted(sequence: int, event: Event) -> None:
            order.update(f"{sequence} {event.id}\n".encode())
            observe(sequence, event)

        memory._live._observe = noted
        print("ready", flush=True)
        sys.stdin.readline()
        events = [told(f"statement {i} of {name}", float(i), id=f"{name}{i}") for i in range(number)]
        for first in range(0, number, BATCH):
            memory.remember(events[first : first + BATCH])
        last = f"told:{other}{number - 1}"
        while memory.record(last) is None:
            time.sleep(0.01)
        while memory.last_sequence < 2 * number + 1:
            time.sleep(0.01)
        state = dumps(memory._state.snapshot())
    print(memory.last_sequence, hashlib.sha256(state.encode()).hexdigest(), order.hexdigest())


if __name__ == "__main__":
    main(*sys.argv[1:])
