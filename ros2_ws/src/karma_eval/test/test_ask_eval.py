# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma eval ask`: wordings, days, and the memory's answers to questions about them."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from karma_eval.ask import latency, measure
from karma_eval.ask.command import command
from karma_eval.ask.home import make_home
from karma_eval.ask.judge import Verdict
from karma_eval.ask.living import days
from karma_eval.ask.questions import questions
from karma_eval.ask.report import figures
from karma_eval.ask.train_classifier import digest
from karma_eval.ask.wordings import KINDS, Wording, WordingFileError, load, own
from karma_eval.household.memory import opened
from karma_language.questions import sentence_classifier


def lived(seed: int, count: int = 2):
    """Return a home after some days, when that is, and its memory's answers to own questions."""
    rng = random.Random(seed)
    home = make_home(seed, rng)
    with opened(embedder="lexical") as memory:
        *_, (living, now) = days(home, memory, measure.BEGAN, count, rng)
        asked = questions(living, now, own(), dict.fromkeys(KINDS, 3), rng)
        judge = measure.judge_of(asked, {thing.category for thing in home.things.values()}, home.kinds)
        answers = [memory.ask(one.words, user=one.user, scene=home.name, now=now).answered for one in asked]
        graph = memory.scene_graph(home.name)
    verdicts = [
        judge.judge(one.truth, answer.text, known=answer.known) for one, answer in zip(asked, answers, strict=True)
    ]
    return living, graph, asked, verdicts


def test_there_are_wordings_of_every_kind() -> None:
    assert own().keys() == {*KINDS}
    assert all(len(said) >= 10 for said in own().values())


def test_a_kind_that_a_file_lacks_is_asked_in_own_wordings(tmp_path: Path) -> None:
    file = tmp_path / "wordings.json"
    file.write_text('{"where": ["{object}?"]}', encoding="utf-8")
    assert load(file)["where"] == (Wording("{object}?"),)
    assert load(file)["why"] == own()["why"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "expected JSON"),
        ("[]", "expected JSON"),
        ('{"where": "where is the {object}?"}', "expected JSON"),
        ('{"where": [1]}', "expected JSON"),
        ('{"wehre": ["where is the {object}?"]}', "there is no kind 'wehre'"),
        ('{"where": []}', "where has no wordings"),
        ('{"where": [" "]}', "a wording of where is empty"),
        ('{"where": ["where is {thing}?"]}', "has {thing}; there are {object}"),
        ('{"where": ["where is {object?"]}', "brace without its partner"),
        ('{"where": ["{object.__class__}"]}', "brace without its partner"),
    ],
)
def test_a_bad_file_gets_a_clear_error(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "wordings.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(WordingFileError, match=r"^wordings\.json: "):
        load(file)
    done = CliRunner().invoke(command, ["--wordings", str(file), "--out", str(tmp_path / "out")])
    assert done.exit_code == 1
    assert message in done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("text", "sense"),
    [
        ("who moved the {object}?", "move"),
        ("could you tell me who took the {object}?", "move"),
        ("who told you about the {object}?", "tell"),
        ("who had you bring the {object}?", "ask"),
        ("have you washed the {object}?", "clean"),
        ("did you bring the {object} to anybody?", "bring"),
        ("where is the {object}?", ""),
    ],
)
def test_what_was_done_is_read_from_a_wording(text: str, sense: str) -> None:
    assert Wording(text).sense == sense


def test_a_wording_says_why_something_failed_or_what_is_left() -> None:
    assert Wording("why couldn't you do it?").failed
    assert not Wording("why did you move the {object}?").failed
    assert not Wording("why didn't you leave the {object} where it was?").failed
    assert Wording("what haven't you done yet?").left
    assert Wording("did you do all that I asked, or is something missing?").left
    assert not Wording("what did I ask you to do?").left
    assert not Wording("what did I want done {time}?").left


