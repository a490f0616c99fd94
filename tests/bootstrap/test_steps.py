# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What makes the set-up do something again, and what happens after an interruption."""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bootstrap import debian, locking, steps, workspace
from bootstrap.debian import Need
from bootstrap.exports import repair_exports
from bootstrap.needs import chosen_backend, needs
from bootstrap.place import InstalledRos, Place
from bootstrap.progress import Progress, SetupError


class Recorder(Progress):
    """Runs nothing and remembers what it was asked to run."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "log")
        self.titles: list[str] = []

    def run(self, title: str, command, **options) -> None:
        self.titles.append(title)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A checkout with one Python package; tools are not run, only what they would leave is made."""
    package = tmp_path / "ros2_ws" / "src" / "thing"
    (package / "thing").mkdir(parents=True)
    (package / "config").mkdir()
    for name in ("package.xml", "setup.py", "config/a.yaml", "thing/__init__.py"):
        (package / name).touch()
    (tmp_path / "requirements").mkdir()
    for name in ("packages.lock", "ros.lock"):
        (tmp_path / "requirements" / name).write_text("numpy==2.4.6\n")
    return Place(tmp_path, None)


@pytest.fixture
def ran(checkout: Place, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which steps do their work, in order; each leaves what the real one leaves."""
    done: list[str] = []

    def make_venv(place: Place, progress: Progress) -> None:
        if not place.state.exists():
            done.append("venv")
            place.state.mkdir(parents=True)
        (place.state / "venv.stamp").write_text(next(steps._steps(place)).key)

    monkeypatch.setattr(steps, "_make_venv", make_venv)
    monkeypatch.setattr(steps, "_install_packages", lambda place, locks, progress: done.append("packages"))
    monkeypatch.setattr(workspace, "build", lambda place, names, progress, sources=None: done.append("+".join(names)))
    return done


def test_everything_is_done_once(checkout: Place, ran: list[str]) -> None:
    steps.set_up(checkout)
    assert ran == ["venv", "packages", "thing"]
    steps.set_up(checkout)
    assert ran == ["venv", "packages", "thing"]


def test_without_ros_wheels_for_its_processor_a_machine_is_told_before_anything_is_installed(
    checkout: Place, ran: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    with pytest.raises(SetupError, match=r"aarch64.*x86_64 only.*Jazzy or Kilted"):
        steps.set_up(checkout)
    assert ran == []
    steps.set_up(Place(checkout.root, InstalledRos("jazzy", (), "python3", (), "")))
    assert ran == ["venv", "packages", "thing"]


def test_interfaces_of_robots_are_built_where_the_distribution_lacks_them_and_they_are_needed(
    checkout: Place, ran: list[str]
) -> None:
    for name in ("nav2_msgs", "control_msgs"):
        (checkout.interfaces / name).mkdir(parents=True)
        (checkout.interfaces / name / "package.xml").touch()
    steps.set_up(checkout)
    ran.clear()
    steps.set_up(checkout, robot=True)
    assert ran == ["control_msgs+nav2_msgs"]
    steps.set_up(checkout, robot=True)
    assert ran == ["control_msgs+nav2_msgs"]
    installed = Place(checkout.root, InstalledRos("jazzy", (), "python3", (), ""))
    assert workspace.missing_interfaces(installed) == []


def test_what_benchmarks_compare_with_is_installed_for_them_only(checkout: Place, ran: list[str]) -> None:
    (checkout.root / "requirements" / "bench.lock").write_text("theine==2.0.0\n")
    steps.set_up(checkout)
    ran.clear()
    steps.set_up(checkout, peers=True)
    assert ran == ["packages"]
    steps.set_up(checkout, peers=True)
    steps.set_up(checkout)
    assert ran == ["packages"]


def test_what_only_tests_need_is_installed_for_them_only(
    checkout: Place, ran: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: {"ID": "debian"})
    wanted: list[str] = []
    monkeypatch.setattr(debian, "install_missing", lambda needs, progress: wanted.extend(n.package for n in needs))
    (checkout.root / "requirements" / "tests.lock").write_text("xllamacpp==1.0.0\n")
    steps.set_up(checkout)
    assert wanted == []
    ran.clear()
    for _ in range(2):
        steps.set_up(checkout, tests=True)
        assert (wanted, ran) == (["postgresql", "fonts-dejavu-core", "chromium-headless-shell"], ["packages"])
    steps.set_up(checkout)
    assert ran == ["packages"]


def test_other_versions_install_packages_and_nothing_else(checkout: Place, ran: list[str]) -> None:
    steps.set_up(checkout)
    lock = checkout.root / "requirements" / "packages.lock"
    lock.write_text(f"# Another comment.\n{lock.read_text()}")
    ran.clear()
    steps.set_up(checkout)
    assert ran == []
    lock.write_text("numpy==2.4.7\n")
    steps.set_up(checkout)
    assert ran == ["packages"]


@pytest.mark.parametrize(
    ("file", "built"),
    [
        ("thing/__init__.py", False),
        ("thing/new.py", False),
        ("config/a.yaml", False),
        ("config/b.yaml", True),
        ("setup.py", True),
        ("test/test_new.py", False),
        ("CHANGELOG.rst", False),
    ],
)
def test_only_what_links_do_not_cover_is_built_again(checkout: Place, ran: list[str], file: str, built: bool) -> None:
    steps.set_up(checkout)
    ran.clear()
    path = checkout.sources / "thing" / file
    path.parent.mkdir(exist_ok=True)
    path.write_text("changed")
    steps.set_up(checkout)
    assert ran == (["thing"] if built else [])


def test_every_change_of_a_compiled_package_builds_it_again(tmp_path: Path) -> None:
    (tmp_path / "msg").mkdir()
    (tmp_path / "CMakeLists.txt").touch()
    (tmp_path / "msg" / "A.msg").write_text("int32 a\n")
    before = workspace.build_key(tmp_path)
    (tmp_path / "msg" / "A.msg").write_text("int64 a\n")
    assert workspace.build_key(tmp_path) != before


def test_a_line_in_its_changelog_compiles_a_package_no_second_time(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").touch()
    before = workspace.build_key(tmp_path)
    (tmp_path / "CHANGELOG.rst").write_text("* One service more.")
    assert workspace.build_key(tmp_path) == before


def test_a_compilation_says_how_far_it_is() -> None:
    assert workspace.how_far("[360/376] Building C object x.c.o") == "360 of 376 files compiled"
    assert workspace.how_far("Starting >>> karma") == ""


def test_files_that_a_package_no_longer_has_are_forgotten(checkout: Place) -> None:
    (checkout.venv / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
    for folder in (checkout.state / "build" / "thing" / "config", checkout.venv / "share" / "thing" / "config"):
        folder.mkdir(parents=True)
        (folder / "a.yaml").symlink_to(checkout.sources / "thing" / "config" / "a.yaml")
        (folder / "renamed.yaml").symlink_to(checkout.sources / "thing" / "config" / "renamed.yaml")
    workspace.build(checkout, ["thing"], Recorder(checkout.state))
    assert not list(checkout.venv.rglob("renamed.yaml"))
    assert len(list(checkout.venv.rglob("a.yaml"))) == 2


def test_interrupted_step_is_done_again(checkout: Place, ran: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(place: Place, locks: list[Path], progress: Progress) -> None:
        raise KeyboardInterrupt

    install = steps._install_packages
    monkeypatch.setattr(steps, "_install_packages", interrupted)
    with pytest.raises(KeyboardInterrupt):
        steps.set_up(checkout)
    monkeypatch.setattr(steps, "_install_packages", install)
    steps.set_up(checkout)
    assert ran == ["venv", "packages", "thing"]


def test_a_compiler_is_asked_for_only_when_something_is_to_be_built(
    checkout: Place, ran: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    asked: list[set[str]] = []
    monkeypatch.setattr(debian, "install_missing", lambda needs, _: asked.append({need.package for need in needs}))
    monkeypatch.setattr(workspace, "build", lambda place, names, progress, sources=None: None)
    monkeypatch.setattr(steps, "_install_packages", lambda place, locks, progress: None)
    monkeypatch.setattr(Progress, "run", lambda *_, **__: None)
    steps.set_up(checkout)
    checkout.python.parent.mkdir()
    checkout.python.symlink_to(sys.executable)
    (checkout.root / "requirements" / "ai2thor.lock").write_text("ai2thor==5.0.0\n")
    steps.set_up(checkout, ai2thor=True)
    (checkout.interfaces / "nav2_msgs").mkdir(parents=True)
    (checkout.interfaces / "nav2_msgs" / "package.xml").touch()
    steps.set_up(checkout, robot=True)
    compiler = {"cmake", "g++", "ninja-build"}
    assert [compiler <= wanted for wanted in asked] == [True, False, False, True]
    assert all("util-linux" in wanted for wanted in asked)


def test_environment_with_an_interrupted_installation_is_made_anew(
    checkout: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debian, "install_missing", lambda needs, progress: None)
    checkout.state.mkdir(parents=True)
    (checkout.venv / "bin").mkdir()
    checkout.python.symlink_to(sys.executable)
    half = checkout.venv / "half-installed"
    half.touch()
    (checkout.state / "installing").touch()
    progress = Recorder(checkout.root)
    steps._make_venv(checkout, progress)
    assert progress.titles == ["virtual environment"]
    assert not half.exists()
    assert not (checkout.state / "installing").exists()
    assert not list(checkout.root.glob(".venv-discarded-*"))


@pytest.mark.parametrize(
    "pip",
    [
        lambda place, progress, locks: steps._install_packages(place, locks, progress),
        lambda place, progress, locks: locking._resolve(place, progress, locks),
    ],
    ids=["setup", "lock"],
)
def test_a_pip_that_is_ended_leaves_nothing_outside_the_environment(
    pip: Callable[..., object], checkout: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = checkout.root / "tmp"
    system.mkdir()
    monkeypatch.setenv("TMPDIR", str(system))
    monkeypatch.setattr(tempfile, "tempdir", None)
    checkout.state.mkdir(parents=True)
    checkout.python.parent.mkdir()
    checkout.python.write_text("#!/bin/sh\nmktemp -d && kill -TERM $$\n")
    checkout.python.chmod(0o755)
    progress = Progress(checkout.root / "log")
    locks = [checkout.root / "requirements" / "packages.lock"]
    with pytest.raises(SetupError, match="exit status -15"):
        pip(checkout, progress, locks)
    assert not list(system.iterdir())


def test_environment_can_be_made_anew_by_its_own_python(tmp_path: Path) -> None:
    """./karma runs with the Python of .venv when there is one, and may have to delete it."""
    venv = tmp_path / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    (venv / "karma-setup").mkdir()
    (venv / "karma-setup" / "venv.stamp").write_text("made elsewhere")
    code = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(Path(steps.__file__).parents[1])!r})
from bootstrap import debian, steps
from bootstrap.place import Place
from bootstrap.progress import Progress
debian.install_missing = lambda needs, progress: None
steps._make_venv(Place(Path({str(tmp_path)!r}), None), Progress(Path({str(tmp_path / "log")!r})))
"""
    subprocess.run([venv / "bin" / "python", "-I", "-S", "-c", code], check=True)
    assert subprocess.run([venv / "bin" / "python", "-c", "import pip"], check=False).returncode == 0


def test_environment_of_a_checkout_that_was_moved_is_made_anew(
    checkout: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debian, "install_missing", lambda needs, progress: None)
    checkout.state.mkdir(parents=True)
    (checkout.venv / "bin").mkdir()
    checkout.python.symlink_to(sys.executable)
    (checkout.state / "venv.stamp").write_text("made elsewhere")
    progress = Recorder(checkout.root)
    steps._make_venv(checkout, progress)
    assert progress.titles == ["virtual environment"]


def test_baked_in_paths_of_the_wheels_are_repaired_once(tmp_path: Path) -> None:
    folder = tmp_path / "share" / "x_msgs" / "cmake"
    folder.mkdir(parents=True)
    file = folder / "export.cmake"
    wheel = "/opt/python/cp311-cp311"
    file.write_text(f'"{wheel}/include/python3.11;{wheel}/lib/python3.11/site-packages/numpy/_core/include"')
    assert repair_exports(tmp_path, python_include="/usr/include/python3.11", numpy_include="/np") == 1
    assert file.read_text() == '"/usr/include/python3.11;/np"'
    assert repair_exports(tmp_path, python_include="/usr/include/python3.11", numpy_include="/np") == 0


def needed(present: bool, *, essential: bool = True) -> Need:
    return Need("libthing1", "drawing", lambda: present, essential=essential)


def test_present_packages_install_nothing(tmp_path: Path) -> None:
    progress = Recorder(tmp_path)
    debian.install_missing([needed(True)], progress)
    assert progress.titles == []


def test_missing_package_that_cannot_be_installed_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debian, "why_not", lambda: "there is no sudo.")
    with pytest.raises(SetupError, match=r"(?s)there is no sudo.*libthing1.*for drawing.*apt-get install libthing1"):
        debian.install_missing([needed(False)], Recorder(tmp_path))


