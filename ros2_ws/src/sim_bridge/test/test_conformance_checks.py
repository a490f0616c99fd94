# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""That the checks of `sim_bridge.conformance` can fail: a backend with one defect each, and the check that finds it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np
import pytest

from sim_bridge.backend import Code, Located, Observation, Outcome, Progress, SeenObject, Skill, Target, execute
from sim_bridge.conformance.check import Result
from sim_bridge.conformance.subject import Feature, Props, Subject, Tolerances
from sim_bridge.conformance.suite import CHECKS, run_check, run_checks
from sim_bridge.conformance.trial import Trial
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.gl import RenderingUnavailableError
from sim_bridge.household.recorded import RecordingsMissingError
from sim_bridge.household.renderer import HouseholdRenderer

SCENE = "FloorPlan1"
NOT_CLOSED = "closing"


class Defective:
    """The household simulator with one method that is not as it should be."""

    def __init__(self, home: str, pictures: bool, **defects: Callable[..., Any]) -> None:
        self._real = HouseholdBackend(home, renderer=HouseholdRenderer(width=160, height=120) if pictures else None)
        self._defects = defects

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._real, name)
        if name not in self._defects:
            return real
        if not callable(real):
            return self._defects[name](real)
        return lambda *arguments, **options: self._defects[name](real, *arguments, **options)


def verdict(
    check: str,
    *,
    home: str = SCENE,
    pictures: bool = False,
    lacks: dict[Any, str] | None = None,
    reach: float = Tolerances.reach,
    **defects: Any,
) -> Result:
    lacks = lacks or ({} if pictures else {Feature.PICTURES: "none are needed"})
    try:
        opened = partial(Defective, home, pictures, **defects)
        trial = Trial(Subject("defective", opened, home, "FloorPlan2", lacks, Tolerances(reach=reach)))
        result = run_check(next(c for c in CHECKS if c.name == check), trial)
        trial.close()
    except (RecordingsMissingError, RenderingUnavailableError) as error:
        pytest.skip(str(error))
    return result


def outcomes(change: Callable[[Skill, Outcome], Outcome]) -> Callable[..., Iterator[Progress | Outcome]]:
    """Return a `run` whose outcomes are changed."""

    def run(real: Callable[[Skill], Iterator[Progress | Outcome]], skill: Skill) -> Iterator[Progress | Outcome]:
        for item in real(skill):
            yield change(skill, item) if isinstance(item, Outcome) else item

    return run


def asked(change: Callable[[Skill], Skill]) -> Callable[..., Iterator[Progress | Outcome]]:
    """Return a `run` that does something else than it is asked for."""
    return lambda real, skill: real(change(skill))


def instead(skill: str, wrong: str) -> Callable[..., Iterator[Progress | Outcome]]:
    return asked(lambda s: replace(s, name=wrong) if s.name == skill else s)


def nothing_reported_of(skill: str) -> Callable[..., Iterator[Progress | Outcome]]:
    return outcomes(lambda s, o: replace(o, seen=()) if s.name == skill else o)


def observations(change: Callable[[Observation], Observation]) -> Callable[..., Observation]:
    return lambda real: change(real())


def code_instead(wrong: Code, code: Code) -> Callable[..., Iterator[Progress | Outcome]]:
    return outcomes(lambda _, o: replace(o, code=wrong, message="wrong") if o.code == code else o)


def seen_with(change: Callable[[SeenObject], SeenObject]) -> Callable[..., Iterator[Progress | Outcome]]:
    return outcomes(lambda _, o: replace(o, seen=tuple(change(s) for s in o.seen)))


def turned(where: Located, by: float) -> Any:
    """Return the robot with another heading than its camera."""
    return replace(where, robot=replace(where.robot, yaw=where.robot.yaw + by))


def left_handed(where: Located) -> Any:
    return replace(where, camera_pose=where.camera_pose @ np.diag([-1.0, 1.0, 1.0, 1.0]))


def silently_stay(real: Callable[..., str], scene: str = "", seed: int | None = None) -> str:
    try:
        return real(scene, seed)
    except KeyError:
        return real("", seed)


