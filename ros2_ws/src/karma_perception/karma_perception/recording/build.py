# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A recording through the pipeline, every frame of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from karma_perception.pipeline import PerceptionPipeline
from karma_perception.recording.frames import LEFT_OUT, Recording


@dataclass
class Built:
    """How far a map is."""

    frames: int = 0
    """Frames that are in it."""
    seconds: float = 0.0
    """Time that took, reading included."""
    mapping_seconds: float = 0.0
    """Of which in the pipeline."""


def build(
    recording: Recording,
    pipeline: PerceptionPipeline,
    built: Built,
    *,
    shield: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> None:
    """Take all frames of a recording into account; those that the pipeline refuses are noted.

    `built` is kept up to date, so that it says how far this came when it is interrupted. `shield`: a context in which
    no exception comes from outside (a signal's), so that the map is whole whenever it is interrupted.
    """
    begin = time.perf_counter()
    for frame in recording.frames():
        with shield():
            started = time.perf_counter()
            try:
                pipeline.update(frame)
                built.frames += 1
            except ValueError as error:
                recording.findings.note(
                    recording.topics.depth, "frames that the mapping refused", LEFT_OUT, example=str(error)
                )
            built.mapping_seconds += time.perf_counter() - started
            built.seconds = time.perf_counter() - begin
