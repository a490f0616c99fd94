# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The node `view`: serves the page. It listens to the graph and calls its services; nothing depends on it."""

from __future__ import annotations

import logging
import os
import sys
import time
from typing import Any

from rcl_interfaces.msg import IntegerRange, ParameterDescriptor

from karma.client import GraphClient
from karma.interrupts import LONGEST_WAIT_S, noted_signals
from karma.view.address import AddressError, addresses
from karma.view.door import VARIABLE, DoorError, token_for
from karma.view.known import Live
from karma.view.page import Page
from karma.view.parameters import PARAMETERS
from karma.view.robot import Robot


def main() -> None:
    """Serve the page until the process is told to end."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    signals = noted_signals()
    with GraphClient(name="view") as client:
        values = _parameters(client.node)
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


def _parameters(node: Any) -> dict[str, Any]:
    """Declare the parameters and return their values."""
    values = {}
    for parameter in PARAMETERS:
        bounds = [IntegerRange(from_value=parameter.low, to_value=parameter.high, step=1)] if parameter.high else []
        descriptor = ParameterDescriptor(description=parameter.description, integer_range=bounds, read_only=True)
        values[parameter.name] = node.declare_parameter(parameter.name, parameter.default, descriptor).value
    return values


if __name__ == "__main__":
    main()