def start_anywhere() -> Callable[..., str]:
    """Return a `reset` that gives the robot another start each time, whatever the seed."""
    starts = cycle(("Fridge", "Bread"))

    def reset(real: Any, scene: str = "", seed: int | None = None) -> str:
        name = str(real(scene, seed))
        execute(real.__self__, Skill("GoToObject", Target(category=next(starts))))
        return name

    return reset


def crooked(real: Callable[[Skill], Iterator[Progress | Outcome]], skill: Skill) -> Iterator[Progress | Outcome]:
    for item in real(skill):
        if isinstance(item, Progress):
            item = replace(item, robot=replace(item.robot, yaw=item.robot.yaw + math.pi / 2))
        yield item


def upside_down(seen: Observation) -> Observation:
    """Return a picture whose rows begin at the bottom, as Unity's do."""
    assert seen.instances is not None
    return replace(seen, rgb=seen.rgb[::-1], depth=seen.depth[::-1], instances=seen.instances[::-1])


sixtyfold = outcomes(lambda skill, o: o if skill.name == "Wait" else replace(o, duration=o.duration * 60))
"""Durations in minutes, as it were, but for Wait's."""

DEFECTS: list[Any] = [
    ("unknown_skill", {"run": code_instead(Code.NOT_FOUND, Code.INVALID_ARGUMENT)}),
    ("numbers_out_of_range", {"run": code_instead(Code.EXECUTION_FAILURE, Code.INVALID_ARGUMENT)}),
    ("missing_arguments", {"run": outcomes(lambda _, o: replace(o, message=""))}),
    ("an_empty_gripper_has_nothing_to_give", {"run": code_instead(Code.SUCCESS, Code.PRECONDITION_FAILURE)}),
    ("what_is_not_there_is_not_found", {"run": code_instead(Code.PRECONDITION_FAILURE, Code.NOT_FOUND)}),
    ("exploring_finds_a_thing", {"run": seen_with(lambda s: replace(s, size=(0.0, 0.1, 0.1)))}),
    ("exploring_tells_the_truth", {"run": seen_with(lambda s: replace(s, center=(s.center[0] + 1, *s.center[1:])))}),
    ("picking_and_placing", {"run": seen_with(lambda s: replace(s, relation="in" if s.relation == "on" else "on"))}),
    ("opening_and_closing", {"run": seen_with(lambda s: replace(s, states={}))}),
    ("waiting", {"run": outcomes(lambda _, o: replace(o, duration=o.duration * 1000))}),
    ("time_and_distance", {"run": outcomes(lambda _, o: replace(o, distance=o.distance * 100))}),
    ("driving_forward", {"run": crooked}),
    ("stopping_a_drive", {"so_far": lambda real: replace(real(), code=Code.SUCCESS)}),
    ("camera_frame", {"locate": lambda real: turned(real(), math.pi)}),
    ("camera_frame", {"locate": lambda real: left_handed(real())}),
    ("an_unknown_scene", {"reset": silently_stay}),
    ("the_truth_is_whole", {"ground_truth": lambda real: real()[:40]}),
    ("malformed_texts", {"run": code_instead(Code.NOT_FOUND, Code.INVALID_ARGUMENT)}),
    ("skills_that_it_lacks", {"lacks": {"SliceObject": "it has no blade", Feature.PICTURES: "none are needed"}}),
    ("exploring_only_where_it_is_told_to", {"run": asked(lambda s: replace(s, positions=()))}),
    ("what_is_remembered_where_it_is_not_is_not_found", {"run": code_instead(Code.SUCCESS, Code.NOT_FOUND)}),
    ("finding_and_describing_a_thing_in_view", {"run": seen_with(lambda s: replace(s, movable=False))}),
    ("finding_receptacles_in_view", {"run": instead("FindReceptacle", "FindObject")}),
    ("rooms", {"run": seen_with(lambda s: replace(s, center=(s.center[0] + 20.0, *s.center[1:])))}),
    ("going_to_a_thing", {"locate": lambda real: turned(real(), math.pi)}),
    ("going_to_a_thing", {"run": instead("GoToObject", "FindObject")}),
    ("navigating", {"run": instead("Navigate", "Wait")}),
    ("time_and_distance", {"run": sixtyfold}),
    ("opening_and_closing", {"run": sixtyfold}),
    ("exploring_finds_a_thing", {"run": sixtyfold}),
    ("stopping_a_wait", {"so_far": lambda real: replace(real(), code=Code.SUCCESS)}),
    ("stopping_an_exploration", {"so_far": lambda real: replace(real(), seen=())}),
    ("picking_up_and_putting_down", {"run": seen_with(lambda s: replace(s, relation="on"))}),
    ("picking_up_and_putting_down", {"run": instead("PutObject", "ThrowObject")}),
    ("a_full_gripper_takes_nothing_more", {"run": code_instead(Code.SUCCESS, Code.PRECONDITION_FAILURE)}),
    ("placing_what_is_not_held", {"run": asked(lambda s: replace(s, target=Target()) if s.name == "Place" else s)}),
    ("what_a_thing_does_not_afford", {"run": code_instead(Code.EXECUTION_FAILURE, Code.PRECONDITION_FAILURE)}),
    ("what_is_out_of_reach", {"run": code_instead(Code.SUCCESS, Code.PRECONDITION_FAILURE)}),
    ("slicing", {"run": nothing_reported_of("SliceObject")}),
    ("slicing_without_a_knife", {"run": code_instead(Code.NOT_FOUND, Code.PRECONDITION_FAILURE)}),
    ("breaking", {"run": nothing_reported_of("BreakObject")}),
    ("throwing", {"run": instead("ThrowObject", "Wait")}),
    ("switching", {"run": instead("ToggleOff", "ToggleOn")}),
    ("storing_in_a_container", {"run": instead("CloseObject", "FindObject")}),
    ("what_is_remembered_in_something_closed", {"run": outcomes(lambda _, o: replace(o, message="it is not there"))}),
    ("the_scene_is_the_one_asked_for", {"scene": lambda real: real.casefold()}),
    ("reset_gives_the_start_back", {"reset": lambda real, scene="", seed=None: real.__self__.scene}),
    ("one_seed_one_start", {"reset": start_anywhere()}),
    ("another_scene", {"reset": lambda real, scene="", seed=None: real("", seed)}),
]

