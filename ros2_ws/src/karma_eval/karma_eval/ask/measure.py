# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Asking: homes with their days, questions after each, and verdicts on the answers."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from karma_eval.ask.emem_peer import Emem
from karma_eval.ask.home import make_home
from karma_eval.ask.judge import Judge, Verdict
from karma_eval.ask.knowledge import Asking
from karma_eval.ask.living import days
from karma_eval.ask.questions import questions
from karma_eval.ask.wordings import Wording
from karma_eval.emem_peer import Vectors, open_emem
from karma_eval.household.memory import opened
from karma_memory.recall.embedder import make_embedder

HOMES, DAYS, EACH = 5, 3, 3
"""Homes, days of each, and questions of each kind after a day."""
BEGAN = 1_778_025_600.0
"""Midnight before the first day: 2026-05-06, UTC."""


@dataclass(frozen=True)
class Case:
    """A question, its answer, and what that is worth."""

    asking: Asking
    answer: str
    known: bool
    verdict: Verdict
    faults: tuple[str, ...]
    emem: bool | None = None
    """Whether eMEM was right; None where it was not asked."""


def cases(
    wordings: Mapping[str, Sequence[Wording]], *, seed: int, peer: bool, on_day: Callable[[], object]
) -> Generator[Case, None, None]:
    """Let the days pass, ask after each, and yield what came of it. `on_day` is called after each day's questions."""
    rng = random.Random(seed)  # noqa: S311 - a workload, no secret
    vectors = Vectors(make_embedder("auto")[0]) if peer else None
    lacking = Counter[str]()
    for number in range(HOMES):
        home = make_home(number, rng)
        with ExitStack() as stack:
            memory = stack.enter_context(opened())
            emem = None
            if vectors is not None:
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="karma-emem-"))
                emem = Emem(stack.enter_context(open_emem(Path(folder) / "emem.db", vectors)), vectors)
            for living, now in days(home, memory, BEGAN, DAYS, rng, watch=emem.add if emem is not None else None):
                lacking.update(dict.fromkeys(wordings, EACH))  # what one day does not give the next ones may
                asked = questions(living, now, wordings, lacking, rng)
                lacking.subtract(one.kind for one in asked)
                judge = judge_of(asked, {thing.category for thing in home.things.values()}, home.kinds)
                for one in asked:
                    answered = memory.ask(one.words, user=one.user, scene=home.name, now=now).answered
                    text, known = answered.text, answered.known
                    verdict, faults = judge.judge(one.truth, text, known=known), judge.faults(one.truth, text)
                    peers = emem.right(one, judge) if emem is not None else None
                    yield Case(one, text, known, verdict, tuple(faults), peers)
                on_day()


def judge_of(asked: Sequence[Asking], categories: set[str], rooms: Mapping[str, str]) -> Judge:
    """Return a judge who knows the things of a home, and those that are asked for."""
    return Judge(categories.union(*(one.truth.things for one in asked)), rooms)
