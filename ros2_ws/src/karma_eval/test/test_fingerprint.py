# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is kept of a run is that of this code and these data."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from karma_eval.fingerprint import fingerprint


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with a file of code, one of data, and what Python made of it."""
    folder = tmp_path / "own_package_of_this_test"
    for name in ("__init__.py", "scenes/one.json", "__pycache__/old.pyc"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("1", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder


@pytest.mark.parametrize("changed", ["__init__.py", "scenes/one.json", "more.py"])
def test_it_changes_with_the_files_of_a_package(package: Path, changed: str) -> None:
    before = fingerprint([package.name])
    (package / "__pycache__" / "old.pyc").write_text("2", encoding="utf-8")
    os.utime(package / "__init__.py")
    assert fingerprint([package.name]) == before
    (package / changed).write_text("2", encoding="utf-8")
    assert fingerprint([package.name]) != before
    assert package.name not in sys.modules  # it is read, not run


def test_it_changes_with_the_data_and_not_with_how_they_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "data.json"
    file.write_text("1", encoding="utf-8")
    before = fingerprint([], [file])
    monkeypatch.chdir(tmp_path)
    assert fingerprint([], [Path("data.json"), file]) == before
    file.write_text("2", encoding="utf-8")
    assert fingerprint([], [file]) != before


def test_a_package_that_is_not_there_is_said() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_package_of_this_name"):
        fingerprint(["no_package_of_this_name"])
