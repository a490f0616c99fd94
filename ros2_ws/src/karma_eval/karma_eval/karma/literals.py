# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goal conditions in ALFRED-L's form: `ON(apple, plate): 1, STATE(apple, clean): 1` (KARMA, table 2).

Lists are written by people, so what can be read is read, and the rest is named as a problem.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

MOST_LITERALS = 200
"""Of one task; more are a mistake."""
_LITERAL = re.compile(r"([A-Za-z][A-Za-z_ ]*)\(([^()]*)\)\s*(?:[:=]\s*([^,;\n]*))?")
_BETWEEN = re.compile(r"(?:[\s,;.&{}\[\]'\"]|\band\b)+", re.I)


class Relation(str, Enum):
    """What a literal says."""

    ON = "ON"
    INSIDE = "INSIDE"
    STATE = "STATE"
    SWITCHED_ON = "TOGGLEON"
    SWITCHED_OFF = "TOGGLEOFF"
    HELD = "HOLDON"


_RELATIONS = {
    "on": Relation.ON,
    "ontopof": Relation.ON,
    "inside": Relation.INSIDE,
    "in": Relation.INSIDE,
    "state": Relation.STATE,
    "toggleon": Relation.SWITCHED_ON,
    "switchon": Relation.SWITCHED_ON,
    "turnon": Relation.SWITCHED_ON,
    "toggleoff": Relation.SWITCHED_OFF,
    "switchoff": Relation.SWITCHED_OFF,
    "turnoff": Relation.SWITCHED_OFF,
    "holdon": Relation.HELD,
    "hold": Relation.HELD,
    "holding": Relation.HELD,
    "holds": Relation.HELD,
}
_STATED = {"open": "open", "isopen": "open", "opened": "open", "close": "closed", "closed": "closed"}
"""Predicates of one thing that say a state."""
_NUMBERS = {"true": 1, "yes": 1, "false": 0, "no": 0}
_HOLDERS = frozenset({"robot", "robots", "agent", "hand", "gripper"})
_STATES = {
    "clean": ("clean", "cleaned", "washed", "rinsed"),
    "dirty": ("dirty", "soiled"),
    "sliced": ("sliced", "cut", "chopped", "sliced up"),
    "hot": ("hot", "heated", "warm", "warmed", "microwaved"),
    "cooked": ("cooked", "toasted", "fried", "boiled"),
    "cold": ("cold", "cooled", "chilled", "cool"),
    "filled": ("filled", "full"),
    "empty": ("empty", "emptied"),
    "open": ("open", "opened"),
    "closed": ("closed", "close", "shut"),
    "on": ("on", "toggled", "toggledon", "switchedon", "turnedon"),
    "off": ("off", "toggledoff", "switchedoff", "turnedoff"),
    "broken": ("broken", "smashed"),
}
_STATE_NAMES = {re.sub(r"\W", "", name): state for state, names in _STATES.items() for name in names}


@dataclass(frozen=True)
class Literal:
    """One condition that a task must bring about."""

    relation: Relation
    thing: str
    """As the list calls it; "" where it does not say: whatever was put there."""
    place: str = ""
    """ON, INSIDE: on or in what."""
    state: str = ""
    """STATE: clean, dirty, sliced, hot, cooked, cold, filled, empty, open, closed, broken."""
    count: int = 1
    """Of how many things; 0: of none."""

    def __str__(self) -> str:
        arguments = [argument for argument in (self.thing, self.place, self.state) if argument]
        return f"{self.relation.value}({', '.join(arguments)}): {self.count}"


def read_literals(conditions: Any) -> tuple[tuple[Literal, ...], tuple[str, ...]]:
    """Return the literals of a goal condition, and what could not be read, in sentences. Never raises.

    `conditions`: text, a list of texts, or a mapping of literals to numbers.
    """
    problems: list[str] = []
    literals: dict[Literal, None] = {}
    for text in _texts(conditions, problems):
        end, before = 0, len(literals) + len(problems)
        for match in _LITERAL.finditer(text):
            _note_rest(text[end : match.start()], problems)
            end = match.end()
            found = _literal(*match.groups())
            if isinstance(found, str):
                problems.append(found)
            else:
                literals[found] = None
        _note_rest(text[end:], problems)
        if end == 0 and len(problems) + len(literals) == before and any(map(str.isalnum, text)):
            problems.append(f"{clip(text)!r} can't be read as a goal")  # nothing but an "and"
    if len(literals) > MOST_LITERALS:
        problems.append(f"there are {len(literals)} goals; {MOST_LITERALS} are the limit")
    return tuple(literals), tuple(dict.fromkeys(problems))


