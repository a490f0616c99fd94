# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The generated stream, its truth, and what is measured on it."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from karma_eval.emg.command import SEED, command
from karma_eval.emg.living import make_stream
from karma_eval.emg.measure import Method, Scored, Tally, measure
from karma_eval.emg.network import NetworkPolicy
from karma_eval.emg.people import people
from karma_eval.emg.stream import Asked
from karma_eval.emg.train import SEED as TRAINING_SEED
from karma_eval.emg.train import lessons, mean_quality, train
from karma_eval.emg.wordings import wordings
from karma_memory.facts.answering import FactAnswer
from karma_memory.facts.encoder import LexicalEncoder
from karma_memory.facts.policy import ThresholdPolicy


@pytest.fixture(scope="module")
def stream():
    return make_stream(5, people("held-out"), wordings("held-out"), users=3)


def test_training_and_test_share_no_seed_no_wording_and_no_name():
    assert TRAINING_SEED != SEED
    for kind, training in wordings("training").items():
        for other in (wordings("held-out")[kind], wordings("fresh")[kind]):
            for part in ("tell", "ask", "change"):
                assert not set(getattr(training, part)) & set(getattr(other, part)), kind
    assert not set(people("training").syllables) & set(people("held-out").syllables)
    for part in ("jobs", "sports", "subjects", "pets", "things", "events", "favourites", "vouchers", "groceries"):
        assert not set(getattr(people("training"), part)) & set(getattr(people("held-out"), part)), part


def test_the_same_seed_makes_the_same_stream_and_another_seed_another(stream):
    again = make_stream(5, people("held-out"), wordings("held-out"), users=3)
    assert (again.told, again.asked) == (stream.told, stream.asked)
    assert make_stream(6, people("held-out"), wordings("held-out"), users=3).told != stream.told


def test_four_weeks_have_insertions_replacements_expiries_and_questions_of_one_to_three_memories(stream):
    assert sorted(stream.edits) == [1, 2, 3, 4]
    assert all(stream.edits[week][how] for week in (2, 3, 4) for how in ("inserted", "replaced", "expired", "removed"))
    assert {1, 2, 3} <= {len(asked.required) for asked in stream.asked}
    assert any(asked.asked_stale and not asked.answer for asked in stream.asked)


def test_what_a_question_needs_was_told_before_by_its_user(stream):
    told = {event.id: event for event in stream.told}
    for asked in stream.asked:
        for memory in asked.required | asked.optional:
            assert told[memory].user == asked.user
            assert told[memory].stamp < asked.stamp


def test_a_stand_in_that_knows_nothing_scores_nothing():
    asked = Asked("u", 0.0, 1, "?", frozenset({"oslo"}), frozenset({"m1"}), frozenset(), "residence")
    silent = Scored.of(asked, FactAnswer(()), [], 0.001, 0.002)
    tally = Tally([silent, Scored.of(asked, FactAnswer(("Oslo",)), [], 0.003, 0.004)])
    assert (tally.exact_match, tally.recall) == (50.0, 0.0)
    assert (tally.milliseconds, tally.processor_milliseconds) == (pytest.approx(2.0), pytest.approx(3.0))


def test_the_policy_beats_top_k_and_edits_beat_none(stream):
    methods = [
        Method("ours", ThresholdPolicy()),
        Method("top 3", k=3),
        Method("unedited", ThresholdPolicy(), editing=False),
    ]
    scores = measure(stream, LexicalEncoder(), methods)
    assert scores["ours"].exact_match >= 98.0
    assert scores["ours"].precision >= 95.0
    assert scores["ours"].recall >= 98.0
    assert scores["top 3"].exact_match < 85.0
    assert scores["unedited"].exact_match < 92.0


def test_training_makes_a_policy_that_answers():
    small = make_stream(3, people("training"), wordings("training"), users=4, weeks=2)
    taught = lessons(small, LexicalEncoder())
    untrained = mean_quality(NetworkPolicy.random(np.random.default_rng(0)), taught)
    trained = mean_quality(train(taught, episodes=250), taught)
    assert trained >= 0.9 > untrained


def test_the_command_writes_figures_and_plots(tmp_path, monkeypatch):
    few = lambda: make_stream(3, people("training"), wordings("training"), users=2)  # noqa: E731 - thirty users take long
    monkeypatch.setattr("karma_eval.emg.command.training_stream", few)
    arguments = ["--users", "1", "--out", str(tmp_path / "emg"), "--json", str(tmp_path / "emg.json")]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    report = json.loads((tmp_path / "emg.json").read_text())
    assert report["planner"] == "offline"
    assert set(report["methods"]["EMG-RAG"]["weeks"]) == {"1", "2", "3", "4"}
    assert {"exact_match", "precision", "recall", "ms_per_question", "methods", "edits"} <= set(report)
    for name in ("weeks.png", "ablations.png"):
        assert (tmp_path / "emg" / name).stat().st_size > 1000
