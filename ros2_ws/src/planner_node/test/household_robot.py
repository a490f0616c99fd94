# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The household simulator in this process as the planner's robot, and a memory that remembers what it is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from no_memory import NoMemory

from planner_node.memory import Event, EventKind, Recall, Recollection, SceneGraph
from planner_node.skills import Code, Node, Outcome, SkillCall, SkillParameter, SkillSpec, SkillTable
from sim_bridge import backend as sim
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.skills import SKILLS


class HouseholdRobot:
    """Adapter from the simulator's types to the planner's. Counts the calls."""

    def __init__(self, backend: HouseholdBackend) -> None:
        self.backend = backend
        self.calls: list[SkillCall] = []

    def skills(self) -> SkillTable:
        return SkillTable(
            [
                SkillSpec(
                    s.name,
                    s.description,
                    tuple(SkillParameter(p.name, p.type, p.required, p.choices, p.description) for p in s.parameters),
                    s.preconditions,
                    s.effects,
                    s.irreversible,
                )
                for s in SKILLS.values()
            ]
        )

    def execute(self, call: SkillCall, on_feedback: Callable[[str], None], cancelled: Callable[[], bool]) -> Outcome:
        self.calls.append(call)
        skill = sim.Skill(
            call.skill,
            sim.Target(call.target.id, call.target.category, call.target.position),
            sim.Target(call.receptacle.id, call.receptacle.category, call.receptacle.position),
            call.relation,
            call.positions,
            call.duration,
        )
        running = self.backend.run(skill)
        for item in running:
            if isinstance(item, sim.Outcome):
                return Outcome(
                    call,
                    Code(int(item.code)),
                    item.message,
                    tuple(as_node(s, self.backend.robot.clock) for s in item.seen),
                    item.explore_steps,
                    item.duration,
                    item.distance,
                    self.backend.robot.clock,
                )
            on_feedback(item.step)
            if cancelled():
                running.close()
                return Outcome(call, Code.CANCELED, "stopped")
        raise AssertionError("no outcome")


def as_node(seen: sim.SeenObject, stamp: float) -> Node:
    return Node(
        seen.id,
        seen.category,
        position=seen.center,
        size=seen.size,
        movable=seen.movable,
        receptacle=seen.receptacle,
        relation=seen.relation,
        states=dict(seen.states),
        last_seen=stamp,
    )


class DictMemory(NoMemory):
    """Remembers the last state of every object that an event showed, and the furniture of the scene."""

    def __init__(self, furniture: Sequence[Node] = ()) -> None:
        super().__init__()
        self.nodes: dict[str, Node] = {}
        self.furniture = {node.id: node for node in furniture}
        self.scenes_asked: set[str] = set()

    def recall(self, query: str, user: str = "", scene: str = "", limit: int = 0, kinds: Sequence[str] = ()) -> Recall:
        self.scenes_asked.add(scene)
        if list(kinds) == ["episodic"]:
            begun = [e for e in self.events if e.kind is EventKind.EPISODE_START and e.user in ("", user)]
            return Recall(tuple(Recollection("episodic", f"episodic:{e.episode}", e.text) for e in begun))
        return Recall(
            tuple(
                Recollection("short_term", f"st/{n.id}", f"{n.category} at {n.receptacle}", object=n)
                for n in self.nodes.values()
            )
        )

    def scene_graph(self) -> SceneGraph:
        return SceneGraph("test", tuple(self.furniture.values()))

    def remember(self, events: Sequence[Event]) -> bool:
        for event in events:
            self.events.append(event)
            if event.kind is EventKind.SKILL_OUTCOME:
                for gone in event.removed:
                    self.nodes.pop(gone, None)
                self.nodes.update({node.id: node for node in event.nodes if node.movable})
        return True
