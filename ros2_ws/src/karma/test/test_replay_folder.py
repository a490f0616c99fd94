# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where the files of a replay are looked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("karma_interfaces.msg", reason="needs karma_interfaces to be built")

from karma.replay import run
from karma.replay.trial import Trial
from karma_memory.journal import export_journal, open_journal
from karma_memory.state.history import stored_state


class NothingStartedError(Exception):
    """What would be started was noted."""


def test_nodes_find_their_files_when_the_folder_is_given_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They look for them from the folder of their logs."""
    monkeypatch.chdir(tmp_path)
    with open_journal(tmp_path / "then.sqlite3") as journal:
        export_journal(journal, tmp_path / "then.jsonl.gz", stored_state(journal).snapshot())
    started: list[Any] = []

    def note(nodes: Any, **_: Any) -> Any:
        started.extend(nodes)
        raise NothingStartedError

    monkeypatch.setattr(run, "running_nodes", note)
    trial = Trial((), (), tmp_path / "then.jsonl.gz", parameters={"planner": {"llm": "offline"}})
    Path("kept").mkdir()
    with pytest.raises(NothingStartedError):
        run.replay(trial, Path("kept"), run.Replayed(trial))
    by_name = {node.name: node for node in started}
    assert by_name["planner"].parameter_file == tmp_path / "kept" / "planner.yaml"
    assert by_name["memory_server"].parameters["database"] == str(tmp_path / "kept" / "memory.sqlite3")
