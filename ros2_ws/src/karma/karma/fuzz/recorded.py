# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A recorded trial whose exchanges are garbage."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from rclpy.serialization import deserialize_message, serialize_message
from rosbags.rosbag2 import Writer

from karma.fuzz.garbage import Garbage
from karma.replay.model import recorded_answers
from karma.replay.tape import Tape
from karma.replay.trial import JOURNAL, TYPE, load_trial, others_events, settings_then
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import Exchange, MemoryEvent, Result
from karma_interfaces.srv import Recall, Remember
from karma_memory.ros.bag import STORAGES, typestore
from planner_node.ros.exchanges import JSON, LLM, TOPIC, interfaces, packed


def write_exchanges(folder: Path, journal: Path) -> Path:
    """Write a trial whose planner was asked something, asked the memory and a model, and answered; return its bag."""
    said: list[tuple[str, Any, Any]] = [
        ("execute_instruction", ExecuteInstruction.Goal(instruction="Find the mug."), None),
        ("memory/recall", Recall.Request(query="mug"), Recall.Response(result=Result(code=Result.SUCCESS), sequence=1)),
        ("memory/remember", Remember.Request(events=[MemoryEvent(id="a", text="x")]), Remember.Response(sequences=[2])),
        (LLM, {"model": "m", "messages": [], "format": {}, "options": {"num_ctx": 2048}}, "{}"),
        ("execute_instruction", None, ExecuteInstruction.Result(result=Result(code=Result.SUCCESS))),
    ]
    bag = folder / "bag"
    with Writer(bag, version=9, storage_plugin=STORAGES["sqlite3"]) as writer:
        connection = writer.add_connection(f"/{TOPIC}", TYPE, typestore=typestore())
        for number, (name, request, response) in enumerate(said, 1):
            message = Exchange(sequence=number, interfaces=interfaces(), instruction_id="i", name=name)
            for part, content in (("request", request), ("response", response)):
                kind, data = (JSON, json.dumps(content).encode()) if name == LLM else packed(content)
                setattr(message, f"{part}_type", kind)
                setattr(message, part, data)
            writer.write(connection, number, serialize_message(message))
    journal.rename(bag / JOURNAL)
    return next(bag.glob("*.db3"))


def replayable(bag: Path) -> None:
    """Read a trial, and all that a replay takes of its exchanges before it begins."""
    trial = load_trial(bag)
    Tape(trial.exchanges)
    recorded_answers(trial.exchanges)
    others_events(trial)
    settings_then(trial)
    for number in range(1, len(trial.instructions) + 1):
        assert trial.only(number).last >= 0


def changed_exchange(garbage: Garbage, data: bytes) -> bytes:
    """Return a bag (SQLite) with something of one exchange in it changed."""
    with closing(sqlite3.connect(":memory:")) as bag:
        bag.deserialize(data)
        row, held = garbage.random.choice(list(bag.execute("SELECT id, data FROM messages ORDER BY id")))
        exchange = deserialize_message(held, Exchange)
        if (chance := garbage.random.random()) < 0.2:
            held = garbage.data(held)
        elif chance < 0.5:
            held = serialize_message(garbage.mutated(exchange))
        else:
            part = "request" if chance < 0.75 else "response"
            said = bytes(getattr(exchange, part))
            as_json = getattr(exchange, f"{part}_type") == JSON
            setattr(
                exchange, part, json.dumps(garbage.tree(json.loads(said))).encode() if as_json else garbage.data(said)
            )
            held = serialize_message(exchange)
        bag.execute("UPDATE messages SET data = ? WHERE id = ?", (held, row))
        bag.commit()
        return bag.serialize()
