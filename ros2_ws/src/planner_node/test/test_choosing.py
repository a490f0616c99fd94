# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an instruction leaves open: asked once, then known; corrected afterwards; never in the way of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from household_robot import DictMemory
from preferring_memory import PreferringMemory
from scripted_robot import ScriptedRobot, thing

from karma_language.vocabulary import household
from karma_memory.privacy.consent import Consent
from planner_node.ground.alternatives import open_things, places_for
from planner_node.ground.names import Grounding
from planner_node.memory import EventKind
from planner_node.planner import Instruction, Planner, Report, Unobserved
from planner_node.skills import Code, Node
from planner_node.understand.goals import ObjectRef, Understood
from planner_node.understand.hearing import Hearing
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.world import World

BEDROOM = Node("bedroom", "Bedroom", layer="room")
KITCHEN = Node("kitchen", "Kitchen", layer="room")
FURNITURE = (
    thing("CounterTop1", (0, 0, 1), parent="kitchen"),
    thing("Fridge1", (6, 0, 1), parent="kitchen", states={"isOpen": "false"}),
    thing("Cabinet1", (7, 0, 1), parent="kitchen", states={"isOpen": "true"}),
    thing("GarbageCan1", (8, 0, 1), parent="kitchen"),
    thing("Desk1", (9, 5, 1), parent="bedroom"),
    thing("Shelf1", (9, 6, 1), parent="bedroom"),
    BEDROOM,
    KITCHEN,
)
APPLE = thing("Apple1", (1, 0, 1), movable=True, receptacle="CounterTop1")
TOMATO = thing("Tomato1", (2, 0, 1), movable=True, receptacle="CounterTop1")
CUP = thing("Cup1", (0.5, 0, 1), movable=True, receptacle="CounterTop1", relation="on", parent="kitchen")
OTHER_CUP = thing("Cup2", (9, 5, 1.2), movable=True, receptacle="Desk1", relation="on", parent="bedroom")


class Person(Unobserved):
    """Answers questions with what a test says; "" is no answer."""

    def __init__(self, *answers: str) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self._answers = list(answers)

    def ask(self, question: str, choices: Sequence[str]) -> str:
        self.asked.append((question, tuple(choices)))
        return self._answers.pop(0) if self._answers else ""


class Home:
    """A planner with a memory of things and one of preferences."""

    def __init__(self, path: Path) -> None:
        self.robot = ScriptedRobot()
        self.things = DictMemory(FURNITURE)
        self.there = [APPLE, TOMATO, CUP, OTHER_CUP]
        self.preferences = PreferringMemory(path)
        self.restart()

    def restart(self) -> None:
        """Start the planner again, with everything where it was and nothing in the gripper."""
        self.things.nodes = {node.id: node for node in self.there}
        self.planner = Planner(self.robot, self.things, Hearing(household()), household(), preferences=self.preferences)

    def run(self, text: str, *answers: str, user: str = "ann", **fields: bool) -> tuple[Report, Person]:
        self.robot.calls.clear()
        person = Person(*answers)
        return self.planner.run(Instruction(text, user, **fields), person), person

    def took(self) -> str:
        """Return what was picked up in the last run, and put everything back."""
        taken = [str(call.target) for call in self.robot.calls if call.skill == "PickupObject"]
        self.restart()
        return " ".join(taken)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path / "memory.sqlite3")
    yield home
    home.preferences.memory.close()


def test_some_fruit_is_asked_for_once_and_then_known(home: Home) -> None:
    report, person = home.run("Bring me some fruit.", "The tomato, please.")
    assert person.asked == [("Which would you like: apple or tomato?", ("apple", "tomato"))]
    assert (report.code, home.took()) == (Code.SUCCESS, "Tomato1")
    report, person = home.run("Bring me some fruit.")
    assert (person.asked, home.took()) == ([], "Tomato1")
    assert report.message == ('I chose the tomato: asked "Bring me some fruit.", you said "The tomato, please.".')
    assert [r.kind for r in report.recalled][:1] == ["preferences"]


def test_another_user_is_asked_anew(home: Home) -> None:
    home.run("Bring me some fruit.", "The tomato, please.")
    _, person = home.run("Bring me some fruit.", "The apple, please.", user="bo")
    assert len(person.asked) == 1
    home.took()
    _, person = home.run("Bring me some fruit.")
    assert (person.asked, home.took()) == ([], "Tomato1")


def test_a_correction_overrides_at_once(home: Home) -> None:
    report, _ = home.run("Bring me some fruit.", "The tomato, please.")
    receipt = home.planner.feedback("No, I wanted the apple.", "ann", report.instruction_id)
    assert (receipt.code, receipt.message) == (Code.SUCCESS, "I will remember: apple.")
    home.took()
    _, person = home.run("Bring me some fruit.")
    assert (person.asked, home.took()) == ([], "Apple1")


