# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""When the floor is looked at, by whom, and to whom it is told."""

from concurrent.futures import Future
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("nav_msgs.msg", reason="ROS 2 is not installed")

from karma_perception.places.floor_plan import FREE, Occupancy
from karma_perception.ros.floor_plan_publisher import FloorPlanPublisher


class Node:
    """A node, its only publisher, and who subscribes to it."""

    def __init__(self):
        self.readers = 0
        self.latched = None
        self.sent = []
        self.made = 0
        self.warnings = []

    def create_publisher(self, kind, topic, qos, event_callbacks):
        assert not event_callbacks.use_default_callbacks  # an event of one that was destroyed is an executor's end
        assert event_callbacks.matched is None
        self.made += 1
        return self

    def destroy_publisher(self, publisher):
        self.made -= 1
        self.latched = None

    def get_subscription_count(self):
        return self.readers

    def publish(self, message):
        assert self.made == 1, "published after it was destroyed"
        self.latched = message
        self.sent.append(message)

    def get_logger(self):
        return SimpleNamespace(debug=lambda text: None, error=self.warnings.append)


class Worker:
    """A perception whose thread does what it is asked when the test says so."""

    def __init__(self):
        self.processed = 1
        self.ended = False
        self._tasks = []

    def statistics(self):
        return SimpleNamespace(processed=self.processed)

    def ask(self, task):
        if self.ended:
            raise RuntimeError("the thread of the perception has ended")
        self._tasks.append((Future(), task))
        return self._tasks[-1][0]

    def work(self):
        tasks, self._tasks = self._tasks, []
        for done, task in tasks:
            try:
                done.set_result(task())
            except AttributeError as error:
                done.set_exception(error)
        return len(tasks)


def plan(cells=3):
    return Occupancy((0.0, 0.0, 0.0), 0.1, np.full((cells, cells), FREE, np.int8))


@pytest.fixture
def home():
    node, worker = Node(), Worker()
    pipeline = SimpleNamespace(epoch=1, stamp=1.0, floor_plan=plan())
    made = FloorPlanPublisher(node, pipeline, lambda: worker, "map")
    return SimpleNamespace(node=node, worker=worker, pipeline=pipeline, made=made)


def test_a_busy_perception_holds_nobody_up_and_is_asked_once_at_a_time(home):
    home.node.readers = 1
    for _ in range(3):
        home.made.look()
        home.worker.processed += 1
    assert home.node.sent == []
    assert home.worker.work() == 1
    assert [message.info.width for message in home.node.sent] == [3]
    home.pipeline.floor_plan = plan(4)
    home.made.look()  # frames have come since it was asked
    home.worker.work()
    assert [message.info.width for message in home.node.sent] == [3, 4]


def test_when_the_last_one_goes_what_was_told_goes_too(home):
    home.node.readers = 1
    home.made.look()
    home.worker.work()
    assert home.node.latched is not None
    home.node.readers = 0
    home.made.look()
    assert home.node.latched is None
    home.pipeline.floor_plan = plan(4)
    home.node.readers = 1
    home.made.look()
    home.worker.work()
    assert home.node.latched.info.width == 4


def test_an_answer_that_comes_when_nobody_listens_any_more_or_after_the_end_is_not_told(home):
    home.node.readers = 1
    home.made.look()
    home.node.readers = 0
    home.worker.work()
    assert home.node.sent == []
    home.node.readers = 1
    home.made.look()
    home.made.destroy()
    home.worker.work()
    assert (home.node.sent, home.node.made) == ([], 0)


def test_a_failure_is_told_and_the_floor_is_looked_at_again(home):
    home.node.readers = 1
    home.worker.ended = True
    home.made.look()
    home.worker.ended = False
    good = home.pipeline.floor_plan
    del home.pipeline.floor_plan
    home.made.look()
    home.worker.work()
    assert len(home.node.warnings) == 1
    home.pipeline.floor_plan = good
    home.made.look()
    home.worker.work()
    assert len(home.node.sent) == 1
