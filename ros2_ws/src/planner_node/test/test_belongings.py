# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whose things are and where they belong, as it was told: heeded, or said to be unknown."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from household_robot import DictMemory
from scripted_robot import ScriptedRobot, thing
from test_choosing import Person

from karma_language.vocabulary import household
from planner_node.memory import OWNER, RULE, TOLD, Knowledge, Recall, Recollection
from planner_node.planner import Instruction, Planner
from planner_node.skills import Code, Node
from planner_node.understand.hearing import Hearing

HOME = (
    thing("Desk1", (0, 0, 1), parent="bedroom"),
    thing("Sofa1", (6, 0, 1), parent="living"),
    thing("Dresser1", (8, 0, 1), parent="bedroom"),
    thing("CellPhone1", (0, 0, 1.2), movable=True, receptacle="Desk1", relation="on", parent="bedroom"),
    thing("Laptop1", (0, 0, 1.2), movable=True, receptacle="Desk1", relation="on", parent="bedroom"),
    thing("Laptop2", (6, 0, 1.2), movable=True, receptacle="Sofa1", relation="on", parent="living"),
    thing("KeyChain1", (6, 0, 1.2), movable=True, receptacle="Sofa1", relation="on", parent="living"),
    Node("bedroom", "Bedroom", layer="room"),
    Node("living", "LivingRoom", layer="room"),
)


class ToldMemory(DictMemory):
    """Remembers what it was told from the start. `owners`: id of a thing → whose it is."""

    def __init__(self, *told: str, **owners: str) -> None:
        super().__init__(HOME)
        self._told = [Recollection(TOLD, f"told:{at}", words, valid_from=at) for at, words in enumerate(told, 1)]
        self._owners = [
            Recollection(
                OWNER, f"owner:{name}", "", knowledge=Knowledge(OWNER, owner, f"It is {owner}'s.", ("",), (name,))
            )
            for name, owner in owners.items()
        ]

    def recall(self, query: str, user: str = "", scene: str = "", limit: int = 0, kinds: Sequence[str] = ()) -> Recall:
        if [*kinds] == [OWNER]:
            return Recall(tuple(self._owners))
        return Recall((*super().recall(query, user, scene, limit, kinds).recollections, *self._told))


def run(text: str, *told: str, **owners: str) -> tuple[Code, str, list[tuple[str, str]]]:
    """Return how it ended, what was said, and what was taken or put where."""
    robot, memory = ScriptedRobot(), ToldMemory(*told, **owners)
    report = Planner(robot, memory, Hearing(household()), household()).run(Instruction(text), Person())
    moves = [call for call in robot.calls if call.skill in ("PickupObject", "PutObject")]
    return report.code, report.message, [(str(call.target), str(call.receptacle)) for call in moves]


def taken(moves: list[tuple[str, str]]) -> list[str]:
    return [name for name, _ in moves]


def test_my_phone_is_not_the_one_that_is_toms() -> None:
    code, message, moves = run("Bring me my phone.", CellPhone1="tom")
    assert (code, moves) == (Code.AMBIGUOUS, [])
    assert "tom" in message
    code, _, moves = run("Bring me Tom's phone.", CellPhone1="tom")
    assert (code, taken(moves)) == (Code.SUCCESS, ["CellPhone1"])


@pytest.mark.parametrize(
    ("text", "owner", "meant"),
    [
        ("Bring me my laptop.", "me", "Laptop2"),
        ("Bring me my laptop.", "tom", "Laptop1"),
        ("Bring me my sister's laptop.", "sister", "Laptop2"),
    ],
)
def test_of_several_things_the_one_is_taken_whose_it_is(text: str, owner: str, meant: str) -> None:
    code, _, moves = run(text, Laptop2=owner)
    assert (code, taken(moves)) == (Code.SUCCESS, [meant])


@pytest.mark.parametrize(("owner", "meant"), [("tom", ["Laptop1"]), ("me", ["Laptop2"]), ("", ["Laptop1", "Laptop2"])])
def test_of_all_of_several_things_what_is_anothers_stays(owner: str, meant: list[str]) -> None:
    code, _, moves = run("Put my laptops on the dresser.", **({"Laptop2": owner} if owner else {}))
    assert (code, sorted(filter(None, taken(moves)))) == (Code.SUCCESS, meant)


@pytest.mark.parametrize(("owner", "meant"), [("tom", ["Laptop1"]), ("me", ["Laptop1", "Laptop2"])])
def test_all_but_what_is_somebodys(owner: str, meant: list[str]) -> None:
    code, message, moves = run("Put all the laptops but Tom's on the dresser.", Laptop2=owner)
    if owner == "tom":
        assert (code, [*filter(None, taken(moves))]) == (Code.SUCCESS, meant)
    else:  # which one is his nobody told: nothing is done to any
        assert (code, moves) == (Code.AMBIGUOUS, [])
        assert "Tom's" in message


