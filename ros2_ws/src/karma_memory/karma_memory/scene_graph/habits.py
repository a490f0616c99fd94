# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where something most likely is that is not known to be anywhere: what was seen so far, smoothed.

The probability of a place is a relative frequency with exponential decay, smoothed level by level (hierarchical
Dirichlet prior: MacKay and Peto 1995, "A hierarchical Dirichlet language model"):

    p_k(place) = (n_k(place) + PRIOR · p_{k-1}(place)) / (N_k + PRIOR),    N_k = Σ n_k

n_3 counts beliefs about the object itself, n_2 about objects of its categories in this scene, n_1 about such objects
on the same kind of furniture in any scene, spread over that furniture here; p_0 is Laplace's rule over all that things
rest on now. A belief counts 2^(-age / HALF_LIFE), age since it ended; one that is doubted counts by its confidence.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from karma_memory.scene import Layer, Node
from karma_memory.scene_graph.beliefs import DOUBT, Belief
from karma_memory.scene_graph.graph import SceneGraph

HALF_LIFE = 7 * 86_400.0
"""Seconds after which a sighting counts half: the habits of a household repeat by the week."""
PRIOR = 1.0
"""Sightings that the level below is worth."""


@dataclass(frozen=True)
class LikelyPlace:
    """A place where something may be."""

    node: Node
    """A receptacle, or an area where it lay on nothing."""
    probability: float
    """0..1; that of all places together is 1."""
    times: int = 0
    """Beliefs, ended ones too, that such an object was there."""
    evidence: Belief | None = None
    """The newest of them."""
    sightings: float = 0.0
    """What all beliefs about such objects on such furniture as there is here count together, in any scene."""


def likely_places(
    graph: SceneGraph, categories: Collection[str], *, others: Iterable[SceneGraph] = ()
) -> list[LikelyPlace]:
    """Return all places in a scene where an object of `categories` may be, most likely first, then by id.

    `others`: graphs of other scenes, which tell on what kind of
    furniture such things are. A function of the graphs alone: now is when the newest belief of all was held.
    """
    others = list(others)
    sightings = [_sightings(known, frozenset(categories)) for known in (graph, *others)]
    now = max((found.until for found in sightings if found.until is not None), default=0.0)
    holding = graph.holding()
    here: dict[str, float] = defaultdict(float)
    kinds: dict[str, float] = defaultdict(float)
    times: Counter[str] = Counter()
    evidence: dict[str, Belief] = {}
    for found in sightings:
        for kind, weight in found.kinds.items():
            kinds[kind] += weight * _decay(now - (found.until or 0.0))
    for belief in graph.beliefs(categories):
        if place := _place(graph, belief.node):
            here[place] += _weight(graph, belief, now)
            times[place] += 1
            if place not in evidence or _end(evidence[place]) <= _end(belief):
                evidence[place] = belief
    useful = kinds.keys() | _furniture(graph, holding)
    if not useful:
        useful = set().union(*(_furniture(known, known.holding()) for known in others))
    places = {
        node.id: node
        for node in graph.nodes()
        if node.id in here or (node.layer is Layer.OBJECT and not node.movable and node.category in useful)
    }
    alike = Counter(node.category for node in places.values())
    spread = {key: kinds.get(node.category, 0.0) / alike[node.category] for key, node in places.items()}
    probability = _smoothed({key: 1.0 + holding.get(key, 0) for key in places}, dict.fromkeys(places, 0.0))
    for counts in (spread, here):
        probability = _smoothed(counts, probability)
    ranked = sorted(places, key=lambda key: (-probability[key], key))
    rests_on = sum(spread.values())
    return [LikelyPlace(places[key], probability[key], times[key], evidence.get(key), rests_on) for key in ranked]


@dataclass(frozen=True)
class _Sightings:
    """What a scene tells of the furniture that objects of some categories are on or in."""

    until: float | None = None
    """When the newest belief about them was held, seconds; None where there is none."""
    kinds: Mapping[str, float] = field(default_factory=dict)
    """Category of the furniture → what the beliefs count together, at that time."""


def _sightings(graph: SceneGraph, categories: frozenset[str]) -> _Sightings:
    """Return what a scene tells; from what was found before, as long as nothing there changed."""
    known = graph.answers.get(categories)
    if isinstance(known, _Sightings):
        return known
    beliefs = list(graph.beliefs(categories))
    until = max(map(_end, beliefs), default=None)
    kinds: dict[str, float] = defaultdict(float)
    for belief in beliefs:
        if kind := _kind_of_holder(graph, belief.node):
            kinds[kind] += _weight(graph, belief, until or 0.0)
    found = graph.answers[categories] = _Sightings(until, kinds)
    return found


def _smoothed(counts: Mapping[str, float], below: Mapping[str, float]) -> dict[str, float]:
    """Return the probability of each place from its counts and the level below (all 0: there is none)."""
    prior = PRIOR if any(below.values()) else 0.0
    total = sum(counts.get(key, 0.0) for key in below) + prior
    return {key: (counts.get(key, 0.0) + prior * share) / total for key, share in below.items()}


def _end(belief: Belief) -> float:
    """Return until when a belief is known to have been true."""
    return belief.node.last_seen if belief.valid_until is None else belief.valid_until


def _weight(graph: SceneGraph, belief: Belief, now: float) -> float:
    """Return what a belief counts. The last one about an object that is gone: its place was looked at in vain."""
    sure = belief.node.confidence if belief.valid_until is None else 1.0
    if belief.node.id not in graph and graph.history(belief.node.id)[-1] == belief:
        sure = DOUBT
    return sure * _decay(now - _end(belief))


def _decay(age: float) -> float:
    """Return what is left of a sighting after `age` seconds."""
    return float(0.5 ** (max(0.0, age) / HALF_LIFE))


def _place(graph: SceneGraph, node: Node) -> str:
    """Return on what, or else in which area, an object was; "" where that is gone, or it was held."""
    if node.relation == "held":
        return ""
    return next((place for place in (node.receptacle, node.parent) if place and place in graph), "")


def _kind_of_holder(graph: SceneGraph, node: Node) -> str:
    """Return the category of what an object was on or in, as far as it is known; else ""."""
    if node.relation == "held" or not node.receptacle:
        return ""
    history = graph.history(node.receptacle)
    return history[-1].node.category if history and not history[-1].node.movable else ""


def _furniture(graph: SceneGraph, node_ids: Iterable[str]) -> set[str]:
    """Return the categories of those nodes that can't be carried."""
    return {node.category for node_id in node_ids if (node := graph.node(node_id)) is not None and not node.movable}
