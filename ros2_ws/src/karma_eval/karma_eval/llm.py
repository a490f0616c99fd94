# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The options --llm and --llm-url: a language model in place of the rules."""

from __future__ import annotations

import functools
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from karma_language.models import OLLAMA_URL, Answers, Limits, Model, ModelError, ModelLateError, Newest
from planner_node.parameters import OFFLINE

if TYPE_CHECKING:
    from karma_language.vocabulary.lexicon import Lexicon
    from planner_node.understand.hearing import Hearing

Function = TypeVar("Function", bound=Callable[..., object])
TIMEOUT_S = 600.0
"""For one answer: an evaluation can wait longer than a person."""
PAUSES_S = (0.0, 2.0, 10.0)
"""Before each look at whether a server that has failed answers anything: Ollama starts a model that died anew."""


@dataclass
class AnswerFile:
    """A model's answers, one JSON line each, so that an interrupted run goes on where it was.

    What is asked in evaluations are public data; nothing of a user is ever kept so.
    """

    file: Path
    still_answers: Callable[[str], None]
    """Told why a question got no answer, raises ClickException where the server answers none any more."""
    asked: int = 0
    left: int = 0
    """Questions without a usable answer, whose step the rules took."""
    _answers: dict[str, str] = field(default_factory=dict)
    _failed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.file.is_file():
            for line in self.file.read_text(encoding="utf-8").splitlines():
                if line.endswith("]"):  # the last one may have been cut off
                    key, answer = json.loads(line)
                    self._answers[key] = answer

    def get(self, key: str) -> str | None:
        """Return an answer of before."""
        self.asked += 1
        return self._answers.get(key)

    def keep(self, key: str, answer: str) -> None:
        """Write an answer down."""
        self._answers[key] = answer
        with self.file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps([key, answer]) + "\n")

    def failed(self, key: str, reason: str) -> bool:
        """Return whether to ask a question again that the server failed at, which is once.

        ClickException where it fails at any: rules would do the model's work from there on, and figures tell nothing.
        """
        self.still_answers(reason)
        first = key not in self._failed
        self._failed.add(key)
        return first

    def lost(self, reason: str) -> None:
        """Count a question that the rules answered."""
        self.left += 1


def unanswered(count: int) -> str:
    """Return in a sentence that so many questions got no usable answer, and what became of them."""
    asked = f"{count} question{'s' * (count != 1)}"
    return f"The model gave no usable answer to {asked}: the instructions count as not understood."


@dataclass(frozen=True)
class Llm:
    """Which model, if any, takes the steps that the papers give to one."""

    name: str = OFFLINE
    url: str = OLLAMA_URL

    @property
    def offline(self) -> bool:
        """Whether rules take them."""
        return self.name == OFFLINE

    def answers(self, folder: Path) -> AnswerFile:
        """Return where the answers are kept in a report's folder."""
        return AnswerFile(folder / "answers.jsonl", self.still_answers)

    def hearing(self, lexicon: Lexicon, answers: AnswerFile) -> Hearing:
        """Return what turns instructions into goals."""
        from planner_node.understand.hearing import Hearing

        return Hearing(lexicon, None if self.offline else self.model(answers))

    def model(self, answers: Answers | None = None) -> Model:
        """Return the client of the model. ValueError for a bad URL."""
        return Model(self.name, url=self.url, limits=Limits(first=TIMEOUT_S, total=TIMEOUT_S), answers=answers)

    def check(self) -> None:
        """Raise ClickException when there is no such model: else rules would do its work, under its name."""
        if self.offline:
            return
        try:
            self.model().room()
        except (ModelError, ValueError) as error:
            raise click.ClickException(f"{error} Without --llm, the rules read.") from error

    def still_answers(self, reason: str) -> None:
        """Raise ClickException when the server answers nothing at all, after `reason` has kept it from answering."""
        for pause in PAUSES_S:
            time.sleep(pause)
            try:
                self.model(Newest(0)).ask([{"role": "user", "content": "Hello"}], {})
            except ModelLateError:
                break
            except ModelError:
                continue
            return
        raise click.ClickException(
            f"the model {self.name} gives no answers any more: {reason}\n"
            f"Nothing is reported. When it answers again at {self.url}, give the same command again: it goes on with "
            "the answers that it has."
        )


def llm_options(function: Function) -> Function:
    """Make the options --llm and --llm-url; the command gets them as `llm`, an Llm that is there."""

    @functools.wraps(function)
    def command(*arguments: Any, llm: str, llm_url: str, **more: Any) -> object:
        chosen = Llm(llm, llm_url)
        chosen.check()
        return function(*arguments, llm=chosen, **more)

    model = click.option(
        "--llm", default=OFFLINE, show_default=True, help="A language model for the steps of one; offline: rules."
    )
    where = click.option(
        "--llm-url",
        "--ollama-host",
        "llm_url",
        default=os.environ.get("OLLAMA_HOST") or OLLAMA_URL,
        show_default=True,
        help="URL of the model's server: Ollama, or one of OpenAI's protocol, which ends in /v1.",
    )
    return model(where(command))  # type: ignore[return-value]
