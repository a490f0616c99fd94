# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is left for a better memory to save: the sequences of `./karma eval karma`, told where everything is.

The same planner and the same robot, with a long-term memory that at the start of each sequence knows all things, those
that are shut in among them, beside what it was shown when it explored.
"""

from __future__ import annotations

import argparse
import math
from contextlib import AbstractContextManager
from dataclasses import replace
from unittest import mock

from karma_eval.household.conversions import node_to
from karma_eval.household.robot import as_node
from karma_eval.household.survey import Survey
from karma_eval.karma import sequence
from karma_eval.karma.measure import saved
from karma_eval.karma.sequence import carry_out, known
from karma_eval.karma.tasks import own_tasks
from karma_language.vocabulary import household
from karma_memory import Layer
from planner_node.understand.hearing import Hearing
from sim_bridge.household.backend import HouseholdBackend


def all_known(scene: str, seed: int) -> Survey:
    """Return what a robot saw of a home, and what there is beside."""
    seen = known(scene, seed)
    areas = [node for node in seen.nodes if node.layer is Layer.AREA]
    shown = {node.id for node in seen.nodes}
    truth = (node_to(as_node(thing, seen.ended)) for thing in HouseholdBackend(scene, seed=seed).ground_truth())
    hidden = (node for node in truth if node.id not in shown)
    placed = (
        replace(node, parent=min(areas, key=lambda area: math.dist(area.position, node.position)).id) for node in hidden
    )
    return replace(seen, nodes=(*seen.nodes, *placed))


def told() -> AbstractContextManager[object]:
    """Let the memory know everything."""
    return mock.patch.object(sequence, "known", all_known)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", default="complex", choices=("simple", "composite", "complex"))
    kind = parser.parse_args().kind
    rows = []
    for task in (task for task in own_tasks() if task.kind == kind):
        none, both = (carry_out(task, ablation, lambda: Hearing(household()), seed=0) for ablation in ("none", "both"))
        with told():
            most = carry_out(task, "both", lambda: Hearing(household()), seed=0)
        rows.append((none, both, most))
        seconds = "  ".join(f"{outcome.duration:6.1f}{' ' if outcome.solved else '!'}" for outcome in rows[-1])
        print(f"{task.name:14}{task.floor_plan:14}{seconds}", flush=True)
    for name, column in (("both memories", 1), ("all known", 2)):
        pairs = [(row[column].duration, row[0].duration) for row in rows if row[column].solved]
        print(
            f"{name}: {len(pairs)} of {len(rows)} solved, {sum(with_ for with_, _ in pairs):.0f} s of "
            f"{sum(without for _, without in pairs):.0f} s, RT {saved(pairs):.3f}"
        )


if __name__ == "__main__":
    main()
