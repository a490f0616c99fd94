# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a user told, asked of a whole memory: the right user's, only what holds, and nothing once it is taken back."""

import pytest
from heard import apply

from karma_memory import Memory, PolicySettings
from karma_memory.events import Event, EventKind
from karma_memory.privacy.consent import Consent
from karma_memory.recall.query import Query
from karma_memory.scene import InvalidEventError
from karma_memory.state.state import MemoryState
from karma_memory.users.erasure import forget_user
from karma_memory.users.facts import UserFacts

NOW = 1_778_061_600.0
"""2026-05-06 10:00 UTC, a Wednesday."""
DAY = 86_400.0
TOLD = (
    "My mother's birthday is on 12 May.",
    "We need milk and eggs.",
    "My sister Anna lives in Graz.",
    "I have a dentist appointment tomorrow at 9 am.",
    "Remind me to call the plumber on Friday.",
    "Remind me to fix the tap.",
    "My phone number is 555 0100.",
)


@pytest.fixture
def memory(path):
    with Memory(path, embedder="lexical") as memory:
        memory.remember([said(i, text) for i, text in enumerate(TOLD)])
        memory.remember([said("b", "My sister Anna lives in Oslo.", "bob"), said("n", "We need bread.", "")])
        yield memory


def said(number, text, user="ann", stamp=NOW):
    return Event(f"e{number}", EventKind.TOLD, stamp, user=user, text=text)


def recall(memory, question, user="ann", now=NOW, **more):
    return memory.recall(Query(question, user=user, now=now, **more))


def ask(memory, question, user="ann", now=NOW, **more):
    return memory.ask(question, user=user, now=now, **more)


def answer(memory, question, user="ann", now=NOW, **more):
    """Return what is answered, without what that rests on; "" where nothing is known."""
    answered = ask(memory, question, user, now, **more).answered
    return answered.text.partition(". You told me")[0] if answered.known else ""


def facts(memory, use, user="ann", now=NOW):
    return memory.with_state(lambda state: use(UserFacts(state, user, now)))


@pytest.mark.parametrize(
    ("question", "said", "sources"),
    [
        ("When is my mother's birthday?", "12 May", ["e0"]),
        ("What must I buy?", "Milk, eggs", ["e1", "e1"]),
        ("Where does Anna live?", "Graz", ["e2"]),
        (
            "What do I have to do tomorrow?",
            "Dentist appointment on 7 May 2026 at 09:00, fix the tap",
            ["e3", "e5"],
        ),
        ("Do I have anything on Friday?", "Call the plumber on 8 May 2026, fix the tap", ["e4", "e5"]),
        ("Do we need milk?", "You told me just now: “We need milk and eggs.”", ["e1"]),
        ("Do we need sugar?", "", []),
        ("Does Anna live in Oslo?", "Graz", ["e2"]),
        ("Bring me an apple.", "", []),
    ],
)
def test_what_the_user_told_answers_with_what_it_rests_on(memory, question, said, sources):
    found = ask(memory, question)
    assert answer(memory, question) == said
    assert [(item.record.kind, item.record.source) for item in found.evidence] == [("facts", s) for s in sources]


def test_nobody_is_answered_with_what_another_told(memory):
    assert answer(memory, "Where does my sister live?", "bob") == "Oslo"
    assert answer(memory, "What must I buy?", "bob") == ""
    assert answer(memory, "What must I buy?", "") == ""
    before = memory.with_state(lambda state: state.snapshot())
    assert answer(memory, "Where does my sister live?", "cid") == ""
    assert facts(memory, lambda f: f.fill(["Phone number"]), "cid")[0].value == ""
    assert memory.with_state(lambda state: state.snapshot()) == before  # asking changes nothing


def test_what_has_ended_answers_no_more_though_nothing_was_told_since(memory):
    assert answer(memory, "When is my dentist appointment?") == "7 May 2026 at 09:00"
    later = recall(memory, "When is my dentist appointment?", now=NOW + 21 * DAY)
    assert answer(memory, "When is my dentist appointment?", now=NOW + 21 * DAY) == ""
    assert not [item for item in later.recollections if item.record.kind == "facts" and item.record.source == "e3"]
    assert answer(memory, "What do I have to do?", now=NOW + 21 * DAY) == "Fix the tap"
    assert answer(memory, "Where does Anna live?", now=NOW + 21 * DAY) == "Graz"
    # ... and the past can be asked
    assert answer(memory, "When is my dentist appointment?", now=NOW + 21 * DAY, at=NOW + 1.0) != ""


def test_what_is_taken_back_answers_no_more(memory):
    (told,) = [item for item in ask(memory, "Where does Anna live?").evidence if item.record.source == "e2"]
    memory.forget([told.record.id], stamp=NOW)
    assert answer(memory, "Where does Anna live?") == ""
    memory.edit("told:e1", "We need flour.", stamp=NOW)
    assert answer(memory, "What must I buy?") == "Flour"
    memory.remember([said("c", "I have called the plumber.", stamp=NOW + 1.0)])
    assert "plumber" not in answer(memory, "What do I have to do?")
    memory.forget(["told:e0"], stamp=NOW)
    assert answer(memory, "When is my mother's birthday?") == ""
    assert answer(memory, "Where does my sister live?", "bob") == "Oslo"


