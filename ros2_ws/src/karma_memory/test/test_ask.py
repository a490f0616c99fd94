# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions about the home and its past are answered from what was seen, done and said, and only from that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from karma_language.reading import Kind, Question
from karma_language.things import Thing
from karma_memory import Code, Event, EventKind, Layer, Node
from karma_memory.events import SkillCall, SkillOutcome, SkillTarget

HOUR = 3600.0
NOON = 1_778_068_800.0
"""2026-05-06 12:00 UTC, when the questions are asked."""
MORNING = NOON - 4 * HOUR
ANN = {"user": "ann", "scene": "home"}


def thing(name, category, receptacle, relation="on", *, seen=MORNING, movable=True, **states):
    return Node(
        name,
        Layer.OBJECT,
        category,
        position=(1.0, 1.0, 1.0),
        parent="area",
        receptacle=receptacle,
        relation=relation,
        movable=movable,
        states=states,
        last_seen=seen,
    )


HOME = (
    Node("kitchen", Layer.ROOM, "Kitchen", "kitchen", size=(4.0, 3.0, 2.5), last_seen=MORNING),
    Node("area", Layer.AREA, "Area", parent="kitchen", last_seen=MORNING),
    thing("table", "DiningTable", "", "", movable=False),
    thing("sofa", "Sofa", "", "", movable=False),
    thing("fridge", "Fridge", "", "", movable=False, isOpen="false"),
    thing("lamp", "FloorLamp", "", "", movable=False, isToggled="true"),
    thing("mug", "Mug", "table", isDirty="true"),
    thing("apple", "Apple", "table"),
    thing("apple2", "Apple", "sofa"),
    Node("suitcase", Layer.OBJECT, "Suitcase", parent="area", receptacle="sofa", relation="on", last_seen=MORNING),
)


def seen(stamp, *nodes, name="seen"):
    return Event(f"{name}-{stamp}", EventKind.OBSERVATION, stamp, scene="home", nodes=nodes)


@pytest.fixture
def memory(store):
    with store.memory() as memory:
        memory.remember([seen(MORNING, *HOME)])
        yield memory


def ask(memory, text, user="", now=NOON):
    asked = memory.ask(text, user=user, scene="home", now=now)
    return asked.answered.text, [one.record.id for one in asked.evidence]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where is the mug?", "The mug is on the dining table, in the kitchen; I saw it at 8:00, 4 hours ago."),
        ("Is the lamp on?", "Yes, the floor lamp is on; I saw it at 8:00, 4 hours ago."),
        ("Is the mug clean?", "No, the mug is dirty; I saw it at 8:00, 4 hours ago."),
        ("What is on the table?", "An apple and a mug are on the table; I saw it at 8:00, 4 hours ago."),
        (
            "How many apples are there?",
            "I know of two apples: on the dining table, in the kitchen; on the sofa, in the kitchen.",
        ),
        ("How many apples are on the sofa?", "I know of one apple on the sofa."),
        (
            "Is there an apple on the sofa?",
            "Yes, an apple: on the sofa, in the kitchen; I saw it at 8:00, 4 hours ago.",
        ),
        (
            "Did I leave my mug on the sofa?",
            "No, not that I know of: I have seen no mug on the sofa. "
            "The mug is on the dining table, in the kitchen; I saw it at 8:00, 4 hours ago.",
        ),
        ("Where is the suitcase?", "The suitcase is on the sofa, in the kitchen; I saw it at 8:00, 4 hours ago."),
        ("When did you last see the mug?", "At 8:00, 4 hours ago: the mug was on the dining table, in the kitchen."),
        ("How many mugs are dirty?", "I know of one dirty mug: on the dining table, in the kitchen."),
        ("How many mugs are clean?", "No clean mugs that I know of."),
        ("What is still on?", "One: the floor lamp in the kitchen; I saw it at 8:00, 4 hours ago."),
        ("Did anything change?", "Nothing has changed that I have noticed."),
    ],
)
def test_what_was_seen_is_answered_with_its_age(memory, question, answer):
    text, evidence = ask(memory, question)
    assert text == answer
    assert bool(evidence) is (question not in ("Did anything change?", "How many mugs are clean?"))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where is the laptop?", "I don't know: I have never seen a laptop."),
        ("What is in the fridge?", "I don't know: I have not looked into the fridge."),
        ("Is the mug broken?", "I don't know: I could not see whether the mug is broken."),
        ("Is there a piano?", "No, not that I know of: I have seen nothing called piano."),
        ("Where was the mug at six?", "I don't know: I remember nothing of the mug then."),
    ],
)
def test_what_could_not_be_seen_is_not_known(memory, question, answer):
    text, evidence = ask(memory, question)
    assert (text, evidence) == (answer, [])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "Is Bob's mug on the table?",
            "I don't know whether any is Bob's. I know of a mug: on the dining table, in the kitchen; "
            "I saw it at 8:00, 4 hours ago.",
        ),
        (
            "Which of my apples is on the sofa?",
            "One: the apple on the sofa, in the kitchen; I saw it at 8:00, 4 hours ago.",
        ),
        (
            "Where is the blue mug?",
            "The mug is on the dining table, in the kitchen; I saw it at 8:00, 4 hours ago. I can't tell whether it is "
            "blue.",
        ),
        (
            "What food is there?",
            "I know of two apples: on the dining table, in the kitchen; on the sofa, in the kitchen.",
        ),
        ("What is on the floor?", "Nothing that I know of is on the floor; I saw it at 8:00, 4 hours ago."),
        ("Is there a spoon?", "No, not that I know of: I have seen no spoon. I have not looked into the fridges."),
        ("What have you not looked into yet?", "I have not looked into the fridges."),
        ("What was in the kitchen a month ago?", "I don't know: I remember nothing of the kitchen then."),
        ("Is anything dirty?", "One: the mug on the dining table, in the kitchen; I saw it at 8:00, 4 hours ago."),
    ],
)
def test_what_nobody_could_see_is_said_beside_what_was_seen(memory, question, answer):
    assert ask(memory, question)[0] == answer


