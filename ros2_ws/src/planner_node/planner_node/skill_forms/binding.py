# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Written calls to skill calls and back, by the skill table: which argument is which, and whether it is of its type."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping
from dataclasses import replace

from planner_node.skill_forms.written import Argument, FormError, Trouble, Written, points_in, short
from planner_node.skills import SkillCall, SkillParameter, SkillSpec, SkillTable, Target

MEMENTO_NAMES = {
    "Open": "OpenObject",
    "Close": "CloseObject",
    "FindObjectTool": "FindObject",
    "FindReceptacleTool": "FindReceptacle",
    "FindRoomTool": "FindRoom",
    "DescribeObjectTool": "DescribeObject",
}
"""MEMENTO's name of a skill → KARMA's."""

_CATEGORY = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*")
"""A category or a noun; anything else is an id of the scene graph: Apple|-00.47|+01.15|+00.48, cup_1."""
_PLACES = {"position": "target", "receptacle_position": "receptacle"}
"""Named arguments that say where an object is remembered → the object."""
_RELATIONS = {"on": "on", "in": "in", "within": "in", "inside": "in", "into": "in", "onto": "on", "near": "near"}
_NEXT_TO = "next_to"
_MEMENTO_PLACE = 5
"""Arguments of MEMENTO's Place: object, relation, furniture, spatial constraint, its object."""


def bound(written: Written, table: SkillTable) -> SkillCall:
    """Return the call of a skill that is meant. FormError says what is wrong with it."""
    name = written.name if written.name in table else MEMENTO_NAMES.get(written.name, written.name)
    spec = table.get(name)
    if spec is None:
        raise _wrong(written, f"there is no skill {short(written.name)}{_suggestion(written.name, table)}")
    fields = dict(_by_position(written, spec))
    for key, value in written.named.items():
        if key in fields:
            raise _wrong(written, f"{name} is given {key} twice")
        if key not in _PLACES and key not in {p.name for p in spec.parameters}:
            raise _wrong(written, f"{name} takes no {short(key)}; {_signature(spec)}")
        fields[key] = value
    call = SkillCall(name)
    for key, value in fields.items():
        if value is not None:
            call = _with(call, key, value, written)
    troubles = [Trouble(problem, written.line) for problem in table.problems(call)]
    if troubles:
        raise FormError(troubles)
    return call


def unbound(call: SkillCall, table: SkillTable, *, keeps_places: bool) -> Written:
    """Return a call as it is written. FormError for a skill that the table lacks.

    An object is written as its id, or its category where it has none. `keeps_places`: also write where objects are
    remembered; without, that is left to the scene graph.
    """
    spec = table.get(call.skill)
    if spec is None:
        raise FormError([Trouble(f"there is no skill {short(call.skill)}")])
    values = {p.name: _value(call, p.name) for p in spec.parameters}
    names = {"target": bool(call.target), "receptacle": bool(call.receptacle), "relation": bool(call.relation)}
    lost = [key for key, given in names.items() if given and key not in values]
    if lost:
        raise FormError([Trouble(f"{call.skill} takes no {', '.join(lost)}")])
    arguments = list(values.values())
    while arguments and arguments[-1] is None:
        arguments.pop()
    named: dict[str, Argument] = {}
    if keeps_places:
        for key, owner in _PLACES.items():
            target = getattr(call, owner)
            if target.position is not None and (target.id or target.category):
                named[key] = target.position
    return Written(call.skill, tuple(arguments), named)


def to_memento(written: Written) -> Written:
    """Return a call under the name that MEMENTO has for it, with all five arguments of its Place."""
    if written.name == "Place":
        target, receptacle, relation = (*written.arguments, None, None, None)[:3]
        near = relation == "near"
        places = (None, None, _NEXT_TO, receptacle) if near else (relation, receptacle, None, None)
        return replace(written, arguments=(target, *places))
    name = next((short_name for short_name, name in MEMENTO_NAMES.items() if name == written.name), written.name)
    return replace(written, name=name)


