# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Write a map, or a graph, that test_golden_files.py reads, with the code of its time: README.md says how.

A side table with a mug; an apple was on it and is gone.
"""

import lzma
import sys
from pathlib import Path

from raycast import pose, room, shoot, thing

from karma_perception.frames.camera import Intrinsics
from karma_perception.objects.mapping import MappingOptions
from karma_perception.pipeline import PerceptionPipeline, PipelineOptions

SMALL = Intrinsics(80, 60, 60.0, 60.0, 40.0, 30.0)
OPTIONS = PipelineOptions(mapping=MappingOptions(max_voxels=60))
HOME = (*room(0, 0, 2.5, 2), thing("SideTable", (2.0, 1.0, 0.3), (0.2, 0.3, 0.6)))
APPLE = thing("Apple", (2.0, 0.92, 0.65), (0.1, 0.1, 0.1), movable=True)
MUG = thing("Mug", (2.0, 1.08, 0.65), (0.1, 0.1, 0.1), movable=True)


def look(pipeline, world, begin, views):
    for i in range(views):
        camera = pose(0.7 + 0.05 * i, 1.0, 120 / views * i - 60)
        frame = shoot(world, camera, stamp=begin + 0.2 * i, scene="home", identified=False, intrinsics=SMALL)
        pipeline.update(frame)


def main(path):
    pipeline = PerceptionPipeline(OPTIONS)
    look(pipeline, [*HOME, APPLE, MUG], 100.0, 6)
    look(pipeline, [*HOME, MUG], 200.0, 12)
    if path.suffix == ".json":
        from karma_perception.export.graph_json import write_json

        write_json(pipeline.graph(), path)
        return
    from karma_perception.saved_map.file import SavedMap, encode_map  # which graphs are older than

    data = encode_map(SavedMap(pipeline.state(), 7), OPTIONS)
    path.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