def test_which_of_several_is_told_by_its_height_and_the_room_in_its_name(memory):
    shelves = [
        replace(thing(name, "Shelf", "", "", movable=False), position=(1.0, 0.0, height))
        for name, height in (("low", 0.4), ("high", 1.8))
    ]
    hall = (
        Node("hall", Layer.ROOM, "LivingRoom", "hall", last_seen=MORNING),
        Node("in hall", Layer.AREA, "Area", parent="hall", last_seen=MORNING),
        replace(thing("hall table", "DiningTable", "", "", movable=False), parent="in hall"),
        replace(thing("vase", "Vase", "hall table"), parent="in hall"),
    )
    memory.remember([seen(MORNING + 1.0, *shelves, *hall, thing("book", "Book", "high"), thing("cup", "Cup", "low"))])
    assert ask(memory, "What is on the top shelf?")[0].startswith("A book is on the top shelf")
    assert ask(memory, "What is on the bottom shelf?")[0].startswith("A cup is on the bottom shelf")
    assert "vase" not in ask(memory, "What is on the kitchen table?")[0]


def test_where_a_room_is_and_what_is_known_of_who_asks(memory):
    outcome = SkillOutcome(SkillCall("Explore"), Code.SUCCESS, stamp=NOON - 60.0, position=(0.0, 1.0, 0.0))
    memory.remember([Event("tour", EventKind.SKILL_OUTCOME, NOON - 60.0, scene="home", outcome=outcome)])
    assert ask(memory, "Where is the kitchen?")[0] == "I am in the kitchen now."
    assert ask(memory, "Where is the bathroom?")[0] == "I don't know: I have never seen a bathroom."
    memory.remember([Event("told", EventKind.TOLD, NOON - 50.0, user="ann", text="I can't stand coriander.")])
    assert "coriander" in ask(memory, "What do you know about me?", "ann")[0]
    assert "coriander" not in ask(memory, "What do you know about me?", "bob")[0]


def test_a_thing_that_moved_is_where_it_was_seen_last_and_was_where_it_was(memory):
    memory.remember([seen(NOON - HOUR, thing("mug", "Mug", "sofa", seen=NOON - HOUR, isDirty="true"), name="moved")])
    assert ask(memory, "where is the mug?")[0].startswith("The mug is on the sofa")
    assert ask(memory, "where was the mug at nine?")[0].startswith("The mug was on the dining table")
    changed, _ = ask(memory, "what changed in the last two hours?")
    there, before = "on the sofa, in the kitchen", "on the dining table, in the kitchen"
    assert changed == f"Something has changed. The mug is {there} now, no longer {before} (seen at 11:00, 1 hour ago)."
    assert ask(memory, "who moved the mug?")[0].startswith("I don't know who: I did not see it.")


def test_what_a_person_told_stands_beside_what_was_seen_and_is_theirs(memory):
    memory.remember([Event("told", EventKind.TOLD, NOON - HOUR, user="ann", text="I never want my mug on the shelf.")])
    said = "You told me at 11:00, 1 hour ago: “I never want my mug on the shelf.”"
    assert said in ask(memory, "where is the mug?", "ann")[0]
    assert "shelf" not in ask(memory, "where is the mug?", "bob")[0]


NAMED = (
    Node("guest", Layer.ROOM, "guest bedroom", "guest bedroom", last_seen=NOON),
    Node("nook", Layer.AREA, "Area", parent="guest", last_seen=NOON),
    Node("charger", Layer.OBJECT, "Charger", "iPhone 15 charger", parent="nook", last_seen=NOON),
    Node("books", Layer.OBJECT, "three books", "three books", parent="nook", last_seen=NOON),
    Node("shelf", Layer.OBJECT, "Shelf", "book shelf", parent="nook", last_seen=NOON),
    Node("red", Layer.OBJECT, "Mug", "red mug", parent="nook", receptacle="shelf", relation="on", last_seen=NOON),
    Node("blue", Layer.OBJECT, "Mug", "blue mug", parent="nook", last_seen=NOON),
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where is the iPhone 15 charger?", "The iPhone 15 charger is in the guest bedroom."),
        ("Where are the three books?", "The three books are in the guest bedroom."),
        ("Where is the red mug?", "The red mug is on the book shelf, in the guest bedroom."),
        ("Where is the blue mug?", "The blue mug is in the guest bedroom."),
        ("Where is the green mug?", "I can't tell which of them is green."),
        ("How many mugs are there?", "I know of two mugs: "),
        ("How many red mugs are there?", "I know of one mug: on the book shelf, in the guest bedroom."),
        ("What is on the book shelf?", "A red mug is on the book shelf."),
        ("Is there a book on the book shelf?", "No, not that I know of"),
        ("Is there a red mug in the guest bedroom?", "Yes, a red mug: on the book shelf, in the guest bedroom."),
    ],
)
def test_the_name_of_a_thing_or_a_room_is_what_is_meant(store, question, answer):
    with store.memory() as memory:
        memory.remember([seen(NOON, *NAMED)])
        assert answer in ask(memory, question)[0]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where are my glasses?", "The glasses are on the desk; I saw them at 8:00, 4 hours ago."),
        ("When did you last see the glasses?", "At 8:00, 4 hours ago: the glasses were on the desk."),
        ("How long have the glasses been on the desk?", "The glasses have been on the desk for at least 4 hours"),
        ("What is on the desk?", "Glasses and an iPhone are on the desk;"),
        ("Where is the iPhone?", "The iPhone is on the desk;"),
        ("Where are the keys to the shed?", "The keys to the shed are in the chest;"),
        ("Where is the box of nails?", "The box of nails is in the chest;"),
        ("What is in the toolbox?", "Screwdrivers are in the toolbox;"),
        ("What is in the cup?", "Some orange juice is in the cup;"),
    ],
)
def test_answers_are_plain_english(store, question, answer):
    nodes = {
        name: Node(name, Layer.OBJECT, kind, name, last_seen=MORNING)
        for name, kind in {"desk": "Desk", "toolbox": "toolbox", "cup": "Cup", "chest": "chest"}.items()
    }
    on = {"glasses": "desk", "iPhone": "desk", "screwdrivers": "toolbox", "orange juice": "cup"}
    on |= {"keys to the shed": "chest", "box of nails": "chest"}
    things = (
        Node(name, Layer.OBJECT, name, name, receptacle=place, relation="on" if place == "desk" else "in",
             movable=True, last_seen=MORNING)
        for name, place in on.items()
    )  # fmt: skip
    with store.memory() as memory:
        memory.remember([seen(MORNING, *nodes.values(), *things)])
        assert answer in ask(memory, question)[0]


