# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Garbage for every service, action and topic of a graph, for the page and MCP: nothing dies, hangs or forgets."""

from __future__ import annotations

from pathlib import Path

import pytest

from karma.command.bench_fuzz import everything

pytestmark = [pytest.mark.ros, pytest.mark.slow]

CASES = 250
"""Of each interface: a quarter of what `./karma bench fuzz` does, in less than three minutes on two busy cores."""


def test_a_graph_lives_through_garbage_answers_it_and_works_as_before(tmp_path: Path) -> None:
    tallies = list(everything("ci", CASES, ("/", "page:", "mcp:", "afterwards"), tmp_path, lambda *_: None))
    assert [fault for tally in tallies for fault in (f"{tally.name}: {one}" for one in tally.faults)] == []
    names = {tally.name for tally in tallies}
    assert {"/memory/remember", "/execute_instruction/_action/send_goal", "/camera/depth/image_raw"} <= names
    assert len(names) > 100
