# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma test`: linters, types and every test."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import click

from karma.command.checkout import checkout

DOMAIN = "KARMA_TEST_DOMAIN_ID"
"""The variable that tells tests of single nodes their ROS domain."""

NO_TESTS = 5
"""pytest's status when what it was told to select is in none of a package's tests."""


@click.command("test", context_settings={"ignore_unknown_options": True})
@click.option("--fast", is_flag=True, help="Leave out the tests that start ROS processes or take more than seconds.")
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
def command(fast: bool, pytest_arguments: tuple[str, ...]) -> int:
    """Run the linters and every test; PYTEST_ARGUMENTS go to pytest, and then only pytest runs."""
    root = checkout()
    failed = [] if pytest_arguments else [name for name, arguments in _checks(root) if not _run(root, name, arguments)]
    selection = ["-m", "not ros and not slow"] if fast else []
    pytest = [sys.executable, "-m", "pytest", *selection, *pytest_arguments]
    if any((root / argument.partition("::")[0]).exists() for argument in pytest_arguments):
        failed += [] if _run_pytest(root, "pytest", pytest) else ["pytest"]
    else:
        # A process for each package, as with colcon test: what a test of one leaves behind can't harm another's.
        names = {name: [*pytest, folder] for name, folder in _test_folders(root).items()}
        failed += [name for name, command in names.items() if not _run_pytest(root, name, command, (0, NO_TESTS))]
    if failed:
        click.echo(f"failed: {', '.join(failed)}", err=True)
    return 1 if failed else 0


def _checks(root: Path) -> list[tuple[str, Sequence[str]]]:
    packages = sorted(file.parent for file in (root / "ros2_ws" / "src").glob("*/setup.py"))
    python, shellcheck = sys.executable, str(Path(sys.executable).with_name("shellcheck"))
    modules = [str(package / package.name) for package in packages]
    return [
        ("ruff check", [python, "-m", "ruff", "check", "."]),
        ("ruff format", [python, "-m", "ruff", "format", "--check", "."]),
        ("shellcheck", [shellcheck, "karma", ".ci/run", "docker/entrypoint.sh"]),
        *((f"mypy {Path(module).name}", [python, "-m", "mypy", module]) for module in modules),
        ("mypy bootstrap", [python, "-m", "mypy", "bootstrap"]),
    ]


def _test_folders(root: Path) -> dict[str, str]:
    folders = [*sorted((root / "ros2_ws" / "src").glob("*/test")), root / "tests"]
    names = [f"pytest {folder.parent.name if folder.name == 'test' else folder.name}" for folder in folders]
    return dict(zip(names, (str(folder.relative_to(root)) for folder in folders), strict=True))


def _run_pytest(root: Path, name: str, arguments: Sequence[str], allowed: Sequence[int] = (0,)) -> bool:
    """Run pytest with a ROS domain that no graph and no other run of the tests has, and with room in shared memory."""
    from karma.supervision import claim_domain
    from karma.supervision.shared_memory import remove_stale_segments

    remove_stale_segments()
    if DOMAIN in os.environ:
        return _run(root, name, arguments, allowed)
    with claim_domain(None) as domain:
        return _run(root, name, arguments, allowed, {DOMAIN: str(domain)})


def _run(
    root: Path,
    name: str,
    arguments: Sequence[str],
    allowed: Sequence[int] = (0,),
    variables: Mapping[str, str] = MappingProxyType({}),
) -> bool:
    click.echo(f"== {name}", err=True)
    return subprocess.run(arguments, cwd=root, env={**os.environ, **variables}, check=False).returncode in allowed
