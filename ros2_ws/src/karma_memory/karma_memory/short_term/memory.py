# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Short-term memory as a projection: what the robot used or looked for in its tasks (KARMA, sections 3.4 and 3.6)."""

from __future__ import annotations

import json
import logging
from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

from karma_memory.encoding import dumps
from karma_memory.events import Event, EventKind, Image
from karma_memory.projection import Projection
from karma_memory.recall.index import HybridIndex, Search
from karma_memory.recall.query import Record
from karma_memory.scene import Layer, Node
from karma_memory.scene_graph.beliefs import is_stale, refutes, seen_at
from karma_memory.scene_graph.long_term import LongTermMemory
from karma_memory.scene_graph.text import describe_in
from karma_memory.short_term.policy import PolicySettings, ReplacementPolicy, exchange, make_policy
from karma_memory.short_term.segments import PROTECTED_SHARE
from karma_memory.short_term.unit import MemoryUnit
from karma_memory.short_term.usage import used_objects

logger = logging.getLogger(__name__)

KIND = "short_term"
KEPT_EVICTIONS = 16
"""Units that had to go of which it is known: the last ones."""


@dataclass(frozen=True)
class Eviction:
    """A unit that had to go."""

    id: str
    """Of its recollection."""
    category: str
    stamp: float
    """When what took its place came in, or the memory became smaller, seconds."""


@dataclass
class Counters:
    """What happened since the start."""

    lookups: int = 0
    """Times a recall asked for an object that can be carried."""
    hits: int = 0
    """Of which found."""
    evictions: int = 0
    evicted: deque[Eviction] = field(default_factory=lambda: deque(maxlen=KEPT_EVICTIONS))
    """The last of them, the newest first."""

    @property
    def hit_rate(self) -> float:
        """Hits per look-up (KARMA, section 3.6), 0 without look-ups."""
        return self.hits / self.lookups if self.lookups else 0.0


@dataclass(frozen=True)
class Contents:
    """What short-term memory holds at a time; see karma_interfaces/ShortTermMemory."""

    settings: PolicySettings
    window: int
    """Units that the window holds at most; 0 without one."""
    units: tuple[MemoryUnit, ...]
    """First to go first, without vectors."""
    lookups: int = 0
    hits: int = 0
    evictions: int = 0
    evicted: tuple[Eviction, ...] = ()
    """The last of them, the newest first."""


