# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that use the arm, by the calls of the table, and Wait."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import replace
from typing import Any

from sim_bridge.backend import Code, Outcome, Point, Progress, RefusedError, SeenObject, Skill, Target
from sim_bridge.robot.approach import across, holding_point, nearest_point, resting_place
from sim_bridge.robot.body import Body
from sim_bridge.robot.looking import approach, unseen
from sim_bridge.robot.perceived import Layer, Node
from sim_bridge.robot.table import COMPOSED
from sim_bridge.simulation.body import Moving, Running
from sim_bridge.skills import SKILLS
from sim_bridge.targets import category_of, named

_MAKES = {
    "OpenObject": ("isOpen", "true"),
    "CloseObject": ("isOpen", "false"),
    "SwitchOn": ("isToggled", "true"),
    "SwitchOff": ("isToggled", "false"),
    "ToggleOn": ("isToggled", "true"),
    "ToggleOff": ("isToggled", "false"),
}
"""Skill → the state that it brings about."""
_PIECES = 0.6
"""Metres around what was cut or broken in which something new is a piece of it."""


def handle(body: Body, skill: Skill) -> Running:
    """Run a skill of the arm that acts on something."""
    _require_hand(body, skill)
    node = yield from _at_hand(body, skill.target)
    before = {node.id for node in body.perceived}
    thing = node.seen if node is not None else unseen(skill.target)
    yield from _refuse_what_is_so_already(body, skill.name, thing)
    yield from _make_calls(body, skill, _about("target", thing, body))
    if skill.name == "PickupObject":
        body.held = None if body.dry_run else replace(thing, receptacle="", relation="held")
        return Outcome(Code.SUCCESS, "", (body.held,) if body.held is not None else ())
    return (yield from _report(body, skill, thing, before))


def _refuse_what_is_so_already(body: Body, skill: str, thing: SeenObject) -> Moving:
    """Refuse to open, close or switch what is seen now to be so: on many appliances, pressing again undoes it."""
    if not _is_so(skill, thing):
        return
    now, _ = yield from _look_after(body, thing.id, thing.center)
    if body.dry_run or (now is not None and _is_so(skill, now.seen)):
        state, value = _MAKES[skill]
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{thing.id} has {state} {value} already")


def _is_so(skill: str, thing: SeenObject) -> bool:
    """Whether a thing shows the state that a skill brings about."""
    state, value = _MAKES.get(skill, ("", ""))
    return bool(state) and thing.states.get(state) == value


def put(body: Body, skill: Skill) -> Running:
    """Put what is held on or in the receptacle, or near it."""
    _require_hand(body, skill)
    node = yield from _at_hand(body, skill.receptacle)
    reference = node if node is not None else Node(unseen(skill.receptacle))
    if reference.seen.states.get("isOpen") == "false" and skill.relation != "near":
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{reference.id} is closed: open it first")
    place, receptacle = _place(body, reference, skill.relation)
    hand = (place[0], place[1], place[2] + (body.held.size[2] / 2 if body.held is not None else 0.0))
    values = {
        **_about("receptacle", reference.seen, body),
        **_point("place", place, body.table.map_frame),
        **_point("place", hand, body.table.map_frame, "hand_"),
    }
    yield from _make_calls(body, skill, values)
    held, body.held = body.held, None if not body.dry_run else body.held
    if held is None or body.dry_run:
        return Outcome(Code.SUCCESS)
    seen, lacking = yield from _look_after(body, held.id, place)
    shown = [n.seen for n in (seen, receptacle) if n is not None]
    message = "; ".join(filter(None, (f"{held.id} is at {receptacle.id}", lacking)))
    return Outcome(Code.SUCCESS, message, tuple(shown))


def _place(body: Body, reference: Node, relation: str) -> tuple[Point, Node]:
    """Return where the bottom of what is held is to come, and what holds it then."""
    receptacle, lying = reference, body.perceived.contents(reference.id)
    robot, reach = body.pose(), body.reach
    if relation != "near":
        return resting_place(body.held, reference, lying, robot, reach), reference
    under = body.perceived.get(reference.seen.receptacle)
    receptacle = under if under is not None else reference
    size = body.held.size if body.held is not None else (0.1, 0.1, 0.1)
    away = max(reference.seen.size[:2]) / 2 + max(size[:2]) / 2 + 0.05
    (x, y, _), low = reference.center, reference.seen.center[2] - reference.seen.size[2] / 2
    sides = [(x + away * math.cos(k * math.tau / 8), y + away * math.sin(k * math.tau / 8), low) for k in range(8)]
    on_it = [p for p in sides if under is None or across(under.seen, p[0], p[1]) == 0.0] or sides
    return min(on_it, key=lambda p: math.dist(p[:2], (robot.x, robot.y))), receptacle


def throw(body: Body, skill: Skill) -> Running:
    """Throw what is held, ahead."""
    _require_hand(body, skill)
    yield from _make_calls(body, skill, {})
    if not body.dry_run:
        body.held = None
    return Outcome(Code.SUCCESS)


def pick(body: Body, skill: Skill) -> Running:
    """Drive to the target and take it into the gripper."""
    _require_hand(body, skill)
    node = yield from approach(body, skill.target)
    target = Target(node.id) if node is not None else skill.target
    return (yield from handle(body, replace(skill, name=COMPOSED["Pick"], target=target)))


