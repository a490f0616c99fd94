# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Short-term memory: its slots by segment, what has just happened to each unit, hits, and what had to go."""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karma_perception.scene_graph import SceneGraph
from karma_view.known import Known
from karma_view.panels.confirmation import confirm
from karma_view.text import distinct, render, seconds

if TYPE_CHECKING:
    from karma_view.session import Session

MARKED_S = 6.0
"""How long what has just happened to a unit is pointed out."""
COURSE_S = 300.0
"""How much of the past the line of hits shows."""
MOVE_S = 5.0
"""How often that line moves on while nothing happens."""
MOST_SLOTS = 60
"""Segments with more slots are drawn as bars of one piece."""
MOST_ROWS = 60
"""Units that are listed; of a larger memory those that were used or seen last."""
UNITS_PER_S = 1_000
"""That the memory tells at most: a larger one is seen less often."""
LONGEST_LABEL = 60
"""Characters of a unit in the list of choices."""
SAME_TIME_S = 1e-3
POLICIES = {
    "fifo": "FIFO",
    "fifo_merge": "FIFO, merging",
    "lru": "LRU",
    "lfu": "LFU",
    "w_tinylfu": "W-TinyLFU",
    "w_tinylfu_karma": "W-TinyLFU of the paper",
    "w_tinylfu_adaptive": "W-TinyLFU, adaptive",
}
"""How people call the names of policies."""
SHOW, FORGET = "Show in the home", "Forget"


class News:
    """What has just happened to units, as one viewer saw it: nothing at the first look."""

    def __init__(self) -> None:
        self._before: Any = None
        self._marks: dict[str, tuple[str, float]] = {}
        self._successors: dict[tuple[str, float], str] = {}

    def forget(self) -> None:
        """Begin anew: what comes next is no news."""
        self._before = None
        self._marks.clear()
        self._successors.clear()

    def learn(self, memory: Any, now: float) -> None:
        """Take in karma_interfaces/ShortTermMemory at `now`, monotonic seconds."""
        before, self._before = self._before, memory
        if before is not None:
            for unit_id, mark in _marks(before, memory).items():
                self._marks[unit_id] = mark, now + MARKED_S
        came = {unit_id for unit_id, (mark, until) in self._marks.items() if mark == "new" and until > now}
        known = self._successors
        self._successors = {}
        for gone in memory.evicted:
            key = gone.id, seconds(gone.stamp)
            self._successors[key] = known[key] if key in known else _successor(gone, memory.units, came)

    def marks(self, now: float) -> dict[str, str]:
        """Return "new", "used" or "seen" by the id of each unit to which that has just happened."""
        self._marks = {unit_id: item for unit_id, item in self._marks.items() if item[1] > now}
        return {unit_id: mark for unit_id, (mark, _) in self._marks.items()}

    def successor(self, gone: Any) -> str:
        """Return the category of what took the place of an eviction, "" where that can't be told any more."""
        return self._successors.get((gone.id, seconds(gone.stamp)), "")


