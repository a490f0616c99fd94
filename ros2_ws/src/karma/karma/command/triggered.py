# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Services without arguments of the running graph."""

from __future__ import annotations

import click

from karma.command.up import domain_id
from karma_ros.interrupts import deferred


def triggered(name: str, namespace: str, timeout: float = 30.0) -> str:
    """Call a std_srvs/Trigger of a robot's graph; return what it says.

    ClickException when it does not do it, or not within `timeout` seconds.
    """
    with deferred():
        from std_srvs.srv import Trigger

        from karma_ros.client import GraphClient, GraphError

    try:
        with GraphClient(name=f"karma_{name.rpartition('/')[2]}", namespace=namespace, domain_id=domain_id()) as client:
            response = client.call(Trigger, name, Trigger.Request(), timeout=timeout)
    except GraphError as error:
        raise click.ClickException(str(error)) from error
    if not response.success:
        raise click.ClickException(response.message)
    return str(response.message)
