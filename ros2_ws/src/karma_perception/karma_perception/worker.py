# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The thread that turns waiting frames into updates of the graph, at its own pace."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from karma_perception.frames.backlog import FrameBacklog
from karma_perception.frames.camera import Frame
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.scene_graph import SceneGraph
from karma_perception.stream import GraphStream, Update

_Result = TypeVar("_Result")

_PAUSE = 4.0
"""Times as long as an update took passes before the next: in a large home most of the time is for frames."""


@dataclass(frozen=True)
class Statistics:
    """What the worker has done since it was made."""

    processed: int
    dropped: int
    waiting: int
    milliseconds: float
    """Mean time that a frame took, over the last ones."""


class PerceptionWorker:
    """Owns pipeline and stream, both used on its thread only.

    `on_update` is called on that thread with every update and the whole graph; `on_rejected` with the error of a frame
    that the pipeline refused; `on_defect` with any other error: the thread ends with it, and nothing is processed any
    more.
    """

    def __init__(
        self,
        pipeline: PerceptionPipeline,
        stream: GraphStream,
        *,
        backlog: int,
        rate: float,
        on_update: Callable[[Update, SceneGraph], None],
        on_rejected: Callable[[ValueError], None],
        on_defect: Callable[[Exception], None],
    ) -> None:
        """`backlog`: frames that may wait; `rate`: most updates per second."""
        self._pipeline = pipeline
        self._stream = stream
        self._backlog = FrameBacklog(backlog)
        self._period = 1.0 / rate
        self._on_update = on_update
        self._on_rejected = on_rejected
        self._on_defect = on_defect
        self._wake = threading.Condition()
        self._stopping = False
        self._ended = False
        self._tasks: list[tuple[Future[Any], Callable[[], Any]]] = []
        self._processed = 0
        self._times: deque[float] = deque(maxlen=100)
        self._told = stream.full()
        self._thread = threading.Thread(target=self._run, name="perception", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def submit(self, frame: Frame) -> None:
        """Queue a frame."""
        with self._wake:
            self._backlog.push(frame)
            self._wake.notify()

    def ask(self, task: Callable[[], _Result]) -> Future[_Result]:
        """Have the thread do something between two frames. RuntimeError when the thread has ended."""
        done: Future[_Result] = Future()
        with self._wake:
            if self._ended:
                raise RuntimeError("the thread of the perception has ended")
            self._tasks.append((done, task))
            self._wake.notify()
        return done

    def call(self, task: Callable[[], _Result], timeout: float | None = None) -> _Result:
        """Have the thread do something between two frames; wait, and return what it returns or raise what it raises.

        RuntimeError when the thread has ended, TimeoutError when it has not begun within `timeout` seconds.
        """
        done = self.ask(task)
        try:
            return done.result(timeout)
        except TimeoutError:
            if done.cancel():
                raise
            return done.result()  # it has begun

    def told(self) -> Update:
        """Return everything that updates have told so far, as a full update under the last number (0: nothing yet)."""
        with self._wake:
            return self._told

    def statistics(self) -> Statistics:
        """Return counts and times."""
        with self._wake:
            mean = 1000.0 * sum(self._times) / len(self._times) if self._times else 0.0
            return Statistics(self._processed, self._backlog.dropped, len(self._backlog), mean)

    def stop(self) -> None:
        """Give up what is waiting and end the thread; what was processed is still told."""
        with self._wake:
            self._stopping = True
            self._backlog.clear()
            self._wake.notify()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._work()
        except Exception as error:  # noqa: BLE001 - whatever it is, the thread ends with it: told, not swallowed
            self._on_defect(error)
        finally:
            with self._wake:
                self._ended = True
            self._do_tasks()

    def _work(self) -> None:
        due = 0.0
        fresh = self._pipeline.epoch > 0  # a map that was loaded is told at once
        while True:
            with self._wake:
                while not self._stopping and not len(self._backlog) and not self._tasks:
                    patience = due - time.monotonic() if fresh else None
                    if patience is not None and patience <= 0.0:
                        break
                    self._wake.wait(patience)
                frame = self._backlog.pop()
                stopping = self._stopping
            fresh = self._do_tasks() or fresh
            if frame is not None:
                fresh = self._process(frame) or fresh
            if fresh and (stopping or time.monotonic() >= due):
                begin = time.monotonic()
                self._tell()
                fresh = False
                now = time.monotonic()
                due = now + max(self._period, _PAUSE * (now - begin))
            if stopping:
                return

    def _do_tasks(self) -> bool:
        """Do what was asked for with `call`; return whether there was anything."""
        with self._wake:
            tasks, self._tasks = self._tasks, []
        for done, task in tasks:
            if not done.set_running_or_notify_cancel():
                continue
            try:
                done.set_result(task())
            except Exception as error:  # noqa: BLE001 - whatever it is, it is the caller's
                done.set_exception(error)
        return bool(tasks)

    def _process(self, frame: Frame) -> bool:
        begin = time.perf_counter()
        try:
            self._pipeline.update(frame)
        except ValueError as error:
            self._on_rejected(error)
            return False
        with self._wake:
            self._processed += 1
            self._times.append(time.perf_counter() - begin)
        return True

    def _tell(self) -> None:
        update = self._stream.advance(self._pipeline.graph(), self._pipeline.epoch)
        if update is not None:
            with self._wake:
                self._told = self._stream.full()
            self._on_update(update, self._stream.graph)