class Course:
    """Look-ups and hits of the last minutes, since the viewer came."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, int, int]] = deque()

    def learn(self, memory: Any, now: float) -> None:
        """Take in karma_interfaces/ShortTermMemory at `now`, monotonic seconds."""
        samples = self._samples
        if samples and (memory.lookups < samples[-1][1] or memory.hits < samples[-1][2]):
            samples.clear()  # the memory was started anew
        if not samples or samples[-1][1:] != (memory.lookups, memory.hits):
            samples.append((now, memory.lookups, memory.hits))

    def lines(self, now: float) -> dict[str, Any] | None:
        """Return what the picture shows, None where nothing was looked up.

        `lookups` and `hits`: their number in that time. `steps`, `found` and `rate`: points (x, y) of the lines of
        look-ups, hits and of the share of hits since the memory's start; x from 0, COURSE_S ago, to 1, now; y 0 to 1.
        """
        samples = self._samples
        while len(samples) > 1 and samples[1][0] < now - COURSE_S:
            samples.popleft()
        if not samples or samples[-1][1] == samples[0][1]:
            return None
        _, first_lookups, first_hits = samples[0]
        most = samples[-1][1] - first_lookups
        steps: list[tuple[float, float]] = []
        found: list[tuple[float, float]] = []
        rate: list[tuple[float, float]] = []
        ends = [sample[0] for sample in list(samples)[1:]] + [now]
        for (began, lookups, hits), ended in zip(samples, ends, strict=True):
            for at in (began, ended):
                x = min(1.0, max(0.0, 1.0 - (now - at) / COURSE_S))
                steps.append((x, (lookups - first_lookups) / most))
                found.append((x, (hits - first_hits) / most))
                if lookups:
                    rate.append((x, hits / lookups))
        return {"lookups": most, "hits": samples[-1][2] - first_hits, "steps": steps, "found": found, "rate": rate}


@dataclass(frozen=True)
class Bar:
    """The slots of one segment, or of several that share them."""

    name: str
    size: int
    """Slots; where it is smaller than what is in, units go as their places are needed."""
    free: int
    """Slots without a unit."""
    units: tuple[Any, ...]
    """In the order of their segments, first to go first."""

    @property
    def pieces(self) -> list[tuple[str, int]]:
        """Segments and how many units each has, for a bar that is not drawn slot by slot."""
        return list(Counter(unit.segment for unit in self.units).items())


def bars(memory: Any) -> list[Bar]:
    """Return the slots of short-term memory: of a window and of all others, or of all where there is no window."""
    free = max(0, memory.capacity - len(memory.units))
    if not memory.window:
        name = memory.units[0].segment if memory.units else "units"
        return [Bar(name, memory.capacity, free, tuple(memory.units))]
    window = tuple(unit for unit in memory.units if unit.segment == "window")
    main = [unit for unit in memory.units if unit.segment != "window"]
    main.sort(key=lambda unit: unit.segment == "protected")
    in_window = min(free, max(0, memory.window - len(window)))
    kept = [
        Bar("window", memory.window, in_window, window),
        Bar("main", memory.capacity - memory.window, free - in_window, tuple(main)),
    ]
    return [bar for bar in kept if bar.size > 0 or bar.units]


class ShortTermPanel:
    """A picture of the slots, a list of the units, and what can be done with one of them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._memory: Any = None
        self._at = 0.0
        self._again = 0.0
        """When the picture changes though the memory doesn't, monotonic seconds."""
        self._news = News()
        self._course = Course()
        self._named: dict[str, Any] = {}
        self._graph = SceneGraph()
        gui = session.client.gui
        self._picture = gui.add_html(render("short_term", memory=None, past=False))
        self._unit: Any = gui.add_dropdown("Unit", ("",), visible=False)
        self._do = gui.add_button_group("", (SHOW, FORGET), visible=False)
        self._do.on_click(lambda event: self._act(event.target.value))
        self._happened = gui.add_html("", visible=False)

    def update(self, known: Known) -> None:
        """Show the units as they are, or were."""
        now = time.monotonic()
        memory, self._graph = known.short_term, known.graph
        if memory is not self._memory:
            # What was known in the past is another message: until it is here, the time is that of the one before.
            at = self._session.at
            self._learn(memory, at, now)
            self._offer(memory, at)
        elif now < self._again:
            return
        self._draw(now)

    def _learn(self, memory: Any, at: float, now: float) -> None:
        """Tell news from what is only new to the viewer: the past, and what they see after it."""
        if memory is None or at or at != self._at:
            self._news.forget()
        if memory is not None and not at:
            self._news.learn(memory, now)
            self._course.learn(memory, now)
        self._memory, self._at = memory, at

    def _offer(self, memory: Any, at: float) -> None:
        """Let the viewer choose one of the units that there are."""
        listed = [] if memory is None else sorted(memory.units, key=lambda unit: seconds(unit.stamp), reverse=True)
        chosen = self._named.get(self._unit.value)
        self._named = _labelled(listed[:MOST_ROWS])
        names = tuple(self._named)
        if names and self._unit.options != names:
            self._unit.options = names
            if chosen is not None:  # it may be called otherwise now, for it is elsewhere
                same = [name for name, unit in self._named.items() if unit.id == chosen.id]
                self._unit.value = same[0] if same else names[0]
        self._do.options = (SHOW,) if at else (SHOW, FORGET)
        self._unit.visible = self._do.visible = bool(names)

    def _draw(self, now: float) -> None:
        memory, past = self._memory, self._at > 0
        marks = self._news.marks(now)
        lines = None if memory is None or past else self._course.lines(now)
        self._again = now + (1.0 if marks else MOVE_S if lines else math.inf)
        values: dict[str, Any] = {"memory": memory, "past": past}
        if memory is not None:
            shown = bars(memory)
            values.update(
                policy=POLICIES.get(memory.policy, memory.policy),
                bars=shown,
                widest=max(len(bar.units) + bar.free for bar in shown),
                marks=marks,
                listed={unit.id for unit in self._named.values()},
                most_slots=MOST_SLOTS,
                every=round(len(memory.units) / UNITS_PER_S),
                most_used=max((unit.frequency for unit in memory.units), default=0),
            )
        self._picture.content = render("short_term", **values)
        self._happened.visible = memory is not None and not past
        if self._happened.visible:
            evicted = [(gone, self._news.successor(gone)) for gone in memory.evicted]
            self._happened.content = render("short_term_course", memory=memory, lines=lines, evicted=evicted)

    def _act(self, what: str) -> None:
        unit = self._named.get(self._unit.value)
        if unit is None:
            self._session.say(what, "This unit is not in short-term memory any more.", failed=True)
        elif what == SHOW:
            if unit.object.id in self._graph.nodes:
                self._session.go_to(unit.object.id)
            else:
                self._session.say(what, "The scene graph of this home does not hold it now.", failed=True)
        elif what == FORGET and not self._session.at:
            robot, user = self._session.robot, self._session.user
            confirm(
                self._session,
                "Forget this unit of short-term memory?",
                unit.text,
                FORGET,
                lambda: robot.forget(unit.id, user=user),
            )


