# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Attempts as a projection, each a way through states (BrainMem, 3.2.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from karma_memory.episodic.attempts import KEPT_STEPS, Attempt, State, Transition, judges
from karma_memory.episodic.similar import KIND, record_of, similar_attempts, summary
from karma_memory.events import Event, EventKind
from karma_memory.projection import EditError
from karma_memory.recall.index import Match, Search
from karma_memory.recall.query import Query, Record
from karma_memory.scene import Node
from karma_memory.working.memory import WorkingMemory
from karma_memory.working.steps import AgentState, Step

KEPT_ATTEMPTS = 500
"""Attempts that are kept: the last ones; the journal has all."""
KEPT_THINGS = 16
"""Things whose states make a summary: the last ones that changed."""


@dataclass
class Begun:
    """What is known of the things that a running attempt is about."""

    state: State
    """Where it is now."""
    about: tuple[str, ...]
    """Categories in its goals; empty: those that its steps name."""
    things: dict[str, str] = field(default_factory=dict)
    """Id → how it is: "Fridge isOpen", "Apple in Fridge"."""


class TrajectoryMemory:
    """Every attempt, successful or not. Those of a user are that user's own."""

    kind = KIND

    def __init__(self, working: WorkingMemory) -> None:
        """`working` observes each event before this memory does."""
        self._working = working
        self._attempts: dict[str, Attempt] = {}
        self._begun: dict[str, Begun] = {}

    def attempt(self, episode: str) -> Attempt | None:
        """Return an attempt, None where it is unknown, forgotten, or too old."""
        return self._attempts.get(episode)

    def attempts(self) -> list[Attempt]:
        """Return all attempts, in the order in which they were begun."""
        return list(self._attempts.values())

    def room_kinds(self, scene: str) -> frozenset[str]:
        """Return the kinds of rooms that are known of a scene."""
        return self._working.room_kinds(scene)

    def observe(self, event: Event) -> None:
        """Take in starts, skills, ends, what people say of them, and that an episode is to be forgotten."""
        if event.kind is EventKind.EDIT and event.target.startswith("episodic:"):
            if not event.text:
                self._drop(event.target.partition(":")[2])
        elif event.kind is EventKind.EPISODE_START:
            self._start(event)
        elif (attempt := self._attempts.get(event.episode)) is None:
            return
        elif event.kind is EventKind.SKILL_OUTCOME and (step := self._working.last) is not None:
            self._step(attempt, step, event)
        elif event.kind is EventKind.EPISODE_END:
            used = tuple(name for name in event.used if name.startswith("guideline:"))
            self._attempts[attempt.id] = replace(attempt, code=event.code, meant=event.goals, used=used)
            self._begun.pop(attempt.id, None)
        elif event.kind is EventKind.FEEDBACK and judges(event, attempt.user):
            self._attempts[attempt.id] = replace(attempt, verdict=event.code)

    def recall(self, query: Query, search: Search) -> Iterable[Match]:
        """Return past attempts of similar tasks: the best ways that worked."""
        scene = query.scene or self._working.scene
        return similar_attempts(self.attempts(), query, search, scene)

    def records(self) -> list[Record]:
        """Return all that is kept."""
        return [record_of(attempt, summary(attempt)) for attempt in self._attempts.values()]

    def check_edit(self, record_id: str, text: str) -> None:
        """Refuse both: attempts are forgotten with their episodes."""
        raise EditError(f"{record_id!r} is what was done; forget the episode, 'episodic:…', instead")

    def snapshot(self) -> dict[str, Any]:
        """Return the state; see Projection."""
        begun = {
            episode: [list(begun.state), list(begun.about), [list(item) for item in begun.things.items()]]
            for episode, begun in self._begun.items()
        }
        return {"attempts": list(self._attempts.values()), "begun": begun}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        for item in state["attempts"]:
            attempt = Attempt.from_json(item)
            self._attempts[attempt.id] = attempt
        for episode, (place, about, things) in state["begun"].items():
            self._begun[episode] = Begun(State(*place), tuple(about), dict(things))

    def _start(self, event: Event) -> None:
        if event.episode in self._attempts:
            return
        attempt = Attempt(
            event.episode,
            event.id,
            event.text,
            event.user,
            event.scene,
            event.stamp,
            event.goals,
            retry_of=event.retry_of,
        )
        self._attempts[attempt.id] = attempt
        agent = self._working.agent(event.robot)
        about = tuple(dict.fromkeys(name for goal in attempt.parsed for one in goal.things for name in one.categories))
        begun = Begun(State("", ""), about)
        self._begun[attempt.id] = replace(begun, state=_state(agent, begun))
        if len(self._attempts) > KEPT_ATTEMPTS:
            most, _ = Counter(one.user for one in self._attempts.values()).most_common(1)[0]
            self._drop(next(one.id for one in self._attempts.values() if one.user == most))

    def _step(self, attempt: Attempt, step: Step, event: Event) -> None:
        begun = self._begun.get(attempt.id)
        if begun is None or event.outcome is None:
            return
        before = begun.state
        for node in {node.id: node for node in (*event.outcome.seen, *event.nodes)}.values():
            self._note(begun, node, step, event)
        for gone in event.removed:
            begun.things.pop(gone, None)
        begun.state = _state(self._working.agent(event.robot), begun)
        made = Transition(before, begun.state, step.action, step.code, step.message, step.before, step.room)
        self._attempts[attempt.id] = replace(attempt, steps=(*attempt.steps, made)[-KEPT_STEPS:])

    def _note(self, begun: Begun, node: Node, step: Step, event: Event) -> None:
        """Note how a thing is that the attempt is about, or that it handles on the way: the slices of the apple."""
        handled = (step.action.category,) if begun.about else (step.action.category, step.action.receptacle)
        if node.category not in (*begun.about, *handled):
            return
        begun.things.pop(node.id, None)
        if text := self._working.described(node, event):
            begun.things[node.id] = text
            for oldest in list(begun.things)[:-KEPT_THINGS]:
                del begun.things[oldest]

    def _drop(self, episode: str) -> None:
        self._attempts.pop(episode, None)
        self._begun.pop(episode, None)


def _state(agent: AgentState, begun: Begun) -> State:
    held = f"holding {agent.holding}" if agent.holding else "holding nothing"
    return State(agent.room, "; ".join([held, *sorted(set(begun.things.values()))]))