def test_what_is_gone_is_known_by_its_name(store):
    with store.memory() as memory:
        memory.remember([seen(NOON - 10.0, *NAMED)])
        memory.remember([Event("gone", EventKind.OBSERVATION, NOON, scene="home", removed=("charger", "red"))])
        assert "The iPhone 15 charger was in the guest bedroom" in ask(memory, "Where is the iPhone 15 charger?")[0]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What did I tell you?", "You told me just now: “I like tea.”"),
        ("What happened today?", "You told me just now: “I like tea.”"),
        ("What have you done today?", "Nothing that I remember."),
        ("Did anything change?", "Nothing has changed that I have noticed."),
        ("Where is the mug?", "I don't know: I have never seen a mug."),
        ("Is there a mug?", "No, not that I know of: I have seen no mug."),
        ("How many rooms are there?", "No rooms that I know of."),
        ("What is in the fridge?", "I don't know: I know of no fridge here."),
        ("When did you last see the mug?", "I don't know: I have never seen a mug."),
        ("Who moved the mug?", "I don't know: I remember nothing of the mug then."),
        ("Where are you?", "I don't know yet: I have done nothing here."),
    ],
)
def test_where_nothing_was_seen_what_was_told_is_answered_and_else_that_nothing_was_seen(store, question, answer):
    with store.memory() as memory:
        memory.remember([Event("told", EventKind.TOLD, NOON, user="ann", text="I like tea.")])
        assert memory.ask(question, user="ann", now=NOON).text == answer


def test_what_nobody_in_particular_told_is_not_told_by_who_asks_nor_about_them(memory):
    for name, text in {"p": "My password is hunter2.", "s": "The spare key lies under the stone."}.items():
        memory.remember([Event(name, EventKind.TOLD, NOON, text=text)])
    assert "hunter2" not in ask(memory, "What is my password?", "bob")[0]
    assert ask(memory, "What is my password?")[0] == "You told me just now: “My password is hunter2.”"
    said = "Somebody told me just now: “The spare key lies under the stone.”"
    assert ask(memory, "Where is the spare key?", "bob")[0] == said


@pytest.mark.parametrize("question", ["Where is my mug?", "What did I tell you?", "What did I tell you about the mug?"])
def test_what_a_person_told_more_than_once_is_quoted_once(memory, question):
    told = ("The blue mug is mine.", "The mug is from Rome.", "The blue mug is mine.", "the blue mug is mine.")
    for number, text in enumerate(told):
        memory.remember([Event(f"t{number}", EventKind.TOLD, NOON - HOUR + number, user="ann", text=text)])
    text, evidence = ask(memory, question, "ann")
    assert text.casefold().count("the blue mug is mine") == text.count("from Rome") == 1
    assert [one for one in evidence if one.startswith("told")] == ["told:t3", "told:t1"]


def episode(name, text, user, start, *, code=Code.SUCCESS, why=""):
    call = SkillCall("PickupObject", SkillTarget("apple", "Apple"))
    outcome = SkillOutcome(call, code, "")
    of = {"user": user, "scene": "home", "episode": name}
    return [
        Event(f"{name}-start", EventKind.EPISODE_START, start, text=text, **of),
        Event(f"{name}-skill", EventKind.SKILL_OUTCOME, start + 10, outcome=outcome, **of),
        Event(f"{name}-end", EventKind.EPISODE_END, start + 20, text=why, code=code, **of),
    ]


