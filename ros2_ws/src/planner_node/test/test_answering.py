# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions that the memory answers, among requests, statements and what nobody knows."""

from __future__ import annotations

import pytest
from no_memory import NoMemory
from scripted_robot import Person, ScriptedRobot, shows, thing

from karma_language.answers.wording import UNANSWERED
from karma_language.reading import Kind, Question
from karma_language.vocabulary import household
from planner_node.instruction import Instruction
from planner_node.memory import Answer, EventKind, MemoryUnavailable, Recollection
from planner_node.planner import Planner
from planner_node.skills import Code
from planner_node.status import Following, Status
from planner_node.understand.answering import Look
from planner_node.understand.hearing import Hearing

MAY_6 = 1_778_061_600.0
"""2026-05-06 10:00 UTC."""
FACT = Recollection("facts", "facts:e1#0", "We need milk.", source="e1", valid_from=MAY_6)


class Knowing(NoMemory):
    """Answers every question of one user."""

    def __init__(self, answer: str = "milk.", *evidence: Recollection, look: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.said = Answer(answer, bool(evidence), look, evidence)

    def ask(self, words: str, user: str = "", scene: str = "", question: Question | None = None) -> Answer:
        return self.said if user == "ann" else Answer()


class Silent(NoMemory):
    def ask(self, words: str, user: str = "", scene: str = "", question: Question | None = None) -> Answer:
        raise MemoryUnavailable("gone")


def ask(text: str, memory: NoMemory, robot: ScriptedRobot | None = None, user: str = "ann", **more: bool):
    planner = Planner(robot or ScriptedRobot(), memory, Hearing(household()), household())
    return planner.run(Instruction(text, user, **more))


QUESTIONS = [
    "What must I buy?",
    "what should I buy",
    "When is my mother's birthday?",
    "What do I have to do tomorrow?",
    "Where does Anna live?",
    "Do you know where my sister lives",
    "Please tell me when my mother's birthday is.",
    "Karma, what's on my shopping list?",
    "Am I allergic to nuts?",
    "Where is my dentist appointment?",
    "When do I have to take out the trash?",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_from_memory_and_nothing_moves(question: str) -> None:
    robot = ScriptedRobot()
    memory = Knowing("milk.", FACT)
    report = ask(question, memory, robot)
    assert report.code is Code.SUCCESS
    assert report.message == "milk."
    assert report.recalled == (FACT,)
    assert (robot.log, memory.events) == ([], [])


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_nobody_told_is_not_known(question: str) -> None:
    robot = ScriptedRobot()
    report = ask(question, Knowing(""), robot)
    assert report.code is Code.NOT_FOUND
    assert "nothing that I have seen or been told" in report.message
    assert (robot.log, report.recalled) == ([], ())


@pytest.mark.parametrize(
    "request_",
    [
        "Can you bring me the cup?",
        "Where is the cup? Bring it to me.",
        "Could you put the cup on the table?",
        "Would you look at the cup?",
    ],
)
def test_a_request_stays_a_request(request_: str) -> None:
    cup, table = thing("Cup1", movable=True), thing("DiningTable1", (2, 2, 1), receptacle=True)
    robot = ScriptedRobot({"Explore": [shows(cup, table)]})
    report = ask(request_, Knowing("milk.", FACT), robot)
    assert report.goals
    assert robot.log
    assert FACT not in report.recalled


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What must I buy?", "milk."),
        ("Where is the bowl?", "The bowl is on the dining table."),
    ],
)
def test_a_question_behind_a_request_is_answered_when_that_is_done(question: str, answer: str) -> None:
    bowl = thing("Bowl1", (2, 2, 1), movable=True, receptacle="DiningTable1")
    robot = ScriptedRobot({"Explore": [shows(thing("Cup1", movable=True), thing("DiningTable1", (2, 2, 1)), bowl)]})
    report = ask(f"Pick up the cup. {question}", Knowing("milk.", FACT), robot)
    assert (report.code, report.message) == (Code.SUCCESS, answer)
    assert "PickupObject(Cup1)" in robot.log


