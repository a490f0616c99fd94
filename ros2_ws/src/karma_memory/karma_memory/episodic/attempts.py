# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An attempt: an episode as a way through states (BrainMem, section 3.2.2 and appendix B.1.2)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

from karma_memory.episodic.goals import GoalText, categories, goals_of, task_types
from karma_memory.events import Code, Event
from karma_memory.working.actions import Action, Effect

KEPT_STEPS = 100
"""Steps of an attempt that are kept: the last ones."""
UNDECIDED = frozenset({Code.UNSET, Code.CANCELED})
"""Ends that say nothing of whether the way was right."""


class State(NamedTuple):
    """Where and how something was done (appendix B.2.2)."""

    room: str
    """Id of the room, "" where it is not known."""
    summary: str
    """What is held, and how the things are that the goals are about."""


@dataclass(frozen=True)
class Transition:
    """One step from state to state."""

    before: State
    after: State
    action: Action
    code: Code
    message: str
    held: str
    """Category of what was held before, "" for nothing."""
    room: str
    """Kind of room."""

    @property
    def done(self) -> bool:
        """Whether it succeeded."""
        return self.code is Code.SUCCESS


@dataclass(frozen=True)
class Attempt:
    """One attempt to do as told."""

    id: str
    """Of the episode."""
    source: str
    """Id of the event that started it."""
    instruction: str
    user: str
    scene: str
    start: float
    """Seconds, the robot's clock."""
    goals: tuple[str, ...] = ()
    """What was understood."""
    meant: tuple[str, ...] = ()
    """The same as it was taken in the end; () while it runs, and where that is not known."""
    retry_of: str = ""
    steps: tuple[Transition, ...] = ()
    code: Code = Code.UNSET
    """How it ended; UNSET while it runs."""
    verdict: Code = Code.UNSET
    """What a person said of it, which counts more."""
    used: tuple[str, ...] = ()
    """Ids of the guidelines that guided it."""

    @property
    def succeeded(self) -> bool | None:
        """Whether it ended well; None where that is not known."""
        code = self.code if self.verdict is Code.UNSET else self.verdict
        return None if code in UNDECIDED else code is Code.SUCCESS

    @property
    def parsed(self) -> tuple[GoalText, ...]:
        """Its goals."""
        return goals_of(self.goals)

    @property
    def taken(self) -> tuple[GoalText, ...]:
        """Its goals as they were taken in the end."""
        return goals_of(self.meant)

    @property
    def room(self) -> str:
        """Kind of room that most of it took place in, "" where that is not known."""
        rooms = Counter(step.room for step in self.steps if step.room)
        return max(rooms, key=lambda room: rooms[room], default="")

    @property
    def task(self) -> str:
        """The type of task, for people and prompts."""
        return ", ".join(task_types(self.parsed)) or "task"

    @cached_property
    def path(self) -> tuple[Transition, ...]:
        """The steps that succeeded, without those that only went somewhere or looked."""
        return tuple(step for step in self.steps if step.done and step.action.effect is not Effect.LOOKS)

    @cached_property
    def straight(self) -> tuple[Transition, ...]:
        """The same without detours: put down, and taken again with nothing else changed."""
        kept: list[Transition] = []
        for step in self.path:
            kept.append(step)
            if step.before != step.after:
                back = next((i for i, one in enumerate(kept) if one.held and one.before == step.after), len(kept))
                kept[back:] = [one for one in kept[back:] if one.before == one.after]
        return tuple(kept)

    @cached_property
    def way(self) -> tuple[str, ...]:
        """The same for people and prompts."""
        return tuple(step.action.text for step in self.straight)

    @cached_property
    def keys(self) -> frozenset[tuple[str, ...]]:
        """What makes its goals the same as others."""
        return frozenset(goal.key for goal in self.parsed)

    @cached_property
    def types(self) -> frozenset[str]:
        """Types of task of its goals."""
        return frozenset(task_types(self.parsed))

    @cached_property
    def things(self) -> frozenset[str]:
        """Categories in its goals; without goals, those that were acted on."""
        return frozenset(categories(self.parsed)) or frozenset(step.action.category for step in self.path)

    def to_json(self) -> dict[str, Any]:
        """Return the attempt as a JSON object."""
        states = {state: place for place, state in enumerate(dict.fromkeys(_states(self.steps)))}
        return {
            **{item.name: getattr(self, item.name) for item in fields(self)},
            "code": self.code.name,
            "verdict": self.verdict.name,
            "states": [list(state) for state in states],
            "steps": [
                [states[s.before], states[s.after], s.action.to_json(), s.code.name, s.message, s.held, s.room]
                for s in self.steps
            ],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Attempt:
        """Return the attempt of a JSON object."""
        states = [State(*state) for state in data["states"]]
        steps = tuple(
            Transition(states[before], states[after], Action(*action), Code[code], *rest)
            for before, after, action, code, *rest in data["steps"]
        )
        given = {item.name: data[item.name] for item in fields(cls)}
        given.update(steps=steps, goals=tuple(data["goals"]), meant=tuple(data["meant"]), used=tuple(data["used"]))
        return cls(**{**given, "code": Code[data["code"]], "verdict": Code[data["verdict"]]})


def judges(event: Event, user: str) -> bool:
    """Whether feedback says that an attempt was right or wrong, and not of somebody else's than `user`'s."""
    return event.code is not Code.UNSET and user in ("", event.user)


def _states(steps: tuple[Transition, ...]) -> list[State]:
    return [state for step in steps for state in (step.before, step.after)]