def test_what_was_done_is_told_to_who_asked_for_it(memory):
    memory.remember(episode("a", "Bring me an apple.", "ann", NOON - HOUR))
    memory.remember(episode("b", "Slice the apple.", "ann", NOON - 600, code=Code.EXECUTION_FAILURE, why="No knife."))
    failed = "10 minutes ago: “Slice the apple.”, which failed."
    done = f"{failed} 60 minutes ago: I picked up the apple – “Bring me an apple.”"
    assert ask(memory, "What have you done today?", "ann")[0] == done
    assert ask(memory, "Why did it fail?", "ann")[0] == "You asked me: “Slice the apple.” It failed: No knife."
    assert "apple" not in ask(memory, "What have you done today?", "bob")[0]
    assert ask(memory, "Did you pick up the apple?", "bob")[0] == "Yes, 60 minutes ago: I picked up the apple."


@pytest.mark.parametrize("text", ["Bring me the mug.", "The mug is mine.", "Can you bring me the mug?"])
def test_what_asks_for_nothing_that_a_memory_knows_is_not_answered(memory, text):
    assert not memory.ask(text, now=NOON).answered.known


def test_what_no_rule_makes_a_fact_of_is_quoted_to_who_told_it(memory):
    told = {"t1": "The bins are collected on Tuesdays.", "t2": "No, the bins are collected on Thursdays now."}
    for number, (name, text) in enumerate(told.items()):
        memory.remember([Event(name, EventKind.TOLD, NOON - 2 * HOUR + number, user="ann", text=text)])
    text, evidence = ask(memory, "When are the bins collected?", "ann")
    assert text == "You told me at 10:00, 2 hours ago: “The bins are collected on Thursdays.”"
    assert [name.partition(":")[0] for name in evidence] == ["told"]
    assert "days" not in ask(memory, "Are the bins collected today?", "ann")[0]  # a quotation says neither yes nor no
    assert "days" not in ask(memory, "When are the bins collected?", "bob")[0]
    assert "days" not in ask(memory, "When is the concert?", "ann")[0]


def test_what_is_near_to_a_question_is_quoted_with_doubt_and_to_who_told_it(store):
    pytest.importorskip("onnxruntime")
    key, told = "who has the spare key?", "btw Mrs Kowalski next door has got our spare one"
    with store.memory(embedder="minilm") as memory:
        memory.remember([Event("told", EventKind.TOLD, NOON, user="ann", text=told)])
        assert ask(memory, key, "ann")[0] == f"I don't know for sure. You told me just now: “{told}”."
        assert not memory.ask(key, user="ann", now=NOON).answered.known
        assert "Kowalski" not in ask(memory, key, "bob")[0]
        assert "Kowalski" not in ask(memory, "how tall is Mount Fuji?", "ann")[0]
        memory.remember([Event("gone", EventKind.EDIT, NOON, user="ann", target="told:told")])
        assert "Kowalski" not in ask(memory, key, "ann")[0]


def test_who_asks_may_be_named_in_what_is_asked(memory):
    memory.remember([Event("told", EventKind.TOLD, NOON, user="ann", text="I'm allergic to wool")])
    assert "wool" in ask(memory, "What is Ann allergic to?", "ann")[0]
    assert "wool" not in ask(memory, "What is Ann allergic to?", "bob")[0]
    assert "wool" not in ask(memory, "What is Bob allergic to?", "ann")[0]


def test_what_is_corrected_and_taken_back_is_not_quoted_any_more(memory):
    told = (
        "Bob's birthday is on the 3rd of March",
        "it's the 13th, not the 3rd",
        "forget what I said about his birthday",
    )
    answers = []
    for number, text in enumerate(told):
        memory.remember([Event(f"t{number}", EventKind.TOLD, NOON - HOUR + number, user="ann", text=text)])
        memory.remember(
            [Event(f"t{number}", EventKind.TOLD, NOON - HOUR + number, user="ann", text=text)]
        )  # sent twice
        answers.append(ask(memory, "When is Bob's birthday?", "ann")[0])
    assert [text.partition(". ")[0] for text in answers] == [
        "3 March",
        "13 March",
        "I don't know: nothing that I have seen or been told answers that.",
    ]


def test_a_question_that_was_read_before_needs_no_english(memory):
    asked = Question(quote="wo ist die Tasse?", kind=Kind.WHERE, thing=Thing(text="mug", categories=("Mug",)))
    answer = memory.ask("wo ist die Tasse?", scene="home", now=NOON, question=asked).answered
    assert answer.text == ask(memory, "where is the mug?")[0]
    unread = memory.ask("wo ist die Tasse?", scene="home", now=NOON).answered
    assert not unread.known
    assert "English" in unread.text


def test_what_was_so_then_is_answered_from_what_was_believed_then(memory):
    later = NOON - HOUR
    memory.remember([seen(later, thing("mug", "Mug", "sofa", seen=later, isDirty="false"), name="moved")])
    memory.remember([seen(later, thing("lamp", "FloorLamp", "", "", movable=False, isToggled="false"), name="off")])
    assert ask(memory, "what was on the table at nine?")[0].startswith("An apple and a mug were on the table")
    assert ask(memory, "what is on the table?")[0].startswith("An apple is on the table")
    assert ask(memory, "was the mug dirty at nine?")[0].startswith("Yes, the mug was dirty")
    assert ask(memory, "was the lamp on at nine?")[0].startswith("Yes, the floor lamp was on")
    assert ask(memory, "was the mug on the table at nine?")[0].startswith("Yes, a mug")
    assert ask(memory, "how many apples were on the sofa at nine?")[0] == "I know of one apple on the sofa."
    assert ask(memory, "was the lamp on at six?")[0] == "I don't know: I remember nothing of the lamp then."


