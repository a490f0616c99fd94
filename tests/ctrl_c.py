# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Presses Ctrl-C on a graph in a terminal, again and again: ./karma shell python tests/ctrl_c.py --rounds 50 up.

`up` is `./karma up`, `launch` is `ros2 launch` (where that is installed), `together` starts and ends the nodes as
launch does, without it. A round is clean where the command and all that
it started end within the seconds that karma/graph.py gives them, and nobody said anything red.
"""

from __future__ import annotations

import fcntl
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import click

from karma.graph import GraphArguments, describe_graph
from karma.supervision.configuration import command_of
from karma.tied import tied, tied_environment
from karma_ros.domain import claim_domain

ROOT = Path(__file__).resolve().parents[1]
SHARE = ROOT / "ros2_ws" / "src" / "karma"
RED = re.compile(r"^.*(?:\b(?:ERROR|FATAL|CRITICAL)\b|Traceback|[Ee]xception|has died|terminate called).*$", re.M)
"""Lines that say that something went wrong."""
STARTING = re.compile(r"process started|starting memory_server")
ACTIVE = re.compile(r"planner is active|all nodes are active")
START_S = 300.0
"""Seconds after which a graph that is not active will not be: long, so that a busy machine changes nothing."""
COMMAND_S = 10.0
"""What the command itself takes to end, beyond its nodes."""
MARK = "KARMA_CTRL_C"


@dataclass
class Round:
    """How one Ctrl-C went."""

    seconds: float
    """From Ctrl-C until the command and all that it started had ended, or it was waited for no longer."""
    status: int
    """Of the command; minus the signal's number where a signal ended it."""
    orphans: list[str] = field(default_factory=list)
    """Command lines of what was left."""
    red: list[str] = field(default_factory=list)
    """Lines of output and logs that say that something went wrong."""
    said: str = ""

    @property
    def clean(self) -> bool:
        """Whether all ended, by itself, and nothing went wrong."""
        return self.status in (0, 130) and not self.orphans and not self.red


def commands(scene: str, database: Path) -> dict[str, list[str]]:
    """Return the command lines that start a graph, by name."""
    up = [sys.executable, "-m", "karma.command", "up", "--headless", "--scene", scene, "--database", str(database)]
    launch = ["ros2", "launch", "karma", "bringup.launch.py", f"scene:={scene}", f"database:={database}"]
    together = [sys.executable, __file__, "together", "--scene", scene, "--keep", str(database)]
    return {"up": up, "launch": launch, "together": together}


def run_together(scene: str, database: Path) -> int:
    """Start all nodes in one process group, as launch does; say, as it does, of which status those are that fail."""
    signal.signal(signal.SIGINT, lambda *_: None)  # not ignored, which the nodes would inherit
    environment = tied_environment(os.environ)
    nodes = describe_graph(GraphArguments(scene=scene, database=str(database)), SHARE)
    processes = {
        node.name: subprocess.Popen(tied(command_of(node, database.parent), ending=node.ending), env=environment)
        for node in nodes
    }
    click.echo(f"starting {', '.join(processes)}")
    for name, process in processes.items():
        if status := process.wait():
            click.echo(f"[ERROR] {name}: process has died, exit code {status}")
    return 0


def promised(name: str) -> float:
    """Return the seconds within which a graph has ended: `./karma up` ends its nodes in turn, launch all at once."""
    endings = [node.ending for node in describe_graph(GraphArguments(), SHARE)]
    return COMMAND_S + (sum(endings) if name == "up" else max(endings))


