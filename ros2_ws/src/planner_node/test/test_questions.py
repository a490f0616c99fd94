# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from planner_node.act.questions import Questions


def test_an_answer_reaches_who_waits() -> None:
    questions = Questions()
    taken: list[bool] = []
    answer = questions.wait("q1", 60.0, lambda: False, lambda: taken.append(questions.answer("q1", "the red one")))
    assert answer == "the red one"
    assert taken == [True]


def test_without_an_answer_waiting_ends() -> None:
    assert Questions().wait("q1", 0.0, lambda: False, lambda: None) == ""


def test_cancelling_ends_waiting() -> None:
    assert Questions().wait("q1", 3600.0, lambda: True, lambda: None) == ""


def test_who_will_not_answer_is_not_waited_for() -> None:
    questions = Questions()
    taken: list[bool] = []
    assert questions.wait("q1", 3600.0, lambda: False, lambda: taken.append(questions.answer("q1", ""))) == ""
    assert taken == [True]


def assert_taken(questions: Questions) -> None:
    assert questions.answer("q1", "yes")


def test_nobody_waits_for_an_answer_to_another_or_an_old_question() -> None:
    questions = Questions()
    assert questions.wait("q1", 60.0, lambda: False, lambda: assert_taken(questions)) == "yes"
    assert not questions.answer("q1", "again")
    assert not questions.answer("q2", "no")


def test_an_answer_that_is_said_again_is_taken_again_but_another_is_not() -> None:
    questions = Questions()
    assert questions.wait("q1", 60.0, lambda: False, lambda: assert_taken(questions)) == "yes"
    assert questions.answer("q1", "yes")
    assert not questions.answer("q1", "no")


def test_nobody_answers_for_somebody_else() -> None:
    questions = Questions()
    taken: list[bool] = []

    def asked() -> None:
        taken.extend(questions.answer("q1", text, user) for user, text in (("bo", "his"), ("ann", "hers")))

    assert questions.wait("q1", 60.0, lambda: False, asked, user="ann") == "hers"
    assert taken == [False, True]
    assert questions.wait("q2", 60.0, lambda: False, lambda: assert_taken_from_anybody(questions), user="ann") == "yes"


def assert_taken_from_anybody(questions: Questions) -> None:
    assert questions.answer("q2", "yes")
