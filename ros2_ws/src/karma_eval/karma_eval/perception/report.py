# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The report of `./karma bench perception`: figures of every scene, of all scenes, and the targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from statistics import fmean, median
from typing import Any

from karma_eval.perception.handling import KINDS
from karma_eval.perception.perceiver import HIDDEN, KNOWN, PLAIN
from karma_eval.perception.scenario import SceneResult, Score
from karma_eval.perception.scoring import Counts
from karma_eval.perception.stage import Options
from karma_eval.perception.truth import MAX_RANGE, MIN_PIXELS

TARGETS = (
    "≥ 5 Hz, F1 ≥ 0.9, median position error ≤ 5 cm, identity ≥ 0.95, rooms ≥ 0.9, ≤ 1 GB",
    "areas in the right room ≥ 0.9, and every scene's floors",
    f"visible: ≥ {MIN_PIXELS} pixels within {MAX_RANGE:g} m in one picture; position: centre of what was visible",
)

_LIMITS: dict[str, Callable[[Any], bool]] = {
    "hz": lambda v: v >= 5,
    "object_f1": lambda v: v >= 0.9,
    "position_error_m": lambda v: v <= 0.05,
    "identity": lambda v: v >= 0.95,
    "rooms_f1": lambda v: v >= 0.9,
    "areas_in_right_room": lambda v: v >= 0.9,
    "rss_mb": lambda v: v <= 1000,
}


HARDER = (
    "identity",
    "identity_lookalikes_apart",
    "identity_all_moved",
    "identity_strict",
    "moved",
    "moved_all",
    *KINDS,
    "handled",
)
"""Figures that stand at the report's top as they are from classes and masks alone; all others as the product runs."""


def report_of(results: Sequence[SceneResult], options: Options, planned: int) -> dict[str, Any]:
    """Return the report of the scenes so far; `hz` counts a scene graph for every frame.

    What stands at the top is as the product runs, with the simulator's identities; only what concerns identity
    (`HARDER`) is from classes and masks alone. Rooms are judged in scenes of several rooms, where there are any.
    """
    overall = {kind: _figures([(r, r.scores[kind]) for r in results]) for kind in (KNOWN, HIDDEN)}
    head = _head(overall)
    missed = [name for name, fits in _LIMITS.items() if head[name] is not None and not fits(head[name])]
    missed += [] if all(r.scores[KNOWN].floors == r.floors for r in results) else ["floors"]
    return {
        "scenes": len(results),
        "scenes_planned": planned,
        "frames": sum(r.frames for r in results),
        "seed": options.seed,
        "depth_noise": options.noise.depth,
        "missed_instances": options.noise.missed_instances,
        "visible_from": {"pixels": MIN_PIXELS, "range_m": MAX_RANGE},
        **head,
        **overall,
        **_peer(results),
        "met": not missed and len(results) == planned,
        "missed_targets": missed,
        "by_scene": [_scene(r) for r in results],
    }


def _head(by_kind: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {**by_kind[KNOWN], **{name: by_kind[HIDDEN][name] for name in HARDER}}


def _scene(result: SceneResult) -> dict[str, Any]:
    about = {name: getattr(result, name) for name in ("scene", "rooms", "floors", "frames")}
    by_kind = {kind: _figures([(result, result.scores[kind])]) for kind in (KNOWN, HIDDEN)}
    figures = about | _head(by_kind)
    for kind, of in by_kind.items():
        score = result.scores[kind]
        wrong = {"wrong": score.handled.wrong, "invented": score.invented, "overlooked": score.overlooked}
        figures[kind] = of | wrong | {"lost": score.lost}
    return figures | _peer([result])


def _peer(results: Sequence[SceneResult]) -> dict[str, Any]:
    """Return the figures of the peer where it ran: those that it has."""
    scored = [(r, r.scores[PLAIN]) for r in results if PLAIN in r.scores]
    if not scored:
        return {}
    figures = _figures(scored)
    none = {name for name in figures if name.startswith(("rooms", "floors", "areas"))} | {*KINDS, "handled"}
    return {PLAIN: {name: value for name, value in figures.items() if name not in none}}


def _figures(scored: Sequence[tuple[SceneResult, Score]]) -> dict[str, Any]:
    scores = [score for _, score in scored]
    counts = sum((s.counts for s in scores), Counts())
    errors = [e for s in scores for e in s.errors]
    whole = [e for s in scores for e in s.true_errors]
    moved, stayed = sum(s.moved for s in scores), sum(s.stayed for s in scores)
    several = [score for result, score in scored if result.rooms > 1] or scores
    areas = sum(len(s.areas) for s in several)
    frames = sum(s.effort.frames for s in scores)
    update_s = sum(s.effort.update_s for s in scores) / frames
    graph_s = sum(s.effort.graph_s for s in scores) / max(1, sum(s.effort.graphs for s in scores))
    return {
        "hz": 1.0 / (update_s + graph_s),
        "update_ms": 1000 * update_s,
        "graph_ms": 1000 * graph_s,
        "cpu_ms": 1000 * sum(s.effort.cpu_s for s in scores) / frames,
        "object_precision": counts.precision,
        "object_recall": counts.recall,
        "object_f1": counts.f1,
        "objects": asdict(counts),
        "position_error_m": median(errors) if errors else None,
        "position_error_whole_movable_m": median(whole) if whole else None,
        "identity": _share(sum(s.moved_kept for s in scores), moved),
        "moved": moved,
        "moved_all": sum(s.moved_all for s in scores),
        **_strict(scores),
        "handled": {kind: sum(s.handled.tried[kind] for s in scores) for kind in KINDS},
        **{
            kind: _share(sum(s.handled.right[kind] for s in scores), sum(s.handled.tried[kind] for s in scores))
            for kind in KINDS
        },
        "identity_stayed": _share(sum(s.stayed_kept for s in scores), stayed),
        "rooms_f1": fmean(s.rooms_f1 for s in several),
        "areas_in_right_room": _share(sum(s.areas_right for s in several), areas),
        "floors": sum(result.floors for result, _ in scored),
        "floors_found": sum(s.floors for s in scores),
        "rss_mb": max(s.effort.peak_mb for s in scores),
        "rss_before_mb": max(s.effort.start_mb for s in scores),
    }


def _strict(scores: Sequence[Score]) -> dict[str, Any]:
    """Return what the figures would be without each of the rules that are in our favour, and without all of them."""
    counts = sum((s.strict for s in scores), Counts())
    moved, moved_all = sum(s.moved for s in scores), sum(s.moved_all for s in scores)
    return {
        "object_precision_strict": counts.precision,
        "object_recall_strict": counts.recall,
        "object_f1_strict": counts.f1,
        "identity_lookalikes_apart": _share(sum(s.moved_exact for s in scores), moved),
        "identity_all_moved": _share(sum(s.moved_all_kept for s in scores), moved_all),
        "identity_strict": _share(sum(s.moved_all_exact for s in scores), moved_all),
    }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
