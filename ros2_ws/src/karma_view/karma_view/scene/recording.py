# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of the 3D view of now: one HTML file, which a browser plays without a network and without KARMA."""

from __future__ import annotations

import math
import textwrap
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import viser
from numpy.typing import ArrayLike
from viser import _messages as viser_messages

from karma_language.answers.plain_words import calls_in_words
from karma_perception.scene_graph import SceneGraph, Vector
from karma_ros.result_codes import code_name
from karma_view.known import Known
from karma_view.scene.labels import Eye, LabelDrawing
from karma_view.scene.viewpoint import corners, fitted
from karma_view.text import day

Sight = tuple[Vector, Vector]
"""Whence and whither one looks: metres, map frame."""
ROOT = "/recorded"
"""Node of viser's scene, hidden from viewers, above what is shown in recordings only."""
MOST = 4
"""Recordings at the same time: each one is held in memory."""
LINE = 60
"""Characters of a caption's line."""
_FOV = 75.0 * math.pi / 180.0
"""Vertical, as viser's own."""
_PICTURE = (1280.0, 760.0)
"""Width and height in pixels for which labels are chosen."""
_BEFORE: Sight = ((3.0, 3.0, 3.0), (0.0, 0.0, 0.0))


class RecordingError(RuntimeError):
    """There is nothing to save, or no more recordings are possible; the message says what to do."""


@dataclass(frozen=True)
class Bounds:
    """What ends a recording by itself."""

    seconds: float = 600.0
    size: int = 25_000_000
    """Bytes before compression. Three to four times that are held in memory, and 125 MB more while it is compressed."""


class Recording:
    """What the drawing that all viewers share shows from now on. Whoever has it saves or discards it."""

    def __init__(self, server: viser.ViserServer, bounds: Bounds, on_end: Callable[[], None]) -> None:
        self._bounds = bounds
        self._on_end = on_end
        self._changing = threading.Lock()
        self._socket = server._websock_server
        self._until = time.monotonic()
        self.seconds = 0.0
        """How long it is."""
        self.size = 0
        """Bytes, as in Bounds."""
        self.full = ""
        """Why nothing more is recorded; empty: it goes on."""
        self._counted = (0, 0)
        """Messages, and arrays that belong to them, that are in `size`."""
        with self._socket._record_lock:
            self._serializer: viser.infra.StateSerializer | None = server.get_scene_serializer()
            self._serializer._insert_message(viser_messages.SetSceneNodeVisibilityMessage(ROOT, True))

    def advance(self) -> None:
        """Let the time that has passed pass in the recording, too; what is drawn after this belongs to now."""
        with self._changing:
            if self._serializer is None or self.full:
                return
            now = time.monotonic()
            passed = min(now - self._until, self._bounds.seconds - self.seconds)
            self._until = now
            self._serializer.insert_sleep(passed)
            self.seconds += passed
            self._weigh(self._serializer)
            if self.size >= self._bounds.size:
                self.full = f"it has reached {self._bounds.size / 1e6:g} MB"
            elif self.seconds >= self._bounds.seconds:
                self.full = f"it has reached {self._bounds.seconds:g} seconds"
            if self.full:
                self._take_off(self._serializer)

    def save(self, sight: Sight | None = None) -> str:
        """End, and return the file's text, which is seen from `sight` at first. RecordingError: it has ended.

        Compressing takes seconds for a large one.
        """
        with self._changing:
            serializer, self._serializer = self._serializer, None
        if serializer is None:
            raise RecordingError("this recording was saved or discarded; begin another one")
        try:
            with self._socket._record_lock:
                if serializer not in self._socket._record_handles:  # where serializing takes it off
                    self._socket._record_handles.append(serializer)
                for message in _seen_from(sight) if sight else ():
                    serializer._messages.insert(0, (0.0, message.as_serializable_dict()))
            return serializer.as_html()
        finally:
            self._on_end()

    def discard(self) -> None:
        """End, and keep nothing. May be called again, and after saving."""
        with self._changing:
            serializer, self._serializer = self._serializer, None
        if serializer is not None:
            self._take_off(serializer)
            self._on_end()

    def _take_off(self, serializer: viser.infra.StateSerializer) -> None:
        with self._socket._record_lock:
            if serializer in self._socket._record_handles:
                self._socket._record_handles.remove(serializer)

    def _weigh(self, serializer: viser.infra.StateSerializer) -> None:
        with self._socket._record_lock:
            messages, arrays = self._counted
            self._counted = len(serializer._messages), len(serializer._binary_buffers)
            new = serializer._messages[messages:], serializer._binary_buffers[arrays:]
        self.size += _size(new[0]) + sum(array.nbytes for array in new[1])


