# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma memory`: what the robot keeps of a person, shown, asked, taken along, erased; and all of it, backed up."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from karma.command.client import connected, domain_id, namespace_option
from karma.command.confirmation import confirm
from karma.command.memory_backup import backup, restore
from karma_eval.command_line import ANY_FILE, click_errors, json_option, write_json
from karma_ros.interrupts import deferred

if TYPE_CHECKING:
    from karma_memory.users.facts import UserFacts

T = TypeVar("T")
HOME = Path("~/.karma")
SHOW_TIMEOUT_S = 120.0
REACH_S = 5.0
"""For the running graph to say which memory it has."""
FORGET_TIMEOUT_S = 3600.0
"""A large journal is written anew."""


@click.group("memory")
def command() -> None:
    """Show, ask, export or erase what the robot keeps of a person; back up and restore all of it.

    Without --database: the running graph's memory (--namespace: which robot's), and every other below ~/.karma. Which
    one is read goes to standard error.
    """


command.add_command(backup)
command.add_command(restore)


def _shared(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a subcommand the options that all have."""
    options = (
        click.option("--user", required=True, help="Whose."),
        click.option("--database", multiple=True, help="An SQLite file, or postgresql://…; may be repeated."),
        namespace_option(),
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
@click.option("--out", required=True, type=ANY_FILE, help="The JSON file to write.")
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
        confirm(f"Erase everything of {user!r}? It cannot be undone")
    with deferred():
        from karma_interfaces.srv import ForgetUser
        from karma_memory.users.erasure import forget_user

    def in_file(location: str) -> Any:
        return forget_user(location, user)

    service = (ForgetUser, "forget_user", ForgetUser.Request(user=user), FORGET_TIMEOUT_S)
    for where, erased in _each(database, namespace, in_file, service, lambda answer: answer):
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
@namespace_option()
def consent(user: str, keep: bool, days: float, namespace: str) -> int:
    """Tell the running graph what may be kept of a person from now on."""
    with deferred():
        from karma_interfaces.srv import SetConsent
    request = SetConsent.Request(user=user, keep=keep, retention=days * 86_400.0)
    _ask(namespace, SetConsent, "set_consent", request, SHOW_TIMEOUT_S)
    click.echo(f"what {user} says is {'kept' if keep else 'not kept'} from now on")
    return 0


@command.command("ask")
@_shared
@json_option("Write it there, too.")
@click.argument("question")
def ask(user: str, database: tuple[str, ...], namespace: str, json_file: Path | None, question: str) -> int:
    """Answer a question from what a person told the robot of themselves: "When is my mother's birthday?"."""
    answers = [row for row in _filled(user, [question.rstrip(" ?") + "?"], database, namespace) if row["value"]]
    write_json(json_file, {"user": user, "question": question, "answers": answers})
    for row in answers:
        click.echo(row["value"])
        for text in dict.fromkeys(row["told"]):
            click.echo(f"  told: {text}")
    if not answers:
        click.echo(f"nothing that {user} told answers that", err=True)
    return 0 if answers else 1


@command.command("fill")
@_shared
@json_option("Write it there, too.")
@click.argument("fields", nargs=-1, required=True)
def fill(user: str, database: tuple[str, ...], namespace: str, json_file: Path | None, fields: tuple[str, ...]) -> int:
    """Fill in a form from what a person told: FIELDS are labels, such as "Phone number" or "Sister's name"."""
    rows = list(_filled(user, fields, database, namespace))
    write_json(json_file, {"user": user, "fields": rows})
    _print_table(
        ("field", "value", "told"),
        [(row["field"], row["value"] or "–", "; ".join(dict.fromkeys(row["told"]))) for row in rows],
    )
    return 0


@command.command("remind")
@_shared
@json_option("Write it there, too.")
@click.option("--days", default=7.0, show_default=True, type=click.FloatRange(min=0.0, min_open=True, max=3660.0))
def remind(user: str, database: tuple[str, ...], namespace: str, json_file: Path | None, days: float) -> int:
    """Say what a person told that takes place, ends, is celebrated, to be done or to be bought."""
    found = list(_reminders(user, days, database, namespace))
    coming = [row for data in found for row in data["reminders"]]
    shopping = [thing for data in found for thing in data["shopping"]]
    write_json(json_file, {"user": user, "days": days, "memories": found})
    _print_table(("when", "what is due", "told"), [(r["when"] or "any time", r["what"], r["told"]) for r in coming])
    if shopping:
        click.echo(f"to buy: {', '.join(shopping)}")
    return 0


@command.command("guidelines")
@click.option("--user", default="", help="Whose own are shown beside everybody's.")
@click.option("--database", multiple=True, help="An SQLite file, or postgresql://…; may be repeated.")
@namespace_option()
@json_option("Write them there, too.")
def guidelines(user: str, database: tuple[str, ...], namespace: str, json_file: Path | None) -> int:
    """Show what the robot learned of what failed and of what then worked, the most useful first."""
    found = [{"memory": where, **row} for where, rows in _guidelines(user, database, namespace) for row in rows]
    write_json(json_file, {"user": user, "guidelines": found})
    rows = [
        (
            row["text"],
            f"{row['successes']} of {row['uses']}",
            f"{row['utility']:.2f}",
            row["owner"] or "everybody",
            Path(row["memory"]).name,
        )
        for row in found
    ]
    _print_table(("guideline", "worked", "utility", "whose", "memory"), rows)
    if not user:
        click.echo("these are everybody's; --user NAME shows what NAME alone taught, too", err=True)
    return 0


def _guidelines(user: str, database: tuple[str, ...], namespace: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Return where each memory is and its guidelines: those of everybody, and of this user."""
    with deferred():
        from karma_interfaces.srv import Recall
        from karma_memory.journal import open_journal
        from karma_memory.recall.query import MAX_LIMIT
        from karma_memory.state.history import stored_state

    def in_file(location: str) -> list[dict[str, Any]]:
        with open_journal(location, verify=False, read_only=True) as journal:
            known = stored_state(journal).guidelines.guidelines()
        return [_guideline(guideline, owner) for _, owner, guideline in known if owner in ("", user)]

    def asked(whose: str) -> tuple[Any, str, Any, float]:
        return Recall, "recall", Recall.Request(user=whose, kinds=["guideline"], limit=MAX_LIMIT), SHOW_TIMEOUT_S

    def told(answer: Any) -> list[dict[str, Any]]:
        everybodys = {found.id: ("", found) for found in answer.recollections}
        answers = _ask(namespace, *asked(user)).recollections if user else ()
        known = {found.id: (user, found) for found in answers} | everybodys  # an answer does not say whose it is
        rows = [_guideline(item, owner) for owner, found in known.values() for item in found.guideline]
        return sorted(rows, key=lambda row: -row["utility"])

    return _each(database, namespace, in_file, asked(""), told)


def _guideline(guideline: Any, owner: str) -> dict[str, Any]:
    figures = {name: getattr(guideline, name) for name in ("confidence", "successes", "uses", "utility")}
    return {
        "text": guideline.text,
        "advice": str(getattr(guideline.advice, "value", guideline.advice)),
        **figures,
        "owner": owner,
    }


def _filled(user: str, fields: Sequence[str], database: tuple[str, ...], namespace: str) -> Iterator[dict[str, Any]]:
    """Yield what each memory knows for each field of a form."""
    with deferred():
        from karma_interfaces.srv import FillForm

    def in_file(location: str) -> dict[str, tuple[str, list[str]]]:
        filled = _stored(location, user, lambda facts: facts.fill(fields))
        return {item.field: (item.value, [found.record.text for found in item.evidence]) for item in filled}

    def told(answer: Any) -> dict[str, tuple[str, list[str]]]:
        why = {field: [found.text for found in answer.evidence if field in found.why] for field in fields}
        return {field: (value, why[field]) for field, value in zip(fields, answer.values, strict=True)}

    request = FillForm.Request(user=user, fields=list(fields))
    for where, known in _each(database, namespace, in_file, (FillForm, "fill_form", request, SHOW_TIMEOUT_S), told):
        for field in fields:
            value, sources = known[field]
            yield {"memory": where, "field": field, "value": value, "told": sources}


def _reminders(user: str, days: float, database: tuple[str, ...], namespace: str) -> Iterator[dict[str, Any]]:
    """Yield what each memory knows to come, and to be bought."""
    with deferred():
        from karma_interfaces.srv import GetReminders

    def in_file(location: str) -> dict[str, Any]:
        reminders, shopping = _stored(location, user, lambda facts: (facts.reminders(days=days), facts.shopping_list()))
        rows = [{"when": r.when, "what": r.what, "told": r.evidence.record.text} for r in reminders]
        return {"reminders": rows, "shopping": shopping}

    def told(answer: Any) -> dict[str, Any]:
        rows = [{"when": r.when, "what": r.what, "told": r.evidence.text} for r in answer.reminders]
        return {"reminders": rows, "shopping": list(answer.shopping)}

    service = (GetReminders, "get_reminders", GetReminders.Request(user=user, days=days), SHOW_TIMEOUT_S)
    for where, data in _each(database, namespace, in_file, service, told):
        yield {"memory": where, **data}


def _stored(location: str, user: str, use: Callable[[UserFacts], T]) -> T:
    """Return what `use` finds in the facts of a user in a journal that nobody has open."""
    from karma_memory.journal import open_journal
    from karma_memory.state.history import stored_state
    from karma_memory.users.facts import UserFacts

    with open_journal(location, verify=False, read_only=True) as journal:
        return use(UserFacts(stored_state(journal), user, time.time()))


def _print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(*heads)
    for row in rows:
        table.add_row(*map(escape, row))
    Console().print(table)


def _documents(user: str, database: tuple[str, ...], namespace: str, *, pictures: bool) -> Iterator[dict[str, Any]]:
    """Yield what each memory keeps of a user."""
    with deferred():
        from karma_interfaces.srv import GetUserData
        from karma_memory.users.personal_data import stored_data

    def in_file(location: str) -> dict[str, Any]:
        return stored_data(location, user, pictures=pictures)

    service = (GetUserData, "get_user_data", GetUserData.Request(user=user, pictures=pictures), SHOW_TIMEOUT_S)
    for _, data in _each(database, namespace, in_file, service, lambda answer: json.loads(answer.data)):
        yield data


def _each(
    database: tuple[str, ...],
    namespace: str,
    in_file: Callable[[str], T],
    service: tuple[Any, str, Any, float],
    told: Callable[[Any], T],
) -> Iterator[tuple[str, T]]:
    """Yield where each memory is, and what `in_file` says of it, or `told` of the answer where a server has it open."""
    with deferred():
        from karma_memory.command.survey import memories_below
        from karma_memory.journal import JournalError, JournalLockedError
    if missing := [name for name in database if "://" not in name and not Path(name).is_file()]:
        raise click.ClickException(f"there is no {missing[0]}")
    running = database_of_graph(namespace)
    asked = [_resolved(name) for name in database or memories_below(HOME)]
    if running and (running in asked or not database):
        where = _without_secrets(running)
        click.echo(f"asking the running graph for {where}", err=True)
        yield where, told(_ask(namespace, *service))
    others = sorted(set(asked) - {running})
    for location in others:
        where = _without_secrets(location)
        click.echo(f"reading {where}", err=True)
        try:
            answer = in_file(location)
        except JournalLockedError:
            raise click.ClickException(
                f"{where} is open in another process, which alone may change it: name its robot with --namespace and "
                "its domain with ROS_DOMAIN_ID, or stop it"
            ) from None
        except (JournalError, OSError, ValueError) as error:
            raise click.ClickException(f"{where}: {error}") from error
        yield where, answer
    if not running and not others:
        click.echo(f"there is no memory below {HOME}; name one with --database", err=True)


def database_of_graph(namespace: str) -> str:
    """Return the database of the running graph's memory server, "" where there is none."""
    with deferred():
        from rcl_interfaces.srv import GetParameters

        from karma_ros.domain import has_participants
    if not has_participants(domain_id()):
        return ""
    request = GetParameters.Request(names=["database"])
    try:
        with connected("memory_command", namespace) as client:
            found = client.call(GetParameters, "memory_server/get_parameters", request, timeout=REACH_S)
    except click.ClickException:
        return ""
    return _resolved(found.values[0].string_value)


def _resolved(database: str | Path) -> str:
    """Return one name for each memory."""
    return str(database) if "://" in str(database) else str(Path(database).expanduser().resolve())


def _without_secrets(database: str) -> str:
    """Return where a memory is, for people."""
    if "://" not in database:
        return database
    from karma_memory.journal import JournalError
    from karma_memory.journal.postgres_link import parsed

    with click_errors(JournalError):
        return parsed(database)[0]


def _ask(namespace: str, kind: Any, name: str, request: Any, timeout: float) -> Any:
    """Return what the running memory server answers."""
    with deferred():
        from karma_interfaces.msg import Result
    with connected("memory_command", namespace) as client:
        answer = client.call(kind, f"memory/{name}", request, timeout=timeout, repeat=timeout)
    if answer.result.code != Result.SUCCESS:
        raise click.ClickException(answer.result.message)
    return answer
