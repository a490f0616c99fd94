# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether an episode's goals were reached (appendix C.4): propositions, what they depend on, their order, and the end.

As PartNR judges: a proposition is satisfied at the first instant at which it holds while its dependencies allow it to
count; it is complete when the constraints on it hold, too. Percent complete is the share of complete propositions, and
an episode succeeded when all are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from karma_eval.memento.house import Snapshot
from karma_eval.memento.places import Places
from karma_eval.memento.task_data import Episode
from karma_language.arranging.places import kind


@dataclass(frozen=True)
class Verdict:
    """How far an episode got."""

    complete: tuple[bool, ...]
    """One for each proposition."""
    matched: tuple[bool, ...]
    """Whether the places of the proposition are all known; one that has unknown places is judged by the known ones."""

    @property
    def percent(self) -> float:
        """Percent complete, 0–100."""
        return 100.0 * sum(self.complete) / len(self.complete)

    @property
    def success(self) -> bool:
        """Whether everything was reached."""
        return all(self.complete)


class Judge:
    """Judges one episode; the constructor knows its truth, which the robot never sees."""

    def __init__(self, episode: Episode, places: Places) -> None:
        self._truth = episode.truth
        self._places = places
        self._names = {thing.handle: thing.name for thing in episode.things}

    def verdict(self, history: Sequence[Snapshot]) -> Verdict:
        """Judge what happened, instant by instant, from the start to the end."""
        propositions = self._truth.propositions
        holds = [[self._holds(p, now) is not None for now in history] for p in propositions]
        satisfied = self._satisfied_at(holds)
        complete = [at is not None for at in satisfied]
        for constraint in self._truth.constraints:
            self._constrain(constraint, complete, satisfied, holds, history)
        return Verdict(tuple(complete), tuple(self._matched(p) for p in propositions))

    def _satisfied_at(self, holds: list[list[bool]]) -> list[int | None]:
        """Return the first instant at which each proposition holds and counts."""
        count = len(holds)
        satisfied: list[int | None] = [None] * count
        for now in range(len(holds[0])):
            before = list(satisfied)
            for i in range(count):
                if satisfied[i] is None and holds[i][now] and self._counts(i, now, holds, before):
                    satisfied[i] = now
        return satisfied

    def _counts(self, index: int, now: int, holds: list[list[bool]], before: list[int | None]) -> bool:
        for dependency in self._truth.dependencies:
            if index not in dependency["proposition_indices"]:
                continue
            relation, others = dependency["relation_type"], dependency["depends_on"]
            states = {
                "while_satisfied": [holds[o][now] for o in others],
                "while_unsatisfied": [not holds[o][now] for o in others],
                "after_satisfied": [before[o] is not None for o in others],
                "after_unsatisfied": [before[o] is not None and not holds[o][now] for o in others],
                "before_satisfied": [before[o] is None for o in others],
            }[relation]
            if not (any(states) if dependency.get("dependency_mode") == "any" else all(states)):
                return False
        return True

    def _matched(self, proposition: Mapping[str, Any]) -> bool:
        for key in ("object_handles", "entity_handles_a", "entity_handles_b", "receptacle_handles"):
            unknown = set(proposition["args"].get(key) or ()) - set(self._names)
            if len(self._places.resolve(unknown)) < len(unknown):
                return False
        return True

    def _holds(self, proposition: Mapping[str, Any], now: Snapshot) -> frozenset[str] | None:
        """Return the places by which a proposition holds, None when it does not."""
        name, args = proposition["function_name"], proposition["args"]
        needed = int(args.get("number") or 1)
        if name == "is_next_to":
            pairs = [
                (a, b)
                for a in self._entities(args["entity_handles_a"])
                for b in self._entities(args["entity_handles_b"])
                if frozenset({a, b}) in now.beside
            ]
            return frozenset(b for _, b in pairs) if len({a for a, _ in pairs}) >= needed else None
        found = []
        for handle in args["object_handles"]:
            thing = self._names.get(handle, "")
            furniture, within = now.where.get(thing, ("", False))
            if name in ("is_on_top", "is_inside"):
                allowed = self._places.resolve(args["receptacle_handles"])
                if furniture in allowed and within == (name == "is_inside"):
                    found.append(furniture)
            elif name == "is_on_floor":
                if kind(furniture).startswith("floor_"):
                    found.append(furniture)
            elif name == "is_in_room":
                if thing and _room_word(kind(now.rooms[thing])) in {_room_word(room) for room in args["room_ids"]}:
                    found.append(now.rooms[thing])
            else:
                raise ValueError(f"there is no proposition {name}")
        if args.get("is_same_receptacle"):
            found = max(([f for f in found if f == place] for place in set(found)), key=len, default=[])
        return frozenset(found) if len(found) >= needed else None

    def _entities(self, handles: Sequence[str]) -> list[str]:
        names = [self._names[handle] for handle in handles if handle in self._names]
        return [*names, *sorted(self._places.resolve(h for h in handles if h not in self._names))]

    def _constrain(
        self,
        constraint: Mapping[str, Any],
        complete: list[bool],
        satisfied: Sequence[int | None],
        holds: Sequence[Sequence[bool]],
        history: Sequence[Snapshot],
    ) -> None:
        """Take back from `complete` what breaks a constraint."""
        sort, args = constraint["type"], constraint["args"]
        if sort == "TemporalConstraint":
            for earlier, later in args["dag_edges"]:
                first, second = satisfied[earlier], satisfied[later]
                if first is None or second is None or first >= second:
                    complete[later] = False
        elif sort == "TerminalSatisfactionConstraint":
            for index in args["proposition_indices"]:
                complete[index] = complete[index] and holds[index][-1]
        elif sort in ("SameArgConstraint", "DifferentArgConstraint"):
            places = self._places_at(args["proposition_indices"], satisfied, history)
            shared = frozenset.intersection(*places) if places else frozenset()
            if not places or bool(shared) != (sort == "SameArgConstraint"):
                for index in args["proposition_indices"]:
                    complete[index] = False
        else:
            raise ValueError(f"there is no constraint {sort}")

    def _places_at(
        self, indices: Sequence[int], satisfied: Sequence[int | None], history: Sequence[Snapshot]
    ) -> list[frozenset[str]]:
        """Return the places by which propositions were satisfied; nothing where one never was."""
        found = []
        for index in indices:
            at = satisfied[index]
            if at is None:
                return []
            found.append(self._holds(self._truth.propositions[index], history[at]) or frozenset())
        return found


def _room_word(room: str) -> str:
    return room.lower().replace("_", "").replace(" ", "").removesuffix("room")