class Recorder:
    """The recordings of a page, and what is drawn for them alone: labels, and a caption. Idle without any."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._server = server
        self._changing = threading.RLock()
        self._running: list[Recording] = []
        self._root: Any = None
        self._caption: Any = None
        self._labels: Any = None
        self._graph = SceneGraph()
        """What is labelled."""

    def start(self, *, bounds: Bounds | None = None) -> Recording:
        """Begin a recording. RecordingError: there are too many."""
        with self._changing:
            if len(self._running) >= MOST:
                raise RecordingError(f"{MOST} recordings are being made; save or discard one of them first")
            if not self._running:
                self._root = self._server.scene.add_frame(ROOT, show_axes=False, visible=False)
                self._caption = self._server.scene.add_label(
                    f"{ROOT}/caption", "", font_screen_scale=1.2, anchor="bottom-center"
                )
                self._labels = LabelDrawing(self._server, self._look, f"{ROOT}/labels")
            recording = Recording(self._server, bounds or Bounds(), lambda: self._end(recording))
            self._running.append(recording)
            return recording

    def update(self, known: Known) -> None:
        """Before what is known is drawn: let time pass in the recordings, and write the caption."""
        with self._changing:
            if not self._running:
                return
            for recording in self._running:
                recording.advance()
            text, position = caption(known), _above(known.graph)
            if text != self._caption.text:
                self._caption.text = text
            if position != tuple(self._caption.position):
                self._caption.position = position
            self._graph = known.graph
            self._labels.update(known)

    def close(self) -> None:
        """Discard all."""
        for recording in tuple(self._running):
            recording.discard()

    def _look(self) -> Eye:
        """Return from where there are labels that don't lie over one another: where the home is seen whole."""
        position, look_at = sight(self._graph) or _BEFORE
        ahead = np.subtract(look_at, position) / math.dist(look_at, position)
        right = np.cross(ahead, (0.0, 0.0, 1.0))
        right /= np.linalg.norm(right)
        turned = viser.transforms.SO3.from_matrix(np.stack([right, np.cross(ahead, right), ahead], axis=1))
        return Eye(position, tuple(map(float, turned.wxyz)), _FOV, *_PICTURE)

    def _end(self, recording: Recording) -> None:
        with self._changing:
            self._running.remove(recording)
            if not self._running:
                self._root.remove()


def sight(graph: SceneGraph) -> Sight | None:
    """Return whence a home is seen whole; None where there is none."""
    points = corners(graph)
    if not points.size:
        return None
    position, look_at = fitted(points, _FOV, _PICTURE[0] / _PICTURE[1])
    return vector(position), vector(look_at)


def vector(array: ArrayLike) -> Vector:
    """Return three numbers as viser's messages hold them."""
    x, y, z = map(float, np.asarray(array))
    return x, y, z


def caption(known: Known) -> str:
    """Return what a recording says beside what it shows: the time (robot's clock), the instruction, what comes of it.

    Printable text, five lines at most.
    """
    lines = [day(known.stamp)]
    if known.planner is not None and known.planner.instruction:
        status = known.planner.instruction[0]
        lines += _wrapped(f"{status.user}: {status.instruction}" if status.user else status.instruction)
        said = f"{code_name(status.result)} {status.result.message}" if status.ended else status.step
        lines += _wrapped(calls_in_words(said))
    return "\n".join(lines)


def _wrapped(text: str) -> list[str]:
    printable = "".join(character if character.isprintable() else " " for character in text[: 4 * LINE])
    return textwrap.wrap(printable, LINE, max_lines=2, placeholder="…")


def _above(graph: SceneGraph) -> Vector:
    """Return a place over the far side of the home, as it is seen at first; metres, map frame."""
    points = corners(graph)
    if not points.size:
        return 0.0, 0.0, 2.5
    low, high = points.min(axis=0), points.max(axis=0)
    return vector(((low[0] + high[0]) / 2, high[1], high[2]))


def _seen_from(sight: Sight) -> tuple[viser_messages.Message, ...]:
    position, look_at = sight
    return (
        viser_messages.SetCameraPositionMessage(position, initial=True),
        viser_messages.SetCameraLookAtMessage(look_at, initial=True),
    )


def _size(value: Any) -> int:
    """Return about how many bytes a message takes in the file before compression."""
    if isinstance(value, dict):
        return sum(len(key) + _size(part) for key, part in value.items())
    if isinstance(value, list | tuple):
        return sum(map(_size, value))
    return len(value) if isinstance(value, str | bytes | memoryview) else 8
