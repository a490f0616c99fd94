# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma ask`: a question to the memory of the running graph."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from karma.command.client import connected, namespace_option
from karma_eval.command_line import ANY_FILE, json_option, write_json
from karma_ros.interrupts import deferred

if TYPE_CHECKING:
    from builtin_interfaces.msg import Time

TIMEOUT_S, FOUND_S = 60.0, 10.0
"""How long the memory may take: it may have to look into its past."""


@click.command("ask")
@click.argument("question")
@click.option("--user", default="", help="Who asks: what others told of themselves is not told.")
@click.option("--at", "then", default="", help='Ask what was known then: "two hours ago", "yesterday at eight".')
@click.option("--scene", default="", help="Ask about this home, not the one where the robot is.")
@click.option("--picture", type=ANY_FILE, help="Write the picture there, where there is one.")
@click.option("--evidence", is_flag=True, help="List what the answer rests on.")
@json_option("Write the answer there.")
@namespace_option()
def command(
    question: str,
    user: str,
    then: str,
    scene: str,
    picture: Path | None,
    evidence: bool,
    json_file: Path | None,
    namespace: str,
) -> int:
    """Ask the memory QUESTION, in English: "Where are my keys?", "What changed since yesterday?".

    The robot does not move for it; ./karma do takes questions, too, and offers to look. Ends with status 0 when the
    question is answered, 1 when it is not.
    """
    with deferred():
        from karma_interfaces.msg import Result
        from karma_interfaces.srv import Ask

    with connected("ask", namespace) as client:
        client.service(Ask, "memory/ask")
        request = Ask.Request(question=question, user=user, scene=scene)
        if then:
            request.at = _stamp(then, time.time())
        answer = client.call(Ask, "memory/ask", request, timeout=TIMEOUT_S, grace=FOUND_S)
    if answer.result.code not in (Result.SUCCESS, Result.NOT_FOUND):
        raise click.ClickException(answer.result.message)
    click.echo(answer.answer)
    if evidence:
        for one in answer.evidence:
            click.echo(f"  {one.kind}: {one.text}")
    if answer.picture:
        _keep(answer.picture[0], picture)
    elif picture is not None:
        click.echo("There is no picture of it.", err=True)
    write_json(json_file, _as_json(question, answer))
    return 0 if answer.known else 1


def _stamp(words: str, now: float) -> Time:
    """Return the time that words name; `now`: seconds."""
    from karma_language.phrases.times import take_time
    from karma_memory.conversions import from_seconds

    rest, span = take_time(words, now)
    stamps = (span.at, span.until, span.since) if span is not None else ()
    at = next((stamp for stamp in stamps if stamp is not None), None)
    if at is None or rest.strip():
        raise click.BadParameter(f"{words!r} is no time; say it like: two hours ago", param_hint="--at")
    if at > now:
        raise click.BadParameter(f"{words!r} has not come yet", param_hint="--at")
    return from_seconds(at)


def _keep(image: Any, file: Path | None) -> None:
    if file is None:
        click.echo("There is a picture: --picture FILE writes it.", err=True)
        return
    try:
        file.write_bytes(bytes(image.data))
    except OSError as error:
        raise click.ClickException(f"cannot write the picture: {error}") from error
    click.echo(f"picture written to {file}", err=True)


def _as_json(question: str, answer: Any) -> dict[str, Any]:
    return {
        "question": question,
        "answer": answer.answer,
        "known": answer.known,
        "age": answer.age if answer.age >= 0.0 else None,
        "look": list(answer.look),
        "evidence": [{"kind": one.kind, "id": one.id, "text": one.text} for one in answer.evidence],
        "picture": bool(answer.picture),
    }
