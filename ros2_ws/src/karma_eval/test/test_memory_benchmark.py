# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory's benchmark: the same household every time, and the figures that it promises."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from karma_eval.emem_peer import available
from karma_eval.memory.command import command
from karma_eval.memory.measure import Percentiles, ask, fill, in_own_process, restart
from karma_eval.memory.workload import SHARES, household, questions
from karma_memory import EventKind, Memory


def test_the_same_seed_gives_the_same_household_and_another_seed_another() -> None:
    assert list(household(50, 1)) == list(household(50, 1))
    assert list(household(50, 1)) != list(household(50, 2))


def test_a_household_fills_every_kind_of_memory_about_as_much_as_it_says(tmp_path: Path) -> None:
    events = list(household(600, 3))
    assert len({event.id for event in events}) == len(events)
    with Memory(tmp_path / "memory.sqlite3", embedder="lexical") as memory:
        memory.remember(events)
        kinds = Counter(event.kind for event in events)
        assert kinds[EventKind.TOLD] == pytest.approx(600 * SHARES["told"], rel=0.25)
        assert kinds[EventKind.EPISODE_START] == pytest.approx(600 * SHARES["episode"], rel=0.3)
        assert memory.stats().records >= 600
        assert memory.stats().occupancy == memory.settings.capacity
        answered = {
            recollection.record.kind
            for query in questions(40, 3)
            for recollection in memory.recall(query).recollections
        }
    assert answered == {"long_term", "short_term", "told", "episodic", "profile", "preferences"}  # facts: as told


def test_no_question_is_asked_twice() -> None:
    asked = questions(200, 5)
    assert len({(query.text, query.user) for query in asked}) == 200


def test_percentiles_are_in_milliseconds() -> None:
    # of 1..101 ms the median is 51 and the 99th percentile 100
    assert Percentiles.of([n / 1000 for n in range(1, 102)]) == Percentiles(pytest.approx(51.0), pytest.approx(100.0))


def test_a_measurement_has_a_process_of_its_own_and_says_when_it_failed() -> None:
    assert in_own_process(os.getpid) != os.getpid()
    with pytest.raises(RuntimeError, match="abort failed in its process"):
        in_own_process(os.abort)


def test_a_memory_is_filled_asked_and_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite3"
    filled = fill(path, 200, "lexical")
    assert filled.records >= 200
    assert [size for size, _ in filled.curve] == sorted(size for size, _ in filled.curve)
    assert filled.curve[-1][0] == filled.records
    assert list(tmp_path.glob("*.snapshot-*"))
    assert restart(path, "lexical") > 0
    with Memory(path, embedder="lexical") as memory:
        assert memory.stats().records == filled.records
        assert ask(memory, questions(3, 1))[1].p50 > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "peer",
    [
        False,
        pytest.param(
            True,
            marks=pytest.mark.skipif(not available(), reason="emem is not installed: ./karma bench installs it"),
        ),
    ],
)
def test_the_report_has_the_form_that_the_evaluation_asks_for(tmp_path: Path, peer: bool) -> None:
    file = tmp_path / "report.json"
    options = ["--n", "200", "--embedder", "lexical", "--json", str(file), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(command, [*options, "--peer" if peer else "--no-peer"])
    assert result.exit_code == 0, result.output
    report = json.loads(file.read_text())
    asked_for = "n remember_ms recall_ms recall_with_embedding_ms restart_s rss_mb disk_mb peers"
    assert set(asked_for.split()) <= report.keys()
    assert report["n"] == 200
    assert set(report["recall_ms"]) == {"p50", "p99"}
    assert set(report["restart_s"]) == {"snapshot", "journal"}
    assert set(report["peers"]) == ({"emem"} if peer else set())
    assert list((tmp_path / "out").glob("memory-*.png"))
