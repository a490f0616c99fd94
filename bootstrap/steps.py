# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The steps of the set-up. Each is done once per content of what it depends on, and starts over when interrupted."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bootstrap import debian, workspace
from bootstrap.downloads import Downloads, size_of
from bootstrap.exports import repair_exports
from bootstrap.place import Place
from bootstrap.processor import check_processor
from bootstrap.progress import Progress, SetupError

PROVIDED_BY_ROS = frozenset({"catkin-pkg", "empy", "lark-parser", "numpy", "packaging", "pyparsing", "python-dateutil"})
"""Locked packages that an installed ROS 2 brings itself, and was compiled or tested against."""


@dataclass(frozen=True)
class Step:
    """One piece of the set-up."""

    name: str
    key: str
    """A digest of what the step depends on: done with the same key, it need not be done again."""
    run: Callable[[Progress], None]


def set_up(
    place: Place, *, peers: bool = False, tests: bool = False, ai2thor: bool = False, robot: bool = False
) -> None:
    """Do what is not done yet.

    With `peers`, also what the benchmarks compare with, with `tests`, what only tests need, with `ai2thor`, its client,
    with `robot`, the usual interfaces of robots that the distribution lacks. SetupError when something cannot be done.
    """
    wanted = {"peers": peers, "tests": tests, "ai2thor": ai2thor, "robot": robot}
    stale = _stale(place, **wanted)
    if not stale:
        return
    check_processor(place)
    check_owner(place, [step.name for step in stale])
    with _alone(place.root) as progress:
        _make_venv(place, progress)
        # A step may change what later ones depend on, so ask anew after each.
        while stale := _stale(place, **wanted):
            step = stale[0]
            _stamp(place, step.name).unlink(missing_ok=True)
            step.run(progress)
            _stamp(place, step.name).write_text(step.key, encoding="utf-8")


def due(place: Place) -> list[str]:
    """Return the names of the steps that any command needs and that are not done."""
    return [step.name for step in _stale(place)]


def base_locks(place: Place) -> list[Path]:
    """Return the files with the Python packages that every command needs."""
    names = ["packages.lock"] if place.ros is not None else ["packages.lock", "ros.lock"]
    return [place.root / "requirements" / name for name in names]


def check_owner(place: Place, missing: list[str]) -> None:
    """SetupError when this user may not do the steps that are missing."""
    folders = [place.root, *(folder for folder in (place.venv, place.state) if folder.exists())]
    if os.path.lexists(place.python) and not os.access(place.python, os.X_OK) and not os.access(place.venv, os.W_OK):
        raise SetupError(
            f"{place.venv} was made with {os.path.realpath(place.python)}, which you may not run. "
            "Have it set up with a Python that everybody may run, or clone a checkout of your own."
        )
    if not all(os.access(folder, os.W_OK) for folder in folders):
        try:
            owner = place.root.owner()
        except KeyError:
            owner = f"user {place.root.stat().st_uid}"
        raise SetupError(
            f"{place.root} is not all set up ({', '.join(missing)}), and you may not write there. "
            f"Run the same command once as {owner}, or clone a checkout of your own."
        )


def _stale(place: Place, **wanted: bool) -> list[Step]:
    return [step for step in _steps(place, **wanted) if _read(_stamp(place, step.name)) != step.key]


def _steps(
    place: Place, *, peers: bool = False, tests: bool = False, ai2thor: bool = False, robot: bool = False
) -> Iterator[Step]:
    identity, requirements = place.identity, place.root / "requirements"
    yield Step("venv", _digest(identity), lambda progress: None)
    locks = base_locks(place)
    yield _packages(place, "packages", locks)
    if peers:
        yield _packages(place, "peers", [requirements / "bench.lock"])
    if tests:
        needs = debian.needs_of_tests()
        key = _digest(*(need.package for need in needs))
        yield Step("test-programs", key, lambda progress: debian.install_missing(needs, progress))
        tested = _packages(place, "test-packages", [requirements / "tests.lock"])
        yield tested
        if debian.is_ubuntu():
            yield Step("test-browser", tested.key, lambda progress: debian.install_browser(place.python, progress))
    if ai2thor:
        yield _packages(place, "ai2thor", [requirements / "ai2thor.lock"])
    wheels = wanted_packages(place, locks[1:])
    for package in workspace.packages(place):
        yield Step(
            f"package-{package.name}",
            _digest(identity, *wheels, workspace.build_key(package)),
            lambda progress: _build(place, progress),
        )
    interfaces = workspace.missing_interfaces(place) if robot else []
    if interfaces:
        key = _digest(identity, *wheels, *map(workspace.build_key, interfaces))
        names = [package.name for package in interfaces]
        yield Step("interfaces", key, lambda progress: _build_interfaces(place, names, progress))


def _packages(place: Place, name: str, locks: list[Path]) -> Step:
    """Return the step that installs the Python packages in lock files."""
    key = _digest(place.identity, *wanted_packages(place, locks))
    return Step(name, key, lambda progress: _install_packages(place, locks, progress))


