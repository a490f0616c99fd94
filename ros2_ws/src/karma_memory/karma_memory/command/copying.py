# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""export, import, bag: carry a journal elsewhere."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from karma_memory.command.journals import add_journal, existing
from karma_memory.command.progress import Speaker, in_bytes
from karma_memory.events import Event
from karma_memory.journal import (
    Base,
    Entry,
    Imported,
    Journal,
    JournalError,
    PortableFile,
    export_journal,
    import_journal,
    open_journal,
)
from karma_memory.privacy.from_elsewhere import seen_only
from karma_memory.state.history import begin
from karma_memory.state.state import MemoryState


def add_to(commands: Any) -> None:
    """Add the subcommands."""
    export = commands.add_parser("export", help="write a journal and the state of all memories to one portable file")
    add_journal(export)
    export.add_argument("out", metavar="OUT.jsonl.gz", help="the file to write")
    export.add_argument("--overwrite", action="store_true", help="write OUT also when it exists")
    export.set_defaults(run=_export)

    take_in = commands.add_parser(
        "import",
        help="append the events of an exported file that a journal doesn't have",
        description="Append the events of an exported file that a journal doesn't have, with their ids and in their "
        "order. The file is checked as a whole first. A new journal becomes a copy of the exported one; into one that "
        "has events comes only what robots saw, unless the file is the journal's own.",
    )
    take_in.add_argument("source", metavar="IN", help="an exported file")
    add_journal(take_in, made=True)
    _add_people(take_in)
    take_in.set_defaults(run=_import)

    bag = commands.add_parser("bag", help="write a journal's events to a rosbag2, or append those of one (needs ROS 2)")
    directions = bag.add_subparsers(dest="direction", required=True, metavar="DIRECTION")
    out = directions.add_parser(
        "export",
        help="write karma_interfaces/MemoryEvent messages on memory/events",
        description="Write a journal's events to a rosbag2, for the tools of ROS. It carries what the message can say; "
        "use 'export' for what must come back as it was.",
    )
    add_journal(out)
    out.add_argument("bag", metavar="BAG", help="the folder to write, which must not exist")
    out.add_argument(
        "--storage", choices=("mcap", "sqlite3"), default="mcap", help="how the bag is stored (%(default)s)"
    )
    out.set_defaults(run=_bag_export)
    back = directions.add_parser("import", help="append what robots saw in a bag that a journal doesn't have")
    back.add_argument("bag", metavar="BAG", help="a rosbag2 folder")
    add_journal(back, made=True)
    back.add_argument(
        "--topic", default="", help="only this topic; else all with karma_interfaces/MemoryEvent messages"
    )
    _add_people(back)
    back.set_defaults(run=_bag_import)


def replayed(base: Base | None, entries: Iterable[Entry], events: int, what: str) -> MemoryState:
    """Return the state after a journal's events, those up to the horizon being in its base."""
    state = begin(base)
    speak = Speaker(what)
    for entry in entries:
        if base is None or entry.sequence > base.horizon.sequence:
            state.apply(entry.event)
        speak(entry.sequence, events)
    return state


def _export(chosen: argparse.Namespace) -> None:
    with existing(chosen.journal) as journal:
        base, last = journal.base(), journal.last_sequence  # others may write meanwhile
        entries = journal.read(base.horizon.sequence if base else 0, last)
        state = replayed(base, entries, last, "replaying").snapshot()
        written = export_journal(
            journal, chosen.out, state, until=last, overwrite=chosen.overwrite, progress=Speaker("writing")
        )
    print(f"{written:,} events exported to {chosen.out} ({in_bytes(Path(chosen.out).expanduser().stat().st_size)})")


def _import(chosen: argparse.Namespace) -> None:
    with PortableFile(chosen.source) as file:
        file.verify()  # before a journal is made
        with open_journal(chosen.journal) as journal:
            take = _take(chosen, trusted=journal.last_sequence == 0 or journal.uuid == file.journal)
            report = import_journal(file, journal, progress=Speaker("appending"), take=take)
    _tell(report, journal)


def _bag_export(chosen: argparse.Namespace) -> None:
    bag = _bag_module()
    with existing(chosen.journal) as journal:
        report = bag.export_bag(journal, chosen.bag, storage=chosen.storage, progress=Speaker("writing"))
    left_out = f"{report.left_out:,} left out (the memory's own, or without content)"
    print(f"{report.written:,} events exported to {chosen.bag}; {left_out}")


def _bag_import(chosen: argparse.Namespace) -> None:
    bag = _bag_module()
    if not Path(chosen.bag).expanduser().exists():
        raise JournalError(f"{chosen.bag} does not exist")
    with open_journal(chosen.journal) as journal:
        take = _take(chosen, trusted=journal.last_sequence == 0)
        report = bag.import_bag(chosen.bag, journal, topic=chosen.topic, progress=Speaker("appending"), take=take)
    _tell(report, journal)


def _add_people(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--people",
        action="store_true",
        help="also what people are to have said and asked for; of a file that you made yourself: anybody can write one",
    )


def _take(chosen: argparse.Namespace, *, trusted: bool) -> Callable[[Event], Event | None]:
    """Return what is appended of an event."""
    return (lambda event: event) if trusted or chosen.people else seen_only


def _tell(report: Imported, journal: Journal) -> None:
    left_out = f", {report.left_out:,} left out (people's, without --people; or without content)"
    print(
        f"{report.added:,} events added to {journal.location}, {report.known:,} were there"
        f"{left_out if report.left_out else ''}"
    )


def _bag_module() -> ModuleType:
    try:
        return import_module("karma_memory.ros.bag")
    except ImportError as error:
        raise JournalError(
            f"bags need ROS 2, karma_interfaces and rosbags ({error}); source the workspace and 'pip install rosbags'"
        ) from error
