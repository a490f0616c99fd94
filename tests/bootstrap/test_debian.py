# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Installing Debian packages, beside other programs that do, and interrupted. Scripts stand in for apt and dpkg."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bootstrap import debian
from bootstrap.progress import Progress, SetupError

ROOT = Path(debian.__file__).parents[1]
UPDATE = "apt-get -o APT::Update::Error-Mode=any update"
INSTALL = "apt-get install -y --no-install-recommends --fix-broken --no-remove"
DONE = [UPDATE, f"{INSTALL} --download-only thing", f"{INSTALL} thing"]
UNREACHED = "echo \"W: Failed to fetch x  Temporary failure resolving 'y'\"; exit 100"
HELD = "echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (unattended-upgr)'; exit 100"


class Machine:
    """A folder of stand-ins for programs, each of which notes how it was called."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program("dpkg")

    def program(self, name: str, body: str = "") -> None:
        file = self.folder / name
        file.write_text(f'#!/bin/sh\ncd {self.folder}\necho "{name} $*" >> calls\n{body}\n')
        file.chmod(0o755)

    @property
    def calls(self) -> list[str]:
        return [call for call in (self.folder / "calls").read_text().splitlines() if call != "dpkg --audit"]

    @property
    def progress(self) -> Progress:
        return Progress(self.folder / "log" / "setup.log")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("DPKG_ADMINDIR", str(tmp_path))
    monkeypatch.setattr(debian, "is_root", lambda: True)
    monkeypatch.setattr(debian, "LOCK_POLL_S", 0.0)
    return Machine(tmp_path)


def test_packages_are_downloaded_first_and_then_installed(machine: Machine) -> None:
    machine.program("apt-get")
    debian._install(["thing"], machine.progress)
    assert machine.calls == DONE


@pytest.mark.parametrize("step", ["update", "download-only", "install"])
def test_a_lock_that_another_program_holds_is_waited_for(
    machine: Machine, step: str, capsys: pytest.CaptureFixture[str]
) -> None:
    condition = {"update": "*update*", "download-only": "*--download-only*", "install": "*--no-remove?thing*"}[step]
    machine.program("apt-get", f"case $* in {condition}) echo >> held; [ $(wc -l < held) = 3 ] || {{ {HELD}; }};; esac")
    debian._install(["thing"], machine.progress)
    assert list(dict.fromkeys(machine.calls)) == DONE
    assert len(machine.calls) == len(DONE) + 2
    said = capsys.readouterr().err
    assert said.count("another program is installing packages; waiting for it (E: Could not get lock") == 1
    assert "held by process 7 (unattended-upgr)" in said


def test_a_lock_that_is_never_given_back_is_told(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debian, "LOCK_TIMEOUT_S", 0.0)
    machine.program("apt-get", HELD)
    with pytest.raises(SetupError, match="held by process 7"):
        debian._install(["thing"], machine.progress)


@pytest.mark.parametrize("left", ["a package", "a journal"])
def test_what_was_left_half_installed_is_finished_first(machine: Machine, left: str) -> None:
    machine.program("apt-get")
    machine.program("dpkg", '[ "$1" != --audit ] || echo "thing is half configured"' if left == "a package" else "")
    if left == "a journal":
        (machine.folder / "updates").mkdir()
        (machine.folder / "updates" / "0001").touch()
    debian._install(["thing"], machine.progress)
    assert machine.calls == ["dpkg --configure -a", *DONE]


def test_what_dpkg_alone_cannot_finish_is_left_to_apt(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.program("apt-get")
    machine.program("dpkg", "echo 'dependency problems'; exit 1")
    debian._install(["thing"], machine.progress)
    assert machine.calls == ["dpkg --configure -a", *DONE]
    assert "dependency problems" in capsys.readouterr().err


def test_a_source_that_does_not_answer_matters_where_its_packages_are_needed(machine: Machine) -> None:
    machine.program("apt-get", f"case $* in *update*) {UNREACHED};; esac")
    debian._install(["thing"], machine.progress)
    assert machine.calls == DONE
    unknown = "echo 'E: Unable to locate package thing'; exit 100"
    machine.program("apt-get", f"case $* in *update*) {UNREACHED};; *) {unknown};; esac")
    with pytest.raises(SetupError, match=r"no answer from the network \(Temporary failure resolving\)"):
        debian._install(["thing"], machine.progress)


def test_without_apt_nobody_is_told_to_use_it(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(machine.folder))
    need = debian.Need("libthing1", "drawing", lambda: False)
    with pytest.raises(SetupError, match="no apt-get") as raised:
        debian.install_missing([need], machine.progress)
    assert "apt-get install" not in str(raised.value)
    assert "libthing1" in str(raised.value)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_apt_finishes_what_it_has_begun_when_the_setup_is_interrupted(machine: Machine, number: int) -> None:
    """As at a terminal: Ctrl-C goes to the whole group of processes."""
    machine.program(
        "apt-get",
        "case $* in *--no-remove?thing) ;; *) exit 0;; esac\n"
        "touch begun; until [ -e go-on ]; do sleep 0.05; done; touch finished",
    )
    code = (
        f"import signal, sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path\n"
        "from bootstrap import __main__, debian\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"  # who started the tests with nohup ignores it
        "from bootstrap.progress import Progress\n"
        "debian.is_root = lambda: True\n"
        f"progress = Progress(Path({str(machine.folder / 'log')!r}))\n"
        "__main__.set_up = lambda *_, **__: debian._install(['thing'], progress)\n"
        "__main__.check_path = lambda _: None\n"
        "sys.exit(__main__.main(['setup']))\n"
    )
    errors = machine.folder / "errors"
    with errors.open("wb") as file:
        setup = subprocess.Popen([sys.executable, "-c", code], stderr=file, start_new_session=True)
    try:
        wait_for(machine.folder / "begun")
        os.killpg(setup.pid, number)
        while "please wait" not in errors.read_text():
            assert setup.poll() is None, errors.read_text()
            time.sleep(0.05)
        (machine.folder / "go-on").touch()
        assert setup.wait(60) == 128 + number
        assert (machine.folder / "finished").exists()
        assert "the next run goes on from here" in errors.read_text()
    finally:
        (machine.folder / "go-on").touch()
        setup.kill()
        setup.wait()


def wait_for(file: Path) -> None:
    deadline = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
