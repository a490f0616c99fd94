# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What `./karma eval emg` says: figures as JSON, and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from karma_eval.emg.measure import Tally
from karma_eval.emg.stream import Stream
from karma_eval.report import picture

OURS = "EMG-RAG"
TARGET = 98.0
TARGET_MS = 5.0


def figures(results: Mapping[str, Tally], stream: Stream, **about: Any) -> dict[str, Any]:
    """Return the report; percentages are 0 to 100."""
    ours = results[OURS]
    methods = {name: _method(tally) for name, tally in results.items()}
    main = ("exact_match", "precision", "recall", "ms_per_question", "processor_ms_per_question")
    return {
        "planner": "offline",
        **about,
        "told": len(stream.told),
        "questions": len(stream.asked),
        "edits": {str(week): counts for week, counts in stream.edits.items()},
        **{name: methods[OURS][name] for name in main},
        "met": ours.exact_match >= TARGET and ours.milliseconds < TARGET_MS,
        "methods": methods,
        "by_kind": _shares(ours.by(lambda asked: asked.kind)),
    }


def _method(tally: Tally) -> dict[str, Any]:
    gone = Tally(one for one in tally if one.asked.asked_stale and not one.asked.required)
    return {
        "exact_match": round(tally.exact_match, 2),
        "weeks": _shares(tally.by(lambda asked: asked.week)),
        "precision": round(tally.precision, 2),
        "recall": round(tally.recall, 2),
        "memories_needed": _shares(tally.by(lambda asked: min(3, len(asked.required)) or None)),
        "no_longer_so": {"n": len(gone), "right": round(gone.exact_match, 2)},
        "ms_per_question": round(tally.milliseconds, 3),
        "processor_ms_per_question": round(tally.processor_milliseconds, 3),
    }


def _shares(tallies: Mapping[Any, Tally]) -> dict[str, float]:
    return {str(name): round(tally.exact_match, 2) for name, tally in tallies.items()}


def plot(report: Mapping[str, Any], folder: Path, over_weeks: Sequence[str]) -> list[Path]:
    """Draw exact match over the weeks, of some methods, and what each part does; return the files."""
    methods, files = report["methods"], [folder / "weeks.png", folder / "ablations.png"]
    with picture(files[0], 8.0, 4.5) as axes:
        for name in over_weeks:
            weeks = methods[name]["weeks"]
            axes.plot([*map(int, weeks)], [*weeks.values()], "o-", linewidth=2.5 if name == OURS else 1.2, label=name)
        axes.axhline(TARGET, color="0.5", linestyle=":", label=f"to beat: {TARGET:g}")
        axes.set(xlabel="week", ylabel="exact match, %", title="Answers over four weeks of edits")
        axes.set_xticks([int(w) for w in methods[OURS]["weeks"]])
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    with picture(files[1], 9.0, 0.5 * len(methods) + 1.2) as axes:
        rows = range(len(methods))
        for offset, key in ((-0.25, "exact_match"), (0.0, "precision"), (0.25, "recall")):
            shares = [one[key] for one in methods.values()]
            axes.barh([row + offset for row in rows], shares, height=0.23, label=key.replace("_", " "))
        axes.set_yticks(rows, [*methods])
        axes.invert_yaxis()
        axes.set(xlabel="%", xlim=(0, 100), title="What each part does")
        axes.grid(alpha=0.3, axis="x")
        axes.legend(fontsize=8, loc="lower left")
    return files
