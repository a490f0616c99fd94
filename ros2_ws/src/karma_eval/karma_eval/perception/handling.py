# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Things that are carried, and shut in: robot and people handle some, and each scene graph says where they are."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from karma_eval.perception.scoring import NEAR, match
from karma_eval.perception.stage import Stage
from karma_perception.scene_graph import Layer, Node
from sim_bridge.backend import Code, Outcome, Skill, Target
from sim_bridge.household.interactions import set_open
from sim_bridge.household.placement import refusal

KINDS = ("held", "placed", "inside")
"""What is judged.

`held`: while a thing is carried, the node that stood for it before is the one in the gripper, and no other is.
`placed`: put down and seen there, that node is where the thing is, and on or in what it was put on.
`inside`: of things that robot or people put into what is closed then, and that were seen in there before, a node of
their class is in that receptacle's, where they are, when all is done.
"""


@dataclass(frozen=True)
class Handled:
    """How often a scene graph told what became of the things that were handled."""

    tried: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    right: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    wrong: tuple[str, ...] = ()
    """What the graph said instead, for people."""


def handle_things(stage: Stage, pipelines: Sequence[str]) -> dict[str, Handled]:
    """Let the robot carry things, and robot and people shut things in; return what each pipeline made of it."""
    hands = _Hands(stage, pipelines)
    for _ in range(stage.options.handled):
        hands.carry()
    for _ in range(stage.options.handled):
        hands.shut_in(hands.robot_puts)
        hands.shut_in(hands.person_puts)
    return hands.judged()


