# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The robot's side of an evaluation is kept from the judge's: by what it imports, and by what it does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import memento_files
import pytest

import karma_eval
from karma_eval.memento.episodes import RememberedEpisodes
from karma_eval.memento.likeness import TextLikeness
from karma_eval.memento.task import run_task
from karma_eval.memento.task_data import Memento, load
from karma_memory import Memory

PACKAGES = Path(karma_eval.__file__).parents[2]
MAY_KNOW = {
    "memento/agent.py": {
        "karma_eval.memento.house": {"Result", "Seen"},
        "karma_eval.memento.skills": {"Call", "Rooms", "Run", "Skills"},
    },
    "memento/skills.py": {"karma_eval.memento.house": {"Result", "Seen"}},
    "memento/episodes.py": {
        "karma_eval.memento.skills": {"Call", "Run"},
        "karma_eval.memento.task_data": {"Instruction"},
    },
    "memento/likeness.py": {},
    "embedding.py": {},
    "pahf/agent.py": {"karma_eval.pahf.scenarios": {"Instruction"}},
}
"""Modules of the robot's side, and what they may know of the evaluation."""


def imported(file: Path) -> Iterator[tuple[str, str]]:
    """Return (module, name) of every import, wherever it stands; no name for a whole module."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


@pytest.mark.parametrize("module", MAY_KNOW)
def test_the_robots_side_imports_nothing_of_the_judges(module: str) -> None:
    file = Path(karma_eval.__file__).parent / module
    known = [(name, what) for name, what in imported(file) if name.startswith("karma_eval") or name == "importlib"]
    assert [(name, what) for name, what in known if what not in MAY_KNOW[module].get(name, set())] == []


def test_what_the_robot_uses_knows_no_evaluation() -> None:
    """The memory and the planner don't import karma_eval, so that all the robot knows of it is what it is told."""
    for package in ("karma_language", "karma_memory", "planner_node"):
        files = list((PACKAGES / package / package).rglob("*.py"))
        assert files
        assert [f.name for f in files for name, _ in imported(f) if name.startswith("karma_eval")] == []


def test_in_memento_it_does_the_same_whatever_the_truth_is(tmp_path: Path) -> None:
    data = load(memento_files.write(tmp_path / "data"))
    every = [episode for stage in data.stages.values() for episode in stage]
    others = {e.instruction.episode: every[(n + 1) % len(every)].truth for n, e in enumerate(every)}
    wrong = {
        stage: tuple(replace(e, truth=others[e.instruction.episode]) for e in some)
        for stage, some in data.stages.items()
    }

    def calls(some: Memento, name: str) -> list[list[object]]:
        with Memory(tmp_path / name, embedder="lexical") as memory:
            outcomes = run_task(some, RememberedEpisodes(memory, None, "somebody"), TextLikeness(None))
        return [[o.run.calls for o in stage] for stage in outcomes.values()]

    assert calls(data, "a.sqlite3") == calls(replace(data, stages=wrong), "b.sqlite3")