def _texts(conditions: Any, problems: list[str]) -> list[str]:
    if isinstance(conditions, str):
        return [conditions]
    if isinstance(conditions, Mapping):
        return [f"{key}: {value}" for key, value in conditions.items()]
    if isinstance(conditions, list):
        return [text for item in conditions for text in (_texts(item, problems) if item is not None else [])]
    if conditions is not None:
        problems.append(f"the goal condition is {clip(conditions)}, which is no text")
    return []


def _note_rest(text: str, problems: list[str]) -> None:
    rest = _BETWEEN.sub(" ", text).strip()
    if rest:
        problems.append(f"{clip(rest)!r} can't be read as a goal")


def _literal(name: str, inside: str, value: str | None) -> Literal | str:
    """Return a literal, or what is wrong with it."""
    said = f"{name.strip()}({inside.strip()})"
    key = re.sub(r"[^a-z]", "", name.casefold())
    arguments = [argument.strip() for argument in inside.split(",")]
    arguments = [argument for argument in arguments if argument]
    count = _count(value)
    if count is None:
        return f"{clip(said)}: {clip(value)!r} is no number"
    if not arguments:
        return f"{clip(said)} says of nothing that it holds"
    if key in _STATED and len(arguments) == 1:
        return Literal(Relation.STATE, arguments[0], state=_STATED[key], count=count)
    relation = _RELATIONS.get(key)
    if relation is None:
        return f"{clip(said)}: there is no goal {clip(name.strip())!r}"
    match relation:
        case Relation.ON | Relation.INSIDE:
            return _placed(relation, arguments, count, said)
        case Relation.HELD:
            things = [argument for argument in arguments if argument.casefold() not in _HOLDERS]
            return Literal(relation, things[0], count=count) if len(things) == 1 else _numbers(said, 1)
        case Relation.STATE:
            return _stated(arguments, count, said)
        case _:
            return Literal(relation, arguments[0], count=count) if len(arguments) == 1 else _numbers(said, 1)


def _placed(relation: Relation, arguments: list[str], count: int, said: str) -> Literal | str:
    if len(arguments) == 1:
        return Literal(relation, "", arguments[0], count=count)
    if len(arguments) != 2:
        return _numbers(said, 2)
    return Literal(relation, arguments[0], arguments[1], count=count)


def _stated(arguments: list[str], count: int, said: str) -> Literal | str:
    if len(arguments) != 2:
        return _numbers(said, 2)
    state = _STATE_NAMES.get(re.sub(r"[^a-z]", "", arguments[1].casefold()))
    if state is None:
        return f"{clip(said)}: the simulator has no state {clip(arguments[1])!r}"
    if state in ("on", "off"):
        return Literal(Relation.SWITCHED_ON if state == "on" else Relation.SWITCHED_OFF, arguments[0], count=count)
    return Literal(Relation.STATE, arguments[0], state=state, count=count)


def _numbers(said: str, wanted: int) -> str:
    return f"{clip(said)} should name {wanted} thing{'s' if wanted > 1 else ''}"


def _count(value: str | None) -> int | None:
    """Return how many things a literal asks for; 1 where it doesn't say, None where it says no number."""
    text = re.sub(r"[\s'\"}\].]", "", value or "").casefold()
    if not text:
        return 1
    if text in _NUMBERS:
        return _NUMBERS[text]
    return int(text) if re.fullmatch(r"[0-9]{1,2}", text) else None


def clip(value: object, length: int = 60) -> str:
    """Return a value as one line that is not too long."""
    text = " ".join(str(value).split())
    return text if len(text) <= length else text[: length - 1] + "…"
