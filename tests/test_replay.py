# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A trial that `./karma record --all` makes of a running robot, and what `./karma replay` decides by it."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from geometry_msgs.msg import Point, Pose, Vector3
from home_graph import PATIENCE_S, Home
from ollama_server import MODEL, OllamaServer
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message, serialize_message
from rosbags.rosbag2 import Reader, Writer

from karma.replay.trial import TrialError, load_trial
from karma_interfaces.action import ExecuteInstruction, ExecuteSkill
from karma_interfaces.msg import Exchange, PlannerState, Result, SceneGraph, SceneNode
from karma_interfaces.srv import Answer, Feedback, SetConsent
from karma_memory.ros.bag import STORAGES, typestore
from karma_ros.domain import claim_domain
from planner_node.ros.exchanges import TOPIC

pytestmark = [pytest.mark.ros, pytest.mark.slow]

TYPE = "karma_interfaces/msg/Exchange"
LATCHED = QoSProfile(depth=64, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@dataclass(frozen=True)
class Recorded:
    """A bag, and how the instructions ended."""

    bag: Path
    ended: tuple[tuple[str, str, list[str]], ...]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    """Instructions that fail, ask, are interrupted and broken off, while somebody else sees things."""
    folder = tmp_path_factory.mktemp("trial")
    with claim_domain(None) as domain:
        home = Home(folder, domain)
        recorder: subprocess.Popen[str] | None = None
        try:
            home.start("memory_server")
            home.start("sim_bridge")
            home.start("planner", "question_timeout:=60.0")
            recorder = command("record", "--all", "--out", str(folder / "bag"), ROS_DOMAIN_ID=str(domain))
            planner = home.client.node
            assert wait(lambda: planner.count_subscribers(f"/{TOPIC}") == 1), "the recorder does not listen"
            with seeing(home):
                ended = [
                    home.do("Put the apple in the fridge."),
                    home.do("Bring me the unicorn."),
                    asking(home, "Put the egg away.", "the bowl", user="ann"),
                    interrupted(home, "Put the lettuce in the sink.", "Put the bread on the plate."),
                    broken_off(home, "Put the potato in the microwave and then put the tomato in the sink."),
                    settled(home, capacity=3),
                    home.do("Put the tomato in the fridge."),
                ]
            recorder.send_signal(signal.SIGINT)
            output = recorder.communicate(timeout=PATIENCE_S)[1]
            assert recorder.returncode == 0, output
            assert "not saved" not in output
            yield Recorded(folder / "bag", tuple(done for done in ended if done is not None))
        finally:
            if recorder is not None:
                recorder.kill()
                recorder.wait()
            home.close()


def command(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "karma.command", *arguments],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait(condition: Callable[[], bool], seconds: float = PATIENCE_S) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


class seeing:  # noqa: N801 - reads as what it is: with seeing(home)
    """Perception's part: a vase that is somewhere else every moment gets into the memory between all that is done."""

    def __init__(self, home: Home) -> None:
        self._publisher = home.client.node.create_publisher(SceneGraph, "scene_graph", LATCHED)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._publish)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _publish(self) -> None:
        number = 0
        while not self._ended.wait(0.1):
            number += 1
            node = SceneNode(id="vase_1", category="Vase", layer=SceneNode.OBJECT, confidence=0.9)
            node.size = Vector3(x=0.1, y=0.1, z=0.3)
            node.pose = Pose(position=Point(x=0.2 * number, y=1.0, z=0.5))
            node.last_seen.sec = int(time.time())
            graph = SceneGraph(scene="FloorPlan1", sequence=number, full=number == 1, nodes=[node])
            graph.header.frame_id, graph.header.stamp.sec = "map", int(time.time())
            self._publisher.publish(graph)


def asking(home: Home, text: str, answer: str, **more: Any) -> tuple[str, str, list[str]]:
    """Give an instruction, answer its question, and say afterwards what was meant."""
    feedback: list[Any] = []
    result = home.order(text, feedback, **more)
    assert wait(lambda: result.done() or any(f.question_id for f in feedback))
    if not result.done():
        question = next(f for f in feedback if f.question_id)
        home.client.call(Answer, "answer", Answer.Request(question_id=question.question_id, text=answer))
    done = result.result(PATIENCE_S)
    words = Feedback.Request(instruction_id=done.instruction_id, text="The egg belongs in the fridge.", user="ann")
    home.client.call(Feedback, "feedback", words)
    return str(done.result.code), done.result.message, [outcome.call.skill for outcome in done.skills]


def interrupted(home: Home, text: str, urgent: str) -> tuple[str, str, list[str]]:
    """Give an instruction, and an urgent one when a skill was done; return how the first one ended."""
    feedback: list[Any] = []
    result = home.order(text, feedback)
    assert wait(lambda: any(f.steps_done >= 1 for f in feedback))
    home.order(urgent, priority=ExecuteInstruction.Goal.URGENT).result(PATIENCE_S)
    done = result.result(PATIENCE_S)
    return str(done.result.code), done.result.message, [outcome.call.skill for outcome in done.skills]


