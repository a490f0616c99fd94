# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""python3 -m karma_memory.journal: look at a journal, check it, mend it, and carry it elsewhere."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from importlib import import_module
from pathlib import Path
from types import ModuleType

from karma_memory.encoding import dumps
from karma_memory.events import EventKind
from karma_memory.history import begin
from karma_memory.journal import (
    Base,
    Entry,
    Journal,
    JournalError,
    PortableFile,
    PortableFileError,
    SnapshotStore,
    export_journal,
    import_journal,
    open_journal,
    salvage,
)
from karma_memory.state import MemoryState

EPILOG = """exit status: 0 done; 1 it could not be done, stderr says why; 2 wrong arguments; 130 interrupted (Ctrl-C).
A memory server that has a file open must be stopped first; in PostgreSQL it may go on."""
JOURNAL = "the memory server's database: a file, or postgresql://…"
GZIP_MAGIC = b"\x1f\x8b"
SPEAK_PERIOD = 0.2
"""Seconds between two reports of progress on a terminal."""
EPOCH_STAMP = 1e9
"""Seconds; stamps beyond this are taken for times since 1970, not for those of a clock that started with the robot."""


class Speaker:
    """Says on stderr how far the work is, on a terminal only."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._said = 0.0

    def __call__(self, done: int, of: int) -> None:
        """Report `done` events of `of`."""
        now = time.monotonic()
        if sys.stderr.isatty() and (now - self._said >= SPEAK_PERIOD or done == of):
            self._said = now
            sys.stderr.write(f"\r{self._what}: {done:,} of {of:,} events" + ("\n" if done == of else ""))
            sys.stderr.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand; return the exit status."""
    chosen = _parser().parse_args(arguments)
    try:
        chosen.run(chosen)
    except (JournalError, OSError) as error:
        print(f"{chosen.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\n{chosen.command}: interrupted; nothing is half-written, run it again", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m karma_memory.journal",
        description=__doc__.partition(": ")[2],
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    info = commands.add_parser("info", help="say what is in a journal")
    info.add_argument("journal", metavar="JOURNAL", help=JOURNAL)
    info.set_defaults(run=_info)

    verify = commands.add_parser("verify", help="check every event and picture of a journal or of an exported file")
    verify.add_argument("journal", metavar="JOURNAL", help=f"{JOURNAL}, or an exported one")
    verify.set_defaults(run=_verify)

    mend = commands.add_parser("salvage", help="copy what is intact of a damaged journal to a new one")
    mend.add_argument("damaged", metavar="DAMAGED", help="the database file, which is only read")
    mend.add_argument("new", metavar="NEW", help="the file to write, which must not exist")
    mend.set_defaults(run=_salvage)

    export = commands.add_parser("export", help="write a journal and the state of all memories to one portable file")
    export.add_argument("journal", metavar="JOURNAL", help=JOURNAL)
    export.add_argument("out", metavar="OUT.jsonl.gz", help="the file to write")
    export.add_argument("--overwrite", action="store_true", help="write OUT also when it exists")
    export.set_defaults(run=_export)

    take_in = commands.add_parser(
        "import",
        help="append the events of an exported file that a journal doesn't have",
        description="Append the events of an exported file that a journal doesn't have, with their ids and in their "
        "order. The file is checked as a whole first. A new journal becomes a copy of the exported one.",
    )
    take_in.add_argument("source", metavar="IN", help="an exported file")
    take_in.add_argument("journal", metavar="JOURNAL", help=f"{JOURNAL}; made where there is none")
    take_in.set_defaults(run=_import)

    bag = commands.add_parser("bag", help="write a journal's events to a rosbag2, or append those of one (needs ROS 2)")
    directions = bag.add_subparsers(dest="direction", required=True, metavar="DIRECTION")
    out = directions.add_parser(
        "export",
        help="write karma_interfaces/MemoryEvent messages on memory/events",
        description="Write a journal's events to a rosbag2, for the tools of ROS. It carries what the message can say; "
        "use 'export' for what must come back as it was.",
    )
    out.add_argument("journal", metavar="JOURNAL", help=JOURNAL)
    out.add_argument("bag", metavar="BAG", help="the folder to write, which must not exist")
    out.add_argument(
        "--storage", choices=("mcap", "sqlite3"), default="mcap", help="how the bag is stored (%(default)s)"
    )
    out.set_defaults(run=_bag_export)
    back = directions.add_parser("import", help="append the events in a bag that a journal doesn't have")
    back.add_argument("bag", metavar="BAG", help="a rosbag2 folder")
    back.add_argument("journal", metavar="JOURNAL", help=f"{JOURNAL}; made where there is none")
    back.add_argument(
        "--topic", default="", help="only this topic; else all with karma_interfaces/MemoryEvent messages"
    )
    back.set_defaults(run=_bag_import)
    return parser


def _info(chosen: argparse.Namespace) -> None:
    with _existing(chosen.journal) as journal:
        kinds: Counter[str] = Counter()
        pictures: dict[str, None] = {}
        first, last = math.inf, 0.0
        events = journal.last_sequence
        speak = Speaker("reading")
        for entry in journal.read(0, events, skip_compacted=True):
            kinds[entry.event.kind.name] += 1
            if entry.event.kind < EventKind.ACCESS:  # the memory's own events say little about when things happened
                first, last = min(first, entry.event.stamp), max(last, entry.event.stamp)
            if entry.event.image is not None:
                pictures[entry.event.image.sha256] = None
            speak(entry.sequence, events)
        print(f"journal    {journal.location}")
        print(f"uuid       {journal.uuid}")
        print(f"schema     {journal.schema_version}")
        print(f"size       {_bytes(journal.size_bytes)}, {len(pictures):,} pictures")
        print(f"events     {events:,}")
        if first <= last:
            print(f"from       {_time(first)}")
            print(f"until      {_time(last)}")
        if compacted := events - kinds.total():
            print(f"           {compacted:,} without content, up to event {journal.horizon().sequence:,}")
        for kind, number in kinds.most_common():
            print(f"           {number:,} {kind}")
        snapshots = SnapshotStore(journal.path, journal.uuid).paths()
        print(f"snapshots  {len(snapshots)}")
        for path in snapshots:
            print(f"           {path} ({_bytes(path.stat().st_size)})")


def _verify(chosen: argparse.Namespace) -> None:
    path = Path(chosen.journal).expanduser()
    if path.is_file() and path.open("rb").read(2) == GZIP_MAGIC:
        _verify_export(path)
        return
    with _existing(chosen.journal) as journal:
        speak = Speaker("checking")
        journal.verify()
        events = journal.last_sequence
        for entry in journal.read(0, events, skip_compacted=True):
            if entry.event.image is not None:
                journal.image(entry.event.image.sha256)
            speak(entry.sequence, events)
        print(f"{events:,} events, all intact")


def _verify_export(path: Path) -> None:
    with PortableFile(path) as file:
        state = _replayed(file.base, file.entries(), file.events, "checking")
        if dumps(state.snapshot()) != dumps(file.state()):
            raise PortableFileError(
                f"the {file.events:,} events in {path} are intact and can be imported, but this karma_memory makes "
                "another state of them than the one that wrote the file"
            )
        print(f"{file.events:,} events, all intact; replaying them gives the state in the file")


def _salvage(chosen: argparse.Namespace) -> None:
    report = salvage(chosen.damaged, chosen.new)
    print(f"{report.kept} events copied, {report.lost} lost, {report.images_lost} pictures lost")


def _export(chosen: argparse.Namespace) -> None:
    with _existing(chosen.journal) as journal:
        base, last = journal.base(), journal.last_sequence  # others may write meanwhile
        entries = journal.read(base.horizon.sequence if base else 0, last)
        state = _replayed(base, entries, last, "replaying").snapshot()
        written = export_journal(
            journal, chosen.out, state, until=last, overwrite=chosen.overwrite, progress=Speaker("writing")
        )
    print(f"{written:,} events exported to {chosen.out} ({_bytes(Path(chosen.out).expanduser().stat().st_size)})")


def _import(chosen: argparse.Namespace) -> None:
    with PortableFile(chosen.source) as file:
        file.verify()  # before a journal is made
        with open_journal(chosen.journal) as journal:
            report = import_journal(file, journal, progress=Speaker("appending"))
    left_out = f", {report.left_out:,} without content left out" if report.left_out else ""
    print(f"{report.added:,} events added to {journal.location}, {report.known:,} were there{left_out}")


def _replayed(base: Base | None, entries: Iterable[Entry], events: int, what: str) -> MemoryState:
    """Return the state after a journal's events, those up to the horizon being in its base."""
    state = begin(base)
    speak = Speaker(what)
    for entry in entries:
        if base is None or entry.sequence > base.horizon.sequence:
            state.apply(entry.event)
        speak(entry.sequence, events)
    return state


def _bag_export(chosen: argparse.Namespace) -> None:
    bag = _bag_module()
    with _existing(chosen.journal) as journal:
        report = bag.export_bag(journal, chosen.bag, storage=chosen.storage, progress=Speaker("writing"))
    left_out = f"{report.left_out:,} left out (the memory's own, or without content)"
    print(f"{report.written:,} events exported to {chosen.bag}; {left_out}")


def _bag_import(chosen: argparse.Namespace) -> None:
    bag = _bag_module()
    if not Path(chosen.bag).expanduser().exists():
        raise JournalError(f"{chosen.bag} does not exist")
    with open_journal(chosen.journal) as journal:
        report = bag.import_bag(chosen.bag, journal, topic=chosen.topic, progress=Speaker("appending"))
    print(f"{report.added:,} events added to {journal.location}, {report.known:,} were there")


def _bag_module() -> ModuleType:
    try:
        return import_module("karma_memory.bag")
    except ImportError as error:
        raise JournalError(
            f"bags need ROS 2, karma_interfaces and rosbags ({error}); source the workspace and 'pip install rosbags'"
        ) from error


def _existing(location: str) -> Journal:
    """Open a journal that is there: looking at one must not make it, or change it."""
    return open_journal(location, verify=False, read_only=True)  # what is read is checked anyway


def _time(stamp: float) -> str:
    if stamp < EPOCH_STAMP:
        return f"{stamp:.3f} s"
    return datetime.fromtimestamp(stamp, timezone.utc).isoformat(timespec="seconds")


def _bytes(size: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


if __name__ == "__main__":
    sys.exit(main())
