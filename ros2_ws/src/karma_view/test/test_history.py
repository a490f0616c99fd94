# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the page says of the past is what a replay of the journal says."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from journal_robot import JournalRobot, applied, happened, thing

from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import MemoryEvent, Result
from karma_perception.scene_graph import SceneGraph
from karma_ros.client import GraphError
from karma_view.ros import history
from karma_view.ros.history import History, Span, words
from karma_view.text import seconds

SEEN, SKILL, START, END = (
    MemoryEvent.OBSERVATION,
    MemoryEvent.SKILL_OUTCOME,
    MemoryEvent.EPISODE_START,
    MemoryEvent.EPISODE_END,
)
USERS = {"e0": "", "e1": "ann", "e2": "ben"}


@st.composite
def journals(draw):
    """Instructions that interrupt each other or never end, things that come and go, events of the same time."""
    entries, position, stamp, running = [], 0, 10.0, []
    for number in range(draw(st.integers(1, 25))):
        position += draw(st.integers(1, 3))
        stamp += draw(st.sampled_from([0.0, 0.5, 1.0, 3600.0]))
        kind = draw(st.sampled_from([SEEN, SKILL, START, END, MemoryEvent.TOLD]))
        fields = {"text": f"text {number}"}
        if kind == START:
            running.append(f"{draw(st.sampled_from(sorted(USERS)))}-{number}")
            fields |= {"goals": ["place(Apple, Fridge, in)"], "retry_of": draw(st.sampled_from(["", "before"]))}
        if kind in (START, SKILL, END) and running:
            fields |= {"episode": running[-1], "user": USERS[running[-1][:2]]}
        if kind == END and running:
            running.pop()
            fields["used"] = draw(st.sampled_from([[], ["told:cup", "told:gone"]]))
            fields["code"] = draw(st.sampled_from([Result.SUCCESS, Result.CANCELED]))
        nodes = ()
        if kind in (SEEN, SKILL):
            nodes = (thing(draw(st.sampled_from(["Apple|1", "Cup|1"])), draw(st.sampled_from([0.0, 1.0, 2.0]))),)
            fields["removed"] = draw(st.sampled_from([[], ["Cup|1"]]))
        entries.append(happened(position, stamp, kind, *nodes, **fields))
    return entries


@dataclass
class Instruction:
    id: str
    text: str = ""
    retry_of: str = ""
    done: list = field(default_factory=list)
    ended: int | None = None
    recalled: tuple = ()


def replayed(entries):
    """Yield what is known after each event: the graph, the instruction, and how many there were."""
    graph, instructions, last = SceneGraph(), {}, None
    for count, entry in enumerate(entries, 1):
        event = entry.event
        graph = applied(graph, entry)
        if event.kind in (START, SKILL, END) and event.episode:
            last = instructions.setdefault(event.episode, Instruction(event.episode))
            if event.kind == START:
                last.text, last.retry_of = event.text, event.retry_of
            elif event.kind == SKILL:
                last.done.append(event.text)
            else:
                texts = {"told:cup": "the cup" if event.user != "ben" else "", "told:gone": ""}
                last.ended, last.recalled = event.result.code, tuple((name, texts[name]) for name in event.used)
        yield graph, last and Instruction(**{**vars(last), "done": list(last.done)}), count


