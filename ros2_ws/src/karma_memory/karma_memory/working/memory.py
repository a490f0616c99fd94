# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Working memory as a projection: a sliding window over the running episode of each robot (BrainMem, section 3.2.1)."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any

from karma_memory.events import Code, Event, EventKind, SkillCall, SkillTarget
from karma_memory.projection import EditError
from karma_memory.recall.index import Match, Search
from karma_memory.recall.prompt import one_line
from karma_memory.recall.query import Handled, Query, Record, Task, visible
from karma_memory.scene import Layer, Node, Point
from karma_memory.scene_graph.long_term import LongTermMemory
from karma_memory.working.actions import Action
from karma_memory.working.episode import Place, Running, rendered
from karma_memory.working.steps import AgentState, Step

KIND = "working"
KEPT_ROBOTS = 64
"""Robots whose state is kept: the last ones."""
KEPT_EPISODES = 256
"""Episodes that are kept, one for each robot and user: those begun last."""
KEPT_PLACES = 64
"""Things of which each robot keeps where it saw them last."""
HOLDS = "hold"
"""In place of a skill, of what is held."""
FADES = 1800.0
"""Seconds after which what was asked for last is out of mind: "it" may mean anything then."""
KEPT_TEXT = 200
"""Characters of a message that stay at hand."""


