# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import pytest
from vision_server import MODEL

from karma_perception.objects.detection import InstanceImageDetector
from karma_perception.parameters import PARAMETERS
from karma_perception.sources import SourceError, make_detector, make_states
from karma_perception.states.estimator import NoStates, SourceStates

DEFAULTS = {p.name: p.default for p in PARAMETERS}


def test_defaults_take_instances_and_states_from_the_simulator():
    detector, said = make_detector(DEFAULTS)
    assert isinstance(detector, InstanceImageDetector)
    assert said == "the instance image"
    assert isinstance(make_states(DEFAULTS), SourceStates)
    assert isinstance(make_states({**DEFAULTS, "states": "none"}), NoStates)


def test_network_is_made_of_its_parameters_and_named(tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed; it writes the test's networks")
    from tiny_network import write_red_detector

    write_red_detector(tmp_path / "red.onnx")
    (tmp_path / "labels.txt").write_text("thing\nred thing\n")
    values = {
        "detector": "onnx",
        "detector_model": str(tmp_path / "red.onnx"),
        "detector_labels": str(tmp_path / "labels.txt"),
    }
    _, said = make_detector({**DEFAULTS, **values})
    assert said == "YOLOv5 or YOLOv7, 2 classes, 320x240, CPUExecutionProvider"
    with pytest.raises(SourceError, match="class table"):
        make_detector({**DEFAULTS, **values, "class_table": str(tmp_path / "nothing.yaml")})
    with pytest.raises(SourceError, match="label file"):
        make_detector({**DEFAULTS, **values, "detector_labels": str(tmp_path / "nothing.txt")})


@pytest.mark.parametrize(("model", "said"), [("", "set the parameter detector_model"), ("/nothing", "no model file")])
def test_network_that_is_missing_is_told(model, said):
    with pytest.raises(SourceError, match=said):
        make_detector({**DEFAULTS, "detector": "onnx", "detector_model": model})


def test_vision_is_made_of_its_parameters():
    made = make_states({**DEFAULTS, "states": "vision", "states_model": MODEL, "states_period": 7.0})
    try:
        assert (made._options.model, made._options.period) == (MODEL, 7.0)
    finally:
        made.close()
    with pytest.raises(SourceError, match="is no URL"):
        make_states({**DEFAULTS, "states": "vision", "llm_url": "http://[nonsense"})
