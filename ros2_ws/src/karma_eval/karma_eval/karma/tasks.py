# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Lists of task sequences in ALFRED-L's form, and the instructions that each sequence consists of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from karma_eval.karma.literals import Literal, clip, read_literals
from karma_language.vocabulary.verbs import VERBS

SIMPLE, COMPOSITE, COMPLEX = KINDS = ("simple", "composite", "complex")
"""The paper's kinds (section 4.1): unrelated tasks; tasks that lean on earlier ones; and those with vague words."""
LONGEST_INSTRUCTION = 4000
"""Characters; a longer one is a mistake."""
_DEEPEST = 6
"""Groups within groups."""
_INSTRUCTION = ("instruction", "instructions", "task", "taskdescription")
_GOALS = ("goalcondition", "goalconditions", "goal", "goals")
_HARD = re.compile(r"\s*(?:→|➔|⇒|->|=>|;|\n|(?<=[a-z\")])[.!]+(?=\s|$))\s*(?:\d{1,2}[.)]\s+|[-•*]\s+)?", re.I)
"""Ends an instruction, whatever follows."""
_NUMBER = re.compile(r"^\s*(?:\d{1,2}[.):]|[-•*])\s+")
_SOFT = re.compile(
    r"\s*(?:,\s*(?:and\s+)?(?:then|next|afterwards?|after that|finally|also)\b,?|,\s*and\b|,|"
    r"\band\s+then\b|\bthen\b|\band\b)\s+",
    re.I,
)
"""Ends an instruction where another request follows that says what it is about."""
_REQUEST = re.compile(r"(?:please\s+)?(?:go\s+(?:and\s+)?)?([a-z]+)((?:\s+[a-z]+){0,2})", re.I)
_ALONE = frozenset({"also", "and", "finally", "first", "next", "now", "please", "then"})
"""Words that are no instruction by themselves."""
_VERB = re.compile(rf"\b(?:{'|'.join(sorted(VERBS))})\b", re.I)
_LEANING = frozenset({"it", "them", "this", "that", "those", "these", "one"})


class TaskFileError(ValueError):
    """A file does not hold a list of tasks; the message says what is wrong."""


@dataclass(frozen=True)
class Task:
    """A sequence of instructions in one home, and what must come of it."""

    kind: str
    id: str
    floor_plan: str
    instructions: tuple[str, ...]
    goals: tuple[Literal, ...]
    problems: tuple[str, ...] = ()
    """Why it can't be judged, as far as the list alone tells."""

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return f"{self.kind} {self.id}"


def own_tasks() -> list[Task]:
    """Return the tasks that come with this package."""
    return read_tasks(json.loads(files(__package__).joinpath("tasks.json").read_text(encoding="utf-8")))


def load_tasks(file: Path) -> list[Task]:
    """Return the tasks of a file. TaskFileError where it is no JSON; see read_tasks."""
    try:
        data = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise TaskFileError(f"{file} can't be read as JSON: {error}") from error
    return read_tasks(data)


def read_tasks(data: Any) -> list[Task]:
    """Return the tasks of a list. A task that lacks something is in it, with the problem; TaskFileError for no list."""
    tasks: list[Task] = []
    seen: set[str] = set()
    for number, (kind, entry) in enumerate(_entries(data, "", 0), 1):
        task = _task(kind, entry, number)
        tasks.append(replace(task, id=f"{task.id}#{number}") if task.name in seen else task)
        seen.add(tasks[-1].name)
    if not tasks:
        raise TaskFileError("there are no tasks in it: give objects with FloorPlan, ID, Instruction and Goal Condition")
    return tasks


