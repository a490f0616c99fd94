# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from ollama_server import OllamaServer
from PIL import Image

from karma import findings
from karma.command.__main__ import DONE_BY_BOOTSTRAP, SUMMARIES, main
from karma.command.conversation import chosen
from karma.command.up import announced_page
from karma.graph import ArgumentError, GraphArguments, describe_graph
from karma_ros import domain
from sim_bridge import examination
from sim_bridge.conformance.subject import Subject
from sim_bridge.findings import Finding


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("name", [name for name in SUMMARIES if name not in DONE_BY_BOOTSTRAP])
def test_every_subcommand_explains_itself(name: str) -> None:
    result = invoke(name, "--help")
    assert result.exit_code == 0, result.output
    assert f"{name} " in result.output


def test_the_simulator_is_measured_scene_by_scene(tmp_path: Path) -> None:
    file = tmp_path / "sim.json"
    result = invoke("bench", "sim", "--scene", "FloorPlan401", "--frames", "2", "--skills", "4", "--json", str(file))
    assert result.exit_code in (0, 1), result.output  # how fast it is, is the machine's business
    figures = json.loads(file.read_text())
    assert [(row["width"], row["height"], row["frames"]) for row in figures["frames"]] == [(640, 480, 2), (320, 240, 2)]
    assert figures["steps"][0]["skills"] == 4
    assert invoke("bench", "sim", "--scene", "FloorPlan31").exit_code == 2


