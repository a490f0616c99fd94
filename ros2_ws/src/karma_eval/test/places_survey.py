# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What it is worth to know where things usually are: days in simulated homes whose people put things back.

Every day a few things are asked for and put somewhere, and over night people put each back where it belongs, or, now
and then, elsewhere. The robot remembers across days and scenes; with and without what memory says of probable places.
"""

from __future__ import annotations

import argparse
import contextlib
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from unittest import mock

from karma_eval.household.memory import HouseholdMemory, opened
from karma_eval.household.robot import HouseholdRobot
from karma_eval.household.survey import survey
from karma_language.vocabulary import household
from karma_memory import Memory
from planner_node.learn.remembering import Remembering
from planner_node.planner import Instruction, Planner
from planner_node.understand.hearing import Hearing
from sim_bridge.backend import RefusedError
from sim_bridge.household.backend import HouseholdBackend

SCENES = "FloorPlan1,FloorPlan3,FloorPlan7,FloorPlan202,FloorPlan210,FloorPlan304,FloorPlan310,FloorPlan404,home1,home2"
DAY = 86_400.0
"""Seconds."""
BUDGET = 30
"""Skills that a task may take in the evaluations."""
TIDY = 0.8
"""Probability that people put a thing back where it belongs, and not just anywhere."""


@dataclass(frozen=True)
class Trial:
    """One instruction and what it took."""

    scene: str
    day: int
    text: str
    success: bool
    skills: int
    explore_steps: int
    distance: float
    """Metres driven."""


@contextmanager
def places_known(known: bool) -> Iterator[None]:
    """Let the planner ask memory where things probably are, or not."""
    asked = Remembering.looked_for if known else Remembering.about
    with mock.patch.object(Remembering, "looked_for", asked):
        yield


def live(memory: Memory, scene: str, days: int, things: int, seed: int, began: float) -> list[Trial]:
    """Spend some days in a scene."""
    rng = random.Random(f"{seed} {scene}")
    backend = HouseholdBackend(scene, seed=seed)
    robot = HouseholdRobot(backend, began=began)
    survey(robot).tell(memory)
    world, lexicon = backend.world, household()
    holders = {name: world.ancestors(name) for name in world if world.specs[name].movable}
    wanted = [name for name, around in holders.items() if around and world.category(name) in lexicon.kinds]
    single = [name for name in wanted if sum(1 for _ in world.of_category(world.category(name))) == 1]
    chosen = rng.sample(sorted(single), min(things, len(single)))
    homes = {name: next(iter(holders[name])) for name in chosen}
    open_places = sorted(
        {world.category(n) for n in world if not world.specs[n].movable}
        & {
            "CounterTop",
            "DiningTable",
            "CoffeeTable",
            "Desk",
            "SideTable",
            "Bed",
            "Sofa",
            "Dresser",
            "ArmChair",
            "Shelf",
        }
    )
    if len(open_places) < 2:
        return []
    trials = []
    for day in range(days):
        robot.began = began + day * DAY
        client = HouseholdMemory(memory, scene=scene, now=lambda: robot.clock)
        planner = Planner(robot, client, Hearing(lexicon), lexicon, now=lambda: robot.clock)
        for name in chosen:
            around = {world.category(holder) for holder in world.ancestors(name)}
            noun, place = (
                lexicon.kind(world.category(name)).noun,
                rng.choice([p for p in open_places if p not in around]),
            )
            text = f"Put the {noun} on the {lexicon.kind(place).noun}."
            before = len(robot.outcomes)
            planner.run(Instruction(text))
            done = robot.outcomes[before:]
            success = any(world.category(holder) == place for holder in world.ancestors(name))
            steps = sum(outcome.explore_steps + (outcome.call.skill == "OpenObject") for outcome in done)
            trials.append(Trial(scene, day, text, success, len(done), steps, sum(outcome.distance for outcome in done)))
        for name in chosen:
            if world.held != name:
                with contextlib.suppress(RefusedError):  # no room for it: it stays where it is
                    backend.move_object(name, homes[name] if rng.random() < TIDY else "")
    return trials


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scenes", default=SCENES)
    parser.add_argument("--days", type=int, default=4)
    parser.add_argument("--things", type=int, default=3, help="asked for a day")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    for known in (False, True):
        with places_known(known), opened(embedder="lexical") as memory:
            trials = [
                trial
                for number, scene in enumerate(arguments.scenes.split(","))
                for trial in live(
                    memory, scene, arguments.days, arguments.things, arguments.seed, 1000.0 + number * 30 * DAY
                )
            ]
        print("with probable places from memory" if known else "by the lexicon alone")
        for name, some in (("first day", [t for t in trials if not t.day]), ("later", [t for t in trials if t.day])):
            if some:
                each = [
                    sum(getattr(t, key) for t in some) / len(some) for key in ("skills", "explore_steps", "distance")
                ]
                print(
                    f"  {name:10} {len(some):4} tasks, {sum(t.success for t in some) / len(some):6.1%} done; each "
                    "{:5.2f} skills, {:5.2f} exploration steps, {:5.1f} m; ".format(*each)
                    + f"{sum(t.skills > BUDGET for t in some)} take more than {BUDGET} skills"
                )
        if arguments.verbose:
            for t in trials:
                print(
                    f"    {t.scene} day {t.day} {t.text} {'' if t.success else 'FAILED'} {t.skills} {t.explore_steps}"
                )


if __name__ == "__main__":
    main()
