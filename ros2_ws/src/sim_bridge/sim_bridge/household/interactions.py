# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the gripper can do to objects: AI2-THOR's interactions with their preconditions and effects.

None of these asks where the robot is or what it sees; that is the backend's business. Each either does what it says or
raises `RefusedError` and changes nothing.
"""

from __future__ import annotations

from sim_bridge.backend import Code, RefusedError
from sim_bridge.household.boxes import gap
from sim_bridge.household.model import Box, ObjectSpec
from sim_bridge.household.placement import refusal, spot
from sim_bridge.household.processes import settle
from sim_bridge.household.world import World
from sim_bridge.simulation.categories import COOKABLE_SLICES, KNIVES, SLICES, slice_category

NEAR = 0.5
"""Metres, horizontally, between the boxes of things that are near each other."""


def _refuse(message: str) -> RefusedError:
    return RefusedError(Code.PRECONDITION_FAILURE, message)


def require_accessible(world: World, name: str) -> None:
    """Refuse what a closed receptacle hides."""
    closed = world.closed_around(name)
    if closed:
        raise _refuse(f"{name} is not accessible: {closed} is closed: open it first")


def pick_up(world: World, name: str) -> None:
    """Take an object into the gripper."""
    if world.held == name:
        raise _refuse(f"{name} is already in the gripper")
    if world.held:
        raise _refuse(f"the gripper holds {world.held}: put it down first")
    if not world.specs[name].movable:
        raise _refuse(f"{name} can't be carried: a {world.category(name)} is not pickupable")
    require_accessible(world, name)
    world.hold(name)


def put(world: World, receptacle: str, near: tuple[float, float], beside: str = "") -> str:
    """Put what is held on or in a receptacle, at the free spot nearest to `near` (x, y); return what was put down.

    The spot must be within `NEAR` metres of the object `beside`, where one is given.
    """
    name = world.held
    if not name:
        raise _refuse("the gripper is empty: pick something up first")
    if receptacle == name or receptacle in world.contents(name):
        raise _refuse(f"{receptacle} is in the gripper: it can't take {name}")
    if world.hides(receptacle):
        raise _refuse(f"{receptacle} is closed: open it first")
    require_accessible(world, receptacle)
    if world.category(receptacle) == "Microwave" and world.is_(receptacle, "isToggled"):
        raise _refuse(f"{receptacle} is on: switch it off first")
    _lay(world, name, receptacle, near, beside)
    settle(world)
    return name


def _lay(world: World, name: str, receptacle: str, near: tuple[float, float], beside: str = "") -> None:
    reason = refusal(world, name, receptacle)
    if reason:
        raise _refuse(reason)
    box = spot(world, name, receptacle, near)
    if box is None:
        x, y, _ = world.boxes[name].size
        raise _refuse(
            f"there is no free spot of {x:.2f} m × {y:.2f} m for {name} on {receptacle}: clear it or go elsewhere"
        )
    if beside and gap(box, world.boxes[beside]) > NEAR:
        raise _refuse(f"there is no free spot for {name} on {receptacle} within {NEAR} m of {beside}: clear one")
    world.place(name, receptacle, box)


def relocate(world: World, name: str, receptacle: str) -> None:
    """Let a person put an object somewhere else; people open and close what they need to."""
    if world.is_held(name):
        raise _refuse(f"{name} is in the robot's gripper")
    if not world.specs[name].movable:
        raise _refuse(f"{name} can't be carried: a {world.category(name)} is not pickupable")
    if world.is_held(receptacle):
        raise _refuse(f"{receptacle} is in the robot's gripper")
    x, y, _ = world.boxes[receptacle].center
    _lay(world, name, receptacle, (x, y))
    settle(world)


def set_open(world: World, name: str, value: bool) -> None:
    """Open or close an object."""
    if not world.can(name, "openable"):
        raise _refuse(f"{name} can't be {'opened' if value else 'closed'}: a {world.category(name)} is not openable")
    require_accessible(world, name)
    if world.is_(name, "isOpen") == value:
        raise _refuse(f"{name} is already {'open' if value else 'closed'}")
    if value and world.category(name) == "Microwave" and world.is_(name, "isToggled"):
        raise _refuse(f"{name} is on: switch it off first")
    world.set_state(name, "isOpen", value)
    settle(world)


def set_toggled(world: World, name: str, value: bool) -> None:
    """Switch an object on or off; a stove's knob switches its burner."""
    if not world.can(name, "toggleable"):
        knob = next((n for n, s in world.specs.items() if name in s.controls), "")
        hint = f"it is switched by {knob}" if knob else f"a {world.category(name)} is not toggleable"
        raise _refuse(f"{name} can't be switched {'on' if value else 'off'}: {hint}")
    require_accessible(world, name)
    if world.is_(name, "isToggled") == value:
        raise _refuse(f"{name} is already {'on' if value else 'off'}")
    if value and world.category(name) == "Microwave" and world.is_(name, "isOpen"):
        raise _refuse(f"{name} is open: close it first")
    if value and world.is_(name, "isBroken"):
        raise _refuse(f"{name} is broken: it can't be switched on any more")
    world.set_state(name, "isToggled", value)
    for controlled in world.specs[name].controls:
        if controlled in world.specs:
            world.set_state(controlled, "isToggled", value)
    settle(world)