class _Hands:
    """Robot's and people's. What turns out not to be possible (no way there, no room left) is left out."""

    def __init__(self, stage: Stage, pipelines: Sequence[str]) -> None:
        self._stage, self._pipelines = stage, pipelines
        self._match()
        self._world = stage.backend.world
        self._chance = random.Random(f"hands {stage.options.seed} {stage.backend.scene}")  # noqa: S311
        self._marks: dict[str, list[tuple[str, bool, str]]] = {pipeline: [] for pipeline in pipelines}
        self._inside: list[tuple[str, str]] = []
        """Things and the receptacles that hold them, which are closed now."""
        world = self._world
        self._things = self._visible(lambda n: world.specs[n].movable and not world.children(n))
        self._lids = self._visible(lambda n: not world.specs[n].movable and world.hides(n))

    def carry(self) -> None:
        """Let the robot carry a thing to other furniture."""
        world = self._world
        open_places = self._visible(self._stage.is_surface)
        found = self._pick(lambda thing: [p for p in open_places if p != world.parents[thing]])
        if found is None:
            return
        thing, place = found
        self._do("GoToObject", place)
        self._judge("held", thing, lambda node, _: node.relation == "held")
        if self._do("PutObject", place).code != Code.SUCCESS:
            self._stage.run(Skill("ThrowObject"))
            return
        self._look_around()
        target = self._stage.truth.targets().get(thing)
        if target is not None and target.visible:
            center = (target.low + target.high) / 2
            self._judge("placed", thing, lambda node, holds: _is_at(node, center) and node.receptacle == holds)

    def shut_in(self, put: Callable[[], tuple[str, str] | None]) -> None:
        """Have a thing put into something that is then closed; it counts when it was seen in there."""
        done = put()
        if done is None:
            return
        thing, lid = done
        seen = self._stage.truth.targets().get(thing)
        if self._world.is_(lid, "isOpen"):
            set_open(self._world, lid, False)
        self._look_around()
        if seen is not None and seen.visible:
            self._inside.append((thing, lid))

    def robot_puts(self) -> tuple[str, str] | None:
        """Let the robot put a thing into something closed, and close it."""
        found = self._pick(lambda _: self._lids)
        if found is None:
            return None
        thing, lid = found
        self._lids.remove(lid)
        self._do("GoToObject", lid)
        self._do("OpenObject", lid)
        if self._do("PutObject", lid).code != Code.SUCCESS:
            self._stage.run(Skill("ThrowObject"))
            return None
        self._do("CloseObject", lid)
        return thing, lid

    def person_puts(self) -> tuple[str, str] | None:
        """Let a person put a thing into something, and the robot have a look before it is closed."""
        for thing in self._things:
            for lid in self._lids:
                if not refusal(self._world, thing, lid) and self._stage.move(thing, [lid]):
                    self._things.remove(thing)
                    self._lids.remove(lid)
                    set_open(self._world, lid, True)
                    self._do("GoToObject", lid)
                    self._look_around()
                    return thing, lid
        return None

    def judged(self) -> dict[str, Handled]:
        """Judge what is shut in, now that all is done; return every judgement."""
        self._match()
        for thing, lid in self._inside:
            for pipeline, matching in self._matched.items():
                holds = matching.nodes.get(lid, "-")
                box, category = self._world.boxes[thing], self._world.category(thing)
                held = [
                    n
                    for n in self._stage.perceivers[pipeline].graph().nodes.values()
                    if n.receptacle == holds and n.relation == "in"
                ]
                right = any(n.category == category and _is_at(n, np.array(box.center), 2 * NEAR) for n in held)
                said = ", ".join(n.id for n in held) or "nothing"
                self._marks[pipeline].append(("inside", right, f"inside: {thing} in {holds}, which holds {said}"))
        return {
            pipeline: Handled(
                tried={k: sum(kind == k for kind, _, _ in marks) for k in KINDS},
                right={k: sum(kind == k and right for kind, right, _ in marks) for k in KINDS},
                wrong=tuple(about for _, right, about in marks if not right),
            )
            for pipeline, marks in self._marks.items()
        }

    def _pick(self, places: Callable[[str], list[str]]) -> tuple[str, str] | None:
        """Let the robot take the first thing that it can into its gripper; return it and where it is to go."""
        for thing in list(self._things):
            fitting = [p for p in places(thing) if not refusal(self._world, thing, p)]
            if not fitting or self._world.closed_around(thing):
                continue
            self._things.remove(thing)
            if self._do("GoToObject", thing).code != Code.SUCCESS:
                continue
            self._match()  # who is who may have turned out on the way
            if self._do("PickupObject", thing).code == Code.SUCCESS:
                return thing, self._chance.choice(fitting)
        return None

    def _match(self) -> None:
        """Find out which node is which thing now."""
        targets = self._stage.truth.targets().values()
        graphs = {pipeline: self._stage.perceivers[pipeline].graph() for pipeline in self._pipelines}
        self._matched = {pipeline: match(graph.layer(Layer.OBJECT), targets) for pipeline, graph in graphs.items()}

    def _do(self, skill: str, name: str) -> Outcome:
        target = Target(name, position=self._world.boxes[name].center)
        if skill == "PutObject":
            return self._stage.run(Skill(skill, receptacle=target))
        return self._stage.run(Skill(skill, target))

    def _look_around(self) -> None:
        """Let the robot turn around where it stands."""
        pose = self._stage.backend.robot.pose
        self._stage.run(Skill("Explore", positions=((pose.x, pose.y, pose.z),)))

    def _visible(self, fits: Callable[[str], bool]) -> list[str]:
        """Return the objects that fit, have been seen well, and are in every graph, in random order."""
        seen = self._stage.visible()
        everywhere = [n for n in self._world if all(n in m.nodes for m in self._matched.values())]
        names = [n for n in everywhere if n in seen and fits(n)]
        self._chance.shuffle(names)
        return names

    def _judge(self, kind: str, thing: str, right: Callable[[Node, str], bool]) -> None:
        """Note whether each pipeline is right about the node that stood for a thing, and the node of what holds it."""
        for pipeline, matching in self._matched.items():
            graph, nodes = self._stage.perceivers[pipeline].graph(), matching.nodes
            holds = nodes.get(self._world.parents[thing], "-")
            node = graph.nodes.get(nodes.get(thing, "-"))
            said = "no node" if node is None else f"{node.id} {node.relation} {node.receptacle}, at {node.center}"
            alone = kind != "held" or sum(n.relation == "held" for n in graph.nodes.values()) == 1
            fits = node is not None and alone and right(node, holds)
            self._marks[pipeline].append((kind, fits, f"{kind}: {thing}, {holds}: {said}"))


def _is_at(node: Node, place: NDArray[np.float64], near: float = NEAR) -> bool:
    return float(np.linalg.norm(np.array(node.center) - place)) <= near