def test_thanks_confirm_and_are_not_counted_twice(home: Home) -> None:
    report, _ = home.run("Bring me some fruit.", "The tomato, please.")
    for _ in range(2):
        assert home.planner.feedback("Thank you!", "ann", report.instruction_id).code is Code.SUCCESS
    (known,) = home.preferences.memory.preferences_of("ann")
    assert (known.chosen, known.confirmed) == ("tomato", 1)
    assert [e for e in home.things.events if e.kind is EventKind.FEEDBACK] == []


def test_a_correction_of_what_nobody_answered_teaches_too(home: Home) -> None:
    report, person = home.run("Bring me some fruit.")
    assert (len(person.asked), report.code) == (1, Code.SUCCESS)
    home.planner.feedback("Next time the tomato, please.", "ann", report.instruction_id)
    home.took()
    _, person = home.run("Bring me some fruit.")
    assert (person.asked, home.took()) == ([], "Tomato1")


@pytest.mark.parametrize(
    ("words", "restarted"),
    [
        ("You were slow.", False),
        ("No, I wanted the apple.", True),
    ],
)
def test_other_feedback_is_remembered_as_it_was_said(home: Home, words: str, restarted: bool) -> None:
    report, _ = home.run("Bring me some fruit.", "The tomato, please.")
    if restarted:
        home.restart()
    assert home.planner.feedback(words, "ann", report.instruction_id).code is Code.SUCCESS
    event = home.things.events[-1]
    assert (event.kind, event.text, event.user, event.episode) == (
        EventKind.FEEDBACK, words, "ann", report.instruction_id
    )  # fmt: skip
    assert [p.chosen for p in home.preferences.memory.preferences_of("ann")] == ["tomato"]


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("user", ["bo", ""])
def test_what_somebody_else_thinks_of_an_instruction_is_refused(home: Home, user: str, restarted: bool) -> None:
    report, _ = home.run("Bring me some fruit.", "The tomato, please.")
    if restarted:
        home.restart()
    told = len(home.things.events)
    for instruction in (report.instruction_id, "nonsense", ""):
        heard = home.planner.feedback("No, I wanted the apple.", user, instruction)
        judged = home.planner.judged(instruction, right=False, user=user)
        assert heard == judged
        assert heard.code is Code.INVALID_ARGUMENT
        assert heard.message.startswith(f"I know of no instruction {instruction} of yours")
    assert len(home.things.events) == told
    assert [p.chosen for p in home.preferences.memory.preferences_of("ann")] == ["tomato"]
    assert home.preferences.memory.preferences_of("bo") == []


def test_what_was_not_understood_can_be_called_wrong(home: Home) -> None:
    report, _ = home.run("Frobnicate the gizmo.")
    assert report.code is Code.NOT_UNDERSTOOD
    assert home.planner.judged(report.instruction_id, right=False, user="ann").code is Code.SUCCESS


def test_without_an_answer_it_goes_on_as_for_nobody(home: Home) -> None:
    report, person = home.run("Bring me some fruit.")
    assert (report.code, report.message, len(person.asked)) == (Code.SUCCESS, "I was not told which, so I chose.", 1)
    for_user = home.took()
    home.run("Bring me some fruit.", user="")
    assert home.took() == for_user


@pytest.mark.parametrize("answer", ["I don't mind.", "Whatever you like.", "Surprise me", "The dragonfruit, please."])
def test_an_answer_that_settles_nothing_does_not_stop_it(home: Home, answer: str) -> None:
    report, _ = home.run("Bring me some fruit.", answer)
    assert report.code is Code.SUCCESS
    assert report.message in ("", "I know of no dragonfruit.")


def test_what_is_known_but_was_not_offered_can_be_asked_for(home: Home) -> None:
    home.there.append(thing("Bread1", (1, 1, 1), movable=True, receptacle="CounterTop1"))
    home.restart()
    _, person = home.run("Bring me some fruit.", "The bread, please.")
    assert (len(person.asked), home.took()) == (1, "Bread1")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("Bring me the apple.", {}),
        ("Bring me an apple.", {}),
        ("Bring me a cup.", {}),
        ("Throw away the fruit.", {}),
        ("Bring me all the fruits.", {}),
        ("Find some fruit.", {}),
        ("Bring me some fruit.", {"user": ""}),
        ("Bring me some fruit.", {"ignore_memory": True}),
        ("Bring me some fruit.", {"dry_run": True}),
        ("Bring me my mug.", {}),
    ],
)
def test_nobody_is_asked_where_nothing_is_left_to_taste(home: Home, text: str, fields: dict[str, bool]) -> None:
    _, person = home.run(text, **{"user": "ann", **fields})  # type: ignore[arg-type]
    assert person.asked == []


def test_one_kind_is_no_choice(home: Home) -> None:
    home.there.remove(TOMATO)
    home.restart()
    _, person = home.run("Bring me some fruit.")
    assert (person.asked, home.took()) == ([], "Apple1")


