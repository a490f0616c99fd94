# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures to keep, and recordings of the 3D view."""

from __future__ import annotations

import io
import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from karma_view.known import CameraView, Known
from karma_view.scene.recording import Recorder, Recording, RecordingError, vector
from karma_view.text import render

if TYPE_CHECKING:
    from karma_view.session import Session

logger = logging.getLogger(__name__)

TIMEOUT_S = 60.0
"""For a browser to draw a picture; without a GPU it may take seconds."""
PICTURE = "Picture"
"""What is asked for, for Asking."""
SCREEN = "As on my screen"
SIZES = {SCREEN: None, "1920 × 1080": (1920, 1080)}
"""Width and height in pixels; None: the viewer's own."""


class ExportPanel:
    """The 3D view and the camera's picture as PNG, and a recording at a time."""

    def __init__(self, session: Session, recorder: Recorder) -> None:
        self._session = session
        self._recorder = recorder
        self._camera: CameraView | None = None
        self._changing = threading.Lock()
        """Held while a recording is begun or taken away."""
        self._recording: Recording | None = None
        self._closed = False
        self._shown: tuple[Any, ...] = ()
        gui = session.client.gui
        with gui.add_folder("Picture"):
            self._size = gui.add_dropdown("Size", tuple(SIZES))
            gui.add_button("Save the 3D view").on_click(lambda _: self._make(self._save_view))
            gui.add_button("Save the camera's picture").on_click(lambda _: self._make(self._save_camera))
        with gui.add_folder("Recording"):
            self._status = gui.add_html("")
            self._record = gui.add_button("Record")
            self._record.on_click(lambda _: self._begin())
            self._save = gui.add_button("Save", disabled=True)
            self._save.on_click(lambda _: self._keep())
            self._discard = gui.add_button("Discard", disabled=True)
            self._discard.on_click(lambda _: self._drop())

    def update(self, known: Known) -> None:
        """Show how far the recording is."""
        self._camera = known.camera
        recording = self._recording
        state = () if recording is None else (round(recording.seconds), recording.size // 100_000, recording.full)
        if (recording, state) == self._shown:
            return
        self._shown = (recording, state)
        self._status.content = render("recording", recording=recording)
        self._record.disabled = recording is not None
        self._save.disabled = self._discard.disabled = recording is None

    def close(self) -> None:
        """Discard what the viewer has not saved."""
        with self._changing:
            self._closed = True
        self._drop()

    def _make(self, save: Callable[[], None]) -> None:
        self._session.attempt(PICTURE, save)

    def _save_view(self) -> None:
        try:
            camera = self._session.client.camera
            width, height = SIZES[self._size.value] or (camera.image_width, camera.image_height)
            drawn = self._session.client.get_render(height, width, transport_format="png", timeout=TIMEOUT_S)
        except TimeoutError:
            self._session.say(
                PICTURE, f"Your browser drew none in {TIMEOUT_S:.0f} s. Keep the page in front.", failed=True
            )
        except RuntimeError as error:  # the viewer has left, so there is nobody to tell
            logger.info("no picture was made: %s", error)
        else:
            self._send("view.png", png(drawn))

    def _save_camera(self) -> None:
        if self._camera is None:
            self._session.say(PICTURE, "Nothing has come from the camera.", failed=True)
        else:
            self._send("camera.png", png(self._camera.image))

    def _begin(self) -> None:
        with self._changing:
            if self._closed or self._recording is not None:
                return
            try:
                self._recording = self._recorder.start()
            except RecordingError as error:
                self._session.say("Recording", str(error), failed=True)

    def _take(self) -> Recording | None:
        with self._changing:
            recording, self._recording = self._recording, None
        return recording

    def _keep(self) -> None:
        recording = self._take()
        if recording is not None:
            camera = self._session.client.camera
            sight = vector(camera.position), vector(camera.look_at)
            self._send("recording.html", recording.save(sight).encode())

    def _drop(self) -> None:
        recording = self._take()
        if recording is not None:
            recording.discard()

    def _send(self, name: str, content: bytes) -> None:
        stamped = time.strftime("karma-%Y%m%d-%H%M%S-", time.gmtime()) + name
        self._session.client.send_file_download(stamped, content, save_immediately=True)


def png(pixels: Any) -> bytes:
    """Return a picture as a PNG file; pixels uint8, height × width × 3 (RGB) or 4 (RGBA, put on white)."""
    picture = Image.fromarray(np.asarray(pixels))
    if picture.mode == "RGBA":
        white = Image.new("RGBA", picture.size, "white")
        picture = Image.alpha_composite(white, picture).convert("RGB")
    file = io.BytesIO()
    picture.save(file, format="PNG")
    return file.getvalue()
