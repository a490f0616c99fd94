# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Memories under load, to be killed. For each line `PATH RUN` on stdin one is forked off that is busy until it dies.

What was acknowledged comes on stdout as `ack SEQUENCE ID`; `pid N` says which process to kill, `gone` that it is.
A line is one write, so that a kill cannot cut it in two.
"""

import os
import random
import sys
import threading
import time

from world import furniture, outcome, seen, thing, told

from karma_memory import Memory, Query

WRITERS = 3
REPEATED = 5
"""Events of the run before that each writer sends once more, as a client does that got no answer."""


def say(line):
    os.write(1, f"{line}\n".encode())


def made(event_id):
    """Return the event of an id: always the same, so that it can be sent again and checked."""
    rng = random.Random(event_id)
    stamp = float(rng.randrange(1000))
    item = thing(
        f"{rng.choice(('Apple', 'Mug'))}|{rng.randrange(20)}", (rng.uniform(0, 9), rng.uniform(0, 9), 1.0), seen=stamp
    )
    match rng.randrange(4):
        case 0:
            return seen(item, furniture(f"Shelf|{rng.randrange(5)}"), id=event_id, stamp=stamp)
        case 1:
            return outcome("PutObject", item, id=event_id, stamp=stamp)
        case _:
            return told("word " * rng.randrange(1, 200), stamp, id=event_id, user=rng.choice(("", "ann")))


def write(memory, run, writer):
    """Remember batches, and now and then edit or forget what was said."""
    rng = random.Random(f"{run} {writer}")
    if run:
        memory.remember([made(f"{run - 1}-{writer}-{number}") for number in range(REPEATED)])
    said = []
    number = 0
    while True:
        batch = [made(f"{run}-{writer}-{number + i}") for i in range(rng.randrange(1, 5))]
        number += len(batch)
        receipt = memory.remember(batch)
        for sequence, event in zip(receipt.sequences, batch, strict=True):
            say(f"ack {sequence} {event.id}")
            said += [f"told:{event.id}"] if event.kind.name == "TOLD" else []
        if said and rng.random() < 0.3:
            record = said.pop(rng.randrange(len(said)))
            if rng.random() < 0.5:
                memory.forget([record], stamp=2000.0)
            else:
                say(f"ack 0 {memory.edit(record, 'what it says now', stamp=2000.0).partition(':')[2]}")


def ask(memory):
    while True:
        memory.recall(Query("the apple and the mug"))
        time.sleep(0.005)


def save(memory):
    while True:
        memory.snapshot()
        time.sleep(0.02)


def live(path, run):
    memory = Memory(path, embedder="lexical", capacity=5)
    tasks = [lambda: ask(memory), lambda: save(memory)]
    tasks += [lambda writer=writer: write(memory, run, writer) for writer in range(WRITERS)]
    threads = [threading.Thread(target=task) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    for line in sys.stdin:
        path, run = line.split()
        pid = os.fork()
        if pid == 0:
            live(path, int(run))
            os._exit(1)  # it should have been killed
        say(f"pid {pid}")
        _, status = os.waitpid(pid, 0)
        say(f"gone {os.waitstatus_to_exitcode(status)}")


if __name__ == "__main__":
    main()
