# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What `./karma eval ask` says: figures, plots, and what was not right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from karma_eval.ask.judge import Verdict
from karma_eval.ask.measure import Case
from karma_eval.memory.measure import Percentiles
from karma_eval.report import Report, picture

RULES = "rules"
TARGETS = (
    "≥ 95 % right on own wordings, ≥ 85 % on wordings nobody read, ≤ 2 % false, all of cant_know admitted, "
    "p50 ≤ 10 ms over ROS"
)


def figures(
    cases: Sequence[Case], *, seed: int, ms: Percentiles | None, curve: Sequence[tuple[int, Percentiles]]
) -> dict[str, Any]:
    """Return the figures as JSON."""
    kinds = dict.fromkeys(case.asking.kind for case in cases)
    of = {kind: [case for case in cases if case.asking.kind == kind] for kind in kinds}
    peers = {kind: {"n": len(some), "right": sum(bool(case.emem) for case in some)} for kind, some in of.items()}
    return {
        "planner": RULES,
        "seed": seed,
        "n": len(cases),
        **_shares(cases),
        "kinds": {kind: _counts(some) for kind, some in of.items()},
        "emem": peers if any(case.emem is not None for case in cases) else {},
        "ms": _rounded(ms) if ms is not None else {},
        "library_ms": {str(size): _rounded(one) for size, one in curve},
    }


def _rounded(ms: Percentiles) -> dict[str, float]:
    return {name: round(value, 2) for name, value in asdict(ms).items()}


def _counts(cases: Sequence[Case]) -> dict[str, int]:
    counted = Counter(case.verdict for case in cases)
    return {"n": len(cases), **{verdict.value: counted[verdict] for verdict in Verdict}}


def _shares(cases: Sequence[Case]) -> dict[str, float]:
    counted = Counter(case.verdict for case in cases)
    return {f"{verdict.value}_percent": round(100 * counted[verdict] / max(len(cases), 1), 1) for verdict in Verdict}


def written(case: Case) -> dict[str, Any]:
    """Return a case as JSON."""
    return {
        "kind": case.asking.kind,
        "user": case.asking.user,
        "question": case.asking.words,
        "answer": case.answer,
        "known": case.known,
        "verdict": case.verdict.value,
        "faults": [*case.faults],
        **({} if case.emem is None else {"emem": case.emem}),
    }


def reported(report: Mapping[str, Any], out: Path) -> Report:
    """Return the figures for people; draw the pictures."""
    shown = Report(f"Ask, {report['n']} questions")
    peers = report["emem"]
    rows = []
    for kind, of in report["kinds"].items():
        shares = [f"{100 * of[verdict.value] / of['n']:.0f}" for verdict in Verdict]
        rows.append([kind, of["n"], *shares, *([_share(peers[kind])] if peers else ())])
    everything = [f"{report[f'{verdict.value}_percent']:.1f}" for verdict in Verdict]
    peer = {name: sum(of[name] for of in peers.values()) for name in ("n", "right")}
    rows.append(["all", report["n"], *everything, *([_share(peer)] if peers else ())])
    head = ["kind", "n", *(verdict.value for verdict in Verdict), *(["emem right"] if peers else ())]
    shown.table(f"Ask, {report['n']} questions; percent", head, rows)
    timed = {"over ROS, 10,000": report["ms"]} if report["ms"] else {}
    timed |= {f"library, {int(size):,}": ms for size, ms in report["library_ms"].items()}
    shown.say(
        *(f"{at} records: p50 {ms['p50']:.1f} ms, p99 {ms['p99']:.1f} ms" for at, ms in timed.items()),
        f"To beat: {TARGETS}.",
    )
    shown.picture(plot_kinds(report, out / "kinds.png"))
    if report["library_ms"]:
        shown.picture(plot_latency(report, out / "latency.png"))
    return shown


def _share(of: Mapping[str, int]) -> str:
    return f"{100 * of['right'] / max(of['n'], 1):.0f}"


def plot_kinds(report: Mapping[str, Any], file: Path) -> Path:
    """Draw the shares by kind, with the peer's."""
    kinds = [*report["kinds"]]
    with picture(file, 9, 0.42 * len(kinds) + 1.2) as axes:
        left = [0.0] * len(kinds)
        for verdict, colour in ((Verdict.RIGHT, "#2a7f62"), (Verdict.UNKNOWN, "#d9d9d9"), (Verdict.FALSE, "#c8442b")):
            shares = [100 * report["kinds"][kind][verdict.value] / report["kinds"][kind]["n"] for kind in kinds]
            axes.barh(kinds, shares, 0.6, left=left, color=colour, label=f"KARMA, {verdict.value}")
            left = [one + share for one, share in zip(left, shares, strict=True)]
        if report["emem"]:
            peer = [100 * report["emem"][kind]["right"] / report["emem"][kind]["n"] for kind in kinds]
            axes.plot(peer, kinds, "D", color="black", markersize=5, label="emem 0.3, right")
        axes.set(xlim=(0, 100), xlabel=f"percent of {report['n']} questions, by kind")
        axes.invert_yaxis()
        axes.figure.legend(loc="outside lower center", ncols=4, frameon=False)
    return file


def plot_latency(report: Mapping[str, Any], file: Path) -> Path:
    """Draw the latency over size."""
    with picture(file, 7, 4.5) as axes:
        sizes = [int(size) for size in report["library_ms"]]
        for name, style in (("p50", "o-"), ("p99", "o--")):
            axes.plot(sizes, [one[name] for one in report["library_ms"].values()], style, label=f"library, {name}")
            if report["ms"]:
                axes.plot([10_000], [report["ms"][name]], "s", label=f"over ROS, {name}")
        axes.set(xscale="log", yscale="log", xlabel="records", ylabel="ms a question, without a model")
        axes.grid(alpha=0.3, which="both")
        axes.legend()
    return file