def put(name, what, place, user, start):
    """Return the events of carrying something somewhere."""
    of = {"user": user, "scene": "home", "episode": name}
    calls = (SkillCall("PickupObject", what), SkillCall("PutObject", what, SkillTarget(place, "Sofa")))
    return [
        Event(f"{name}-start", EventKind.EPISODE_START, start, text="Put it over there.", **of),
        *(
            Event(
                f"{name}-{call.skill}",
                EventKind.SKILL_OUTCOME,
                start + 5,
                outcome=SkillOutcome(call, Code.SUCCESS, ""),
                **of,
            )
            for call in calls
        ),
        Event(f"{name}-end", EventKind.EPISODE_END, start + 20, code=Code.SUCCESS, **of),
    ]


def test_where_a_thing_was_before_the_robot_moved_it_and_which_one_it_moved(memory):
    memory.remember(put("p", SkillTarget("apple", "Apple"), "sofa", "ann", NOON - HOUR))
    memory.remember([seen(NOON - HOUR + 30, thing("apple", "Apple", "sofa", seen=NOON - HOUR + 30), name="there")])
    was = "The apple was on the dining table, in the kitchen, before I moved it; now it is on the sofa, in the kitchen."
    for question in ("where was the apple?", "where was the apple before you moved it?"):
        assert ask(memory, question, "bob")[0] == was
    assert (
        ask(memory, "where did you put the apple?")[0]
        == "The apple is on the sofa, in the kitchen; I saw it 60 minutes ago."
    )
    assert (
        ask(memory, "where was the mug before you washed it?")[0] == "I don't know: I remember nothing of the mug then."
    )
    assert (
        ask(memory, "who asked you to move the apple?", "bob")[0] == "Ann did, 60 minutes ago."
    )  # but not in what words
    assert ask(memory, "what have you done today?", "ann")[0] == (
        "60 minutes ago: I took the apple to the sofa – “Put it over there.”"
    )


def test_what_is_put_somewhere_by_an_instruction_of_its_own_is_what_the_outcome_shows(memory):
    memory.remember(episode("a", "Bring me the apple.", "ann", NOON - HOUR))
    there = thing("apple", "Apple", "sofa", seen=NOON - 600)
    memory.remember(
        [
            Event("b", EventKind.EPISODE_START, NOON - 610, text="Put it on the sofa.", **ANN, episode="b"),
            Event(
                "b-skill",
                EventKind.SKILL_OUTCOME,
                NOON - 600,
                outcome=SkillOutcome(SkillCall("PutObject", receptacle=SkillTarget("sofa", "Sofa")), Code.SUCCESS, ""),
                nodes=(there,),
                **ANN,
                episode="b",
            ),
            Event("b-end", EventKind.EPISODE_END, NOON - 590, code=Code.SUCCESS, **ANN, episode="b"),
        ]
    )
    assert ask(memory, "Did you put the apple on the sofa?", "ann")[0].startswith("Yes, 10 minutes ago")
    assert ask(memory, "Who put the apple on the sofa?", "ann")[0].startswith("I did")
    assert "Put it on the sofa." in ask(memory, "Why did you put the apple on the sofa?", "ann")[0]


def test_where_a_thing_was_found_counts_and_not_where_it_was_seen_before_that(memory):
    memory.remember(put("p", SkillTarget("apple", "Apple"), "table", "ann", NOON - HOUR))
    for after, place, relation in ((3, "sofa", "on"), (6, "", "held"), (15, "table", "on")):
        at = NOON - HOUR + after
        memory.remember([seen(at, thing("apple", "Apple", place, relation, seen=at), name="then")])
    assert ask(memory, "where was the apple in the end?")[0].startswith("The apple was on the sofa, in the kitchen")


def test_who_asked_means_somebody_else_and_who_left_it_there_is_not_who_put_it_back(memory):
    apple = SkillTarget("apple", "Apple")
    memory.remember(put("p", apple, "sofa", "ann", NOON - HOUR))
    memory.remember(put("q", apple, "table", "bob", NOON - HOUR + 100))
    moved = thing("apple", "Apple", "table", seen=NOON - HOUR + 115)
    gone = thing("apple", "Apple", "sofa", seen=NOON - HOUR + 105)
    memory.remember([seen(NOON - HOUR + 105, gone, name="a"), seen(NOON - HOUR + 115, moved, name="b")])
    assert ask(memory, "who asked you for the apple?", "bob")[0].startswith("Ann did")
    assert ask(memory, "who left the apple on the table?", "ann")[0].startswith("I don't know")
    assert ask(memory, "who gave me the apple?", "ann")[0].startswith("I don't know")


def test_a_state_is_of_the_thing_at_the_place_that_is_asked_about_or_of_none(memory):
    assert ask(memory, "Is the lamp in the bedroom on?")[0].startswith("I don't know")


def test_how_many_of_a_kind_are_told_apart_from_what_is_also_called_so(memory):
    chairs = (thing(f"chair{n}", "Chair", "", "", movable=False) for n in range(4))
    memory.remember([seen(NOON, *chairs, thing("arm", "ArmChair", "", "", movable=False), name="chairs")])
    assert ask(memory, "how many chairs are there?")[0] == "I know of four chairs, and an armchair besides."


def test_nothing_is_said_of_what_was_not_done(memory):
    assert ask(memory, "did you wash the mug?")[0].startswith("No, not that I remember. The mug is dirty")
    assert ask(memory, "did you close the fridge?")[0] == (
        "The fridge is closed; I saw it at 8:00, 4 hours ago. I can't say that I did it."
    )
    assert ask(memory, "which lamps are off?")[0] == "None that I know of."
    assert ask(memory, "where was the mug while I was away?")[0] == "I don't know: I remember nothing of the mug then."
    assert ask(memory, "how many things are on the table?")[0] == "I know of two things on the table."
    assert ask(memory, "what is on the table other than the apple?")[0].startswith(
        "A mug is on the table, not counting the apple"
    )


