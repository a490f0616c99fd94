# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys
from pathlib import Path

import pytest

from karma.command.log_folder import KEPT, new_log_folder

HOLD = """
import sys
from karma.command import log_folder
log_folder.time.strftime = lambda _: "20200101-000000"
print(log_folder.new_log_folder("up").name, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KARMA_ROOT", str(tmp_path))
    return tmp_path / "out" / "log"


def earlier(logs: Path, count: int) -> list[Path]:
    """Make the folders of runs of a day in 2021, oldest first."""
    folders = [logs / f"up-20210101-{number:06d}" for number in range(count)]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "memory_server.log").write_text("said")
    return folders


def test_the_logs_of_the_newest_runs_are_kept(logs: Path) -> None:
    others = [logs / name for name in ("demo-20200101-000000", "up-mine", "up-20200101")]
    for folder in others:
        folder.mkdir(parents=True)
    before = earlier(logs, KEPT + 5)
    folder = new_log_folder("up")
    assert {path for path in logs.iterdir() if path.name != "up-latest"} == {folder, *before[6:], *others}
    assert (logs / "up-latest").resolve() == folder


def test_runs_of_the_same_second_are_in_order(logs: Path) -> None:
    before = [logs / f"up-20210101-000000{suffix}" for suffix in ("", *(f"-{n}" for n in range(2, KEPT + 2)))]
    for folder in before:
        folder.mkdir(parents=True)
    new_log_folder("up")
    assert [folder.name for folder in before if not folder.exists()] == ["up-20210101-000000", "up-20210101-000000-2"]


def test_the_logs_of_a_run_that_goes_on_are_kept_until_it_ends(logs: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        running = logs / process.stdout.readline().strip()
        earlier(logs, KEPT)
        new_log_folder("up")
        assert running.is_dir()
        process.kill()
        process.wait()
    new_log_folder("up")
    assert not running.exists()


def test_a_folder_that_cannot_be_removed_is_named_and_the_run_begins(
    logs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(folder: Path) -> None:
        raise PermissionError(13, "not yours", str(folder))

    monkeypatch.setattr("karma.command.log_folder.shutil.rmtree", refused)
    oldest = earlier(logs, KEPT)[0]
    assert new_log_folder("up").is_dir()
    assert f"still in {oldest}" in capsys.readouterr().err
