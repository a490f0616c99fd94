# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions for the job of each of emem's ten tools, with the answer that follows from the day, and the judge."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from karma_eval.answers import says
from karma_eval.tools.day import PATROL, THINGS, Day, Did, Felt, Heard, Patrol, Saw

LINES = 3
"""Of an answer that are looked at; headings not counted."""
NEAR = 0.5
"""Metres."""
RADIUS = 1.2
"""Metres around a place; the next one is farther away."""

Call = tuple[str, dict[str, Any]]
"""A tool's name and its arguments."""
Fact = tuple[str, ...]
"""Words that have to be in one sentence; "a|b": one of the two."""


@dataclass(frozen=True)
class Truth:
    """What a right answer says."""

    facts: tuple[Fact, ...] = ()
    at: tuple[float, float] | None = None
    """Where the thing is, metres."""
    outdated: tuple[Fact, ...] = ()
    """What was so earlier and is not any more: who names it beside the answer leaves it to the reader which holds."""


@dataclass(frozen=True)
class Question:
    """A question for both memories."""

    emem: Call
    karma: Call
    truth: Truth
    user: str = ""
    """Who asks."""

    @property
    def job(self) -> str:
        """The tool of emem whose job it is."""
        return self.emem[0]


def questions(day: Day) -> Iterator[Question]:
    """Yield the questions that a day has an answer to."""
    done, heard, patrols, recent = day.of(Did), day.of(Heard), day.of(Patrol), day.of(Saw)
    moved = [thing for thing in THINGS if day.left(thing)]
    stayed = [thing for thing in THINGS if not day.left(thing)]
    yield from _by_meaning(day, heard, (moved[0], stayed[0]))
    yield from _around(day, (moved[1], stayed[0]), recent)
    yield from _in_time(day, done, heard, patrols)
    yield from _tasks(done)
    yield from _long_ago(day, done, patrols, moved[0])
    yield from _things(day, done, heard, (moved[0], stayed[0]))
    *before, now = [("battery", str(one.percent)) for one in day.of(Felt)]
    yield Question(
        ("body_status", {}), ("ask", {"question": "How full is the battery?"}), Truth((now,), outdated=tuple(before))
    )


def _by_meaning(day: Day, heard: list[Heard], things: tuple[str, ...]) -> Iterator[Question]:
    for one in (heard[0], heard[2]):
        query = one.saying.question
        yield Question(
            ("semantic_search", {"query": query}),
            ("recall", {"query": query}),
            Truth(((one.saying.answer,),)),
            one.user,
        )
    for thing in things:
        query = f"Where is the {thing}?"
        yield Question(("semantic_search", {"query": query}), ("recall", {"query": query}), _is_where(day, thing))


def _around(day: Day, things: tuple[str, ...], recent: list[Saw]) -> Iterator[Question]:
    near = [(day.place(thing), "spatial_query") for thing in things]
    for place, name in (*near, (recent[-1].place, "get_current_context")):
        x, y, _ = place.at
        there = day.there(place)
        gone = [one for one in day.known if one not in there and place in day.left(one)]
        yield Question(
            (name, {"x": x, "y": y, "radius": RADIUS} if name == "spatial_query" else {}),
            ("nearby", {"place": place.name, "radius": RADIUS}),
            Truth(tuple((one,) for one in there), outdated=tuple((one,) for one in gone)),
        )


