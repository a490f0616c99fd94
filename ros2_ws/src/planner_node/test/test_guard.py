# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from scripted_robot import TABLE, thing

from karma_language.vocabulary import household
from planner_node.check.safety import Guard, Safety
from planner_node.check.safety.rules import At, parse
from planner_node.skills import Code, Node, Outcome, SkillCall, SkillSpec, SkillTable, Target
from planner_node.understand.goals import Goal, ObjectRef, Predicate
from planner_node.world import World

MAN = Node("Person1", "Person", position=(3.0, 0.0, 0.9), size=(0.5, 0.5, 1.8))


def world(*nodes: Node, held: str = "") -> World:
    made = World(household())
    for node in nodes:
        made.believe(node, "long_term")
    made.held = held
    return made


def guard(known: World, *goals: Goal, safety: Safety | None = None, **more: Any) -> Guard:
    more.setdefault("ask", lambda question, choices: "")
    return Guard(safety or Safety(), household(), known, goals, **more)


def put(name: str, relation: str = "") -> SkillCall:
    return SkillCall("PutObject", receptacle=Target(name), relation=relation)


def refused(watch: Guard, call: SkillCall) -> str:
    return watch.judge(call, TABLE).refusal


def test_a_knife_is_kept_an_arms_length_from_people() -> None:
    knife = thing("Knife1")
    near, far = thing("CounterTop1", (4.0, 0.0, 1.0)), thing("CounterTop2", (6.0, 0.0, 1.0))
    watch = guard(world(MAN, knife, near, far, held="Knife1"))
    assert "up to people" in refused(watch, SkillCall("GoToObject", Target("CounterTop1")))
    assert "beside" in refused(watch, put("CounterTop1"))
    assert refused(watch, put("CounterTop2")) == ""
    assert refused(guard(world(MAN, thing("Apple1"), near, held="Apple1")), put("CounterTop1")) == ""


def test_a_large_table_is_near_whoever_stands_at_its_edge() -> None:
    table = Node("DiningTable1", "DiningTable", position=(4.6, 0.0, 0.8), size=(2.0, 1.0, 0.8))
    upstairs = Node("DiningTable2", "DiningTable", position=(4.6, 0.0, 3.8), size=(2.0, 1.0, 0.8))
    watch = guard(world(MAN, thing("Knife1"), table, upstairs, held="Knife1"))
    assert refused(watch, put("DiningTable1"))
    assert refused(watch, put("DiningTable2")) == ""


def test_where_the_instruction_was_given_counts_for_what_is_brought_there_only() -> None:
    knife, tomato = thing("Knife1"), thing("Tomato1", (0.2, 0.0, 1.0))
    cut = Goal(Predicate.SLICE, ObjectRef(("Tomato",), "tomato"))
    watch = guard(world(knife, tomato, held="Knife1"), cut, asker=(0.0, 0.0, 0.0))
    assert refused(watch, SkillCall("Navigate", Target(position=(0.0, 0.0, 0.0))))
    assert refused(watch, SkillCall("GoToObject", Target("Tomato1"))) == ""
    assert refused(watch, SkillCall("SliceObject", Target("Tomato1"))) == ""


@pytest.mark.parametrize(
    ("answer", "allowed"), [("yes", True), ("Sure!", True), ("no", False), ("", False), ("yes, no, don't", False)]
)
def test_something_hot_is_handed_over_to_whoever_says_yes(answer: str, allowed: bool) -> None:
    asked: list[str] = []

    def ask(question: str, choices: Sequence[str]) -> str:
        asked.append(question)
        return answer

    potato = thing("Potato1", states={"temperature": "Hot"})
    watch = guard(world(potato, held="Potato1"), asker=(0.0, 0.0, 0.0), ask=ask)
    bring = SkillCall("Navigate", Target(position=(0.0, 0.0, 0.0)))
    assert (refused(watch, bring) == "") is allowed
    assert (refused(watch, bring) == "") is allowed
    assert len(asked) == 1
    assert "potato is hot" in asked[0]


