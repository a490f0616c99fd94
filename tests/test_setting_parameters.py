# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`ros2 param set`, of every parameter of every node: what is answered "successful" has an effect, and says when."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

import rclpy
from rclpy.parameter import Parameter as Change
from unique_identifier_msgs.msg import UUID

from karma.lifecycle_manager_node import PARAMETERS as OF_MANAGER
from karma.lifecycle_manager_node import LifecycleManager
from karma.node_parameters import FILES
from karma_interfaces.action import ExecuteInstruction, ExecuteSkill
from karma_interfaces.msg import SkillCall
from karma_interfaces.srv import Recall
from karma_memory.memory_node import MemoryNode
from karma_memory.parameters import PARAMETERS as OF_MEMORY
from karma_memory.recall.query import Answer
from karma_memory.ros.memory_services import MemoryServices
from karma_memory.ros.opening import SETTINGS
from karma_perception import class_table
from karma_perception.parameters import PARAMETERS as OF_PERCEPTION
from karma_perception.perception_node import PerceptionNode
from karma_ros.declared_parameters import DeclaredParameters
from karma_ros.parameters import Effect, Parameter
from karma_view.parameters import PARAMETERS as OF_VIEW
from planner_node.check import safety
from planner_node.instruction import Report
from planner_node.parameters import FRONTIERS, OWN
from planner_node.parameters import PARAMETERS as OF_PLANNER
from planner_node.planner_node import PlannerNode
from planner_node.skills import Code
from sim_bridge import bridge_node, simulated_robot_node
from sim_bridge.backend import Code as SkillCode
from sim_bridge.backend import Outcome
from sim_bridge.bridge_node import SimBridge
from sim_bridge.pacing import Pace
from sim_bridge.parameters import PARAMETERS as OF_BRIDGE
from sim_bridge.robot.table import find_table
from sim_bridge.simulated_robot.parameters import PARAMETERS as OF_ROBOT
from sim_bridge.simulated_robot_node import SimulatedRobot

pytestmark = pytest.mark.ros

OF_RCLPY = {"use_sim_time", "start_type_description_service"}
"""Parameters of every node, which rclpy gives effect."""
TABLES: dict[str, tuple[Parameter, ...]] = {
    "memory_server": OF_MEMORY,
    "perception": OF_PERCEPTION,
    "planner": OF_PLANNER,
    "sim_bridge": OF_BRIDGE,
    "simulated_robot": OF_ROBOT,
    "view": OF_VIEW,
    "lifecycle_manager": OF_MANAGER,
}
EXAMPLES = {
    "database": "other.sqlite3",
    "camera_mount": "0 0 1 0 0 0",
    "memories": "told",
    "robots": "robot2",
    "scene": "FloorPlan2",
    "habitat_python": "sh",
    "class_table": str(Path(class_table.__file__).with_name("household.yaml")),
    "safety_rules": str(Path(safety.__file__).with_name("household.yaml")),
    "robot": str(find_table("simulated")),
}
"""Other values, where not any text will do, and no empty file."""


def view() -> Any:
    node = rclpy.create_node("view")
    node._declared = DeclaredParameters(node, OF_VIEW)
    return node


def simulated_robot() -> SimulatedRobot:
    pytest.importorskip("nav2_msgs.action", reason="nav2_msgs is not built")
    return SimulatedRobot()


MAKE: dict[str, Callable[[], Any]] = {
    "memory_server": MemoryNode,
    "perception": PerceptionNode,
    "planner": PlannerNode,
    "sim_bridge": SimBridge,
    "simulated_robot": simulated_robot,
    "view": view,
    "lifecycle_manager": LifecycleManager,
}


@pytest.fixture(scope="module")
def nodes(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Any]]:
    """Return a node of the graph by its name; it is made when it is asked for first, and configured with nothing."""
    arguments = ["-p", "scene:=FloorPlan1", "-p", "publish_images:=false", "-p", "node_names:=[nobody]"]
    rclpy.init(args=["--ros-args", *arguments])
    made: dict[str, Any] = {}
    with ExitStack() as stack:
        stack.callback(rclpy.shutdown)

        def of(name: str) -> Any:
            if name not in made:
                made[name] = MAKE[name]()
                stack.callback(made[name].destroy_node)
                if hasattr(made[name], "close"):
                    stack.callback(made[name].close)
            return made[name]

        yield of


def put(node: Any, name: str, value: object) -> str:
    """Set a parameter as the parameter service does; return why that was refused, "" where it was not."""
    before = node.get_parameter(name).value
    (result,) = node.set_parameters([Change(name, value=value)])
    assert node.get_parameter(name).value == (value if result.successful else before)
    return "" if result.successful else str(result.reason or "refused")


