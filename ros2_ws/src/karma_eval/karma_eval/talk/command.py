# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma eval talk`: conversations as people have them with a robot at home."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from karma_eval.command_line import FILE, click_errors, json_option, out_option, write_json
from karma_eval.llm import Llm, llm_options, unanswered
from karma_eval.progress import progress
from karma_eval.report import Report
from karma_eval.talk.conversations import LANGUAGES, OWN, UNREAD, Conversation, ConversationFileError, Say, load
from karma_eval.talk.talking import Case, Talk, problems
from karma_eval.talk.verdicts import Verdict
from karma_language.vocabulary import household
from karma_memory import EmbedderError
from karma_memory.recall.embedder import make_embedder
from planner_node.understand.hearing import Hearing
from sim_bridge.backend import BackendUnavailableError, RefusedError

LISTS = {"own": OWN, "unread": UNREAD, "languages": LANGUAGES}


@click.command("talk")
@click.option(
    "--utterances",
    "file",
    type=FILE,
    help="A list of conversations (docs/evaluation.md); without it one that comes with KARMA.",
)
@click.option(
    "--list",
    "which",
    type=click.Choice(list(LISTS)),
    default="own",
    show_default=True,
    help="own: was read while KARMA was made. unread: was not; its cases are not printed, only counted. languages: in "
    "nine other languages than English; half of it was read.",
)
@click.option("--embedding", default="auto", show_default=True, help="The memory's model of meaning; lexical: words.")
@out_option("out/eval/talk")
@click.option("--limit", default=0, type=click.IntRange(0), help="Only the first conversations; 0: all.")
@llm_options
@json_option("Write the figures and every case there, too; for the list that is unread, figures alone.")
def command(
    file: Path | None, which: str, embedding: str, out: Path, limit: int, llm: Llm, json_file: Path | None
) -> None:
    """Hold conversations with the robot in simulated homes, and judge every turn by the simulator's truth."""
    with click_errors(ConversationFileError, EmbedderError, BackendUnavailableError):
        conversations = load(file or LISTS[which])[: limit or None]
        make_embedder(embedding)
        wrong = [problem for conversation in conversations for problem in problems(conversation)]
    if wrong:
        raise click.ClickException("\n".join(wrong[:20] + [f"… and {len(wrong) - 20} more"] * (len(wrong) > 20)))
    answers = llm.answers(out)
    total = sum(isinstance(turn, Say) for conversation in conversations for turn in conversation.turns)
    with progress(total=total, unit="turn", desc="talk") as bar:
        cases, stopped = held(
            conversations, lambda: llm.hearing(household(), answers), embedder=embedding, progress=bar.update
        )
    secret = file is None and which != "own"
    report = figures(llm.name, cases)
    show(report, cases, cases_too=not secret)
    if answers.left:
        click.echo(unanswered(answers.left))
    write_json(json_file, report if secret else {**report, "cases": [written(case) for case in cases]})
    if stopped:
        raise click.ClickException(f"stopped after {len(cases)} of {total} turns; reported are those")


def held(
    conversations: Iterable[Conversation],
    hearing: Callable[[], Hearing],
    *,
    embedder: str,
    progress: Callable[[], object],
) -> tuple[list[Case], bool]:
    """Hold conversations; return what was said in them, and whether Ctrl-C stopped that."""
    cases: list[Case] = []
    for conversation in conversations:
        try:
            for case in Talk(conversation, hearing(), embedder=embedder).cases():
                cases.append(case)
                progress()
        except KeyboardInterrupt:
            return cases, True
        except RefusedError as error:
            # What people do depends on what the robot has done before: the rest of the conversation can't be judged.
            click.echo(f"{conversation.id}: left out from here on, because a person can't do that: {error}", err=True)
    return cases, False


def figures(planner: str, cases: Sequence[Case]) -> dict[str, Any]:
    """Return the figures: percentages from 0 to 100, seconds a turn."""
    kinds = sorted({case.kind for case in cases})
    return {
        "planner": planner,
        "turns": len(cases),
        **_shares(cases),
        "by_kind": {
            kind: {"n": len(of), **_shares(of)}
            for kind in kinds
            for of in [[case for case in cases if case.kind == kind]]
        },
        "seconds": _seconds(cases),
        "readers": {
            reader: {"share": round(100 * len(of) / len(cases), 1), **_shares(of), "seconds": _seconds(of)}
            for reader in sorted({case.reader for case in cases})
            for of in [[case for case in cases if case.reader == reader]]
        },
    }


def _seconds(cases: Sequence[Case]) -> Mapping[str, float]:
    p50, p95 = np.percentile([case.seconds for case in cases] or [0.0], (50, 95)).tolist()
    return {"p50": round(p50, 3), "p95": round(p95, 3)}


def _shares(cases: Sequence[Case]) -> Mapping[str, float]:
    counted = Counter(case.judged.verdict for case in cases)
    return {verdict.value: round(100 * counted[verdict] / max(len(cases), 1), 1) for verdict in Verdict}


def written(case: Case) -> dict[str, Any]:
    """Return a case as JSON."""
    return {
        "id": case.conversation,
        "turn": case.turn,
        "say": case.say,
        "kind": case.kind,
        "reader": case.reader,
        "seconds": round(case.seconds, 3),
        "heard": case.heard,
        "answer": case.answer,
        "verdict": case.judged.verdict.value,
        "why": case.judged.why,
    }


def show(report: Mapping[str, Any], cases: Sequence[Case], *, cases_too: bool) -> None:
    """Print the figures, and what was not right."""
    for case in cases if cases_too else ():
        if case.judged.verdict is not Verdict.RIGHT:
            click.echo(f"{case.judged.verdict.value:8}{case.say} → {case.answer} ({case.judged.why})")
    rows = [*report["by_kind"].items(), ("all", {**report, "n": report["turns"]})]
    shown = Report("Talk")
    shown.table(
        f"Talk, {report['turns']} turns; planner: {report['planner']}",
        ["kind", "n", "right %", "refused %", "wrong %"],
        [[kind, of["n"], *(f"{of[verdict.value]:.1f}" for verdict in Verdict)] for kind, of in rows],
    )
    shown.say(f"seconds a turn: p50 {report['seconds']['p50']}, p95 {report['seconds']['p95']}")
    shown.show()
