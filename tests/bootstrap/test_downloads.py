# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How much there is to download, and how far it is."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bootstrap import downloads, progress
from bootstrap.downloads import MB, Downloads, Size, size_of, size_of_archives
from bootstrap.progress import Progress, ToolError

REQUIREMENTS = Path(downloads.__file__).parents[1] / "requirements"


@pytest.mark.parametrize("lock", sorted(REQUIREMENTS.glob("*.lock")), ids=lambda lock: lock.stem)
def test_every_lock_file_says_how_much_it_is(lock: Path) -> None:
    size = size_of([lock])
    assert size.installed > size.download > 0


def test_what_lock_files_say_is_added_up(tmp_path: Path) -> None:
    for name, size in (("a", Size(3 * MB, 7 * MB)), ("b", Size(20 * MB, 20 * MB))):
        (tmp_path / name).write_text(f"# Exact versions.\n{size.as_header()}x==1.0\n")
    (tmp_path / "c").write_text("x==1.0\n")
    assert size_of([tmp_path / "a", tmp_path / "b", tmp_path / "c"]) == Size(23 * MB, 27 * MB)


def test_archives_are_measured_as_downloaded_and_as_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.py", "#" * 10_000)
    (tmp_path / "y.tar.gz").write_bytes(b"y" * 500)
    wheel = (tmp_path / "x.whl").stat().st_size
    assert size_of_archives(tmp_path) == Size(wheel + 500, 10_500)


def test_a_download_says_bytes_and_time_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(downloads.time, "monotonic", lambda: now[0])
    packages = tmp_path / "venv" / "lib" / "python3.11" / "site-packages"
    (packages / "pip-23.dist-info").mkdir(parents=True)
    meter = Downloads(tmp_path, tmp_path / "venv", 400 * MB, 3)
    assert meter("Collecting x") == ""
    (tmp_path / "pip-unpack-x").mkdir()
    wheel = tmp_path / "pip-unpack-x" / "x.whl"
    wheel.touch()
    os.truncate(wheel, 100 * MB)
    now[0] += 60.0
    assert meter("Collecting x") == "100 of about 400 MB downloaded, 3 min left"
    now[0] += 20.0
    os.truncate(wheel, 320 * MB)
    assert meter("Collecting y") == "320 of about 400 MB downloaded, 20 s left"
    os.truncate(wheel, 401 * MB)
    assert meter("Collecting z") == "401 MB downloaded"
    (packages / "x-1.dist-info").mkdir()
    assert meter("Installing collected packages: x, y, z") == "unpacking, 1 of 3 packages"


def test_how_far_a_tool_is_is_said_where_there_is_no_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "PERIOD_S", 0.01)
    monkeypatch.setattr(progress, "NEWS_S", 0.0)
    go_on = tmp_path / "go on"

    def meter(line: str) -> str:
        go_on.touch()
        return f"after {line!r}" if line else ""

    command = f"echo one; echo two; until [ -e '{go_on}' ]; do sleep 0.01; done"
    Progress(tmp_path / "log").run("thing", ["/bin/sh", "-c", command], environment=os.environ, meter=meter)
    assert "karma: thing: after 'two'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "printed",
    [
        "connection broken by 'NewConnectionError(...: Failed to establish a new connection: [Errno 101])'",
        "<urlopen error [Errno -3] Temporary failure in name resolution>",
        "Cannot initiate the connection to x:80. - connect (101: Network is unreachable)",
        "HTTPSConnectionPool(host='x', port=443): Read timed out. (ReadTimeoutError(...))",
    ],
)
def test_a_network_that_does_not_answer_is_told_in_one_line(tmp_path: Path, printed: str) -> None:
    false = "ERROR: Could not find a version that satisfies the requirement absl-py==2.5.1 (from versions: none)"
    script = tmp_path / "pip"
    script.write_text(f'#!/bin/sh\ncat <<"E"\n{printed}\n{false}\nE\nexit 1\n')
    script.chmod(0o755)
    with pytest.raises(ToolError, match="Python packages: no answer from the network") as raised:
        Progress(tmp_path / "log").run("Python packages", [script], environment=os.environ)
    assert len(str(raised.value).splitlines()) == 1
    assert "satisfies" not in str(raised.value)