def slice_object(world: World, name: str) -> tuple[str, ...]:
    """Cut an object with the knife that is held; return its slices, new objects in its place."""
    if not world.can(name, "sliceable"):
        raise _refuse(f"{name} can't be sliced: a {world.category(name)} is not sliceable")
    if not world.held:
        raise _refuse(f"slicing {name} needs a knife: pick one up first")
    if world.category(world.held) not in KNIVES:
        raise _refuse(f"slicing {name} needs a knife, and the gripper holds {world.held}: put it down and take a knife")
    require_accessible(world, name)
    return divide(world, name)


def break_object(world: World, name: str) -> tuple[str, ...]:
    """Break an object; return what came of it where that is a new object (a cracked egg)."""
    if not world.can(name, "breakable"):
        raise _refuse(f"{name} can't be broken: a {world.category(name)} is not breakable")
    require_accessible(world, name)
    if world.is_(name, "isBroken"):
        raise _refuse(f"{name} is already broken")
    if world.can(name, "sliceable"):
        if world.held == name:
            raise _refuse(f"{name} is in the gripper: put it down first")
        return divide(world, name)
    world.set_state(name, "isBroken", True)
    if world.is_(name, "isFilledWithLiquid"):
        world.empty(name)
    if world.is_(name, "isToggled"):
        world.set_state(name, "isToggled", False)
    return ()


def divide(world: World, name: str) -> tuple[str, ...]:
    """Replace a whole by its slices: the whole's box, cut across its longer horizontal side."""
    whole, box = world.spec_now(name), world.boxes[name]
    count = SLICES.get(whole.category, 5)
    category = slice_category(whole.category)
    axis = 0 if box.size[0] >= box.size[1] else 1
    thickness = box.size[axis] / count
    size = (thickness, box.size[1], box.size[2]) if axis == 0 else (box.size[0], thickness, box.size[2])
    affordances = {"pickupable"} | ({"cookable"} if category in COOKABLE_SLICES else set())
    states = {"isCooked": world.is_(name, "isCooked")} if category in COOKABLE_SLICES else {}
    if "isDirty" in world.states[name]:
        states["isDirty"] = world.is_(name, "isDirty")
    temperature = world.temperature[name]
    marks = [history for history in (world.washed, world.heated, world.cooled) if name in history]
    world.remove(name)
    slices = []
    for i in range(count):
        centre = list(box.center)
        centre[axis] += (i - (count - 1) / 2) * thickness
        piece = ObjectSpec(
            id=f"{name}|{category}_{i}",
            category=category,
            box=Box((centre[0], centre[1], centre[2]), size),
            yaw=whole.yaw,
            room=whole.room,
            affordances=frozenset(affordances),
            states=states,
            parent=whole.parent,
            temperature=temperature,
        )
        world.add(piece)
        for history in marks:
            history.add(piece.id)
        slices.append(piece.id)
    settle(world)
    return tuple(slices)


def throw(world: World, floor: str, landing: tuple[float, float]) -> tuple[str, ...]:
    """Throw what is held so that it lands near `landing` (x, y) on the floor; return what is there then.

    What can break does.
    """
    name = world.held
    if not name:
        raise _refuse("the gripper is empty: there is nothing to throw")
    box = spot(world, name, floor, landing)
    if box is None:
        raise _refuse(f"there is no room on the floor to throw {name} at")
    world.place(name, floor, box)
    if world.can(name, "breakable") and not world.is_(name, "isBroken"):
        return break_object(world, name) or (name,)
    return (name,)
