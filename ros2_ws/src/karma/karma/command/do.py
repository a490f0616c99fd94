# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma do`: one instruction to the running graph."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

import click
from rich.console import Console
from rich.markup import escape
from rich.status import Status

from karma.command.client import connected, namespace_option
from karma.command.skills import FORMS, read_plan
from karma.command.terms import at_the_terminal
from karma_eval.command_line import json_option, write_json
from karma_language.answers.plain_words import calls_in_words, recollected
from karma_ros.interrupts import deferred

CONNECT_TIMEOUT_S = 10.0


@click.command("do")
@click.argument("instruction", default="")
@click.option(
    "--plan", type=click.File(encoding="utf-8"), help="Follow the skill calls in this file (-: input) instead."
)
@click.option("--user", default="", help="Who asks; the robot remembers by name.")
@json_option("Write the result there.")
@click.option("--dry-run", is_flag=True, help="Understand and plan, but do not move; lists the plan.")
@click.option("--ignore-memory", is_flag=True, help="Act as if nothing was remembered.")
@click.option("--form", type=click.Choice(FORMS), help="Print the skills, done or planned, as calls in this form.")
@click.option("--urgent", is_flag=True, help="Before what waits, and in between what runs; that goes on afterwards.")
@click.option("--retry-of", default="", help="Id of an instruction that was not done as you wanted: do it otherwise.")
@click.option("--verbose", is_flag=True, help="At the end, list every skill with its ids and result.")
@namespace_option()
@click.option("--timeout", default=900.0, show_default=True, help="Cancel after this many seconds.")
def command(
    instruction: str,
    plan: TextIO | None,
    user: str,
    json_file: Path | None,
    dry_run: bool,
    ignore_memory: bool,
    form: str | None,
    urgent: bool,
    retry_of: str,
    verbose: bool,
    namespace: str,
    timeout: float,
) -> int:
    """Have the running graph carry out INSTRUCTION: plain English, or skill calls as ./karma skills lists them.

    Ends with status 0 when it is done, 1 when it is not. Ctrl-C cancels it.
    """
    if bool(instruction) == (plan is not None):
        raise click.UsageError("give an INSTRUCTION or a --plan, one of the two")
    if plan is not None:
        instruction = _plan(plan)
    with deferred():
        from karma.command.conversation import Conversation
        from karma_interfaces.action import ExecuteInstruction
        from karma_interfaces.srv import ListSkills

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    goal = ExecuteInstruction.Goal(
        instruction=instruction,
        user=user,
        ignore_memory=ignore_memory,
        dry_run=dry_run,
        priority=ExecuteInstruction.Goal.URGENT if urgent else ExecuteInstruction.Goal.NORMAL,
        retry_of=retry_of,
    )
    with connected("do", namespace) as client, Status("", console=console) as status:
        status.update(escape(instruction))
        if plan is not None:
            _check_plan(instruction, client.call(ListSkills, "list_skills", ListSkills.Request()).skills)
        conversation = Conversation(client, status, user=user)
        result = client.run_action(
            ExecuteInstruction,
            "execute_instruction",
            goal,
            on_feedback=conversation.on_feedback,
            timeout=timeout,
            connect_timeout=CONNECT_TIMEOUT_S,
        )
    report = _as_json(instruction, result)
    _show(console, report, result, verbose=verbose, dry_run=dry_run)
    if not report["success"] and (here := at_the_terminal(report["message"])):
        console.print(f"[dim]{escape(here)}[/]")
    if form is not None:
        _print_calls(result, form)
    if result.instruction_id and not dry_run:
        who = f" --user {shlex.quote(user)}" if user else ""
        about = f"./karma feedback{who} --about {result.instruction_id}"
        console.print(f'[dim]what you think of it: {escape(about)} --right, --wrong or "…"[/]')
    write_json(json_file, report)
    return 0 if report["success"] else 1


def _plan(file: TextIO) -> str:
    """Return a plan. ClickException for a text that is none: it would be read as English."""
    from planner_node.skill_forms import may_be_plan

    text = read_plan(file)
    if not may_be_plan(text):
        raise click.ClickException("this is no plan: it begins with no call such as PickupObject(robot, 'Apple')")
    return text