def switched(name, lamp, user, start):
    """Return the events of switching something."""
    of = {"user": user, "scene": "home", "episode": name}
    outcome = SkillOutcome(SkillCall("SwitchOff", SkillTarget(lamp, "FloorLamp")), Code.SUCCESS, "")
    return [
        Event(f"{name}-start", EventKind.EPISODE_START, start, text="Turn that lamp off.", **of),
        Event(f"{name}-skill", EventKind.SKILL_OUTCOME, start + 5, outcome=outcome, **of),
        Event(f"{name}-end", EventKind.EPISODE_END, start + 9, code=Code.SUCCESS, **of),
    ]


def test_how_many_things_something_was_done_with_is_not_how_many_are_so(memory):
    lamps = [thing(f"lamp{n}", "FloorLamp", "", "", movable=False, isToggled="false") for n in range(5)]
    memory.remember([seen(MORNING + 1.0, *lamps, name="lamps")])
    for at, (lamp, user) in enumerate((("lamp0", "ann"), ("lamp1", "ann"), ("lamp0", "ann"), ("lamp2", "bob"))):
        memory.remember(switched(f"s{at}", lamp, user, NOON - HOUR + 60 * at))
    assert ask(memory, "How many lamps did I have you turn off?", "ann")[0].startswith("Two lamps that I remember.")
    assert ask(memory, "How many lamps did you turn off?", "ann")[0].startswith("Three lamps that I remember.")
    assert ask(memory, "How many lamps are off?", "ann")[0].startswith("I know of five lamps that are off")


def test_what_somebody_had_the_robot_do_is_told_without_their_words(memory):
    memory.remember(put("p", SkillTarget("apple", "Apple"), "sofa", "Sven", NOON - HOUR))
    said = "60 minutes ago: I took the apple to the sofa."
    assert ask(memory, "What did Sven have you do while I was out?", "ann")[0] == said
    assert ask(memory, "What did Olga have you do?", "ann")[0] == "Nothing that I remember."


def test_what_was_taken_from_a_place_was_there_before(memory):
    memory.remember(put("p", SkillTarget("apple", "Apple"), "sofa", "ann", NOON - HOUR))
    for question in ("what did you take off the table?", "what have you moved off the table?"):
        assert ask(memory, question, "ann")[0].startswith("60 minutes ago: I took the apple to the sofa")
    assert ask(memory, "what did you take off the sofa?", "ann")[0] == "Nothing that I remember."
    assert ask(memory, "did you take the apple off the table?", "ann")[0].startswith("Yes")
    assert not ask(memory, "did you take the apple off the sofa?", "ann")[0].startswith("Yes")


def test_a_thing_may_be_called_by_the_last_word_of_its_name_where_nothing_else_is(memory):
    memory.remember([seen(NOON, thing("coffee", "CoffeeMachine", "table", movable=False, isToggled="true"), name="c")])
    assert ask(memory, "is the machine still on?")[0].startswith("Yes, the coffee machine is on")
    memory.remember([seen(NOON, thing("wash", "WashingMachine", "", "", movable=False), name="w")])
    assert ask(memory, "is the machine still on?")[0] == "I don't know: I have seen nothing called machine."


def test_what_a_pronoun_or_a_name_means_that_nobody_told_is_not_guessed(memory):
    assert ask(memory, "how many are in there?")[0].startswith("I don't know")
    assert ask(memory, "where's Mister Button sitting now?")[0].startswith("I don't know")


def test_what_is_in_the_basin_is_in_the_sink(memory):
    sink, basin = (thing(name, name, "", "", movable=False) for name in ("Sink", "SinkBasin"))
    memory.remember([seen(MORNING + 1.0, sink, basin, thing("egg", "Egg", "SinkBasin", "in"))])
    assert ask(memory, "Is there an egg in the sink?")[0].startswith("Yes, an egg")
    assert ask(memory, "What is in the sink?")[0].startswith("An egg is in the sink")


def test_why_something_failed_is_told_as_it_was_said(memory):
    failed = episode("f", "bring me the boots", "ann", NOON - HOUR, code=Code.NOT_FOUND, why="done: nothing")
    memory.remember([*failed[:-1], replace(failed[-1], message="I found no boots.")])
    assert "It failed: I found no boots." in ask(memory, "why didn't you bring the boots?", "ann")[0]
    assert "It failed: I found no boots." in ask(memory, "what went wrong just now?", "ann")[0]


def test_the_last_thing_that_was_done_is_one(memory):
    for hour, text in ((3, "put the mug on the sofa"), (2, "put the apple on the sofa")):
        memory.remember(episode(f"e{hour}", text, "ann", NOON - hour * HOUR))
    assert "mug" not in ask(memory, "what was the last thing you did?", "ann")[0]
    assert "mug" in ask(memory, "what have you done today?", "ann")[0]


@pytest.mark.parametrize("question", ["where was the mug two months ago?", "where will the mug be tomorrow?"])
def test_of_a_time_before_anything_was_seen_and_of_one_to_come_nothing_is_known(memory, question):
    moved = thing("mug", "Mug", "sofa", seen=NOON - HOUR)
    memory.remember([seen(NOON - HOUR, moved, name="moved")])
    memory.remember([Event("told", EventKind.TOLD, NOON - HOUR, user="ann", text="The mug belongs to Tom.")])
    assert ask(memory, question, "ann")[0].startswith("I don't know")


