# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import threading
import time

import pytest
from raycast import pose, room, shoot, thing

from karma_perception.frames.camera import Intrinsics
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.scene_graph import SceneGraph, apply
from karma_perception.stream import GraphStream
from karma_perception.worker import PerceptionWorker

SMALL = Intrinsics(80, 60, 40.0, 40.0, 39.5, 29.5)
WORLD = [*room(0, 0, 4, 3), thing("Sofa", (3, 1.5, 0.4), (0.8, 1.8, 0.8))]


class Listener:
    """Collects what a worker says; `wait` returns once enough has come."""

    def __init__(self):
        self.updates = []
        self.errors = []
        self.defects = []
        self._came = threading.Condition()

    def update(self, update, graph):
        with self._came:
            self.updates.append((update, graph))
            self._came.notify_all()

    def reject(self, error):
        with self._came:
            self.errors.append(error)
            self._came.notify_all()

    def fail(self, error):
        with self._came:
            self.defects.append(error)
            self._came.notify_all()

    def wait(self, done):
        """Return once `done`; not only what comes here may make it so, therefore look again now and then."""
        end = time.monotonic() + 60
        with self._came:
            while not done(self):
                assert time.monotonic() < end, "waited too long"
                self._came.wait(0.02)


@pytest.fixture
def made():
    workers = []

    def make(**options):
        listener = Listener()
        settings = {"backlog": 10, "rate": 50.0, **options}
        worker = PerceptionWorker(
            PerceptionPipeline(),
            GraphStream(),
            on_update=listener.update,
            on_rejected=listener.reject,
            on_defect=listener.fail,
            **settings,
        )
        workers.append(worker)
        worker.start()
        return worker, listener

    yield make
    for worker in workers:
        worker.stop()


def frame(yaw, stamp, x=1.0, scene="test"):
    return shoot(WORLD, pose(x, 1.5, yaw), stamp=stamp, intrinsics=SMALL, scene=scene)


def test_frames_become_updates_that_add_up_to_the_graph(made):
    worker, listener = made()
    for i in range(8):
        worker.submit(frame(45 * i, 0.1 * i))
    listener.wait(
        lambda _: worker.statistics().processed == 8 and "Sofa|1" in {n.id for n in worker.told().delta.nodes}
    )
    known = SceneGraph("test")
    for expected, (update, graph) in enumerate(list(listener.updates), start=1):
        assert update.sequence == expected
        known = apply(update.delta, SceneGraph("test") if update.full else known)
        assert known == graph


def test_a_refused_frame_is_reported_and_the_next_one_used(made):
    worker, listener = made()
    worker.submit(frame(0, 0.0))
    worker.submit(frame(0, 0.1, x=900.0))
    worker.submit(frame(45, 0.2))
    listener.wait(lambda heard: heard.errors and worker.statistics().processed == 2)
    assert len(listener.errors) == 1


def test_a_slow_rate_still_tells_everything_in_the_end(made):
    worker, listener = made(rate=0.01)
    for i in range(8):
        worker.submit(frame(45 * i, 0.1 * i))
    listener.wait(lambda _: worker.statistics().processed == 8)
    assert len(listener.updates) == 1
    worker.stop()
    assert len(listener.updates) == 2
    assert worker.told().sequence == 2


def test_nothing_is_told_before_the_first_frame(made):
    worker, listener = made()
    assert worker.told().sequence == 0
    worker.stop()
    assert not listener.updates


def test_a_new_scene_starts_a_full_stream(made):
    worker, listener = made()
    worker.submit(frame(0, 0.0))
    listener.wait(lambda heard: heard.updates)
    worker.submit(frame(0, 0.0, scene="other"))
    listener.wait(lambda heard: heard.updates[-1][0].scene == "other")
    assert listener.updates[-1][0].full
    assert listener.updates[-1][0].sequence == 1


def test_a_defect_is_told_whether_it_is_the_pipelines_or_the_listeners(made, monkeypatch):
    def broken(*_):
        raise KeyError("broken")

    for attribute in ("_on_update", "_pipeline"):
        worker, listener = made()
        monkeypatch.setattr(worker, attribute, broken)
        worker.submit(frame(0, 0.0))
        listener.wait(lambda heard: heard.defects)


def test_what_is_asked_for_is_done_between_frames_and_answered(made):
    worker, listener = made()
    assert worker.call(threading.current_thread).name == "perception"
    with pytest.raises(ZeroDivisionError):
        worker.call(lambda: 1 // 0)
    worker.submit(frame(0, 0.0))
    listener.wait(lambda heard: heard.updates)
    worker.stop()
    assert not listener.defects
    with pytest.raises(RuntimeError, match="has ended"):
        worker.call(dict)


def test_a_map_that_is_there_already_is_told_without_a_frame(made):
    first, heard = made()
    first.submit(frame(0, 0.0))
    heard.wait(lambda heard: heard.updates)
    first.stop()
    pipeline = PerceptionPipeline()
    pipeline.resume(first._pipeline.state())
    listener = Listener()
    worker = PerceptionWorker(
        pipeline,
        GraphStream(),
        backlog=2,
        rate=50.0,
        on_update=listener.update,
        on_rejected=listener.reject,
        on_defect=listener.fail,
    )
    worker.start()
    listener.wait(lambda heard: heard.updates)
    worker.stop()
    assert listener.updates[0][0].delta.nodes == heard.updates[0][0].delta.nodes
