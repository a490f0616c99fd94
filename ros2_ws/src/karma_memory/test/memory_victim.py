# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is to be killed: for each line of JSON on stdin a process is forked off that does as it says, until it dies.

    {"task": NAME, "location": WHERE THE JOURNAL IS, "folder": OF ITS LOCAL FILES, and what the task needs}

What is done comes on stdout as `ack SEQUENCE ID`; `pid N` says which process to kill, `gone STATUS`
that it is. A line is one write, so that a kill cannot cut it in two.
"""

import json
import math
import os
import random
import signal
import sys
import threading
import time

from world import furniture, outcome, seen, thing, told

from karma_memory import Memory, Query, open_journal
from karma_memory.journal import PortableFile, export_journal, import_journal, portable
from karma_memory.state import history
from karma_memory.users import erasure

WRITERS = 3
REPEATED = 5
"""Events of the run before that each writer sends once more, as a client does that got no answer."""
RUN = 1000.0
"""Seconds between the beginnings of two runs, by the stamps of their events."""


def say(line):
    os.write(1, f"{line}\n".encode())


def made(event_id):
    """Return the event of an id `RUN-WRITER-NUMBER`: always the same, so that it can be sent again and checked."""
    rng = random.Random(event_id)
    stamp = RUN * int(event_id.partition("-")[0]) + rng.randrange(int(RUN))
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
                memory.forget([record], stamp=RUN * (run + 1))
            else:
                say(f"ack 0 {memory.edit(record, 'what it says now', stamp=RUN * (run + 1)).partition(':')[2]}")


def ask(memory, run):
    while True:
        memory.recall(Query("the apple and the mug"))
        time.sleep(0.005)


def save(memory, run):
    while True:
        memory.upkeep.snapshot()
        time.sleep(0.02)


def compact(memory, run, began):
    """Forget the run before the last one step by step, but nothing from `began` on: this run stamps that, too."""
    steps = 10
    for step in range(1, steps + 1):
        memory.upkeep.compact(math.nextafter(min(RUN * (run - 2 + step / steps), began), -math.inf))
        time.sleep(0.005)


def live(location, folder, run):
    """Remember, recall, save and compact, all at the same time."""
    history.DROPPED_TOGETHER = 4  # many transactions, for a kill to come between
    memory = Memory(location, folder=folder, embedder="lexical", capacity=5)
    threads = [threading.Thread(target=task, args=(memory, run)) for task in (ask, save)]
    threads.append(threading.Thread(target=compact, args=(memory, run, memory._live.clock)))
    threads += [threading.Thread(target=write, args=(memory, run, writer)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def bring_in(location, folder, source, parts):
    """Import an exported file, but no more than so many parts: then it waits to be killed."""
    portable.BATCH = 25
    done_parts = 0

    def progress(done, _):
        nonlocal done_parts
        done_parts += 1
        say(f"ack {done} event-{done}")
        if done_parts == parts:
            time.sleep(3600.0)

    with PortableFile(source) as file, open_journal(location, folder=folder) as journal:
        import_journal(file, journal, progress=progress)


def bring_out(location, folder, out):
    """Export a journal, over an older file."""
    with open_journal(location, folder=folder, verify=False) as journal:
        export_journal(journal, out, {}, overwrite=True)


def begin(location, folder):
    """Open a journal, and bring it to this version."""
    open_journal(location, folder=folder).close()


def erase(location, folder, user, end):
    """Erase a user; die at the call of that number among those that the erasure makes, say how many there are."""
    calls = 0

    def count(frame, kind, _):
        nonlocal calls
        if kind in ("call", "c_call") and "karma_memory/journal" in frame.f_code.co_filename:
            calls += 1
            if calls == end:
                os.kill(os.getpid(), signal.SIGKILL)

    with open_journal(location, folder=folder, verify=False) as journal:
        sys.setprofile(count)
        erasure.erase(journal, user)
        sys.setprofile(None)
        say(f"ack {calls} erased")


TASKS = {"erase": erase, "live": live, "import": bring_in, "export": bring_out, "open": begin}


def main():
    for line in sys.stdin:
        order = json.loads(line)
        task = TASKS[order.pop("task")]
        pid = os.fork()
        if pid == 0:
            try:
                task(**order)
            finally:
                os._exit(0 if sys.exc_info() == (None, None, None) else 1)
        say(f"pid {pid}")
        _, status = os.waitpid(pid, 0)
        say(f"gone {os.waitstatus_to_exitcode(status)}")


if __name__ == "__main__":
    main()
