# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot does, or did last, for a user: a sliding window of steps, and the things that it handled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from karma_language.vocabulary.skill_words import THERE, deed_called
from karma_memory.encoding import from_json, to_json
from karma_memory.events import Code, Event, SkillCall, SkillTarget
from karma_memory.recall.prompt import one_line
from karma_memory.working.actions import Action, Effect
from karma_memory.working.consistency import MESSAGE_LENGTH, warnings
from karma_memory.working.steps import AgentState, Step

WINDOW = 5
"""Steps that are kept: W of BrainMem (appendix C.5, "last 5 actions")."""
KEPT_FAILURES = 32
"""Calls of an episode whose failures are counted: the last ones."""
KEPT_HANDLED = 64
"""Things handled that are kept: the last ones, of earlier instructions of the same user, too; first of all those that
something was done with, beyond going there."""
_TOLD_HANDLED = 16
"""Of these the last that a prompt names."""


class Place(NamedTuple):
    """Where a thing is: on or in what."""

    id: str = ""
    category: str = ""
    relation: str = ""


@dataclass
class Running:
    """An episode that runs, or the last one of its user."""

    episode: str
    source: str
    user: str
    scene: str
    start: float
    """Seconds, the robot's clock."""
    text: str = ""
    """What was asked for."""
    goals: tuple[str, ...] = ()
    """What was understood, as in MemoryEvent."""
    ended: float = 0.0
    """Seconds; 0 while it runs."""
    code: Code = Code.UNSET
    last: float = 0.0
    """When something happened in it last, seconds."""
    steps: list[Step] = field(default_factory=list)
    """The last WINDOW."""
    count: int = 0
    successes: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    """Text of an action → failures since it last succeeded."""
    handled: dict[str, SkillCall] = field(default_factory=dict)
    """Id of a thing or place → the last skill with it, and where it was before it was taken; the last handled last."""
    taken: list[str] = field(default_factory=list)
    """Ids of the things among them that were taken in this episode."""

    @classmethod
    def begun(cls, event: Event, before: Running | None) -> Running:
        """Return the episode that an EPISODE_START begins. `before`: the last of the same user, where it counts."""
        return cls(
            event.episode,
            event.id,
            event.user,
            event.scene,
            event.stamp,
            event.text,
            event.goals,
            last=event.stamp,
            handled=dict(before.handled) if before is not None else {},
        )

    @property
    def success_rate(self) -> float:
        """Share of the steps that succeeded, 0..1; 1 before the first."""
        return self.successes / self.count if self.count else 1.0

    def add(self, step: Step, places: Mapping[str, Place], event: Event) -> None:
        """Take in a step. `places`: id of a thing that can be carried → where it was before the step."""
        self.steps = [*self.steps, step][-WINDOW:]
        self.last = step.stamp
        self.count += 1
        self.successes += step.done
        before = self.failures.pop(step.action.text, 0)
        if not step.done:
            self.failures[step.action.text] = before + 1
            for oldest in list(self.failures)[:-KEPT_FAILURES]:
                del self.failures[oldest]
        else:
            self._handle(step.action, places, event)

    def _handle(self, action: Action, places: Mapping[str, Place], event: Event) -> None:
        """Note what was done with a thing. What is taken twice in an episode came from where it was at first."""
        thing = action.object
        if action.place:
            self._last(SkillCall(action.skill, SkillTarget(action.place, action.receptacle)))
        if not thing:
            return
        known = self.handled.pop(thing, SkillCall(action.skill, SkillTarget(thing, action.category)))
        if action.effect is Effect.TAKES and thing not in self.taken:
            self.taken.append(thing)
            was = places.get(thing, Place())
            known = replace(known, receptacle=SkillTarget(was.id, was.category), relation=was.relation)
        pieces = event.outcome.seen if event.outcome is not None and thing in event.removed else ()
        if pieces:
            known = replace(known, target=SkillTarget(pieces[0].id, pieces[0].category))
        self._last(replace(known, skill=action.skill))

    def _last(self, call: SkillCall) -> None:
        self.handled.pop(call.target.id, None)
        self.handled[call.target.id] = call
        if len(self.handled) > KEPT_HANDLED:
            gone_to = (
                name for name, one in self.handled.items() if deed_called(one.skill, placed=False).after == THERE
            )
            del self.handled[next(gone_to, next(iter(self.handled)))]

    def to_json(self) -> dict[str, Any]:
        """Return the episode as a JSON object that stays as it is."""
        return {
            **vars(self),
            "goals": list(self.goals),
            "code": self.code.name,
            "steps": [step.to_json() for step in self.steps],
            "failures": [[action, times] for action, times in self.failures.items()],
            "handled": [to_json(call) for call in self.handled.values()],
            "taken": list(self.taken),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Running:
        """Return the episode of a JSON object."""
        calls = [from_json(SkillCall, call) for call in data["handled"]]
        fields = {
            **data,
            "goals": tuple(data["goals"]),
            "code": Code[data["code"]],
            "steps": [Step.from_json(step) for step in data["steps"]],
            "failures": dict(data["failures"]),
            "handled": {call.target.id: call for call in calls},
        }
        return cls(**fields)


def rendered(running: Running, agent: AgentState) -> str:
    """Return what runs, or ran last, as prompt text (appendix C.1)."""
    return "\n".join(_lines(running, agent))


def _lines(running: Running, agent: AgentState) -> Iterator[str]:
    if running.ended:
        said = one_line(running.text, MESSAGE_LENGTH)
        yield f'Last instruction of this user: "{said}", {running.code.name.lower().replace("_", " ")}'
        things = [(call.target.category, call.receptacle.category) for call in running.handled.values()]
        things = things[-_TOLD_HANDLED:]
        if things:
            yield f"Handled: {', '.join(thing + (f' (was at {place})' if place else '') for thing, place in things)}"
    yield f"Working Memory (last {len(running.steps)} steps)"
    for step in running.steps:
        said = f" ({one_line(step.message, MESSAGE_LENGTH)})" if step.message and not step.done else ""
        feedback = "success" if step.done else f"{step.code.name.lower().replace('_', ' ')}{said}"
        where = " in ".join(part for part in (step.location and f"near {step.location}", step.room) if part)
        yield f"[Step {step.number}] Action: {step.action.text}, Feedback: {feedback}"
        yield (
            f"  Agent holding: {step.holding or 'nothing'}, Location: {where or 'unknown'}, "
            f"Time: {step.stamp - running.start:.1f} s"
        )
    for warning in warnings(running.steps, running.failures):
        yield f"CONSISTENCY WARNING: {warning}"
    if agent.places:
        yield f"Recently visited locations: {', '.join(agent.places)}"
    yield f"CURRENT ROBOT STATE: holding {agent.holding or 'NOTHING'}"
    yield f"Performance: success rate {running.success_rate:.0%}, actions {running.count}"