def place(body: Body, skill: Skill) -> Running:
    """Drive to the receptacle and put down what is held."""
    _require_hand(body, skill)
    held, target = body.held, skill.target
    category = category_of(target)
    if held is not None and (target.id or category) and held.id != target.id and held.category != category:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"the gripper holds {held.id}, not {named(target)}")
    node = yield from approach(body, skill.receptacle)
    receptacle = Target(node.id) if node is not None else skill.receptacle
    return (yield from put(body, replace(skill, name=COMPOSED["Place"], receptacle=receptacle)))


def wait(body: Body, skill: Skill) -> Running:
    """Let time pass."""
    yield from body.hold_still("waiting", skill.duration)
    return Outcome(Code.SUCCESS)


def _require_hand(body: Body, skill: Skill) -> None:
    """Refuse what the gripper is full or empty for, as the skill table has it."""
    needs = SKILLS[skill.name].preconditions
    if "handempty()" in needs and body.held is not None:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"the gripper holds {body.held.id}: put it down first")
    if any(need in ("holding(?)", "holding(target)") for need in needs) and body.held is None and not body.dry_run:
        raise RefusedError(Code.PRECONDITION_FAILURE, "the gripper is empty: pick something up first")


def _at_hand(body: Body, target: Target) -> Generator[Progress, None, Node | None]:
    """Return what is to be handled, in reach and faced (None in a dry run that knows nothing of it)."""
    node = yield from body.known_by_now(target, f"looking for {named(target)}")
    if node is None:
        if body.dry_run and target.position is not None:
            return None
        raise RefusedError(Code.NOT_FOUND, f"no {named(target)} was seen here: go to it or explore first")
    robot = body.pose()
    away = across(node.seen, robot.x, robot.y)
    if body.table.drive is not None:
        if away > body.reach and not body.dry_run:
            raise RefusedError(
                Code.PRECONDITION_FAILURE,
                f"{node.id} is {away:.1f} m away and the arm reaches {body.reach} m: go to it first",
            )
        if away > 0.0:
            yield from body.turn_to(nearest_point(node.seen, robot.x, robot.y), f"turning to {node.id}")
    return node


def _make_calls(body: Body, skill: Skill, values: dict[str, Any]) -> Moving:
    values = {
        **values,
        "relation": skill.relation,
        "duration": skill.duration,
        "limits.speed": body.table.speed,
        **({"held.id": body.held.id} if body.held is not None else {}),
    }
    step = f"{skill.name} {named(skill.receptacle if skill.name == 'PutObject' else skill.target)}"
    for call in body.table.skills[skill.name]:
        yield from body.caller.make(call, values, lambda: body.progress(step))


def _report(body: Body, skill: Skill, thing: SeenObject, before: set[str]) -> Running:
    """Report what was acted on as it looks now, what can be seen in it, and its pieces."""
    now, lacking = yield from _look_after(body, thing.id, thing.center, every=skill.name == "OpenObject")
    state, value = _MAKES.get(skill.name, ("", ""))
    if now is not None and now.seen.states.get(state, value) != value:
        raise RefusedError(
            Code.EXECUTION_FAILURE,
            f"the arm says that {skill.name} is done, and {thing.id} is seen to have {state} {now.seen.states[state]}",
        )
    shown = (now.seen,) if now is not None else ()
    if skill.name in ("SliceObject", "BreakObject"):
        pieces = tuple(
            n.seen
            for n in body.perceived.layer(Layer.OBJECT)
            if n.id not in before and math.dist(n.center, thing.center) <= _PIECES
        )
        told = f"{thing.id} is now {len(pieces)} pieces" if pieces else lacking
        return Outcome(Code.SUCCESS, told, (*pieces, *shown))
    inside = (n.seen for n in body.perceived.contents(thing.id) if n.last_seen >= body.since)
    return Outcome(Code.SUCCESS, lacking, (*shown, *inside))


def _look_after(
    body: Body, name: str, point: Point, *, every: bool = False
) -> Generator[Progress, None, tuple[Node | None, str]]:
    """Look at what is handled; return it if it is seen, and what to say where perception has not looked.

    What the arm has done is done, all the same. `every`: until what else shows would have been told of, as in `settle`.
    """
    step = f"looking at {name}"
    try:
        yield from body.look_at(point, step)
        return (yield from body.settle(step, target=Target(id=name), every=every)), ""
    except RefusedError as error:
        return None, f"{name} was not looked at after that: {error.message}"


def _about(name: str, thing: SeenObject, body: Body) -> dict[str, Any]:
    robot, frame = body.pose(), body.table.map_frame
    others = (node.seen for node in body.perceived.layer(Layer.OBJECT))
    return {
        f"{name}.id": thing.id,
        f"{name}.category": thing.category,
        **_point(name, thing.center, frame),
        **_point(name, holding_point(thing, robot.x, robot.y, others), frame, "near_"),
        f"{name}.width": min(thing.size[:2]),
    }


def _point(name: str, point: Point, frame: str, which: str = "") -> dict[str, Any]:
    position = dict(zip("xyz", point, strict=True))
    upright = {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}
    return {
        f"{name}.{which}position": position,
        f"{name}.{which}pose": {"header": {"frame_id": frame}, "pose": {"position": position, "orientation": upright}},
    }