PICTURED_DEFECTS: list[Any] = [
    ("arrays_of_an_observation", lambda o: replace(o, depth=(o.depth * 1000).astype(np.uint16))),
    ("arrays_of_an_observation", lambda o: replace(o, depth=o.depth * 1000)),
    ("intrinsics_of_the_camera", lambda o: replace(o, intrinsics=replace(o.intrinsics, fy=2 * o.intrinsics.fy))),
    ("stamps", lambda o: replace(o, stamp=o.stamp * 1e9)),
    ("locating_agrees_with_observing", lambda o: turned(o, 0.2)),
    ("nothing_below_the_floor", lambda o: replace(o, depth=o.depth * 1.3)),
    ("labels_of_the_instances", lambda o: replace(o, labels={})),
    ("pictured_things_are_where_they_are_reported", lambda o: replace(o, depth=o.depth[:, ::-1])),
    ("pictured_things_are_where_they_are_reported", lambda o: replace(o, instances=o.instances[::-1])),
    ("pictured_things_are_where_they_are_reported", upside_down),
    ("a_things_centre_is_pictured_in_its_mask", lambda o: replace(o, instances=np.roll(o.instances, 40, axis=1))),
    ("a_things_centre_is_pictured_in_its_mask", lambda o: replace(o, depth=o.depth * 2)),
]


@pytest.mark.parametrize(("check", "defects"), DEFECTS, ids=[f"{i}-{d[0]}" for i, d in enumerate(DEFECTS)])
def test_a_defect_fails_the_check_that_is_there_for_it(check: str, defects: dict[str, Any]) -> None:
    result = verdict(check, **defects)
    assert result.verdict == "fail", result
    assert result.text.startswith("expected "), result.text


