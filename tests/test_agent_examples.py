# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The examples for other people's frameworks, against the real py_trees and LangGraph: what they print, and errors."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from karma_memory import Memory
from karma_memory.tools import TOOLS

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def example(name: str, needs: str) -> ModuleType:
    pytest.importorskip(needs, reason=f"{needs} is not installed: ./karma test installs it")
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_behavior_tree_searches_once_then_knows_and_searches_again_what_was_moved(
    capsys: pytest.CaptureFixture[str],
) -> None:
    example("behavior_tree", "py_trees").main()
    printed = capsys.readouterr().out
    assert [line.split()[-1] for line in printed.splitlines() if "looked at:" in line] == ["4", "1", "2"]
    assert "look where it was: success. The mug is on the sofa." in printed


def test_a_behavior_tree_leaves_a_task_that_can_be_asked_for(tmp_path: Path) -> None:
    module = example("behavior_tree", "py_trees")
    with Memory(tmp_path / "home.sqlite3", embedder="lexical") as memory:
        module.bring(module.Robot(memory, {"mug": "sofa"}), "mug", "desk")
        known = memory.find("mug")
        assert known is not None
        assert known.receptacle == "desk"
        assert memory.ask("Did you bring the mug to the desk?", user="ann").text.startswith("Yes")


def test_an_agent_of_langgraph_asks_and_remembers(capsys: pytest.CaptureFixture[str]) -> None:
    example("langgraph_agent", "langgraph").main()
    where, kept, who = [line for line in capsys.readouterr().out.splitlines() if line.startswith("agent:")]
    assert "kitchen table" in where
    assert "remembered as told:" in kept
    assert "grandmother" in who


def test_an_agent_of_langgraph_has_every_tool_and_reads_what_was_wrong_with_a_call(tmp_path: Path) -> None:
    module = example("langgraph_agent", "langgraph")
    with Memory(tmp_path / "home.sqlite3", embedder="lexical") as memory:
        tools = {tool.name: tool for tool in module.tools_of(memory, "ann")}
        assert {*tools} == {*TOOLS}
        assert all(tool.description for tool in tools.values())
        assert "user" not in tools["ask"].args
        assert tools["record_sighting"].invoke({"thing": "mug", "on": "desk"}) == "remembered as mug"
        assert "desk" in tools["where_is"].invoke({"thing": "mug"})
        assert "is no time" in tools["look_back"].invoke({"since": "the day of the mug"})
        assert "question" in tools["ask"].invoke({})
