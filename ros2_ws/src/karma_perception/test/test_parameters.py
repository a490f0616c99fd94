# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import pytest

from karma_perception.parameters import PARAMETERS, parameter_values, pipeline_options
from karma_perception.pipeline import PipelineOptions
from karma_ros.parameters import ParameterError

DEFAULTS = {p.name: p.default for p in PARAMETERS}


def test_the_defaults_of_the_parameters_are_those_of_the_library():
    assert pipeline_options(DEFAULTS) == PipelineOptions()


def test_every_number_has_a_range_around_its_default_and_everything_a_description():
    for p in PARAMETERS:
        assert p.description.endswith(".")
        if not isinstance(p.default, (str, bool)):
            assert p.low <= p.default <= p.high
        elif p.choices:
            assert p.default in p.choices


def test_parameters_reach_their_options():
    options = pipeline_options(
        {**DEFAULTS, "grid_size": 0.25, "area_spacing": 2.0, "min_points": 9, "voxel_size": 0.05}
    )
    assert options.places.grid.resolution == 0.25
    assert options.places.area_spacing == 2.0
    assert options.extraction.min_points == 9
    assert options.mapping.voxel_size == 0.05


def test_a_missing_parameter_is_named():
    with pytest.raises(KeyError, match="samples"):
        pipeline_options({k: v for k, v in DEFAULTS.items() if k != "samples"})


def test_chosen_values_are_checked_as_the_node_would():
    values = parameter_values({"voxel_size": 1, "detector": "onnx", "samples": 500})
    assert (values["voxel_size"], values["detector"], values["samples"]) == (1.0, "onnx", 500)
    assert values["scene"] == "home"
    for name, value, why in (
        ("colour", 1, "there is no parameter 'colour'"),
        ("samples", 500.5, "expected a value of type int"),
        ("samples", True, "expected a value of type int"),
        ("scene", 7, "expected a value of type str"),
        ("voxel_size", 7.0, "expected 0.01 to 1.0"),
        ("voxel_size", float("nan"), "expected 0.01 to 1.0"),
        ("detector", "yolo", "expected one of instances, onnx"),
    ):
        with pytest.raises(ParameterError, match=why):
            parameter_values({name: value})
