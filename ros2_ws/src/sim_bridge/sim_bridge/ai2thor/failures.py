# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Why AI2-THOR refuses an action, in our codes and with what to do about it."""

from __future__ import annotations

import re

from sim_bridge.backend import Code, RefusedError

_P, _E = Code.PRECONDITION_FAILURE, Code.EXECUTION_FAILURE

_KNOWN: tuple[tuple[str, Code, str], ...] = (
    (
        r"is not the objectId on any object|Object ID appears to be invalid|Cannot find object with id|' is null",
        Code.NOT_FOUND,
        "{it} is gone",
    ),
    (
        r"not found within the specified visibility|No target found|is not visible|[Oo]bject not found"
        r"|No valid Receptacle found",
        Code.NOT_FOUND,
        "{it} is not in view here: go to it or explore first",
    ),
    (
        r"visible but not interactable|is not interactable|occluded by something",
        _P,
        "{it} is behind something, such as glass: go to it from another side, or open what is before it",
    ),
    (r"too far away", _P, "{it} is too far away: go to it first"),
    (r"already on!|already toggled on", _P, "{it} is already on"),
    (r"already off!|already toggled off", _P, "{it} is already off"),
    (r"is already open", _P, "{it} is already open"),
    (r"is already closed", _P, "{it} is already closed"),
    (r"already (been )?sliced", _P, "{it} is already sliced"),
    (r"already broken", _P, "{it} is already broken"),
    (r"is broken and cannot be Toggled On", _P, "{it} is broken: it can't be switched on any more"),
    (r"cannot be sliced if it is in the agent's hand", _P, "{it} is in the gripper: put it down first"),
    (r"CanPickup", _P, "{it} can't be carried: it is not pickupable"),
    (r"not an Openable object", _P, "{it} can't be opened or closed: it is not openable"),
    (r"not toggleable|controlled by another", _P, "{it} can't be switched: it is not toggleable itself"),
    (r"CanBeSliced", _P, "{it} can't be sliced: it is not sliceable"),
    (r"CanBreak", _P, "{it} can't be broken: it is not breakable"),
    (r"OFF to open", _P, "{it} is on: switch it off first"),
    (r"closed to Toggle On", _P, "{it} is open: close it first"),
    (r"is CLOSED|target is not open", _P, "{it} is closed: open it first"),
    (r"NOT a receptacle", _P, "{it} is no receptacle: nothing can be put on it"),
    (r"is full right now", _P, "{it} is full: take something from it, or put it elsewhere"),
    (
        r"not a valid Object Type to be placed|cannot be placed in",
        _P,
        "{it} doesn't take that: put it elsewhere",
    ),
    (
        r"No valid positions to place|collision is blocking held object",
        _P,
        "there is no free spot within view on {it}: clear it, look at it from elsewhere, or put it elsewhere",
    ),
    (r"Spawn area not clear \((?P<what>.+?)\)", _P, "there is no room for {it} there: {what} is in the way"),
    (r"is not within scene bounds", _P, "{it} can't be put there: that is outside the scene"),
    (r"has something in it already|already holding", _P, "the gripper is not empty: put down what it holds first"),
    (
        r"isn't holding anything|[Nn]othing (is )?in (the agent's )?[Hh]and",
        _P,
        "the gripper is empty: pick something up first",
    ),
    (
        r"collide and clip into something",
        _E,
        "{it} can't be lifted from here without touching something: go to it from another side",
    ),
    (r"Openable object collided with (?P<what>\S+)", _E, "{what} is in the way of {it}: step back and try again"),
    (r"failed to open/close", _E, "something is in the way of {it}, the robot maybe: step back and try again"),
    (r"could not be toggled", _E, "{it} did not switch: try again"),
    (r"held item|held object|hand object", _E, "what the gripper holds would touch something: turn or go elsewhere"),
    (r"clear of all other collision", _E, "what the gripper holds touches something: turn or go elsewhere first"),
    (
        r"were valid to be picked up by the arm",
        _E,
        "the arm did not get hold of {it}: go to it from another side",
    ),
    (r"is behind shoulder", _P, "{it} is out of the arm's reach: go closer to it, or to another side of it"),
    (r"Arm is actively clipping", _E, "the arm would touch something: turn or go elsewhere"),
    (r"Collided with static [^:]+: '(?P<what>[^']+)'", _E, "{what} is in the way: close or move it, or go elsewhere"),
    (r"Collided with: (?P<what>.+?)\.?$", _E, "{what} is in the way: close or move it, or go elsewhere"),
    (r"(?P<what>\S+) is blocking Agent", _E, "{what} is in the way: close or move it, or go elsewhere"),
    (r"beyond .* degrees (above|below)|Each horizon must be in", _E, "the camera can't be turned any farther"),
)
"""What AI2-THOR says (a pattern), the code, and what to tell; {it} is what the action is about."""


def refusal(action: str, message: str, about: str = "") -> RefusedError:
    """Return the error of an action that failed with AI2-THOR's `message`; `about` is the id it was called with.

    What is not known is an EXECUTION_FAILURE with AI2-THOR's own words.
    """
    message = " ".join(message.split(". trace:")[0].split())
    for pattern, code, text in _KNOWN:
        found = re.search(pattern, message)
        if found:
            named = {"it": about or "it", **{k: v for k, v in found.groupdict().items() if v}}
            return RefusedError(code, text.format(**named))
    return RefusedError(_E, f"AI2-THOR refused {action}: {message or 'without a reason'}")


def is_blocked(message: str) -> bool:
    """Whether something stood in the way of a step, or in that of ManipulaTHOR's arm."""
    return bool(re.search(r"is blocking Agent|Collided with static", message))


def is_turn_hindered(message: str) -> bool:
    """Whether what is held, or ManipulaTHOR's arm, would have touched something on the way of a turn."""
    return bool(re.search(r"held item|held object|hand object|Collided with static", message))
