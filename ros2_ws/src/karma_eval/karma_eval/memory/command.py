# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma bench memory`: latencies, restart and size of the memory."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from karma_eval.command_line import json_option, out_option, write_json
from karma_eval.emem_peer import available
from karma_eval.memory import emem_peer
from karma_eval.memory.measure import Filled, disk_mb, fill, in_own_process, restart
from karma_eval.report import Report, picture

TARGETS = "at 10,000 records, without the embedding: recall p50 ≤ 3 ms, p99 ≤ 10 ms"


@click.command("memory")
@click.option("--n", "records", default=10_000, show_default=True, type=click.IntRange(100), help="Records.")
@click.option("--embedder", default="auto", show_default=True, help="As the parameter of the memory server.")
@click.option("--peer/--no-peer", default=True, help="Measure emem beside it.")
@out_option("out/bench")
@json_option("Write the figures there, too.")
def command(records: int, embedder: str, peer: bool, out: Path, json_file: Path | None) -> None:
    """Remember a made-up household, recall, restart; latencies, size, and emem in the same run."""
    with tempfile.TemporaryDirectory(prefix="karma-bench-") as name:
        folder = Path(name)
        path = folder / "memory.sqlite3"
        filled = in_own_process(fill, path, records, embedder)
        size = disk_mb(path)
        from_snapshot = in_own_process(restart, path, embedder)
        for snapshot in folder.glob("*.snapshot-*"):
            snapshot.unlink()
        from_journal = in_own_process(restart, path, embedder)
        beside = None
        if peer and available():
            beside = in_own_process(emem_peer.measure, folder / "emem.db", records, embedder)
        elif peer:
            click.echo("emem is not installed: no peer (./karma bench installs it)", err=True)
        figures = asdict(filled)
        del figures["curve"]
        report = {
            "n": records,
            **figures,
            "restart_s": {"snapshot": from_snapshot, "journal": from_journal},
            "disk_mb": size,
            "peers": {} if beside is None else {"emem": asdict(beside)},
        }
    reported(report).show()
    picture = plot(filled, beside, out)
    click.echo(f"latency over size: {picture}")
    write_json(json_file, report)


def plot(filled: Filled, beside: emem_peer.Emem | None, out: Path) -> Path:
    """Draw how the latency of a recall grows with the memory."""
    file = out / f"memory-{filled.records}.png"
    with picture(file, 7, 4.5) as axes:
        sizes = [size for size, _ in filled.curve]
        axes.plot(sizes, [latency.p50 for _, latency in filled.curve], "o-", label="KARMA, recall p50")
        axes.plot(sizes, [latency.p99 for _, latency in filled.curve], "o--", label="KARMA, recall p99")
        if beside is not None:
            axes.plot([beside.records], [beside.semantic_search_ms.p50], "s", label="emem, semantic search p50")
            axes.plot([beside.records], [beside.recall_ms.p50], "^", label="emem, recall p50")
        axes.set(xscale="log", yscale="log", xlabel="records", ylabel="ms, without embedding the question")
        axes.grid(alpha=0.3, which="both")
        axes.legend()
    return file


def reported(report: dict[str, Any]) -> Report:
    """Return the figures for people."""
    peer = report["peers"].get("emem", {})

    def latency(figures: dict[str, float] | None) -> str:
        return "–" if figures is None else f"{figures['p50']:.2f} / {figures['p99']:.2f}"

    rows = [
        [f"{name}, p50 / p99 ms", latency(report.get(key)), latency(peer.get(key))]
        for name, key in (
            ("remember", "remember_ms"),
            ("recall", "recall_ms"),
            ("recall with embedding", "recall_with_embedding_ms"),
            ("recall in a room, near a place", "recall_filtered_ms"),
            ("semantic search only", "semantic_search_ms"),
        )
    ]
    rows += [
        ["first recall of a past time, s", f"{report['recall_past_s']:.2f}", "–"],
        ["restart from snapshot, s", f"{report['restart_s']['snapshot']:.2f}", f"{peer.get('restart_s', 0.0):.2f}"],
        ["restart from journal, s", f"{report['restart_s']['journal']:.2f}", "–"],
        ["resident, MB", f"{report['rss_mb']:.0f}", f"{peer.get('rss_mb', 0.0):.0f}"],
        ["on disk, MB", f"{report['disk_mb']:.1f}", "–"],
    ]
    head = ["", "KARMA", *([f"emem {peer['version']}"] if peer else ())]
    title = f"{report['records']:,} records, {report['events']:,} events, {report['embedder']}"
    shown = Report("Memory")
    shown.table(title, head, [row[: len(head)] for row in rows])
    shown.say(f"To beat, {TARGETS}. emem's add returns before anything is on disk; KARMA's remember when it is.")
    return shown