class ShortTermMemory(Projection):
    """A bounded store of memory units behind a replacement policy.

    Movable objects enter when a skill used them or was after them (see usage.py), or when an observation belongs to a
    task. Any newer observation updates a unit that is there; an object that is gone or not found leaves.
    """

    kind = KIND

    def __init__(self, index: HybridIndex, settings: PolicySettings, long_term: LongTermMemory) -> None:
        """`long_term` observes every event first: it tells what was known before, and the names of places."""
        self.counters = Counters()
        self._index = index
        self._settings = settings
        self._policy: ReplacementPolicy = make_policy(settings)
        self._units: dict[str, MemoryUnit] = {}
        self._long_term = long_term

    @property
    def settings(self) -> PolicySettings:
        """Policy and sizes in force."""
        return self._settings

    @property
    def occupancy(self) -> int:
        """Slots in use."""
        return len(self._policy)

    def units(self) -> list[MemoryUnit]:
        """Return the units, first to go first, each with its segment and vector."""
        return [
            replace(
                self._units[key],
                segment=self._policy.segment(key),
                vector=self._index.semantic.vector(self._index.records[key].label),
            )
            for key in self._policy.order()
        ]

    def contents(self) -> Contents:
        """Return what it holds and how that is kept, and what happened since the start."""
        counters, policy = self.counters, self._policy
        return Contents(
            settings=self._settings,
            window=policy.window_size,
            units=tuple(
                replace(self._units[key], segment=policy.segment(key), frequency=policy.frequency(key))
                for key in policy.order()
            ),
            lookups=counters.lookups,
            hits=counters.hits,
            evictions=counters.evictions,
            evicted=tuple(counters.evicted),
        )

    def observe(self, event: Event) -> None:
        """Take in what was used, seen, removed or not found."""
        match event.kind:
            case EventKind.SKILL_OUTCOME:
                self._observe_outcome(event)
            case EventKind.OBSERVATION if event.pictured is not None:
                self._show(event, event.pictured)
            case EventKind.OBSERVATION:
                for node in event.nodes:
                    self._observe_node(event, node, admit=bool(event.episode))
                self._drop(event.scene, event.removed)
            case EventKind.ACCESS:
                for key in event.accessed:
                    if key in self._units:
                        self._policy.touch(key)
            case EventKind.CONFIGURE:
                self._configure(event)
            case EventKind.EDIT:
                self._edit(event)
            case _:
                pass

    def look_up(self, search: Search) -> tuple[str, ...]:
        """Count a look-up for each movable object that the query names, and a hit where a unit is there; return those.

        The policy learns of it through an ACCESS event with the returned ids, so that the journal knows it too.
        """
        hits = []
        for mention in search.mentions:
            movable = {name for name in mention.categories if self._index.vocabulary.is_movable(name)}
            if not movable:
                continue
            self.counters.lookups += 1
            found = [record for record in self._index.of_category(KIND, movable) if search.accept(record)]
            if found:
                hits.append(max(found, key=lambda record: (self._units[record.id].time, record.id)).id)
        self.counters.hits += len(hits)
        return tuple(hits)

    def snapshot(self) -> dict[str, Any]:
        """Return the state; see Projection."""
        return {
            "settings": json.loads(settings_to_json(self._settings)),
            "policy": self._policy.snapshot(),
            "units": dict(self._units),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        self._settings = PolicySettings(**state["settings"])
        self._policy = make_policy(self._settings)
        self._policy.restore(state["policy"])
        for key, item in state["units"].items():
            self._put(key, MemoryUnit.from_json(item))

    def _observe_outcome(self, event: Event) -> None:
        outcome = event.outcome
        if outcome is None:
            return
        nodes = {node.id: seen_at(node, outcome.stamp) for node in outcome.seen}
        nodes.update((node.id, node) for node in event.nodes)
        used = used_objects(
            outcome, nodes.values(), lambda node_id: self._long_term.before(event.scene, node_id, event.id)
        )
        for node in nodes.values():
            self._observe_node(event, node, admit=node.id in used)
        self._drop(event.scene, event.removed)
        refuted = [
            unit.node.id
            for unit in self._units.values()
            if unit.scene == event.scene and unit.node.id not in nodes and refutes(outcome, unit.node)
        ]
        self._drop(event.scene, refuted)

    def _observe_node(self, event: Event, node: Node, *, admit: bool) -> None:
        """Update the unit of an object; with `admit`, count its use and make one where there is none."""
        if node.layer is not Layer.OBJECT or not node.movable:
            return
        node = seen_at(node, event.stamp)
        key = record_id(event.scene, node.id)
        known = self._units.get(key)
        if known is None and not admit:
            return
        if known is None or not is_stale(known.node, node, event.stamp):
            image = event.image or self._image(event.scene, node, known)
            text = describe_in(self._long_term.graph(event.scene), node)
            self._put(key, MemoryUnit(node, event.scene, text, node.last_seen, event.id, image))
        if admit:
            self._evict(self._policy.admit(key), event.stamp)

    def _show(self, event: Event, node: Node) -> None:
        """Let the unit of an object have the picture that shows it as it is."""
        key = record_id(event.scene, node.id)
        if key in self._units and self._long_term.picture_of(event.scene, node.id) is not None:
            self._put(key, replace(self._units[key], image=self._image(event.scene, node, self._units[key])))

    def _image(self, scene: str, node: Node, known: MemoryUnit | None) -> Image | None:
        """Return the picture of an object as it is; else the last one of its unit, unless its states have changed."""
        picture = self._long_term.picture_of(scene, node.id)
        if picture is not None:
            return picture.image
        return known.image if known is not None and known.node.states == node.states else None

    def _put(self, key: str, unit: MemoryUnit) -> None:
        self._units[key] = unit
        self._index.put(
            Record(
                id=key,
                kind=KIND,
                text=unit.text,
                label=unit.meaning,
                source=unit.source,
                valid_from=unit.time,
                scene=unit.scene,
                node=unit.node,
            )
        )

    def _drop(self, scene: str, node_ids: tuple[str, ...] | list[str]) -> None:
        """Take out units of objects that are gone."""
        for node_id in node_ids:
            key = record_id(scene, node_id)
            if key in self._units:
                self._policy.remove(key)
                self._remove(key)

    def _evict(self, keys: list[str], stamp: float) -> None:
        for key in keys:
            self.counters.evictions += 1
            self.counters.evicted.appendleft(Eviction(key, self._units[key].node.category, stamp))
            self._remove(key)

    def _forget_evictions(self, thing: str) -> None:
        """Keep nothing of a thing that is forgotten; `thing`: what its record is called behind the kind."""
        kept = [eviction for eviction in self.counters.evicted if eviction.id.partition(":")[2] != thing]
        self.counters.evicted = deque(kept, maxlen=KEPT_EVICTIONS)

    def _remove(self, key: str) -> None:
        del self._units[key]
        self._index.discard(key)

    def _configure(self, event: Event) -> None:
        """Change policy or sizes; units beyond the new capacity go, in the order of the old policy.

        What is no settings changes nothing: the event is in the journal, and the memory must open. With a user, it is
        what that user agreed to.
        """
        if event.user:
            return
        try:
            settings = settings_from_json(event.text)
        except ValueError as error:
            logger.warning("event %s does not configure short-term memory: %s", event.id, error)
            return
        self._policy, evicted = exchange(self._policy, settings)
        self._settings = settings
        self._evict(evicted, event.stamp)

    def _edit(self, event: Event) -> None:
        if not event.text:
            self._forget_evictions(event.target.partition(":")[2])
        unit = self._units.get(event.target)
        if unit is None:
            return
        if event.text:
            self._put(event.target, replace(unit, text=event.text, source=event.id))
        else:
            self._policy.remove(event.target)
            self._remove(event.target)


def record_id(scene: str, node_id: str) -> str:
    """Return the id of the recollection of an object's memory unit."""
    return f"{KIND}:{scene}/{node_id}"


def settings_to_json(settings: PolicySettings) -> str:
    """Return the text of a CONFIGURE event."""
    return dumps(vars(settings))


def settings_from_json(text: str) -> PolicySettings:
    """Return the settings in a CONFIGURE event, of versions without `protected` too. ValueError for anything else."""
    try:
        data = json.loads(text)
        protected = data.get("protected", PROTECTED_SHARE)
        return PolicySettings(data["policy"], data["capacity"], data["window"], protected)
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"not the settings of a replacement policy: {type(error).__name__} {error}") from error
