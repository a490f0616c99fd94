# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which furniture of a prompt a receptacle handle of the data is: found through what is known on both sides."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

from karma_eval.memento.task_data import Episode, GoldTrace, Memento
from karma_language.arranging.places import kind

Rooms = Mapping[str, tuple[str, ...]]
"""Room → furniture."""


@dataclass
class Places:
    """One scene's rooms and furniture, and which handle is which furniture."""

    rooms: Rooms
    furniture: dict[str, str] = field(default_factory=dict)
    """Handle → furniture."""
    allowed: dict[frozenset[str], frozenset[str]] = field(default_factory=dict)
    """Handles of a proposition → the furniture that they are, as far as that could be found."""

    def resolve(self, handles: Iterable[str]) -> frozenset[str]:
        """Return the furniture that handles are: fewer than handles where some are not known."""
        wanted = frozenset(handles)
        return self.allowed.get(wanted) or frozenset(self.furniture[h] for h in wanted if h in self.furniture)

    def room_of(self, furniture: str) -> str:
        """Return the room that a piece of furniture stands in."""
        return next((room for room, names in self.rooms.items() if furniture in names), "")


def match_places(data: Memento) -> dict[str, Places]:
    """Return every scene's places."""
    scenes = {scene: Places(rooms) for scene, rooms in data.rooms.items()}
    for scene, places in scenes.items():
        episodes = [e for e in data.stages["acquisition"] if e.instruction.scene == scene]
        known = [(e, data.traces[e.instruction.episode]) for e in episodes if e.instruction.episode in data.traces]
        places.furniture.update(_by_starts(known))
        for stage in data.stages.values():
            for episode in stage:
                if episode.instruction.scene == scene:
                    gold = [(e, trace) for e, trace in known if e.instruction.episode in episode.truth.gold]
                    for handles, placed in _goals(episode, gold):
                        found = _same_kind(places, handles, placed)
                        known_too = found | places.allowed.get(frozenset(handles), frozenset())
                        if found:
                            places.allowed[frozenset(handles)] = known_too if len(known_too) <= len(handles) else found
    return scenes


def _by_starts(known: Iterable[tuple[Episode, GoldTrace]]) -> dict[str, str]:
    """Match handles and furniture one to one, so that most objects start where traces saw them first."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for episode, trace in known:
        for name, furniture in trace.starts.items():
            index = int(name.rpartition("_")[2])
            if index < len(episode.things) and not furniture.startswith("floor_"):
                seen[episode.things[index].receptacle][furniture] += 1
    handles = sorted(seen)
    names = sorted(
        {name for counts in seen.values() for name in counts}, key=lambda n: (kind(n), int(n.split("_")[-1]))
    )
    if not handles:
        return {}
    votes = np.array([[float(seen[handle][name]) for name in names] for handle in handles])
    rank = np.array([[(i + 1.0) * (j + 1.0) for j in range(len(names))] for i in range(len(handles))])
    gain = votes + 1e-3 * rank / rank.max() * (votes > 0)  # of equal votes: instances in the order of their numbers
    rows, columns = linear_sum_assignment(gain, maximize=True)
    return {handles[i]: names[j] for i, j in zip(rows, columns, strict=True) if votes[i, j] > 0}


def _goals(episode: Episode, gold: Iterable[tuple[Episode, GoldTrace]]) -> Iterable[tuple[tuple[str, ...], list[str]]]:
    """Return (handles, furniture that gold traces put such things on) for what propositions say of furniture."""
    things = {thing.handle: thing.category for thing in episode.things}
    for proposition in episode.truth.propositions:
        arguments = proposition["args"]
        handles = arguments.get("receptacle_handles") or arguments.get("entity_handles_b") or ()
        if handles and not set(handles) & set(things):
            objects = arguments.get("object_handles") or arguments.get("entity_handles_a") or ()
            sorts = {things.get(handle, "") for handle in objects}
            placed = [
                furniture
                for _, trace in gold
                for name, furniture in trace.placements
                if name.rpartition("_")[0] in sorts and not furniture.startswith("floor_")
            ]
            yield tuple(handles), placed


def _same_kind(places: Places, handles: tuple[str, ...], placed: list[str]) -> frozenset[str]:
    """Return the furniture that `handles` are: known ones, and of the kind and rooms of the gold placement, if so many.

    A goal like "a table in a bedroom" lists every table of every bedroom: if there are as many as handles, that's them.
    """
    known = {places.furniture[handle] for handle in handles if handle in places.furniture}
    if len(known) == len(handles):
        return frozenset(known)
    others = set(places.furniture.values()) - known
    for furniture in [*placed, *sorted(known)]:
        if known and kind(furniture) not in {kind(name) for name in known}:
            continue
        here = kind(places.room_of(furniture))
        for scope in (here, ""):
            same = {
                name
                for room, names in places.rooms.items()
                for name in names
                if kind(name) == kind(furniture) and (not scope or kind(room) == scope)
            } - others
            if known <= same and len(same) == len(handles):
                return frozenset(same)
    sorts = {(kind(name), kind(places.room_of(name))) for name in placed}
    return frozenset(known | (set(placed) - others if len(sorts) == 1 else set()))
