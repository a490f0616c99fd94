# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory without the rest of the graph, for planners of others: what docs/ros.md says is what happens."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from ollama_server import MODEL, OllamaServer

from karma_interfaces.msg import MemoryEvent
from karma_interfaces.srv import Ask, Remember
from karma_ros.client import GraphClient

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "ros.md").read_text(encoding="utf-8")
STAND_IN = Path(__file__).resolve().parent / "stand_ins" / "rclcpp_stand_in"
KARMA = str(ROOT / "karma")
UP = [KARMA, "up", "--only", "memory", "--set", "memory_server.embedder=lexical"]
END_S = 180.0
"""Seconds after which a command has not ended that should."""


def code(language: str) -> str:
    """Return the program of the page in a language: its blocks, in their order."""
    return "\n".join(re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


@pytest.fixture
def model() -> Iterator[OllamaServer]:
    with OllamaServer('{"english": ["I am allergic to peanuts."]}').running() as server:
        yield server


@pytest.fixture
def alone(tmp_path: Path, free_domain: int, model: OllamaServer) -> Iterator[Mapping[str, str]]:
    """`./karma up --only memory`, active; the value is the environment of who uses it."""
    environment = os.environ | {"ROS_DOMAIN_ID": str(free_domain), "HOME": str(tmp_path)}
    log = tmp_path / "up.log"
    with log.open("wb") as output:
        command = [*UP, "--llm", MODEL, "--llm-url", model.host]
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + END_S
        while (health := run([KARMA, "health"], environment)).returncode and time.monotonic() < deadline:
            assert process.poll() is None, log.read_text()
        assert health.returncode == 0, health.stderr + log.read_text()
        yield environment
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(END_S)


def run(command: list[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=END_S, check=False)


@pytest.mark.ros
@pytest.mark.slow
def test_the_pages_python_works_with_the_memory_alone(alone: Mapping[str, str], tmp_path: Path) -> None:
    assert f"starting memory_server, lifecycle_manager ({MODEL}," in (tmp_path / "up.log").read_text()
    assert (tmp_path / ".karma" / "memory.sqlite3").is_file(), "one file per robot, where no scene is named"
    program = tmp_path / "my_planner.py"
    program.write_text(code("python"))
    done = run([sys.executable, str(program)], alone)
    assert done.returncode == 0, done.stdout + done.stderr
    asked, *recalled = done.stdout.splitlines()
    assert asked.startswith("The mug is on the dining table, in the kitchen.")
    assert " True ['long_term:my_home/mug 7'" in asked
    assert any(line.endswith("geometry_msgs.msg.Point(x=2.3, y=1.1, z=0.85)") for line in recalled), "where the mug is"
    assert any(line.startswith("- My favorite mug is the blue one.") for line in recalled), "the prompt"
    assert recalled[-1] == "{'table 1': '', 'mug 7': 'table 1'}"

    # What came last: a statement was put right and forgotten; the mug is gone, for which no answer was waited.
    told = run([KARMA, "ask", "Where is the mug?", "--user", "ann"], alone)
    assert told.stdout.startswith("I don't know. The mug was on the dining table"), told.stdout + told.stderr
    assert "favorite" not in told.stdout
    kept = run([KARMA, "memory", "show", "--user", "ann"], alone)
    assert kept.returncode == 0, kept.stderr
    assert "events of ann" in kept.stdout, "the journal keeps what happened"
    assert "favorite" not in kept.stdout, "and what was forgotten is told no more"
    instructed = run([KARMA, "do", "bring me a mug"], alone)
    assert (instructed.returncode, "nobody offers the action" in instructed.stderr) == (1, True), instructed.stderr


@pytest.mark.ros
@pytest.mark.slow
def test_what_is_told_in_another_language_is_read_by_the_model(
    alone: Mapping[str, str], eventually: Callable[..., bool]
) -> None:
    said = MemoryEvent(id="de", kind=MemoryEvent.TOLD, user="ann", text="Ich bin gegen Erdnüsse allergisch.")
    with GraphClient(name="karma_test", domain_id=int(alone["ROS_DOMAIN_ID"])) as client:
        client.call(Remember, "memory/remember", Remember.Request(events=[said]), timeout=END_S, repeat=5.0)

        def allergy() -> str:
            request = Ask.Request(question="What am I allergic to?", user="ann")
            return str(client.call(Ask, "memory/ask", request, timeout=END_S, repeat=5.0).answer)

        assert eventually(lambda: "eanuts" in allergy(), END_S), allergy()


@pytest.mark.ros
@pytest.mark.slow
def test_a_full_disk_is_told_wherever_one_looks_and_is_over_by_itself(
    alone: Mapping[str, str], tmp_path: Path, eventually: Callable[..., bool]
) -> None:
    def told_of_it() -> bool:
        health = run([KARMA, "health"], alone)
        return health.returncode == 1 and "error: memory_server: nothing is remembered now: no room" in health.stderr

    server = process_of("memory_server", alone["ROS_DOMAIN_ID"])
    _, hard = resource.prlimit(server, resource.RLIMIT_FSIZE)
    grown = (tmp_path / ".karma" / "memory.sqlite3-wal").stat().st_size
    resource.prlimit(server, resource.RLIMIT_FSIZE, (grown, hard))  # as a quota is
    with GraphClient(name="karma_test", domain_id=int(alone["ROS_DOMAIN_ID"])) as client:
        event = MemoryEvent(id="key", kind=MemoryEvent.TOLD, user="ann", text="The key is in the drawer.")
        request = Remember.Request(events=[event])
        refused = client.call(Remember, "memory/remember", request, timeout=10.0).result
        assert "free some space and try again" in refused.message
        assert eventually(told_of_it, END_S)
        assert eventually(
            lambda: "memory_server: nothing is remembered now" in (tmp_path / "up.log").read_text(), END_S
        )
        resource.prlimit(server, resource.RLIMIT_FSIZE, (hard, hard))
        assert eventually(lambda: run([KARMA, "health"], alone).returncode == 0, END_S)
        assert eventually(lambda: "memory_server: all is well again" in (tmp_path / "up.log").read_text(), END_S)
        assert client.call(Remember, "memory/remember", request, timeout=END_S).sequences


def process_of(node: str, domain: str) -> int:
    """Return the process of a node that runs in a domain."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            environment, command = (folder / "environ").read_bytes(), (folder / "cmdline").read_bytes()
            named = f"__node:={node}\0".encode() in command and not command.startswith(b"setpriv")
            if named and f"ROS_DOMAIN_ID={domain}\0".encode() in environment:
                return int(folder.name)
    raise AssertionError(f"{node} does not run")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--backend", "robot"], "backend is for nodes that are not started with only memory"),
        (["--scene", "home1"], "scene is for nodes"),
        (["--rviz"], "rviz is for nodes"),
        (["--memory", "robot2"], "only memory starts a memory"),
        (["--set", "perception.backlog=4"], "perception is not started with these arguments"),
    ],
)
def test_what_does_not_go_with_the_memory_alone_ends_the_command(more: list[str], told: str, tmp_path: Path) -> None:
    done = run([*UP, *more], os.environ | {"HOME": str(tmp_path)})
    assert done.returncode == 2
    assert told in " ".join(done.stderr.split())
    assert not (tmp_path / ".karma").exists(), "before anything is made"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_the_pages_cpp_compiles_against_the_messages(tmp_path: Path) -> None:
    program = tmp_path / "my_planner.cpp"
    program.write_text(code("cpp"))
    headers = generated(tmp_path)
    compiled = compile_cpp(program, headers)
    assert compiled.returncode == 0, compiled.stderr

    wrong = tmp_path / "wrong.cpp"
    wrong.write_text(code("cpp").replace("recall->query", "recall->question"))
    assert "question" in compile_cpp(wrong, headers).stderr, "a field that a message does not have is found"


def generated(folder: Path) -> Path:
    """Write the C++ headers of karma_interfaces, which ROS 2 from wheels is built without; return what to include."""
    generator = pytest.importorskip("rosidl_generator_cpp")
    share, templates = package_share("karma_interfaces"), package_share("rosidl_generator_cpp") / "resource"
    (folder / "karma_interfaces" / "msg").mkdir(parents=True)
    arguments = {
        "package_name": "karma_interfaces",
        "output_dir": str(folder / "karma_interfaces"),
        "template_dir": str(templates),
        "idl_tuples": [
            f"{share}:{kind}/{file.name}" for kind in ("msg", "srv") for file in (share / kind).glob("*.idl")
        ],
        "target_dependencies": [],
        "type_description_tuples": [],
        "ros_interface_dependencies": [],
    }
    (folder / "arguments.json").write_text(json.dumps(arguments))
    generator.generate_cpp(str(folder / "arguments.json"))
    visibility = "rosidl_generator_cpp__visibility_control.hpp"
    text = (templates / f"{visibility}.in").read_text()
    text = text.replace("@PROJECT_NAME@", "karma_interfaces").replace("@PROJECT_NAME_UPPER@", "KARMA_INTERFACES")
    (folder / "karma_interfaces" / "msg" / visibility).write_text(text)
    return folder


def package_share(name: str) -> Path:
    from ament_index_python.packages import get_package_share_directory

    return Path(get_package_share_directory(name))


def compile_cpp(program: Path, headers: Path) -> subprocess.CompletedProcess[str]:
    """Compile a program without linking it, against rclcpp where that is installed, else against the stand-in."""
    installed = package_share("rosidl_runtime_cpp").parents[1] / "include"
    others = [f"-isystem{folder}" for folder in installed.iterdir() if folder.name != "karma_interfaces"]
    own = [f"-I{headers}", *([] if (installed / "rclcpp").is_dir() else [f"-I{STAND_IN}"])]
    return run(["g++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", *own, *others, str(program)], os.environ)