@pytest.mark.parametrize(
    ("text", "owners", "meant"),
    [
        ("Bring me any laptop but Tom's.", {"Laptop1": "tom"}, ["Laptop2"]),
        (
            "Put all the laptops and phones but Tom's on the dresser.",
            {"Laptop1": "tom", "CellPhone1": "tom"},
            ["Laptop2"],
        ),
        ("Put all the laptops but the kids' on the dresser.", {"Laptop1": "kids"}, ["Laptop2"]),
        ("Put all the laptops but Tom's and Anna's on the dresser.", {"Laptop1": "tom"}, []),
    ],
)
def test_what_is_somebodys_is_left_out(text: str, owners: dict[str, str], meant: list[str]) -> None:
    assert [*filter(None, taken(run(text, **owners)[2]))] == meant


@pytest.mark.parametrize(
    "text", ["Put the kids' laptops on the dresser.", "Put all the laptops except mine on the dresser."]
)
def test_whose_several_are_is_not_guessed(text: str) -> None:
    code, message, moves = run(text)
    assert (code, moves) == (Code.AMBIGUOUS, [])
    assert message.startswith("I don't know which laptops")


@pytest.mark.parametrize(
    ("answer", "took"),
    [
        ("the one on the desk is mine", []),
        ("Anna's is on the desk", []),
        ("I'm not sure, maybe the one on the desk?", ["Laptop1"]),
        ("the one on the desk", ["Laptop1"]),
    ],
)
def test_an_answer_that_names_another_or_doubts_is_not_remembered(answer: str, took: list[str]) -> None:
    robot, memory = ScriptedRobot(), ToldMemory()
    planner = Planner(robot, memory, Hearing(household()), household())
    planner.run(Instruction("Bring me Tom's laptop.", user="ann"), Person(answer))
    assert [str(call.target) for call in robot.calls if call.skill == "PickupObject"] == took
    kept = [event.text for event in memory.events if event.text.endswith("is Tom's.")]
    assert len(kept) == (answer == "the one on the desk")


@pytest.mark.parametrize(
    ("text", "question", "kept"),
    [
        ("Bring me Tom's laptop.", "Which laptop is Tom's?", "The laptop on the sofa in the living room is Tom's."),
        ("Bring me my sister's laptop.", "Which laptop is your sister's?", "The laptop on the sofa in the living room "
         "is my sister's."),
    ],
)  # fmt: skip
def test_where_nobody_told_whose_it_is_that_is_asked_and_the_answer_remembered(
    text: str, question: str, kept: str
) -> None:
    robot, memory, person = ScriptedRobot(), ToldMemory(), Person("the one on the sofa")
    planner = Planner(robot, memory, Hearing(household()), household())
    report = planner.run(Instruction(text, user="ann"), person)
    assert (report.code, [asked for asked, _ in person.asked]) == (Code.SUCCESS, [question])
    assert [str(call.target) for call in robot.calls if call.skill == "PickupObject"] == ["Laptop2"]
    assert kept in [event.text for event in memory.events]
    unanswered = planner.run(Instruction(text, user="ann"), Person())
    assert unanswered.code is Code.AMBIGUOUS


@pytest.mark.parametrize("text", ["Put my keys where they belong.", "Put the keys away."])
@pytest.mark.parametrize("told", ["The keys belong on the dresser.", "ok new rule, my keys live on the dresser"])
def test_what_belongs_somewhere_goes_there(text: str, told: str) -> None:
    code, _, moves = run(text, told)
    assert code is Code.SUCCESS
    assert any(place.startswith("Dresser1") for _, place in moves)


@pytest.mark.parametrize(
    "told",
    [
        "The phone is new, nobody ever touches it.",
        "Don't go near the phone, it's my mother's.",
        "From now on, don't touch the phone.",
    ],
)
def test_what_was_forbidden_is_asked_about_before_it_is_done(told: str) -> None:
    code, message, moves = run("Put the phone on the sofa.", told)
    assert (code, moves) == (Code.REFUSED, [])
    assert told in message


@pytest.mark.parametrize(
    "told", ["The phone is a present, but don't tell her.", "The phone on the desk is mine, don't give it to anyone."]
)
def test_what_forbids_something_else_is_no_hindrance(told: str) -> None:
    code, _, moves = run("Bring me my phone.", told)
    assert (code, taken(moves)) == (Code.SUCCESS, ["CellPhone1"])


