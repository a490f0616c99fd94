# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What `./karma test` runs side by side, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from click.testing import CliRunner

from karma.command import lanes as lanes_module
from karma.command import test as test_command
from karma.command.lanes import Lanes, Part

PATIENCE_S = 60.0
MEETING = """
import os, pathlib, sys, time
me, other = map(pathlib.Path, sys.argv[1:3])
me.write_text(os.environ["KARMA_TEST_DOMAIN_ID"])
deadline = time.monotonic() + 60
while not other.exists():
    assert time.monotonic() < deadline, "it is alone"
    time.sleep(0.01)
"""
INTERRUPTED = """
import pathlib, subprocess, sys, time
name, patient = sys.argv[1:]
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", name])
pathlib.Path(name + ".pids").write_text(f"{__import__('os').getpid()} {child.pid}")
while True:
    try:
        pathlib.Path(name + ".started").touch()
        while True:
            time.sleep(0.05)  # a signal that comes just before it falls asleep does not wake it
    except KeyboardInterrupt:
        pathlib.Path(name + ".interrupted").touch()
        if patient == "no":
            child.kill()
            child.wait()
            print(name, "was interrupted")
            sys.exit(2)
"""
HANGING = """
import faulthandler, pathlib, signal, subprocess, sys, time
deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", deaf], start_new_session=True)
pathlib.Path(sys.argv[1]).write_text(str(child.pid))
if sys.argv[2] == "stack":
    faulthandler.enable()
else:
    signal.signal(signal.SIGABRT, signal.SIG_IGN)
def teardown():
    time.sleep(600)
print("FAILED test_x.py::test_y", flush=True)
teardown()
"""
RUNNING = """
import sys
from pathlib import Path
from karma.command.lanes import Lanes, Part
from karma_ros.interrupts import raise_on_signals
raise_on_signals()
parts = [Part(name, [sys.executable, "-c", sys.argv[1], name, sys.argv[2]]) for name in ("a", "b", "c")]
Lanes(Path.cwd(), parts, 2).run()
"""


def python(name: str, code: str, *arguments: object, **more: object) -> Part:
    return Part(name, [sys.executable, "-c", code, *map(str, arguments)], **more)


