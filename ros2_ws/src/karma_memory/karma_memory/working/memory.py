# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Working memory as a projection: a sliding window over the running episode of each robot (BrainMem, section 3.2.1)."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from karma_memory.events import Code, Event, EventKind, SkillTarget
from karma_memory.projection import EditError
from karma_memory.recall.index import Match, Search
from karma_memory.recall.prompt import one_line
from karma_memory.recall.query import Query, Record, visible
from karma_memory.scene import Layer, Node
from karma_memory.scene_graph.long_term import LongTermMemory
from karma_memory.working.actions import Action
from karma_memory.working.consistency import MESSAGE_LENGTH, warnings
from karma_memory.working.steps import AgentState, Step

KIND = "working"
WINDOW = 5
"""Steps that are kept: W of BrainMem (appendix C.5, "last 5 actions")."""
KEPT_FAILURES = 32
"""Calls of an episode whose failures are counted: the last ones."""
KEPT_ROBOTS = 64
"""Robots whose state is kept: the last ones."""
KEPT_TEXT = 200
"""Characters of a message that stay at hand."""


@dataclass
class Running:
    """An episode that runs."""

    episode: str
    source: str
    user: str
    scene: str
    start: float
    """Seconds, the robot's clock."""
    steps: list[Step] = field(default_factory=list)
    """The last WINDOW."""
    count: int = 0
    successes: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    """Text of an action → failures since it last succeeded."""

    @property
    def success_rate(self) -> float:
        """Share of the steps that succeeded, 0..1; 1 before the first."""
        return self.successes / self.count if self.count else 1.0

    def add(self, step: Step) -> None:
        """Take in a step."""
        self.steps = [*self.steps, step][-WINDOW:]
        self.count += 1
        self.successes += step.done
        before = self.failures.pop(step.action.text, 0)
        if not step.done:
            self.failures[step.action.text] = before + 1
            for oldest in list(self.failures)[:-KEPT_FAILURES]:
                del self.failures[oldest]

    def to_json(self) -> dict[str, Any]:
        """Return the episode as a JSON object that stays as it is."""
        failures = [[action, times] for action, times in self.failures.items()]
        return {**vars(self), "steps": [step.to_json() for step in self.steps], "failures": failures}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Running:
        """Return the episode of a JSON object."""
        steps = [Step.from_json(step) for step in data["steps"]]
        return cls(**{**data, "steps": steps, "failures": dict(data["failures"])})


