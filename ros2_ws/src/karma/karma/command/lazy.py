# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Groups of commands that are imported when they are used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from karma_ros.domain import DomainInUseError
from karma_ros.interrupts import deferred


class LazyGroup(click.Group):
    """A group that knows its commands by name, so that --help and start-up import none of them."""

    def __init__(self, *arguments: Any, modules: Mapping[str, str], summaries: Mapping[str, str], **more: Any) -> None:
        """`modules`: where each is, MODULE or MODULE:VARIABLE; `summaries`: what --help lists, in that order."""
        super().__init__(*arguments, **more)
        self._modules = modules
        self._summaries = summaries

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse bytes that are no UTF-8, which messages, logs and JSON files could not carry, in any argument."""
        for number, argument in enumerate(args, 1):
            try:
                argument.encode()
            except UnicodeEncodeError:
                shown = argument.encode("utf-8", "backslashreplace").decode()
                raise click.UsageError(f"argument {number} is not UTF-8 text: {shown}", ctx) from None
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order in which a newcomer needs them."""
        return list(self._summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command."""
        if cmd_name not in self._modules:
            return super().get_command(ctx, cmd_name)
        module, _, name = self._modules[cmd_name].partition(":")
        with deferred():
            command = getattr(import_module(module), name or "command")
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. UsageError for arguments that no graph starts with, ClickException where a domain is taken."""
        from karma.graph import ArgumentError  # not for --help

        try:
            return super().invoke(ctx)
        except ArgumentError as error:
            name = ctx.invoked_subcommand or ""
            command = self.get_command(ctx, name)
            assert command is not None
            raise click.UsageError(str(error), click.Context(command, ctx, name)) from error
        except DomainInUseError as error:
            raise click.ClickException(str(error)) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._summaries.items()))
