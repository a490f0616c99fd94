# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""info, verify, salvage: what is in a journal, and whether it is intact."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from karma_memory.command.copying import replayed
from karma_memory.command.journals import GZIP_MAGIC, LOCATION, add_journal, existing
from karma_memory.command.moment import show_time
from karma_memory.command.progress import Speaker, in_bytes
from karma_memory.command.survey import Survey, survey
from karma_memory.encoding import dumps
from karma_memory.journal import FOLLOWS_LFU, PortableFile, PortableFileError, SnapshotStore, salvage
from karma_memory.state.state import BY_RULES, UNREAD

NAMED = 5
"""Users and scenes that are named."""


def add_to(commands: Any) -> None:
    """Add the subcommands."""
    info = commands.add_parser("info", help="say what is in a journal")
    add_journal(info)
    info.set_defaults(run=_info)

    verify = commands.add_parser("verify", help="check every event and picture of a journal or of an exported file")
    verify.add_argument("journal", metavar="JOURNAL", help=f"{LOCATION}, or an exported one")
    verify.set_defaults(run=_verify)

    mend = commands.add_parser("salvage", help="copy what is intact of a damaged journal to a new one")
    mend.add_argument("damaged", metavar="DAMAGED", help=f"{LOCATION}; it is only read")
    mend.add_argument("new", metavar="NEW", help="the file to write, which must not exist")
    mend.set_defaults(run=_salvage)


def describe(found: Survey) -> Iterator[str]:
    """Yield what is in a journal, in lines for people."""
    yield f"journal    {found.location}"
    yield f"uuid       {found.uuid}"
    yield f"schema     {found.schema}"
    yield f"size       {in_bytes(found.size_bytes)}, {found.pictures:,} pictures"
    if found.year_bytes is not None:
        yield f"in a year  {in_bytes(found.year_bytes)}, if it goes on as since its first event; pictures are bounded"
    yield f"events     {found.events:,}"
    if found.first is not None and found.last is not None:
        yield f"from       {show_time(found.first)}"
        yield f"until      {show_time(found.last)}"
    if found.compacted:
        yield f"           {found.compacted:,} without content, up to event {found.horizon:,}"
    for kind, number in found.kinds.items():
        yield f"           {number:,} {kind}"
    for what, counted in (("users", found.users), ("scenes", found.scenes)):
        if counted:
            named = [f"{name} ({number:,})" for name, number in counted.items()]
            more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
            yield f"{what:<11}{', '.join(named[:NAMED])}{more}"


def _info(chosen: argparse.Namespace) -> None:
    with existing(chosen.journal) as journal:
        for line in describe(survey(journal, progress=Speaker("reading"))):
            print(line)
        snapshots = SnapshotStore(journal.path, journal.uuid).paths()
        print(f"snapshots  {len(snapshots)}")
        for path in snapshots:
            print(f"           {path} ({in_bytes(path.stat().st_size)})")


def _verify(chosen: argparse.Namespace) -> None:
    path = Path(chosen.journal).expanduser()
    if path.is_file() and path.open("rb").read(2) == GZIP_MAGIC:
        _verify_export(path)
        return
    with existing(chosen.journal) as journal:
        print(f"{survey(journal, whole=True, progress=Speaker('checking')).events:,} events, all intact")


def _verify_export(path: Path) -> None:
    with PortableFile(path) as file:
        state = replayed(file.base, file.entries(), file.events, "checking")
        stored, version = file.state()
        adaptive = stored["short_term"]["settings"]["policy"] == "w_tinylfu_adaptive"
        by_rules = BY_RULES | ({"short_term"} if adaptive and version < FOLLOWS_LFU else set())
        made = {kind: item for kind, item in state.snapshot().items() if kind in stored or kind not in state.guiding}
        if "newest" not in stored["long_term"]:
            made["long_term"].pop("newest")
        differing = {kind for kind in made.keys() | stored.keys() if dumps(made.get(kind)) != dumps(stored.get(kind))}
        if differing - by_rules - {UNREAD}:
            raise PortableFileError(
                f"the {file.events:,} events in {path} are intact and can be imported, but this karma_memory makes "
                "another state of them than the one that wrote the file"
            )
        print(f"{file.events:,} events, all intact; replaying them gives the state in the file")
        for kind in sorted(differing & by_rules):
            print(f"what this karma_memory makes of the events differs in {kind}: its rules do")


def _salvage(chosen: argparse.Namespace) -> None:
    report = salvage(chosen.damaged, chosen.new)
    print(f"{report.kept} events copied, {report.lost} lost, {report.images_lost} pictures lost")