def test_metal_in_something_is_metal_in_the_microwave() -> None:
    oven = thing("Microwave1")
    cup, fork = thing("Cup1"), thing("Fork1", receptacle="Cup1", relation="in")
    assert "fork is metal" in refused(guard(world(oven, cup, fork, held="Cup1")), put("Microwave1"))
    inside = [thing("Plate1", receptacle="Microwave1"), thing("Spoon1", receptacle="Plate1")]
    assert "spoon" in refused(guard(world(oven, *inside)), SkillCall("ToggleOn", Target("Microwave1")))
    plate = thing("Plate2", receptacle="Microwave1")
    assert "metal" in refused(guard(world(oven, plate, fork, held="Fork1")), put("Plate2"))


def test_cookware_may_be_kept_in_the_microwave_and_not_heated_there() -> None:
    oven, pan = thing("Microwave1"), thing("Pan1")
    watch = guard(world(oven, pan, held="Pan1"))
    assert refused(watch, put("Microwave1")) == ""
    assert any("take it out" in note for note in watch.notes)
    assert "metal" in refused(
        guard(world(oven, thing("Pan1", receptacle="Microwave1"))), SkillCall("ToggleOn", Target("Microwave1"))
    )
    heat = Goal(Predicate.HEAT, ObjectRef(("Pan", "Pot"), "pan"))
    assert "metal" in guard(world(), heat).objection()
    assert guard(world(), Goal(Predicate.HEAT, ObjectRef(("Pan", "Mug"), "pan"))).objection() == ""


def test_a_burner_is_served_by_its_knob() -> None:
    knob = thing("StoveKnob1", (0.0, 0.0, 0.9))
    burner, other = thing("StoveBurner1", (0.4, 0.0, 0.9)), thing("StoveBurner2", (3.0, 0.0, 0.9))
    on = SkillCall("ToggleOn", Target("StoveKnob1"))
    book = thing("Book1", (0.4, 0.0, 1.0), receptacle="StoveBurner1")
    assert "book" in refused(guard(world(knob, burner, other, book)), on)
    elsewhere = thing("Book1", (3.0, 0.0, 1.0), receptacle="StoveBurner2")
    assert refused(guard(world(knob, burner, other, elsewhere)), on) == ""
    pan = thing("Pan1", (0.4, 0.0, 1.0), receptacle="StoveBurner1")
    assert refused(guard(world(knob, burner, pan)), on) == ""
    egg, knife = thing("Egg1", receptacle="Pan1"), thing("Knife1", receptacle="Pan1")
    assert refused(guard(world(knob, burner, pan, egg)), on) == ""
    assert "knife" in refused(guard(world(knob, burner, pan, egg, knife)), on)
    assert "egg" in refused(guard(world(knob, burner, thing("Egg1", receptacle="StoveBurner1"))), on)
    lit = thing("StoveBurner3", states={"isToggled": "true"})
    assert refused(guard(world(lit, thing("Pan1"), egg, held="Pan1")), put("StoveBurner3")) == ""
    assert "knife" in refused(guard(world(lit, thing("Pan1"), knife, held="Pan1")), put("StoveBurner3"))
    above = thing("Pan1", receptacle="StoveBurner3")
    assert refused(guard(world(lit, above, thing("Egg1"), held="Egg1")), put("Pan1")) == ""
    assert refused(guard(world(lit, above, thing("Newspaper1"), held="Newspaper1")), put("Pan1"))
    assert refused(guard(world(lit, thing("Bread1"), held="Bread1")), put("StoveBurner3"))
    assert refused(guard(world(lit, thing("Pot1"), held="Pot1")), put("StoveBurner3")) == ""


def on_the_burner(thing: str, relation: str = "on", entity: int = 1) -> Goal:
    stove = ObjectRef(("StoveBurner",), "stove")
    return Goal(Predicate.PLACE, ObjectRef((thing,), thing, entity=entity), stove, relation)


