# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What differs between a recorded trial and its replay."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from karma_ros.result_codes import code_name

CLOCK = 1e8
"""Numbers beyond this are times since 1970."""
MOMENT = 5.0
"""Seconds by which times may differ that the memory or the planner took from their own clock."""
PRECISION = 1e-5
"""Relative difference of other numbers: messages carry some as float32."""
ROUNDING = 0.01
"""Metres by which coordinates of a call may differ."""

Place = tuple[float, float, float] | None
"""x, y, z in metres, map frame; None: not given."""


@dataclass(frozen=True)
class Difference:
    """One thing that is not as it was."""

    instruction: int
    """Its number in the trial, from 1; 0: of the memory after all of them."""
    what: str
    """code, goals, skill N, outcome N, recalled, memory."""
    recorded: str
    replayed: str

    def __str__(self) -> str:
        where = f"instruction {self.instruction}, {self.what}" if self.instruction else self.what
        return f"{where}: was {self.recorded}, is {self.replayed}"


def decision(result: Any) -> dict[str, Any]:
    """Return what was decided, of an ExecuteInstruction.Result, for JSON."""
    return {
        "code": code_name(result.result),
        "message": result.result.message,
        "goals": list(result.goals),
        "skills": [{"call": call_text(done.call), "code": code_name(done.result)} for done in result.skills],
        "recalled": [recollection.id for recollection in result.recalled],
    }


def differences(number: int, recorded: Any, replayed: Any) -> list[Difference]:
    """Return how two results of an instruction differ, in the order in which it was decided."""
    was, now = decision(recorded), decision(replayed)
    found: list[Difference] = []
    if was["goals"] != now["goals"]:
        found.append(Difference(number, "goals", _joined(was["goals"]), _joined(now["goals"])))
    for step in range(max(len(was["skills"]), len(now["skills"]))):
        before, after = (side["skills"][step] if step < len(side["skills"]) else None for side in (was, now))
        if before is None or after is None or before["call"] != after["call"]:
            said = (one["call"] if one else "nothing" for one in (before, after))
            found.append(Difference(number, f"skill {step + 1}", *said))
            break  # what follows is another plan
        if not _same_places(*(coordinates := [_coordinates(side.skills[step].call) for side in (recorded, replayed)])):
            found.append(Difference(number, f"skill {step + 1}, {before['call']}", *map(_places_text, coordinates)))
            break
        if before["code"] != after["code"]:
            found.append(Difference(number, f"outcome {step + 1} of {before['call']}", before["code"], after["code"]))
    if was["code"] != now["code"]:
        ends = (f"{side['code']} {side['message']}".strip() for side in (was, now))
        found.append(Difference(number, "code", *ends))
    if was["recalled"] != now["recalled"]:
        found.append(Difference(number, "recalled", _joined(was["recalled"]), _joined(now["recalled"])))
    return found


def state_difference(was: Any, now: Any, path: str = "") -> str:
    """Return where two JSON values differ first and how, "" where they are the same but for clocks and rounding."""
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        for name in sorted({*was, *now}):
            if name not in was or name not in now:
                return f"{path}/{name} is only in the {'replay' if name in now else 'recording'}"
            if found := state_difference(was[name], now[name], f"{path}/{name}"):
                return found
        return ""
    if _is_list(was) and _is_list(now):
        if len(was) != len(now):
            return f"{path} has {len(was)} entries in the recording, {len(now)} in the replay"
        pairs = enumerate(zip(was, now, strict=True))
        return next((found for i, (a, b) in pairs if (found := state_difference(a, b, f"{path}/{i}"))), "")
    return "" if _same(was, now) else f"{path}: was {was!r}, is {now!r}"


def call_text(call: Any) -> str:
    """Return a skill call for people."""
    receptacle = call.receptacle.id or call.receptacle.category
    parts = [call.target.id or call.target.category, f"{call.relation or 'to'} {receptacle}" if receptacle else ""]
    parts += [
        f"{len(call.positions)} positions" if call.positions else "",
        f"{call.duration:g} s" if call.duration else "",
    ]
    return f"{call.skill}({', '.join(part for part in parts if part)})"


def _coordinates(call: Any) -> list[Place]:
    """Return where a call is to be carried out: its target, its receptacle, its positions; None where it says none."""
    targets = [target.position if target.has_position else None for target in (call.target, call.receptacle)]
    return [(p.x, p.y, p.z) if p is not None else None for p in (*targets, *call.positions)]


def _same_places(was: Sequence[Place], now: Sequence[Place]) -> bool:
    def same(a: Place, b: Place) -> bool:
        return a is b if a is None or b is None else math.dist(a, b) <= ROUNDING

    return all(same(a, b) for a, b in zip(was, now, strict=True))  # call_text counts the positions


def _places_text(coordinates: Sequence[Place]) -> str:
    return "; ".join("({:.2f}, {:.2f}, {:.2f})".format(*p) if p is not None else "no position" for p in coordinates)


def _same(was: Any, now: Any) -> bool:
    if isinstance(was, (int, float)) and isinstance(now, (int, float)) and not isinstance(was, bool):
        if min(was, now) > CLOCK:
            return abs(was - now) <= MOMENT
        return math.isclose(was, now, rel_tol=PRECISION, abs_tol=PRECISION)
    return bool(was == now)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _joined(parts: Sequence[str]) -> str:
    return "; ".join(parts) or "none"