def test_a_user_who_withdraws_consent_is_not_answered_from_what_is_left(memory):
    memory.users.set_consent("ann", Consent(keep=False), NOW)
    found = recall(memory, "What must I buy?")
    assert answer(memory, "What must I buy?") == ""
    assert ask(memory, "What must I buy?").evidence == ()
    assert not [item for item in found.recollections if item.record.kind == "facts"]
    assert facts(memory, lambda f: (f.reminders(), f.shopping_list())) == ([], [])
    assert answer(memory, "Where does my sister live?", "bob") == "Oslo"
    memory.users.set_consent("ann", Consent(keep=True), NOW)
    assert answer(memory, "What must I buy?") == "Milk, eggs"


def test_an_erased_user_is_not_answered(path):
    with Memory(path, embedder="lexical") as memory:
        memory.remember([said(1, TOLD[1]), said(2, "We need tea.", "bob")])
    forget_user(path, "ann")
    with Memory(path, embedder="lexical") as memory:
        assert answer(memory, "What must I buy?") == ""
        assert answer(memory, "What must I buy?", "bob") == "Tea"


def test_answers_survive_a_restart(path):
    with Memory(path, embedder="lexical") as memory:
        memory.remember([said(i, text) for i, text in enumerate(TOLD)])
        memory.upkeep.snapshot()
    with Memory(path, embedder="lexical") as memory:
        assert answer(memory, "What must I buy?") == "Milk, eggs"


def test_reminders_come_in_the_order_of_time(memory):
    found = facts(memory, lambda f: f.reminders())
    assert [(item.what, item.when, item.evidence.record.source) for item in found] == [
        ("dentist appointment", "7 May 2026 at 09:00", "e3"),
        ("call the plumber", "8 May 2026", "e4"),
        ("mother: birthday", "12 May 2026", "e0"),
        ("fix the tap", "", "e5"),
    ]
    assert [item.due for item in found] == [NOW + 23 * 3600.0, NOW + 1.5 * DAY + 7200.0, NOW + 5.5 * DAY + 7200.0, None]
    assert [item.what for item in facts(memory, lambda f: f.reminders(days=1.0))] == [
        "dentist appointment",
        "fix the tap",
    ]
    next_year = facts(memory, lambda f: f.reminders(at=NOW + 365 * DAY))
    assert [(item.what, item.when) for item in next_year] == [("mother: birthday", "12 May 2027"), ("fix the tap", "")]
    assert facts(memory, lambda f: f.shopping_list()) == ["milk", "eggs"]


def test_forms_take_labels_and_questions(memory):
    filled = facts(memory, lambda f: f.fill(["Phone number:", "Sister's name", "Where does Anna live?", "Passport"]))
    assert [item.value for item in filled] == ["555 0100", "Anna", "Graz", ""]
    assert [[e.record.source for e in item.evidence] for item in filled] == [["e6"], ["e2"], ["e2"], []]


@pytest.mark.parametrize(
    "use",
    [
        lambda f: f.fill([]),
        lambda f: f.fill(["x"] * 101),
        lambda f: f.fill(["x" * 100_000]),
        lambda f: f.reminders(days=float("nan")),
        lambda f: f.reminders(days=-1.0),
    ],
)
def test_nonsense_is_refused(memory, use):
    with pytest.raises(InvalidEventError):
        facts(memory, use)


def test_the_user_must_be_named(memory):
    with pytest.raises(InvalidEventError, match="user"):
        facts(memory, lambda f: f.reminders(), user="")


@pytest.mark.parametrize("text", ["What do I " + "have " * 20_000, "?" * 100_000, "(" * 50_000, "@0 " * 30_000])
def test_very_long_questions_are_not_read(memory, text):
    state = memory.with_state(lambda state: state)
    assert state.facts.agent("ann", NOW).ask(text, NOW).entities == ()


@pytest.mark.parametrize("text", ["bring me Anna's cup", "Bring my sister's phone.", "put my boss's mug on the desk"])
def test_a_request_is_no_question(memory, text):
    assert not answer(memory, text)


@pytest.mark.parametrize(
    ("told", "question", "said"),
    [
        ("The code of the garage is 7788.", "What's the garage code?", "7788"),
        ("My locker code is 4451.", "What is the code of my locker?", "4451"),
        ("My passport is in the desk drawer.", "Where is my passport?", "desk drawer"),
        ("The rent is due on 12 May.", "When is the rent due?", "12 May 2026"),
        ("Remind me to water the plants on Sunday.", "When must I water the plants?", "10 May 2026"),
        ("My doctor is called Dr. Weber.", "What is my doctor's name?", "Dr Weber"),
        ("I have a meeting with Kim on Monday at 10.", "When is my meeting with Kim?", "11 May 2026 at 10:00"),
        ("My phone number is 555 0100.", "What is my cousin's phone number?", ""),
        ("My locker code is 4451.", "What is the code of my safe?", ""),
        ("Remind me to water the plants on Sunday.", "When must I wash the plants?", ""),
    ],
)
def test_a_question_may_put_it_otherwise_than_it_was_told(told, question, said):
    state = MemoryState(PolicySettings())
    apply(state, Event("e1", EventKind.TOLD, NOW, user="ann", text=told))
    assert UserFacts(state, "ann", NOW).fill([question])[0].value == said