def test_missing_package_that_only_costs_a_feature_is_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(debian, "why_not", lambda: "there is no sudo.")
    debian.install_missing([needed(False, essential=False)], Recorder(tmp_path))
    said = capsys.readouterr().err
    assert "apt-get install libthing1" in said
    assert "may not work: drawing" in said


def test_package_that_is_still_missing_after_installing_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debian, "why_not", lambda: None)
    monkeypatch.setattr(debian, "is_root", lambda: True)
    monkeypatch.setattr(debian, "_is_half_installed", lambda: False)
    progress = Recorder(tmp_path)
    with pytest.raises(SetupError, match="still not found after installing: libthing1"):
        debian.install_missing([needed(False)], progress)
    assert progress.titles == ["Debian's package lists", "Debian packages, download", "Debian packages"]


def test_browser_is_playwrights_own_where_debians_package_only_brings_a_snap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: {"ID": "ubuntu"})
    monkeypatch.setattr(debian, "why_not", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert debian.BROWSER not in [need.package for need in debian.needs_of_tests()]
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho $* > {tmp_path}/called\nexit 1\n")
    python.chmod(0o755)
    debian.install_browser(python, Progress(tmp_path / "log"))
    assert (tmp_path / "called").read_text() == "-m playwright install --only-shell chromium --with-deps\n"
    assert "tests of the web page are skipped" in capsys.readouterr().err
    (tmp_path / "called").unlink()
    python.rename(tmp_path / "google-chrome")
    debian.install_browser(python, Progress(tmp_path / "log"))
    assert not (tmp_path / "called").exists()


def test_failing_tool_is_reported_with_its_last_lines_and_the_log(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "log")
    with pytest.raises(SetupError, match=r"(?s)status 3.*out of space.*log"):
        progress.run("thing", ["/bin/sh", "-c", "echo out of space; exit 3"], environment={})
    assert "out of space" in (tmp_path / "log").read_text()


def test_a_backends_client_is_installed_when_it_is_asked_for(checkout: Place, ran: list[str]) -> None:
    (checkout.root / "requirements" / "ai2thor.lock").write_text("ai2thor==5.0.0\n")
    steps.set_up(checkout)
    assert ran == ["venv", "packages", "thing"]
    steps.set_up(checkout, ai2thor=True)
    assert ran == ["venv", "packages", "thing", "packages"]
    steps.set_up(checkout, ai2thor=True)
    steps.set_up(checkout)
    assert ran == ["venv", "packages", "thing", "packages"]


@pytest.mark.parametrize(
    ("arguments", "backend"),
    [
        (["up", "--backend", "ai2thor"], "ai2thor"),
        (["up", "--backend=ai2thor", "--headless"], "ai2thor"),
        (["setup", "--backend"], ""),
        (["do", "bring me ai2thor"], ""),
        ([], ""),
    ],
)
def test_the_backend_of_a_command_line(arguments: list[str], backend: str) -> None:
    assert chosen_backend(arguments) == backend


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (["test"], {"tests", "ai2thor", "robot"}),
        (["test", "tests/view"], {"tests", "ai2thor", "robot"}),
        (["bench", "memory"], {"peers"}),
        (["up", "--backend", "robot"], {"robot"}),
        (["demo", "--backend=ai2thor"], {"ai2thor"}),
        (["up"], set()),
        (["test", "--help"], set()),
        (["bench", "memory", "--help"], set()),
        (["up", "--backend", "robot", "--help"], set()),
        ([], set()),
    ],
)
def test_a_help_text_needs_nothing_of_what_its_command_needs(arguments: list[str], needed: set[str]) -> None:
    assert {name for name, wanted in needs(arguments).items() if wanted} == needed
