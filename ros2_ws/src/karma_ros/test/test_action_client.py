# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An answer to a goal is not lost to the thread that sends the goal."""

from __future__ import annotations

import threading

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2")

from rclpy.action import ActionClient

from karma_ros.action_client import SafeActionClient


def test_no_answer_to_a_goal_is_taken_while_the_goal_is_being_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go = threading.Event(), threading.Event()
    done: list[str] = []

    def send(client: ActionClient) -> None:
        begun.set()
        assert go.wait(60.0)
        done.append("sent")

    monkeypatch.setattr(ActionClient, "send_goal_async", send)
    monkeypatch.setattr(ActionClient, "take_data", lambda client: done.append("taken"))
    monkeypatch.setattr(ActionClient, "destroy", lambda client: None)
    client = SafeActionClient.__new__(SafeActionClient)
    threads = [threading.Thread(target=client.send_goal_async), threading.Thread(target=client.take_data)]
    threads[0].start()
    assert begun.wait(60.0)
    threads[1].start()
    threads[1].join(0.1)  # long enough for one that does not wait
    go.set()
    for thread in threads:
        thread.join()
    assert done == ["sent", "taken"]