@pytest.mark.parametrize(
    ("told", "refused"),
    [
        ("Nobody puts the phone on the sofa.", True),
        ("Nothing goes on the sofa.", True),
        ("No phones in the living room, please.", True),
        ("Stay out of the living room.", True),
        ("Stay out of the bathroom.", False),
        ("Never put the phone on the dresser.", False),
        ("No keys on the sofa.", False),
    ],
)
def test_what_is_forbidden_at_one_place_is_done_at_another(told: str, refused: bool) -> None:
    assert (run("Put the phone on the sofa.", told)[0] is Code.REFUSED) is refused


@pytest.mark.parametrize("told", ["Never touch my phone.", "Don't touch the phone, it's charging."])
def test_of_several_things_what_is_not_to_be_touched_stays(told: str) -> None:
    code, message, moves = run("Put everything on the desk on the sofa.", told)
    assert (code, taken(moves)) == (Code.SUCCESS, ["Laptop1", ""])
    assert told in message
    assert run("Put the phone on the sofa.", told)[0] is Code.REFUSED


@pytest.mark.parametrize("text", ["Put all the laptops on the dresser.", "Put the laptop on the dresser."])
def test_any_thing_that_may_be_taken_is_looked_at(text: str) -> None:
    assert run(text, "Don't touch anything on the sofa.")[0] is Code.REFUSED


@pytest.mark.parametrize("but", ["only the laptop stays where it is", "but the laptop stays there"])
def test_what_is_said_to_stay_stays(but: str) -> None:
    code, message, moves = run(f"Move everything from the desk to the sofa, {but}.")
    assert (code, taken(moves), "told" in message) == (Code.SUCCESS, ["CellPhone1", ""], False)


def test_what_is_on_a_place_is_not_to_be_touched_and_other_things_are() -> None:
    told = "My exam papers are sorted on the desk, so please don't touch anything on it."
    assert run("Bring me the phone.", told)[0] is Code.REFUSED
    assert taken(run("Bring me the keys.", told)[2]) == ["KeyChain1"]


@pytest.mark.parametrize(
    "text",
    ["It is charged, so you can take the phone now. Bring it to me.", "You may touch the phone again. Bring it here."],
)
def test_who_permits_it_is_not_asked(text: str) -> None:
    assert taken(run(text, "Don't touch the phone.")[2]) == ["CellPhone1"]


def test_a_rule_that_comes_to_no_other_mind_is_kept() -> None:
    class Ruled(ToldMemory):
        def recall(
            self, query: str, user: str = "", scene: str = "", limit: int = 0, kinds: Sequence[str] = ()
        ) -> Recall:
            rule = Recollection(RULE, "rule:1", "move the phone", source=self.source)
            return Recall((rule,)) if [*kinds] == [RULE] else super().recall(query, user, scene, limit, kinds)

    for source, said in (
        ("event", "You told me: “don't move the phone”"),
        ("", "Somebody asked me not to move the phone"),
    ):
        memory = Ruled()
        memory.source = source
        planner = Planner(ScriptedRobot(), memory, Hearing(household()), household())
        report = planner.run(Instruction("Bring me the phone.", "ann"), Person())
        assert (report.code, said in report.message) == (Code.REFUSED, True)


def test_things_go_by_the_names_that_they_were_given() -> None:
    assert taken(run("Bring me Bertha.", "We call the phone Bertha.")[2]) == ["CellPhone1"]


def test_an_appliance_that_is_told_to_be_broken_is_not_used_unasked() -> None:
    code, message, _ = run("Switch on the laptop on the sofa.", "The laptop's broken since Easter.")
    assert code is Code.REFUSED
    assert "Easter" in message
    code, _, _ = run("Switch on the laptop on the sofa.", "The phone doesn't work.")
    assert code is Code.SUCCESS


def test_what_nobody_told_is_not_said_to_be_forgotten() -> None:
    assert run("Forget my PIN.")[:2] == (Code.NOT_FOUND, "I was told nothing of 'my PIN' that I could forget.")
    assert run("Please forget my PIN, nobody needs it.", "My PIN is 1234.")[:2] == (Code.SUCCESS, "I have noted that.")


def test_where_nothing_was_told_it_is_asked_where_things_belong() -> None:
    code, message, moves = run("Put my keys where they belong.", "The mug belongs on the desk.")
    assert (code, message, moves) == (Code.AMBIGUOUS, "Where shall I put the keys?", [])


@pytest.mark.parametrize("told", ["I always put my keys on the dresser.", "We keep the keys on the dresser."])
def test_where_somebody_keeps_a_thing_is_where_it_belongs(told: str) -> None:
    assert run("Put the keys where they belong.", told)[2] == [("KeyChain1", ""), ("", "Dresser1")]


def test_whose_a_thing_is_is_not_its_name() -> None:
    hearing = Hearing(household())
    assert hearing.offline.names(["the phone belongs to Tom"], 0.0) == {}
    assert hearing.offline.names(["The statue is called Bertha."], 0.0) == {"bertha": ("Statue",)}
