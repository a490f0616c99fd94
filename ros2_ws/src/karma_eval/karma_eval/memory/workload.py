# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A robot's life in homes, made up from a seed: objects seen, things told, tasks done, and questions about them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import resources

from karma_memory import Code, Edge, Event, EventKind, Layer, Node, Relation, SkillCall, SkillOutcome, SkillTarget
from karma_memory.recall.query import Query

OBJECTS_PER_HOME = 250
ROOMS = ("Kitchen", "LivingRoom", "Bedroom", "Bathroom")
AREAS_PER_ROOM = 4
USERS = ("Ana", "Ben", "Chloe", "Deniz", "Emre", "Farah", "Goran", "Hana")
SHARES = {"object": 0.6, "told": 0.25, "episode": 0.15}
"""Of the records."""

LIKES = (
    "{user} likes the {thing} on the {place}",
    "the {thing} on the {place} belongs to {user}",
    "{user} never wants the {thing} near the {place}",
    "in the morning {user} looks for the {thing} by the {place}",
    "when {user} is tired, bring the {thing} and leave the {place} alone",
    "{user} got the {thing} as a present and keeps it by the {place}",
    "before dinner {user} moves the {thing} from the {place}",
    "the {thing} is broken, {user} said, and waits on the {place}",
    "My favorite {thing} is the one on the {place}.",
    "I always leave the {thing} by the {place}.",
    "I prefer the {thing} when I come from the {place}.",
)
TASKS = (
    "put the {thing} on the {place}",
    "bring {user} the {thing} from the {place}",
    "clean the {thing} and leave it on the {place}",
    "find the {thing} that was on the {place}",
)
QUESTIONS = (
    "where is the {thing}?",
    "bring me {user}'s {thing}",
    "put the {thing} on the {place}",
    "what does {user} want done with the {thing}?",
    "have you ever cleaned the {thing}, and where did you leave it?",
    "what is on the {place} in the kitchen?",
    "what did {user} say about the {place}?",
    "make breakfast for {user} and use the {thing}",
)


@dataclass(frozen=True)
class Names:
    """Categories of a household, as the robot calls them."""

    movable: tuple[str, ...]
    fixed: tuple[str, ...]


def names() -> Names:
    """Return the categories that the memory's vocabulary starts with."""
    table = json.loads(
        resources.files("karma_language.vocabulary").joinpath("categories.json").read_text(encoding="utf-8")
    )
    return Names(tuple(table["movable"]), tuple(table["fixed"]))


def household(records: int, seed: int) -> Iterator[Event]:
    """Yield the events after which a memory has about `records` records, of which SHARES are of each kind.

    Every OBJECTS_PER_HOME objects the robot comes to another home. One object in ten is used in a task, which is what
    fills short-term memory.
    """
    rng = random.Random(seed)  # noqa: S311 - a workload, no secret
    known = names()
    stamp, home, placed = 0.0, 0, OBJECTS_PER_HOME
    for number in range(records):
        stamp += 1.0
        kind = rng.choices(list(SHARES), list(SHARES.values()))[0]
        words = {"user": rng.choice(USERS), "thing": _spoken(rng.choice(known.movable))}
        words["place"] = _spoken(rng.choice(known.fixed))
        if kind == "object":
            if placed == OBJECTS_PER_HOME:
                home, placed = home + 1, 0
                yield _home(f"home{home}", known, stamp)
            placed += 1
            yield _sighting(number, f"home{home}", known, stamp, rng)
        elif kind == "told":
            text = rng.choice(LIKES).format(**words)
            yield Event(f"told-{number}", EventKind.TOLD, stamp, user=words["user"], text=text)
        else:
            yield from _task(
                number, f"home{max(home, 1)}", rng.choice(TASKS).format(**words), words["user"], stamp, rng
            )


def questions(count: int, seed: int) -> list[Query]:
    """Return questions to every kind of memory, no two alike."""
    rng = random.Random(seed)  # noqa: S311 - a workload, no secret
    known = names()
    texts: dict[tuple[str, str], None] = {}
    while len(texts) < count:
        user = rng.choice(USERS)
        text = rng.choice(QUESTIONS).format(
            user=user, thing=_spoken(rng.choice(known.movable)), place=_spoken(rng.choice(known.fixed))
        )
        texts[text, user] = None
    return [Query(text, user=user) for text, user in texts]


def _home(scene: str, known: Names, stamp: float) -> Event:
    """Return what the robot sees of a home at first: rooms, areas and furniture."""
    nodes = [Node(f"{scene}/floor", Layer.FLOOR, "Floor")]
    edges = []
    for r, room in enumerate(ROOMS):
        nodes.append(Node(f"{scene}/{room}", Layer.ROOM, room, name=room, parent=f"{scene}/floor"))
        for a in range(AREAS_PER_ROOM):
            position = (8.0 * r + 2.0 * a, 0.0, 0.0)
            area = f"{scene}/{room}/{a}"
            nodes.append(Node(area, Layer.AREA, "Area", name=area, parent=f"{scene}/{room}", position=position))
            if a:
                edges.append(Edge(Relation.REACHABLE, f"{scene}/{room}/{a - 1}", area, 2.0))
    for f, category in enumerate(known.fixed):
        room, a = ROOMS[f % len(ROOMS)], f // len(ROOMS) % AREAS_PER_ROOM
        position = (8.0 * (f % len(ROOMS)) + 2.0 * a, 1.0, 0.5)
        nodes.append(
            Node(f"{scene}/{category}|0", Layer.OBJECT, category, parent=f"{scene}/{room}/{a}", position=position)
        )
    return Event(f"{scene}-seen", EventKind.OBSERVATION, stamp, scene=scene, nodes=tuple(nodes), edges=tuple(edges))


def _sighting(number: int, scene: str, known: Names, stamp: float, rng: random.Random) -> Event:
    f = rng.randrange(len(known.fixed))
    position = (8.0 * (f % len(ROOMS)) + 2.0 * (f // len(ROOMS) % AREAS_PER_ROOM), 1.0 + rng.random(), 1.0)
    category = rng.choice(known.movable)
    node = Node(
        f"{scene}/{category}|{number}",
        Layer.OBJECT,
        category,
        position=position,
        movable=True,
        receptacle=f"{scene}/{known.fixed[f]}|0",
        relation="on",
        last_seen=stamp,
    )
    used = f"episode-{number}" if rng.random() < 0.1 else ""
    return Event(f"seen-{number}", EventKind.OBSERVATION, stamp, scene=scene, episode=used, nodes=(node,))


def _task(number: int, scene: str, text: str, user: str, stamp: float, rng: random.Random) -> Iterator[Event]:
    start = Event(
        f"start-{number}", EventKind.EPISODE_START, stamp, scene=scene, user=user, episode=f"task-{number}", text=text
    )
    code = rng.choice((Code.SUCCESS, Code.SUCCESS, Code.NOT_FOUND))
    outcome = SkillOutcome(SkillCall("FindObject", SkillTarget(category=text.split()[-1].title())), code, stamp=stamp)
    yield start
    yield replace(
        start, id=f"skill-{number}", kind=EventKind.SKILL_OUTCOME, stamp=stamp + 0.3, text="", outcome=outcome
    )
    yield replace(
        start, id=f"end-{number}", kind=EventKind.EPISODE_END, stamp=stamp + 0.6, text="in 12 steps", code=code
    )


def _spoken(category: str) -> str:
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in category).strip()
