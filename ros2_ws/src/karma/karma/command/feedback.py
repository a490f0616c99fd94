# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma feedback`: tell the running graph what you think of what it did, or something to remember."""

from __future__ import annotations

import click

from karma.command.client import connected, namespace_option
from karma.command.terms import at_the_terminal
from karma_ros.interrupts import deferred


@click.command("feedback")
@click.argument("words", default="")
@click.option("--user", default="", help="Who says it; the robot remembers by name.")
@click.option("--about", default="", help="Your instruction it is about, as ./karma do prints it; else in general.")
@click.option("--right/--wrong", "right", default=None, help="Whether the instruction --about was done as you wanted.")
@namespace_option()
def command(words: str, user: str, about: str, right: bool | None, namespace: str) -> int:
    """Tell the running graph WORDS: "No, I wanted the apple", "Thanks", "I prefer tea when I'm tired".

    Ends with status 0 when it has taken them in, 1 when it has not.
    """
    if right is not None and not about:
        raise click.UsageError("--right and --wrong need --about: the instruction, as ./karma do prints it")
    if right is None and not words.strip():
        raise click.UsageError("say something, or --right or --wrong")
    with deferred():
        from karma_interfaces.action import ExecuteInstruction
        from karma_interfaces.srv import Feedback
        from karma_ros.result_codes import code_name

    verdict = {True: Feedback.Request.RIGHT, False: Feedback.Request.WRONG, None: Feedback.Request.UNSAID}[right]
    request = Feedback.Request(instruction_id=about, text=words, user=user, verdict=verdict)
    with connected("feedback", namespace) as client:
        client.service(Feedback, "feedback")
        client.connected(ExecuteInstruction, "execute_instruction")  # the planner knows both clients then
        result = client.call_once(Feedback, "feedback", request).result
    code = code_name(result)
    if code != "SUCCESS":
        raise click.ClickException(f"{code}: {result.message}\n{at_the_terminal(result.message)}".rstrip())
    click.echo(result.message or "The robot has heard it.")
    return 0
