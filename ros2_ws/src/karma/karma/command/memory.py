# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma memory`: what the robot keeps of a person, shown, taken along, erased, or not kept at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from karma.command.up import domain_id
from karma.interrupts import deferred
from karma_eval.json_file import write_json

HOME = Path("~/.karma")
SHOW_TIMEOUT_S = 120.0
FORGET_TIMEOUT_S = 3600.0
"""A large journal is written anew."""


@click.group("memory")
def command() -> None:
    """Show, export or erase what the robot keeps of a person.

    Without --database: every memory below ~/.karma, and the running graph's. One that a memory server has open is asked
    through that server, which must be in reach (--namespace).
    """


def _shared(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a subcommand the options that all have."""
    options = (
        click.option("--user", required=True, help="Whose."),
        click.option("--database", multiple=True, help="An SQLite file, or postgresql://…; may be repeated."),
        click.option("--namespace", default="", help="The robot's, as given to ./karma up."),
    )
    for option in reversed(options):
        function = option(function)
    return function


@command.command("show")
@_shared
def show(user: str, database: tuple[str, ...], namespace: str) -> int:
    """Say what is kept of a person, in plain lines."""
    for data in _documents(user, database, namespace, pictures=False):
        consent = data["consent"]
        agreed = "they said nothing of what may be kept"
        if consent is not None:
            limit = f" for {consent['retention'] / 86_400.0:g} days" if consent["retention"] else ""
            agreed = f"they want them kept{limit}" if consent["keep"] else "they want no more to be kept"
        click.echo(f"{data['journal']}: {len(data['events'])} events of {user}; {agreed}")
        for item in data["memories"]:
            click.echo(f"  {item['kind']}: {item['text']}")
    return 0


@command.command("export")
@_shared
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The JSON file to write.")
def export(user: str, database: tuple[str, ...], namespace: str, out: Path) -> int:
    """Write all that is kept of a person to a JSON file: memories, events, and pictures in base64."""
    documents = list(_documents(user, database, namespace, pictures=True))
    write_json(out, {"user": user, "memories": documents})
    click.echo(f"{sum(len(data['events']) for data in documents)} events written to {out}")
    return 0


@command.command("forget")
@_shared
@click.option("--yes", is_flag=True, help="Don't ask.")
def forget(user: str, database: tuple[str, ...], namespace: str, yes: bool) -> int:
    """Erase a person: no byte of theirs is left in the memory's files. It cannot be undone."""
    if not yes:
        click.confirm(f"Erase everything of {user!r}? It cannot be undone", abort=True)
    with deferred():
        from karma_interfaces.srv import ForgetUser
        from karma_memory.privacy.erasure import forget_user

    def in_file(location: str) -> Any:
        return forget_user(location, user)

    request = ForgetUser.Request(user=user)
    for where, erased in _each(database, namespace, in_file, (ForgetUser, "forget_user", request, FORGET_TIMEOUT_S)):
        click.echo(
            f"{where}: {erased.events} events erased, {erased.pictures} pictures; what the robot saw stays in "
            f"{erased.observations}, and {erased.mentions} of others name {user}"
        )
    click.echo("Files that were exported or copied before, and recorded bags, are yours to delete.")
    return 0


@command.command("consent")
@click.option("--user", required=True, help="Whose.")
@click.option("--keep/--no-keep", default=True, help="Whether what they say and have done is kept.")
@click.option("--days", default=0.0, type=click.FloatRange(min=0.0), help="Erase it after so long; 0: never.")
@click.option("--namespace", default="", help="The robot's, as given to ./karma up.")
def consent(user: str, keep: bool, days: float, namespace: str) -> int:
    """Tell the running graph what may be kept of a person from now on."""
    with deferred():
        from karma_interfaces.srv import SetConsent
    request = SetConsent.Request(user=user, keep=keep, retention=days * 86_400.0)
    _ask(namespace, SetConsent, "set_consent", request, SHOW_TIMEOUT_S)
    click.echo(f"what {user} says is {'kept' if keep else 'not kept'} from now on")
    return 0


def _documents(user: str, database: tuple[str, ...], namespace: str, *, pictures: bool) -> Iterator[dict[str, Any]]:
    """Yield what each memory keeps of a user."""
    with deferred():
        from karma_interfaces.srv import GetUserData
        from karma_memory.privacy.personal_data import stored_data

    def in_file(location: str) -> dict[str, Any]:
        return stored_data(location, user, pictures=pictures)

    request = GetUserData.Request(user=user, pictures=pictures)
    for _, answer in _each(database, namespace, in_file, (GetUserData, "get_user_data", request, SHOW_TIMEOUT_S)):
        yield answer if isinstance(answer, dict) else json.loads(answer.data)


def _each(
    database: tuple[str, ...],
    namespace: str,
    in_file: Callable[[str], Any],
    service: tuple[Any, str, Any, float],
) -> Iterator[tuple[str, Any]]:
    """Yield where each memory is, and what `in_file` says of it, or the server that has it open."""
    with deferred():
        from karma_memory.journal import JournalError, JournalLockedError
    found = sorted(str(path) for path in HOME.expanduser().rglob("*.sqlite3"))
    if database and (missing := [name for name in database if "://" not in name and not Path(name).is_file()]):
        raise click.ClickException(f"there is no {missing[0]}")
    for location in database or found:
        try:
            yield location, in_file(location)
        except JournalLockedError:
            answer = _ask(namespace, *service)
            if answer.location != str(Path(location).resolve()):
                raise click.ClickException(
                    f"{location} is open in another process than the memory server of {namespace or 'this graph'}, "
                    f"which has {answer.location}; stop it, or name its robot with --namespace"
                ) from None
            yield location, answer
        except (JournalError, OSError, ValueError) as error:
            raise click.ClickException(f"{location}: {error}") from error
    if not database and not found:
        click.echo(f"there is no memory below {HOME}; name one with --database", err=True)


def _ask(namespace: str, kind: Any, name: str, request: Any, timeout: float) -> Any:
    """Return what the running memory server answers."""
    with deferred():
        from karma.client import GraphClient, GraphError
        from karma_interfaces.msg import Result
    try:
        with GraphClient(name="karma_memory_command", namespace=namespace, domain_id=domain_id()) as client:
            answer = client.call(kind, f"memory/{name}", request, timeout=timeout, repeat=timeout)
    except GraphError as error:
        raise click.ClickException(str(error)) from error
    if answer.result.code != Result.SUCCESS:
        raise click.ClickException(answer.result.message)
    return answer
