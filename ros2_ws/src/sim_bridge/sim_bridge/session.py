# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The backend while it is open, who has the robot, and the people who live with it."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from sim_bridge.backend import Backend, RefusedError
from sim_bridge.factory import BackendOptions, open_backend
from sim_bridge.simulation.backend import SimulatedBackend
from sim_bridge.worker import BackendThread

_PICTURE_POLL = 0.05
"""Seconds between looks at who has the robot: a skill, which another must not wait for, or only a picture."""


class Session:
    """A backend that may be open; its robot does one thing at a time."""

    def __init__(self) -> None:
        self.scene = ""
        self.resets = 0
        """Times that the scene was begun anew, or another one was."""
        self.running = ""
        """The skill that runs, empty when none does."""
        self._worker: BackendThread | None = None
        self._robot = threading.Lock()
        self._idle_since = time.monotonic()
        self._people = random.Random()  # noqa: S311

    def open(self, options: BackendOptions) -> None:
        """Open a backend. BackendUnavailableError, KeyError or ValueError when it can't be."""
        self._worker = BackendThread(lambda: open_backend(options))
        self.scene = self.use(lambda backend: backend.scene)
        self._people.seed(options.seed)

    def close(self) -> None:
        """Close the backend, if it is open."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    def use(self, use: Callable[[Backend], Any]) -> Any:
        """Return what `use` does with the backend, in its thread. RuntimeError when it isn't open."""
        worker = self._worker
        if worker is None:
            raise RuntimeError("the bridge is not configured")
        return worker.call(use)

    def take(self) -> bool:
        """Take the robot, after an idle robot's picture that is just being made; return False while a skill has it."""
        while not self._robot.acquire(timeout=_PICTURE_POLL):
            if self.running:
                return False
        return True

    def take_if_idle(self) -> bool:
        """Take the robot if nobody has it; return whether that is so."""
        return self._robot.acquire(blocking=False)

    def release(self) -> None:
        """Give the robot back."""
        self._robot.release()

    def begin_pause(self) -> None:
        """Note that the robot has nothing to do from now on."""
        self._idle_since = time.monotonic()

    def reset(self, scene: str, seed: int) -> None:
        """Begin a scene anew. KeyError when it is unknown."""
        self.scene = self.use(lambda backend: backend.reset(scene, seed))
        self._people.seed(seed)
        self.resets += 1

    def let_people_move(self, after: float, often: float) -> Iterator[tuple[str, str]]:
        """Let people have moved things in a pause: drawn once, however long it was; yield each thing and where it is.

        `after`: seconds that a pause must have lasted; `often`: things that are moved in one, on average.
        """
        if time.monotonic() - self._idle_since < after:
            return
        for _ in range(int(often) + (self._people.random() < often % 1)):
            moved = self.use(partial(_move_any, choice=self._people.random()))
            if moved:
                yield moved


def _move_any(backend: Backend, choice: float) -> tuple[str, str] | None:
    """Move the movable thing that a number in 0..1 chooses to where it fits; None when that is nowhere else."""
    if not isinstance(backend, SimulatedBackend):
        return None
    movable = [o.id for o in backend.ground_truth() if o.movable and o.relation != "held"]
    if not movable:
        return None
    try:
        return backend.move_object(movable[int(choice * len(movable))])
    except RefusedError:
        return None
