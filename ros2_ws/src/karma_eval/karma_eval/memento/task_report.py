# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The task's figures, with memory and without, and its section of the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from karma_eval.household.memory import opened
from karma_eval.memento.episodes import RememberedEpisodes
from karma_eval.memento.likeness import TextLikeness
from karma_eval.memento.task import Outcome, figures, propositions, run_task
from karma_eval.memento.task_data import USER, Memento
from karma_eval.report import Report
from karma_memory.recall.embedder import Embedder
from planner_node.parameters import OFFLINE

PAPER = {"acquisition": "95.0", "single": "85.1", "joint": "63.9"}
"""Success rates of GPT-4o (table 1)."""
TARGETS = {"single": 95.0, "joint": 85.0}
"""Success rates to reach."""
SHOWN = 20
"""Failed episodes that the report names."""

Outcomes = Mapping[str, Sequence[Outcome]]


@dataclass(frozen=True)
class TaskResults:
    """Both runs."""

    remembering: Outcomes
    forgetful: Outcomes
    """Without memory."""

    def figures(self) -> dict[str, Any]:
        """Return the figures in the form of the evaluation's JSON, and those without memory beside them."""
        every = [outcome for outcomes in self.remembering.values() for outcome in outcomes]
        return {
            "propositions": propositions(every),
            **{stage: figures(outcomes) for stage, outcomes in self.remembering.items()},
            "without_memory": {
                stage: figures(outcomes) for stage, outcomes in self.forgetful.items() if stage != "acquisition"
            },
        }

    def rows(self) -> list[list[str]]:
        """Return the table: stage and type, n, percent complete and success rate, without memory, paper, to beat."""
        rows = []
        for stage, outcomes in self.remembering.items():
            found, without = figures(outcomes), figures(self.forgetful[stage])
            parts = [(stage, found, without)]
            parts += [(f"  {kind}", of, without["by_type"][kind]) for kind, of in found["by_type"].items()]
            for name, of, bare in parts:
                known = name == stage
                rows.append(
                    [
                        name.replace("_", " "),
                        str(of["n"]),
                        f"{of['pc']:.1f}",
                        f"{of['sr']:.1f}",
                        "" if stage == "acquisition" else f"{bare['sr']:.1f}",
                        PAPER[stage] if known else "",
                        f"≥ {TARGETS[stage]:g}" if known and stage in TARGETS else "",
                    ]
                )
        return rows

    def say(self, report: Report) -> None:
        """Say how often the task was done, and where it was not."""
        counted = self.figures()["propositions"]
        report.add(
            "## Task",
            "",
            "One symbolic house per scene, rebuilt from the data. The robot is told the instruction, knows the rooms "
            "and their furniture, and sees what exploring and describing show. Acquisition episodes fill its memory, "
            "through events; utilization episodes are done with it, in the same house set up anew.",
            "",
            f"Furniture of all places is known for {counted['matched']} of {counted['n']} propositions; the others are "
            "judged by the places that are known.",
        )
        report.table(f"MEMENTO: the task, planner: {OFFLINE}", HEADER, self.rows())
        report.add(*_failures(self.remembering))


HEADER = ["", "n", "complete, %", "success, %", "without memory", "GPT-4o", "to beat"]


def evaluate_task(data: Memento, embedder: Embedder | None, tick: Callable[[], object]) -> TaskResults:
    """Run the task with a memory and without; `tick` is called after each of twice the episodes."""
    likeness = TextLikeness(embedder)
    with opened("lexical") as memory:
        remembering = run_task(data, RememberedEpisodes(memory, embedder, USER), likeness, tick)
    return TaskResults(remembering, run_task(data, None, likeness, tick))


def _failures(outcomes: Outcomes) -> list[str]:
    failed = [o for some in outcomes.values() for o in some if not o.verdict.success]
    lines = [f"{len(failed)} episodes failed:", ""]
    for outcome in failed[:SHOWN]:
        told = outcome.episode.instruction
        why = "; ".join(outcome.run.trouble) or "done otherwise than the goals say"
        lines.append(f"- {told.stage} {told.episode} ({outcome.verdict.percent:.0f} %): {told.text} — {why}")
    return lines
