# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""python3 -m karma_memory.command compact."""

import sys
from datetime import datetime

import pytest
from world import SCENE, home, seen, thing, told

from karma_memory import PastUnknownError, Query
from karma_memory.command import __main__ as command
from karma_memory.command import moment
from karma_memory.command.moment import to_moment

DAY = 86_400.0
NOW = 1.8e9


def lived(memory, start):
    """Remember a home, something that was said, and a mug that is carried about for 60 days."""
    memory.remember([home(stamp=start), told("ann is allergic to nuts", start + 1.0)])
    for day in range(1, 61):
        mug = thing("Mug|1", (day % 7, 0.0, 1.0), seen=start + day * DAY)
        memory.remember([seen(mug, stamp=start + day * DAY)])


@pytest.fixture
def life(store):
    with store.memory() as memory:
        lived(memory, NOW - 60 * DAY)
        memory.upkeep.snapshot()
    return store


def run(capsys, *arguments):
    status = command.main([str(argument) for argument in arguments])
    return status, *capsys.readouterr()


def known(store):
    with store.memory() as memory:
        memory.flush()
        return memory._state.snapshot()


def test_what_is_known_stays_and_how_it_came_to_be_known_goes(life, capsys, monkeypatch):
    monkeypatch.setattr(moment.time, "time", lambda: NOW + 1.0)
    state = known(life)
    status, said, error = run(capsys, "compact", life.location, "30d")
    assert (status, error) == (0, "")
    assert "compacted up to event 33; the past is known since 2026-12-16T08:00:00+00:00" in said  # day 30 of 60
    assert "kB before, " in said
    assert known(life) == state
    with life.journal() as journal:
        kept = [entry.event for entry in journal.read(skip_compacted=True)]
        assert [event.text for event in kept if event.text.startswith("ann")] == ["ann is allergic to nuts"]
        assert journal.last_sequence - len(kept) == 31  # the mug on days 1 to 30, and the settings
    with life.memory() as memory:
        assert memory.scene_graph(SCENE, at=NOW - 10 * DAY).node("Mug|1").position[0] == 50 % 7
        with pytest.raises(PastUnknownError):
            memory.recall(Query("mug", at=NOW - 40 * DAY))


def test_the_same_is_dropped_as_by_a_memory_that_runs(life, stores, capsys):
    another = stores.new("another")
    with another.memory() as memory:
        lived(memory, NOW - 60 * DAY)
        memory.upkeep.compact(NOW - 30 * DAY)
    run(capsys, "compact", life.location, f"{NOW - 30 * DAY}")
    with life.journal() as one, another.journal() as other:
        assert one.horizon() == other.horizon()
        left = [[entry.sequence for entry in journal.read(skip_compacted=True)] for journal in (one, other)]
    assert left[0] == left[1]


def test_there_may_be_nothing_to_do(life, capsys):
    run(capsys, "compact", life.location, str(NOW))
    status, said, error = run(capsys, "compact", life.location, "2020-01-01")
    assert (status, error) == (0, "")
    assert f"nothing in {life.name} is older than 20" in said
    assert "it was compacted up to event 62 before" in said


def test_other_servers_may_go_on_in_postgresql(postgres_store, capsys):
    with postgres_store.memory() as memory:
        lived(memory, 1000.0)
        assert run(capsys, "compact", postgres_store.location, "30d")[0] == 0
        memory.remember([told("still here", 61 * DAY)])
        with pytest.raises(PastUnknownError):
            memory.recall(Query("mug", at=2 * DAY))


def test_an_age_counts_from_the_newest_event_where_the_clock_began_with_the_robot(store, capsys):
    with store.memory() as memory:
        lived(memory, 1000.0)
    assert "compacted up to event 33; " in run(capsys, "compact", store.location, "30d")[1]  # days 1 to 30


def test_progress_is_shown_on_a_terminal(life, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert "\rcompacting: 63 of 63 events\n" not in run(capsys, "compact", life.location, f"{NOW - DAY}")[2]
    assert "\rcompacting: " in run(capsys, "compact", life.location, f"{NOW + DAY}")[2]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90min", 5400.0),
        ("12h", 43_200.0),
        ("1.5d", 129_600.0),
        ("4w", 2_419_200.0),
        ("1700000000.5", 1_700_000_000.5),
        ("2027-01-15T08:00:00+00:00", 1.8e9),
        ("2027-01-15T09:00+01:00", 1.8e9),
        ("2027-01-15", datetime(2027, 1, 15).timestamp()),
    ],
)
def test_a_time_and_an_age_are_understood(text, seconds):
    assert to_moment(text).seconds == seconds
    assert to_moment(text).ago == text[-1].isalpha()


@pytest.mark.parametrize("text", ["", "30", "yesterday", "-5", "30 d", "1e400", "99999-01-01", "nan", "5m"])
def test_what_is_no_time_is_refused_in_a_line(text, path, capsys):
    if text == "30":  # seconds of the robot's clock
        assert to_moment(text).seconds == 30.0
        return
    with pytest.raises(SystemExit) as ended:
        command.main(["compact", str(path), f"{text}"] if text != "-5" else ["compact", str(path), "--", text])
    assert ended.value.code == 2
    assert "is no time" in capsys.readouterr().err
