# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The files of continuous integration, as far as they can be judged where they do not run."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from declarations import ROOT

from karma.command.__main__ import SUMMARIES

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yaml"))


def jobs() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for file in WORKFLOWS:
        found |= yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"]
    return found


def steps() -> Iterator[dict[str, Any]]:
    for job in jobs().values():
        yield from job["steps"]


def scripts() -> list[str]:
    return [step["run"] for step in steps() if "run" in step]


def test_every_job_says_where_it_runs_for_how_long_and_what() -> None:
    assert jobs()
    for name, job in jobs().items():
        assert {"runs-on", "timeout-minutes", "steps"} <= set(job), name
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step), step
            assert "uses" not in step or re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"]), step


def test_the_workspace_is_built_and_tested_on_every_distribution_that_is_supported() -> None:
    sys.path.insert(0, str(ROOT))
    from bootstrap.place import SUPPORTED_DISTRIBUTIONS

    job = next(job for job in jobs().values() if "container" in job)
    assert set(job["strategy"]["matrix"]["distribution"]) == set(SUPPORTED_DISTRIBUTIONS)
    told = "\n".join(step.get("run", "") for step in job["steps"])
    for command in ("rosdep install", "colcon build", "colcon test", "colcon test-result"):
        assert command in told


def test_containers_have_the_shared_memory_that_the_graph_needs() -> None:
    profile = (ROOT / "ros2_ws" / "src" / "karma" / "config" / "fastdds_localhost.xml").read_text(encoding="utf-8")
    (segment,) = re.findall(r"<segment_size>(\d+)</segment_size>", profile)
    for job in jobs().values():
        if "container" in job:
            (size,) = re.findall(r"--shm-size=(\d+)g", job["container"]["options"])
            assert int(size) * 2**30 > 10 * int(segment), "six nodes, a recorder, a client and tests"


def test_the_image_is_built_and_run_as_the_documentation_says() -> None:
    """Where there is no engine, nobody sees that it can't be built."""
    documented = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    told = "\n".join(step.get("run", "") for step in jobs()["container"]["steps"])
    build, run = re.findall(r"docker build .*", told), re.findall(r"docker run .* karma:slim .*", told)
    assert len(build) == len(run) == 1
    assert build[0] in documented
    assert run[0] in documented.replace(" -it ", " ")
    assert "demo --headless" in run[0]
    assert (ROOT / "docker" / "slim.Dockerfile").is_file()


def test_every_dockerfile_is_judged_by_hadolint_in_a_pinned_version() -> None:
    told = "\n".join(step.get("run", "") for step in jobs()["container"]["steps"])
    assert re.search(r"hadolint/hadolint:v\d+\.\d+\.\d+ ", told)
    assert re.search(r"for file in docker/\*\.Dockerfile", told)
    assert list((ROOT / "docker").glob("*.Dockerfile"))


def test_what_the_launch_tests_need_is_installed_so_that_they_are_not_skipped() -> None:
    wanted = re.findall(r'importorskip\("(\w+)"', (ROOT / "tests" / "launch" / "test_bringup.py").read_text())
    declared = (ROOT / "ros2_ws" / "src" / "karma" / "package.xml").read_text(encoding="utf-8")
    told = "\n".join(scripts())
    for name in wanted:
        assert f"<exec_depend>{name}</exec_depend>" in declared or f"ros-$ROS_DISTRO-{name.replace('_', '-')}" in told


def test_the_commands_that_are_called_are_there() -> None:
    called = {name for script in scripts() for name in re.findall(r"\./karma (\w+)", script)}
    assert called
    assert called <= set(SUMMARIES)
    for script in scripts():
        for file in re.findall(r"^\s*(\.ci/\S+)", script, re.MULTILINE):
            assert (ROOT / file).is_file()


@pytest.mark.parametrize("script", scripts(), ids=lambda script: script.split()[0])
def test_the_scripts_are_clean(script: str) -> None:
    shellcheck = Path(sys.executable).with_name("shellcheck")
    command = [shellcheck, "--shell=bash", "--exclude=SC1090", "-"]
    done = subprocess.run(command, input=script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
