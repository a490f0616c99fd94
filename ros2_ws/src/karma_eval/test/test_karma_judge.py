# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The judge of a sequence, by hand on the simulator's world; and what it refuses to judge."""

from __future__ import annotations

from karma_eval.karma.judge import Judge, problems
from karma_eval.karma.literals import read_literals
from karma_eval.karma.tasks import Task, split_instruction
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.interactions import pick_up, relocate, set_toggled, slice_object
from sim_bridge.household.world import World

KITCHEN = "FloorPlan1"


def judge(goals: str, scene: str = KITCHEN) -> tuple[Judge, World]:
    world = HouseholdBackend(scene).world
    return Judge(read_literals(goals)[0], world), world


def missing(judge: Judge) -> list[str]:
    return [str(literal) for literal in judge.missing()]


def one(world: World, category: str) -> str:
    (found,) = list(world.of_category(category))[:1]
    return found


def task(text: str, goals: str, scene: str = KITCHEN) -> Task:
    literals, unread = read_literals(goals)
    return Task("simple", "1", scene, split_instruction(text), literals, unread)


def test_a_wash_in_passing_counts_and_the_last_place_must_last() -> None:
    it, world = judge("INSIDE(tomato, sink): 1, TOGGLEON(faucet): 1, STATE(tomato, clean): 1, ON(tomato, plate): 1")
    tomato, tap = one(world, "Tomato"), one(world, "Faucet")
    relocate(world, tomato, one(world, "SinkBasin"))
    it.look()
    set_toggled(world, tap, True)
    it.look()
    assert missing(it) == ["ON(tomato, plate): 1"]
    set_toggled(world, tap, False)
    relocate(world, tomato, one(world, "Plate"))
    it.look()
    assert missing(it) == []
    relocate(world, tomato, one(world, "CounterTop"))
    it.look()
    assert missing(it) == ["ON(tomato, plate): 1"]


def test_one_and_the_same_thing_must_reach_its_goals() -> None:
    it, world = judge("ON(vase, counter): 1, HOLDON(robot, vase): 1")
    first, second = world.of_category("Vase")
    relocate(world, first, one(world, "CounterTop"))
    it.look()
    pick_up(world, second)
    it.look(ended=True)
    assert len(missing(it)) == 1
    relocate_held(world, one(world, "Cabinet"))
    pick_up(world, first)
    it.look(ended=True)
    assert missing(it) == []


def test_what_is_carried_somewhere_is_not_held_until_an_instruction_ends() -> None:
    it, world = judge("HOLDON(robot, apple): 1")
    pick_up(world, one(world, "Apple"))
    it.look()
    assert missing(it)
    it.look(ended=True)
    assert not missing(it)


def test_slices_are_what_they_were_cut_from() -> None:
    it, world = judge("STATE(bread, sliced): 1, INSIDE(bread, fridge): 1")
    bread = one(world, "Bread")
    pick_up(world, one(world, "ButterKnife"))
    slice_object(world, bread)
    relocate(world, one(world, "BreadSliced"), one(world, "Fridge"))
    it.look()
    assert missing(it) == []
    assert it.root(one(world, "BreadSliced")) == bread
    assert bread in it.handled


def test_a_lamp_must_be_as_asked_at_the_end() -> None:
    it, world = judge("TOGGLEOFF(light switch): 1")
    switch = one(world, "LightSwitch")
    assert world.is_(switch, "isToggled")
    set_toggled(world, switch, False)
    it.look()
    assert missing(it) == []
    set_toggled(world, switch, True)
    it.look()
    assert missing(it) == ["TOGGLEOFF(light switch): 1"]


def test_numbers_and_negations_count() -> None:
    it, world = judge("ON(vase, counter): 2, INSIDE(apple, fridge): 0, INSIDE(fridge): 1")
    first, second = world.of_category("Vase")
    counter = one(world, "CounterTop")
    relocate(world, first, counter)
    it.look()
    assert missing(it) == ["ON(vase, counter): 2", "INSIDE(fridge): 1"]
    relocate(world, second, counter)
    pick_up(world, one(world, "Apple"))
    it.look()
    assert missing(it) == ["INSIDE(fridge): 1"]
    relocate_held(world, one(world, "Fridge"))
    it.look()
    assert missing(it) == ["INSIDE(apple, fridge): 0"]


def relocate_held(world: World, place: str) -> None:
    held = world.held
    world.place(held, place, world.boxes[held])


def test_a_goal_on_another_thing_than_was_asked_for_is_not_judged() -> None:
    world = HouseholdBackend(KITCHEN).world
    wrong = task("place the potato on the plate → wash an apple", "ON(apple, plate): 1, STATE(apple, clean): 1")
    assert problems(wrong, world) == (
        "ON(apple, plate): 1: the instruction puts something else there: 'place the potato on the plate'",
    )
    never = task("wash an apple", "STATE(lettuce, clean): 1")
    assert problems(never, world) == ("STATE(lettuce, clean): 1: the instruction speaks of no lettuce",)


def test_what_words_leave_open_is_judged() -> None:
    world = HouseholdBackend(KITCHEN).world
    for text, goals in (
        ("wash a tomato. slice the bread. put the clean, red food on the plate", "ON(tomato, plate): 1"),
        ("wash a tomato. put it on the plate", "ON(tomato, plate): 1"),
        ("lay the book on the counter. put the apple next to the book", "ON(apple, counter): 1"),
        ("throw the knife in the trash", "INSIDE(knife, garbageCan): 1"),
    ):
        assert problems(task(text, goals), world) == ()


def test_what_the_scene_or_the_simulator_lacks_is_not_judged() -> None:
    world = HouseholdBackend(KITCHEN).world
    for text, goals, problem in (
        ("put the pillow on the shelf", "ON(pillow, shelf): 1", "there is no pillow in FloorPlan1"),
        ("slice the mug", "STATE(mug, sliced): 1", "a mug of this simulator can't be so"),
        ("put the fridge on the shelf", "ON(fridge, shelf): 1", "a fridge can't be carried"),
        ("put the apple on the apple", "ON(egg, apple): 1", "nothing can be put on or in a apple"),
        ("take the zorb", "HOLDON(robot, zorb): 1", "I know of no 'zorb'"),
    ):
        assert any(problem in found for found in problems(task(text, goals), world)), goals
