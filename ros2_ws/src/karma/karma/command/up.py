# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma up`: the graph, until Ctrl-C."""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack
from importlib import import_module
from types import ModuleType

import click
from rich.console import Console
from rich.status import Status

from karma.command.client import domain_id
from karma.command.log_folder import new_log_folder
from karma.environment import share_folder
from karma.graph import ONLY, ArgumentError, GraphArguments, NodeDescription
from karma_eval.llm import Llm, llm_options
from karma_ros.interrupts import deferred
from sim_bridge.scenes import BACKENDS, DEFAULT_SCENES_TOLD

WATCH_S = 0.5

parameters_option = click.option(
    "--set",
    "parameters",
    multiple=True,
    metavar="NODE.PARAMETER=VALUE",
    help="Another parameter of a node (config/NODE.yaml lists them), such as sim_bridge.seed=7. May be repeated.",
)


@click.command("up")
@click.option("--backend", type=click.Choice(BACKENDS), default="household", show_default=True)
@click.option(
    "--scene",
    default="",
    help="A floor plan or a home; with ai2thor also a house file.  "
    f"[default: {DEFAULT_SCENES_TOLD}; the simulated robot's is home1]",
)
@click.option("--build", default="", help="With --backend ai2thor: a local build's executable.")
@click.option(
    "--robot",
    default="",
    help="With --backend robot: its table, a YAML file (docs/robots.md).  [default: the simulated robot's]",
)
@click.option("--dry-run", is_flag=True, help="With --backend robot: move nothing, say what would be called.")
@click.option("--namespace", default="", help="In front of every name; one per robot.")
@click.option(
    "--database",
    default="",
    help="The memory's SQLite file, or postgresql://… [default: a file per robot and scene, below ~/.karma].",
)
@click.option("--robots", default="", help="Namespaces of robots that share this one's memory.")
@click.option("--obstacles", default="", help="YAML file: skills that are refused until something is so.")
@click.option("--memory", default="", help="Namespace of the robot whose memory this one uses.")
@parameters_option
@llm_options
@click.option(
    "--only", type=click.Choice(ONLY), help="Start the memory server alone, for a planner of your own (docs/ros.md)."
)
@click.option("--rviz", is_flag=True, help="Also start rviz2 (needs a ROS installation).")
@click.option("--view", is_flag=True, help="Also serve the page (docs/view.md; --set view.port=8090).")
@click.option("--headless", is_flag=True, help="Plain lines instead of a live display.")
@click.option(
    "--metrics", type=click.IntRange(1, 65535), help="Also serve metrics for Prometheus, at this port of 127.0.0.1."
)
@click.option(
    "--log-format", type=click.Choice(("text", "json")), default="text", help="json: print what nodes log, too."
)
def command(
    only: str | None,
    rviz: bool,
    view: bool,
    headless: bool,
    metrics: int | None,
    log_format: str,
    dry_run: bool,
    database: str,
    llm: Llm,
    parameters: tuple[str, ...],
    **chosen: str,
) -> None:
    """Start the graph and keep it running until Ctrl-C.

    A node that dies is restarted and activated again; one that dies again and again ends the command with an error,
    unless it is the page's, which the graph does not need.
    ROS_DOMAIN_ID chooses the domain (default 0).
    """
    with deferred():
        if metrics:
            metrics_module()
        from karma.json_log import write_log
        from karma.readiness import ready_graph
        from karma.supervision import RunningGraph, running_nodes
        from karma.supervision.silence import Silence
        from karma_ros.client import GraphError
        from karma_view.access.address import AddressError, listen

    # Soft wrapping leaves a path in one piece, for whoever copies it.
    console = Console(stderr=True, force_terminal=False if headless else None, highlight=False, soft_wrap=True)
    try:
        if database and "://" not in database:
            database = os.path.abspath(database)
        arguments = GraphArguments(
            database=database,
            only=only or "",
            rviz=rviz,
            view=view,
            dry_run=dry_run,
            llm=llm.name,
            llm_url=llm.url,
            parameters=parameters,
            **chosen,
        )
        nodes = ready_graph(arguments, share_folder())
        page = announced_page(nodes[-1]) if view else ""
        if metrics:
            listen("127.0.0.1", metrics).close()
    except AddressError as error:
        raise click.UsageError(str(error)) from error
    folder = new_log_folder("up")
    started = time.monotonic()

    def bring_up(graph: RunningGraph) -> None:
        with Status("starting the graph", console=console) as status:
            graph.wait_active(on_progress=lambda what: status.update(f"starting the graph: {what}"))
        console.print(f"all nodes are active after {time.monotonic() - started:.1f} s; logs in {folder}")

    try:
        with running_nodes(nodes, namespace=arguments.namespace, log_folder=folder, domain_id=domain_id()) as graph:
            chosen_of = filter(None, (arguments.scene, arguments.llm, f"domain {graph.domain_id}"))
            console.print(f"starting {', '.join(graph.names)} ({', '.join(chosen_of)})")
            bring_up(graph)
            if page:
                console.print(page, markup=False)
            call = './karma ask "QUESTION"' if only else './karma do "INSTRUCTION"'
            console.print(f"{call} in another terminal; Ctrl-C here ends it")
            pids = graph.pids
            gone: set[str] = set()
            with Silence(graph) as silence, ExitStack() as until_the_end:
                if log_format == "json":
                    write_log(silence.client, sys.stdout)
                if metrics:
                    served = metrics_module().served(silence.diagnostics, metrics)
                    console.print(f"metrics: {until_the_end.enter_context(served)}", markup=False)
                while True:
                    time.sleep(WATCH_S)
                    graph.check()
                    for name in graph.spare.intersection(graph.failed) - gone:
                        gone.add(name)
                        console.print(
                            f"[yellow]{name} died again and again; the rest goes on[/]; see {folder / name}.log"
                        )
                    for name, pid in graph.pids.items():
                        if pids.get(name, pid) != pid:
                            console.print(f"[yellow]{name} died and was restarted[/]; see {folder / name}.log")
                            started = time.monotonic()
                            held = graph.wait_active()
                            took = f"{name} is active again after {time.monotonic() - started:.1f} s"
                            console.print(held if f"{name} " in held else took)
                    pids |= graph.pids
                    for news in silence.look():
                        console.print(f"[yellow]{news}[/]; logs in {folder}")
    except GraphError as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        console.print("the graph has been taken down")
        raise


def announced_page(node: NodeDescription) -> str:
    """Return what to say of the page of a node that will be started with this process's environment.

    A token that it needs is put there, where its parameters would be anybody's to read.
    """
    from karma_view.access.address import addresses
    from karma_view.access.door import VARIABLE, Door, DoorError, token_for

    values = node.all_parameters
    host, port = str(values["host"]), int(str(values["port"]))
    try:
        door = Door(token_for(host, os.environ.get(VARIABLE, "")))
    except DoorError as error:
        raise ArgumentError(f"{VARIABLE}: {error}") from error
    if door.token:
        os.environ[VARIABLE] = door.token
    return f"the page: {'  '.join(addresses(host, port, door.path))}" if port else "the page's port is in view.log"


def metrics_module() -> ModuleType:
    """Import what serves metrics. UsageError where prometheus_client isn't installed."""
    try:
        return import_module("karma.metrics")
    except ImportError as error:
        raise click.UsageError(f"--metrics needs prometheus-client: pip install prometheus-client ({error})") from error
