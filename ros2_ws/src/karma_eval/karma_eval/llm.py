# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The options --llm and --ollama-host of the evaluations: a language model in place of the rules."""

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

from planner_node.parameters import OFFLINE

if TYPE_CHECKING:
    from karma_memory.facts.extraction import Extractor
    from karma_memory.preferences.language import Language
    from karma_memory.profile.knowledge import KnowledgeSteps
    from planner_node.instruction import Understander
    from planner_node.vocabulary.lexicon import Lexicon

Function = TypeVar("Function", bound=Callable[..., object])
HOST = "http://127.0.0.1:11434"
TIMEOUT_S = 600.0
"""For one answer: an evaluation can wait longer than a person."""
CONNECT_S = 5.0
"""For the server to accept a connection."""
PAUSES_S = (0.0, 2.0, 10.0)
"""Before each look at whether a server that has failed answers anything: Ollama starts a model that died anew."""


@dataclass
class AnswerFile:
    """A model's answers, one JSON line each, so that an interrupted run goes on where it was. See karma_memory.Answers.

    What is asked in evaluations are public data; nothing of a user is ever kept so.
    """

    file: Path
    still_answers: Callable[[str], None]
    """Told why a question got no answer, raises ClickException where the server answers none any more."""
    asked: int = 0
    left: int = 0
    """Questions without a usable answer, whose step the rules took."""
    reasons: dict[str, int] = field(default_factory=dict)
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
        reason = reason[:120]
        self.reasons[reason] = self.reasons.get(reason, 0) + 1

    def figures(self) -> dict[str, Any]:
        """Return how much the model did, for the JSON."""
        return {"asked": self.asked, "left_to_the_rules": self.left}


def unanswered(count: int, then: str) -> str:
    """Return in a sentence that so many questions got no usable answer, and what became of them; "" for none."""
    return f"The model gave no usable answer to {count} question{'s' * (count != 1)}: {then}." if count else ""


FAILED = "the instructions count as not understood"
BY_RULES = "rules took these steps"
"""What becomes of questions without a usable answer."""


@dataclass(frozen=True)
class Llm:
    """Which model, if any, takes the steps that the papers give to one."""

    name: str = OFFLINE
    host: str = HOST

    @property
    def offline(self) -> bool:
        """Whether rules take them."""
        return self.name == OFFLINE

    def answers(self, folder: Path) -> AnswerFile:
        """Return where the answers are kept in a report's folder."""
        return AnswerFile(folder / "answers.jsonl", self.still_answers)

    def language(self, rules: Language, answers: AnswerFile) -> Language:
        """Return what reads requests and answers (PAHF)."""
        if self.offline:
            return rules
        from karma_memory.preferences.ollama import OllamaLanguage

        return OllamaLanguage(rules, model=self.name, host=self.host, timeout=TIMEOUT_S, answers=answers)

    def extractor(self, rules: Extractor, answers: AnswerFile) -> Extractor:
        """Return what makes facts of what people say (EMG-RAG)."""
        if self.offline:
            return rules
        from karma_memory.facts.ollama_extraction import OllamaExtractor

        return OllamaExtractor(rules, model=self.name, host=self.host, timeout=TIMEOUT_S, answers=answers)

    def knowledge_steps(self, rules: KnowledgeSteps, answers: AnswerFile) -> KnowledgeSteps:
        """Return what takes the steps of the user profile (MEMENTO)."""
        if self.offline:
            return rules
        from karma_memory.profile.ollama_steps import OllamaSteps

        return OllamaSteps(rules, model=self.name, host=self.host, timeout=TIMEOUT_S, answers=answers)

    def understander(self, lexicon: Lexicon, answers: AnswerFile) -> Understander:
        """Return what turns instructions into goals."""
        if self.offline:
            from planner_node.understand.offline import OfflineUnderstanding

            return OfflineUnderstanding(lexicon)
        from karma_eval.persistent_understanding import PersistentUnderstanding
        from planner_node.understand.llm import LlmUnderstanding
        from planner_node.understand.model import Limits

        limits = Limits(first=TIMEOUT_S, total=TIMEOUT_S)
        model = LlmUnderstanding(lexicon, model=self.name, host=self.host, limits=limits, answers=answers)
        return PersistentUnderstanding(model, answers)

    def check(self) -> None:
        """Raise ClickException when there is no such model: else rules would do its work, under its name."""
        if self.offline:
            return
        import httpx
        import ollama

        try:
            ollama.Client(host=self.host, timeout=httpx.Timeout(30.0, connect=CONNECT_S)).show(self.name)
        except ollama.ResponseError as error:
            raise click.ClickException(
                f"Ollama at {self.host}: {error.error}; try `ollama pull {self.name}`"
            ) from error
        except (OSError, ValueError, TypeError, httpx.HTTPError, httpx.InvalidURL) as error:
            raise click.ClickException(
                f"no Ollama at {self.host}: {error}; start it with `ollama serve`, name another with --ollama-host, or "
                "leave --llm out"
            ) from error

    def still_answers(self, reason: str) -> None:
        """Raise ClickException when the server answers nothing at all, after `reason` has kept it from answering."""
        import httpx
        import ollama

        client = ollama.Client(host=self.host, timeout=httpx.Timeout(TIMEOUT_S, connect=CONNECT_S))
        for pause in PAUSES_S:
            time.sleep(pause)
            try:
                client.chat(self.name, [{"role": "user", "content": "Hello"}], options={"num_predict": 1})
            except httpx.TimeoutException:
                break
            except (ollama.ResponseError, OSError, ValueError, TypeError, httpx.HTTPError):
                continue
            return
        raise click.ClickException(
            f"the model {self.name} gives no answers any more: {reason}\n"
            f"Nothing is reported. When `ollama run {self.name}` works at {self.host}, give the same command again: it "
            "goes on with the answers that it has."
        )


def llm_options(function: Function) -> Function:
    """Make the options --llm and --ollama-host; the command gets them as `llm`, an Llm that is there."""

    @functools.wraps(function)
    def command(*arguments: Any, llm: str, ollama_host: str, **more: Any) -> object:
        chosen = Llm(llm, ollama_host)
        chosen.check()
        return function(*arguments, llm=chosen, **more)

    host = os.environ.get("OLLAMA_HOST") or HOST
    model = click.option(
        "--llm", default=OFFLINE, show_default=True, help="A model in Ollama for the steps of one; offline: rules."
    )
    where = click.option("--ollama-host", default=host, show_default=True, help="URL of the Ollama server.")
    return model(where(command))  # type: ignore[return-value]
