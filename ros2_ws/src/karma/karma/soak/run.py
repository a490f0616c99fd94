# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Weeks of a household: people use the robot, things go wrong, and at night the graph is measured."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from karma.graph import GraphArguments
from karma.soak.faults import Fault, Model, faults_of, lasting
from karma.soak.household import NO_ANSWER, Household, Ledger, explore, traces
from karma.soak.judge import BACK_S, calm, slopes
from karma.soak.machine import Machine
from karma.soak.witness import CONTROL_WITNESS, PEOPLE, WITNESS, Witness
from karma.supervision import running_graph
from karma_memory.journal import open_journal
from karma_ros.client import GraphClient

GIVE_UP_S = 120.0
"""A graph that is not well after so long is not waited for any longer."""
UNANSWERED = 0.05
"""The share of what people ask for that may stay without an answer, with something wrong most of the time."""
BOUTS = 3
"""How often a day people use the robot; the hours between pass at once."""
DAY_S = 86400.0


@dataclass(frozen=True)
class Plan:
    """What a soak consists of."""

    scene: str
    days: int
    hours: float
    """Of real time, after which it ends, too."""
    faults: int
    """A day."""
    seed: int


@dataclass
class Record:
    """What was seen."""

    days: list[dict[str, float]] = field(default_factory=list)
    """The figures of each night."""
    faults: list[dict[str, Any]] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)
    seconds: float = 0.0
    missing: list[tuple[str, ...]] | None = None
    """What was acknowledged and is not in the journal; None until that was looked at."""

    def report(self, plan: Plan) -> dict[str, Any]:
        """Return it as JSON, with a verdict."""
        found = slopes(self.days, plan.days)
        not_flat = [name for name, slope in found.items() if not slope.flat]
        late = [f for f in self.faults if f["back_s"] is None or f["back_s"] > BACK_S]
        asked = sum(self.ledger.outcomes.values())
        silent = sum(number for what, number in self.ledger.outcomes.items() if what.endswith(NO_ANSWER))
        unanswered = silent / asked if asked else 1.0
        short = len(self.days) < plan.days or len(self.faults) < plan.faults * plan.days
        kept = len(self.ledger.kept)
        untold = [f for f in self.faults if f["tells"] and not f["told"]]
        return {
            "plan": asdict(plan),
            "seconds": self.seconds,
            "days": len(self.days),
            "faults": len(self.faults),
            "acknowledged": kept,
            "lost": None if self.missing is None else len(self.missing),
            "not_back": len(late),
            "outages": sum(bool(fault["tells"]) for fault in self.faults),
            "untold": len(untold),
            "defects": self.ledger.defects,
            "not_flat": not_flat,
            "unanswered": unanswered,
            "passed": self.missing == []
            and not (short or late or untold or self.ledger.defects or not_flat)
            and bool(found and kept)
            and unanswered <= UNANSWERED,
            "outcomes": dict(sorted(self.ledger.outcomes.items())),
            "missing": self.missing,
            "slopes_per_week": {name: asdict(slope) for name, slope in found.items()},
            "nights": self.days,
            "each_fault": self.faults,
        }


