# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How far an evaluation is, where no terminal shows it."""

import re

import pytest

from karma_eval import progress as module
from karma_eval.progress import progress


def test_without_a_terminal_there_is_a_plain_line_at_the_start_now_and_then_and_at_the_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LINES_S", 0.0)
    with progress(total=3, unit="runs", desc="trial") as bar:
        bar.update()
        bar.set_postfix_str("kitchen", refresh=False)
        bar.update()
        bar.update()
    said = capsys.readouterr().err
    assert "\r" not in said
    assert "\x1b" not in said
    first, *_, last = lines = said.splitlines()
    assert first.startswith("trial: 0 of 3 runs, 00:00")
    assert re.fullmatch(r"trial: 3 of 3 runs, 00:00, 00:00 left, kitchen", last)
    assert [line.split(",")[0] for line in lines[1:3]] == ["trial: 1 of 3 runs", "trial: 2 of 3 runs"]


def test_lines_are_rare_and_the_last_one_says_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(progress(iter(range(1000)), unit="rooms", desc="trial")) == list(range(1000))
    assert [line.split(",")[0] for line in capsys.readouterr().err.splitlines()] == [
        "trial: 0 rooms",
        "trial: 1000 rooms",
    ]


def test_one_within_another_does_not_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(total=1, unit="runs", desc="outer"), progress(["a"], unit="rooms", desc="inner") as inner:
        assert list(inner) == ["a"]
    assert {line.split(":")[0] for line in capsys.readouterr().err.splitlines()} == {"outer", "inner"}
