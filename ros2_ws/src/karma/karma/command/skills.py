# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma skills`: the skill table, and plans in KARMA's and MEMENTO's forms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from karma_eval.command_line import json_option, write_json
from karma_ros.interrupts import deferred

if TYPE_CHECKING:
    from planner_node.skill_forms import Form
    from planner_node.skills import SkillParameter, SkillSpec, SkillTable

FORMS = ("karma", "memento")
LONGEST_PLAN = 100_000
"""Characters that are read of a plan; more than the forms take, so that they say so."""


@click.command("skills")
@click.argument("plan", required=False, type=click.File(encoding="utf-8"))
@click.option("--form", type=click.Choice(FORMS), help="Write the plan in this form; without: in the one it is in.")
@json_option("Write the table there.")
def command(plan: TextIO | None, form: str | None, json_file: Path | None) -> int:
    """Show the skills that a robot can have; or read PLAN, skill calls in a file (-: standard input), and write it.

    A plan that is wrong is refused with what is wrong in which line; whether its objects exist, ./karma do --plan
    --dry-run says.
    """
    with deferred():
        from karma_eval.household.skills import skill_table
    table = skill_table()
    write_json(json_file, [_as_json(spec) for spec in table.values()])
    if plan is not None:
        click.echo(_written_again(read_plan(plan), table, form), nl=False)
    else:
        _show(table)
    return 0


def read_plan(file: TextIO) -> str:
    """Return the text of a plan. ClickException for one that can't be read."""
    try:
        text = file.read(LONGEST_PLAN)
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"the plan {file.name} can't be read: {error}") from error
    if not text.strip():
        raise click.ClickException(f"the plan {file.name} is empty")
    return text


def _written_again(text: str, table: SkillTable, form: str | None) -> str:
    from planner_node.skill_forms import Form, FormError, form_of, print_plan, read

    try:
        calls = [planned.call for planned in read(text, table)]
        wanted: Form = Form(form) if form else form_of(text, table) or Form.KARMA
        return print_plan(calls, table, wanted)
    except FormError as error:
        raise click.ClickException("\n".join(map(str, error.troubles))) from error


def _show(table: SkillTable) -> None:
    shown = Table(show_lines=True)
    for heading in ("skill", "arguments", "needs", "then", "what it does"):
        shown.add_column(heading, overflow="fold")
    for spec in table.values():
        name = f"{spec.name} [red](can't be undone)[/]" if spec.irreversible else spec.name
        arguments = ", ".join(map(_argument, spec.parameters))
        cells = (arguments, *(", ".join(literals) for literals in (spec.preconditions, spec.effects)), spec.description)
        shown.add_row(name, *map(escape, cells))
    Console().print(shown)


def _argument(parameter: SkillParameter) -> str:
    choices = f" ({', '.join(parameter.choices)})" if parameter.choices else ""
    return f"{parameter.name}{'' if parameter.required else '?'}: {parameter.type}{choices}"


def _as_json(spec: SkillSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "description": spec.description,
        "parameters": [
            {"name": p.name, "type": p.type, "required": p.required, "choices": list(p.choices)}
            for p in spec.parameters
        ],
        "preconditions": list(spec.preconditions),
        "effects": list(spec.effects),
        "irreversible": spec.irreversible,
    }