def soak(plan: Plan, folder: Path, *, llm: str, llm_url: str, record: Record, say: Callable[[str], None]) -> None:
    """Live the days; `record` is filled meanwhile, so that one that is interrupted has what was seen.

    GraphError when the graph does not start, or stays away; NoCompilerError, ArgumentError.
    """
    chance = random.Random(plan.seed)  # noqa: S311 - no secret
    machine, database = Machine(folder), folder / "memory.sqlite3"
    model = Model(llm_url) if llm != "offline" else None
    beside = folder / "control"
    spared = GraphArguments(scene=plan.scene, database=str(beside / database.name), llm=llm, llm_url=llm_url)
    arguments = replace(spared, database=str(database), llm_url=model.url if model else llm_url)
    began = time.monotonic()
    try:
        with ExitStack() as stack:
            beside.mkdir()
            control = stack.enter_context(running_graph(spared, log_folder=beside))
            with _environment(machine.environment):
                graph = stack.enter_context(running_graph(arguments, log_folder=folder))
            quiet = stack.enter_context(GraphClient(name=CONTROL_WITNESS, domain_id=control.domain_id))
            client = stack.enter_context(GraphClient(name=WITNESS, domain_id=graph.domain_id))
            people = stack.enter_context(GraphClient(name=PEOPLE, domain_id=graph.domain_id))
            say("starting")
            for started in (control, graph):
                started.wait_active()
            household = Household(people, record.ledger, random.Random(chance.random()), machine.now)  # noqa: S311
            say("exploring the home")
            for each in (quiet, people):
                explore(each)
            witness = Witness(client, graph, quiet)
            kinds, weights = faults_of(graph, machine, client, database, model, chance)
            life = _Life(household, witness, machine, record, chance, say)
            for day in range(plan.days):
                if time.monotonic() - began > 3600.0 * plan.hours:
                    break
                no_ends = calm(day, plan.days)
                possible = [w * (not (no_ends and k.ends_process)) for k, w in zip(kinds, weights, strict=True)]
                life.day(day, chance.choices(kinds, possible, k=plan.faults))
                record.seconds = time.monotonic() - began
    finally:
        record.seconds = time.monotonic() - began
        if database.exists():
            record.missing = missing(database, record.ledger)


class _Life:
    """What happens on a day."""

    def __init__(
        self,
        household: Household,
        witness: Witness,
        machine: Machine,
        record: Record,
        chance: random.Random,
        say: Callable[[str], None],
    ) -> None:
        self._household, self._witness, self._machine = household, witness, machine
        self._record, self._chance, self._say = record, chance, say

    def day(self, day: int, faults: Sequence[Fault]) -> None:
        """Live through a day, and measure at its end. GraphError when something does not come back."""
        for bout in range(BOUTS):
            with self._people_at_home():
                time.sleep(self._chance.uniform(0.0, 2.0))
                for fault in faults[bout::BOUTS]:
                    self._say(f"day {day + 1}: {fault.name}")
                    self._suffer(day, fault)
                    time.sleep(self._chance.uniform(0.0, 2.0))
            self._machine.set_clock(DAY_S / BOUTS)
        self._say(f"day {day + 1}: night")
        self._witness.wait_well(GIVE_UP_S)
        self._record.days.append({"day": float(day), **self._witness.figures()})

    def _suffer(self, day: int, fault: Fault) -> None:
        noted = {"day": day, "fault": fault.name, "tells": fault.tells, "back_s": None, "told": ""}
        self._record.faults.append(noted)
        began = time.monotonic()
        with lasting(fault):
            self._witness.watch(self._chance.uniform(fault.shortest_s, fault.longest_s))
            over = time.monotonic()
        self._witness.wait_well(GIVE_UP_S)
        noted["back_s"] = time.monotonic() - over
        noted["tells"] = fault.tells if fault.noticed() else ()
        noted["told"] = self._witness.told_since(began, fault.tells)

    @contextmanager
    def _people_at_home(self) -> Iterator[None]:
        """Let people use the robot, whatever goes wrong, until the block ends."""
        leaving = threading.Event()
        thread = threading.Thread(target=self._household.live, args=(lambda: not leaving.is_set(),), name="people")
        thread.start()
        try:
            yield
        finally:
            leaving.set()
            thread.join()


@contextmanager
def _environment(more: Mapping[str, str]) -> Iterator[None]:
    """Have what is started in the block see more environment variables."""
    before = dict(os.environ)
    os.environ.update(more)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def missing(database: Path, ledger: Ledger) -> list[tuple[str, ...]]:
    """Return what was acknowledged and is not in the journal, every row of which is checked. JournalError."""
    with open_journal(database, read_only=True) as journal:
        there = {traces(entry.event) for entry in journal.read(skip_compacted=True)}
    return sorted(ledger.kept - there)