def eventually(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def test_a_waiting_and_a_computing_part_run_side_by_side_in_domains_of_their_own(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    parts = [python("one", MEETING, one, other), python("other", MEETING, other, one, waits=True)]
    assert Lanes(tmp_path, parts, 2).run() == []
    assert one.read_text() != other.read_text()


def test_what_native_code_breaks_is_run_once_more_and_fails_when_it_breaks_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    breaking = (
        "import os, pathlib, sys; runs = pathlib.Path(sys.argv[1]); runs.open('a').write('x');\n"
        "if runs.stat().st_size <= int(sys.argv[2]): os.kill(os.getpid(), 11)"
    )
    once, always = tmp_path / "once", tmp_path / "always"
    parts = [python("once", breaking, once, 1), python("always", breaking, always, 9)]
    assert [failure.name for failure in Lanes(tmp_path, parts, 1).run()] == ["always"]
    assert (once.read_text(), always.read_text()) == ("xx", "xx")
    assert capsys.readouterr().err.count("crashed in native code: run once more") == 2


@pytest.mark.parametrize("lanes", [1, 2, 5])
def test_what_fails_is_named_and_keeps_nothing_from_running(
    lanes: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failing = "import sys; print('FAILED test_x.py::test_y - assert 0', file=sys.stderr); sys.exit(1)"
    parts = [
        python("bad", failing),
        python("empty", "raise SystemExit(5)", allowed=(0, 5)),
        python("killed", "import os; os.kill(os.getpid(), 9)", waits=True),
        python("good", "print('all is well')"),
    ]
    failures = {failure.name: failure.tests for failure in Lanes(tmp_path, parts, lanes).run()}
    assert failures == {"bad": ("FAILED test_x.py::test_y - assert 0",), "killed": ()}
    printed = capsys.readouterr()
    assert "all is well" in printed.out
    assert "FAILED test_x.py::test_y" in printed.out
    assert [f"== {part.name} (" in printed.err for part in parts] == [True] * 4


@pytest.mark.parametrize("how", ["stack", "deaf"])
def test_a_part_that_hangs_is_ended_with_all_that_it_started_and_fails(
    how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes_module, "STACKS_S", 2.0)
    hung = python("hung", HANGING, tmp_path / "child", how, waits=True, limit=10.0)
    (failure,) = Lanes(tmp_path, [python("good", "print('all is well')"), hung], 1).run()
    assert failure.name == "hung"
    assert failure.tests[0] == "FAILED test_x.py::test_y"
    assert "hung took longer than 0.166667 min" in failure.tests[1]
    printed = capsys.readouterr().out
    assert "all is well" in printed
    assert ("in teardown" in printed) == (how == "stack")
    assert not alive(int((tmp_path / "child").read_text()))


def test_what_hangs_in_the_foreground_is_ended_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test_hangs.py").write_text("import time\ndef test_hangs(): time.sleep(600)\n")
    monkeypatch.setenv("KARMA_ROOT", str(tmp_path))
    monkeypatch.setattr(test_command, "LIMIT_S", 6.0)
    result = CliRunner().invoke(test_command.command, ["test_hangs.py"], standalone_mode=False)
    assert result.return_value == 1
    assert "pytest took longer than 0.1 min" in result.output


def test_a_folder_has_as_long_as_its_graphs_have_in_parts() -> None:
    limit, here = test_command._limit, Path(__file__).parent
    assert limit([Path(__file__)]) == limit([here / "test_running_graph.py"]) == lanes_module.LIMIT_S
    assert limit([here]) > 3 * lanes_module.LIMIT_S


class Run:
    """Three parts in two lanes, in a process that is like `./karma test`."""

    def __init__(self, folder: Path, patient: str) -> None:
        self.folder = folder
        command = [sys.executable, "-c", RUNNING, INTERRUPTED, patient]
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )
        assert eventually(lambda: self.files("started") == {"a.started", "c.started"})
        self.pids = [int(pid) for name in self.files("pids") for pid in (folder / name).read_text().split()]

    def files(self, suffix: str) -> set[str]:
        return {file.name for file in self.folder.glob(f"*.{suffix}")}

    @property
    def left(self) -> list[int]:
        return [pid for pid in self.pids if alive(pid)]


@pytest.fixture(params=["no", "yes"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Run]:
    running = Run(tmp_path, request.param)
    yield running
    running.process.kill()
    running.process.communicate()
    for pid in running.left:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("run", ["no"], indirect=True)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_interrupts_every_lane_and_starts_nothing_more(run: Run, number: int) -> None:
    run.process.send_signal(number)
    printed = run.process.communicate(timeout=PATIENCE_S)[0]
    assert "a was interrupted" in printed
    assert "c was interrupted" in printed
    assert run.files("started") == {"a.started", "c.started"}
    assert run.left == []


@pytest.mark.parametrize("run", ["yes"], indirect=True)
def test_a_second_one_kills_what_does_not_end(run: Run) -> None:
    run.process.send_signal(signal.SIGINT)
    assert eventually(lambda: run.files("interrupted") == {"a.interrupted", "c.interrupted"})
    assert run.process.poll() is None
    run.process.send_signal(signal.SIGINT)
    run.process.communicate(timeout=PATIENCE_S)
    assert eventually(lambda: run.left == [])


@pytest.mark.parametrize("run", ["yes"], indirect=True)
def test_no_part_outlives_a_run_that_is_killed(run: Run) -> None:
    parts = run.pids[::2]
    run.process.kill()
    assert eventually(lambda: not any(map(alive, parts)))


def test_every_test_of_a_checkout_runs_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "ros2_ws/src/a/test/test_library.py": "def test_quick(): note('library')",
        "ros2_ws/src/a/test/deep/test_node.py": "def test_graph(): note('node')\npytestmark = pytest.mark.ros",
        "ros2_ws/src/b/test/test_library.py": "def test_quick(): note('b')\ndef test_wrong(): assert note('wrong')",
        "tests/test_graph.py": "@pytest.mark.ros\ndef test_graph(): note('graph')\ndef test_other(): note('other')",
        "tests/test_none.py": "",
    }
    for name, code in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        note = f"open({str(tmp_path / 'notes')!r}, 'a').write(text + chr(10)) and None"
        file.write_text(f"import pytest\ndef note(text): return {note}\n{code}\n")
    ini = "[pytest]\nmarkers = ros: x\n    slow: x\naddopts = -q --import-mode=importlib\n"
    (tmp_path / "pytest.ini").write_text(ini)
    monkeypatch.setenv("KARMA_ROOT", str(tmp_path))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr(test_command, "_checks", lambda _: [python("linter", "print('clean')")])

    def told(*arguments: str) -> tuple[object, str, list[str]]:
        (tmp_path / "notes").write_text("")
        result = CliRunner().invoke(test_command.command, arguments, standalone_mode=False)
        return result.return_value, result.output, sorted((tmp_path / "notes").read_text().split())

    status, output, notes = told()
    assert (status, notes) == (1, ["b", "graph", "library", "node", "other", "wrong"])
    assert "clean" in output
    assert re.search(r"\n5 of 6 parts passed in \d+:\d\d min\nfailed: pytest b\n$", output), output
    assert output.count("FAILED ros2_ws/src/b/test/test_library.py::test_wrong") == 2
    status, output, notes = told("--fast", "--lanes", "1")
    assert (status, notes) == (1, ["b", "library", "other", "wrong"])
    assert told("-k", "quick")[::2] == (0, ["b", "library"])
    assert told("tests/test_graph.py::test_other")[::2] == (0, ["other"])
    assert told("--lanes", "2", "ros2_ws/src/b")[::2] == (1, ["b", "wrong"])


def test_the_files_that_are_begun_first_are_there() -> None:
    folders = test_command._test_folders(Path(__file__).resolve().parents[4]).values()
    assert set(test_command.LONG) <= {file.stem for folder in folders for file in folder.rglob("test_*.py")}
