# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Evaluations with a language model: --llm and --llm-url."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from ollama_server import MODEL, OllamaServer

from karma_eval import llm as module
from karma_eval.llm import AnswerFile, Llm
from karma_eval.talk.command import command as talk
from karma_language.vocabulary import household
from planner_node.understand.hearing import Hearing

NO_USE = json.dumps({"salient": False})
"""An answer of no form that is asked for."""
TURNS = [
    {"say": "would thou besteck the mug in yon sink", "expect": {"refused": True}},
    {"say": "is the television on?", "expect": {"answer": {"truth": "state(television, on)"}}},
]
"""The first is what rules don't read."""


def utterances(folder: Path) -> list[str]:
    """Return the arguments for an evaluation of one conversation."""
    file = folder / "talk.json"
    file.write_text(json.dumps([{"id": "one", "scene": "home1", "turns": TURNS}]))
    return ["--utterances", str(file), "--embedding", "lexical"]


def run(command: click.Command, server: OllamaServer, out: Path, *more: str) -> tuple[Result, dict[str, Any]]:
    file = out / "figures.json"
    arguments = ["--llm", MODEL, "--llm-url", server.host, "--out", str(out), "--json", str(file), *more]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    return result, json.loads(file.read_text())


def test_what_a_model_was_asked_is_not_asked_again(tmp_path: Path) -> None:
    arguments, out = utterances(tmp_path), tmp_path / "out"
    out.mkdir()
    with OllamaServer(NO_USE).running() as server:
        _, first = run(talk, server, out, *arguments)
        asked = len(server.requests)
        with (out / "answers.jsonl").open("a") as stream:
            stream.write('["cut off in the mid')
        _, again = run(talk, server, out, *arguments)
        assert len(server.requests) == asked > 0
    assert first["planner"] == again["planner"] == MODEL
    assert first["by_kind"] == again["by_kind"]


def test_a_model_that_is_not_there_is_said_before_anything_is_done(tmp_path: Path) -> None:
    arguments = utterances(tmp_path)
    with OllamaServer("{}").running() as server:
        host = server.host
        result = CliRunner().invoke(talk, [*arguments, "--llm", "other:7b", "--llm-url", host])
        assert result.exit_code == 1
        assert "ollama pull other:7b" in result.output
    for gone, why in ((host, "does not answer at"), ("http://[", "is no URL")):
        result = CliRunner().invoke(talk, [*arguments, "--llm", MODEL, "--llm-url", gone])
        assert result.exit_code == 1
        assert why in result.output


def test_a_server_that_answers_nothing_ends_an_evaluation_and_nothing_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAUSES_S", (0.0, 0.0))
    out = tmp_path / "out"
    with OllamaServer("{}", status=500).running() as server:
        arguments = ["--llm", MODEL, "--llm-url", server.host, "--out", str(out), *utterances(tmp_path)]
        result = CliRunner().invoke(talk, [*arguments, "--json", str(tmp_path / "figures.json")])
    assert result.exit_code == 1, result.output
    assert "gives no answers any more" in result.output
    assert "something is wrong with the server" in result.output
    assert len(server.requests) == 3  # the first question, and two looks at whether anything is answered
    assert not (out / "report.md").exists()
    assert not (tmp_path / "figures.json").exists()


def test_instructions_that_the_server_failed_at_are_said_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Llm, "still_answers", lambda *_: None)
    with OllamaServer("{}", status=500).running() as server:
        result, figures = run(talk, server, tmp_path, *utterances(tmp_path))
    said = "The model gave no usable answer to 1 question: the instructions count as not understood."
    assert said in " ".join(result.output.split())
    assert {reader: of["share"] for reader, of in figures["readers"].items()} == {"rules": 100.0}
    assert [case["reader"] for case in figures["cases"]] == ["rules", "rules"]


def test_a_server_that_is_gone_in_the_middle_leaves_what_it_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAUSES_S", (0.0,))
    with OllamaServer(NO_USE).running() as server:
        llm = Llm(MODEL, server.host)
        model = llm.model(llm.answers(tmp_path))
        model.ask([{"role": "user", "content": "Thanks!"}], {})
    with pytest.raises(click.ClickException, match="give the same command again"):
        model.ask([{"role": "user", "content": "The tea, please."}], {})
    assert len((tmp_path / "answers.jsonl").read_text().splitlines()) == 1


def test_the_planner_of_an_evaluation_is_the_rules_or_the_model(tmp_path: Path) -> None:
    assert Llm().offline
    assert isinstance(Llm().hearing(household(), Llm().answers(tmp_path)), Hearing)
    llm = Llm(MODEL)
    assert isinstance(llm.hearing(household(), llm.answers(tmp_path)), Hearing)


def test_answers_are_kept_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    answers = AnswerFile(file, str)
    answers.keep("a", 'yes\n"no"]')
    answers.lost("nonsense")
    again = AnswerFile(file, str)
    assert (again.get("a"), again.get("b")) == ('yes\n"no"]', None)
    assert (answers.asked, answers.left, again.asked) == (0, 1, 2)
