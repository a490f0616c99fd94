# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Appends events to a journal as fast as it can and prints what was acknowledged, until it is killed."""

import sys

from karma_memory import Event, EventKind, open_journal


def main(location: str, folder: str, run: str) -> None:
    with open_journal(location, folder=folder) as journal:
        print("ready", flush=True)
        for batch in range(1_000_000):
            events = [
                Event(f"{run}-{batch}-{part}", EventKind.TOLD, float(batch), text="word " * (batch % 50 + 1))
                for part in range(batch % 4 + 1)
            ]
            sequences = journal.append(events)
            for event, sequence in zip(events, sequences, strict=True):
                sys.stdout.write(f"{sequence} {event.id}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
