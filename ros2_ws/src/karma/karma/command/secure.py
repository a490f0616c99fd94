# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma secure`: keys and permissions for the graph (SROS2), of what its nodes do."""

from __future__ import annotations

import time
from pathlib import Path

import click

from karma.command.client import connected, namespace_option
from karma_eval.command_line import FOLDER
from karma_ros.interrupts import deferred

LOOK_S = 5.0
"""That the graph is looked at: what others use becomes known one by one."""


@click.command("secure")
@click.argument("keystore", type=FOLDER)
@click.option("--check", is_flag=True, help="Write nothing: say what nodes use without being allowed to.")
@namespace_option()
def command(keystore: Path, check: bool, namespace: str) -> int:
    """Write keys for the nodes of the running graph, each of which may do what it does now (docs/security.md).

    What the keystore's policy.xml allows already stays; edit it and run this again. Status 1 with --check where a node
    does what it may not. It needs a DDS that is built with security to be held to it.
    """
    with deferred():
        from karma.secure.keystore import Keystore
        from karma.secure.policy import differences, from_xml, merged, to_xml, used_by

    store = Keystore(keystore)
    if check and not store.policy.exists():
        raise click.ClickException(
            f"there is no keystore in {keystore}, as {store.policy} is not there: ./karma secure {keystore} makes one"
        )
    with connected("secure", namespace) as client:
        time.sleep(LOOK_S)
        own = client.node.get_fully_qualified_name()
        found = {f"{space.rstrip('/')}/{name}" for name, space in client.node.get_node_names_and_namespaces()}
        seen = used_by(client.node, found - {own})
    try:
        policy = from_xml(store.policy.read_text(encoding="utf-8")) if store.policy.exists() else {}
    except (ValueError, OSError) as error:
        raise click.ClickException(f"{store.policy}: {error}") from error
    if not seen:
        raise click.ClickException("no node runs here: start the graph first, ./karma up")
    if check:
        forbidden, idle = differences(policy, seen)
        for line in forbidden:
            click.echo(f"not allowed: {line}")
        click.echo(f"{len(seen)} nodes, {len(forbidden)} uses not allowed, {len(idle)} allowed and not used now")
        return int(bool(forbidden))
    policy = merged(policy, seen)
    try:
        store.write(policy)
        store.policy.write_text(to_xml(policy), encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"cannot write {keystore}: {error}") from error
    click.echo(f"{len(policy)} enclaves in {keystore}; keep {keystore / 'private'} off the robot")
    click.echo(f"start with ROS_SECURITY_ENABLE=true ROS_SECURITY_STRATEGY=Enforce ROS_SECURITY_KEYSTORE={keystore}")
    return 0