def _in_time(day: Day, done: list[Did], heard: list[Heard], patrols: list[Patrol]) -> Iterator[Question]:
    def within(since: float, until: float, tool: str) -> tuple[Call, Call]:
        return (
            ("temporal_query", {"time_after": str(since), "time_before": str(until)}),
            (tool, {"since": _clock(since), "until": _clock(until)}),
        )

    for stamp, user, fact in (
        (done[0].stamp, done[0].user, (done[0].thing, done[0].place.name)),
        (heard[1].stamp, heard[1].user, (heard[1].saying.answer,)),
    ):
        yield Question(*within(stamp - 60.0, stamp + 60.0, "look_back"), Truth((fact,)), user)
    first, last = patrols[0], patrols[-1]
    seen = first.seen[len(first.seen) // 2]
    yield Question(  # what was seen at a time
        *within(seen.stamp - 5.0, seen.stamp + 5.0, "look_back"), Truth(((seen.thing, seen.place.name),))
    )
    found = next(one for one in last.seen if day.place(one.thing, last.stamp - 1.0) != one.place)
    yield Question(  # what was found elsewhere
        *within(last.stamp - 60.0, last.seen[-1].stamp + 60.0, "what_changed"),
        Truth(((found.thing, found.place.name),)),
    )
    yield Question(  # what has just been said
        ("get_current_context", {}),
        ("look_back", {"since": "5 minutes ago"}),
        Truth(((heard[-1].saying.answer,),)),
        heard[-1].user,
    )


def _tasks(done: list[Did]) -> Iterator[Question]:
    for one in done[:2]:
        yield Question(
            ("episode_summary", {"task_name": one.task}),
            ("recall", {"query": one.task, "kinds": ["episodic"]}),
            Truth((_outcome(one),)),
            one.user,
        )
    failed = next(one for one in done if one.reason)
    yield Question(
        ("episode_summary", {"task_name": failed.task}),
        ("ask", {"question": f"Why did you not {failed.task}?"}),
        Truth(((failed.reason,),)),
        failed.user,
    )


def _long_ago(day: Day, done: list[Did], patrols: list[Patrol], thing: str) -> Iterator[Question]:
    then = patrols[0].seen[-1].stamp + 60.0
    yield Question(
        ("search_gists", {"query": f"{PATROL}: {thing}", "time_before": str(then)}),
        ("ask", {"question": f"Where was the {thing}?", "at": _clock(then)}),
        Truth(((thing, day.place(thing, then).name),)),
    )
    one = done[1]
    yield Question(
        ("search_gists", {"query": one.task}),
        ("ask", {"question": f"Did you {one.task}?"}),
        Truth((("failed" if one.reason else f"{one.task}: done|yes",),)),
        one.user,
    )


def _things(day: Day, done: list[Did], heard: list[Heard], things: tuple[str, ...]) -> Iterator[Question]:
    for thing in things:
        x, y, _ = day.place(thing).at
        for call in (("entity_query", {"name": thing}), ("locate", {"concept": thing})):
            yield Question(call, ("where_is", {"thing": thing}), Truth(at=(x, y)))
    only_seen = next(thing for thing in THINGS if thing not in [one.thing for one in done])
    times = day.seen[only_seen]
    often = {1: "once", 2: "twice"}.get(times, f"{times} times")
    yield Question(
        ("entity_query", {"name": only_seen}),
        ("ask", {"question": f"How often did you see the {only_seen}?"}),
        Truth(((f"seen {times}x|{often}|{times} times",),)),
    )
    for one in heard[2:4]:
        thing = next(name for name in THINGS if name in one.saying.words)
        where = _is_where(day, thing)
        yield Question(
            ("recall", {"query": thing}),
            ("recall", {"query": thing}),
            Truth((*where.facts, (one.saying.answer,)), outdated=where.outdated),
            one.user,
        )


def _is_where(day: Day, thing: str) -> Truth:
    left = tuple((thing, place.name) for place in day.left(thing))
    return Truth(((thing, day.place(thing).name),), outdated=left)


def _outcome(done: Did) -> Fact:
    return (done.thing, done.reason or done.place.name)


def _clock(stamp: float) -> str:
    return datetime.fromtimestamp(stamp).astimezone().isoformat(timespec="seconds")


_SENTENCES = re.compile(r"(?<=[.!?”])\s+(?=[A-Z“])| \| ")
"""What is between sentences, and between the parts of emem's summaries."""
_HEADING = re.compile(r".*:|\s*\[\w+\]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""What is between the words of a category: CoffeeTable."""
_POINT = re.compile(r"[(\[](-?\d+\.\d+), ?(-?\d+\.\d+)")


def holds(answer: str, truth: Truth, lines: int = LINES) -> bool:
    """Whether the first lines of an answer say what is true."""
    first = _first(answer, lines)
    return all(_says(first, fact) for fact in truth.facts) and (truth.at is None or _is_near(first, truth.at))


def is_outdated(answer: str, truth: Truth) -> bool:
    """Whether the first lines of an answer say what is not true any more."""
    return any(_says(_first(answer, LINES), fact) for fact in truth.outdated)


def _first(answer: str, number: int) -> list[str]:
    lines = [line for line in answer.splitlines() if line.strip() and not _HEADING.fullmatch(line.rstrip())]
    return [_CAMEL.sub(" ", part) for line in lines[:number] for part in _SENTENCES.split(line)]


def _says(parts: list[str], fact: Fact) -> bool:
    return any(all(any(says(part, one) for one in words.split("|")) for words in fact) for part in parts)


def _is_near(parts: list[str], at: tuple[float, float]) -> bool:
    points = [(float(x), float(y)) for part in parts for x, y in _POINT.findall(part)]
    return any(abs(x - at[0]) <= NEAR and abs(y - at[1]) <= NEAR for x, y in points)
