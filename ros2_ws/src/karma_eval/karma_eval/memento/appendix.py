# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""MEMENTO's appendix E: damaged memories (E.2.2) and harder instructions (E.4), with what was lived through once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from karma_eval.memento.damage import damages
from karma_eval.memento.episodes import RememberedEpisodes
from karma_eval.memento.likeness import TextLikeness
from karma_eval.memento.places import match_places
from karma_eval.memento.report import bars, table
from karma_eval.memento.task import USER, Outcome, figures, utilize
from karma_eval.memento.task_data import Memento
from karma_eval.memento.variants import elsewhere, hinted, known_by_name, three_memories
from karma_memory.recall.embedder import Embedder

STAGES = ("single", "joint")
UNDAMAGED = "as it was lived"
PAPER_DAMAGE = {
    UNDAMAGED: "80.6",
    "noise 30 %": "78.6",
    "shuffled": "80.6",
    "20 % missing": "80.1",
    "without pick": "79.1",
    "without place": "82.6",
    "without navigate": "78.5",
}
"""Success rates of GPT-4o with one memory (table 17)."""
PAPER_HARDER = {"three memories": "22.0", "hints": "73.3", "elsewhere this time": "83.3"}
"""Success rates of GPT-4o (tables 20, 21, 23), on tasks that are not public."""
FAILURES = 10
"""Failed episodes that the report names."""
HEADER = ["", "n", "complete, %", "success, %", "GPT-4o"]


@dataclass(frozen=True)
class AppendixResults:
    """What became of the episodes."""

    damaged: Mapping[str, Mapping[str, Sequence[Outcome]]]
    """Damage → stage → outcomes."""
    harder: Mapping[str, Sequence[Outcome]]

    def figures(self) -> dict[str, Any]:
        """Return the figures for the JSON."""
        damaged = {name: {stage: figures(some) for stage, some in of.items()} for name, of in self.damaged.items()}
        return {"robustness": damaged, "harder": {name: figures(some) for name, some in self.harder.items()}}

    def damage_rows(self) -> list[list[str]]:
        """Return damage, and success rates with one memory and with two."""
        return [
            [name, *(f"{figures(of[stage])['sr']:.1f}" for stage in STAGES), PAPER_DAMAGE.get(name, "")]
            for name, of in self.damaged.items()
        ]

    def harder_rows(self) -> list[list[str]]:
        """Return the harder instructions; see HEADER."""
        rows = []
        for name, some in self.harder.items():
            of = figures(some)
            rows.append([name, str(of["n"]), f"{of['pc']:.1f}", f"{of['sr']:.1f}", PAPER_HARDER[name]])
        return rows

    def section(self) -> str:
        """Return the section of the report."""
        failed = [o for some in self.harder.values() for o in some if not o.verdict.success]
        lines = [
            f"- {o.episode.instruction.stage} {o.episode.instruction.episode} ({o.verdict.percent:.0f} %): "
            f"{o.episode.instruction.text} — {'; '.join(o.run.trouble) or 'done otherwise than the goals say'}"
            for o in failed[:FAILURES]
        ]
        return "\n\n".join(
            [
                "## Appendix E",
                "### Noisy, shuffled and partial episodes (E.2.2)",
                "The steps of all remembered episodes (thought, skill, what it said) come back damaged: with steps of "
                "other scenes among them, in disorder, with some or all of one skill missing. The paper has its gold "
                "traces damaged, here it is what the robot lived through itself. What people told is left alone; what "
                "that alone is worth is the row without steps. Retrieval reads what people told, and stays as above.",
                table(["success, %", "one memory", "two memories", "GPT-4o, one"], self.damage_rows()),
                "![Success with damaged memories](robustness.png)",
                "### Harder instructions (E.4)",
                "Three memories: three instructions of a scene in one, about different objects (the paper: 41). Hints: "
                "every single-memory instruction; for patterns the occasion is said in place of the request, for "
                "things the words for what they mean to somebody are exchanged (the paper: 30, rephrased by hand). "
                "Elsewhere this time: patterns of one place, whose instruction names none, at another place. "
                "All are made by rule, since the paper's are not public; so its figures are of other tasks.",
                table(HEADER, self.harder_rows()),
                "![Success with harder instructions](harder.png)",
                "\n".join(lines) or "No episode failed.",
            ]
        )

    def plot(self, folder: Path) -> None:
        """Draw both tables."""
        names = list(self.damaged)
        series = {f"{s} memory": [figures(self.damaged[n][s])["sr"] for n in names] for s in STAGES}
        bars(names, series, _paper(names, PAPER_DAMAGE), folder / "robustness.png")
        rates = {"success": [figures(some)["sr"] for some in self.harder.values()]}
        bars(list(self.harder), rates, _paper(list(self.harder), PAPER_HARDER), folder / "harder.png")


def evaluate(
    data: Memento, embedder: Embedder | None, file: Path, tick: Callable[[], object] = lambda: None
) -> AppendixResults:
    """Do the utilization episodes with the memory in `file`, in which the acquisition episodes are."""
    scenes, likeness = match_places(data), TextLikeness(embedder)
    by_name = {scene: known_by_name(places) for scene, places in scenes.items()}
    with RememberedEpisodes(file, embedder, USER) as memory:
        lived = {scene: memory.episodes(scene) for scene in data.rooms}
        tasks = {
            "three memories": (three_memories(data), scenes),
            "hints": (hinted(data), scenes),
            "elsewhere this time": (elsewhere(data, scenes), by_name),
        }
        harder = {name: utilize(some, there, memory, likeness, tick) for name, (some, there) in tasks.items()}
    damaged = {}
    for name, damage in {UNDAMAGED: lambda episode: episode.steps, **damages(lived)}.items():
        with RememberedEpisodes(file, embedder, USER, damage=damage) as memory:
            damaged[name] = {stage: utilize(data.stages[stage], scenes, memory, likeness, tick) for stage in STAGES}
    return AppendixResults(damaged, harder)


def _paper(names: Sequence[str], known: Mapping[str, str]) -> dict[int, float]:
    return {place: float(known[name]) for place, name in enumerate(names) if name in known}