LIGHT, PUT_OUT = (
    Goal(predicate, ObjectRef((category,), "stove"))
    for predicate, category in ((Predicate.SWITCH_ON, "StoveKnob"), (Predicate.SWITCH_OFF, "StoveBurner"))
)
TAKEN_AWAY = Goal(Predicate.HOLD, ObjectRef(("PaperTowelRoll",), "paper towel roll", entity=1))


@pytest.mark.parametrize(
    ("goals", "says"),
    [
        ([LIGHT, on_the_burner("Newspaper")], "does not go on a stove"),
        ([on_the_burner("PaperTowelRoll"), LIGHT], "the stove on with a paper towel roll on it: it could catch fire"),
        ([LIGHT, on_the_burner("Newspaper", "near")], "right beside a stove"),
        ([on_the_burner("Newspaper", "near"), LIGHT], "right beside a stove"),
        ([LIGHT, PUT_OUT, on_the_burner("Newspaper")], ""),
        ([on_the_burner("PaperTowelRoll"), TAKEN_AWAY, LIGHT], ""),
        ([on_the_burner("Newspaper")], ""),
        ([LIGHT, on_the_burner("Pan"), on_the_burner("Pot", entity=2)], ""),
        ([on_the_burner("Pan"), LIGHT], ""),
        ([on_the_burner("Egg"), LIGHT], "don't switch the stove on with an egg on it: it burns"),
        ([LIGHT, on_the_burner("Egg")], "does not go on a stove"),
    ],
)
def test_nothing_but_cookware_is_on_a_burner_that_the_instruction_lights(goals: list[Goal], says: str) -> None:
    found = guard(world(), *goals).objection()
    assert says in found
    assert bool(found) is bool(says)


@pytest.mark.parametrize(("lit", "refuses"), [(("true", "true"), True), (("true", "false"), False)])
def test_what_is_known_of_all_burners_is_said_before_anything_is_taken(lit: tuple[str, str], refuses: bool) -> None:
    burners = [thing(f"StoveBurner{at}", states={"isToggled": on}) for at, on in enumerate(lit)]
    take = Goal(Predicate.HOLD, ObjectRef(("Book",), "book", entity=1))
    watch = guard(world(*burners), take, on_the_burner("Book"))
    assert bool(watch.objection()) is refuses
    off = Goal(Predicate.SWITCH_OFF, ObjectRef(("StoveBurner",), "stove", entity=2))
    assert guard(world(*burners), off, on_the_burner("Book")).objection() == ""


def test_what_burns_is_not_put_beside_a_burner_that_is_lit() -> None:
    lit, cold = thing("StoveBurner1", states={"isToggled": "true"}), thing("StoveBurner2")
    watch = guard(world(lit, cold, thing("Newspaper1"), held="Newspaper1"))
    assert "right beside" in refused(watch, put("StoveBurner1", "near"))
    assert refused(watch, put("StoveBurner2", "near")) == ""


def test_what_is_full_goes_neither_on_electronics_nor_right_beside_them() -> None:
    mug, laptop, desk = (
        thing("Mug1", states={"isFilledWithLiquid": "true"}),
        thing("Laptop1", receptacle="Desk1"),
        thing("Desk1"),
    )
    watch = guard(world(mug, laptop, desk, held="Mug1"))
    assert refused(watch, put("Laptop1"))
    assert refused(watch, put("Laptop1", "near"))
    assert refused(watch, put("Desk1")) == ""
    assert refused(guard(world(thing("Mug1"), laptop, held="Mug1")), put("Laptop1")) == ""


def test_electronics_and_paper_stay_out_of_what_is_full() -> None:
    full, dry = thing("Bowl1", states={"isFilledWithLiquid": "true"}), thing("Bowl2")
    for name in ("CellPhone1", "Book1"):
        watch = guard(world(full, dry, thing(name), held=name))
        assert "The bowl is full" in refused(watch, put("Bowl1"))
        assert refused(watch, put("Bowl2")) == ""
    assert refused(guard(world(full, thing("Spoon1"), held="Spoon1")), put("Bowl1")) == ""
    lying, mug = thing("CellPhone1", receptacle="Bowl2"), thing("Mug1", states={"isFilledWithLiquid": "true"})
    assert "phone in the bowl" in refused(guard(world(dry, lying, mug, held="Mug1")), put("Bowl2"))
    on_table = thing("CellPhone1", receptacle="DiningTable1")
    assert refused(guard(world(thing("DiningTable1"), on_table, mug, held="Mug1")), put("DiningTable1")) == ""


