# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of what the robot saw and remembered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

COLOURS = ("#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3", "#937860", "#da8bc3", "#8c8c8c", "#ccb974", "#64b5cd")


@dataclass(frozen=True)
class MemorySample:
    """What short-term memory held at one instant."""

    time: float
    """Seconds since the demo began."""
    units: tuple[str, ...]
    """Names of the objects, most relevant first."""


@dataclass(frozen=True)
class CameraFrame:
    """One labelled camera image."""

    rgb: NDArray[np.uint8]
    """(height, width, 3)."""
    instances: NDArray[np.uint16]
    """(height, width), 0 = background."""
    categories: Mapping[int, str]
    """Value in `instances` → category."""

    @property
    def interest(self) -> int:
        """How many different things can be seen well: what makes one frame a better picture than another."""
        values, pixels = np.unique(self.instances, return_counts=True)
        return sum(1 for value, count in zip(values, pixels, strict=True) if value in self.categories and count >= 60)


def draw_camera_frame(frame: CameraFrame, path: Path) -> Path:
    """Write the frame with a box and the category around everything labelled in it; return the path."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.patches import Rectangle

    height, width = frame.instances.shape
    figure, axes = plt.subplots(figsize=(width / 50, height / 50), dpi=100)
    axes.imshow(frame.rgb)
    for value, category in sorted(frame.categories.items()):
        rows, columns = np.nonzero(frame.instances == value)
        if len(rows) < 60:
            continue
        colour = COLOURS[value % len(COLOURS)]
        top, left = float(rows.min()), float(columns.min())
        axes.add_patch(
            Rectangle(
                (left, top), float(np.ptp(columns)), float(np.ptp(rows)), fill=False, edgecolor=colour, linewidth=1.5
            )
        )
        label = {"facecolor": colour, "edgecolor": "none", "pad": 1}
        axes.text(left + 1, max(top, 6.0), category, fontsize=7, color="white", bbox=label, clip_on=True)
    axes.set_axis_off()
    figure.tight_layout(pad=0)
    figure.savefig(path)
    plt.close(figure)
    return path


def draw_short_term_memory(
    samples: Sequence[MemorySample], instructions: Sequence[tuple[float, str]], capacity: int, path: Path
) -> Path:
    """Write a chart of which objects short-term memory held when; return the path.

    `instructions` are (start in seconds since the demo began, text).
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    names = list(dict.fromkeys(unit for sample in samples for unit in sample.units))
    end = samples[-1].time if samples else 1.0
    figure, (chart, occupancy) = plt.subplots(
        2, 1, sharex=True, figsize=(11, 1.8 + 0.28 * max(4, len(names))), height_ratios=[max(3, len(names)), 3]
    )
    for row, name in enumerate(names):
        spans = presence(samples, name)
        chart.broken_barh(
            [(start, stop - start) for start, stop in spans], (row - 0.4, 0.8), color=COLOURS[row % len(COLOURS)]
        )
    chart.set_yticks(range(len(names)), [short_name(name) for name in names], fontsize=8)
    chart.invert_yaxis()
    chart.set_title("Short-term memory: which objects it held, and when", pad=30)
    times = [sample.time for sample in samples]
    occupancy.step(times, [len(sample.units) for sample in samples], where="post", color="#333333")
    occupancy.axhline(capacity, color="#c44e52", linestyle="--", linewidth=1)
    occupancy.set_ylabel("units")
    occupancy.set_ylim(0, capacity * 1.15)
    occupancy.set_xlabel("seconds since the demo began (dashed red: capacity)")
    before, raised = -end, False
    for number, (start, _) in enumerate(instructions, 1):
        for axes in (chart, occupancy):
            axes.axvline(start, color="#999999", linewidth=0.8)
        raised = not raised and start - before < 0.02 * end  # a number is that wide
        height = 1.04 if raised else 1.0
        chart.annotate(
            str(number), (start, height), xycoords=("data", "axes fraction"), fontsize=9, ha="left", va="bottom"
        )
        before = start
    occupancy.set_xlim(0, end)
    legend = "\n".join(f"{number}  {text}" for number, (_, text) in enumerate(instructions, 1))
    figure.text(0.01, -0.01, legend, fontsize=8, va="top", ha="left")
    figure.tight_layout()
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)
    return path


def short_name(object_id: str) -> str:
    """Return an id in AI2-THOR's form without its coordinates: kitchen/Apple|-00.47|+01.15|+00.48 is kitchen/Apple."""
    room, slash, rest = object_id.rpartition("/")
    parts = rest.split("|")
    name = parts[0] if len(parts) < 2 or parts[-1][:1] in "+-0123456789" else parts[-1]
    return f"{room}{slash}{name}"


def presence(samples: Sequence[MemorySample], name: str) -> list[tuple[float, float]]:
    """Return the spans of time (start, end) in which the samples contain `name`; a sample lasts until the next."""
    spans: list[tuple[float, float]] = []
    for sample, following in zip(samples, (*samples[1:], None), strict=True):
        if name not in sample.units:
            continue
        stop = sample.time if following is None else following.time
        if spans and spans[-1][1] == sample.time:
            spans[-1] = (spans[-1][0], stop)
        else:
            spans.append((sample.time, stop))
    return spans