@pytest.mark.parametrize("what", ["soak", "idle", "ros"])
def test_a_graph_that_is_measured_is_refused_a_mistyped_scene_as_any_is(
    what: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KARMA_ROOT", str(tmp_path))
    result = invoke("bench", what, "--scene", "nope")
    assert result.exit_code == 2, result.output
    assert "Error: no scene 'nope'" in result.output
    assert f"Usage: main bench {what} [OPTIONS]" in result.output
    assert not list(tmp_path.iterdir())


def test_a_domain_that_is_taken_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KARMA_ROOT", str(tmp_path))
    monkeypatch.setattr(domain, "has_participants", lambda _: True)
    result = invoke("bench", "idle")
    assert result.exit_code == 1, result.output
    assert "Error: all of the domains 1 to 99 are in use" in result.output


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--scene", "home2"), 2, "are for --demo"),
        (("--demo", "--namespace", "robot1"), 2, "a graph of its own"),
        (("--demo", "--scene", " "), 2, "scene must not be empty"),
        (("--namespace", "a b"), 2, "is no ROS namespace"),
        (("--port", "65536"), 2, "65535"),
        (("--open",), 2, "there is no desktop here"),
        (("--host", "192.0.2.1"), 1, "'192.0.2.1' is not an address of this machine"),
        (("--host", "0.0.0.0", "--token", "short"), 1, "8 to 128 characters"),
    ],
)
def test_a_page_that_cannot_be_shown_is_told_in_a_line(
    arguments: tuple[str, ...], code: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    result = invoke("view", "--port", "0", *arguments)
    assert result.exit_code == code, result.output
    assert told in " ".join(result.output.split())


def test_the_page_of_up_has_its_token_from_the_environment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def announced(*parameters: str) -> str:
        nodes = describe_graph(GraphArguments(view=True, parameters=parameters), Path(__file__).parents[1])
        assert "token" not in str(nodes[-1])
        return announced_page(nodes[-1])

    monkeypatch.setenv("KARMA_VIEW_TOKEN", "")
    assert announced() == "the page: http://127.0.0.1:8080/"
    assert os.environ["KARMA_VIEW_TOKEN"] == ""
    assert "view.log" in announced("view.port=0")
    told = announced("view.host=0.0.0.0", "view.port=8090")
    assert f"http://localhost:8090/?token={os.environ['KARMA_VIEW_TOKEN']}" in told
    monkeypatch.setenv("KARMA_VIEW_TOKEN", "mine-and-yours")
    assert announced("view.host=0.0.0.0").startswith("the page: http://localhost:8080/?token=mine-and-yours")
    monkeypatch.setenv("KARMA_VIEW_TOKEN", "ü")
    with pytest.raises(ArgumentError, match=r"KARMA_VIEW_TOKEN: .*8 to 128"):
        announced("view.host=0.0.0.0")


def test_up_says_that_the_obstacles_are_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KARMA_ROOT", str(tmp_path))
    result = invoke("up", "--obstacles", str(tmp_path / "locked.yaml"))
    assert result.exit_code == 2
    assert "there is no file" in result.output
    assert "locked.yaml" in result.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("up", "--backend", "robot", "--robot", "nope"), "there is no robot table 'nope'"),
        (("up", "--backend", "robot", "--robot", "misspelt.yaml"), "misspelt.yaml"),
        (("up", "--dry-run"), "dry_run is for the backend robot, .* --backend robot"),
        (("up", "--robot", "mine.yaml"), "robot is for the backend robot, .* --backend robot"),
        (("doctor", "--dry-run"), "No such option"),
        (("up", "--set", "sim_bridge.habitat_camara=arm"), "did you mean habitat_camera"),
        (("demo", "--set", "sim_bridge.habitat_camara=arm"), "did you mean habitat_camera"),
        (
            ("doctor", "--backend", "habitat", "--set", "sim_bridge.habitat_camara=arm"),
            "did you mean habitat_camera",
        ),
        (("doctor", "--backend", "habitat", "--set", "planner.max_skills=3"), "only .*sim_bridge"),
        (("doctor", "--set", "sim_bridge.habitat_camera=arm"), "need --backend"),
        (("record", "--namespace", "a b"), "'a b' is no ROS namespace"),
        (("health", "--namespace", "2robots"), "'2robots' is no ROS namespace"),
        (("doctor", "--backend", "robot", "--namespace", "a b"), "'a b' is no ROS namespace"),
    ],
)
def test_what_the_graph_cannot_be_started_with_is_told_in_a_line(
    arguments: tuple[str, ...], told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KARMA_ROOT", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "misspelt.yaml").write_text("robot: mine\npose: {base_frame: base_link}\nskils: {Wait: []}\n")
    result = invoke(*arguments)
    assert (result.exit_code, type(result.exception)) == (2, SystemExit), result.output
    assert re.search(told, " ".join(result.output.split())), result.output


def test_doctor_examines_a_backend_with_chosen_parameters(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    examined = []
    monkeypatch.setattr(examination, "examine", lambda options, **_: examined.append(options) or [])
    chosen = ("habitat_dataset=~/hssd.scene_dataset_config.json", "habitat_camera=arm", "use_sim_time=true")
    flags = [word for text in chosen for word in ("--set", f"sim_bridge.{text}")]
    assert invoke("doctor", "--backend", "habitat", "--scene", "102344022", *flags).exit_code == 0
    (options,) = examined
    assert (options.backend, options.scene, options.image_width) == ("habitat", "102344022", 320)
    assert options.habitat_dataset == str(Path("~/hssd.scene_dataset_config.json").expanduser())
    assert options.habitat_camera == "arm"
    assert options.use_sim_time


def test_doctor_says_what_a_table_sets_wrongly_for_perception(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(examination, "examine", lambda options, **_: [])
    table, report = tmp_path / "mine.yaml", tmp_path / "found.json"
    mine = "robot: mine\npose: {base_frame: base_link}\nskills: {Wait: []}\nperception: {camera_height: 1}\n"
    table.write_text(mine)
    assert invoke("doctor", "--backend", "robot", "--robot", str(table)).exit_code == 0
    table.write_text(mine.replace("height", "hight"))
    arguments = ("doctor", "--backend", "robot", "--robot", str(table), "--json", str(report))
    assert CliRunner().invoke(main, arguments, standalone_mode=False).return_value == 1
    (found,) = json.loads(report.read_text())
    assert "mine.yaml:4: perception.camera_hight" in found["text"]


@pytest.mark.parametrize("name", ["up", "demo"])
def test_a_model_that_nobody_serves_is_said_before_anything_is_started(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KARMA_ROOT", str(tmp_path))
    with OllamaServer("{}").running() as server:
        host = server.host
        result = invoke(name, "--headless", "--llm", "other:7b", "--llm-url", host)
        assert result.exit_code == 1
        assert "ollama pull other:7b" in result.output
    result = invoke(name, "--headless", "--llm", "other:7b", "--llm-url", host)
    assert result.exit_code == 1
    assert f"does not answer at {host}" in result.output
    assert "ollama serve" in result.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("domain", ["-1", "233", "kitchen", "1.5"])
def test_up_refuses_a_domain_that_is_none(domain: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", domain)
    monkeypatch.setenv("KARMA_ROOT", str(tmp_path))
    result = invoke("up")
    assert result.exit_code == 2
    assert "ROS_DOMAIN_ID must be a number from 0 to 232" in result.output


@pytest.mark.parametrize("arguments", [("doctor",), ("do", "look around"), ("demo", "--headless")])
def test_a_report_that_cannot_be_written_is_refused_before_the_work(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = invoke(*arguments, "--json", str(tmp_path / "file" / "out.json"))
    assert result.exit_code == 1
    assert "can't be made" in result.output


def test_detector_says_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    (tmp_path / "no.onnx").write_bytes(b"not a model")
    result = invoke("detector", str(tmp_path / "no.onnx"))
    assert result.exit_code == 1
    assert "expected an ONNX model" in result.output
    result = invoke("detector", str(tmp_path / "no.onnx"), "--depth", str(tmp_path / "no.onnx"))
    assert result.exit_code == 2
    assert "--depth belongs to an --image" in result.output


def test_detector_describes_a_model_and_draws_what_it_finds(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx", reason="onnx is not installed; it writes the test's network")
    table = np.zeros((1, 2, 6), np.float32)
    table[0, 0] = (8, 8, 40, 32, 0.9, 41)  # COCO's 41 is a cup
    made = onnx.helper.make_model(
        onnx.helper.make_graph(
            [onnx.helper.make_node("Identity", ["table"], ["found"])],
            "always_the_same",
            [onnx.helper.make_tensor_value_info("images", onnx.TensorProto.FLOAT, [1, 3, 48, 64])],
            [onnx.helper.make_tensor_value_info("found", onnx.TensorProto.FLOAT, table.shape)],
            [onnx.numpy_helper.from_array(table, "table")],
        ),
        opset_imports=[onnx.helper.make_opsetid("", 18)],
        ir_version=9,
    )
    onnx.save(made, tmp_path / "m.onnx")
    Image.new("RGB", (128, 96), (90, 90, 90)).save(tmp_path / "p.png")
    depth = np.full((96, 128), 3.0)
    depth[20:60, 20:76] = 1.5
    np.save(tmp_path / "d.npy", depth)
    arguments = ["--image", str(tmp_path / "p.png"), "--depth", str(tmp_path / "d.npy"), "--out", str(tmp_path / "out")]
    result = invoke("detector", str(tmp_path / "m.onnx"), *arguments)
    assert result.exit_code == 0, result.output
    assert "YOLO with suppression built in" in result.output
    report = json.loads((tmp_path / "out" / "detections.json").read_text())
    (found,) = report["detections"]
    assert (found["name"], found["class"], found["movable"]) == ("cup", "Mug", True)
    assert found["box"] == [16, 16, 80, 64]
    assert found["distance_m"] == pytest.approx(1.5, abs=0.01)
    assert Image.open(tmp_path / "out" / "annotated.png").size == (128, 96)
    np.save(tmp_path / "d.npy", depth[:50])
    result = invoke("detector", str(tmp_path / "m.onnx"), *arguments)
    assert result.exit_code == 1
    assert "expected metres, (96, 128) as in the picture" in " ".join(result.output.split())


def test_skills_are_shown_and_written_as_json(tmp_path: Path) -> None:
    result = invoke("skills", "--json", str(tmp_path / "skills.json"))
    assert result.exit_code == 0, result.output
    assert "SliceObject" in result.output
    table = {spec["name"]: spec for spec in json.loads((tmp_path / "skills.json").read_text())}
    assert table["SliceObject"]["irreversible"]
    assert table["PickupObject"]["effects"][0] == "holding(target)"


def test_what_a_skill_needs_is_shown_whole_in_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = invoke("skills").output
    assert "…" not in shown
    assert "SliceObject" in shown


def test_skills_writes_a_plan_in_the_other_form(tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text("Pick[cup_1]\nPlace[cup_1, on, table_2, None, None]\n")
    result = invoke("skills", str(tmp_path / "plan.txt"), "--form", "karma")
    assert result.output == "Pick(robot, 'cup_1')\nPlace(robot, 'cup_1', 'table_2', 'on')\n"
    (tmp_path / "plan.py").write_text(result.output)
    result = invoke("skills", str(tmp_path / "plan.py"), "--form", "memento")
    assert result.output == (tmp_path / "plan.txt").read_text()


def test_skills_says_what_is_wrong_with_a_plan(tmp_path: Path) -> None:
    (tmp_path / "plan.py").write_text("PickupObject(robot, 'Apple')\nPickUp(robot, 'Bowl')\n")
    result = invoke("skills", str(tmp_path / "plan.py"))
    assert result.exit_code == 1
    assert "line 2: there is no skill 'PickUp'; did you mean Pick or PickupObject?" in result.output
    (tmp_path / "plan.py").write_text("PickUp('Bowl')\n")
    result = invoke("skills", str(tmp_path / "plan.py"))
    assert result.exit_code == 1
    assert "line 1: there is no skill 'PickUp'; did you mean Pick or PickupObject?" in result.output


@pytest.mark.parametrize(
    ("arguments", "text", "complaint"),
    [
        (("do",), "", "give an INSTRUCTION or a --plan"),
        (("do", "bring me an apple", "--plan", "plan"), "Wait(robot, 1)", "give an INSTRUCTION or a --plan"),
        (("do", "--plan", "plan"), "bring me an apple", "this is no plan"),
        (("do", "--plan", "plan"), " ", "is empty"),
        (("skills", "plan"), "\udcff", "can't be read"),
    ],
)
def test_what_is_no_plan_is_refused(
    arguments: tuple[str, ...], text: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan").write_bytes(os.fsencode(text))
    result = invoke(*arguments)
    assert result.exit_code in (1, 2)
    assert complaint in " ".join(result.output.split())


def test_record_leaves_topics_out_of_all_of_them_only() -> None:
    result = invoke("record", "--exclude-regex", "camera/")
    assert result.exit_code == 2
    assert "--all" in result.output


@pytest.mark.ros
def test_do_without_a_graph_says_how_to_start_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from karma_ros.domain import claim_domain

    with claim_domain(None) as domain:
        monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
        result = invoke("do", "bring me an apple")
    assert result.exit_code == 1
    assert "./karma up" in result.output


@pytest.mark.parametrize(
    ("typed", "meant"), [("2", "the mug"), (" 1 ", "the cup"), ("3", "3"), ("the bowl", "the bowl")]
)
def test_number_of_a_choice_stands_for_the_choice(typed: str, meant: str) -> None:
    assert chosen(typed, ["the cup", "the mug"]) == meant


def test_doctor_reports_what_it_found_as_json(tmp_path: Path) -> None:
    file = tmp_path / "doctor.json"
    invoke("doctor", "--json", str(file))
    findings = {item["subject"]: item for item in json.loads(file.read_text())}
    assert findings["Python"]["verdict"] == "works"
    assert {"ROS 2", "rendering", "Ollama", "tf2_msgs", "GPU"} <= set(findings)


def test_doctor_says_where_a_simulator_is_examined(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the machine has of AI2-THOR and Habitat is the backend's to say; Habitat's Python is not KARMA's."""
    monkeypatch.delenv("KARMA_HABITAT_PYTHON", raising=False)
    assert "KARMA_HABITAT_PYTHON" in findings._habitat().text
    monkeypatch.setenv("KARMA_HABITAT_PYTHON", str(tmp_path / "none"))
    assert findings._habitat().verdict == "missing"
    monkeypatch.setenv("KARMA_HABITAT_PYTHON", sys.executable)
    found = findings._habitat()
    assert (found.verdict, sys.executable in found.text) == ("works", True)
    assert "./karma doctor --backend habitat" in found.text
    assert "./karma doctor --backend ai2thor" in findings._ai2thor().text


def test_doctor_shows_a_finding_whole_and_what_is_essential_in_red(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    line = f"{tmp_path}/{'deep/' * 20}my_robot.yaml:112: skills.Pick"
    told = [Finding("robot's table", "missing", line, essential=True), Finding("a tool", "missing", "is not there")]
    monkeypatch.setattr(examination, "examine", lambda options, **_: told)
    shown = invoke("doctor", "--backend", "household").output
    assert "…" not in shown
    assert "my_robot.yaml:112: skills.Pick" in re.sub(r"\s+", "", shown).replace(":skills", ": skills")
    assert [row[:1] for row in shown.splitlines() if "robot's" in row or "a tool" in row] == ["✗", "-"]


def test_doctor_shows_each_finding_as_soon_as_it_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []

    def examine(options: object, **_: object) -> Iterator[Finding]:
        for subject in ("scene", "camera"):
            yield Finding(subject, "works", "it does")
            shown.append(sys.stdout.buffer.getvalue().decode())  # type: ignore[attr-defined]

    monkeypatch.setattr(examination, "examine", examine)
    invoke("doctor", "--backend", "household")
    assert ["scene" in text for text in shown] == [True, True]
    assert ["camera" in text for text in shown] == [False, True]


def test_doctor_tries_side_by_side_what_takes_seconds_and_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[str]] = []
    popen = subprocess.Popen

    def start(command: list[str], **options: object) -> subprocess.Popen[str]:
        started.append(popen([sys.executable, "-c", "import time; time.sleep(600)"], **options))  # type: ignore[call-overload]
        return started[-1]

    monkeypatch.setattr(findings.subprocess, "Popen", start)
    examined = findings.examine(on_wait=pytest.fail)
    assert next(examined).subject == "Python"
    assert [process.poll() for process in started] == [None] * 4
    examined.close()
    assert all(process.poll() is not None for process in started)


def test_doctor_examines_a_backend(tmp_path: Path) -> None:
    file = tmp_path / "doctor.json"
    result = invoke("doctor", "--backend", "household", "--json", str(file))
    findings = {item["subject"]: item for item in json.loads(file.read_text())}
    for needed in ("recorded rooms", "rendering"):
        if findings[needed]["verdict"] == "missing":
            pytest.skip(findings[needed]["text"])
    assert result.exit_code == 0, result.output
    assert {subject: item["verdict"] for subject, item in findings.items()} == dict.fromkeys(
        ("recorded rooms", "rendering", "scene", "camera"), "works"
    )
    assert "home1" in findings["scene"]["text"]
    assert "320 x 240" in findings["camera"]["text"]


def test_doctor_says_what_a_backend_has_not() -> None:
    arguments = ("doctor", "--backend", "household", "--scene", "FloorPlan999")
    result = CliRunner().invoke(main, arguments, standalone_mode=False)
    assert result.return_value == 1
    assert "no scene 'FloorPlan999'" in result.output
    assert invoke("doctor", "--conformance").exit_code == 2


def test_doctor_asks_before_it_moves_a_real_robot(monkeypatch: pytest.MonkeyPatch) -> None:
    examined = []
    real = Subject("household", open=lambda: pytest.fail("it was opened"), scene="home", real=True)
    monkeypatch.setattr(examination, "subject_of", lambda _: real)
    monkeypatch.setattr(examination, "examine", lambda options, **how: examined.append(how) or [])
    arguments = ("doctor", "--backend", "household", "--conformance")
    assert "Is the way clear?" in (said := CliRunner().invoke(main, arguments, input="n\n").output)
    assert "nothing is changed" in said
    assert examined == []
    assert CliRunner().invoke(main, arguments, input="y\n").exit_code == 0
    assert invoke(*arguments, "--yes").exit_code == 0
    assert invoke("doctor", "--backend", "household").exit_code == 0
    assert examined == [{"conformance": True}, {"conformance": True}, {"conformance": False}]


@pytest.mark.parametrize(
    "before",
    [("do",), ("do", "--user"), ("feedback",), ("memory", "ask", "--user", "ann"), ("memory", "ask", "--user")],
)
def test_bytes_that_are_no_utf_8_are_refused_and_not_sent(before: tuple[str, ...]) -> None:
    result = invoke(*before, os.fsdecode(b"caf\xe9"), "words")
    assert result.exit_code == 2
    assert f"argument {len(before) + 1} is not UTF-8 text: caf\\udce9" in result.output
    assert "Traceback" not in result.output