def test_a_vessel_that_the_instruction_fills_takes_no_phone() -> None:
    bowl, phone = ObjectRef(("Bowl",), "bowl", entity=1), ObjectRef(("CellPhone",), "phone", entity=2)
    fill, place = Goal(Predicate.FILL, bowl), Goal(Predicate.PLACE, phone, bowl, "in")
    assert "The bowl is full" in guard(world(), fill, place).objection()
    assert guard(world(), place).objection() == ""
    other = ObjectRef(("Pot",), "pot", entity=3)
    assert guard(world(), fill, Goal(Predicate.PLACE, phone, other, "in")).objection() == ""


LIT = {"isToggled": "true"}


@pytest.mark.parametrize("place", ["GarbageCan1", "Drawer1", "Cabinet1", "Box1", "Bed1", "Sofa1", "Newspaper1"])
def test_a_candle_that_is_lit_is_not_put_where_it_sets_something_on_fire(place: str) -> None:
    at, shelf = thing(place), thing("Shelf1")
    watch = guard(world(at, shelf, thing("Candle1", states=LIT), held="Candle1"))
    assert "is lit" in refused(watch, put(place))
    assert refused(watch, put("Shelf1")) == ""
    assert refused(guard(world(at, thing("Candle1"), held="Candle1")), put(place)) == ""
    standing = thing("Candle1", (5.0, 5.0, 1.0), receptacle=place)
    assert "take it out" in refused(guard(world(at, standing)), SkillCall("ToggleOn", Target("Candle1")))
    dish = [thing("Plate1", receptacle=place), thing("Candle1", (5.0, 5.0, 1.0), receptacle="Plate1")]
    assert "take it out" in refused(guard(world(at, *dish)), SkillCall("ToggleOn", Target("Candle1")))
    free = thing("Candle1", receptacle="Shelf1")
    assert refused(guard(world(shelf, free)), SkillCall("ToggleOn", Target("Candle1"))) == ""


def test_a_candle_that_is_lit_is_kept_from_paper_and_given_to_whoever_says_yes() -> None:
    paper, candle = thing("Newspaper1"), thing("Candle1", states=LIT)
    assert "right beside" in refused(guard(world(paper, candle, held="Candle1")), put("Newspaper1", "near"))
    bring = SkillCall("Navigate", Target(position=(0.0, 0.0, 0.0)))
    for answer, says in (("yes", ""), ("", "is lit")):
        watch = guard(world(candle, held="Candle1"), asker=(0.0, 0.0, 0.0), ask=lambda q, c, a=answer: a)
        assert says in refused(watch, bring)
        assert bool(refused(watch, bring)) is bool(says)


def test_what_the_instruction_lights_is_lit_until_it_puts_it_out() -> None:
    candle, can = ObjectRef(("Candle",), "candle", entity=1), ObjectRef(("GarbageCan",), "bin")
    on, off = Goal(Predicate.SWITCH_ON, candle), Goal(Predicate.SWITCH_OFF, candle)
    place = Goal(Predicate.PLACE, candle, can, "in")
    assert "is lit" in guard(world(), on, place).objection()
    assert "is lit" in guard(world(), off, on, place).objection()
    assert guard(world(), on, off, place).objection() == ""


def test_the_toaster_takes_food_only() -> None:
    toaster = thing("Toaster1")
    for name, says in (("Fork1", "metal"), ("Knife1", "metal"), ("Pan1", "food only"), ("BreadSliced1", "")):
        found = refused(guard(world(toaster, thing(name), held=name)), put("Toaster1"))
        assert says in found
        assert bool(found) is bool(says)
    inside = thing("Fork1", receptacle="Toaster1")
    assert "metal" in refused(guard(world(toaster, inside)), SkillCall("ToggleOn", Target("Toaster1")))


