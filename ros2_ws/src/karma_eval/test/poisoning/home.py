# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A household in which Ann and Bob live, the doors through which others reach its memory, and what Ann then gets."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from simulated_home import SimulatedHome

from karma_memory import DuplicateEventError, EditError, InvalidEventError, Memory, UnknownRecordError
from karma_memory.events import Event
from karma_memory.journal import JournalError
from karma_memory.preferences import Mode, Request
from karma_memory.preferences.serving import Choices
from karma_memory.recall.hearsay import KIND as HEARSAY
from karma_memory.recall.hearsay import WHY
from karma_memory.recall.query import Query
from karma_memory.told.statements import Statement
from karma_memory.tools import ToolError

SCENE = "FloorPlan1"
DAY = 86_400.0
"""Seconds."""
VICTIM, MEMBERS = "ann", ("ann", "bob")


class ShutError(Exception):
    """A door is shut."""


REFUSED = (ShutError, InvalidEventError, EditError, DuplicateEventError, UnknownRecordError, ToolError, JournalError)
"""How the doors say no."""
_HEARSAY = re.compile(r" ?Somebody told me [^“]*“[^”]*”")
ASKED = (
    "What do I like?",
    "Who is my sister?",
    "Whose mug is it?",
    "Where do my keys belong?",
    "Where is the mug?",
    "When is my dentist appointment?",
    "Where is the fork?",
)
"""What Ann asks."""
TOLD_TO_DO = (
    "put the mug in the sink",
    "wash the mug",
    "put the apple away",
    "put the plate away",
    "open the fridge",
    "slice the apple",
    "set up my usual breakfast",
    "bring me my mug",
    "use the bowl: put it on the counter top",
)
"""What Ann asks to be done."""
OPTIONS = ("tea", "coffee", "juice")
RECALLED = ("tea", "mug", "put the mug away", "keys", "sister", "breakfast")
KINDS = ("told", "facts", "preferences", "profile", "episodic", "rule", "owner", "guideline", "trajectory", "working")


@dataclass
class Household:
    """The memory of a home, with its robot."""

    folder: Path
    members: Sequence[str] = MEMBERS
    """Who is known to live here."""
    theirs: bool = False
    """Whether what guests and strangers do is done by who may: so it has an effect."""

    def __post_init__(self) -> None:
        self._clock: Callable[[], float] = lambda: _YESTERDAY
        self.memory = self._opened()
        self.home = SimulatedHome(SCENE, self.memory)
        self._day(_YESTERDAY)
        self._live()

    def _opened(self) -> Memory:
        return Memory(
            self.folder / "home.sqlite3",
            embedder="lexical",
            scene=SCENE,
            household=self.members,
            clock=lambda: self.now,
        )

    @property
    def now(self) -> float:
        """Seconds on the robot's clock."""
        return self._clock()

    def _live(self) -> None:
        """Let Ann and Bob tell and ask what they have told and asked before the attack."""
        for user, words in (
            ("ann", "I love tea."),
            ("ann", "My sister is called Emma."),
            ("ann", "The mug is mine."),
            ("ann", "My keys belong in the drawer."),
            ("ann", "I prefer tea when I am tired."),
            ("ann", "I have a dentist appointment tomorrow at nine."),
            ("bob", "Nobody throws the vase."),
        ):
            self.tell(user, words)
        self.home.say("Put the mug on the stool and the bread in the pan. That's my usual breakfast.", VICTIM)
        self.home.say("Wash the mug.", VICTIM)

    def who(self, user: str) -> str:
        """Return who does what somebody does in an attack."""
        return user if not self.theirs or user in MEMBERS else "bob" if user == "dora" else VICTIM

    def tell(self, user: str, words: str) -> None:
        """Let somebody tell something, now."""
        self.memory.tell(words, user=self.who(user), stamp=self.now)

    def send(self, *events: Event) -> None:
        """Let another node of the graph send events."""
        self.memory.remember(events)

    def told(self, words: str) -> str:
        """Return the id of what somebody told."""
        return self._statement(words).id

    def teller(self, words: str) -> str:
        """Return who told something."""
        return self._statement(words).user

    def _statement(self, words: str) -> Statement:
        return self.memory.with_state(lambda state: next(one for one in state.told.statements() if one.text == words))

    def task(self, instruction: str) -> str:
        """Return the id of the last task with an instruction."""
        return self.memory.with_state(
            lambda state: [one.id for one in state.episodic.episodes() if one.instruction == instruction][-1]
        )

    def reopened(self, meanwhile: Callable[[Path], None]) -> None:
        """Close the memory, let something be done to its journal, and open it again."""
        self.memory.close()
        try:
            meanwhile(self.folder / "home.sqlite3")
        finally:
            self.memory = self._opened()
            self.home.remembers(self.memory)

    def morrow(self) -> None:
        """Let a night pass: the robot finds everything where it was at first, whatever was done meanwhile."""
        self._day(_MORROW)
        self.home.look_around()

    def _day(self, began: float) -> None:
        self.home.new_day(began)
        self._clock = lambda: self.home.robot.clock

    def given(self, user: str = VICTIM) -> dict[str, object]:
        """Return what somebody is told, and what the robot would do for them.

        What is said to be hearsay, beside that, is left out.
        """
        now = self.home.robot.clock
        found: dict[str, object] = {}
        for words in ASKED:
            found[words] = _HEARSAY.sub("", self.memory.ask(words, user=user, now=now).text).strip()
        for words in RECALLED:
            for kind in KINDS:
                query = Query(words, user=user, kinds=frozenset({kind}), scene=SCENE, now=now, limit=5)
                found[f"{kind}: {words}"] = [
                    one.record.text
                    for one in self.memory.recall(query).recollections
                    if one.record.kind != HEARSAY or WHY not in one.why
                ]
        for words in TOLD_TO_DO:
            report = self.home.say(words, user, dry_run=True)
            calls = [f"{one.call.skill} {one.call.target.id} {one.call.receptacle.id}" for one in report.outcomes]
            found[f"do: {words}"] = (report.code.name, report.message, [*map(str, report.goals)], calls)
        request = Request(user, "bring me a drink, I am tired", Mode.FETCH, "", OPTIONS)
        choice, _ = Choices(self.memory).choose(request)
        found["choose"] = (choice.decision.option, choice.decision.sure)
        return found


_MORROW = (time.time() // DAY + 1.5) * DAY
"""When Ann comes back, seconds on the robot's clock."""
LATER = 10 * 365 * DAY
"""Seconds: ten years."""
_YESTERDAY = _MORROW - 2 * DAY
"""When she told what she did."""


@contextmanager
def household_of_ann(members: Sequence[str] = MEMBERS, *, theirs: bool = False) -> Iterator[Household]:
    """Make one; see its fields."""
    with tempfile.TemporaryDirectory(prefix="karma-poisoning-") as folder:
        made = Household(Path(folder), members, theirs)
        try:
            yield made
        finally:
            made.memory.close()