def test_a_time_stands_without_its_preposition_behind_another() -> None:
    assert Wording("what changed since {time}?").before("time") == "since"
    assert Wording("{time}, where was it?").before("time") == ""


@pytest.mark.parametrize("seed", [1, 2])
def test_the_ledger_and_the_memory_agree_on_what_is_where(seed: int) -> None:
    living, graph, _, _ = lived(seed)
    assert graph is not None
    for name in living.ledger.spells:
        believed, node = living.ledger.believed(name), graph.node(name)
        assert (believed is None) is (node is None), name
        if believed is not None and node is not None:
            assert (node.receptacle, node.relation, dict(node.states)) == (
                believed.place, believed.relation, believed.states,
            )  # fmt: skip


def test_nothing_of_a_room_that_the_robot_never_comes_to_is_known() -> None:
    living, graph, _, _ = lived(3)
    assert graph is not None
    assert living.shut not in living.ledger.rooms
    assert graph.node(living.shut) is None
    assert any(thing.room == living.shut for thing in living.home.things.values())


def test_the_memory_answers_and_admits_what_it_cannot_know() -> None:
    _, _, asked, verdicts = lived(4)
    counted = Counter(verdicts)
    assert len(asked) >= 48
    assert counted[Verdict.RIGHT] >= 0.95 * len(asked)
    assert counted[Verdict.FALSE] <= 1
    unknowable = [verdict for one, verdict in zip(asked, verdicts, strict=True) if one.kind == "cant_know"]
    assert len(unknowable) == 3
    assert {*unknowable} == {Verdict.RIGHT}


def test_the_same_seed_asks_the_same() -> None:
    assert [one.words for one in lived(5, 1)[2]] == [one.words for one in lived(5, 1)[2]]


def test_the_report_counts_each_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "HOMES", 1)
    monkeypatch.setattr(measure, "DAYS", 1)
    file = tmp_path / "ask.json"
    options = ["--no-peer", "--no-latency", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(command, [*options, "--json", str(file)])
    assert done.exit_code == 0, done.output
    report = json.loads(file.read_text(encoding="utf-8"))
    assert report["planner"] == "rules"
    assert report["emem"] == {}
    where = report["kinds"]["where"]
    assert where["n"] == where["right"] + where["unknown"] + where["false"] == 3
    assert sum(of["n"] for of in report["kinds"].values()) == report["n"]
    assert (tmp_path / "out" / "kinds.png").stat().st_size > 10_000


def test_ctrl_c_reports_what_was_asked_until_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "HOMES", 1)
    stopped = Counter[str]()

    def ask_once(*arguments, **named):
        stopped["asked"] += 1
        if stopped["asked"] == 40:
            raise KeyboardInterrupt
        return answer(*arguments, **named)

    answer = measure.judge_of([], set(), {}).__class__.judge
    monkeypatch.setattr("karma_eval.ask.judge.Judge.judge", ask_once)
    options = ["--no-peer", "--no-latency", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(command, options)
    assert done.exit_code == 1
    assert "stopped after 39 questions" in done.output


def test_figures_of_nothing_are_none() -> None:
    assert figures([], seed=1, ms=None, curve=[])["kinds"] == {}


def test_a_memory_node_answers_over_ros_and_the_library_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latency, "QUESTIONS", 20)
    over_ros = latency.over_ros(records=200)
    assert 0.0 < over_ros.p50 <= over_ros.p99
    [(size, alone)] = latency.curve((200,))
    assert size == 200
    assert 0.0 < alone.p50 <= alone.p99


def test_the_classifier_of_questions_was_trained_on_the_examples_that_are_here():
    with np.load(sentence_classifier.VOCABULARY / sentence_classifier.WEIGHTS) as learned:
        assert str(learned["digest"]) == digest(), "train anew: python -m karma_eval.ask.train_classifier"
        assert {*learned["classes"].tolist()} == {*sentence_classifier.KINDS}