def _make_venv(place: Place, progress: Progress) -> None:
    """Make the virtual environment, unless a whole one is there.

    One that belongs to another checkout, Python or ROS, or in which an installation was interrupted, is made anew.
    """
    building = any(step.name.startswith("package-") for step in _stale(place))
    debian.install_missing(debian.needs(place.base_python, building=building), progress)
    expected = next(_steps(place)).key
    stamp = _stamp(place, "venv")
    broken = place.state / "installing"
    whole = place.python.is_file() and _works(place.python) and not broken.exists()
    if whole and _read(stamp) in (expected, ""):
        place.state.mkdir(exist_ok=True)
        stamp.write_text(expected, encoding="utf-8")
        return
    if place.venv.exists():
        progress.say(f"{place.venv} is incomplete or was made elsewhere; making it anew")
        _discard(place.venv)
    options = [] if place.ros is None else ["--system-site-packages"]
    command = [place.base_python, "-m", "venv", *options, str(place.venv)]
    place.state.mkdir(parents=True)
    broken.touch()
    progress.run("virtual environment", command, environment=os.environ)
    if place.ros is not None and _python(place, "import rclpy").returncode != 0:
        # An rclpy outside PYTHONPATH and the system's packages, as in another virtual environment.
        site = next(place.venv.glob("lib/python3*/site-packages"))
        folders = [path for path in place.ros.python_path if path.endswith(("site-packages", "dist-packages"))]
        (site / "installed_ros.pth").write_text("\n".join(folders) + "\n", encoding="utf-8")
    broken.unlink()
    stamp.write_text(expected, encoding="utf-8")


def _install_packages(place: Place, locks: list[Path], progress: Progress) -> None:
    # Where pip unpacks: one that is ended leaves it all, and an environment that it was ended in is made anew.
    unpacked = place.state / "unpacked"
    unpacked.mkdir(exist_ok=True)
    environment = place.build_environment(os.environ) | {"TMPDIR": str(unpacked)}
    wanted = wanted_packages(place, locks)
    requirements = place.state / "requirements.txt"
    requirements.write_text("\n".join(wanted) + "\n", encoding="utf-8")
    broken = place.state / "installing"
    broken.touch()
    progress.run(
        f"Python packages ({len(wanted)})",
        [place.python, "-m", "pip", "install", "--no-deps", "--disable-pip-version-check", "-r", requirements],
        environment=environment,
        meter=Downloads(unpacked, place.venv, size_of(locks).download, len(wanted)),
    )
    if place.ros is None:
        code = "import sysconfig, numpy; print(sysconfig.get_path('include'), numpy.get_include(), sep='\\n')"
        answer = _python(place, code)
        if answer.returncode != 0:
            raise SetupError(f"numpy does not work in {place.venv}:\n{answer.stderr}Delete that folder and run again.")
        python_include, numpy_include = answer.stdout.splitlines()
        repair_exports(place.venv, python_include=python_include, numpy_include=numpy_include)
    broken.unlink()


def wanted_packages(place: Place, locks: list[Path]) -> list[str]:
    """Return the requirements in lock files that the ROS 2 of this place does not bring itself."""
    lines = [line for lock in locks for line in _read(lock).splitlines() if line and not line.startswith("#")]
    provided = PROVIDED_BY_ROS if place.ros is not None else frozenset()
    return [line for line in lines if line.partition("==")[0] not in provided]


def _build(place: Place, progress: Progress) -> None:
    """Build all packages that are due in one run of colcon."""
    due = [step for step in _stale(place) if step.name.startswith("package-")]
    for step in due:
        _stamp(place, step.name).unlink(missing_ok=True)
    workspace.build(place, [step.name.removeprefix("package-") for step in due], progress)
    for step in due:
        _stamp(place, step.name).write_text(step.key, encoding="utf-8")


def _build_interfaces(place: Place, names: list[str], progress: Progress) -> None:
    """Build interfaces of robots, which may be wanted long after the workspace was built."""
    debian.install_missing(debian.needs(place.base_python), progress)
    workspace.build(place, names, progress, sources=place.interfaces)


@contextmanager
def _alone(root: Path) -> Iterator[Progress]:
    """Keep a second set-up of the same checkout waiting until this one is done."""
    progress = Progress(root / "out" / "log" / "setup.log")
    folder = os.open(root, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress.say("another ./karma is setting this checkout up; waiting for it")
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield progress
    finally:
        os.close(folder)


def _discard(venv: Path) -> None:
    """Delete a virtual environment such that an interruption never leaves half of it in place."""
    rubbish = Path(tempfile.mkdtemp(prefix=".venv-discarded-", dir=venv.parent))
    venv.rename(rubbish / venv.name)
    shutil.rmtree(rubbish)


def _works(python: Path) -> bool:
    return subprocess.run([python, "-I", "-S", "-c", ""], capture_output=True, check=False).returncode == 0


def _python(place: Place, code: str) -> subprocess.CompletedProcess[str]:
    environment = place.build_environment(os.environ)
    return subprocess.run([place.python, "-c", code], env=environment, capture_output=True, text=True, check=False)


def _stamp(place: Place, step: str) -> Path:
    return place.state / f"{step}.stamp"


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
