# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A lifecycle node's parameters take effect when they say so, and what it made is given back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2")

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter as Value
from std_msgs.msg import String

from karma_ros.diagnostics import WARN, Diagnosis
from karma_ros.lifecycle import ConfigurationError, ManagedNode
from karma_ros.parameters import Effect, Parameter

pytestmark = pytest.mark.ros

SUCCESS, FAILURE = TransitionCallbackReturn.SUCCESS, TransitionCallbackReturn.FAILURE
PARAMETERS = (
    Parameter("volume", 0.5, "How loud.", 0.0, 1.0, effect=Effect.AT_ONCE),
    Parameter("language", "English", "Which one.", choices=("English", "German")),
    Parameter("name", "Ann", "Of the speaker.", effect=Effect.READ_ONLY),
)


class Speaker(ManagedNode):
    """Tells what it is asked to do."""

    def __init__(self) -> None:
        super().__init__("speaker", PARAMETERS)
        self.done: list[str] = []
        self.failure: Exception | None = None

    def configure(self) -> None:
        self.done.append(f"configure in {self.value('language')}")
        self.until_cleanup.callback(self.destroy_publisher, self.create_publisher(String, "speech", 1))
        if self.failure is not None:
            raise self.failure

    def activate(self) -> None:
        self.done.append("activate")
        self.until_deactivated.callback(self.done.append, "given back")
        if self.failure is not None:
            raise self.failure

    def deactivate(self) -> None:
        self.done.append("deactivate")

    def cleanup(self) -> None:
        self.done.append("cleanup")

    def apply(self, changes: Mapping[str, Any]) -> None:
        if changes.get("volume") == 1.0:
            raise ValueError("the neighbours sleep")
        self.done.append(f"volume {changes['volume']}")

    def diagnose(self) -> Diagnosis:
        return Diagnosis("voice", "hoarse", WARN, {"volume": self.value("volume")})


@pytest.fixture
def speaker(robot1: None) -> Iterator[Speaker]:
    node = Speaker()
    yield node
    node.close()
    node.destroy_node()


def put(node: Node, name: str, value: Any) -> str:
    """Set a parameter; return why not, "" where it was set."""
    (result,) = node.set_parameters([Value(name, value=value)])
    assert result.successful == (node.get_parameter(name).value == value)
    return "" if result.successful else str(result.reason)


def spoken(node: Node) -> bool:
    return any(publisher.topic_name == "/robot1/speech" for publisher in node.publishers)


def test_a_node_goes_through_its_life_and_gives_back_what_it_made(speaker: Speaker) -> None:
    assert speaker.trigger_configure() is SUCCESS
    assert spoken(speaker)
    assert speaker.trigger_activate() is SUCCESS
    assert speaker.active
    assert speaker.trigger_deactivate() is SUCCESS
    assert not speaker.active
    assert speaker.done == ["configure in English", "activate", "given back", "deactivate"]
    assert speaker.trigger_cleanup() is SUCCESS
    assert not spoken(speaker)
    assert not list(speaker.timers)


@pytest.mark.parametrize("failure", [ConfigurationError("no voice"), ZeroDivisionError("no voice")])
def test_a_configuration_that_fails_is_told_and_gives_everything_back(
    speaker: Speaker, failure: Exception, capfd: pytest.CaptureFixture[str]
) -> None:
    speaker.failure = failure
    assert speaker.trigger_configure() is FAILURE
    assert "no voice" in capfd.readouterr().err
    assert not spoken(speaker)
    speaker.failure = None
    assert speaker.trigger_configure() is SUCCESS


def test_a_defect_in_the_activation_is_told(speaker: Speaker, capfd: pytest.CaptureFixture[str]) -> None:
    assert speaker.trigger_configure() is SUCCESS
    speaker.failure = ZeroDivisionError("no voice")
    assert speaker.trigger_activate() is TransitionCallbackReturn.ERROR
    assert "ZeroDivisionError: no voice" in capfd.readouterr().err
    assert not speaker.active
    assert not spoken(speaker)


def test_what_takes_effect_at_once_does_and_can_be_refused(speaker: Speaker) -> None:
    assert speaker.trigger_configure() is SUCCESS
    assert put(speaker, "volume", 0.75) == ""
    assert speaker.value("volume") == 0.75
    assert speaker.done[-1] == "volume 0.75"
    assert put(speaker, "volume", 1.0) == "the neighbours sleep"
    assert "out of range" in put(speaker, "volume", 1.5)
    assert speaker.value("volume") == 0.75


def test_what_waits_for_the_next_configuration_says_so_and_is_checked_now(
    speaker: Speaker, capfd: pytest.CaptureFixture[str]
) -> None:
    assert speaker.trigger_configure() is SUCCESS
    assert put(speaker, "language", "Elvish") == "language is 'Elvish'; expected one of English, German"
    assert put(speaker, "language", "German") == ""
    assert "language is 'German' from the next configuration on, and 'English' until then" in capfd.readouterr().err
    assert speaker.value("language") == "English"
    assert speaker.trigger_cleanup() is SUCCESS
    assert speaker.trigger_configure() is SUCCESS
    assert speaker.done[-1] == "configure in German"


def test_what_is_read_at_the_start_can_not_be_changed(speaker: Speaker) -> None:
    assert "read-only" in put(speaker, "name", "Bob")


def test_a_description_says_when_a_change_takes_effect_and_what_is_allowed(speaker: Speaker) -> None:
    volume, language, name = speaker.describe_parameters(["volume", "language", "name"])
    assert volume.description == "How loud. A change takes effect at once."
    assert (volume.floating_point_range[0].from_value, volume.floating_point_range[0].to_value) == (0.0, 1.0)
    assert language.description == "Which one. A change takes effect at the next configuration."
    assert language.additional_constraints == "one of English, German"
    assert name.description == "Of the speaker. It is read at the start and can't be changed."
    assert [d.read_only for d in (volume, language, name)] == [False, False, True]


def test_diagnostics_are_where_tools_look_and_name_the_robot(speaker: Speaker) -> None:
    heard: list[DiagnosticArray] = []
    tool = Node("tool", namespace="/tools")
    tool.create_subscription(DiagnosticArray, "/diagnostics", heard.append, 10)
    assert speaker.trigger_configure() is SUCCESS
    assert speaker.trigger_activate() is SUCCESS
    executor = SingleThreadedExecutor()
    for node in (speaker, tool):
        executor.add_node(node)
    for _ in range(600):
        executor.spin_once(timeout_sec=0.1)
        if heard:
            break
    (status,) = heard[0].status
    assert (status.name, status.level, status.message) == ("robot1/speaker: voice", WARN, "hoarse")
    assert [(value.key, value.value) for value in status.values] == [("volume", "0.5")]
    assert status.hardware_id
    assert heard[0].header.stamp.sec
    executor.shutdown()
    tool.destroy_node()


def test_a_node_that_comes_to_rest_waits_until_it_has_told_how_it_is(robot1: None) -> None:
    halting: list[Thread] = []

    class Slow(Speaker):
        def diagnose(self) -> Diagnosis:
            if not halting:
                halting.append(Thread(target=self.trigger_deactivate))
                halting[0].start()
                halting[0].join(0.3)  # what it destroys is used when this returns
            return super().diagnose()

    node = Slow()
    node.trigger_configure()
    node.trigger_activate()
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        while not halting or halting[0].is_alive():
            executor.spin_once(timeout_sec=0.1)  # raises what the report raises
    finally:
        executor.shutdown()
        node.close()
        node.destroy_node()
    assert not node.active