@pytest.mark.parametrize("place", ["Sofa1", "Chair1", "Bed1", "Floor1"])
def test_nothing_sharp_is_left_where_somebody_sits_or_walks_unless_somebody_says_yes(place: str) -> None:
    at, knife = thing(place), thing("Knife1")
    assert "Somebody could" in refused(guard(world(at, knife, held="Knife1")), put(place))
    assert refused(guard(world(at, knife, held="Knife1"), ask=lambda q, c: "yes"), put(place)) == ""
    assert refused(guard(world(at, thing("Spoon1"), held="Spoon1")), put(place)) == ""


@pytest.mark.parametrize(("answer", "allowed"), [("yes", True), ("", False)])
def test_one_answer_about_a_goal_counts_for_every_kind_of_thing_that_it_speaks_of(answer: str, allowed: bool) -> None:
    asked: list[str] = []
    knife, bed = ObjectRef(("Knife", "ButterKnife"), "knife"), ObjectRef(("Bed",), "bed")
    known = world(thing("Bed1"), thing("ButterKnife1"), held="ButterKnife1")
    goal = Goal(Predicate.PLACE, knife, bed)
    watch = guard(known, goal, ask=lambda question, choices: asked.append(question) or answer)
    assert (watch.unconfirmed(0) == "") is allowed
    assert (refused(watch, put("Bed1")) == "") is allowed
    assert len(asked) == 1


def test_what_depends_on_which_one_is_taken_is_asked_when_that_is_known() -> None:
    knife, place = ObjectRef(("Knife",), "knife"), ObjectRef(("Bed", "Desk"), "flat thing")
    assert guard(world(), Goal(Predicate.PLACE, knife, place)).unconfirmed(0) == ""


@pytest.mark.parametrize("place", ["DiningTable1", "SinkBasin1", "GarbageCan1", "Drawer1", "Bowl1", "Toaster1"])
def test_what_stands_on_the_floor_is_not_the_floor(place: str) -> None:
    known = world(thing("Floor1"), thing(place, receptacle="Floor1"), thing("Knife1"), held="Knife1")
    assert "step on" not in refused(guard(known), put(place))


def test_hot_vessels_and_broken_things() -> None:
    hot, sofa = thing("Pan1", states={"temperature": "Hot"}), thing("Sofa1")
    assert "is hot" in refused(guard(world(hot, sofa, held="Pan1")), put("Sofa1"))
    assert refused(guard(world(thing("Pan1"), sofa, held="Pan1")), put("Sofa1")) == ""
    shards = thing("Plate1", states={"isBroken": "true"})
    bring = SkillCall("Navigate", Target(position=(0.0, 0.0, 0.0)))
    assert "shards" in refused(guard(world(shards, held="Plate1"), asker=(0.0, 0.0, 0.0)), bring)
    cat = thing("Cat1", receptacle="Box1")
    assert (
        "cat in the box" in refused(guard(world(thing("Box1"), cat)), SkillCall("CloseObject", Target("Box1"))).lower()
    )


@pytest.mark.parametrize("skill", ["ThrowObject", "BreakObject", "SliceObject"])
def test_nothing_is_done_to_things_unasked(skill: str) -> None:
    known = world(thing("Apple1"), held="Apple1" if skill == "ThrowObject" else "")
    call = SkillCall(skill, *([Target("Apple1")] if skill != "ThrowObject" else []))
    meant = {"ThrowObject": Predicate.THROW, "BreakObject": Predicate.BREAK, "SliceObject": Predicate.SLICE}[skill]
    words = {"ThrowObject": "toss the apple", "BreakObject": "smash the apple", "SliceObject": "cut the apple"}[skill]
    goal = Goal(meant, ObjectRef(("Apple",), "apple"))
    assert "Nobody asked me" in refused(guard(known), call)
    assert refused(guard(known, goal, text=words), call) == ""
    if skill != "SliceObject":  # whoever made the goal, the words don't ask for it
        assert "Nobody asked me" in refused(guard(known, goal, text="put the apple in the sink"), call)


