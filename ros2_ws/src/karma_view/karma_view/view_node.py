# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The node `view`: serves the page. It listens to the graph and calls its services; nothing depends on it."""

from __future__ import annotations

import logging
import os
import sys
import time

from karma_ros.client import GraphClient
from karma_ros.declared_parameters import DeclaredParameters
from karma_ros.interrupts import LONGEST_WAIT_S
from karma_ros.process import noted_signals
from karma_view.access.address import AddressError, addresses
from karma_view.access.door import VARIABLE, DoorError, token_for
from karma_view.known import Live
from karma_view.page import Page
from karma_view.parameters import PARAMETERS
from karma_view.ros.robot import Robot


def main() -> None:
    """Serve the page until the process is told to end."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    signals = noted_signals()
    with GraphClient(name="view") as client:
        values = DeclaredParameters(client.node, PARAMETERS).values()
        host, given, live = values["host"], os.environ.get(VARIABLE, ""), Live()
        try:
            page = Page(Robot(client, live), live, host=host, port=values["port"], token=token_for(host, given))
        except (AddressError, DoorError) as error:
            sys.exit(f"view: {error}")
        # Whoever gave the token knows it; a new one is told here, as there is no other place.
        shown = addresses(host, page.port) if given else page.addresses
        print(f"view: {' '.join(shown)}{f' with the token in {VARIABLE}' if given else ''}", flush=True)
        while not signals:
            time.sleep(LONGEST_WAIT_S)
        page.close()


if __name__ == "__main__":
    main()
