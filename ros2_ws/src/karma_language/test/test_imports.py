# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

import pytest

import karma_language

MODULES = [module.name for module in walk_packages(karma_language.__path__, "karma_language.")]


def taken_out() -> dict[str, ModuleType]:
    """Take the package's modules out of those that are imported, and return them."""
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "karma_language"}


@pytest.fixture
def nothing_imported() -> Iterator[None]:
    before = taken_out()
    yield
    taken_out()  # what the test imported knows none of the modules that others hold
    sys.modules.update(before)


@pytest.mark.usefixtures("nothing_imported")
@pytest.mark.parametrize("name", MODULES)
def test_a_module_can_be_imported_before_all_others(name: str) -> None:
    import_module(name)
