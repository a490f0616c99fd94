# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark of perception on a few small pictures of one room, in the default suite; it must find what is there."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from karma_eval.perception import command as module
from karma_eval.perception.command import choose, command
from karma_eval.perception.perceiver import HIDDEN, KNOWN, Perceiver, PerceiverError
from karma_eval.perception.scenario import SceneResult, run_scene
from karma_eval.perception.stage import NOISE, Options
from karma_eval.perception.truth import MIN_PIXELS, VisibleTruth
from karma_perception.scene_graph import SceneGraph
from sim_bridge.backend import InstanceLabel, Observation, Pose2D
from sim_bridge.household.gl import RenderingUnavailableError
from sim_bridge.household.renderer import HouseholdRenderer
from sim_bridge.household.scenes import load_scene
from sim_bridge.household.views import intrinsics_for


@pytest.fixture(scope="module", autouse=True)
def _rendering() -> None:
    try:
        HouseholdRenderer(width=16, height=12).close()
    except RenderingUnavailableError as error:
        pytest.skip(str(error))


def picture(*, distance: float, side: int, held: str = "") -> Observation:
    """A camera at the origin that looks along z at a square of `side` pixels, `distance` metres away."""
    instances = np.zeros((480, 640), np.uint16)
    instances[240 : 240 + side, 320 : 320 + side] = 7
    return Observation(
        robot=Pose2D(0, 0, 0),
        camera_pose=np.eye(4),
        stamp=1.0,
        rgb=np.zeros((480, 640, 3), np.uint8),
        depth=np.full((480, 640), distance, np.float32),
        intrinsics=intrinsics_for(640, 480, np.pi / 2),
        instances=instances,
        labels={7: InstanceLabel("Mug|1", "Mug", True)},
        held=held,
    )


@pytest.mark.parametrize(("distance", "side", "visible"), [(2.0, 8, True), (2.0, 7, False), (4.5, 20, False)])
def test_what_shows_64_pixels_within_four_metres_is_visible(distance: float, side: int, visible: bool) -> None:
    assert MIN_PIXELS == 64
    truth = VisibleTruth()
    truth.record(picture(distance=distance, side=side))
    assert truth.targets()["Mug|1"].visible == visible


def test_the_visible_box_is_where_the_pixels_are() -> None:
    truth = VisibleTruth()
    truth.record(picture(distance=3.2, side=20))
    mug = truth.targets()["Mug|1"]
    # 320 pixels to the metre at 1 m, so 1 cm at 3.2 m; the optical axis is at (319.5, 239.5), every other pixel counts.
    assert mug.low == pytest.approx([0.005, 0.005, 3.2], abs=1e-6)
    assert mug.high == pytest.approx([0.185, 0.185, 3.2], abs=1e-6)


def test_what_is_held_or_was_moved_has_no_place() -> None:
    truth = VisibleTruth()
    truth.record(picture(distance=2.0, side=20, held="Mug|1"))
    assert not truth.targets()
    truth.record(picture(distance=2.0, side=20))
    truth.forget(["Mug|1"])
    assert not truth.targets()


def test_that_a_thing_was_moved_can_be_known_once_its_old_place_is_in_view_again() -> None:
    truth = VisibleTruth()
    truth.record(picture(distance=3.0, side=20))
    truth.forget(["Mug|1"])
    truth.record(replace(picture(distance=2.0, side=0), labels={}))
    assert not truth.emptied
    truth.record(replace(picture(distance=3.5, side=0), labels={}))
    assert truth.emptied == {"Mug|1"}


def test_scenes_are_rooms_of_every_kind_and_homes_those_with_several_floors_first() -> None:
    chosen = choose(12, 1)
    assert chosen[9] == "home5"
    assert len(set(chosen)) == 12
    assert [n for n in chosen if n.startswith("home")] == list(chosen[9:])
    assert {load_scene(n).rooms[0].kind for n in chosen[:9]} == {"Kitchen", "LivingRoom", "Bedroom", "Bathroom"}
    assert chosen == choose(12, 1) != choose(12, 2)


def test_a_perceiver_that_has_ended_says_so() -> None:
    perceiver = Perceiver(KNOWN)
    assert perceiver.effort().frames == 0
    perceiver.close()
    with pytest.raises(PerceiverError, match="ended"):
        perceiver.graph()


@pytest.mark.slow
def test_the_same_bathroom_is_found_with_and_without_identities() -> None:
    options = Options(width=320, height=240, moves=3, handled=1)
    result, graphs = run_scene("FloorPlan405", options)
    assert result.frames > 10
    for kind in (KNOWN, HIDDEN):
        score = result.scores[kind]
        assert score.counts.found >= 12
        assert score.counts.f1 >= 0.85
        assert float(np.median(score.errors)) <= 0.05
        assert score.moved_kept >= score.moved - 1
        assert score.moved_all_exact <= score.moved_all_kept <= score.moved_all >= score.moved >= score.moved_exact
        assert score.strict.found >= score.counts.found
        assert score.handled.tried["held"] == 1
        assert score.handled.tried["inside"] >= 1
        assert score.handled.right == score.handled.tried, score.handled.wrong
        assert score.rooms_f1 == 1.0
        assert score.floors == 1
        assert 0 < score.effort.start_mb < score.effort.peak_mb < 1000
    assert any("|" in name for name in graphs[KNOWN].nodes)
    assert not any("|" in name for name in graphs[HIDDEN].nodes)


@pytest.mark.slow
def test_the_report_of_an_interrupted_run_has_the_form_that_is_asked_for_and_the_scenes_that_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = Options(width=160, height=120, max_frames=4, moves=1, handled=0)

    def run(
        name: str, _: Options, kinds: Sequence[str], tick: Callable[[], object]
    ) -> tuple[SceneResult, dict[str, SceneGraph]]:
        if name == "FloorPlan401":
            raise KeyboardInterrupt
        return run_scene(name, quick, kinds, tick)

    monkeypatch.setattr(module, "run_scene", run)
    file = tmp_path / "report.json"
    scenes = ["--scene", "FloorPlan405", "--scene", "FloorPlan401", "--no-peer"]
    options = ["--json", str(file), "--out", str(tmp_path / "out"), "--depth-noise", "0"]

    result = CliRunner().invoke(command, [*scenes, *options], standalone_mode=False)
    assert result.return_value == 130, result.output
    assert "FloorPlan405" in result.output
    report = json.loads(file.read_text())
    asked_for = "scenes hz object_precision object_recall object_f1 position_error_m identity rooms_f1 rss_mb by_scene"
    more = "identity_strict object_f1_strict held placed inside"
    assert set(f"{asked_for} {more}".split()) <= report.keys()
    assert (report["scenes"], report["scenes_planned"], report["met"]) == (1, 2, False)
    assert report["depth_noise"] == 0
    (scene,) = report["by_scene"]
    assert scene["scene"] == "FloorPlan405"
    assert {KNOWN, HIDDEN} <= scene.keys()
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"FloorPlan405-hidden.png", "FloorPlan405-known.png"}


def test_an_unknown_scene_is_refused_with_the_closest_names(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["--scene", "FloorPlan9999", "--out", str(tmp_path)])
    assert result.exit_code == 1
    assert "did you mean" in result.output or "they are" in result.output


def test_the_sensor_s_noise_is_on_by_default() -> None:
    assert Options().noise == NOISE
    assert replace(Options(), seed=3).noise.depth == 0.005