def test_that_a_question_behind_a_request_can_not_be_answered_is_said() -> None:
    robot = ScriptedRobot({"Explore": [shows(thing("Cup1", movable=True))]})
    report = ask("Pick up the cup. What time is it?", NoMemory(), robot, user="")
    assert (report.code, report.message) == (Code.SUCCESS, UNANSWERED)


@pytest.mark.parametrize(
    ("question", "code"),
    [("When the cup is clean, put it on the table.", Code.SUCCESS), ("What I like best is tea.", Code.SUCCESS)],
)
def test_a_sentence_with_a_question_word_is_no_question(question: str, code: Code) -> None:
    report = ask(question, Knowing("milk.", FACT))
    assert (report.code, report.recalled) == (code, ())


def test_only_a_user_who_wants_memory_is_answered() -> None:
    for more in ({"user": ""}, {"ignore_memory": True}):
        report = ask("What must I buy?", Knowing("milk.", FACT), **more)
        assert (report.code, report.recalled) == (Code.NOT_FOUND, ())
    assert ask("What must I buy?", Silent()).code is Code.UNAVAILABLE


@pytest.mark.parametrize(
    ("says", "way", "looks", "asks"),
    [
        ("Yes, please.", Look.ASK, True, True),
        ("no", Look.ASK, False, True),
        ("", Look.ASK, False, True),
        ("no", Look.ALWAYS, True, False),
        ("yes", Look.NEVER, False, False),
    ],
)
@pytest.mark.parametrize(("question", "look"), [("Where is my cup?", ()), ("What is in the fridge?", ("Fridge",))])
def test_what_is_not_known_is_looked_for_as_its_user_wants(
    question: str, look: tuple[str, ...], says: str, way: Look, looks: bool, asks: bool
) -> None:
    robot = ScriptedRobot({"Explore": [shows(thing("Cup1", movable=True), thing("Fridge1", (2, 2, 1)))]})
    planner = Planner(robot, Knowing("I don't know.", look=look), Hearing(household()), household())
    planner.listener.look = way
    person = Person(says)
    report = planner.run(Instruction(question, "ann"), person)
    assert (bool(robot.log), person.heard) == (looks, ["I don't know. Shall I look?"] if asks else [])
    assert looks or report.message == "I don't know."


def test_what_tells_facts_is_told() -> None:
    memory = Knowing("")
    assert ask("We need milk.", memory).code is Code.SUCCESS
    (event,) = memory.events
    assert (event.kind, event.text, event.user) == (EventKind.TOLD, "We need milk.", "ann")
    assert ask("We need milk.", Knowing(""), user="ann").code is Code.SUCCESS  # whatever is made of the words


def test_a_long_question_is_refused_as_any_long_text_is() -> None:
    report = ask("What " + "????" * 25_000 + " must I buy", Knowing("milk.", FACT))
    assert (report.code, report.recalled) == (Code.INVALID_ARGUMENT, ())


@pytest.mark.parametrize("before", ["What is in the fridge?", "The fridge is from my aunt.", "Paint the fridge."])
def test_what_was_only_spoken_of_is_what_it_means(before: str) -> None:
    robot = ScriptedRobot({"Explore": [shows(thing("Fridge1"))]})
    planner = Planner(robot, NoMemory(), Hearing(household()), household())
    planner.run(Instruction(before, "ann"))
    assert [goal.predicate.value for goal in planner.run(Instruction("open it", "ann")).goals] == ["open"]
    assert planner.run(Instruction("close it", "bo")).code is not Code.SUCCESS


def test_it_is_what_the_robot_has_just_said_is_there() -> None:
    apple = Recollection("short_term", "apple", "", object=thing("Apple1"))
    planner = Planner(ScriptedRobot(), Knowing("An apple is in the fridge.", apple), Hearing(household()), household())
    planner.run(Instruction("What is in the fridge?", "ann"))
    report = planner.run(Instruction("Bring it to me.", "ann", dry_run=True))
    assert [str(goal) for goal in report.goals] == ["bring(apple)"]


