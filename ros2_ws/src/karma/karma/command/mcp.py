# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma mcp`: the memory for agents that speak the Model Context Protocol."""

from __future__ import annotations

import logging
import sys
from contextlib import ExitStack
from pathlib import Path

import click

from karma.command.client import domain_id, namespace_option
from karma_eval.command_line import ANY_FILE, click_errors
from karma_ros.interrupts import deferred

PORT = 8765


@click.command("mcp")
@click.option("--database", default="", help="A memory's file, or postgresql://…, in place of the running graph's.")
@click.option("--user", default="", help="Who the agent speaks for: their own memories count, too.")
@click.option("--act", is_flag=True, help="Let agents have the robot carry out instructions, pause, go on and stop.")
@click.option("--write", is_flag=True, help="Let agents record what they see and do themselves, and forget.")
@click.option("--http", is_flag=True, help="Serve streamable HTTP in place of standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --http. Others than this machine: --tokens.")
@click.option("--port", default=PORT, show_default=True, help="With --http; 0: any free one.")
@click.option(
    "--tokens",
    type=ANY_FILE,
    help="With --http: a file with a line for each client, a token and the user that it speaks for.",
)
@namespace_option()
def command(
    database: str,
    user: str,
    act: bool,
    write: bool,
    http: bool,
    host: str,
    port: int,
    tokens: Path | None,
    namespace: str,
) -> int:
    """Serve the memory to agents by MCP: tools, the home as text, pictures, prompts.

    Nothing is written but what the tool `remember` is given, and nothing moves, unless with --write or --act. Ends when
    the client does, or with Ctrl-C.
    """
    with deferred():
        from karma.mcp.acting import Acting
        from karma.mcp.graph_memory import GraphMemory
        from karma.mcp.server import MemoryServer
        from karma.mcp.serving import LOCAL, TokenError, read_tokens, serve_http, serve_stdio, user_of
        from karma_memory import EmbedderError, JournalError, Memory
        from karma_memory.home_memory import HomeMemory
        from karma_ros.client import GraphClient, GraphError

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    if http and host not in LOCAL and tokens is None:
        raise click.UsageError("who reaches this from elsewhere needs a token: --tokens FILE")
    if not http and tokens is not None:
        raise click.UsageError("--tokens is for --http")
    if tokens is not None and user:
        raise click.UsageError("with --tokens, each token says its user: leave --user out")
    with click_errors(GraphError, JournalError, EmbedderError, TokenError, OSError), ExitStack() as stack:
        users = read_tokens(tokens) if tokens is not None else {}
        acting = None
        memory: HomeMemory
        if database:
            if act:
                raise click.UsageError("--act is for the running graph: leave --database out")
            memory = stack.enter_context(Memory(database))
        else:
            client = stack.enter_context(GraphClient(name="karma_mcp", namespace=namespace, domain_id=domain_id()))
            memory = GraphMemory(client)
            if act:
                acting = Acting(client)
                stack.callback(acting.close)
        server = MemoryServer(
            memory, lambda context: user_of(context.request, user), writing=write, acting=acting
        ).server()
        if http:
            serve_http(server, host, port, users, lambda url: click.echo(url, err=True))
        else:
            serve_stdio(server)
    return 0
