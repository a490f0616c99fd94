# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Robots' tables: what they say, and how what is wrong in one is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from robot_fakes import GRIPPER, TABLE

from sim_bridge.backend import Code
from sim_bridge.robot.calls import Call, Condition, Reading
from sim_bridge.robot.placeholders import NAMES, NoValueError, fill
from sim_bridge.robot.readings import reading_of
from sim_bridge.robot.table import BUNDLED, HANDLING, TableError, find_table, read_table
from sim_bridge.skills import SKILLS

REACHED = {"topic": "arm/state", "type": "std_msgs/msg/Int32", "field": "data"}


def read(folder: Path, **changes: Any) -> Any:
    file = folder / "table.yaml"
    file.write_text(yaml.safe_dump({**TABLE, **changes}), encoding="utf-8")
    return read_table(file)


@pytest.mark.parametrize("file", sorted(BUNDLED.glob("*.yaml")), ids=lambda file: file.stem)
def test_the_tables_that_come_with_karma_are_right(file: Path) -> None:
    table = read_table(find_table(file.stem))
    assert set(table.specs) <= set(SKILLS)
    assert table.drive is not None


def test_the_simulated_robot_has_hands_and_spot_has_none() -> None:
    simulated, spot = (read_table(find_table(name)) for name in ("simulated", "spot"))
    assert {"PickupObject", "PutObject", "OpenObject", "ToggleOn", "SliceObject"} <= set(simulated.specs)
    assert not set(HANDLING) & set(spot.specs)


def test_a_turtlebot_drives_and_looks_and_handles_nothing() -> None:
    table = read_table(find_table("turtlebot4"))
    assert {"Explore", "GoToObject", "FindObject", "DescribeObject"} <= set(table.specs)
    assert not {*HANDLING, "Pick", "Place"} & set(table.specs)
    assert [call.name for call in table.calls] == ["navigate_to_pose"]
    assert table.unstoppable == (), "an action can be cancelled"
    (stop,) = table.emergency_stop
    assert (stop.pressed(False), stop.pressed(True)) == (True, False), "wheels that are not enabled"


def test_each_stop_of_spot_has_to_be_told_to_be_released() -> None:
    stops = read_table(find_table("spot")).emergency_stop
    assert [stop.field for stop in stops] == [f"estop_states.{k}.state" for k in range(3)]
    for stop in stops:
        assert [stop.pressed(state) for state in (0, 1, 2)] == [True, True, False], "UNKNOWN, ESTOPPED, NOT_ESTOPPED"