def from_memento(written: Written) -> Written:
    """Return a call whose arguments are in the order of the skill table."""
    arguments = written.arguments
    if written.name == "Wait" and not arguments:
        return replace(written, arguments=(1.0,))
    if written.name != "Place" or len(arguments) == 0:
        return written
    if len(arguments) > _MEMENTO_PLACE:
        raise _wrong(written, "Place takes: object, relation, furniture, next_to or None, its object or None")
    target, relation, furniture, constraint, beside = (*arguments, None, None, None, None)[:_MEMENTO_PLACE]
    if constraint not in (None, _NEXT_TO) or (constraint is None) != (beside is None):
        raise _wrong(written, "Place's last two arguments are next_to and an object, or None and None")
    if constraint is not None:
        return replace(written, arguments=(target, beside, "near"))
    if isinstance(relation, str):
        relation = _RELATIONS.get(relation.lower(), relation)
    return replace(written, arguments=(target, furniture, relation))


def _by_position(written: Written, spec: SkillSpec) -> list[tuple[str, Argument]]:
    """Return the fields that the arguments fill, in the table's order.

    A skill that needs a destination only may be told what it puts there, as in the paper's PutObject(robot, put_obj,
    recp): what is held is known without.
    """
    names = [parameter.name for parameter in spec.parameters]
    given = list(written.arguments)
    if "receptacle" in names and "target" not in names and len(given) > 1 and not _is_relation(given[1], spec):
        given.pop(0)
    if "positions" in names and given and isinstance(given[0], tuple):
        given.insert(0, None)  # nothing in particular is looked for from these positions
    if len(given) > len(names):
        count = len(written.arguments)
        raise _wrong(written, f"{spec.name} is given {count} argument{'s' * (count != 1)}; {_signature(spec)}")
    return list(zip(names, given, strict=False))


def _is_relation(value: Argument, spec: SkillSpec) -> bool:
    choices = next((p.choices for p in spec.parameters if p.name == "relation"), ())
    return value is None or (isinstance(value, str) and value in choices)


def _with(call: SkillCall, key: str, value: Argument, written: Written) -> SkillCall:
    """Return a call with one more argument."""
    if key in ("target", "position"):
        return replace(call, target=_object(call.target, key, value, written))
    if key in ("receptacle", "receptacle_position"):
        return replace(call, receptacle=_object(call.receptacle, key, value, written))
    if key == "positions":
        if not (points := points_in(value)):
            raise _wrong(written, f"{call.skill}: positions are points (x, y, z), not {value!r}")
        return replace(call, positions=points)
    if key == "duration":
        if not isinstance(value, float):
            raise _wrong(written, f"{call.skill}: duration is a number of seconds, not {value!r}")
        return replace(call, duration=value)
    if key != "relation" or not isinstance(value, str):
        raise _wrong(written, f"{call.skill}: {key} is a word, not {value!r}")
    return replace(call, relation=value)


def _object(known: Target, key: str, value: Argument, written: Written) -> Target:
    """Return an object with what an argument says of it: what it is, or where."""
    if isinstance(value, str) and key not in _PLACES:
        text = value.strip()
        if not text:
            raise _wrong(written, f"{written.name}: {key} is empty")
        return Target(category=text) if _CATEGORY.fullmatch(text) else Target(id=text)
    points = points_in(value)
    if len(points) != 1:
        raise _wrong(written, f"{written.name}: {key} is an object or a position (x, y, z), not {value!r}")
    return replace(known, position=points[0])


def _value(call: SkillCall, name: str) -> Argument:
    """Return what is written for a field of a call; None for an empty one."""
    value: object = getattr(call, name, None)
    if isinstance(value, Target):
        return value.id or value.category or value.position
    if isinstance(value, float):
        if not math.isfinite(value):
            raise FormError([Trouble(f"{call.skill}: {name} is not finite")])
        return value or None
    return value or None  # type: ignore[return-value]


def _signature(spec: SkillSpec) -> str:
    """Return what a skill takes, for messages."""
    words = [_described(parameter) for parameter in spec.parameters]
    return f"it takes {', '.join(words)}" if words else "it takes no arguments"


def _described(parameter: SkillParameter) -> str:
    return parameter.name if parameter.required else f"{parameter.name} (or nothing)"


def _suggestion(name: str, table: Mapping[str, SkillSpec]) -> str:
    known = {skill.casefold(): skill for skill in (*MEMENTO_NAMES, *table)}
    close = [known[found] for found in difflib.get_close_matches(name.casefold(), known, n=3)]
    said = f"did you mean {' or '.join(close)}?" if close else f"the skills are {', '.join(table)}"
    return f"; {said}"


def _wrong(written: Written, message: str) -> FormError:
    return FormError([Trouble(message, written.line)])
