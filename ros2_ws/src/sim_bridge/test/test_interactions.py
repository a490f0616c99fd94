# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib

import pytest

from sim_bridge.backend import Code, RefusedError
from sim_bridge.household import interactions as act
from sim_bridge.household.model import ObjectSpec
from sim_bridge.household.processes import basins_of
from sim_bridge.household.scenes import load_scene
from sim_bridge.household.world import World


@pytest.fixture
def world() -> World:
    return World(load_scene("FloorPlan1"))


def one(world: World, category: str) -> str:
    return next(iter(world.of_category(category)))


def put(world: World, category: str, receptacle: str) -> str:
    """Put one of a category on or in something, as the gripper does."""
    name = one(world, category)
    for parent in world.ancestors(name):
        if world.hides(parent):
            act.set_open(world, parent, True)
    act.pick_up(world, name)
    act.put(world, receptacle, world.boxes[receptacle].center[:2])
    return name


def refused(message: str):
    return pytest.raises(RefusedError, match=message)


def test_the_gripper_holds_one_thing(world: World) -> None:
    act.pick_up(world, one(world, "Apple"))
    with refused(r"the gripper holds Apple\|.*: put it down first") as error:
        act.pick_up(world, one(world, "Tomato"))
    assert error.value.code == Code.PRECONDITION_FAILURE


def test_furniture_is_not_carried(world: World) -> None:
    with refused("not pickupable"):
        act.pick_up(world, one(world, "Fridge"))


def test_what_is_in_a_closed_fridge_must_be_uncovered_first(world: World) -> None:
    fridge = one(world, "Fridge")
    act.set_open(world, fridge, True)
    apple = put(world, "Apple", fridge)
    assert world.parents[apple] == fridge
    act.set_open(world, fridge, False)
    assert world.closed_around(apple) == fridge
    with refused("is closed: open it first"):
        act.pick_up(world, apple)


def test_nothing_goes_into_a_closed_microwave(world: World) -> None:
    act.pick_up(world, one(world, "Apple"))
    with refused(r"Microwave\|.* is closed: open it first"):
        act.put(world, one(world, "Microwave"), (0.0, 0.0))


def test_a_microwave_cooks_what_is_in_it_and_runs_only_closed(world: World) -> None:
    microwave = one(world, "Microwave")
    act.set_open(world, microwave, True)
    potato = put(world, "Potato", microwave)
    with refused("is open: close it first"):
        act.set_toggled(world, microwave, True)
    act.set_open(world, microwave, False)
    act.set_toggled(world, microwave, True)
    assert world.temperature[potato] == "Hot"
    assert world.is_(potato, "isCooked")
    with refused("is on: switch it off first"):
        act.set_open(world, microwave, True)


def test_a_fridge_cools(world: World) -> None:
    fridge = one(world, "Fridge")
    act.set_open(world, fridge, True)
    apple = put(world, "Apple", fridge)
    assert world.temperature[apple] == "Cold"
    assert apple in world.cooled


def test_running_water_cleans_and_fills_what_is_in_the_basin(world: World) -> None:
    mug = one(world, "Mug")
    world.set_state(mug, "isDirty", True)
    basin, tap = one(world, "SinkBasin"), one(world, "Faucet")
    put(world, "Mug", basin)
    assert world.is_(mug, "isDirty")
    act.set_toggled(world, tap, True)
    assert not world.is_(mug, "isDirty")
    assert world.fill_liquid[mug] == "water"
    assert world.visible_states(mug)["fillLiquid"] == "water"


def test_a_washed_apple_is_clean_though_it_was_not_dirty(world: World) -> None:
    assert "isDirty" not in world.visible_states(one(world, "Apple"))
    apple = put(world, "Apple", one(world, "SinkBasin"))
    act.set_toggled(world, one(world, "Faucet"), True)
    assert world.visible_states(apple)["isDirty"] == "false"
    assert apple in world.washed


def test_a_knob_switches_its_burner_and_heats_the_pan(world: World) -> None:
    knob = next(n for n in world.of_category("StoveKnob") if world.specs[n].controls)
    burner = world.specs[knob].controls[0]
    for pot in world.children(burner):
        world.place(pot, one(world, "CounterTop"), world.boxes[pot])
    pan = put(world, "Pan", burner)
    with refused("it is switched by"):
        act.set_toggled(world, burner, True)
    act.set_toggled(world, knob, True)
    assert world.is_(burner, "isToggled")
    assert world.temperature[pan] == "Hot"
    act.set_toggled(world, knob, False)
    assert not world.is_(burner, "isToggled")


def test_a_coffee_machine_fills_a_mug_with_hot_coffee(world: World) -> None:
    machine = one(world, "CoffeeMachine")
    mug = put(world, "Mug", machine)
    act.set_toggled(world, machine, True)
    assert world.fill_liquid[mug] == "coffee"
    assert world.temperature[mug] == "Hot"
    act.set_toggled(world, machine, False)
    with refused("takes only"):
        put(world, "Apple", machine)


def test_slicing_needs_a_knife_and_makes_new_objects(world: World) -> None:
    bread = one(world, "Bread")
    with refused("needs a knife: pick one up first"):
        act.slice_object(world, bread)
    place = world.parents[bread]
    act.set_open(world, world.parents[one(world, "Knife")], True)
    act.pick_up(world, one(world, "Knife"))
    slices = act.slice_object(world, bread)
    assert bread not in world.specs
    assert slices[0] == f"{bread}|BreadSliced_0"
    assert {world.category(s) for s in slices} == {"BreadSliced"}
    assert {world.parents[s] for s in slices} == {place}
    assert all(world.can(s, "cookable") for s in slices)
    with refused("not sliceable"):
        act.slice_object(world, slices[0])


