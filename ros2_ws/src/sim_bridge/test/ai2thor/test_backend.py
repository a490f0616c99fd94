# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""AI2-THOR's adapter through the real client, with a stand-in for Unity (what all backends do alike: conformance)."""

from __future__ import annotations

import copy
import itertools
import json
import math
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_bridge.ai2thor import gripping
from sim_bridge.backend import BackendUnavailableError, Code, Outcome, Progress, RefusedError, Skill, Target, execute
from sim_bridge.factory import BackendOptions, open_backend
from sim_bridge.household.boxes import gap

pytest.importorskip("ai2thor.controller", reason="./karma test installs it")

from unity_stand_in import EXECUTABLE
from unity_stand_in.houses import house_of

from sim_bridge.ai2thor.backend import Ai2ThorBackend, read_house

BLIND = BackendOptions("ai2thor", "FloorPlan1", ai2thor_executable=str(EXECUTABLE), pictures=False)


@pytest.fixture(scope="module")
def shared() -> Iterator[Ai2ThorBackend]:
    """A kitchen without pictures."""
    backend = Ai2ThorBackend(BLIND)
    yield backend
    backend.close()


@pytest.fixture
def thor(shared: Ai2ThorBackend) -> Ai2ThorBackend:
    """The kitchen as it is at its start."""
    shared.reset("FloorPlan1", 0)
    return shared


def named(backend: Ai2ThorBackend, category: str) -> Target:
    """A thing where it is."""
    seen = next(o for o in backend.ground_truth() if o.category == category)
    return Target(id=seen.id, category=category, position=seen.center)


def do(backend: Ai2ThorBackend, name: str, target: str = "", receptacle: str = "", **more: object) -> Outcome:
    things = (named(backend, text) if text else Target() for text in (target, receptacle))
    return execute(backend, Skill(name, *things, **more))


def must(backend: Ai2ThorBackend, name: str, target: str = "", receptacle: str = "", **more: object) -> Outcome:
    outcome = do(backend, name, target, receptacle, **more)
    assert outcome.code == Code.SUCCESS, outcome.message
    return outcome


def states(backend: Ai2ThorBackend, category: str) -> dict[str, str]:
    return dict(next(o for o in backend.ground_truth() if o.category == category).states)


def test_a_potato_is_heated_in_the_microwave(thor: Ai2ThorBackend) -> None:
    must(thor, "Pick", "Potato")
    must(thor, "GoToObject", "Microwave")
    must(thor, "OpenObject", "Microwave")
    must(thor, "PutObject", "", "Microwave")
    refused = do(thor, "ToggleOn", "Microwave")
    assert (refused.code, "close it first" in refused.message) == (Code.PRECONDITION_FAILURE, True)
    must(thor, "CloseObject", "Microwave")
    must(thor, "ToggleOn", "Microwave")
    refused = do(thor, "OpenObject", "Microwave")
    assert (refused.code, "switch it off" in refused.message) == (Code.PRECONDITION_FAILURE, True)
    must(thor, "ToggleOff", "Microwave")
    assert states(thor, "Potato")["temperature"] == "Hot"


def test_slicing_needs_a_knife_though_ai2thor_does_not(thor: Ai2ThorBackend) -> None:
    must(thor, "GoToObject", "Tomato")
    assert "needs a knife" in do(thor, "SliceObject", "Tomato").message
    must(thor, "Pick", "ButterKnife")
    must(thor, "GoToObject", "Tomato")
    outcome = must(thor, "SliceObject", "Tomato")
    assert {seen.category for seen in outcome.seen} == {"TomatoSliced"}


def test_a_stoves_knob_reports_its_burner_too(thor: Ai2ThorBackend) -> None:
    must(thor, "GoToObject", "StoveKnob")
    outcome = must(thor, "ToggleOn", "StoveKnob")
    assert [seen.category for seen in outcome.seen] == ["StoveKnob", "StoveBurner"]


def test_a_thing_is_put_near_another(thor: Ai2ThorBackend) -> None:
    must(thor, "Pick", "Apple")
    must(thor, "GoToObject", "Bread")
    must(thor, "PutObject", "", "Bread", relation="near")
    apple, bread = (thor.robot.things[named(thor, c).id] for c in ("Apple", "Bread"))
    assert gap(apple, bread) <= 0.5
    assert thor.robot.held is None


