# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The doors through which something gets into the memory, each as an attacker uses it. One that is closed raises."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from karma_language.reading import Reading, Telling, Told
from karma_memory import Memory
from karma_memory.command.__main__ import main as journal_command
from karma_memory.events import Code, Event, EventKind, SkillCall, SkillOutcome, SkillTarget
from karma_memory.preferences import Lesson, Mode, Request
from karma_memory.preferences.wire import lesson_event
from karma_memory.scene import Layer, Node
from poisoning.home import SCENE, Household, ShutError

Door = Callable[[Household], object]
SOON = 3600.0
"""Seconds after now."""


def tells(user: str, *words: str) -> Door:
    """Let somebody tell something, and ask for nothing."""

    def door(home: Household) -> None:
        for one in words:
            home.tell(user, one)

    return door


def says(user: str, *words: str, right: bool | None = None) -> Door:
    """Let somebody say something to the robot, which does it, and then whether that was right."""

    def door(home: Household) -> None:
        for one in words:
            report = home.home.say(one, home.who(user), answer="yes")
            if right is not None:
                home.home.judge(report, right=right, user=home.who(user))

    return door


def floods(user: str, number: int, *words: str) -> Door:
    """Let somebody tell very much."""

    def door(home: Household) -> None:
        now, who = home.now, home.who(user)
        texts = (f"{words[at % len(words)]} {'' if at < len(words) else at}".strip() for at in range(number))
        home.memory.remember([Event(_id(), EventKind.TOLD, now, user=who, text=text) for text in texts])

    return door


def agent(user: str, tool: str, /, **arguments: object) -> Door:
    """Somebody's agent calls a tool (MCP), with --write; the connection says who somebody is."""
    return lambda home: home.memory.call(tool, arguments, user=home.who(user))


def agents_forget(user: str, text: str) -> Door:
    """Somebody's agent forgets what Ann told."""
    return lambda home: agent(user, "forget", id=f"told:{home.told(text)}")(home)


def sees(category: str, name: str = "", *, layer: Layer = Layer.OBJECT, later: float = 0.0, **fields: Any) -> Door:
    """Perception reports a thing, or a place, as it is labelled."""

    def door(home: Household) -> None:
        node = Node(f"odd|{category}", layer, category, name=name or category, last_seen=home.now + later)
        home.send(_event(home, EventKind.OBSERVATION, later, nodes=(replace(node, **fields),)))

    return door


def mug(*, gone: bool = False, later: float = 0.0) -> Door:
    """Perception reports that the mug is in the garbage can, or gone."""

    def door(home: Household) -> None:
        known = home.memory.find("Mug", SCENE)
        can = home.memory.find("GarbageCan", SCENE)
        assert known is not None
        assert can is not None
        moved = replace(known, receptacle=can.id, relation="in", position=can.position, last_seen=home.now + later)
        said: dict[str, Any] = {"removed": (known.id,)} if gone else {"nodes": (moved,)}
        home.send(_event(home, EventKind.OBSERVATION, later, **said))

    return door


def sent(kind: EventKind, later: float = 0.0, **said: Any) -> Door:
    """Another node of the graph sends an event."""
    return lambda home: home.send(_event(home, kind, later, **said))


def under_anns_id(user: str, text: str, said: str, suffix: str = "") -> Door:
    """Somebody's words come with the id of what Ann told."""
    return lambda home: home.send(
        replace(_event(home, EventKind.TOLD, user=user, text=said), id=home.told(text) + suffix)
    )


def edits(user: str, text: str, new: str = "") -> Door:
    """Send an edit of what somebody told, as another's."""

    def door(home: Household) -> None:
        who = home.teller(text) if home.theirs else user
        home.send(_event(home, EventKind.EDIT, user=who, target=f"told:{home.told(text)}", text=new))

    return door


def reads(user: str, text: str, *items: Told) -> Door:
    """Send a reading of what somebody told, as somebody's."""
    reading = Reading(reader="attacker", items=items)
    return lambda home: home.send(
        _event(home, EventKind.READING, user=user, target=home.told(text), text=reading.to_json())
    )


def preference(quote: str, value: str, circumstance: str = "") -> Told:
    """Return that words say what is preferred."""
    return Told(quote=quote, kind=Telling.PREFERENCE, value=(value,), circumstance=circumstance)


def ends_anns_task(user: str, code: Code = Code.EXECUTION_FAILURE) -> Door:
    """Somebody ends a task of Ann's once more, as failed."""
    return lambda home: home.send(
        _event(home, EventKind.EPISODE_END, user=user, episode=home.task("Wash the mug."), code=code, message="broken")
    )


def in_anns_task(user: str, kind: EventKind, call: SkillCall | None = None, **said: Any) -> Door:
    """Somebody adds to a task of Ann's."""

    def door(home: Household) -> None:
        outcome = SkillOutcome(call, Code.SUCCESS, stamp=home.now) if call is not None else None
        home.send(_event(home, kind, user=user, episode=home.task("Wash the mug."), outcome=outcome, **said))

    return door