@pytest.mark.parametrize(
    ("question", "then", "ids"),
    [
        ("Is there a mug in the bedroom?", "Bring it to me.", ["Mug2"]),
        ("Which mugs are in the bedroom?", "Wash them.", ["Mug2", "Mug3"]),
        ("How many mugs are in the bedroom?", "Bring me the mug.", [""]),
    ],
)
def test_it_is_the_thing_that_an_answer_has_found(question: str, then: str, ids: list[str]) -> None:
    mugs = [Recollection("graph", name, "", object=thing(name)) for name in ("Mug2", "Mug3")]
    memory = Knowing("Yes.", *mugs[: 1 if question.startswith("Is") else 2])
    planner = Planner(ScriptedRobot(), memory, Hearing(household()), household())
    planner.run(Instruction(question, "ann"))
    report = planner.run(Instruction(then, "ann", dry_run=True))
    assert [goal.object and goal.object.id for goal in report.goals] == ids


def test_a_question_beside_a_need_is_what_is_asked() -> None:
    robot = ScriptedRobot()
    report = ask("I'm hungry, what is there to eat?", Knowing("An apple.", FACT), robot)
    assert (report.code, report.message, robot.log) == (Code.SUCCESS, "An apple.", [])


def test_why_something_was_not_done_is_told() -> None:
    planner = Planner(ScriptedRobot(), NoMemory(), Hearing(household()), household())
    refused = planner.run(Instruction("Put the fridge in the mug.", "ann"))
    assert refused.code is not Code.SUCCESS
    assert planner.run(Instruction("Why not?", "ann")).message == refused.message
    assert planner.run(Instruction("Why not?", "bo")).code is Code.NOT_FOUND
    last = planner.run(Instruction("What was the last thing I asked?", "ann")).message
    assert last == f"You asked: “Put the fridge in the mug.” I did not do that: {refused.message}"


def test_another_thing_alone_is_asked_of_as_the_one_before() -> None:
    asked = []

    class Asked(NoMemory):
        def ask(self, words: str, user: str = "", scene: str = "", question: Question | None = None) -> Answer:
            asked.append((question.kind, question.state, question.thing and question.thing.text) if question else words)
            return Answer("Yes.", True)

    planner = Planner(ScriptedRobot(), Asked(), Hearing(household()), household())
    for text, user in (
        ("Is the microwave on?", "ann"),
        ("And the TV?", "ann"),
        ("And the TV?", "bo"),
        ("The TV?", "ann"),
    ):
        planner.run(Instruction(text, user))
    assert asked == ["Is the microwave on?", (Kind.STATE, "on", "TV"), "And the TV?", "The TV?"]


def test_the_picture_of_an_answer_is_shown_with_how_the_instruction_ended() -> None:
    class Pictured(NoMemory):
        def ask(self, words: str, user: str = "", scene: str = "", question: Question | None = None) -> Answer:
            return Answer("On the table.", True, picture="a picture" if "mug" in words else None)

    following = Following(Status("1"))
    planner = Planner(ScriptedRobot(), Pictured(), Hearing(household()), household())
    for text in ("Where is the mug?", "Where is the cup?"):  # the next one keeps it: several may be asked at once
        planner.run(Instruction(text), None, "1", following)
        assert following.now.picture == "a picture"


def test_each_of_two_questions_in_a_sentence_is_asked_by_itself() -> None:
    asked = []

    class Asked(NoMemory):
        def ask(self, words: str, user: str = "", scene: str = "", question: Question | None = None) -> Answer:
            asked.append(None if question is None else question.kind)
            return Answer("Yes.", True)

    ask("Where is the mug and is it clean?", Asked())
    ask("Where is the mug?", Asked())
    assert asked == [Kind.WHERE, Kind.STATE, None]  # a sentence with one question is read by the memory