def broken_off(home: Home, text: str) -> tuple[str, str, list[str]]:
    """Give an instruction and stop it when a skill was done."""
    feedback: list[Any] = []
    home.set("sim_bridge", frame_rate=2.0)  # the recorder looks on: a skill waits for each of its views
    result = home.order(text, feedback)
    assert wait(lambda: any(f.steps_done >= 2 for f in feedback))
    home.set("sim_bridge", frame_rate=0.2)  # the skills that are left take minutes: longer than a command to begin
    stopping = command("stop", ROS_DOMAIN_ID=str(home.client.node.context.get_domain_id()))
    stopping.communicate(timeout=PATIENCE_S)
    done = result.result(PATIENCE_S)
    assert done.result.code == Result.CANCELED
    home.set("sim_bridge", frame_rate=10.0)
    return "CANCELED", done.result.message, [outcome.call.skill for outcome in done.skills]


def settled(home: Home, capacity: int) -> None:
    """Let bob say that nothing is to be kept of him, and somebody make short-term memory smaller."""
    said = home.client.call(SetConsent, "memory/set_consent", SetConsent.Request(user="bob", keep=False))
    assert said.result.code == Result.SUCCESS, said.result.message
    home.set("memory_server", capacity=capacity)


def replayed(bag: Path, *arguments: str) -> tuple[int, dict[str, Any], str]:
    report = bag.parent / "report.json"
    report.unlink(missing_ok=True)
    process = command("replay", str(bag), "--json", str(report), *arguments)
    output = process.communicate(timeout=300)[1]
    return process.returncode, json.loads(report.read_text()) if report.exists() else {}, output


def test_a_trial_is_replayed_to_the_same_decisions_and_the_same_memory(recorded: Recorded) -> None:
    assert [code for code, _, _ in recorded.ended][:2] == ["SUCCESS", "NOT_FOUND"]
    status, report, output = replayed(recorded.bag)
    assert (status, report["differences"]) == (0, []), output
    assert report["same"]
    assert report["memory"]["same"]
    assert len(report["instructions"]) == len(recorded.ended) + 1
    told = [done for done in report["instructions"] if "bread" not in done["instruction"]]  # the urgent one
    for (_, message, skills), done in zip(recorded.ended, told, strict=True):
        assert [skill["call"].partition("(")[0] for skill in done["replayed"]["skills"]] == skills
        assert done["replayed"]["message"] == message
    assert not [note for note in report["notes"] if "not replayed" in note or "meanwhile" in note], report["notes"]
    trial = load_trial(recorded.bag)
    assert report["memory"]["events"] == trial.events  # event by event: what others saw came in between, as it did then


def test_what_onlookers_saw_of_a_trial_is_in_its_bag(recorded: Recorded) -> None:
    with Reader(recorded.bag) as reader:
        of_states = [connection for connection in reader.connections if connection.topic == "/planner/state"]
        states = [deserialize_message(bytes(data), PlannerState) for _, _, data in reader.messages(of_states)]
    shown = [state.instruction[0] for state in states if state.instruction]
    ended = {status.id: status for status in shown if status.ended}
    told = [status for status in ended.values() if "bread" not in status.instruction]  # the urgent one
    assert [[done.call.skill for done in status.done] for status in told] == [skills for _, _, skills in recorded.ended]
    assert [status.result.message for status in told] == [message for _, message, _ in recorded.ended]


def test_a_language_model_says_what_it_said_then(tmp_path: Path) -> None:
    said = json.dumps({"english": ["Pick up the apple."]})
    with claim_domain(None) as domain, OllamaServer(said).running() as server:
        home = Home(tmp_path, domain)
        recorder: subprocess.Popen[str] | None = None
        try:
            home.start("memory_server")
            home.start("sim_bridge")
            home.start("planner", f"llm:={MODEL}", f"llm_url:={server.host}")
            recorder = command("record", "--all", "--out", str(tmp_path / "bag"), ROS_DOMAIN_ID=str(domain))
            assert wait(lambda: home.client.node.count_subscribers(f"/{TOPIC}") == 1)
            code, _, skills = home.do("would thou pluck the apple")
            recorder.send_signal(signal.SIGTERM)
            recorder.communicate(timeout=PATIENCE_S)
        finally:
            if recorder is not None:
                recorder.kill()
                recorder.wait()
            home.close()
    assert (code, skills[-1]) == ("SUCCESS", "PickupObject")
    asked = len(server.requests)
    status, report, output = replayed(tmp_path / "bag")  # nothing speaks as Ollama any more
    assert (status, report["differences"]) == (0, []), output
    assert report["instructions"][0]["replayed"]["goals"] == ["hold(apple)"]
    assert len(server.requests) == asked > 0

    anew, report, _ = replayed(tmp_path / "bag", "--llm", "another:1b")
    assert anew == 1
    assert report["instructions"][0]["replayed"]["code"] == "UNAVAILABLE"


