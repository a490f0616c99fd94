# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Saving and loading the map of a pipeline that is at work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from karma_perception.pipeline import PerceptionPipeline, PipelineOptions
from karma_perception.saved_map.file import MapFileError, SavedMap, encode_map, read_map, write_map
from karma_perception.stream import GraphStream

Run = Callable[[Callable[[], Any]], Any]
"""Runs a task where the pipeline may be used, and returns what it returns."""


@dataclass(frozen=True)
class MapSummary:
    """What was saved or loaded."""

    path: Path
    scene: str
    objects: int
    sequence: int
    """Of the last update of the scene graph before it was saved."""


def at_once(task: Callable[[], Any]) -> Any:
    """Run a task here and now, while nobody else uses the pipeline."""
    return task()


class MapKeeper:
    """Writes the map of a pipeline to files, and has it go on with one that was written."""

    def __init__(self, pipeline: PerceptionPipeline, stream: GraphStream, options: PipelineOptions) -> None:
        """`options`: those of the pipeline."""
        self._pipeline = pipeline
        self._stream = stream
        self._options = options

    def save(self, path: Path, run: Run = at_once) -> MapSummary:
        """Write the map; only the copying of what it knows is done by `run`.

        `MapFileError` before anything has been perceived, other errors as of `write_map`.
        """

        def copy() -> tuple[bytes, MapSummary]:
            if not self._pipeline.epoch:
                raise MapFileError("nothing has been perceived yet: there is no map to save")
            saved = SavedMap(self._pipeline.state(), self._stream.sequence)
            return encode_map(saved, self._options), _summary(path, saved)

        data, summary = run(copy)
        write_map(data, path)
        assert isinstance(summary, MapSummary)
        return summary

    def load(self, path: Path, run: Run = at_once) -> MapSummary:
        """Go on with the map in a file. Errors as of `read_map`; then nothing has changed."""
        saved = read_map(path, self._options)
        summary = _summary(path, saved)

        def resume() -> None:
            self._pipeline.resume(saved.state)
            self._stream.resume(saved.sequence)

        run(resume)
        return summary


def _summary(path: Path, saved: SavedMap) -> MapSummary:
    return MapSummary(path, saved.state.scene, len(saved.state.objects.objects), saved.sequence)
