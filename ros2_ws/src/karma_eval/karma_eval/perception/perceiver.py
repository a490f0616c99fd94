# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A process that does nothing but perceive: its times and its memory are those of perception."""

from __future__ import annotations

import multiprocessing
import signal
import time
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

from karma_eval.perception.plain_mapper import PlainMapper
from karma_perception.frames.camera import Frame, Label
from karma_perception.objects.detection import Detections, InstanceImageDetector
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.scene_graph import SceneGraph

Answer = TypeVar("Answer")

KNOWN, HIDDEN, PLAIN = "known", "hidden", "plain"
"""What perceives: our pipeline, told the identities that the simulator knows, or only classes and masks; and a peer,
the plain mapper, which is told the latter."""

GRAPH_EVERY = 3
"""Frames after which a scene graph is made, and timed, as the node does four times a second."""


class PerceiverError(RuntimeError):
    """The process that perceives has ended; its own words are on stderr."""


class ClassesOnlyDetector:
    """Gives what a detector of classes would: masks and classes, without identities, states and completeness."""

    def __init__(self) -> None:
        self._exact = InstanceImageDetector()

    def detect(self, frame: Frame) -> Detections:
        """Return the frame's instances as anonymous ones."""
        found = self._exact.detect(frame)
        anonymous = {v: Label(o.category, movable=o.movable) for v, o in found.instances.items()}
        return Detections(found.mask, anonymous, identified=False)


@dataclass(frozen=True)
class Effort:
    """What perceiving has cost so far."""

    frames: int
    update_s: float
    """Seconds of taking in frames."""
    graphs: int
    graph_s: float
    """Seconds of making scene graphs."""
    cpu_s: float
    """Seconds that the processor was at both, which other work on the machine does not lengthen."""
    start_mb: float
    """Memory of the process before its first frame."""
    peak_mb: float
    """Most memory that the process held."""


class Perceiver:
    """A mapper in a process of its own. Frames are taken one at a time: `perceive` returns when one is done."""

    def __init__(self, kind: str) -> None:
        """`kind`: `KNOWN`, `HIDDEN` or `PLAIN`."""
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, kind), daemon=True)
        self._process.start()
        theirs.close()

    def perceive(self, frame: Frame) -> None:
        """Have a frame taken into account. PerceiverError when the process is gone."""
        self._ask(frame, bool)

    def graph(self) -> SceneGraph:
        """Return the scene graph as it is known now."""
        return self._ask("graph", SceneGraph)

    def effort(self) -> Effort:
        """Return the cost so far."""
        return self._ask("effort", Effort)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._connection.close()

    def _ask(self, request: Frame | str, kind: type[Answer]) -> Answer:
        try:
            self._connection.send(request)
            answer = self._connection.recv()
        except (EOFError, OSError) as error:
            raise PerceiverError("the process that perceives has ended") from error
        assert isinstance(answer, kind)
        return answer


Mapper = PerceptionPipeline | PlainMapper
"""What is measured."""


def _mapper(kind: str) -> Mapper:
    if kind == PLAIN:
        return PlainMapper(ClassesOnlyDetector())
    return PerceptionPipeline(detector=ClassesOnlyDetector() if kind == HIDDEN else None)


def _serve(connection: Connection, kind: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which kills this process
    mapper = _mapper(kind)
    meter = _Meter(mapper)
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return
        if isinstance(request, Frame):
            meter.take(request if kind == KNOWN or not request.held else replace(request, held="something"))
            connection.send(True)
        elif request == "graph":
            connection.send(mapper.graph())
        else:
            connection.send(meter.effort())


class _Meter:
    """Feeds a mapper, and notes what that costs."""

    def __init__(self, mapper: Mapper) -> None:
        self._mapper = mapper
        self._effort = Effort(0, 0.0, 0, 0.0, 0.0, _memory_mb("VmRSS"), 0.0)

    def take(self, frame: Frame) -> None:
        so_far = self._effort
        began, cpu = time.perf_counter(), time.process_time()
        self._mapper.update(frame)
        updated = time.perf_counter()
        graphs = int((so_far.frames + 1) % GRAPH_EVERY == 0)
        if graphs:
            self._mapper.graph()
        self._effort = replace(
            so_far,
            frames=so_far.frames + 1,
            update_s=so_far.update_s + updated - began,
            graphs=so_far.graphs + graphs,
            graph_s=so_far.graph_s + graphs * (time.perf_counter() - updated),
            cpu_s=so_far.cpu_s + time.process_time() - cpu,
        )

    def effort(self) -> Effort:
        return replace(self._effort, peak_mb=_memory_mb("VmHWM"))


def _memory_mb(field: str) -> float:
    """Return a figure of /proc/self/status (VmRSS: now, VmHWM: most so far), in megabytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError(f"this system does not tell {field} of a process")
