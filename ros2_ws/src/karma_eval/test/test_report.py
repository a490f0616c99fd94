# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an evaluation prints is written, too, with more besides; what people wrote breaks neither."""

from __future__ import annotations

from pathlib import Path

import pytest

from karma_eval.report import Report, picture


def test_what_is_printed_is_written_too_and_more_besides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = Report("Figures", "How they were made.")
    report.table("by kind", ["kind", "n"], [["a|b <i> [red]", 3]])
    report.checks({"SR ≥ 0.95": True, "MRA ≥ 0.85": False, "RE ≥ 0.87": None})
    report.add("## What went wrong", "", "- nothing")
    report.show()
    printed, written = capsys.readouterr().out, report.write(tmp_path).read_text(encoding="utf-8")
    assert "a|b <i> [red]" in printed
    assert "| a\\|b &lt;i> [red] | 3 |" in written
    for said in (printed, written):
        assert "yes: SR ≥ 0.95" in said
        assert "NO: MRA ≥ 0.85" in said
        assert "not measured: RE ≥ 0.87" in said
    assert "What went wrong" in written
    assert "What went wrong" not in printed


def test_a_picture_is_drawn_and_shown_in_the_report(tmp_path: Path) -> None:
    file = tmp_path / "hit_rates.png"
    with picture(file, 3.0, 2.0, 1, 2) as (first, _):
        first.plot([1, 2], [3, 4])
    assert file.read_bytes().startswith(b"\x89PNG")
    report = Report("Figures")
    report.picture(file)
    assert "![hit rates](hit_rates.png)" in report.write(tmp_path).read_text(encoding="utf-8")
