# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The option --namespace of the commands that talk to a running graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from karma.graph import NAMESPACE

Function = TypeVar("Function", bound=Callable[..., object])


def namespace_option(help_text: str = "The robot's, as given to ./karma up.") -> Callable[[Function], Function]:
    """Make the option, whose value ROS takes for a namespace, or "" for none."""
    return click.option("--namespace", default="", callback=_checked, help=help_text)


def _checked(_: click.Context, __: click.Parameter, namespace: str) -> str:
    if namespace and not NAMESPACE.fullmatch(namespace):
        raise click.BadParameter(
            f"{namespace!r} is no ROS namespace: letters, digits and _, parts separated by /, as in robot2"
        )
    return namespace
