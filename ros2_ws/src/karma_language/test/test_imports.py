# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from importlib import import_module
from pkgutil import walk_packages

import pytest

import karma_language

MODULES = [module.name for module in walk_packages(karma_language.__path__, "karma_language.")]


@pytest.fixture
def nothing_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "karma_language"]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.usefixtures("nothing_imported")
@pytest.mark.parametrize("name", MODULES)
def test_a_module_can_be_imported_before_all_others(name: str) -> None:
    import_module(name)
