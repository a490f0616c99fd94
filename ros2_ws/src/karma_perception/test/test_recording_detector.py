# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

"""A bag as a RealSense leaves it, compressed and with transforms, with a real picture and a real network."""

import io
import struct

import numpy as np
import pytest

pytest.importorskip("rosbags", reason="rosbags is not installed")
pytest.importorskip("ament_index_python", reason="ROS 2 is not installed")

from bag_writer import Recorded, Script, camera_info, compressed, header, transforms
from motorcycle import measured_distance, motorcycle_frame
from PIL import Image

from karma_perception.class_table import read_class_table
from karma_perception.detectors.model import DetectionModel
from karma_perception.detectors.network import NetworkDetector
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.recording.build import Built, build
from karma_perception.recording.findings import Findings
from karma_perception.recording.frames import Recording
from karma_perception.recording.options import RecordingOptions
from karma_perception.scene_graph import Layer

CAMERA = "/camera/camera"
ALIGNED = f"{CAMERA}/aligned_depth_to_color"
OPTICAL = "camera_color_optical_frame"
TF = "tf2_msgs/msg/TFMessage"


def png(pixels):
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, "PNG", compress_level=1)
    return data.getvalue()


def realsense(frame, seconds):
    """Return the messages of a camera that looks at one thing, its color 10 ms behind its depth."""
    made = Script()
    color = png(frame.rgb)
    depth = struct.pack("<iff", 0, 0.0, 0.0) + png(np.round(frame.depth * 1000).astype(np.uint16))
    for second in seconds:
        head = header(second, OPTICAL)
        topics = (
            (f"{CAMERA}/color/image_raw/compressed", compressed(header(second + 0.01, OPTICAL), "jpeg", color)),
            (f"{ALIGNED}/image_raw/compressedDepth", compressed(head, "16UC1; compressedDepth", depth)),
            (f"{ALIGNED}/camera_info", camera_info(head, frame.intrinsics)),
        )
        for topic, message in topics:
            made.messages.append(Recorded(topic, message.__msgtype__, second + 0.02, message))
        made.add("/tf", TF, second, **transforms(second, ("odom", OPTICAL, frame.camera_pose)))
    return made


def test_a_compressed_recording_of_a_motorcycle_has_a_motorcycle_where_it_is(nanodet_file, tmp_path):
    frame = motorcycle_frame()
    path = realsense(frame, (10.0, 10.5, 11.0)).write(tmp_path / "bag")
    findings, built = Findings(), Built()
    pipeline = PerceptionPipeline(detector=NetworkDetector(DetectionModel(nanodet_file), read_class_table()))
    with Recording(path, RecordingOptions(), findings, with_instances=False, scene="garage") as recording:
        build(recording, pipeline, built)
    assert not list(findings)
    assert built.frames == 3
    (motorcycle,) = [o for o in pipeline.graph().layer(Layer.OBJECT) if o.category == "Motorcycle"]
    distance = float(np.linalg.norm(np.array(motorcycle.center) - frame.position))
    assert distance == pytest.approx(measured_distance(frame), rel=0.1)
    assert pipeline.scene == "garage"
