# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""ALFRED's human instructions, where the data is: `KARMA_DATA=FOLDER ./karma test ...`."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from alfred import episodes, means

from karma_language.vocabulary import household
from planner_node.understand.goals import Understood
from planner_node.understand.offline import OfflineUnderstanding

DATA = Path(os.environ.get("KARMA_DATA", "nowhere"), "eb_alfred")

AT_LEAST = {
    "base": 0.9,
    "common_sense": 0.8,
    "complex_instruction": 0.9,
    "long_horizon": 0.9,
    "spatial": 0.8,
    "visual_appearance": 0.8,
}


@pytest.mark.skipif(not DATA.is_dir(), reason="KARMA_DATA does not name the folder with eb_alfred/")
def test_most_human_instructions_are_understood_as_the_benchmark_means_them() -> None:
    offline = OfflineUnderstanding(household())
    total: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for episode in episodes(DATA):
        understood = offline.understand(episode.text)
        total[episode.split] += 1
        right[episode.split] += isinstance(understood, Understood) and means(understood.goals, episode)
    assert total
    assert {
        split: right[split] / total[split] for split in AT_LEAST if right[split] < AT_LEAST[split] * total[split]
    } == {}
