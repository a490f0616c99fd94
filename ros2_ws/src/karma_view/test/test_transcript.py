# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What was said, as all viewers of a page see it."""

from __future__ import annotations

from builtin_interfaces.msg import Time
from sensor_msgs.msg import CompressedImage
from viewing import ended, running, state

from karma_interfaces.msg import Recollection, Result
from karma_view.ros.transcript import LENGTH, LONGEST, Transcript


def said(transcript: Transcript) -> list[tuple[str, str]]:
    return [(one.what, one.text) for one in transcript.said]


def test_an_instruction_its_question_and_its_result_are_said_once() -> None:
    transcript = Transcript()
    asking = running(question_id="q1", question="Which mug?", user="Anna", asked=Time(sec=150))
    for status in (running(user="Anna"), asking, asking):
        transcript.hear(state(status))
    transcript.answered("q1", "the red one", "Anna", 155.0)
    done = ended(message="I brought it.", user="Anna", ended_at=Time(sec=160))
    transcript.hear(state(done))
    before = transcript.said
    transcript.hear(state(done))
    assert transcript.said is before
    assert said(transcript) == [
        ("instruction", "Bring me the mug."),
        ("question", "Which mug?"),
        ("answer", "the red one"),
        ("result", "I brought it."),
    ]
    assert [one.time for one in transcript.said] == [100.0, 150.0, 155.0, 160.0]
    assert (transcript.said[-1].code, transcript.said[-1].done) == ("SUCCESS", True)


def test_an_answer_comes_with_what_it_rests_on_and_what_was_done_is_a_sentence() -> None:
    transcript, fact, picture = Transcript(), Recollection(text="Mug is on the Table"), CompressedImage(format="jpeg")
    answer = {"message": "It is on the table.", "recalled": [fact], "picture": [picture]}
    transcript.hear(state(ended("Where is my mug?", **answer)))
    transcript.hear(state(ended("Tidy.", id="i2", goals=["place(mug, sink, in)"], recalled=[fact])))
    results = [one for one in transcript.said if one.what == "result"]
    assert [(one.text, one.evidence, one.picture) for one in results] == [
        ("It is on the table.", (fact,), (picture,)),
        ("Done: place mug in sink.", (), ()),
    ]


def test_what_ended_last_can_be_judged_while_the_next_one_runs() -> None:
    transcript = Transcript()
    transcript.hear(state(ended("Tidy up.", Result.NOT_FOUND, "There is no mug.", user="Anna")))
    transcript.hear(state(running("Bring me an apple.", id="i2")))
    assert transcript.ended is not None
    assert (transcript.ended.id, transcript.ended.instruction, transcript.ended.user) == ("i1", "Tidy up.", "Anna")
    assert (transcript.said[1].code, transcript.said[1].done) == ("NOT_FOUND", False)


def test_what_was_only_planned_is_not_judged() -> None:
    transcript = Transcript()
    transcript.hear(state(ended("Tidy up.", dry_run=True)))
    assert transcript.ended is None
    assert [one.what for one in transcript.said] == ["instruction", "result"]


def test_two_opinions_of_one_instruction_are_both_kept() -> None:
    transcript = Transcript()
    transcript.judged("i1", "That was wrong.", "Anna", 1.0)
    transcript.judged("i1", "That was right.", "Ben", 2.0)
    assert [one.user for one in transcript.said] == ["Anna", "Ben"]


def test_it_is_bounded_in_number_and_length() -> None:
    transcript = Transcript()
    for number in range(LENGTH + 20):
        transcript.hear(state(running("x" * 10_000, id=str(number))))
    assert len(transcript.said) == LENGTH
    assert {len(one.text) for one in transcript.said} == {LONGEST}


def test_when_nothing_is_heard_any_more_the_state_is_not_known_but_what_was_said_is() -> None:
    transcript = Transcript()
    transcript.hear(state(running()))
    transcript.lose()
    assert transcript.state is None
    assert len(transcript.said) == 1
