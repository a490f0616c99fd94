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
from pahf_home import write_home

from karma_eval import llm as module
from karma_eval.llm import AnswerFile, Llm
from karma_eval.pahf.command import command as pahf
from karma_eval.talk.command import command as talk
from karma_language.told.wishes.choice import Mode, Request
from karma_language.told.wishes.offline import OfflineLanguage
from karma_language.vocabulary import household
from karma_memory.preferences import Likeness
from planner_node.understand.hearing import Hearing

NO_USE = json.dumps({"salient": False, "chosen": "", "changed": False})
"""An answer that is of the form of one step, and of no other."""


def run(command: click.Command, server: OllamaServer, out: Path, *more: str) -> tuple[Result, dict[str, Any]]:
    file = out / "figures.json"
    arguments = ["--llm", MODEL, "--llm-url", server.host, "--out", str(out), "--json", str(file), *more]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    return result, json.loads(file.read_text())


def test_what_a_model_was_asked_is_not_asked_again(tmp_path: Path) -> None:
    home, out = write_home(tmp_path / "home"), tmp_path / "out"
    arguments = ["--data", str(home), "--embedding", "lexical", "--limit", "1"]
    with OllamaServer(NO_USE).running() as server:
        _, first = run(pahf, server, out, *arguments)
        asked = len(server.requests)
        with (out / "answers.jsonl").open("a") as stream:
            stream.write('["cut off in the mid')
        _, again = run(pahf, server, out, *arguments)
        assert len(server.requests) == asked > 0
    assert first["planner"] == again["planner"] == MODEL
    assert first["ablations"] == again["ablations"]
    assert first["ablations"]["both"]["phase2"]["n"] == 8  # of one user of two
    assert 0 < first["model"]["left_to_the_rules"] < first["model"]["asked"]


def test_a_model_that_is_not_there_is_said_before_anything_is_done(tmp_path: Path) -> None:
    home = write_home(tmp_path / "home")
    with OllamaServer("{}").running() as server:
        host = server.host
        result = CliRunner().invoke(pahf, ["--data", str(home), "--llm", "other:7b", "--llm-url", host])
        assert result.exit_code == 1
        assert "ollama pull other:7b" in result.output
    for gone, why in ((host, "does not answer at"), ("http://[", "is no URL")):
        result = CliRunner().invoke(pahf, ["--data", str(home), "--llm", MODEL, "--llm-url", gone])
        assert result.exit_code == 1
        assert why in result.output


@pytest.mark.parametrize("evaluation", [pahf])
def test_a_server_that_answers_nothing_ends_an_evaluation_and_nothing_is_reported(
    evaluation: click.Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAUSES_S", (0.0, 0.0))
    home, out = write_home(tmp_path / "home"), tmp_path / "out"
    of = {pahf: ["--data", str(home), "--embedding", "lexical"]}
    with OllamaServer("{}", status=500).running() as server:
        arguments = ["--limit", "1", "--llm", MODEL, "--llm-url", server.host, "--out", str(out), *of[evaluation]]
        result = CliRunner().invoke(evaluation, [*arguments, "--json", str(tmp_path / "figures.json")])
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
    turns = [
        {"say": "would thou besteck the mug in yon sink", "expect": {"refused": True}},
        {"say": "is the television on?", "expect": {"answer": {"truth": "state(television, on)"}}},
    ]
    file = tmp_path / "talk.json"
    file.write_text(json.dumps([{"id": "one", "scene": "home1", "turns": turns}]))
    with OllamaServer("{}", status=500).running() as server:
        result, figures = run(talk, server, tmp_path, "--utterances", str(file), "--embedding", "lexical")
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
        language = llm.language(OfflineLanguage(Likeness(None)), llm.answers(tmp_path))
        request = Request("ann", "Bring me a drink.", Mode.FETCH, options=("tea", "milk"))
        assert language.heard(request, "Thanks!") is None
    with pytest.raises(click.ClickException, match="give the same command again"):
        language.heard(request, "The tea, please.")
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
    assert (answers.figures(), again.figures()["asked"]) == ({"asked": 0, "left_to_the_rules": 1}, 2)
