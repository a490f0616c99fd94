# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What of two results and two memories counts as a difference, and what is the same call."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("karma_interfaces.msg", reason="karma_interfaces is not built")

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point

from karma.replay.comparison import differences, state_difference
from karma.replay.run import room_for
from karma.replay.tape import Tape
from karma.replay.trial import RECALL, REMEMBER, SKILL, Exchange, Trial, TrialError, others_events, settings_then
from karma_interfaces.action import ExecuteInstruction, ExecuteSkill
from karma_interfaces.msg import MemoryEvent, Recollection, Result, SkillCall, SkillOutcome, SkillTarget
from karma_interfaces.srv import Recall, Remember
from karma_memory import Event, EventKind, Memory
from karma_memory.privacy.consent import Consent
from karma_memory.short_term.policy import PolicySettings

GO, PICK = SkillCall(skill="GoToObject", target=SkillTarget(id="Mug_1")), SkillCall(skill="PickupObject")


def result(code: int, *skills: tuple[SkillCall, int], goals: tuple[str, ...] = (), recalled: str = "") -> Any:
    return ExecuteInstruction.Result(
        result=Result(code=code),
        goals=list(goals),
        skills=[SkillOutcome(call=call, result=Result(code=ended)) for call, ended in skills],
        recalled=[Recollection(id=recalled)] if recalled else [],
    )


def test_the_first_difference_is_the_one_that_came_first() -> None:
    was = result(Result.SUCCESS, (GO, Result.SUCCESS), (PICK, Result.SUCCESS), recalled="told:1")
    now = result(Result.TIMEOUT, (GO, Result.NOT_FOUND), (GO, Result.NOT_FOUND), recalled="told:2")
    found = [(d.what, d.recorded, d.replayed) for d in differences(3, was, now)]
    assert found == [
        ("outcome 1 of GoToObject(Mug_1)", "SUCCESS", "NOT_FOUND"),
        ("skill 2", "PickupObject()", "GoToObject(Mug_1)"),
        ("code", "SUCCESS", "TIMEOUT"),
        ("recalled", "told:1", "told:2"),
    ]


def test_a_shorter_plan_and_other_goals_differ_and_messages_do_not() -> None:
    was = result(Result.SUCCESS, (GO, Result.SUCCESS), goals=("bring(mug)",))
    now = result(Result.SUCCESS, goals=("bring(cup)",))
    found = [(d.what, d.recorded, d.replayed) for d in differences(1, was, now)]
    assert found == [("goals", "bring(mug)", "bring(cup)"), ("skill 1", "GoToObject(Mug_1)", "nothing")]
    same = result(Result.SUCCESS, (GO, Result.SUCCESS), goals=("bring(mug)",))
    same.result.message = "in other words"
    assert differences(1, was, same) == []


def test_the_same_skill_at_other_coordinates_is_another_plan_but_for_rounding() -> None:
    def went(x: float, *looked_from: float, known: bool = True) -> Any:
        mug = SkillTarget(id="Mug_1", has_position=known, position=Point(x=x, y=1.0, z=0.9))
        call = SkillCall(skill="GoToObject", target=mug, positions=[Point(x=at) for at in looked_from])
        return result(Result.SUCCESS, (call, Result.SUCCESS))

    assert differences(1, went(2.0, 3.0), went(2.0 + 1e-6, 3.0 - 1e-6)) == []
    assert differences(1, went(2.0, known=False), went(3.0, known=False)) == [], "a position that is not given"
    (moved,) = differences(1, went(2.0), went(3.0))
    assert (moved.what, moved.recorded, moved.replayed) == (
        "skill 1, GoToObject(Mug_1)",
        "(2.00, 1.00, 0.90); no position",
        "(3.00, 1.00, 0.90); no position",
    )
    assert len(differences(1, went(2.0, 3.0, 4.0), went(2.0, 4.0, 3.0))) == 1
    assert len(differences(1, went(2.0), went(2.0, known=False))) == 1


def test_memories_differ_where_something_but_the_clock_and_rounding_does() -> None:
    was = {"told": [{"text": "a", "stamp": 1.7e9, "x": 0.1}], "kinds": {"b": True}}
    now = {"told": [{"text": "a", "stamp": 1.7e9 + 2.0, "x": 0.1 + 1e-9}], "kinds": {"b": True}}
    assert state_difference(was, now) == ""
    assert state_difference(was, {**now, "kinds": {"b": False}}) == "/kinds/b: was True, is False"
    assert state_difference(was, {**now, "kinds": {}}) == "/kinds/b is only in the recording"
    assert state_difference(was, {**now, "told": []}) == "/told has 1 entries in the recording, 0 in the replay"
    assert "stamp" in state_difference(was, {**now, "told": [{"text": "a", "stamp": 1.8e9, "x": 0.1}]})
    assert "/told/0/x" in state_difference(was, {**now, "told": [{"text": "a", "stamp": 1.7e9, "x": 0.2}]})