class WorkingMemory:
    """What each robot is doing, and did last for each user in the scene where it is. Asked for by its kind alone."""

    kind = KIND

    def __init__(self, long_term: LongTermMemory) -> None:
        self._long_term = long_term
        self._agents: dict[str, AgentState] = {}
        """Robot → its state, the last changed last."""
        self._episodes: dict[tuple[str, str], Running] = {}
        """Robot and user → the episode that runs, or the last one; the last begun last."""
        self._current: dict[str, str] = {}
        """Robot → id of the episode that runs."""
        self._places: dict[str, dict[str, Place]] = {}
        """Robot → id of a thing that can be carried → where it saw it last."""
        self.last: Step | None = None
        """The step that the event observed last was; None where it was none."""

    def running(self, robot: str) -> Running | None:
        """Return the episode that a robot is at; None where there is none."""
        return self._episode(self._current[robot]) if robot in self._current else None

    def agent(self, robot: str) -> AgentState:
        """Return the state of a robot."""
        return self._agents.get(robot, AgentState())

    def last_active(self, scene: str) -> AgentState | None:
        """Return the state of the robot that did something last in a scene; None where none did."""
        return next((agent for agent in reversed(self._agents.values()) if scene in ("", agent.scene)), None)

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
        if event.kind in (EventKind.EPISODE_START, EventKind.SKILL_OUTCOME):
            self._enter(event.robot, event.scene)
        if event.kind is EventKind.EPISODE_START:
            self._start(event)
        elif event.kind is EventKind.SKILL_OUTCOME and event.outcome is not None:
            self._step(event)
        elif event.kind is EventKind.EPISODE_END:
            self._end(event)
        elif event.kind is EventKind.EDIT and not event.text and event.target.startswith("episodic:"):
            self._forget(event.target.partition(":")[2])

    def recall(self, query: Query, search: Search) -> Iterable[Match]:
        """Return what runs or ran last for this very user (for nobody in particular without one), and what is held."""
        now = query.at or query.now or max((running.last for running in self._episodes.values()), default=0.0)
        for (robot, user), running in self._episodes.items():
            record = self._record(robot, running)
            known = user == query.user and now - running.last <= FADES
            if known and visible(record, query) and query.scene in ("", running.scene):
                yield Match(record, 1.0, "the last episode" if running.ended else "the running episode")
        for robot, agent in self._agents.items():
            if agent.holding and query.scene in ("", agent.scene):
                record = _record_of_held(robot, agent)
                if visible(record, query):
                    yield Match(record, 1.0, "what is held")

    def records(self) -> list[Record]:
        """Return all that is kept: of every user the last episode, however long ago, and what each robot holds."""
        episodes = [self._record(robot, running) for (robot, _), running in self._episodes.items()]
        return episodes + [_record_of_held(robot, agent) for robot, agent in self._agents.items() if agent.holding]

    def check_edit(self, record_id: str, text: str) -> None:
        """Refuse both: it passes by itself."""
        raise EditError(f"{record_id!r} is what the robot is doing now; it ends with the instruction")

    def snapshot(self) -> dict[str, Any]:
        """Return the state; see Projection."""
        return {
            "agents": [[robot, agent.to_json()] for robot, agent in self._agents.items()],
            "running": [[robot, running.to_json()] for (robot, _), running in self._episodes.items()],
            "current": [[robot, episode] for robot, episode in self._current.items()],
            "places": [[robot, [[name, *p] for name, p in places.items()]] for robot, places in self._places.items()],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        self._agents = {robot: AgentState.from_json(data) for robot, data in state["agents"]}
        episodes = [(robot, Running.from_json(data)) for robot, data in state["running"]]
        self._episodes = {(robot, running.user): running for robot, running in episodes}
        self._current = dict(state["current"])
        self._places = {robot: {name: Place(*place) for name, *place in places} for robot, places in state["places"]}

    def _record(self, robot: str, running: Running) -> Record:
        return Record(
            id=f"{KIND}:{running.episode}",
            kind=KIND,
            text=rendered(running, self.agent(robot)),
            label=KIND,
            source=running.source,
            valid_from=running.start,
            user=running.user,
            scene=running.scene,
            task=Task(running.text, running.goals, running.code is Code.SUCCESS),
            handled=Handled(robot, tuple(running.handled.values())),
        )

    def _enter(self, robot: str, scene: str) -> None:
        """Keep nothing of another scene."""
        agent = self.agent(robot)
        if (here := agent.within(scene)) is agent:
            return
        self._note(robot, here)
        if agent.scene:
            self._places.pop(robot, None)
            self._current.pop(robot, None)
            for key in [key for key in self._episodes if key[0] == robot]:
                del self._episodes[key]

    def _start(self, event: Event) -> None:
        before = self._episodes.pop((event.robot, event.user), None)
        if before is not None and event.stamp - before.last > FADES:
            before = None
        self._episodes[event.robot, event.user] = Running.begun(event, before)
        self._current[event.robot] = event.episode
        self._note(event.robot, self.agent(event.robot))
        for oldest in list(self._episodes)[:-KEPT_EPISODES]:
            del self._episodes[oldest]

    def _step(self, event: Event) -> None:
        outcome = event.outcome
        assert outcome is not None
        agent = self.agent(event.robot)
        action = Action.of(outcome.call, lambda target: self.category(event, target), agent.held)
        after = agent.after(event, action, self._room(event.scene, action, outcome.position))
        running = self._episode(event.episode)
        self._note(event.robot, after)
        seen = sorted(node.id for node in outcome.seen)
        self.last = Step(
            running.count + 1 if running is not None else 0,
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
        places = self._places.setdefault(event.robot, {})
        if running is not None:
            running.add(self.last, places, event)
        self._see(event, places)

    def _see(self, event: Event, places: dict[str, Place]) -> None:
        """Note where things are that a skill has shown or moved."""
        seen = event.outcome.seen if event.outcome is not None else ()
        for node in (*seen, *event.nodes):
            if node.movable and node.receptacle and node.relation != "held":
                category = self.category(event, SkillTarget(node.receptacle))
                places.pop(node.id, None)
                places[node.id] = Place(node.receptacle, category, node.relation)
        for oldest in list(places)[:-KEPT_PLACES]:
            del places[oldest]

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

    def _room(self, scene: str, action: Action, position: Point | None) -> tuple[str, str]:
        """Return id and category of the room at a position, or of what an action is about, as far as the graph knows.

        Where there is but one room, it is that.
        """
        graph = self._long_term.graph(scene)
        rooms = list(graph.nodes(Layer.ROOM)) if graph is not None else []
        if len(rooms) == 1:
            return rooms[0].id, rooms[0].category
        if graph is not None and position is not None and (there := graph.room_at(position)) is not None:
            return there.id, there.category
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
            self._places.pop(oldest, None)
            self._current.pop(oldest, None)

    def _episode(self, episode: str) -> Running | None:
        """Return an episode that is kept; None for none, and for what belongs to none."""
        return next((r for r in self._episodes.values() if r.episode == episode), None) if episode else None

    def _end(self, event: Event) -> None:
        self._current = {robot: episode for robot, episode in self._current.items() if episode != event.episode}
        if (running := self._episode(event.episode)) is not None:
            running.ended = running.last = event.stamp
            running.code = Code(event.code)

    def _forget(self, episode: str) -> None:
        self._current = {robot: running for robot, running in self._current.items() if running != episode}
        self._episodes = {key: running for key, running in self._episodes.items() if running.episode != episode}


def _record_of_held(robot: str, agent: AgentState) -> Record:
    call = SkillCall(HOLDS, SkillTarget(*agent.held))
    text = f"The robot holds the {agent.holding}."
    return Record(f"{KIND}:holds:{robot}", KIND, text, KIND, agent.source, agent.since, handled=Handled(robot, (call,)))