def press(command: Sequence[str], *, domain: int, within: float, folder: Path, ready: Callable[[str], bool]) -> Round:
    """Start a command in a terminal of its own, press Ctrl-C there when `ready` says so of its output, and wait."""
    mark = uuid.uuid4().hex
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain), "PYTHONUNBUFFERED": "1", MARK: mark}
    environment["ROS_LOG_DIR"] = str(folder / "ros")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command,
        env=environment,
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # what Ctrl-C goes to
    )
    os.close(theirs)
    said = ""
    try:
        deadline = time.monotonic() + START_S
        while not ready(said):
            said += _read(ours)
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the graph did not start:\n{said}")
        os.write(ours, b"\x03")
        pressed = time.monotonic()
        while process.poll() is None and time.monotonic() - pressed < within:
            said += _read(ours)
        while (left := _marked(mark)) and time.monotonic() - pressed < within:
            said += _read(ours)
        seconds = time.monotonic() - pressed
        while last := _read(ours):  # a terminal gives 4 kB at a time
            said += last
    finally:
        for process_id in _marked(mark):
            with suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)
        process.wait()
        os.close(ours)
    return Round(seconds, process.returncode, list(left.values()), _red(said), said)


def _read(terminal: int) -> str:
    """Return what was said within a short while."""
    if not select.select([terminal], [], [], 0.05)[0]:
        return ""
    try:
        return os.read(terminal, 65536).decode(errors="replace")
    except OSError:  # EIO: nobody is left who could say something
        time.sleep(0.05)
        return ""


def _marked(mark: str) -> dict[int, str]:
    """Return the command lines of what a command has started and what still runs, by process id."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()  # a zombie has none
            if command and f"{MARK}={mark}".encode() in (folder / "environ").read_bytes():
                found[int(folder.name)] = command
        except OSError:  # it has ended just now, or is another user's
            continue
    return found


def _red(said: str) -> list[str]:
    """Return the red lines of what was said, and of the logs that it names."""
    texts = [said]
    for folder in re.findall(r"logs in (\S+)", said):
        texts += [file.read_text(errors="replace") for file in Path(folder).glob("*.log*")]
    return [line.strip() for text in texts for line in RED.findall(text)]


def after(words: re.Pattern[str], seconds: float) -> Callable[[str], bool]:
    """Be ready so long after these words were said."""
    moment: list[float] = []

    def ready(said: str) -> bool:
        if not moment and words.search(said):
            moment.append(time.monotonic() + seconds)
        return bool(moment) and time.monotonic() > moment[0]

    return ready


@click.command()
@click.argument("name", type=click.Choice(["up", "launch", "together"]))
@click.option("--rounds", default=50, show_default=True)
@click.option("--scene", default="FloorPlan1", show_default=True)
@click.option("--early", is_flag=True, help="Press while the graph starts, at a moment of chance.")
@click.option("--seed", default=0, show_default=True, help="Of the moments.")
@click.option("--keep", type=click.Path(path_type=Path), help="With together: start it, once, with this database.")
def main(name: str, rounds: int, scene: str, early: bool, seed: int, keep: Path | None) -> None:
    """Press Ctrl-C on as many graphs; status 1 unless every round was clean."""
    if keep is not None:
        sys.exit(run_together(scene, keep))
    chance = random.Random(seed)
    within, done = promised(name), []
    for number in range(1, rounds + 1):
        with claim_domain(None) as domain:
            pass  # `./karma up` wants it for itself
        with tempfile.TemporaryDirectory() as folder:
            command = commands(scene, Path(folder) / "memory.sqlite3")[name]
            # Of a graph that is up, too, not always at the same moment of what it does again and again.
            ready = after(STARTING, chance.uniform(0.0, 10.0)) if early else after(ACTIVE, chance.uniform(0.0, 2.0))
            ended = press(command, domain=domain, within=within, folder=Path(folder), ready=ready)
        done.append(ended)
        verdict = "clean" if ended.clean else "NOT CLEAN"
        click.echo(f"{number}: {verdict}, {ended.seconds:.1f} s, status {ended.status}")
        for line in (*(f"left: {orphan}" for orphan in ended.orphans), *ended.red):
            click.echo(f"   {line}")
        if not ended.clean:
            click.echo(f"--- all that was said\n{ended.said}\n---")
    clean = sum(ended.clean for ended in done)
    times = sorted(ended.seconds for ended in done)
    click.echo(
        f"{clean} of {rounds} clean; {times[0]:.1f} – {times[-1]:.1f} s, median {times[len(times) // 2]:.1f} s;"
        f" promised {within:.0f} s"
    )
    sys.exit(clean < rounds)


if __name__ == "__main__":
    main()