def test_a_broken_vessel_spills_and_takes_nothing_any_more(world: World) -> None:
    basin, tap = one(world, "SinkBasin"), one(world, "Faucet")
    mug, bowl = put(world, "Mug", basin), one(world, "Bowl")
    act.set_toggled(world, tap, True)
    assert world.is_(mug, "isFilledWithLiquid")
    act.break_object(world, mug)
    assert not world.is_(mug, "isFilledWithLiquid")
    assert world.fill_liquid[mug] == ""
    act.set_toggled(world, tap, False)
    act.set_toggled(world, tap, True)
    assert not world.is_(mug, "isFilledWithLiquid")
    act.break_object(world, bowl)
    act.pick_up(world, one(world, "Apple"))
    with refused("is broken"):
        act.put(world, bowl, world.boxes[bowl].center[:2])


def test_piles_end(world: World) -> None:
    pot = one(world, "Pot")
    top = world.boxes[pot].high[2]
    things = [n for n, s in world.specs.items() if s.movable and n != pot and not world.closed_around(n)]
    for thing in things:
        with contextlib.suppress(RefusedError):
            act.relocate(world, thing, pot)
    piled = world.children(pot)
    assert 1 <= len(piled) < len(things)
    assert max(world.boxes[n].low[2] for n in piled) <= top + 0.15


def test_a_broken_egg_is_a_cracked_egg(world: World) -> None:
    egg = one(world, "Egg")
    for parent in world.ancestors(egg):
        if world.hides(parent):
            act.set_open(world, parent, True)
    (cracked,) = act.break_object(world, egg)
    assert world.category(cracked) == "EggCracked"
    assert egg not in world.specs


def test_a_broken_plate_stays_broken(world: World) -> None:
    plate = one(world, "Plate")
    for parent in world.ancestors(plate):
        if world.hides(parent):
            act.set_open(world, parent, True)
    act.break_object(world, plate)
    assert world.is_(plate, "isBroken")
    with refused("already broken"):
        act.break_object(world, plate)


def test_what_is_in_a_bowl_moves_with_it(world: World) -> None:
    bowl = one(world, "Bowl")
    act.pick_up(world, one(world, "SaltShaker"))
    inside = act.put(world, bowl, world.boxes[bowl].center[:2])
    offset = [a - b for a, b in zip(world.boxes[inside].center, world.boxes[bowl].center, strict=True)]
    act.pick_up(world, bowl)
    assert world.is_held(inside)
    act.put(world, one(world, "CounterTop"), (0.0, 0.0))
    after = [a - b for a, b in zip(world.boxes[inside].center, world.boxes[bowl].center, strict=True)]
    assert after == pytest.approx(offset)


def test_a_pot_does_not_fit_into_a_mug(world: World) -> None:
    act.pick_up(world, one(world, "Pot"))
    with refused("too large"):
        act.put(world, one(world, "Mug"), (0.0, 0.0))


def test_what_is_put_on_a_table_overlaps_nothing(world: World) -> None:
    counters = world.of_category("CounterTop")
    for category in ("Apple", "Tomato", "Pot", "Bowl", "SaltShaker"):
        name = one(world, category)
        for counter in counters:
            act.pick_up(world, name)
            try:
                act.put(world, counter, world.boxes[counter].center[:2])
            except RefusedError:
                act.put(world, one(world, "Floor"), (0.0, 0.0))
                continue
            mine = world.boxes[name]
            for other in world.children(counter):
                box = world.boxes[other]
                apart = any(mine.low[a] >= box.high[a] - 1e-6 or mine.high[a] <= box.low[a] + 1e-6 for a in (0, 1, 2))
                assert apart or other == name, f"{name} overlaps {other}"


def test_a_person_may_use_closed_furniture_but_not_take_from_the_gripper(world: World) -> None:
    apple, fridge = one(world, "Apple"), one(world, "Fridge")
    act.relocate(world, apple, fridge)
    assert world.closed_around(apple) == fridge
    tomato = one(world, "Tomato")
    act.pick_up(world, tomato)
    with refused("in the robot's gripper"):
        act.relocate(world, tomato, fridge)


def test_every_tap_of_every_kitchen_and_bathroom_has_a_basin() -> None:
    missing = []
    for number in (*range(1, 31), *range(401, 431)):
        world = World(load_scene(f"FloorPlan{number}"))
        taps = world.of_category("Faucet")
        if taps and not any(basins_of(world, t) for t in taps):
            missing.append(number)
    assert missing == []


def test_a_slice_is_like_any_other_object(world: World) -> None:
    act.set_open(world, world.parents[one(world, "Knife")], True)
    knife = one(world, "Knife")
    act.pick_up(world, knife)
    slices = act.slice_object(world, one(world, "Tomato"))
    act.put(world, one(world, "CounterTop"), (0.0, 0.0))
    act.pick_up(world, slices[0])
    spec = world.specs[slices[0]]
    assert isinstance(spec, ObjectSpec)
    assert spec.movable
    assert world.held == slices[0]