def test_one_instruction_is_replayed_alone(recorded: Recorded) -> None:
    status, report, output = replayed(recorded.bag, "--instruction", "2")
    assert (status, [done["number"] for done in report["instructions"]]) == (0, [1]), output
    assert report["instructions"][0]["replayed"]["code"] == "NOT_FOUND"
    assert "there is no instruction 9" in replayed(recorded.bag, "--instruction", "9")[2]


def test_an_outcome_that_was_another_is_told_as_the_first_difference(recorded: Recorded, tmp_path: Path) -> None:
    falsified = rewritten(recorded.bag, tmp_path / "falsified", failing("OpenObject"))
    status, report, output = replayed(falsified)
    assert status == 1
    assert not report["same"]
    first = report["differences"][0]
    assert first["instruction"] == 1, output
    assert first["what"].startswith("outcome"), output
    assert (first["recorded"], first["replayed"]) == ("SUCCESS", "EXECUTION_FAILURE")
    assert not report["memory"]["same"]
    assert "first difference" in output


def test_what_cannot_be_replayed_is_told(recorded: Recorded, tmp_path: Path) -> None:
    def refused(bag: Path, *arguments: str) -> str:
        status, _, output = replayed(bag, *arguments)
        assert status == 1, output
        assert "Traceback" not in output
        return output

    (tmp_path / "nothing").mkdir()
    assert "does not exist" in refused(tmp_path / "nowhere")
    assert "no bag" in refused(tmp_path / "nothing")
    copy = shutil.copytree(recorded.bag, tmp_path / "copy")
    (copy / "journal.jsonl.gz").unlink()
    assert "journal is missing" in refused(copy)
    (copy / "journal.jsonl.gz").write_bytes(gzip.compress(b"{}\n"))
    assert "no exported KARMA journal" in refused(copy)
    assert "lacks what the planner did" in refused(rewritten(recorded.bag, tmp_path / "gap", dropping(7)))
    other = rewritten(recorded.bag, tmp_path / "other", of_other_definitions)
    assert "other message definitions" in refused(other)
    assert "no planner of robot7" in refused(recorded.bag, "--namespace", "robot7")


def test_a_bag_that_is_cut_short_is_replayed_as_far_as_it_goes(recorded: Recorded, tmp_path: Path) -> None:
    cut = shutil.copytree(recorded.bag, tmp_path / "cut")
    (cut / "metadata.yaml").unlink()
    (file,) = cut.glob("*.mcap")
    whole = file.read_bytes()
    file.write_bytes(whole[:-500])  # as a recorder leaves it that was killed
    trial = load_trial(cut)
    assert len(trial.instructions) == len(recorded.ended) + 1
    assert any("cut short" in note for note in trial.notes)
    file.write_bytes(whole[:100])
    with pytest.raises(TrialError, match="can be read"):
        load_trial(cut)

    second = load_trial(recorded.bag).instructions[1]
    ended = rewritten(recorded.bag, tmp_path / "ended", lambda e: e if e.sequence < second.ended.number else None)
    trial = load_trial(ended)
    assert len(trial.instructions) == 1
    assert any("unicorn" in note and "had not ended" in note for note in trial.notes)


def test_ctrl_c_ends_a_replay_with_what_was_compared(recorded: Recorded) -> None:
    process = command("replay", str(recorded.bag))
    assert process.stderr is not None
    while "Put the apple" not in (line := process.stderr.readline()):
        assert line, "it ended before it began"
    process.send_signal(signal.SIGINT)
    output = process.stderr.read()
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, output
    assert "the rest was not compared" in output


def rewritten(bag: Path, to: Path, change: Callable[[Exchange], Exchange | None]) -> Path:
    """Return a copy of a bag with its exchanges changed, or left out."""
    with Reader(bag) as reader, Writer(to, version=9, storage_plugin=STORAGES["mcap"]) as writer:
        connection = writer.add_connection(f"/{TOPIC}", TYPE, typestore=typestore())
        for found, stamp, data in reader.messages([c for c in reader.connections if c.msgtype == TYPE]):
            assert found.topic == f"/{TOPIC}"
            changed = change(deserialize_message(bytes(data), Exchange))
            if changed is not None:
                writer.write(connection, stamp, serialize_message(changed))
    for name in ("journal.jsonl.gz", "parameters.yaml"):
        shutil.copy(bag / name, to / name)
    return to


def failing(skill: str) -> Callable[[Exchange], Exchange]:
    """Let the first call of a skill have failed."""
    done: list[int] = []

    def change(exchange: Exchange) -> Exchange:
        if exchange.name == "execute_skill" and not done:
            result = deserialize_message(bytes(exchange.response), ExecuteSkill.Result)
            if result.outcome.call.skill == skill:
                done.append(exchange.sequence)
                result.outcome.result = Result(code=Result.EXECUTION_FAILURE, message="the door is stuck")
                exchange.response = serialize_message(result)
        return exchange

    return change


def dropping(sequence: int) -> Callable[[Exchange], Exchange | None]:
    return lambda exchange: None if exchange.sequence == sequence else exchange


def of_other_definitions(exchange: Exchange) -> Exchange:
    exchange.interfaces = "0123456789abcdef"
    return exchange