def test_what_the_robot_carried_was_not_in_its_hand_first(memory):
    for after, place, relation in ((0, "", "held"), (20, "sofa", "on")):
        at = NOON - HOUR + after
        memory.remember([seen(at, thing("mug", "Mug", place, relation, seen=at, isDirty="true"), name="carried")])
    text = ask(memory, "what has changed?")[0]
    assert "no longer on the dining table" in text
    assert "hand" not in text


def test_a_thing_that_is_gone_is_not_taken_for_what_is_also_called_so(memory):
    memory.remember([seen(NOON - HOUR, thing("cup", "Cup", "sofa", seen=NOON - HOUR), name="cup")])
    memory.remember([Event("gone", EventKind.OBSERVATION, NOON - HOUR, scene="home", removed=("mug",))])
    assert ask(memory, "where is the mug?")[0].startswith("I don't know. The mug was on the dining table")


@pytest.mark.parametrize(
    ("question", "yes"),
    [
        ("Are there more than two apples?", False),
        ("Are there more than one apples?", True),
        ("Do we have at least two apples?", True),
        ("Are there fewer than two apples?", False),
        ("Do we have at most two apples?", True),
        ("Is there only one apple?", False),
        ("Do we only have one mug?", True),
        ("Just checking, is there one apple?", True),
        ("Do we have at most five laptops?", True),
        ("Are at least two mugs dirty?", False),
    ],
)
def test_how_many_there_are_is_compared_with_what_is_asked(question, yes, memory):
    assert ask(memory, question)[0].startswith("Yes" if yes else "No")


@pytest.mark.parametrize(
    "question",
    [
        "Are there more apples than mugs?",
        "Do we have as many apples as mugs?",
        "Are there more apples on the table or on the sofa?",
        "Are there enough apples for four people?",
        "Is there an apple in my room?",
    ],
)
def test_what_nothing_answers_is_no_yes(question, memory):
    assert not ask(memory, question)[0].startswith(("Yes", "No"))


def test_into_a_rooms_fridge_nobody_has_looked(memory):
    assert ask(memory, "What is in the kitchen fridge?")[0] == "I don't know: I have not looked into the fridge."


@pytest.mark.parametrize("sofa", ["the kitchen sofa", "the kitchen's sofa", "the sofa in the kitchen"])
def test_a_rooms_furniture_is_not_the_room(sofa, memory):
    said = ask(memory, f"What is on {sofa}?")[0]
    assert said.startswith("An apple and a suitcase are on the ")
    assert ask(memory, f"Is the mug on {sofa}?")[0].startswith("No")
    assert ask(memory, f"Is the suitcase on {sofa}?")[0].startswith("Yes")


def test_the_guest_room_is_not_the_bedroom_though_it_is_one(memory):
    rooms = [Node(name, Layer.ROOM, "Bedroom", name, last_seen=MORNING) for name in ("bedroom", "guest_room")]
    areas = [Node(f"a-{room.id}", Layer.AREA, "Area", parent=room.id, last_seen=MORNING) for room in rooms]
    vases = [replace(thing(f"v-{area.id}", "Vase", "", ""), parent=area.id) for area in areas]
    memory.remember([seen(MORNING + 1.0, *rooms, *areas, *vases, name="rooms")])
    assert ask(memory, "how many vases are in the guest room?")[0] == "I know of one vase in the guest room."
    assert ask(memory, "how many vases are in the bedroom?")[0] == "I know of one vase in the bedroom."


def test_what_was_found_while_the_robot_did_something_else_it_did_not_move(memory):
    opened = episode("o", "open the fridge", "ann", NOON - HOUR)
    memory.remember([opened[0], seen(NOON - HOUR + 1.0, thing("mug", "Mug", "sofa"), name="found"), opened[-1]])
    assert ask(memory, "who moved the mug?", "ann")[0].startswith("I don't know")


def test_how_long_a_thing_is_there_does_not_begin_anew_when_it_gets_dirty(memory):
    memory.remember([seen(NOON - HOUR, thing("mug", "Mug", "table", seen=NOON - HOUR, isDirty="false"), name="washed")])
    assert "4 hours" in ask(memory, "how long has the mug been there?")[0]
    assert "1 hour" in ask(memory, "how long has the mug been clean?")[0]


def test_what_no_rule_reads_is_read_by_its_likeness_to_examples_or_not_at_all(memory):
    text, evidence = ask(memory, "Might you have a notion where my mug has got to these days?")
    assert text.startswith("The mug is on the dining table")
    assert evidence
    for unknown in ("Might you have a notion where my piano has got to these days?", "Colourless green ideas sleep."):
        assert not memory.ask(unknown, scene="home", now=NOON).answered.known


def test_after_a_tour_the_robot_is_where_the_tour_ended_and_sees_what_is_there(memory):
    bedroom = (
        Node("bedroom", Layer.ROOM, "Bedroom", "bedroom", last_seen=MORNING),
        Node("there", Layer.AREA, "Area", parent="bedroom", position=(9.0, 0.0, 0.0), last_seen=MORNING),
        replace(thing("bed", "Bed", "", "", movable=False), parent="there"),
    )
    memory.remember([seen(MORNING, *bedroom, name="bedroom")])
    for number, (position, room, things) in enumerate(
        (((0.0, 1.0, 0.0), "kitchen", "a mug"), ((8.0, 1.0, 0.0), "bedroom", "bed"))
    ):
        stamp = NOON - 60.0 + number
        outcome = SkillOutcome(SkillCall("Explore"), Code.SUCCESS, stamp=stamp, position=position)
        memory.remember([Event(f"tour{number}", EventKind.SKILL_OUTCOME, stamp, scene="home", outcome=outcome)])
        assert ask(memory, "Where are you?")[0] == f"I am in the {room}."
        assert things in ask(memory, "What do you see?")[0].lower()


