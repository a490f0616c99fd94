# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Choices of users on a memory in use: asked once, known after a restart, each user's own, nothing learned twice."""

import itertools
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from karma_memory.memory import Memory
from karma_memory.preferences import Mode, Request
from karma_memory.preferences.serving import MOST_OPTIONS, MOST_WORDS, Choices, Learned, checked_request
from karma_memory.privacy.consent import Consent
from karma_memory.recall.embedder import EmbedderError
from karma_memory.scene import InvalidEventError
from karma_memory.users.erasure import forget_user

ASKED = "Bring me a hot drink."
DRINKS = ("barley tea", "black coffee")


class Server:
    """What a memory server has, which can be started again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamps = itertools.count(1)
        self.start()

    def start(self) -> None:
        self.memory = Memory(self.path, embedder="lexical")
        self.choices = Choices(self.memory)

    def restart(self) -> None:
        self.memory.close()
        self.start()

    def asked(self, user: str = "ann", text: str = ASKED, options: tuple[str, ...] = DRINKS) -> tuple[str, bool]:
        choice, _ = self.choices.choose(drink(user, text, options))
        assert bool(choice.question) is not choice.decision.sure
        return choice.decision.option, choice.decision.sure

    def grounds(self, user: str = "ann") -> list[str]:
        return [ground.record.id for ground in self.choices.choose(drink(user))[1]]

    def told(self, words: str, lesson: str, user: str = "ann", **fields: object) -> Learned:
        stamp = float(next(self._stamps))
        return self.choices.learn(drink(user), words, lesson_id=lesson, stamp=stamp, **fields)  # type: ignore[arg-type]


def drink(user: str = "ann", text: str = ASKED, options: tuple[str, ...] = DRINKS) -> Request:
    return checked_request(user, text, Mode.FETCH, "", options)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path / "memory.sqlite3")
    yield server
    server.memory.close()


def test_an_answer_is_known_the_next_time_and_after_a_restart(server: Server) -> None:
    choice, grounds = server.choices.choose(drink())
    assert choice.question == "Which would you like: barley tea or black coffee?"
    assert (choice.candidates, grounds) == (DRINKS, [])
    learned = server.told("The black coffee, please.", "l1", answering=True)
    assert learned == Learned("black coffee", taught=True, record="preferences:l1")
    for _ in range(2):
        choice, grounds = server.choices.choose(drink())
        assert (choice.decision.option, choice.decision.sure, choice.question) == ("black coffee", True, "")
        assert 'who said "The black coffee, please."' in choice.decision.why
        assert [ground.record.id for ground in grounds] == ["preferences:l1"]
        server.restart()


def test_another_user_is_asked_anew_and_changes_nothing(server: Server) -> None:
    server.told("The black coffee, please.", "l1")
    assert server.asked("bo") == ("", False)
    server.told("The barley tea, please.", "l2", user="bo", acted_on="preferences:l1")
    assert server.asked("ann") == ("black coffee", True)
    assert server.asked("bo") == ("barley tea", True)


def test_the_same_lesson_twice_teaches_once(server: Server) -> None:
    first = server.told("The black coffee, please.", "l1", answering=True)
    thanks = server.told("Thank you!", "l2", acted_on="preferences:l1")
    assert thanks == Learned(confirmed=True, record="preferences:l1")
    before = server.memory.last_sequence
    assert server.told("The black coffee, please.", "l1", answering=True) == first
    server.restart()
    assert server.told("Thank you!", "l2", acted_on="preferences:l1") == thanks
    assert server.memory.last_sequence == before
    (known,) = server.memory.preferences_of("ann")
    assert known.confirmed == 1


def test_an_id_that_stands_for_something_else_is_refused(server: Server) -> None:
    server.told("The black coffee, please.", "l1")
    with pytest.raises(InvalidEventError, match="stands for something else"):
        server.told("The barley tea, please.", "l1")
    with pytest.raises(InvalidEventError, match="stands for something else"):
        server.told("The black coffee, please.", "l1", user="bo")


def test_a_correction_overrides_at_once_and_the_old_belief_is_closed(server: Server) -> None:
    server.told("The black coffee, please.", "l1", answering=True)
    learned = server.told("No, I wanted the barley tea.", "l2", acted_on="preferences:l1")
    assert learned == Learned("barley tea", taught=True, record="preferences:l2")
    assert server.asked() == ("barley tea", True)
    old, new = server.memory.preferences_of("ann")
    assert (old.chosen, old.replaced_by, new.valid_until) == ("black coffee", "l2", None)


def test_chatter_and_thanks_for_a_guess_teach_nothing(server: Server) -> None:
    before = server.memory.last_sequence
    for words in ("What a day.", "Thanks!", "I don't mind, whatever you like.", "You decide."):
        assert server.told(words, f"lesson {words}") == Learned()
    assert server.memory.last_sequence == before


def test_a_condition_in_a_correction_holds_under_it_only(server: Server) -> None:
    server.told("The black coffee, please.", "l1", answering=True)
    server.told("No, barley tea when I'm tired.", "l2", acted_on="preferences:l1")
    assert server.asked() == ("black coffee", True)
    assert server.asked(text=f"I'm tired. {ASKED}")[0] == "barley tea"


def test_words_about_another_choice_teach_nothing_where_there_are_several(server: Server) -> None:
    assert server.told("No, I wanted the armchair.", "l1", others=True) == Learned()
    assert server.told("No, I wanted the cocoa.", "l2").option == "cocoa"
    assert server.told("No, I wanted the barley tea.", "l3", others=True).taught


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("barley", "barley tea"),
        ("the coffee one", "black coffee"),
        ("barley teas", "barley tea"),
        ("Cocoa please", "cocoa"),
    ],
)
def test_an_answer_need_not_name_an_option_in_full(server: Server, words: str, option: str) -> None:
    assert server.told(words, "l1", answering=True).option == option


def test_of_who_does_not_agree_nothing_is_kept_and_they_are_told_so(server: Server) -> None:
    server.memory.users.set_consent("ann", Consent(keep=False), 1.0)
    before = server.memory.last_sequence
    learned = server.told("The black coffee, please.", "l1", answering=True)
    assert (learned.option, learned.taught) == ("black coffee", False)
    assert "does not agree" in learned.remark
    assert server.memory.last_sequence == before
    assert server.asked() == ("", False)


def test_erasing_a_user_leaves_nothing_of_what_they_taught(server: Server) -> None:
    server.told("The black coffee, please, as my physician said.", "l1", answering=True)
    server.told("The barley tea, please.", "l2", user="bo")
    server.memory.close()
    forget_user(str(server.path), "ann")
    left = b"".join(path.read_bytes() for path in server.path.parent.iterdir())
    assert b"physician" not in left
    server.start()
    assert server.asked() == ("", False)
    assert server.asked("bo") == ("barley tea", True)


def test_a_preference_that_was_taken_back_is_asked_for_again(server: Server) -> None:
    server.told("The black coffee, please.", "l1", answering=True)
    server.memory.forget(["preferences:l1"], user="ann", stamp=9.0)
    assert server.asked() == ("", False)


@pytest.mark.parametrize(
    "fields",
    [
        {"user": ""},
        {"user": "a\nb"},
        {"text": "   "},
        {"text": "x" * (MOST_WORDS + 1)},
        {"options": ()},
        {"options": [f"thing {n}" for n in range(10_000)]},
        {"options": ["tea", ""]},
        {"options": ["tea", "\x00"]},
        {"options": ["tea", "t" * 201]},
        {"options": ["tea", "\ud800"]},
        {"mode": Mode.PUT, "thing": " "},
        {"mode": Mode.PUT, "thing": "t" * 201},
    ],
)
def test_nonsense_is_refused_with_a_reason(fields: dict[str, object]) -> None:
    good: dict[str, object] = {"user": "ann", "text": ASKED, "mode": Mode.FETCH, "thing": "", "options": DRINKS}
    with pytest.raises(InvalidEventError) as error:
        checked_request(**{**good, **fields})  # type: ignore[arg-type]
    assert str(error.value)


def test_strange_but_sound_names_are_options(server: Server) -> None:
    options = ("NaN", "-inf", "🍵 tea", "Tea", "tea", "1e999")
    request = checked_request("ann", ASKED, Mode.FETCH, "", options)
    assert request.options == ("NaN", "-inf", "🍵 tea", "Tea", "1e999")
    choice, _ = server.choices.choose(request)
    assert choice.question
    assert choice.decision.confidence == 0.0


@pytest.mark.parametrize("words", ["", "  ", "x" * (MOST_WORDS + 1)])
def test_empty_or_endless_words_are_refused(server: Server, words: str) -> None:
    with pytest.raises(InvalidEventError):
        server.told(words, "l1")


def test_a_hundred_options_make_a_question_of_a_few(server: Server) -> None:
    request = checked_request("ann", ASKED, Mode.FETCH, "", [f"drink {n}" for n in range(MOST_OPTIONS)])
    choice, _ = server.choices.choose(request)
    assert 1 < len(choice.candidates) < 10


def test_what_is_only_asked_leaves_no_vector_on_disk(tmp_path: Path) -> None:
    try:
        memory = Memory(tmp_path / "memory.sqlite3", embedder="minilm")
    except EmbedderError as error:
        pytest.skip(str(error))
    with memory:
        choices = Choices(memory)
        choices.learn(drink("bo"), "The barley tea.", lesson_id="l1", stamp=1.0)
        memory.users.set_consent("ann", Consent(keep=False), 1.0)
        choices.choose(drink("bo", "Would you have some tea for me?"))
        choices.choose(drink("ann", "Ann's very own words", ("an own thing", "another own thing")))
    with sqlite3.connect(tmp_path / "memory.sqlite3.vectors") as connection:
        ((count,),) = connection.execute("SELECT count(*) FROM vectors").fetchall()
    assert count <= 2  # of the records of what bo taught
