# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

"""Images that contradict each other tell of wrong intrinsics, units and poses; noise and people don't."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("rosbags", reason="rosbags is not installed")
pytest.importorskip("ament_index_python", reason="ROS 2 is not installed")

from bag_writer import DEPTH, INFO, image, script, world_frames

from karma_perception.frames.camera import Label
from karma_perception.recording.consistency import Consistency
from karma_perception.recording.findings import Findings
from karma_perception.recording.frames import Recording
from karma_perception.recording.options import RecordingOptions

COUNT = 12


@pytest.fixture(scope="module")
def frames():
    return world_frames(COUNT)


def contradictory(frames):
    checked = Consistency()
    for frame in frames:
        checked.add(frame)
    assert checked.pairs >= 4
    return checked.contradictory


def warnings(path, **options):
    findings = Findings()
    with Recording(path, RecordingOptions(**options), findings, with_instances=True) as recording:
        assert len(list(recording.frames())) == COUNT
    return [str(f) for f in findings]


@pytest.mark.parametrize("factor", [2.0, 0.33])
def test_plausible_but_wrong_intrinsics_are_told(frames, tmp_path, factor):
    bag = script(frames)
    for m in bag.on(INFO):
        m.message.k[[0, 4]] *= factor
    (warning,) = warnings(bag.write(tmp_path / "bag"))
    assert warning.startswith(f"{DEPTH}: images of the same places that contradict each other, once")
    assert "--intrinsics" in warning
    assert "--depth-unit" in warning
    assert not warnings(tmp_path / "bag", intrinsics=(80.0, 80.0, 79.5, 59.5))


def test_a_wrong_unit_of_depth_is_told(frames, tmp_path):
    bag = script(frames)
    for m, frame in zip(bag.on(DEPTH), frames, strict=True):
        m.message = image(m.message.header, np.round(frame.depth * 5000).astype(np.uint16), "16UC1")
    (warning,) = warnings(bag.write(tmp_path / "bag"))
    assert "contradict each other" in warning
    assert not warnings(tmp_path / "bag", depth_unit=0.0002)


def test_intrinsics_off_by_a_third_are_told(frames):
    assert contradictory([replace(f, intrinsics=replace(f.intrinsics, fx=104.0, fy=104.0)) for f in frames])


def test_poses_of_another_time_are_told():
    frames = world_frames(40)
    assert contradictory([replace(f, camera_pose=g.camera_pose) for f, g in zip(frames, frames[4:], strict=False)])


def test_noise_of_depth_and_poses_is_not(frames):
    rng = np.random.default_rng(0)
    noisy = []
    for f in frames:
        z = f.depth + 0.004 * f.depth**2 * rng.standard_normal(f.depth.shape)
        pose = f.camera_pose.copy()
        pose[:3, 3] += 0.02 * rng.standard_normal(3)
        noisy.append(replace(f, depth=z.astype(np.float32), camera_pose=pose))
    assert not contradictory(noisy)


def test_a_person_who_walks_by_is_not():
    passing = []
    for i, f in enumerate(world_frames(40)):
        depth = f.depth.copy()
        if i % 10 < 3:
            left = 37 * i % 128
            depth[:, left : left + 32] = np.minimum(depth[:, left : left + 32], 1.5)
        passing.append(replace(f, depth=depth))
    assert not contradictory(passing)


def test_what_the_robot_holds_before_its_camera_is_not():
    carried, mug = [], Label("Mug", "Mug|1", movable=True)
    for f in world_frames(40):
        depth, instances = f.depth.copy(), f.instances.copy()
        depth[60:, 40:120], instances[60:, 40:120] = 0.5, 99
        carried.append(replace(f, depth=depth, instances=instances, labels={**f.labels, 99: mug}, held=mug.id))
    assert not contradictory(carried)
    assert contradictory([replace(f, held="") for f in carried]), "as a wall it would be one that goes along"


def test_another_scene_begins_anew(frames):
    for scene, pairs in (("test", 1), ("other", 0)):
        checked = Consistency()
        checked.add(frames[0])
        checked.add(replace(frames[4], scene=scene))
        assert checked.pairs == pairs