def test_what_blocks_the_way_is_driven_around(thor: Ai2ThorBackend) -> None:
    agent = thor.robot
    grid, yaw = agent.grid, agent.pose.yaw
    goal = int(np.argmax(grid.distances(agent.cell, yaw)))
    path = grid.path(agent.cell, yaw, goal)
    around = {edge: copy.deepcopy(grid) for edge in itertools.pairwise(path)}
    for edge, other in around.items():
        other.bar(*edge)
    (here, there), detour = next((e, g) for e, g in around.items() if g.path(agent.cell, yaw, goal))
    honest, blocked = agent._step, []

    def step(action: str, **arguments: object):
        ahead = round(math.cos(agent.pose.yaw)), round(math.sin(agent.pose.yaw))
        towards = np.array(grid.cells[agent.cell]) + ahead
        if action == "MoveAhead" and agent.cell == here and tuple(towards) == grid.cells[there]:
            blocked.append(action)
            said = "Stool_1 is blocking Agent 0 from moving by (0.2500, 0.0000, 0.0000)."
            return {"lastActionSuccess": False, "errorMessage": said, "actionReturn": None}
        return honest(action, **arguments)

    agent._step = step
    x, y = grid.points[goal].tolist()
    outcome = execute(thor, Skill("Navigate", Target(position=(x, y, 0.0))))
    assert outcome.code == Code.SUCCESS, outcome.message
    assert (agent.cell, blocked) == (goal, ["MoveAhead"])
    assert outcome.distance >= 0.25 * (len(path) - 1) - 1e-6
    assert detour.path(here, yaw, goal)


def test_a_hand_that_is_in_the_way_of_a_turn_is_turned_without_the_way(thor: Ai2ThorBackend) -> None:
    agent = thor.robot
    honest = agent._step

    def step(action: str, **arguments: object):
        if action.startswith("Rotate"):
            said = "a held item: Book_3d15d052 with something if agent rotates Right 45 degrees"
            return {"lastActionSuccess": False, "errorMessage": said, "actionReturn": None}
        return honest(action, **arguments)

    agent._step = step
    yaw = agent.pose.yaw
    list(agent.turn(yaw + 1.0, "turning"))
    assert agent.pose.yaw == pytest.approx(yaw + 1.0, abs=0.01)


def test_the_camera_is_tilted_by_tenths_of_a_degree_over_all_its_range(thor: Ai2ThorBackend) -> None:
    agent = thor.robot
    for wanted, reached in ((12.3456, 12.3), (75.0, 60.0), (59.98, 60.0), (-80.0, -30.0), (-29.97, -30.0), (0.04, 0.0)):
        agent.tilt(wanted)
        assert agent.event.metadata["agent"]["cameraHorizon"] == pytest.approx(reached, abs=1e-3)


@pytest.mark.parametrize("horizon", [-30.0, 60.0])
def test_a_turn_past_what_is_in_the_way_of_the_hand_keeps_the_camera_as_it_is(
    thor: Ai2ThorBackend, horizon: float
) -> None:
    agent = thor.robot
    agent.tilt(horizon)
    honest = agent._step

    def step(action: str, **arguments: object):
        if action.startswith(("Rotate", "Look")):
            said = "a held item: Mug|1 will collide with something if agent rotates"
            return {"lastActionSuccess": False, "errorMessage": said, "actionReturn": None}
        return honest(action, **arguments)

    agent._step = step
    yaw = agent.pose.yaw
    list(agent.turn(yaw + 1.0, "turning"))
    assert (agent.pose.yaw, agent.horizon) == (pytest.approx(yaw + 1.0, abs=0.01), horizon)
    agent.tilt(10.0)
    assert agent.horizon == 10.0


def test_a_house_whose_start_is_in_the_furniture_is_told(tmp_path: Path) -> None:
    house = house_of("home1")
    house["metadata"]["agent"]["position"]["x"] = 99.0
    (tmp_path / "house.json").write_text(json.dumps(house))
    with pytest.raises(BackendUnavailableError, match=r"can't stand where the file says.*out of scene bounds"):
        Ai2ThorBackend(replace(BLIND, scene=str(tmp_path / "house.json")))


def test_people_put_things_into_closed_cupboards_and_leave_them_closed(thor: Ai2ThorBackend) -> None:
    apple, fridge = named(thor, "Apple"), named(thor, "Fridge")
    assert thor.move_object("Apple", "Fridge") == (apple.id, fridge.id)
    moved = next(o for o in thor.ground_truth() if o.id == apple.id)
    assert (moved.receptacle, states(thor, "Fridge")["isOpen"]) == (fridge.id, "false")
    refused = execute(thor, Skill("GoToObject", replace(apple, position=moved.center)))
    assert (refused.code, "is closed" in refused.message) == (Code.PRECONDITION_FAILURE, True)


@pytest.mark.parametrize(
    ("name", "receptacle", "code", "told"),
    [
        ("Unicorn", "", Code.NOT_FOUND, "no 'Unicorn'"),
        ("Apple", "Unicorn", Code.NOT_FOUND, "no 'Unicorn'"),
        ("Fridge", "", Code.PRECONDITION_FAILURE, "not pickupable"),
        ("Apple", "Faucet", Code.PRECONDITION_FAILURE, "no receptacle"),
    ],
)
def test_what_people_cannot_move(thor: Ai2ThorBackend, name: str, receptacle: str, code: Code, told: str) -> None:
    with pytest.raises(RefusedError, match=told) as refused:
        thor.move_object(name, receptacle)
    assert refused.value.code == code


def test_the_same_seed_lets_people_put_a_thing_to_the_same_place(thor: Ai2ThorBackend) -> None:
    places = []
    for _ in range(2):
        thor.reset(seed=5)
        places.append(thor.move_object("Mug"))
    assert places[0] == places[1]


