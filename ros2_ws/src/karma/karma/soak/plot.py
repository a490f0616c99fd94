# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A picture of a soak: what the graph takes and how quick it is, day by day, and how soon it was back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from karma.soak.judge import BACK_S, CONTROL, LATENCIES
from karma_eval.report import picture


def plot_soak(report: Mapping[str, Any], path: Path) -> None:
    """Draw a report, of one day or more, to an image file."""
    with picture(path, 11.0, 13.0, 4, sharex=True) as panels:
        _draw(report, report["nights"], panels)


def _draw(report: Mapping[str, Any], nights: Sequence[Mapping[str, float]], panels: Any) -> None:
    days = [night["day"] for night in nights]
    for panel, label, wanted in (
        (panels[0], "resident MB", [n for n in nights[0] if n.endswith("resident MB")]),
        (panels[1], "threads, files", [n for n in nights[0] if n.endswith(("threads", "files"))]),
        (panels[2], "ms", [name for each in LATENCIES for name in (each, each + CONTROL)]),
    ):
        for name in wanted:
            values = [night.get(name, float("nan")) for night in nights]
            style = ":" if name.endswith(CONTROL) else "-"
            panel.plot(days, values, style, label=name.removesuffix(" resident MB"), linewidth=1.3)
        panel.set_ylabel(label)
        panel.set_ylim(bottom=0)
    for kind in sorted({str(fault["fault"]).split()[0] for fault in report["each_fault"]}):
        of_kind = [f for f in report["each_fault"] if f["fault"].split()[0] == kind and f["back_s"] is not None]
        panels[3].scatter([f["day"] for f in of_kind], [f["back_s"] for f in of_kind], label=kind, s=10)
    panels[3].axhline(BACK_S, color="gray", linestyle="--")
    panels[3].set_ylabel("s until all was well")
    panels[3].set_xlabel("simulated days")
    for panel in panels:
        panel.grid(alpha=0.3)
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
    title = f"{report['days']} simulated days, {report['faults']} faults, {report['lost']} events lost"
    panels[0].figure.suptitle(title)
