# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma test`: linters, types and every test."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from karma.command.checkout import checkout
from karma.command.lanes import LIMIT_S, Lanes, Part, end_hanging, part_environment

NO_TESTS = 5
"""pytest's status when what it was told to select is in none of a package's tests."""
LANES = min(2 * len(os.sched_getaffinity(0)) + 1, 8)
"""More than there are processors, because graphs mostly wait; each lane may start one, of up to 2 GB."""
LONG = ("test_conformance", "test_planner_node", "test_replay", "test_page", "test_demo", "test_running_graph")
"""Files whose tests take minutes: begun first, so that no lane is left waiting for them in the end."""


@click.command("test", context_settings={"ignore_unknown_options": True})
@click.option("--fast", is_flag=True, help="Leave out the tests that start ROS processes or take more than seconds.")
@click.option(
    "--lanes",
    type=click.IntRange(1),
    default=LANES,
    show_default="2 * processors + 1, at most 8",
    help="How many parts run at a time.",
)
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
def command(fast: bool, lanes: int, pytest_arguments: tuple[str, ...]) -> int:
    """Run the linters and every test, in parts side by side.

    PYTEST_ARGUMENTS go to pytest, and then only pytest runs, in the foreground, one package after the other.
    """
    root = checkout()
    selection = ["-m", "not ros and not slow"] if fast else []
    pytest = [sys.executable, "-m", "pytest", *selection, *pytest_arguments]
    named = [root / argument.partition("::")[0] for argument in pytest_arguments]
    if paths := [path for path in named if path.exists()]:
        return _in_turn(root, [Part("pytest", pytest, limit=_limit(paths))])
    if pytest_arguments:
        return _in_turn(root, list(_packages(root, pytest)))
    start = time.monotonic()
    tests = _packages(root, pytest) if fast else _files_and_packages(root, pytest)
    parts = [*tests, *_checks(root)]
    failures = Lanes(root, parts, lanes).run()
    for failure in failures:
        for test in failure.tests:
            click.echo(test, err=True)
    minutes, seconds = divmod(round(time.monotonic() - start), 60)
    click.echo(f"{len(parts) - len(failures)} of {len(parts)} parts passed in {minutes}:{seconds:02} min", err=True)
    return _told([failure.name for failure in failures])


def _checks(root: Path) -> Iterator[Part]:
    python, shellcheck = sys.executable, str(Path(sys.executable).with_name("shellcheck"))
    packages = sorted(file.parent for file in (root / "ros2_ws" / "src").glob("*/setup.py"))
    modules = [str(package / package.name) for package in packages]
    yield Part("ruff check", [python, "-m", "ruff", "check", "."])
    yield Part("ruff format", [python, "-m", "ruff", "format", "--check", "."])
    yield Part("shellcheck", [shellcheck, "karma", ".ci/run", "docker/entrypoint.sh"])
    yield Part("mypy", [python, "-m", "mypy", *modules])
    yield Part("mypy bootstrap", [python, "-m", "mypy", "bootstrap"])
    yield Part("docs", [python, "-m", "mkdocs", "build", "--strict", "--quiet"])


def _test_folders(root: Path) -> dict[str, Path]:
    """Return the folders of tests by package, and that of the tests that cross packages."""
    folders = [*sorted((root / "ros2_ws" / "src").glob("*/test")), root / "tests"]
    return {folder.parent.name if folder.name == "test" else folder.name: folder for folder in folders}


def _packages(root: Path, pytest: Sequence[str]) -> Iterator[Part]:
    """Yield a part for each package, as with colcon test: what a test of one leaves behind can't harm another's."""
    for package, folder in _test_folders(root).items():
        yield Part(f"pytest {package}", [*pytest, str(folder.relative_to(root))], (0, NO_TESTS), limit=_limit([folder]))


def _limit(paths: Sequence[Path]) -> float:
    """Return the seconds that files and folders may take together: as long as their graphs would in parts."""
    return LIMIT_S * max(1, sum(map(_starts_graphs, _files(paths))))


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        yield from [path] if path.is_file() else sorted(path.rglob("test_*.py"))


def _starts_graphs(file: Path) -> bool:
    return "pytest.mark.ros" in file.read_text("utf-8")


def _files_and_packages(root: Path, pytest: Sequence[str]) -> Iterator[Part]:
    """Yield a part for each file with tests that start ROS processes, and one for what else is in each package."""
    folders = _test_folders(root)
    graphs = [
        (file.stem not in LONG, package, file)
        for package, folder in folders.items()
        for file in filter(_starts_graphs, _files([folder]))
    ]
    for _, package, file in sorted(graphs):
        name = str(file.relative_to(root))
        yield Part(f"pytest {package} {file.stem}", [*pytest, name], (0, NO_TESTS), waits=True)
    for package, folder in folders.items():
        ignored = [f"--ignore={file.relative_to(root)}" for _, its, file in graphs if its == package]
        yield Part(f"pytest {package}", [*pytest, str(folder.relative_to(root)), *ignored], (0, NO_TESTS))


def _in_turn(root: Path, parts: Sequence[Part]) -> int:
    """Run parts in the foreground, one after the other."""
    failed = []
    for part in parts:
        click.echo(f"== {part.name}", err=True)
        late = False
        with part_environment() as environment, subprocess.Popen(part.command, cwd=root, env=environment) as process:
            try:
                status = process.wait(part.limit)
            except subprocess.TimeoutExpired:
                status, late = end_hanging(process, environment), True
                click.echo(part.too_long, err=True)
            finally:
                process.kill()  # where it is Ctrl-C that ends it
        failed += [part.name] if late or status not in part.allowed else []
    return _told(failed)


def _told(failed: Sequence[str]) -> int:
    if failed:
        click.echo(f"failed: {', '.join(failed)}", err=True)
    return 1 if failed else 0
