# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma view`: a page in the browser on the running graph, or on the demo."""

from __future__ import annotations

import logging
import os
import sys
import threading
import webbrowser
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from karma.command.checkout import output_folder
from karma.command.client import domain_id, namespace_option
from karma.command.demo import WIDTH
from karma.command.log_folder import graph_in_log_folder
from karma.graph import GraphArguments
from karma_eval.command_line import ANY_FILE, click_errors
from karma_ros.interrupts import deferred, wait_for_signal
from karma_view.access.address import is_loopback
from sim_bridge.scenes import BACKENDS, DEFAULT_SCENES_TOLD

if TYPE_CHECKING:
    from karma_view.page import Page

UNENCRYPTED = (
    "The page is plain HTTP: whoever is on the network between can read along, the token included. Elsewhere than at "
    "home, leave out --host and tunnel: ssh -L {port}:localhost:{port} THIS_MACHINE, then open http://localhost:{port}/"
)


@click.command("view")
@click.option("--demo", is_flag=True, help="Start ./karma demo, too, in a domain of its own, and stay when it is over.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; 0.0.0.0: all that this machine has, and viewers need a token.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="TCP port; 0: any that is free."
)
@click.option(
    "--token",
    default="",
    envvar="KARMA_VIEW_TOKEN",
    help="What viewers have to know. Others on this machine can read a command line: the variable KARMA_VIEW_TOKEN "
    "does the same.  [default: a new one where --host lets others in, else none]",
)
@namespace_option()
@click.option(
    "--open/--no-open",
    "opening",
    default=None,
    help="Open the page in a browser here.  [default: on a desktop, where no token is needed]",
)
@click.option("--backend", type=click.Choice(BACKENDS), help="With --demo.  [default: household]")
@click.option("--scene", help=f"With --demo.  [default: {DEFAULT_SCENES_TOLD}; the simulated robot's is home1]")
@click.option("--headless", is_flag=True, help="With --demo: no live display, plain lines.")
@click.option(
    "--record",
    type=ANY_FILE,
    help="Record the 3D view to this new HTML file, and end; needs no browser. Ctrl-C ends it earlier, and saves.",
)
@click.option("--seconds", type=click.FloatRange(1.0, 3600.0), help="With --record: how long.  [default: 600]")
def command(
    demo: bool,
    host: str,
    port: int,
    token: str,
    namespace: str,
    opening: bool | None,
    backend: str | None,
    scene: str | None,
    headless: bool,
    record: Path | None,
    seconds: float | None,
) -> int:
    """Show a page in the browser: the home in 3D, the robot, its memory and plans, live; talk to it there.

    Shows the graph that runs in the domain ROS_DOMAIN_ID (default 0), which may come and go. Ctrl-C ends the page, and
    with --demo the graph.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    if not demo and (backend or scene or headless):
        raise click.UsageError("--backend, --scene and --headless are for --demo; ./karma up takes them, too")
    if demo and namespace:
        raise click.UsageError("--demo has a graph of its own, without a namespace")
    if demo and record:
        raise click.UsageError("--record is for a graph that runs: start ./karma view --demo, and record in its page")
    if seconds and not record:
        raise click.UsageError("--seconds is for --record")
    if opening and not on_desktop():
        raise click.UsageError("--open: there is no desktop here; open the page elsewhere (docs/view.md)")
    shown = (on_desktop() and not token and is_loopback(host)) if opening is None else opening
    if demo:
        arguments = GraphArguments(backend=backend or "household", scene=scene or "")
        return _demo(host, port, token, shown, arguments, headless)
    with serving(host, port, token, domain=domain_id(), namespace=namespace) as page:
        if record is not None:
            return _record(page, record, seconds)
        announce(page, shown)
        wait_for_signal()
    return 0


def _record(page: Page, file: Path, seconds: float | None) -> int:
    """Record until it is long enough, or Ctrl-C. ClickException where nothing can be recorded."""
    from karma_view.scene.recording import Bounds, RecordingError

    stop = threading.Event()
    with ThreadPoolExecutor(1) as pool:  # Ctrl-C comes to the main thread
        recording = pool.submit(page.record_to, file, stop=stop, bounds=Bounds(seconds=seconds) if seconds else None)
        with click_errors(OSError, RecordingError):
            try:
                done = recording.result()
            except KeyboardInterrupt:
                stop.set()
                done = recording.result()
    click.echo(f"{file}: {done.seconds:.0f} s of the home")
    return 0


@contextmanager
def serving(host: str, port: int, token: str, *, domain: int, namespace: str = "") -> Iterator[Page]:
    """Serve the page on a domain's graph until the end of the block. ClickException where that can't be."""
    with deferred():
        from karma_ros.client import GraphClient
        from karma_view.access.address import AddressError
        from karma_view.access.door import DoorError, token_for
        from karma_view.known import Live
        from karma_view.page import Page
        from karma_view.ros.robot import Robot

    with GraphClient(name="karma_view", namespace=namespace, domain_id=domain) as client:
        live = Live()
        try:
            page = Page(Robot(client, live), live, host=host, port=port, token=token_for(host, token))
        except AddressError as error:
            raise click.ClickException(f"{error}; --host and --port say where") from error
        except DoorError as error:
            raise click.ClickException(str(error)) from error
        try:
            yield page
        finally:
            page.close()


def announce(page: Page, opening: bool) -> None:
    """Say where the page is and what that means; open it here if asked to."""
    for address in page.addresses:
        click.echo(address)
    if not is_loopback(page.host):
        click.echo(UNENCRYPTED.format(port=page.port), err=True)
    click.echo("Ctrl-C here ends it", err=True)
    if opening:
        webbrowser.open(page.addresses[0])


def on_desktop() -> bool:
    """Return whether a browser that is opened here is seen by whoever sits here."""
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(display) and "SSH_CONNECTION" not in os.environ and sys.stdout.isatty()


def _demo(host: str, port: int, token: str, opening: bool, arguments: GraphArguments, headless: bool) -> int:
    with deferred():
        from karma.demo.run import run_demo
        from karma.supervision import running_graph
        from karma_ros.client import GraphError

    folder = output_folder() / "demo"
    arguments, log_folder = graph_in_log_folder("view", arguments)
    folder.mkdir(parents=True, exist_ok=True)
    console = Console(
        stderr=True, force_terminal=False if headless else None, width=WIDTH if headless else None, highlight=False
    )
    with (
        click_errors(GraphError),
        running_graph(arguments, log_folder=log_folder) as graph,
        serving(host, port, token, domain=graph.domain_id) as page,
    ):
        announce(page, opening)
        done = run_demo(graph, arguments, folder=folder, json_file=None, console=console)
        console.print(f"the demo is over, {'and all went well' if done else 'and not all went well'}; look around")
        for address in page.addresses:
            console.print(address, markup=False, soft_wrap=True)
        wait_for_signal()
    return 0