def _check_plan(text: str, skills: Sequence[Any]) -> None:
    """Raise ClickException for a plan that calls no skill of the robot, a list of karma_interfaces/SkillSpec."""
    from planner_node.conversions import spec_from
    from planner_node.skill_forms import FormError, form_of, read
    from planner_node.skills import SkillTable

    table = SkillTable([spec_from(spec) for spec in skills])
    if form_of(text, table) is not None:
        return  # what else is wrong, the planner says
    try:
        read(text, table)
    except FormError as error:
        troubles = "\n".join(map(str, error.troubles))
        raise click.ClickException(f"{troubles}\n./karma skills lists the skills that there are.") from error


def _print_calls(result: Any, form: str) -> None:
    """Print the skills of a result as a plan, to standard output, where other programs can read it."""
    from karma_eval.household.skills import skill_table
    from planner_node.conversions import call_from
    from planner_node.skill_forms import Form, FormError, print_call

    for outcome in result.skills:
        try:
            click.echo(print_call(call_from(outcome.call), skill_table(), Form(form)))
        except FormError as error:
            click.echo(f"# {error}")


def _as_json(instruction: str, result: Any) -> dict[str, Any]:
    """Return an ExecuteInstruction.Result as plain values."""
    from karma_ros.result_codes import code_name

    return {
        "instruction": instruction,
        "instruction_id": result.instruction_id,
        "success": code_name(result.result) == "SUCCESS",
        "code": code_name(result.result),
        "message": result.result.message,
        "heard": result.heard,
        "reader": result.reader,
        "goals": list(result.goals),
        "skills": [
            {
                "skill": outcome.call.skill,
                "target": outcome.call.target.id or outcome.call.target.category,
                "receptacle": outcome.call.receptacle.id or outcome.call.receptacle.category,
                "code": code_name(outcome.result),
                "message": outcome.result.message,
                "explore_steps": outcome.explore_steps,
                "duration": outcome.duration,
            }
            for outcome in result.skills
        ],
        "explore_steps": result.explore_steps,
        "sim_time_s": result.duration,
        "recalled": [recollection.text for recollection in result.recalled],
    }


def _show(console: Console, report: dict[str, Any], result: Any, *, verbose: bool, dry_run: bool) -> None:
    from karma_language.reader import RULES

    if report["heard"] and report["heard"] not in report["message"] and report["reader"] != RULES:
        console.print(f"  [dim]{escape(report['heard'])}[/]")
    for goal in report["goals"]:
        console.print(f"  understood: {escape(calls_in_words(goal))}")
    for skill, outcome in zip(report["skills"], result.skills, strict=True):
        done = skill["code"] == "SUCCESS"
        if verbose or dry_run:
            things = skill["target"], skill["receptacle"]
            if dry_run and not verbose:  # what is not found yet has an id that means nothing to people
                things = outcome.call.target.category, outcome.call.receptacle.category
            what = " ".join(part for part in (skill["skill"], *things) if part)
            mark = f"[yellow]{skill['code']}[/]" if not done else "·" if dry_run else "[green]✓[/]"
            console.print(f"  {mark} {escape(what)} [dim]{escape(calls_in_words(skill['message']))}[/]")
    answered = not (report["goals"] or report["skills"]) and report["code"] in ("SUCCESS", "NOT_FOUND")
    for recollection in result.recalled if verbose else ():
        console.print(f"  [dim]remembered: {escape(recollected(recollection))}[/]")
    if answered and report["message"]:
        console.print(escape(calls_in_words(report["message"])))
        return
    if report["success"] and dry_run:
        console.print(f"[green]planned[/]: {len(report['skills'])} skills")
    elif report["success"]:
        console.print(
            f"[green]done[/]: {len(report['skills'])} skills, explored {report['explore_steps']}×, "
            f"{report['sim_time_s']:.0f} s of simulated time"
        )
    else:
        console.print("[red]not done[/]:", end=" ")
    if report["message"]:
        console.print(escape(calls_in_words(report["message"].removeprefix("not done: "))))