def test_my_cup_is_the_one_that_was_named_by_where_it_is(home: Home) -> None:
    _, person = home.run("Bring me my cup.", "The one on the desk.")
    ((_, choices),) = person.asked
    assert choices == ("cup on the counter in the kitchen", "cup on the desk in the bedroom")
    assert home.took() == "Cup2"
    report, person = home.run("Bring me my cup.")
    assert (person.asked, home.took()) == ([], "Cup2")
    assert "cup on the desk" in report.message


def test_where_a_thing_belongs_is_asked_once(home: Home) -> None:
    report, person = home.run("Put the apple away.", "In the fridge.")
    ((question, choices),) = person.asked
    assert question.startswith("Where should I put the apple: ")
    assert {"counter", "fridge", "cabinet", "shelf"} <= set(choices)
    assert "garbage can" not in choices
    assert (report.code, home.robot.log[-2:]) == (Code.SUCCESS, ["PutObject(Fridge1)", "CloseObject(Fridge1)"])
    home.restart()
    report, person = home.run("Put the apple away and bring me the tomato.")
    assert person.asked == []
    assert "PutObject(Fridge1)" in home.robot.log
    assert home.robot.log[-1] == "PickupObject(Tomato1)"
    assert 'you said "In the fridge."' in report.message


def test_a_place_that_was_not_offered_can_be_named(home: Home) -> None:
    for answers in (("On the desk, please.",), ()):
        report, person = home.run("Put the apple away.", *answers)
        assert (report.code, home.robot.log[-1], len(person.asked)) == (
            Code.SUCCESS, "PutObject(Desk1)", len(answers)
        )  # fmt: skip
        home.restart()


def test_without_an_answer_nothing_is_put_anywhere(home: Home) -> None:
    report, person = home.run("Put the apple away.")
    assert (report.code, report.message, len(person.asked)) == (Code.AMBIGUOUS, "Where shall I put the apple?", 1)
    assert home.robot.calls == []


def test_one_instruction_can_leave_two_choices_and_each_is_corrected_by_its_name(home: Home) -> None:
    text = "Wash some fruit and bring me my cup."
    report, person = home.run(text, "The tomato.", "The one on the desk.")
    assert len(person.asked) == 2
    home.planner.feedback("No, I meant the cup on the counter.", "ann", report.instruction_id)
    home.robot.calls.clear()
    assert {p.chosen for p in home.preferences.memory.preferences_of("ann") if p.valid_until is None} == {
        "tomato", "cup on the counter in the kitchen"
    }  # fmt: skip


def test_a_memory_that_is_away_stops_nothing(home: Home) -> None:
    home.preferences.away = True
    report, person = home.run("Bring me some fruit.")
    assert (report.code, person.asked) == (Code.SUCCESS, [])


def test_what_was_answered_while_the_memory_went_away_counts_and_is_learned_later(home: Home) -> None:
    class Leaving(Person):
        def ask(self, question: str, choices: Sequence[str]) -> str:
            home.preferences.away = True
            return super().ask(question, choices)

    report = home.planner.run(Instruction("Bring me some fruit.", "ann"), Leaving("The tomato, please."))
    assert (report.code, home.robot.log[-1]) == (Code.SUCCESS, "PickupObject(Tomato1)")
    home.planner.catch_up()
    assert home.preferences.memory.preferences_of("ann") == []
    home.preferences.away = False
    home.planner.catch_up()
    assert [p.chosen for p in home.preferences.memory.preferences_of("ann")] == ["tomato"]


def test_who_wants_nothing_kept_is_asked_each_time_and_told_why(home: Home) -> None:
    home.preferences.memory.users.set_consent("ann", Consent(keep=False), 1.0)
    for _ in range(2):
        report, person = home.run("Bring me some fruit.", "The tomato, please.")
        assert len(person.asked) == 1
        assert "I will not remember that: ann does not agree" in report.message
        assert home.took() == "Tomato1"


def test_more_instructions_than_are_kept_do_no_harm(home: Home) -> None:
    first, _ = home.run("Bring me some fruit.", "The tomato, please.")
    for _ in range(60):
        home.run("Bring me some fruit.", dry_run=False)
    assert home.planner.feedback("No, I wanted the apple.", "ann", first.instruction_id).code is Code.SUCCESS
    assert home.things.events[-1].kind is EventKind.FEEDBACK


def test_options_have_names_that_people_can_tell_apart() -> None:
    world = World(household())
    for node in (*FURNITURE, CUP, OTHER_CUP, thing("Cup3", (0.4, 0, 1), receptacle="CounterTop1", relation="on")):
        world.believe(node, "long_term")
    understood = OfflineUnderstanding(household()).understand("bring me my cup")
    assert isinstance(understood, Understood)
    ((_, options),) = open_things(understood.goals, Grounding(world, household()), world, household())
    assert set(options) >= {"cup on the counter in the kitchen", "cup on the desk in the bedroom"}
    assert len({ref.id for ref in options.values()}) == len(options)
    places = places_for(ObjectRef(("Book",), "book"), world, household())
    assert {"desk", "shelf"} <= set(places)
    assert places_for(ObjectRef(("Book",), "book"), World(household()), household()) == {}
