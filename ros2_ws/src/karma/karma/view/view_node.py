# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The node `view`: serves the page. It listens to the graph and calls its services; nothing depends on it."""

from __future__ import annotations

import logging
import secrets
import signal
import sys
import threading

from rcl_interfaces.msg import IntegerRange, ParameterDescriptor

from karma.client import GraphClient
from karma.view.door import QUERY, DoorError, is_loopback
from karma.view.known import Live
from karma.view.page import Page, PortTakenError
from karma.view.robot import Robot

logger = logging.getLogger(__name__)


def main() -> None:
    """Serve the page until the process is told to end."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with GraphClient(name="view") as client:
        node = client.node
        text = ParameterDescriptor
        host = node.declare_parameter(
            "host", "127.0.0.1", text(description="Address to listen on; 0.0.0.0: every one of this machine's.")
        ).value
        port = node.declare_parameter(
            "port",
            8080,
            ParameterDescriptor(
                description="TCP port of the page; 0: any that is free.",
                integer_range=[IntegerRange(from_value=0, to_value=65535, step=1)],
            ),
        ).value
        token = node.declare_parameter(
            "token",
            "",
            text(description="What viewers have to know; empty: nothing on this machine, else a new one every time."),
        ).value
        if not token and not is_loopback(host):
            token = secrets.token_urlsafe(16)
        live = Live()
        try:
            page = Page(Robot(client, live), live, host=host, port=port, token=token)
        except (DoorError, PortTakenError, ValueError) as error:
            sys.exit(f"view: {error}")
        # Not an address to listen on, but what a person can open.
        shown = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::") else host  # noqa: S104
        print(f"view: http://{shown}:{page.port}/{f'?{QUERY}={token}' if token else ''}", flush=True)
        stop.wait()
        page.close()


if __name__ == "__main__":
    main()