@pytest.mark.parametrize(
    ("check", "change"), PICTURED_DEFECTS, ids=[f"{i}-{d[0]}" for i, d in enumerate(PICTURED_DEFECTS)]
)
def test_a_defect_in_pictures_fails_the_check_that_is_there_for_it(check: str, change: Any) -> None:
    result = verdict(check, pictures=True, observe=observations(change))
    assert result.verdict == "fail", result


def test_one_that_goes_on_after_its_end_fails() -> None:
    assert verdict(NOT_CLOSED, pictures=True, close=lambda real: None).verdict == "fail"


def test_every_check_has_a_defect_that_it_finds() -> None:
    assert {NOT_CLOSED} | {check for check, _ in DEFECTS + PICTURED_DEFECTS} == {check.name for check in CHECKS}


@pytest.mark.parametrize("scene", [SCENE, "FloorPlan10", "home1"])
def test_an_arm_that_reaches_across_the_room_is_found_in_small_kitchens_and_homes(
    scene: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert verdict("what_is_out_of_reach", home=scene).verdict == "pass"
    monkeypatch.setattr("sim_bridge.simulation.handling.REACH", 100.0)
    result = verdict("what_is_out_of_reach", home=scene)
    assert result.verdict == "fail"
    assert "got SUCCESS" in result.text


def test_a_check_that_a_scene_or_a_declaration_leaves_nothing_to_does_not_apply() -> None:
    assert verdict("skills_that_it_lacks").verdict == "not applicable"
    near = verdict("what_is_out_of_reach", reach=20.0)
    assert (near.verdict, "so far" in near.text) == ("not applicable", True)


def test_what_a_backend_declares_to_lack_does_not_apply_and_the_reason_is_told() -> None:
    reason = "its gripper has no blade"
    lacks: dict[Any, str] = {"SliceObject": reason, Feature.PICTURES: "it is blind"}
    result = verdict("slicing", lacks=lacks)
    assert (result.verdict, result.text) == ("not applicable", f"no SliceObject: {reason}")
    assert verdict("stamps", lacks=lacks).text == "no PICTURES: it is blind"
    assert verdict("skills_that_it_lacks", lacks=lacks).verdict == "fail", "the household does slice"


def test_a_scene_without_what_the_script_needs_fails_and_says_what() -> None:
    try:
        subject = Subject("household", lambda: HouseholdBackend(SCENE), SCENE, lacks={Feature.PICTURES: "none"})
        picked = next(c for c in CHECKS if c.name == "throwing")
        (result,) = run_checks(replace(subject, props=Props(portable=("Violin",))), (picked,))
        (declared,) = run_checks(replace(subject, props=Props(portable=())), (picked,))
    except RecordingsMissingError as error:
        pytest.skip(str(error))
    assert result.verdict == "fail"
    assert "Violin" in result.text
    assert declared.verdict == "not applicable"


def test_a_check_in_which_the_backend_raises_is_failed_and_the_next_one_is_run() -> None:
    def broken(_: object) -> None:
        raise OSError("the cable is out")

    lacks: dict[Any, str] = {Feature.PICTURES: "none are needed"}
    subject = Subject("defective", lambda: Defective(SCENE, False, locate=broken), SCENE, lacks=lacks)
    chosen = tuple(c for c in CHECKS if c.name in ("going_to_a_thing", "waiting"))
    try:
        failed, passed = run_checks(subject, chosen)
    except RecordingsMissingError as error:
        pytest.skip(str(error))
    assert failed.verdict == "fail"
    assert "OSError: the cable is out (test_conformance_checks.py, line" in failed.text
    assert passed.verdict == "pass"


def test_only_features_and_skills_of_the_table_can_be_lacking() -> None:
    with pytest.raises(ValueError, match="Juggle"):
        Subject("robot", lambda: HouseholdBackend(SCENE), SCENE, lacks={"Juggle": "no"})