class WorkingMemory:
    """What each robot is doing. It knows nothing where no episode runs, and is asked for by its kind alone."""

    kind = KIND

    def __init__(self, long_term: LongTermMemory) -> None:
        self._long_term = long_term
        self._agents: dict[str, AgentState] = {}
        """Robot → its state, the last changed last."""
        self._running: dict[str, Running] = {}
        """Robot → its episode."""
        self.last: Step | None = None
        """The step that the event observed last was; None where it was none."""

    def running(self, robot: str) -> Running | None:
        """Return the episode that a robot is at; None where there is none."""
        return self._running.get(robot)

    def agent(self, robot: str) -> AgentState:
        """Return the state of a robot."""
        return self._agents.get(robot, AgentState())

    @property
    def scene(self) -> str:
        """Where the robots are, as far as is known."""
        return self._long_term.current_scene

    def room_kinds(self, scene: str) -> frozenset[str]:
        """Return the kinds of rooms that are known of a scene."""
        graph = self._long_term.graph(scene)
        return frozenset(room.category for room in graph.nodes(Layer.ROOM)) if graph is not None else frozenset()

    def observe(self, event: Event) -> None:
        """Take in starts, skills and ends. Skills outside an episode change the robot's state only."""
        self.last = None
        if event.kind is EventKind.EPISODE_START:
            self._running[event.robot] = Running(event.episode, event.id, event.user, event.scene, event.stamp)
            self._note(event.robot, self.agent(event.robot))
        elif event.kind is EventKind.SKILL_OUTCOME and event.outcome is not None:
            self._step(event)
        elif event.kind is EventKind.EPISODE_END:
            self._end(event.episode)
        elif event.kind is EventKind.EDIT and not event.text and event.target.startswith("episodic:"):
            self._end(event.target.partition(":")[2])

    def recall(self, query: Query, search: Search) -> Iterable[Match]:
        """Return what runs, of this user or nobody in particular."""
        for robot, running in self._running.items():
            record = Record(
                id=f"{KIND}:{running.episode}",
                kind=KIND,
                text=rendered(running, self.agent(robot)),
                label=KIND,
                source=running.source,
                valid_from=running.start,
                user=running.user,
                scene=running.scene,
            )
            if visible(record, query) and query.scene in ("", running.scene):
                yield Match(record, 1.0, "the running episode")

    def check_edit(self, record_id: str, text: str) -> None:
        """Refuse both: it passes by itself."""
        raise EditError(f"{record_id!r} is what the robot is doing now; it ends with the instruction")

    def snapshot(self) -> dict[str, Any]:
        """Return the state; see Projection."""
        return {
            "agents": [[robot, agent.to_json()] for robot, agent in self._agents.items()],
            "running": [[robot, running.to_json()] for robot, running in self._running.items()],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        self._agents = {robot: AgentState.from_json(data) for robot, data in state["agents"]}
        self._running = {robot: Running.from_json(data) for robot, data in state["running"]}

    def _step(self, event: Event) -> None:
        outcome = event.outcome
        assert outcome is not None
        agent = self.agent(event.robot)
        action = Action.of(outcome.call, lambda target: self.category(event, target), agent.held)
        after = agent.after(event, action, self._room(event.scene, action))
        running = self._running.get(event.robot)
        self._note(event.robot, after)
        runs = running is not None and bool(event.episode) and running.episode == event.episode
        seen = sorted(node.id for node in outcome.seen)
        self.last = Step(
            running.count + 1 if running is not None and runs else 0,
            action,
            Code(outcome.code),
            one_line(outcome.message, KEPT_TEXT),
            agent.holding,
            after.holding,
            after.location,
            after.room_kind,
            event.stamp,
            zlib.crc32("\0".join(seen).encode()) if seen else 0,
        )
        if running is not None and runs:
            running.add(self.last)

    def category(self, event: Event, target: SkillTarget) -> str:
        """Return what kind of thing a target is: as said, as seen, as known, or as ids of KARMA begin."""
        if target.category or not target.id:
            return target.category
        graph = self._long_term.graph(event.scene)
        seen = event.outcome.seen if event.outcome is not None else ()
        node = next((node for node in (*event.nodes, *seen) if node.id == target.id), None)
        node = node or (graph.node(target.id) if graph is not None else None)
        return node.category if node is not None else target.id.partition("|")[0].rpartition("/")[2]

    def described(self, node: Node, event: Event) -> str:
        """Return how a thing is: what is true of it, and on or in what kind of thing it is; "" for nothing to say."""
        states = [
            key if value == "true" else f"{key}={value}"
            for key, value in sorted(node.states.items())
            if value not in ("", "false")
        ]
        if node.movable and node.receptacle and node.relation != "held":
            states.append(f"{node.relation or 'on'} {self.category(event, SkillTarget(node.receptacle))}")
        return f"{node.category} {', '.join(states)}" if states else ""

    def _room(self, scene: str, action: Action) -> tuple[str, str]:
        """Return id and category of the room of what an action is about, as far as the scene graph knows.

        Where there is but one room, it is that.
        """
        graph = self._long_term.graph(scene)
        rooms = list(graph.nodes(Layer.ROOM)) if graph is not None else []
        if len(rooms) == 1:
            return rooms[0].id, rooms[0].category
        for node_id in (action.place, action.object) if graph is not None else ():
            if node_id and graph is not None and (node := graph.node(node_id)) is not None:
                room = graph.room_of(node)
                return (room.id, room.category) if room is not None else ("", "")
        return "", ""

    def _note(self, robot: str, agent: AgentState) -> None:
        self._agents.pop(robot, None)
        self._agents[robot] = agent
        if len(self._agents) > KEPT_ROBOTS:
            oldest = next(iter(self._agents))
            del self._agents[oldest]
            self._running.pop(oldest, None)

    def _end(self, episode: str) -> None:
        for robot in [robot for robot, running in self._running.items() if running.episode == episode]:
            del self._running[robot]


def rendered(running: Running, agent: AgentState) -> str:
    """Return what runs as prompt text (appendix C.1)."""
    return "\n".join(_lines(running, agent))


def _lines(running: Running, agent: AgentState) -> Iterator[str]:
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
