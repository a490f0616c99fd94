# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The page's server: viser behind the door, one session for each viewer, and what is the same for all."""

from __future__ import annotations

import logging
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import rich
import viser
from viser import _messages as viser_messages

from karma_view.access.address import addresses, is_loopback, listen
from karma_view.access.door import Door, DoorError, guarded
from karma_view.known import Live
from karma_view.ros.robot import Robot
from karma_view.scene.floor_plan import FloorPlanDrawing
from karma_view.scene.home import HomeDrawing
from karma_view.scene.light import light
from karma_view.scene.recording import Bounds, Recorder, Recording, RecordingError, sight
from karma_view.scene.robot_drawing import RobotDrawing, camera_root
from karma_view.session import Session
from karma_view.text import render

logger = logging.getLogger(__name__)

PERIOD_S = 0.06
"""Between two looks at what has changed."""
NOW = "/now"
HOME_S = 10.0
"""Within which a home is known where there is one."""
TUNNEL = (viser_messages.ShareUrlRequest, viser_messages.ShareUrlDisconnect)
"""Not taken: viewers could have viser open a tunnel from the internet to this page."""
FILES = (viser_messages.FileTransferStartUpload, viser_messages.FileTransferPart)
"""Not taken: they would be kept in memory as long as their viewer stays. Heard by the server and for each viewer."""


class Page:
    """Serves the page until it is closed. While nobody looks, nothing of the graph is heard."""

    def __init__(self, robot: Robot, live: Live, *, host: str = "127.0.0.1", port: int = 8080, token: str = "") -> None:
        """`port` 0: any that is free. `token`: what viewers have to know. DoorError where everybody could come in.

        AddressError where nothing can listen there.
        """
        if not token and not is_loopback(host):
            raise DoorError(f"{host} can be reached by others, so a token is needed")
        door = Door(token)
        self._robot = robot
        self._live = live
        self._sessions: dict[int, Session] = {}
        self._entering = 0
        """Viewers whose session is being made."""
        self._unseen = 0
        """Recordings that are made without a viewer."""
        self._changing = threading.Lock()
        self._closing = threading.Event()
        rich.get_console().quiet = True  # viser tells on standard output where it is, even if it is asked not to
        # Whoever leaves may still be being drawn for.
        warnings.filterwarnings("ignore", r"Queued a \w+ on a closed connection")
        listener = listen(host, port)
        self.port: int = listener.getsockname()[1]
        """The TCP port that is listened on."""
        self.host = host
        self.addresses = addresses(host, self.port, door.path)
        """What to open in a browser."""
        with guarded(door, listener):
            self._server = viser.ViserServer(host=host, port=self.port, label="KARMA", verbose=False)
        for message in (*TUNNEL, *FILES):
            self._server._websock_server.unregister_handler(message)
        self._server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
        light(self._server.scene)
        self._trouble = self._server.gui.add_html("", visible=False)
        self._home = HomeDrawing(self._server.scene, NOW, on_pick=self._pick)
        self._floor_plan = FloorPlanDrawing(self._server.scene, f"{NOW}/floor_plan")
        self._body = RobotDrawing(self._server.scene, f"{NOW}/robot", camera_root(NOW))
        self._recorder = Recorder(self._server)
        self._server.on_client_connect(self._enter)
        self._server.on_client_disconnect(self._leave)
        self._thread = threading.Thread(target=self._draw, name="view_draw", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take the page down. Viewers see that it is gone, and come back when there is another one."""
        self._closing.set()
        self._thread.join()
        self._recorder.close()
        self._server.stop()
        self._robot.look_away()

    def record_to(self, file: Path, *, stop: threading.Event, bounds: Bounds | None = None) -> Recording:
        """Record what is shown until `stop` is set or the bounds are reached, and write it to a new HTML file.

        Blocks, and needs no viewer. Returns the recording, which has ended. OSError, such as FileExistsError, before
        anything is recorded; RecordingError: there are too many recordings, or the graph doesn't answer.
        """
        with file.open("x", encoding="utf-8") as text:
            try:
                with self._unseen_viewer():
                    self._await_home(stop)
                    recording = self._recorder.start(bounds=bounds)
                    while not recording.full and not self._closing.is_set() and not stop.wait(PERIOD_S):
                        pass
                    text.write(recording.save(sight(self._live.known.graph)))
            except BaseException:
                file.unlink()
                raise
        return recording

    def _await_home(self, stop: threading.Event) -> None:
        until = time.monotonic() + HOME_S
        while not (known := self._live.known).graph.nodes and time.monotonic() < until and not stop.wait(PERIOD_S):
            pass
        if known.trouble and not known.graph.nodes:
            raise RecordingError(known.trouble)

    @contextmanager
    def _unseen_viewer(self) -> Iterator[None]:
        """Hear and draw as for a viewer."""
        with self._changing:
            if not self._watched:
                self._robot.look()
            self._unseen += 1
        try:
            yield
        finally:
            with self._changing:
                self._unseen -= 1
                if not self._watched:
                    self._robot.look_away()

    @property
    def _watched(self) -> bool:
        return bool(self._sessions or self._entering or self._unseen)

    def _enter(self, client: viser.ClientHandle) -> None:
        for message in FILES:
            client._websock_connection.unregister_handler(message)
        with self._changing:
            if not self._watched:
                self._robot.look()
            self._entering += 1
        session = None
        try:
            session = Session(client, self._robot, NOW, self._recorder)
        finally:
            with self._changing:
                self._entering -= 1
                here = session if client.client_id in self._server.get_clients() else None
                if here is not None:
                    self._sessions[client.client_id] = here
            if here is None:  # who left before there was anything to see
                self._gone(session)

    def _leave(self, client: viser.ClientHandle) -> None:
        with self._changing:
            session = self._sessions.pop(client.client_id, None)
        self._gone(session)

    def _gone(self, session: Session | None) -> None:
        if session is not None:
            session.close()
        with self._changing:
            if not self._watched:
                self._robot.look_away()

    def _pick(self, client_id: int, name: str) -> None:
        with self._changing:
            session = self._sessions.get(client_id)
        if session is not None:
            session.choose(name)

    def _draw(self) -> None:
        """Draw what has changed (a thread of its own)."""
        told = ""
        while not self._closing.wait(PERIOD_S):
            with self._changing:
                sessions = list(self._sessions.values())
                watched = self._watched
            if not watched:
                continue
            known = self._live.known
            if known.trouble != told:
                told = known.trouble
                self._trouble.content = render("trouble", trouble=told)
                self._trouble.visible = bool(told)
            began = time.thread_time()
            try:
                self._recorder.update(known)
            except Exception:
                logger.exception("the recordings could not go on")
            try:
                self._home.update(known.graph)
                self._floor_plan.update(known.floor_plan)
                self._body.update(known)
            except Exception:
                logger.exception("the home could not be drawn")
            for session in sessions:
                session.update(known)
            self._closing.wait(min(1.0, time.thread_time() - began))  # as much for the others as for drawing
