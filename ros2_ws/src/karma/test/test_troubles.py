# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

pytest.importorskip("diagnostic_msgs")

from diagnostic_msgs.msg import DiagnosticStatus

from karma.supervision.troubles import LASTING_S, Troubles


class Told:
    """What is told of a node that says something each second."""

    def __init__(self) -> None:
        self._clock = 0.0
        self._troubles = Troubles(lambda: self._clock)

    def of(self, level: bytes, *messages: str) -> list[str]:
        """Return what is told while a node says these, one each second; "": that all is well."""
        lines: list[str] = []
        for message in messages:
            self._clock += 1.0
            said = {"memory_server": DiagnosticStatus(level=level, message=message)} if message else {}
            lines += self._troubles.news(said)
        return lines


def test_an_error_is_told_at_once_and_once_and_when_it_is_over() -> None:
    told = Told()
    assert told.of(DiagnosticStatus.ERROR, *["no room; free some space"] * 30) == [
        "error: memory_server: no room; free some space"
    ]
    assert told.of(DiagnosticStatus.OK, *[""] * 30) == ["memory_server: all is well again"]


def test_a_warning_whose_numbers_change_is_told_once() -> None:
    messages = [f"only {500 - i} MB are free: free some space" for i in range(30)]
    (line,) = Told().of(DiagnosticStatus.WARN, *messages)
    assert line == f"warning: memory_server: only {500 - LASTING_S:.0f} MB are free: free some space"


def test_a_warning_that_passes_is_not_told_and_one_that_comes_and_goes_is_told_once() -> None:
    assert Told().of(DiagnosticStatus.WARN, "too slow", "too slow", *[""] * 10, "too slow") == []
    assert Told().of(DiagnosticStatus.WARN, *["too slow", ""] * 20) == ["warning: memory_server: too slow"]


def test_another_trouble_is_told_too() -> None:
    told = Told()
    assert told.of(DiagnosticStatus.ERROR, "a", "b") == ["error: memory_server: a", "error: memory_server: b"]
