# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a person told is done later, with their things wherever they are, after a restart, for nobody else."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.srv import GetSceneGraph, MoveObject, Recall
from karma_ros.result_codes import code_name

pytestmark = [pytest.mark.ros, pytest.mark.slow]

BREAKFAST = "Put the mug on the stool and the bread in the pan. That's my usual breakfast."
GIFT = "Put the vase on the counter. It is a gift from my grandma."


def instruct(client, text: str, user: str) -> Any:
    goal = ExecuteInstruction.Goal(instruction=text, user=user)
    return client.run_action(ExecuteInstruction, "execute_instruction", goal, timeout=300.0, connect_timeout=60.0)


def do(client, text: str, user: str = "ann") -> Any:
    result = instruct(client, text, user)
    assert code_name(result.result) == "SUCCESS", result.result.message
    return result


def where(client) -> dict[str, str]:
    """Return what everything truly rests on or in, by id."""
    graph = client.call(GetSceneGraph, "sim/ground_truth", GetSceneGraph.Request(), timeout=60.0).graph
    return {node.id: node.receptacle for node in graph.nodes}


def person_moves(client, thing: str, to: str) -> None:
    moved = client.call(MoveObject, "sim/move_object", MoveObject.Request(object=thing, receptacle=to), timeout=60.0)
    assert code_name(moved.result) == "SUCCESS", moved.result.message
    assert where(client)[thing] == moved.receptacle


def put(result: Any) -> list[tuple[str, str]]:
    """Return what was put where."""
    skills = [outcome for outcome in result.skills if code_name(outcome.result) == "SUCCESS"]
    taken = [outcome.call.target.id for outcome in skills if outcome.call.skill == "PickupObject"]
    return list(zip(taken, [o.call.receptacle.id for o in skills if o.call.skill == "PutObject"], strict=True))


def test_what_a_person_told_is_done_as_they_told_it(graph, client, eventually) -> None:
    (mug, stool), (bread, pan) = put(do(client, BREAKFAST))
    ((gift, _),) = put(do(client, GIFT))
    others = [name for name in where(client) if name.startswith("Vase") and name != gift]
    assert others

    before = graph.pids["memory_server"]
    os.kill(before, signal.SIGKILL)
    assert eventually(lambda: graph.pids.get("memory_server", before) != before)
    graph.wait_active(180)
    found = client.call(Recall, "memory/recall", Recall.Request(query="breakfast", user="ann", kinds=["profile"]))
    (known,) = [one for one in found.recollections if one.name == "my usual breakfast"]
    assert (known.told, list(known.object_ids), list(known.place_ids)) == (BREAKFAST, [mug, bread], [stool, pan])

    person_moves(client, mug, "SinkBasin")
    person_moves(client, gift, "Shelf")
    was = where(client)

    def refused_to_bob():
        refused = instruct(client, "Set up my usual breakfast.", "bob")
        assert code_name(refused.result) != "SUCCESS"
        assert not refused.skills
        return "my usual breakfast" in refused.result.message

    assert eventually(refused_to_bob)  # once the planner has found the memory again that was restarted
    assert was == where(client)

    done = do(client, "Set up my usual breakfast, then put the gift from my grandma on the stool.")
    now = where(client)
    assert (now[mug], now[bread]) == (stool, pan)
    assert now[gift].startswith("Stool")
    assert {name: now[name] for name in others} == {name: was[name] for name in others}
    assert {"my usual breakfast", "a gift from my grandma"} <= {recollection.name for recollection in done.recalled}
    assert "That's my usual breakfast." in done.result.message