def _entries(data: Any, kind: str, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield every task with the kind of the group that it is in, however the groups are nested."""
    if depth > _DEEPEST:
        return
    if isinstance(data, list):
        for item in data:
            if isinstance(item, list) or (isinstance(item, Mapping) and _groups(item)):
                yield from _entries(item, kind, depth + 1)
            else:
                yield kind or _own_kind(item), item
    elif isinstance(data, Mapping):
        groups = _groups(data)
        if not groups and _field(data, *_INSTRUCTION, *_GOALS) is not None:
            yield kind or _own_kind(data), data
        else:
            for key, value in (groups or data).items():
                yield from _entries(value, _kind(key) or kind, depth + 1)


def _groups(data: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the entries that are named after a kind of task."""
    return {key: value for key, value in data.items() if _kind(key) and isinstance(value, (list, Mapping))}


def _own_kind(entry: Any) -> str:
    return (_kind(_field(entry, "type", "kind", "tasktype")) if isinstance(entry, Mapping) else "") or SIMPLE


def _kind(name: object) -> str:
    """Return the kind that a name such as "ComplexTasks" stands for, "" for none."""
    key = re.sub(r"[^a-z]", "", str(name).casefold())
    return next((kind for kind in KINDS if key.startswith(kind)), "")


def _task(kind: str, entry: Any, number: int) -> Task:
    if not isinstance(entry, Mapping):
        return Task(kind, str(number), "", (), (), (f"the task is {clip(entry)!r}, which is no object",))
    problems: list[str] = []
    floor_plan = _floor_plan(_field(entry, "floorplan", "scene", "floorplanid"))
    if not floor_plan:
        problems.append("it has no floor plan")
    instructions = _instructions(_field(entry, *_INSTRUCTION))
    if not instructions:
        problems.append("it has no instruction")
    if sum(map(len, instructions)) > LONGEST_INSTRUCTION:
        problems.append(f"its instruction is longer than {LONGEST_INSTRUCTION} characters")
    goals, unread = read_literals(_field(entry, *_GOALS))
    problems += unread
    if not goals and not unread:
        problems.append("it has no goal condition")
    identifier = _field(entry, "id", "taskid")
    return Task(
        kind,
        clip(identifier, 20) if identifier is not None else str(number),
        floor_plan,
        instructions,
        goals,
        tuple(problems),
    )


def _field(entry: Mapping[Any, Any], *names: str) -> Any:
    """Return a field, however it is spelt: "Goal Condition", "goal_condition"."""
    found = {re.sub(r"[^a-z]", "", str(key).casefold()): value for key, value in entry.items()}
    return next((found[name] for name in names if found.get(name) is not None), None)


def _floor_plan(value: Any) -> str:
    """Return the scene's name: FloorPlan7 for 7, "floorplan 7" and "FloorPlan7_physics"."""
    text = clip(value, 80) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
    match = re.fullmatch(r"(?:floor\s*_?plan)?\s*[_-]?\s*(\d{1,3})(?:_physics)?", text.strip(), re.I)
    return f"FloorPlan{int(match.group(1))}" if match else text.strip()


def _instructions(value: Any) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(part for item in value for part in _instructions(item))
    return split_instruction(value) if isinstance(value, str) else ()


def split_instruction(text: str) -> tuple[str, ...]:
    """Return the instructions of a sequence that is written as one text.

    Sentences, lines, arrows and semicolons end one; so do commas, "and" and "then" before a request that names what it
    is about. "Wash the apple and put it on the plate" stays one.
    """
    parts = [_NUMBER.sub("", part) for part in _HARD.split(_NUMBER.sub("", text.strip()))]
    return tuple(piece for part in parts for piece in _softly(part) if any(map(str.isalpha, piece)))


def _softly(text: str) -> list[str]:
    pieces, start = [], 0
    for match in _SOFT.finditer(text):
        said = text[start : match.start()]
        if _VERB.search(said) and _requests(text[match.end() :]):
            pieces.append(said)
            start = match.end()
    pieces.append(text[start:])
    stripped = [piece.strip(" ,.") for piece in pieces]
    return [piece for piece in stripped if piece.casefold() not in _ALONE]


def _requests(text: str) -> bool:
    """Whether a text begins with a request that does not lean on what comes before."""
    match = _REQUEST.match(text)
    if match is None or match.group(1).casefold() not in VERBS:
        return False
    return not _LEANING & {word.casefold() for word in match.group(2).split()}
