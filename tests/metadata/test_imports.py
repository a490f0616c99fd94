# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which way imports go (docs/architecture.md, rules): in no circle, and from the nodes down."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
from declarations import ROOT

SOURCES = ROOT / "ros2_ws" / "src"
BELOW = {"karma_interfaces": set(), "karma_ros": set(), "karma_language": set()}
"""What lies below the nodes → the packages of the workspace that it may import."""
NODES = {"karma_memory", "karma_perception", "planner_node", "sim_bridge"}


def modules() -> dict[str, Path]:
    files = {file.relative_to(folder.parent): file for folder in SOURCES.glob("*/*/") for file in folder.rglob("*.py")}
    found = {".".join(name.with_suffix("").parts).removesuffix(".__init__"): file for name, file in files.items()}
    return {name: file for name, file in found.items() if not name.startswith(("test.", "launch.", "build."))}


def imported(file: Path, known: set[str]) -> Iterator[str]:
    """Yield what a module imports when it is imported itself."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            whole = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name in known else node.module for name in whole if {name, node.module} & known)


def graph() -> nx.DiGraph[str]:
    files = modules()
    return nx.DiGraph((name, other) for name, file in files.items() for other in imported(file, {*files}))


def test_no_circle_of_imports() -> None:
    assert [sorted(circle) for circle in nx.strongly_connected_components(graph()) if len(circle) > 1] == []


def test_no_circle_of_rooms() -> None:
    """A room is a folder of a package; what lies beside the rooms is nobody's."""

    def room(name: str) -> str:
        parts = name.split(".")
        return ".".join(parts[:2]) if (SOURCES / parts[0] / Path(*parts[:2])).is_dir() and len(parts) > 1 else ""

    between = nx.DiGraph((room(name), room(other)) for name, other in graph().edges)
    between.remove_nodes_from([""])
    between.remove_edges_from(list(nx.selfloop_edges(between)))
    assert [sorted(circle) for circle in nx.strongly_connected_components(between) if len(circle) > 1] == []


def test_what_lies_below_the_nodes_knows_none_and_nodes_do_not_know_each_other() -> None:
    uses: dict[str, set[str]] = {}
    for name, other in graph().edges:
        ours, theirs = name.split(".")[0], other.split(".")[0]
        if ours != theirs:
            uses.setdefault(ours, set()).add(theirs)
    assert {name: uses.get(name, set()) for name in BELOW} == BELOW
    assert {name: uses.get(name, set()) - set(BELOW) for name in NODES} == {name: set() for name in NODES}
    assert [name for name, others in uses.items() if "karma" in others] == [], "karma is above all others"


def test_what_tests_share_has_names_of_its_own() -> None:
    """So that tests of two packages run in one process."""
    folders = [*SOURCES.glob("*/test"), ROOT / "tests"]
    names = [str(file.relative_to(folder)) for folder in folders for file in folder.rglob("*.py")]
    shared = [name for name in names if not name.startswith("test_") and "/test_" not in name]
    assert {name for name in shared if shared.count(name) > 1} <= {"conftest.py", "__init__.py"}
