# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Evaluations with a language model: --llm and --ollama-host."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner, Result
from ollama_server import MODEL, OllamaServer
from pahf_home import write_home

from karma_eval.llm import AnswerFile, Llm
from karma_eval.pahf.command import command as pahf
from karma_memory.facts.offline import OfflineExtractor
from planner_node.understand.llm import LlmUnderstanding
from planner_node.vocabulary import household

NO_USE = json.dumps({"salient": False, "chosen": "", "changed": False})
"""An answer that is of the form of one step, and of no other."""


def run(command: click.Command, server: OllamaServer, out: Path, *more: str) -> tuple[Result, dict[str, Any]]:
    file = out / "figures.json"
    arguments = ["--llm", MODEL, "--ollama-host", server.host, "--out", str(out), "--json", str(file), *more]
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


def test_facts_are_extracted_by_the_model(tmp_path: Path) -> None:
    told = {"facts": [{"path": ["sister"], "relation": "home", "value": "Oslo"}]}
    with OllamaServer(json.dumps(told)).running() as server:
        llm = Llm(MODEL, server.host)
        answers = llm.answers(tmp_path)
        (claim,) = llm.extractor(OfflineExtractor(), answers).told("My sister lives in Oslo.", 0.0).claims
    assert claim.relation == "residence"
    assert answers.figures() == {"asked": 1, "left_to_the_rules": 0}


def test_a_model_that_is_not_there_is_said_before_anything_is_done(tmp_path: Path) -> None:
    home = write_home(tmp_path / "home")
    with OllamaServer("{}").running() as server:
        host = server.host
        result = CliRunner().invoke(pahf, ["--data", str(home), "--llm", "other:7b", "--ollama-host", host])
        assert result.exit_code == 1
        assert "ollama pull other:7b" in result.output
    for gone in (host, "http://["):
        result = CliRunner().invoke(pahf, ["--data", str(home), "--llm", MODEL, "--ollama-host", gone])
        assert result.exit_code == 1
        assert "no Ollama at" in result.output


def test_the_planner_of_an_evaluation_is_the_rules_or_the_model() -> None:
    assert Llm().offline
    assert isinstance(Llm(MODEL).understander(household()), LlmUnderstanding)


def test_answers_are_kept_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    answers = AnswerFile(file)
    answers.keep("a", 'yes\n"no"]')
    answers.lost("nonsense")
    again = AnswerFile(file)
    assert (again.get("a"), again.get("b")) == ('yes\n"no"]', None)
    assert (answers.figures(), again.figures()["asked"]) == ({"asked": 0, "left_to_the_rules": 1}, 2)
