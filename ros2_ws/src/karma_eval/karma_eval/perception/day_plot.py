# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A plot of a day: latency, memory and what the map holds, over frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_PANELS = (
    (
        "ms a frame",
        {
            "processor time, mean": "cpu_ms",
            "processor time, p99": "cpu_p99_ms",
            "by the clock, p50": "latency_p50_ms",
            "by the clock, p99": "latency_p99_ms",
        },
    ),
    ("resident MB", {"memory of the process": "rss_mb"}),
    ("nodes and edges", {"objects": "objects", "areas": "areas", "rooms": "rooms", "edges": "edges"}),
    ("thousands", {"points (voxels)": "voxels", "graph as JSON, bytes": "graph_kb"}),
)


def plot_day(windows: Sequence[Mapping[str, Any]], path: Path, *, title: str) -> Path:
    """Draw the windows' figures over frames to an image file; return its path. ValueError without windows."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if not windows:
        raise ValueError("no window is complete yet: there is nothing to draw")
    figure = Figure(figsize=(11.0, 12.0), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(_PANELS), 1, sharex=True)
    frames = [w["frames"] for w in windows]
    for panel, (label, lines) in zip(panels, _PANELS, strict=True):
        for name, key in lines.items():
            scale = 0.001 if key == "voxels" else 1.0
            values = [float("nan") if w[key] is None else scale * w[key] for w in windows]
            panel.plot(frames, values, label=name, linewidth=1.3)
        panel.set_ylabel(label)
        panel.set_ylim(bottom=0)
        panel.grid(alpha=0.3)
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
    panels[-1].set_xlabel("frames")
    figure.suptitle(title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    return path
