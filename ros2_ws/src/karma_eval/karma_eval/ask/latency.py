# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How long answers take: in the library at several sizes, and through a real memory node over ROS."""

from __future__ import annotations

import random
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from karma_eval.ask.wordings import own
from karma_eval.memory.measure import SEED, Percentiles, seconds_of
from karma_eval.memory.workload import USERS, household, names
from karma_eval.progress import progress
from karma_language.vocabulary import household as vocabulary
from karma_language.vocabulary.terms import plural_of
from karma_memory import Event, EventKind, Layer, Memory
from karma_ros.domain import claim_domain

SIZES = (1_000, 10_000, 100_000)
"""Records."""
AT = 10_000
"""Records that are asked over ROS."""
QUESTIONS = 300
BATCH = 200
HERE = "home1"
MOVED = 0.2
"""Share of the records that are moves of things."""
ANSWER_S = 30.0
Question = tuple[str, str]
"""Words, and who asks."""


def asked(count: int) -> list[Question]:
    """Return questions of all kinds, in KARMA's own wordings."""
    rng = random.Random(SEED)  # noqa: S311 - a workload, no secret
    known, found = names(), []
    wordings = [one for said in own().values() for one in said]
    for _ in range(count):
        thing = vocabulary().kind(rng.choice(known.movable)).noun
        values = {
            "object": thing,
            "objects": plural_of(thing),
            "place": vocabulary().kind(rng.choice(known.fixed)).noun,
            "state": rng.choice(("on", "open", "clean", "dirty")),
            "time": rng.choice(("this morning", "two hours ago", "yesterday", "an hour ago")),
        }
        found.append((rng.choice(wordings).fill(values), rng.choice(USERS)))
    return found


def _lived(records: int) -> list[Event]:
    """Return a life of about so many records, in which things of the home that is asked about are moved at last."""
    rng = random.Random(SEED)  # noqa: S311 - a workload, no secret
    events = [*household(round(records * (1.0 - MOVED)), SEED)]
    nodes = {node.id: node for event in events if event.scene == HERE for node in event.nodes}
    things = [node for node in nodes.values() if node.movable]
    places = [node for node in nodes.values() if node.layer is Layer.OBJECT and not node.movable]
    stamp = events[-1].stamp
    for number in range(round(records * MOVED)):
        stamp += 1.0
        place = rng.choice(places)
        thing = replace(rng.choice(things), receptacle=place.id, position=place.position, last_seen=stamp)
        events.append(Event(f"moved-{number}", EventKind.OBSERVATION, stamp, scene=HERE, nodes=(thing,)))
    return events


def fill(path: Path, records: int) -> float:
    """Have a memory live until it has about so many records; return its time then, seconds."""
    events = _lived(records)
    with Memory(path, embedder="lexical") as memory:
        for start in progress(range(0, len(events), BATCH), unit="batches", desc=f"remember {records:,} records"):
            memory.remember(events[start : start + BATCH])
        memory.upkeep.snapshot()
    return events[-1].stamp + 1.0


def library(path: Path, now: float, questions: list[Question]) -> Percentiles:
    """Return how long a memory takes to answer, after one round that loads what is loaded once."""
    with Memory(path, embedder="lexical") as memory:
        took = [
            [seconds_of(memory.ask, words, user=user, scene=HERE, now=now) for words, user in some]
            for some in (questions[:20], questions)
        ]
        return Percentiles.of(took[1])


def curve(sizes: tuple[int, ...] = SIZES) -> list[tuple[int, Percentiles]]:
    """Return the latency of answers at several sizes."""
    found = []
    for records in sizes:
        with tempfile.TemporaryDirectory(prefix="karma-ask-") as folder:
            path = Path(folder) / "memory.sqlite3"
            found.append((records, library(path, fill(path, records), asked(QUESTIONS))))
    return found


def over_ros(records: int = AT) -> Percentiles:
    """Return how long answers take from a memory node in a process of its own. RuntimeError where it gives none."""
    with tempfile.TemporaryDirectory(prefix="karma-ask-") as folder:
        path = Path(folder) / "memory.sqlite3"
        fill(path, records)
        with claim_domain(None) as domain_id, _node(path, domain_id) as ask:
            questions = progress(asked(QUESTIONS), unit="questions", desc="ask over ROS")
            return Percentiles.of([seconds_of(ask, *question) for question in questions][QUESTIONS // 10 :])


@contextmanager
def _node(path: Path, domain_id: int) -> Iterator[Callable[[str, str], Any]]:
    """Run a memory node on a journal, active, and give a function that asks it."""
    from lifecycle_msgs.msg import Transition
    from lifecycle_msgs.srv import ChangeState

    from karma_eval.ros.round_trips import NoAnswerError, running_module, service_client
    from karma_interfaces.srv import Ask

    parameters = ("--ros-args", "-p", f"database:={path}", "-p", "embedder:=lexical")
    with (
        running_module("karma_memory.memory_node", *parameters, domain_id=domain_id, stderr=subprocess.DEVNULL),
        service_client(domain_id, answer_s=ANSWER_S) as call,
    ):
        for transition in (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE):
            request = ChangeState.Request(transition=Transition(id=transition))
            if not call(ChangeState, "memory_server/change_state", request)[0].success:
                raise NoAnswerError("the memory node does not become active")
        yield lambda words, user: call(Ask, "memory/ask", Ask.Request(question=words, user=user, scene=HERE))
