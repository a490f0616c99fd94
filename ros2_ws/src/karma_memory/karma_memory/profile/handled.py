# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot handled while it did what a person asked for: the concrete things behind what they told of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from karma_memory.events import Code, Event, EventKind, SkillTarget
from karma_memory.scene import Node

TAKING = frozenset({"PickupObject", "Pick"})
LOOKS = "looks"
"""State of a node that says what an object looks like."""
PUTTING = frozenset({"PutObject", "Place"})
OPERATING = frozenset({"OpenObject", "CloseObject", "SwitchOn", "SwitchOff", "ToggleOn", "ToggleOff"})
"""Skills by which things are known to have been handled (docs/architecture.md, "Skills")."""


@dataclass(frozen=True)
class Handled:
    """A thing of the scene graph that was handled."""

    id: str
    category: str
    place: str = ""
    """Id of what it was put on or in last; empty for what was only taken or operated."""
    looks: str = ""
    """What it looks like, in words; empty where the robot did not see that."""


@dataclass
class Trace:
    """The last instruction of a user and what was handled for it."""

    episode: str
    scene: str
    instruction: str
    told: list[str] = field(default_factory=list)
    """Ids of the knowledge that was told in it or, afterwards, of it."""
    held: str = ""
    things: dict[str, Handled] = field(default_factory=dict)
    """By id, in the order in which they were handled first."""
    places: dict[str, str] = field(default_factory=dict)
    """Id → category of what things were put on or in."""
    stamp: float = 0.0
    """When it began, seconds."""
    looks: dict[str, str] = field(default_factory=dict)
    """Id → what was seen to look like that."""

    def take_in(self, event: Event) -> bool:
        """Take in what a skill did; return whether that changed anything."""
        for gone in event.removed:
            self.things.pop(gone, None)
        outcome = event.outcome
        if outcome is None or outcome.code is not Code.SUCCESS:
            return bool(event.removed)
        seen = {node.id: node for node in (*outcome.seen, *event.nodes)}
        self.looks.update((node.id, node.states[LOOKS]) for node in seen.values() if LOOKS in node.states)
        call = outcome.call
        if call.skill in TAKING:
            self.held = _id_of(call.target, [node for node in seen.values() if node.relation == "held"])
            self._handle(self.held, seen, call.target)
        elif call.skill in PUTTING:
            thing = call.target.id or self.held
            self.held = ""
            place = _id_of(call.receptacle, ()) or (seen[thing].receptacle if thing in seen else "")
            if thing and place:
                self._handle(thing, seen, call.target, place)
                self.places[place] = _category(place, seen, call.receptacle)
        elif call.skill in OPERATING:
            self._handle(call.target.id, seen, call.target)
        else:
            return bool(event.removed)
        return True

    def _handle(self, thing: str, seen: Mapping[str, Node], target: SkillTarget, place: str = "") -> None:
        if thing:
            known = self.things.get(thing, Handled(thing, _category(thing, seen, target)))
            category = known.category or _category(thing, seen, target)
            looks = self.looks.get(thing, known.looks)
            self.things[thing] = replace(known, category=category, place=place or known.place, looks=looks)


class Traces:
    """The trace of every user's last instruction. Not thread-safe; a function of the events."""

    def __init__(self) -> None:
        self._of: dict[str, Trace] = {}
        """User → trace."""

    def begin(self, event: Event) -> Trace:
        """Follow another instruction of a user; what the one before was about is forgotten."""
        self._of[event.user] = Trace(event.episode, event.scene, event.text, stamp=event.stamp)
        return self._of[event.user]

    def of(self, event: Event) -> Trace | None:
        """Return the trace of the instruction that an event belongs to, if it is its user's last."""
        trace = self._of.get(event.user)
        return trace if trace is not None and event.episode and trace.episode == event.episode else None

    def before(self, event: Event) -> Trace | None:
        """Return the trace of what was done last for the user who tells something."""
        trace = self._of.get(event.user)
        if trace is None or event.scene not in ("", trace.scene) or trace.stamp > event.stamp:
            return None
        return trace if event.kind is EventKind.TOLD or trace.episode == event.episode else None

    def forget(self, episode: str) -> None:
        """Forget an instruction."""
        self._of = {user: trace for user, trace in self._of.items() if trace.episode != episode}

    def snapshot(self) -> dict[str, Any]:
        """Return the state as JSON."""
        return {
            user: {**_told(trace), "things": [_told(thing) for thing in trace.things.values()]}
            for user, trace in self._of.items()
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over a state."""
        for user, item in state.items():
            things = [Handled(**thing) for thing in item["things"]]
            self._of[user] = Trace(**{**item, "things": {thing.id: thing for thing in things}})


def _told(item: Trace | Handled) -> dict[str, Any]:
    """Return an item as JSON; looks only where something was seen of them, as states of before have none."""
    return {name: value for name, value in asdict(item).items() if value or name != "looks"}


def _id_of(target: SkillTarget, shown: Iterable[Node]) -> str:
    return next((node.id for node in shown if target.id in ("", node.id)), target.id)


def _category(name: str, seen: Mapping[str, Node], target: SkillTarget) -> str:
    """Return what a thing is, as far as the skill says."""
    if name in seen:
        return seen[name].category
    return target.category if target.id == name else ""