def test_an_arm_that_fails_changes_nothing() -> None:
    with_failures = Ai2ThorBackend(replace(BLIND, actuation_failure=1.0))
    try:
        must(with_failures, "GoToObject", "Apple")
        outcome = do(with_failures, "PickupObject", "Apple")
        assert (outcome.code, with_failures.robot.held) == (Code.EXECUTION_FAILURE, None)
    finally:
        with_failures.close()


def test_an_arm_holds_what_it_says_and_says_what_it_does_not_reach() -> None:
    backend = Ai2ThorBackend(replace(BLIND, ai2thor_agent="arm"))
    try:
        must(backend, "Pick", "Apple")
        apple = named(backend, "Apple").id
        assert backend.robot.held == backend.robot.things[apple]
        assert not any(o["isPickedUp"] for o in backend.robot.event.metadata["objects"])
        must(backend, "ThrowObject")
        assert backend.robot.held is None
        bread = backend.robot.thing(named(backend, "Bread").id)
        x, y, z = bread.center
        with pytest.raises(RefusedError, match="go closer"):
            gripping._reach(backend.robot, (x, y + 5.0, z))
    finally:
        backend.close()


@pytest.mark.parametrize("server", ["fifo", "wsgi"])
def test_a_unity_that_dies_is_told_and_started_again_by_a_reset(server: str) -> None:
    backend = Ai2ThorBackend(replace(BLIND, ai2thor_server=server))
    try:
        steps = backend.run(Skill("Explore"))
        assert isinstance(next(steps), Progress)
        process = backend._controller.server.unity_proc
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        *_, outcome = steps
        assert isinstance(outcome, Outcome)
        assert (outcome.code, "reset the scene" in outcome.message) == (Code.UNAVAILABLE, True)
        assert backend.reset("FloorPlan2") == "FloorPlan2"
        assert execute(backend, Skill("Wait", duration=1.0)).code == Code.SUCCESS
    finally:
        backend.close()


def test_an_unknown_scene_leaves_the_old_one(thor: Ai2ThorBackend) -> None:
    must(thor, "Pick", "Apple")
    with pytest.raises(KeyError, match="no scene 'FloorPlan999'"):
        thor.reset("FloorPlan999")
    assert thor.scene == "FloorPlan1"
    assert thor.robot.held is not None


def test_a_scene_of_the_household_is_answered_with_some_of_the_builds(thor: Ai2ThorBackend) -> None:
    with pytest.raises(KeyError, match=r"no scene 'home1'.*it has 121 scenes, such as FloorPlan1, .*FloorPlan\d{3}"):
        Ai2ThorBackend(replace(BLIND, scene="home1"))
    with pytest.raises(KeyError, match=r"no scene 'home1'.*such as FloorPlan1"):
        thor.reset("home1")


def test_a_procthor_house_is_entered_where_it_says_and_has_its_rooms(tmp_path: Path) -> None:
    file = tmp_path / "house.json"
    file.write_text(json.dumps(house_of("home1")))
    backend = Ai2ThorBackend(replace(BLIND, scene=str(file)))
    try:
        assert backend.locate().robot.yaw == pytest.approx(0.0)
        rooms = execute(backend, Skill("FindRoom")).seen
        assert {"Kitchen", "Bedroom"} <= {room.category for room in rooms}
        outcome = execute(backend, Skill("Navigate", Target(category="Bedroom")))
        assert outcome.code == Code.SUCCESS, outcome.message
        assert backend.robot.room.kind == "Bedroom"
    finally:
        backend.close()


@pytest.mark.parametrize("text", ["no JSON", "[]", "{}", '{"rooms": []}', '{"rooms": [{"roomType": "Bedroom"}]}'])
def test_a_file_that_is_no_house(tmp_path: Path, text: str) -> None:
    (tmp_path / "house.json").write_text(text)
    with pytest.raises(BackendUnavailableError, match="house"):
        read_house(tmp_path / "house.json")
    with pytest.raises(KeyError, match="no house"):
        read_house(tmp_path / "other.json")


def test_the_factory_opens_it_with_pictures_of_the_size_asked_for() -> None:
    options = BackendOptions("ai2thor", "FloorPlan1", image_width=160, image_height=120)
    backend = open_backend(replace(options, ai2thor_executable=str(EXECUTABLE)))
    try:
        seen = backend.observe()
        assert seen.rgb.shape == (120, 160, 3)
        assert seen.depth.shape == seen.instances.shape == (120, 160)
        assert seen.intrinsics.fx == pytest.approx(80)
        assert np.array_equal(seen.camera_pose, backend.locate().camera_pose)
        assert seen.camera_pose[2, 3] == pytest.approx(1.575)
        assert seen.labels
    finally:
        backend.close()


def test_without_pictures_there_is_no_observation(thor: Ai2ThorBackend) -> None:
    with pytest.raises(RuntimeError, match="publish_images"):
        thor.observe()
