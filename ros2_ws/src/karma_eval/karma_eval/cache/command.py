# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma bench cache`: hit rates of replacement policies on traces, beside theine and the optimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean

import click

from karma_eval.cache import theine_peer
from karma_eval.cache.household import household_trace, write_trace
from karma_eval.cache.measure import ADAPTIVE, OPTIMUM, THEINE, Result, contestants, score
from karma_eval.cache.synthetic import synthetic_traces
from karma_eval.cache.traces import Trace, TraceError, find_traces, read_trace
from karma_eval.command_line import FILE, click_errors, json_option, out_option, write_json
from karma_eval.progress import progress
from karma_eval.report import Report, picture

HOUSEHOLD_CAPACITIES = (4, 8, 10, 12, 16, 24, 32, 64)
RIVALS = ("LRU", "LFU", THEINE)


@click.command("cache")
@click.option(
    "--trace",
    "files",
    multiple=True,
    type=FILE,
    help="A trace: LIRS text (.trace.gz), cache2k (.trace.xz), or any text, one key a line; may be given again.",
)
@click.option(
    "--capacity",
    "capacities",
    multiple=True,
    type=click.IntRange(min=1),
    help="Units; may be given again. By default as other people's figures have it, for households 4 to 64.",
)
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with traces/ and memento/: every trace below the one, and the household of the other.",
)
@click.option("--synthetic", is_flag=True, help="Made-up traces, too: popular keys, scans, shifts, loops, recent use.")
@click.option(
    "--household",
    "household_file",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the household trace made from --data there, too.",
)
@out_option("out/bench")
@json_option("Write the figures there, too: one object for one trace at one capacity, else a list.")
def command(
    files: tuple[Path, ...],
    capacities: tuple[int, ...],
    data: Path | None,
    synthetic: bool,
    household_file: Path | None,
    out: Path,
    json_file: Path | None,
) -> None:
    """Compare replacement policies on recorded accesses: hit rates and times, beside theine and Bélády's optimum."""
    if not (files or data or synthetic):
        raise click.UsageError("name a trace (--trace), a folder with traces (--data), or --synthetic")
    if household_file and not data:
        raise click.UsageError("--household needs MEMENTO's episodes: --data")
    with click_errors(TraceError):
        found = find_traces(data / "traces") if data is not None else []
        runs = [(trace, capacities or (trace.capacity,)) for trace in map(read_trace, (*files, *found))]
        if data is not None and (household_file is not None or (data / "memento").is_dir()):
            household = household_trace(data / "memento")
            runs.append((household, capacities or HOUSEHOLD_CAPACITIES))
            if household_file is not None:
                write_trace(household, household_file)
    if synthetic:
        runs += [(trace, capacities or HOUSEHOLD_CAPACITIES) for trace in synthetic_traces()]
    if not runs:
        raise click.ClickException(f"{data} has neither traces/ with *.trace.gz or *.trace.xz nor memento/")
    if not theine_peer.available():
        click.echo("theine is not installed: no peer (./karma bench installs it)", err=True)
    results = measure(runs)
    reported(results).show()
    for drawn in plot(results, out):
        click.echo(f"hit rate over capacity: {drawn}")
    figures = [asdict(result) for result in results]
    write_json(json_file, figures[0] if len(figures) == 1 else figures)


def measure(runs: Sequence[tuple[Trace, Sequence[int]]]) -> list[Result]:
    """Run every policy on every trace at every capacity."""
    policies = contestants()
    steps = sum(len(trace.keys) * len(capacities) for trace, capacities in runs) * len(policies)
    results = []
    with progress(total=steps, unit="accesses", desc="cache", unit_scale=True) as bar:
        for trace, capacities in runs:
            for capacity in capacities:
                scores = {}
                for name, hits in policies.items():
                    bar.set_description(f"{trace.name}@{capacity} {name}", refresh=False)
                    scores[name] = score(hits, trace, capacity)
                    bar.update(len(trace.keys))
                results.append(Result(trace.name, capacity, len(trace.keys), scores))
    return results


def reported(results: Sequence[Result]) -> Report:
    """Return the hit rates, what the adaptive policy is ahead by, and the times."""
    names = list(results[0].policies)
    rows = []
    for result in results:
        rates = [f"{result.policies[name].hit_rate:.1f}" for name in names]
        rows.append([f"{result.trace}@{result.capacity}", f"{result.requests:,}", *rates, f"{ahead(result):+.1f}"])
    means = [fmean(result.policies[name].hit_rate for result in results) for name in names]
    times = [fmean(result.policies[name].ns_per_op for result in results) for name in names]
    rows.append(["mean", "", *(f"{mean:.1f}" for mean in means), f"{min(map(ahead, results)):+.1f}"])
    rows.append(["mean ns an access", "", *(f"{time:,.0f}" for time in times), ""])
    report = Report("Replacement")
    report.table("hit rates, percent", ["trace@capacity", "requests", *names, "ahead by"], rows)
    report.say(
        f"ahead by: {ADAPTIVE} less the best of {', '.join(name for name in RIVALS if name in names)}; in the row of "
        "means the least of it. To beat: never below -1, above each on average, 92 % of OPT on households at 16 units."
    )
    return report


def ahead(result: Result) -> float:
    """Return by how many points the adaptive policy is better than the best of its rivals."""
    rivals = [result.policies[name].hit_rate for name in RIVALS if name in result.policies]
    return result.policies[ADAPTIVE].hit_rate - max(rivals)


def plot(results: Sequence[Result], out: Path) -> list[Path]:
    """Draw the hit rate over the capacity for each trace that was measured at several."""
    by_trace: dict[str, list[Result]] = {}
    for result in results:
        by_trace.setdefault(result.trace, []).append(result)
    return [_plot(name, sorted(group, key=lambda r: r.capacity), out) for name, group in by_trace.items() if group[1:]]


def _plot(name: str, results: list[Result], out: Path) -> Path:
    from matplotlib import colormaps

    file = out / f"cache-{name}.png"
    with picture(file, 8, 5) as axes:
        axes.set_prop_cycle(color=colormaps["tab20"](range(20)))  # the usual ten are fewer than the policies
        for policy in results[0].policies:
            rates = [result.policies[policy].hit_rate for result in results]
            style = "k--" if policy == OPTIMUM else "o-"
            width = 3.0 if policy == ADAPTIVE else 1.0
            axes.plot([result.capacity for result in results], rates, style, linewidth=width, label=policy)
        axes.set(title=name, xlabel="capacity, units", ylabel="hit rate, %")
        axes.set_xscale("log", base=2)
        axes.grid(alpha=0.3)
        axes.legend()
    return file
