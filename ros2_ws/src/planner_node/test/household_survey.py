# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Carry out made-up tasks in many scenes and print what fails."""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from dataclasses import dataclass

from household_robot import DictMemory, HouseholdRobot
from household_tasks import Task, tasks

from karma_language.vocabulary import household
from planner_node.planner import Instruction, Planner, Report
from planner_node.understand.hearing import Hearing
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.scenes import scene_names


@dataclass(frozen=True)
class Trial:
    """A task and what came of it."""

    task: Task
    report: Report
    success: bool


def survey(scenes: list[str], seed: int, failure_probability: float = 0.0) -> list[Trial]:
    """Carry out one task of every kind in every scene, each from the scene's start and without memory."""
    trials = []
    for scene in scenes:
        rng = random.Random(f"{seed} {scene}")
        for task in list(tasks(scene, HouseholdBackend(scene), rng)):
            backend = HouseholdBackend(scene, seed=seed, failure_probability=failure_probability)
            planner = Planner(HouseholdRobot(backend), DictMemory(), Hearing(household()), household())
            report = planner.run(Instruction(task.text))
            trials.append(Trial(task, report, task.judge(backend.world)))
    return trials


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scenes", default="")
    parser.add_argument("--failures", type=float, default=0.0, help="probability that a movement of the arm fails")
    arguments = parser.parse_args()
    began = time.time()
    trials = survey(
        arguments.scenes.split(",") if arguments.scenes else list(scene_names()), arguments.seed, arguments.failures
    )
    total, good = Counter(t.task.kind for t in trials), Counter(t.task.kind for t in trials if t.success)
    for trial in trials:
        if not trial.success:
            print(f"FAILED {trial.task.scene}: {trial.task.text!r}: {trial.report.code.name} {trial.report.message}")
            for outcome in trial.report.outcomes[-4:]:
                print(f"         {outcome.call} {outcome.code.name} {outcome.message}")
    for kind in total:
        print(f"{kind:18} {good[kind]:4}/{total[kind]:4}")
    skills = sum(len(t.report.outcomes) for t in trials) / len(trials)
    share = sum(good.values()) / len(trials)
    print(f"{sum(good.values())}/{len(trials)} = {share:.1%}, {skills:.1f} skills a task, {time.time() - began:.0f} s")
    print(f"said SUCCESS wrongly: {sum(t.report.code == 1 and not t.success for t in trials)}")


if __name__ == "__main__":
    main()