def test_a_wrong_field_is_told_with_file_line_and_field(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    text = yaml.safe_dump(TABLE, sort_keys=False).replace("timeout: 0.6", "timeout: soon")
    file.write_text(text, encoding="utf-8")
    line = next(n for n, line in enumerate(text.splitlines(), 1) if "soon" in line)
    with pytest.raises(TableError, match=rf"mine\.yaml:{line}: drive\.navigate\.timeout: .*number"):
        read_table(file)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"skills": {"JuggleObject": []}}, "no skill is called JuggleObject"),
        ({"skills": {"PickupObject": []}}, "PickupObject needs calls"),
        ({"skills": {"Wait": [GRIPPER]}}, "Wait takes no calls"),
        ({"skills": {"Pick": []}}, "Pick needs PickupObject"),
        ({"drive": None}, "Explore needs drive"),
        ({"skills": {"PickupObject": [{**GRIPPER, "request": {"name": "$target.name"}}]}}, r"\$target\.name is no"),
        ({"skills": {"PickupObject": [{**GRIPPER, "request": "now"}]}}, "a request is a mapping"),
        ({"skills": {"PickupObject": [{**GRIPPER, "type": "std_srvs/srv/Trigger"}]}}, "package/action/Name"),
        ({"skills": {"PickupObject": [{**GRIPPER, "service": "too"}]}}, "names one of"),
        ({"stop": [{**GRIPPER, "request": {"name": "$target.id"}}]}, r"stopping is about nothing: .*\$target\.id"),
        ({"stop": [{**GRIPPER, "confirm": {**REACHED, "equals": 1}}]}, "leave confirm out"),
        ({"skills": {"PickupObject": [{**GRIPPER, "confirm": {"topic": "t"}}]}}, "confirm"),
        ({"skills": {"PutObject": [{"topic": "t", "type": "a/msg/B", "silence": 1}]}}, "only an action gives feedback"),
        ({"battery": {"topic": "b", "dock": "home"}}, "is none of places"),
        ({"pose": {}}, "give either base"),
        ({"emergency_stop": [{"topic": "s", "latched": True, "best_effort": True}]}, "latched topic is reliable"),
        (
            {"emergency_stop": [{"topic": "s", "stopped": 1}]},
            r":\d+: emergency_stop\.0\.stopped: 1 is neither .*released: 2",
        ),
        ({"emergency_stop": [{"topic": "s", "stopped": True, "released": 2}]}, "leave stopped out"),
        ({"emergency_stop": [{"topic": "s", "released": []}]}, r"emergency_stop\.0\.released: .*at least 1"),
        ({"speed": 0}, "greater than 0"),
        ({"speeed": 1}, "speeed"),
        ({"speed": float("nan")}, "finite"),
        ({"places": {"dock": [0.0, float("nan"), 0.0]}}, "places.dock.1: .*finite"),
        ({"battery": {"topic": "b", "scale": 0}}, "battery.scale: .*greater than 0"),
        ({"map_frame": ""}, "map_frame: .*is no frame"),
        ({"pose": {"base_frame": "/base_link"}}, "without a / in front"),
        ({"camera": {"color": "~foo"}}, "'~foo' is no name"),
        ({"camera": {"color": "camera//color"}}, "'camera//color' is no name"),
        ({"camera": {"color": "camera/"}}, "'camera/' is no name"),
        ({"camera": {"color": "camera/1st"}}, "'camera/1st' is no name"),
        ({"pose": {"base": {**TABLE["pose"]["base"], "max_age": 1.0}}}, "pose.base.max_age"),
        ({"skills": {"PickupObject": [{**GRIPPER, "request": {"a": [float("inf")]}}]}}, "no .nan and no .inf"),
        ({"skills": {"PickupObject": [{**GRIPPER, "request": "$goal.pose"}]}}, r"\$goal.pose has no value here"),
        ({"look": {**GRIPPER, "request": {"at": "$target.position"}}}, r"look: \$target.position has no value"),
        (
            {"drive": {**TABLE["drive"], "navigate": {**TABLE["drive"]["navigate"], "request": "$target.pose"}}},
            r"drive.navigate: \$target.pose has no value here: .* may use \$goal.pose",
        ),
        ({"drive": {**TABLE["drive"], "before": [{**GRIPPER, "request": "$place.pose"}]}}, "drive.before: .place.pose"),
    ],
)
def test_a_table_that_makes_no_sense_is_refused(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(TableError, match=words):
        read(tmp_path, **changes)


@pytest.mark.parametrize("text", ["robot: [", "robot: 2026-02-30", "robot: !!int ''", "robot: " + "[" * 3000])
def test_what_is_no_yaml_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(TableError, match="is no YAML"):
        read_table(tmp_path / "mine.yaml")


def test_a_key_that_is_given_twice_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    text = (
        yaml.safe_dump(TABLE, sort_keys=False) + "emergency_stop: [{topic: stop, latched: true}]\nemergency_stop: []\n"
    )
    file.write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match=rf"mine\.yaml:{text.count(chr(10))}: emergency_stop is given twice"):
        read_table(file)
    file.write_text("robot: r\nskills: {Wait: [], Go: &go [{topic: a, topic: b}], Stop: *go}\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"mine\.yaml:2: topic is given twice") as wrong:
        read_table(file)
    assert str(wrong.value).count("given twice") == 1


def test_no_yaml_and_no_file_are_told(tmp_path: Path) -> None:
    file = tmp_path / "table.yaml"
    for text, words in (("{", "is no YAML"), ("- 1", "has to be a mapping")):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(TableError, match=words):
            read_table(file)
    with pytest.raises(TableError, match="one of moveit_arm, simulated, spot, turtlebot4"):
        find_table("mine")


def test_placeholders_keep_their_types_and_nothing_else_is_replaced() -> None:
    values = {"target.position": {"x": 1.0, "y": 2.0, "z": 3.0}, "target.id": "Apple|1", "duration": 2.5}
    request = {"at": "$target.position", "list": ["$duration", "a $target.id", "$$target.id", 7], "id": "$target.id"}
    assert fill(request, values) == {
        "at": {"x": 1.0, "y": 2.0, "z": 3.0},
        "list": [2.5, "a $target.id", "$target.id", 7],
        "id": "Apple|1",
    }
    with pytest.raises(NoValueError, match=r"held\.id"):
        fill("$held.id", values)
    assert all(NAMES.values())


def test_usual_interfaces_are_read_as_usual_unless_the_table_says_otherwise() -> None:
    drive = Call(action="a", type="nav2_msgs/action/NavigateToPose")
    assert reading_of(drive).meaning(208) is Code.PRECONDITION_FAILURE
    assert reading_of(drive).meaning(12345) is Code.EXECUTION_FAILURE
    own = Call.model_validate(
        {"action": "a", "type": "nav2_msgs/action/NavigateToPose", "reading": {"codes": {208: "TIMEOUT"}}}
    )
    assert reading_of(own).meaning(208) is Code.TIMEOUT
    assert reading_of(Call(service="s", type="std_srvs/srv/Trigger")).success[0].met(True)
    unknown = Call(service="s", type="my_msgs/srv/Grasp")
    assert reading_of(unknown, {"success": False}.get).success[0].field == "success"
    assert not reading_of(unknown, {"success": 3}.get).success, "a number may mean anything"
    assert not reading_of(unknown.model_copy(update={"reading": Reading()}), {"success": False}.get).success


def test_conditions() -> None:
    assert Condition(field="a", equals="ok").met("ok")
    assert not Condition(field="a", equals=True).met(False)
    between = Condition(field="a", at_least=1.0, at_most=2.0)
    assert [between.met(v) for v in (0.9, 1.0, 2.0, 2.1)] == [False, True, True, False]