def other_value(parameter: Parameter, file: Path) -> object:
    """Return an allowed value that is not the default."""
    if isinstance(parameter.default, bool):
        return not parameter.default
    if isinstance(parameter.default, str):
        others = [choice for choice in parameter.choices if choice != parameter.default]
        return others[0] if others else EXAMPLES.get(parameter.name, str(file) if parameter.check else "other")
    assert parameter.low is not None
    assert parameter.high is not None
    return type(parameter.default)(parameter.low if parameter.default != parameter.low else parameter.high)


def wrong_values(parameter: Parameter) -> Iterator[object]:
    """Yield values that are not allowed."""
    if parameter.low is not None and parameter.high is not None:
        kind = type(parameter.default)
        yield from (kind(parameter.low - 1), kind(parameter.high + 1))
    if parameter.choices:
        yield "none of these"
    if parameter.check is not None:
        yield {"database": ":memory:"}.get(parameter.name, "/no/such, thing 1")


@contextmanager
def having(node: Any, **attributes: object) -> Iterator[None]:
    """Give a node stand-ins for what it talks to."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in attributes.items():
            patch.setattr(node, name, value)
        yield


@contextmanager
def paces(module: Any) -> Iterator[list[float]]:
    """Yield the rates of the paces that a module makes."""
    rates: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "Pace", lambda rate: rates.append(rate) or Pace(rate))
        yield rates


def label(one: Any) -> str:
    return str(getattr(one, "name", one))


EACH = [(node, parameter) for node, table in TABLES.items() for parameter in table]
each_parameter = pytest.mark.parametrize(("name", "parameter"), EACH, ids=label)


@pytest.mark.parametrize("name", TABLES)
def test_a_node_has_no_parameters_but_those_of_its_table(name: str, nodes: Callable[[str], Any]) -> None:
    node = nodes(name)
    declared = {other for other in node._parameters if not other.startswith("qos_overrides.")} - OF_RCLPY
    lists = {"node_names"} if name == "lifecycle_manager" else set()  # a table has none
    assert declared == {parameter.name for parameter in TABLES[name]} | lists


@each_parameter
def test_a_change_has_the_effect_that_the_description_promises(
    name: str, parameter: Parameter, nodes: Callable[[str], Any], tmp_path: Path
) -> None:
    node, file = nodes(name), tmp_path / "file"
    file.write_text("obstacles: []" if parameter.name == "obstacles" else "")
    assert node.describe_parameter(parameter.name).description.endswith(parameter.effect.value)
    node._declared.hold()
    before, other = node.get_parameter(parameter.name).value, other_value(parameter, file)
    refused = put(node, parameter.name, other)
    try:
        if parameter.effect is Effect.READ_ONLY:
            assert refused
            return
        assert not refused
        at_once = parameter.effect is Effect.AT_ONCE
        assert node._declared.value(parameter.name) == (other if at_once else before)
        node._declared.hold()
        assert node._declared.value(parameter.name) == other
        for wrong in wrong_values(parameter):
            assert put(node, parameter.name, wrong)
    finally:
        node._declared.release()
        if parameter.effect is not Effect.READ_ONLY:
            assert not put(node, parameter.name, before)


def test_a_scene_that_the_backend_does_not_have_is_refused_when_it_is_named(nodes: Callable[[str], Any]) -> None:
    assert put(nodes("sim_bridge"), "scene", "nowhere").startswith("no scene 'nowhere'")


def test_a_file_that_has_to_be_there_is_looked_for_when_it_is_named() -> None:
    made_by_the_node = {"perception.map_file", "memory_server.folder"}
    unchecked = {f"{name}.{parameter.name}" for name, parameter in EACH if parameter.check is None}
    assert FILES & unchecked == made_by_the_node


# What takes effect at once is shown by what uses it.


def short_term_memory(node: MemoryNode, name: str, value: Any) -> object:
    settings: list[Any] = []
    node._memory = SimpleNamespace(configure=settings.append)  # type: ignore[assignment]
    try:
        assert not put(node, name, value)
    finally:
        node._memory = None
    return getattr(settings[0], name)


def a_recall(node: MemoryNode, name: str, value: Any) -> object:
    queries: list[Any] = []

    def recall(query: Any) -> Answer:
        queries.append(query)
        return Answer((), "")

    assert not put(node, name, value)
    services = MemoryServices(lambda *_: None, node, lambda: 0.0, str)
    services._recall(SimpleNamespace(recall=recall), Recall.Request(query="where?"), Recall.Response())  # type: ignore
    return getattr(queries[0], name)


def the_queue(node: PlannerNode, name: str, value: Any) -> object:
    lengths: list[int] = []
    queue = SimpleNamespace(busy=False, offer=lambda goal, length, urgent: lengths.append(length) is None)
    assert not put(node, name, value)
    with having(node._instructions, _queue=queue), having(node, active=True):
        node._instructions._accepted(
            SimpleNamespace(request=SimpleNamespace(priority=0, instruction="open the fridge"))
        )
    return lengths[0]


def an_instruction(node: PlannerNode, name: str, value: Any) -> object:
    observers: list[Any] = []
    planner = SimpleNamespace(
        run=lambda instruction, observer, *_: observers.append(observer) or Report(Code.SUCCESS),
        pursuit=SimpleNamespace(),
        listener=SimpleNamespace(),
    )
    nothing = SimpleNamespace(
        during=lambda _: nullcontext(), **dict.fromkeys(("begin", "end", "note"), lambda *_, **__: None)
    )
    goal = ExecuteInstruction.Goal(instruction="wash the mug", user="ann")
    assert not put(node, name, value)
    with having(node, _planner=planner, _exchanges=nothing, _markers=nothing, _status=nothing):
        node._carry_out(SimpleNamespace(request=goal, goal_id=UUID(uuid=[7] * 16)), threading.Event())
    return {
        "exploring": FRONTIERS if planner.pursuit.by_frontiers else OWN,
        "look": planner.listener.look.value,
        "planning": planner.pursuit.planning.value,
        "question_timeout": observers[0]._timeout,
    }[name]


def idle_views(node: SimBridge, name: str, value: Any) -> object:
    with having(node, active=True, _sensors=object()):
        assert not put(node, name, value)
        period = None if node._idle is None else node._idle.timer_period_ns
    assert not put(node, name, 2.0)
    return 0.0 if period is None else 1e9 / period


def a_skill(node: SimBridge, name: str, value: Any) -> object:
    """Return what a skill that moved the robot used."""
    used: dict[str, Any] = {}

    def let_people_move(after: float, often: float) -> tuple[()]:
        used.update(people_move_after=after, people_move=often)
        return ()

    backend = SimpleNamespace(run=lambda _: iter([Outcome(SkillCode.SUCCESS)]), locate=lambda: None)
    session = SimpleNamespace(let_people_move=let_people_move, use=lambda use: use(backend))
    assert not put(node, name, value)
    with having(node, _session=session), paces(bridge_node) as rates:
        node._run(SimpleNamespace(request=ExecuteSkill.Goal(call=SkillCall(skill="Wait"))))
    return {**used, "frame_rate": rates[1] if len(rates) > 1 else 0.0}[name]


def a_drive(node: SimulatedRobot, name: str, value: Any) -> object:
    assert not put(node, name, value)
    with paces(simulated_robot_node) as rates:
        node._follow(SimpleNamespace(is_cancel_requested=False), iter(()))
    return rates[1] if len(rates) > 1 else 0.0


def the_battery(node: SimulatedRobot, name: str, value: Any) -> object:
    told: list[Any] = []
    assert not put(node, name, value)
    with having(node, _battery=SimpleNamespace(publish=told.append)):
        node._tell_state()
    return told[0].percentage


USES: dict[tuple[str, str], Callable[[Any, str, Any], object]] = {
    **{("memory_server", name): short_term_memory for name in SETTINGS},
    **{("memory_server", name): a_recall for name in ("limit", "token_budget")},
    ("planner", "queue_length"): the_queue,
    **{("planner", name): an_instruction for name in ("exploring", "look", "planning", "question_timeout")},
    ("sim_bridge", "idle_rate"): idle_views,
    **{("sim_bridge", name): a_skill for name in ("frame_rate", "people_move", "people_move_after")},
    ("simulated_robot", "frame_rate"): a_drive,
    ("simulated_robot", "battery"): the_battery,
}


@pytest.mark.parametrize(("name", "parameter"), [one for one in EACH if one[1].effect is Effect.AT_ONCE], ids=label)
def test_what_takes_effect_at_once_is_used_at_once(
    name: str, parameter: Parameter, nodes: Callable[[str], Any], tmp_path: Path
) -> None:
    used, other = USES[name, parameter.name], other_value(parameter, tmp_path)
    try:
        assert used(nodes(name), parameter.name, other) == other
    finally:
        put(nodes(name), parameter.name, parameter.default)
