# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How a command reaches the running graph: the user's ROS domain, a robot's namespace, and a client."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import click

from karma.graph import NAMESPACE
from karma_eval.command_line import click_errors
from karma_ros.interrupts import deferred

if TYPE_CHECKING:
    from karma_ros.client import GraphClient

Function = TypeVar("Function", bound=Callable[..., object])


def namespace_option(help_text: str = "The robot's, as given to ./karma up.") -> Callable[[Function], Function]:
    """Make the option --namespace, whose value ROS takes for a namespace, or "" for none."""
    return click.option("--namespace", default="", callback=_checked, help=help_text)


def _checked(_: click.Context, __: click.Parameter, namespace: str) -> str:
    if namespace and not NAMESPACE.fullmatch(namespace):
        raise click.BadParameter(
            f"{namespace!r} is no ROS namespace: letters, digits and _, parts separated by /, as in robot2"
        )
    return namespace


def domain_id() -> int:
    """Return the user's ROS_DOMAIN_ID, by default 0. UsageError when it is no domain."""
    text = os.environ.get("ROS_DOMAIN_ID", "") or "0"
    if not text.isdecimal() or int(text) > 232:
        raise click.UsageError(f"ROS_DOMAIN_ID must be a number from 0 to 232, not {text!r}")
    return int(text)


@contextmanager
def connected(command: str, namespace: str) -> Iterator[GraphClient]:
    """Connect a command to a robot's graph. What the graph does not do is a ClickException, in its words."""
    with deferred():
        from karma_ros.client import GraphClient, GraphError
    with (
        click_errors(GraphError),
        GraphClient(name=f"karma_{command}", namespace=namespace, domain_id=domain_id()) as client,
    ):
        yield client