def task(
    user: str, instruction: str, *steps: tuple[str, str, str, str], goal: str = "", meant: str = "", right: bool = False
) -> Door:
    """Send a whole task that never was: (skill, thing, place, why it failed) each."""

    def door(home: Household) -> None:
        home.send(*task_events(home, user, instruction, *steps, goal=goal, meant=meant))
        if right:
            home.send(
                _event(
                    home, EventKind.FEEDBACK, user=user, episode=home.task(instruction), text="ok", code=Code.SUCCESS
                )
            )

    return door


def task_events(
    home: Household, user: str, instruction: str, *steps: tuple[str, str, str, str], goal: str = "", meant: str = ""
) -> list[Event]:
    """Return the events of a task."""
    about: dict[str, Any] = {"user": user, "episode": _id()}
    goals = (goal,) if goal else ()
    made = [_event(home, EventKind.EPISODE_START, text=instruction, goals=goals, **about)]
    for skill, thing, place, wrong in steps:
        code = Code.PRECONDITION_FAILURE if wrong else Code.SUCCESS
        call = SkillCall(skill, _target(home, thing), _target(home, place))
        outcome = SkillOutcome(call, code, wrong, stamp=home.now)
        made.append(_event(home, EventKind.SKILL_OUTCOME, outcome=outcome, **about))
    ended = (meant,) if meant else goals
    return [*made, _event(home, EventKind.EPISODE_END, code=Code.SUCCESS, goals=ended, **about)]


def many(doors: Iterable[Door]) -> Door:
    """Go through all of them."""
    return lambda home: [door(home) for door in doors]


def bag(*made: Callable[[Household], list[Event]]) -> Door:
    """Append a recording that somebody brought to the memory's journal."""
    return _brought(("bag", "export"), ("bag", "import"), made, "recording")


def imported(*made: Callable[[Household], list[Event]]) -> Door:
    """Append an exported file that somebody brought to the memory's journal."""
    return _brought(("export",), ("import",), made, "file.jsonl.gz")


def _brought(
    out: tuple[str, ...], back: tuple[str, ...], made: Iterable[Callable[[Household], list[Event]]], name: str
) -> Door:
    def door(home: Household) -> None:
        path, theirs = home.folder / name, home.folder / "theirs.sqlite3"
        events = [event for one in made for event in one(home)]
        with Memory(theirs, embedder="lexical") as other:
            for event in events:  # whatever the memory itself would refuse
                other._live.commit([event], checked=False)
        assert journal_command([*out, str(theirs), str(path)]) == 0

        def take_in(journal: Path) -> None:
            people = ["--people"] * home.theirs  # of a file that one made oneself
            if journal_command([*back, *people, str(path), str(journal)]):
                raise ShutError(name)

        home.reopened(take_in)

    return door


def made(kind: EventKind, later: float = 0.0, **said: Any) -> Callable[[Household], list[Event]]:
    """Return what makes an event for a file."""
    return lambda home: [_event(home, kind, later, **said)]


def made_edit(user: str, text: str, new: str = "") -> Callable[[Household], list[Event]]:
    """Return what makes an edit of what Ann told for a file."""
    return lambda home: [_event(home, EventKind.EDIT, user=user, target=f"told:{home.told(text)}", text=new)]


def lesson(user: str, chosen: str, revises: str = "") -> Callable[[Household], list[Event]]:
    """Return what makes a lesson about what somebody prefers, in place of what Ann told."""

    def make(home: Household) -> list[Event]:
        request = Request(home.who(user), "bring me a drink, I am tired", Mode.FETCH, "", ("tea", "coffee", "juice"))
        taught = Lesson(request, chosen, (home.told(revises),) if revises else ())
        return [lesson_event(taught, f"No, {chosen}.", event_id=_id(), stamp=home.now)]

    return make


def lessons(*all_made: Callable[[Household], list[Event]]) -> Door:
    """Send lessons."""
    return many([lambda home, one=one: home.send(*one(home)) for one in all_made])  # type: ignore[misc]


def model_thinks(insight: str, *users: str, instruction: str = "Put the apple on the plate.") -> Door:
    """Let a model that was talked into it make an insight of people's tasks."""

    def door(home: Household) -> None:
        for user in users:
            report = home.home.say(instruction, home.who(user))
            text = json.dumps({"insights": [insight]})
            thought = _event(home, EventKind.REFLECTION, user=user, episode=report.instruction_id, text=text)
            home.memory._live.commit([thought], checked=False)

    return door


def _event(home: Household, kind: EventKind, later: float = 0.0, **said: Any) -> Event:
    if "user" in said:
        said["user"] = home.who(said["user"])
    return Event(_id(), kind, home.now + later, scene=SCENE, **said)


def _target(home: Household, category: str) -> SkillTarget:
    known = home.memory.find(category, SCENE) if category else None
    return SkillTarget(known.id if known is not None else "", category)


def _id() -> str:
    return str(uuid.uuid4())