def test_while_no_room_is_known_all_that_was_seen_is_here(store):
    with store.memory() as memory:
        assert ask(memory, "What do you see?")[0] == "I don't know: I have seen nothing here yet."
        memory.remember([seen(MORNING, *(replace(node, parent="") for node in HOME if node.layer is Layer.OBJECT))])
        assert ask(memory, "What do you see?")[0].startswith("A mug and two apples are here")


def test_a_thing_that_was_carried_about_has_changed_once_or_not_at_all(memory):
    for hours, place in ((3, "sofa"), (2, "fridge"), (1, "sofa")):
        at = NOON - hours * HOUR
        memory.remember([seen(at, thing("mug", "Mug", place, seen=at, isDirty="true"), name="moved")])
    text = ask(memory, "What changed?")[0]
    assert (text.count("mug"), "fridge" in text) == (1, False)
    back = thing("mug", "Mug", "table", seen=NOON - 60.0, isDirty="true")
    memory.remember([seen(NOON - 60.0, back, name="back")])
    assert ask(memory, "What changed since 8:30?")[0] == "Nothing has changed that I have noticed since 8:30."
    assert "fridge" in ask(memory, "Has the mug been moved?")[0]


def test_each_of_several_questions_is_answered(memory):
    asked = memory.ask("Where is the mug and is it dirty? And is the lamp on?", user="", scene="home", now=NOON)
    text = asked.answered.text
    assert text.startswith("The mug is on the dining table, in the kitchen; I saw it")
    assert "Yes, the mug is dirty" in text
    assert "Yes, the floor lamp is on" in text
    assert (asked.answered.known, {one.record.node.id for one in asked.evidence}) == (True, {"mug", "lamp"})
    some = memory.ask("Where is the mug? Where is the dog?", user="", scene="home", now=NOON).answered
    assert (some.known, "dining table" in some.text, "don't know" in some.text) == (False, True, True)


def test_all_of_them_means_all(memory):
    memory.remember([seen(MORNING, thing("lamp2", "FloorLamp", "", "", movable=False, isToggled="false"), name="two")])
    assert ask(memory, "Are all the lamps off?")[0].startswith("No, one of two is on: the floor lamp ")
    assert ask(memory, "Is any lamp off?")[0].startswith("Yes, ")
    assert "sofa" not in ask(memory, "Which lamps are not on?")[0]


def test_what_was_held_before_is_put_down_without_its_name(memory):
    began = Event("s", EventKind.EPISODE_START, NOON - 9, user="ann", scene="home", episode="e", text="put it down")
    outcome = SkillOutcome(SkillCall("PutObject", receptacle=SkillTarget("table")), Code.SUCCESS, stamp=NOON - 8)
    put = Event("p", EventKind.SKILL_OUTCOME, NOON - 8, scene="home", episode="e", outcome=outcome)
    ended = Event("d", EventKind.EPISODE_END, NOON - 7, user="ann", scene="home", episode="e", code=Code.SUCCESS)
    memory.remember([began, put, ended])
    assert "I took what I held to the dining table" in ask(memory, "What did you do today?", "ann")[0]


def test_floors_and_walls_count(memory):
    floors = [
        Node(f"floor{n}", Layer.FLOOR, name=f"floor {n}", position=(0, 0, 3.0 * n), last_seen=MORNING) for n in (0, 1)
    ]
    rooms = [
        Node("hall", Layer.ROOM, "LivingRoom", "living room", parent="floor0", last_seen=MORNING),
        Node("attic", Layer.ROOM, "Bedroom", "guest room", parent="floor1", last_seen=MORNING),
    ]
    areas = [
        Node(f"in {room.id}", Layer.AREA, "Area", parent=room.id, position=(9.0, 9.0, 0.0), last_seen=MORNING)
        for room in rooms
    ]
    desk = replace(thing("desk", "Desk", "", "", movable=False), parent="in attic")
    book = replace(thing("book", "Book", "desk"), parent="in hall")  # as it was filed, on the other side of the wall
    tv = replace(thing("tv", "Television", "", "", movable=False), parent="in hall")
    memory.remember([seen(MORNING, *floors, *rooms, *areas, desk, book, tv, name="house")])
    assert "in the guest room" in ask(memory, "Where is the book?")[0]
    assert "book" not in ask(memory, "What is next to the television?")[0]
    assert ask(memory, "How many floors does the house have?")[0] == "I know of two floors."
    assert ask(memory, "How many rooms are there downstairs?")[0].startswith("I know of one room downstairs")
    assert ask(memory, "Which floor is the book on?")[0] == "The book is on floor 1, in the guest room."
    assert (
        ask(memory, "Is the television upstairs or downstairs?")[0]
        == "The television is on floor 0, in the living room."
    )
    assert ask(memory, "What floor is the kitchen on?")[0] == "I don't know that."  # it was filed under none
    assert ask(memory, "Which floor is the spoon on?")[0] == "I don't know: I have never seen a spoon."
    upstairs = ask(memory, "Which rooms are upstairs?")[0]
    assert "guest room" in upstairs
    assert "living room" not in upstairs