def _marks(before: Any, memory: Any) -> dict[str, str]:
    """Return what happened between two messages to the units of the later one."""
    old = {unit.id: (rank, unit) for rank, unit in enumerate(before.units)}
    counted = any(unit.frequency for unit in memory.units)
    marks = {}
    overtaken = -1
    for unit in memory.units:
        if unit.id not in old:
            marks[unit.id] = "new"
            continue
        rank, was = old[unit.id]
        # Where uses are not counted, who was used goes behind those that go before it.
        if unit.frequency > was.frequency or (not counted and rank < overtaken):
            marks[unit.id] = "used"
        elif seconds(unit.stamp) > seconds(was.stamp):
            marks[unit.id] = "seen"
        overtaken = max(overtaken, rank)
    return marks


def _successor(gone: Any, units: Sequence[Any], came: set[str]) -> str:
    """Return the category of the unit that came in when another had to go, "" where that is not sure."""
    then = [unit for unit in units if abs(seconds(unit.stamp) - seconds(gone.stamp)) < SAME_TIME_S]
    new = [unit for unit in then if unit.id in came] or then
    return str(new[0].object.category) if len(new) == 1 else ""


def _labelled(units: Sequence[Any]) -> dict[str, Any]:
    """Return units by what they are called in a list of choices, in which no name may be there twice."""
    named: dict[str, Any] = {}
    for unit in units:
        named[distinct(unit.text or unit.object.category or unit.id, LONGEST_LABEL, named)] = unit
    return named