@pytest.mark.parametrize(("held", "allowed"), [("Boots1", False), ("Book1", False), ("Apple1", True), ("Pan1", True)])
def test_the_fridge_is_for_food_unless_somebody_says_yes(held: str, allowed: bool) -> None:
    known = world(thing("Fridge1"), thing(held), held=held)
    assert (refused(guard(known), put("Fridge1")) == "") is allowed
    assert refused(guard(known, ask=lambda q, c: "yes"), put("Fridge1")) == ""


def test_what_cannot_be_undone_is_confirmed_where_that_is_wished() -> None:
    table = SkillTable([SkillSpec("SliceObject", irreversible=True), SkillSpec("PickupObject")])
    cut = Goal(Predicate.SLICE, ObjectRef(("Apple",), "apple"))
    call = SkillCall("SliceObject", Target("Apple1"))
    for answer, allowed in (("yes", True), ("", False)):
        watch = guard(
            world(thing("Apple1")), cut, safety=Safety(confirm_irreversible=True), ask=lambda q, c, a=answer: a
        )
        assert (watch.judge(call, table).refusal == "") is allowed
        assert watch.judge(SkillCall("PickupObject", Target("Apple1")), table).refusal == ""
    rehearsed = guard(world(thing("Apple1")), cut, safety=Safety(confirm_irreversible=True), ask=None)
    assert rehearsed.judge(call, table).refusal == ""
    assert any("would ask" in note for note in rehearsed.notes)


def test_a_rule_can_put_things_right_first() -> None:
    rules = parse(
        """
version: 1
rules:
  - name: doors of running microwaves
    when: {skills: [OpenObject], target: [Microwave], target_states: {isToggled: "true"}}
    decision: put_right
    skill: ToggleOff
    message: "I switch the {target} off first."
""",
        household(),
        "rules.yaml",
    )
    on = thing("Microwave1", states={"isToggled": "true"})
    watch = guard(world(on), safety=Safety(rules))
    verdict = watch.judge(SkillCall("OpenObject", Target("Microwave1")), TABLE)
    assert (verdict.refusal, [str(call) for call in verdict.first]) == ("", ["ToggleOff(Microwave1)"])
    assert list(watch.notes) == ["I switch the microwave off first."]


def test_what_is_left_on_is_told_from_what_was_on_before() -> None:
    tap, stove = thing("Faucet1", states={"isToggled": "true"}), thing("StoveKnob1", states={"isToggled": "true"})
    asked = Goal(Predicate.SWITCH_ON, ObjectRef(("StoveBurner",), "stove"))
    watch = guard(world(tap, stove), asked)
    done = [
        Outcome(SkillCall(skill, Target(name)), Code.SUCCESS)
        for skill, name in (("ToggleOn", "Faucet1"), ("ToggleOn", "StoveKnob1"))
    ]
    assert watch.left_on([]) == []
    assert [(rule.decision.value, name) for rule, name in watch.left_on(done)] == [
        ("put_right", "Faucet1"),
        ("warn", "StoveKnob1"),
    ]
    off = Outcome(SkillCall("ToggleOff", Target("Faucet1")), Code.SUCCESS)
    assert [name for _, name in watch.left_on([*done, off])] == ["StoveKnob1"]


def test_a_paused_robot_says_what_it_holds() -> None:
    assert guard(world(thing("Knife1"), held="Knife1")).held_notes(At.PAUSE) == [
        "Careful: I hold a knife, which is sharp."
    ]
    assert guard(world(thing("Apple1"), held="Apple1")).held_notes(At.PAUSE) == []


def test_labels_are_shown_short_and_plain() -> None:
    odd = Node("x\x1b[2J", "Knife\u202e{target}" + "!" * 500, position=(0.0, 0.0, 1.0))
    known = world(odd, thing("Person1"), held=odd.id)
    message = refused(guard(known), SkillCall("ThrowObject"))
    assert "{target}" in message
    assert len(message) < 200
    assert not any(c in message for c in "\x1b\u202e")
