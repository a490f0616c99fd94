# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

from karma.demo.pictures import MemorySample, draw_short_term_memory, presence, short_name


@pytest.mark.parametrize(
    ("object_id", "name"),
    [
        ("kitchen/Apple|-00.47|+01.15|+00.48", "kitchen/Apple"),
        ("Apple|-00.47|+01.15|+00.48", "Apple"),
        ("Tomato|-00.39|+01.14|-00.81|TomatoSliced_0", "TomatoSliced_0"),
        ("Mug_3", "Mug_3"),
    ],
)
def test_names_are_ids_without_coordinates(object_id: str, name: str) -> None:
    assert short_name(object_id) == name


def test_presence_is_from_the_first_sample_to_the_one_that_lacks_it() -> None:
    samples = [MemorySample(1, ("a",)), MemorySample(2, ("a", "b")), MemorySample(3, ("b",)), MemorySample(4, ("a",))]
    assert presence(samples, "a") == [(1, 3), (4, 4)]


def test_chart_is_drawn_for_instructions_that_begin_together(tmp_path: Path) -> None:
    samples = [MemorySample(float(second), ("a",)) for second in range(100)]
    file = draw_short_term_memory(samples, [(3.0, "x"), (3.1, "y"), (3.2, "z")], 10, tmp_path / "chart.png")
    assert file.stat().st_size > 5000