def exchange(number: int, name: str, request: Any, response: Any = None) -> Exchange:
    return Exchange(number, name, "", 0.0, request, response)


def test_a_call_is_answered_by_the_first_one_like_it_and_each_once() -> None:
    skill = ExecuteSkill.Goal(call=GO)
    tape = Tape(
        [exchange(1, SKILL, skill), exchange(2, RECALL, Recall.Request(query="mug")), exchange(3, SKILL, skill)]
    )
    asked = ExecuteSkill.Goal(call=SkillCall(skill="GoToObject", target=SkillTarget(id="Mug_1")))
    assert tape.take(SKILL, ExecuteSkill.Goal(call=PICK)) is None
    assert tape.take(RECALL, Recall.Request(query="cup")) is None
    assert [taken.number for taken in (tape.take(SKILL, asked), tape.take(SKILL, asked)) if taken] == [1, 3]
    assert tape.take(SKILL, asked) is None
    assert [left.number for left in tape.left()] == [2]


def test_events_are_the_same_but_for_their_ids_and_stamps() -> None:
    tape = Tape([exchange(1, REMEMBER, Remember.Request(events=[MemoryEvent(id="a", text="x", stamp=Time(sec=1))]))])
    assert tape.take(REMEMBER, Remember.Request(events=[MemoryEvent(id="b", text="y")])) is None
    assert tape.take(REMEMBER, Remember.Request(events=[MemoryEvent(id="b", text="x", stamp=Time(sec=2))])) is not None


def test_the_journal_was_where_the_answer_says() -> None:
    done = Result(code=Result.SUCCESS)
    assert exchange(1, RECALL, None, Recall.Response(result=done, sequence=7)).position == 7
    assert exchange(1, RECALL, None, Recall.Response(sequence=7)).position is None
    assert exchange(1, REMEMBER, None, Remember.Response(result=done, sequences=[0, 9, 10])).position == 8
    assert exchange(1, SKILL, None, ExecuteSkill.Result()).position is None


def test_a_disk_without_room_is_told_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = tmp_path / "journal.jsonl.gz"
    journal.write_bytes(bytes(2**20))
    trial = Trial((), (), journal)
    room_for(trial, tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=30 * 2**20))
    with pytest.raises(TrialError, match="has 30 MiB left, and the replay may need 40 MiB: free some"):
        room_for(trial, tmp_path)


def test_what_others_told_the_memory_and_their_consent_are_given_again_and_its_thoughts_are_not(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.sqlite3", embedder="lexical") as memory:
        memory.remember([Event("before", EventKind.TOLD, 1.0, text="The cup is red.")])
        start = memory.last_sequence
        memory.remember([Event(name, EventKind.TOLD, 2.0, text=name) for name in ("planners", "others")])
        memory.users.set_consent("ann", Consent(True, 60.0), 3.0)
        memory.configure(PolicySettings(capacity=4))
        memory.upkeep.export(tmp_path / "journal.jsonl.gz")
    done = Result(code=Result.SUCCESS)
    told = Remember.Request(events=[MemoryEvent(id="planners")])
    exchanges = (
        exchange(1, RECALL, Recall.Request(), Recall.Response(result=done, sequence=start)),
        exchange(2, REMEMBER, told, Remember.Response(result=done, sequences=[start + 1])),
    )
    trial = Trial(exchanges, (), tmp_path / "journal.jsonl.gz")
    assert (trial.start, trial.last) == (start, start + 4)
    events, notes = others_events(trial)
    assert [(sequence, event.text or event.user) for sequence, event in events[:1]] == [(start + 2, "others")]
    assert [(sequence, event.kind, event.user) for sequence, event in events[1:]] == [
        (start + 3, EventKind.CONFIGURE, "ann"),
        (start + 4, EventKind.CONFIGURE, ""),
    ]
    assert notes == []
    settings = settings_then(trial)
    assert settings is not None
    assert settings.capacity == PolicySettings().capacity, "as it was when the trial began"