@settings(max_examples=80, deadline=None)
@given(journals(), st.sampled_from([3, 500]))
def test_what_was_known_at_each_event_is_what_a_replay_knows_after_the_last_event_of_that_time(entries, few):
    then = {seconds(entry.event.stamp): known for entry, known in zip(entries, replayed(entries), strict=True)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(history, "USUAL_EVENTS", few)
        for at, (graph, instruction, count) in then.items():
            known = History(JournalRobot(entries)).known(at)
            assert (known.stamp, known.graph.nodes, known.short_term.lookups) == (at, graph.nodes, count)
            assert seconds(known.planner.stamp) == at
            if instruction is None:
                assert not known.planner.instruction
                continue
            (status,) = known.planner.instruction
            assert (status.id, status.instruction, status.retry_of) == (
                instruction.id,
                instruction.text,
                instruction.retry_of,
            )
            assert [outcome.call.skill for outcome in status.done] == instruction.done
            assert status.ended == (instruction.ended is not None)
            assert status.result.code == (instruction.ended or 0)
            assert tuple((one.id, one.text) for one in status.recalled) == instruction.recalled


@settings(max_examples=80, deadline=None)
@given(journals(), st.integers(1, 4), st.sampled_from([None, SEEN, SKILL]))
def test_pages_back_and_on_show_every_event_that_is_wanted_once_and_in_order(entries, count, kind):
    def wanted(event):
        return kind is None or event.kind == kind

    expected = [entry.position for entry in entries if wanted(entry.event)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(history, "CHUNKS", (2, 3))
        past = History(JournalRobot(entries))
        first, last = entries[0].position, entries[-1].position
        back, position = [], last + 1
        while position > first:
            page = past.before(position, count, wanted, first=first)
            assert len(page.rows) <= count
            back[:0] = [row.position for row in page.rows]
            assert page.start < position
            position = page.start
        on, position = [], first - 1
        while position < last:
            page = past.after(position, count, wanted)
            assert len(page.rows) <= count
            on += [row.position for row in page.rows]
            assert page.end > position
            position = page.end
    assert back == on == expected


@settings(max_examples=50, deadline=None)
@given(journals())
def test_there_is_an_event_for_every_place_of_the_slider(entries):
    past = History(JournalRobot(entries))
    positions = [entry.position for entry in entries]
    for position in range(positions[0], positions[-1] + 1):
        assert past.at(position).position == min(p for p in positions if p >= position)
    assert past.at(positions[-1] + 1) is None


def test_the_span_grows_and_begins_at_the_horizon():
    robot = JournalRobot([happened(n, float(n), SEEN) for n in range(2, 30)])
    past = History(robot)
    span = past.span()
    assert span == Span(2, 29, 2.0, 29.0)
    robot.entries.append(happened(30, 40.0, SEEN))
    told = robot.told
    assert past.span(span) == Span(2, 30, 2.0, 40.0)
    assert robot.told == told + 1
    robot.horizon = 12.0
    assert past.span(span) == Span(12, 30, 12.0, 40.0)
    assert History(JournalRobot()).span() is None


def test_a_big_journal_is_never_told_at_once():
    robot = JournalRobot([happened(n, float(n), SEEN, text=f"event {n}") for n in range(1, 20_001)])
    past = History(robot)
    assert past.at(12_345).event.text == "event 12345"
    page = past.before(20_001, 10, lambda event: event.text == "event 19000")
    assert [row.position for row in page.rows] == [19_000]
    assert robot.most_events <= 500
    assert robot.told < 6000
    nothing = past.before(20_001, 10, lambda event: False)
    assert not nothing.rows
    assert 10_000 < nothing.start < 20_000  # it can be gone on from there


def test_an_instruction_of_more_skills_than_are_usually_asked_for_is_known_from_its_beginning():
    entries = [happened(1, 1.0, START, text="tidy up", episode="e", user="ann")]
    entries += [happened(n, float(n), SKILL, text=f"skill {n}", episode="e") for n in range(2, 1500)]
    (status,) = History(JournalRobot(entries)).planner(1400.0).instruction
    assert (status.instruction, status.user, len(status.done)) == ("tidy up", "ann", 1399)
    assert status.stage == ExecuteInstruction.Feedback.ACT
    assert not status.ended
    assert status.step == "skill 1400: SUCCESS"


def test_a_time_that_is_not_known_any_more_is_an_error_that_says_so():
    robot = JournalRobot([happened(n, float(n), SEEN) for n in range(1, 9)])
    robot.horizon = 5.0
    with pytest.raises(GraphError, match="not known any more"):
        History(robot).known(4.0)


def test_what_is_superseded_asks_no_further():
    robot = JournalRobot([happened(1, 1.0, SEEN)])
    assert History(robot).known(1.0, lambda: True) is None
    assert robot.asked == [("graph", 1.0)]


@pytest.mark.parametrize(
    ("kind", "fields", "told"),
    [
        (SEEN, {}, "what is in sight"),
        (SKILL, {"text": "PickupObject(Apple)", "code": Result.NOT_FOUND}, "PickupObject Apple: NOT_FOUND"),
        (END, {"text": "It is\nin the fridge.", "code": Result.SUCCESS}, "SUCCESS It is in the fridge."),
        (MemoryEvent.EDIT, {"target": "told:tea"}, "told:tea is forgotten"),
        (MemoryEvent.TOLD, {"text": "tea is in the cupboard"}, "tea is in the cupboard"),
    ],
)
def test_events_are_told_in_one_line(kind, fields, told):
    assert words(happened(1, 1.0, kind, **fields).event) == told
