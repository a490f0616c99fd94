# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Instructions to goals by a language model in Ollama: its answer is data that is checked, never code."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any, Literal

import httpx
import ollama
from pydantic import BaseModel, Field, ValidationError

from planner_node.check import complaint
from planner_node.skills import Code
from planner_node.understand.chunks import MAX_LENGTH
from planner_node.understand.goals import (
    ALL,
    Goal,
    NotUnderstood,
    ObjectRef,
    Predicate,
    Statement,
    Understanding,
    Understood,
    complete,
)
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.understand.prompt import messages, repair
from planner_node.vocabulary.lexicon import Lexicon

_LOG = logging.getLogger(__name__)
_MOST_GOALS = 30
_MOST_TOKENS = 1024

PredicateName = Literal[
    "place", "put_down", "hold", "bring", "clean", "heat", "cool", "slice", "break", "fill", "open", "close",
    "switch_on", "switch_off", "examine", "throw", "find", "go_to", "explore",
]  # fmt: skip
StateName = Literal["clean", "dirty", "hot", "cold", "sliced", "open", "filled"]


class GoalAnswer(BaseModel):
    """One goal as the model states it."""

    predicate: PredicateName
    object: str = Field(default="", max_length=100, description="what it is about, a noun")
    states: list[StateName] = Field(
        default_factory=list, max_length=4, description="states the object has or is to have"
    )
    count: int = Field(default=1, ge=0, le=50, description="how many; 0: all")
    destination: str = Field(default="", max_length=100, description="where to put it, a noun; the lamp for examine")
    relation: Literal["on", "in", "near", ""] = ""
    place: str = Field(default="", max_length=100, description="where the object is now, if the instruction says so")


class Answer(BaseModel):
    """What the model has to return."""

    goals: list[GoalAnswer] = Field(default_factory=list, max_length=_MOST_GOALS)
    statement: bool = Field(default=False, description="true when the text only tells something to remember")
    problem: str = Field(default="", max_length=300, description="why the text can't be turned into goals, if so")


class _Wrong(Exception):  # noqa: N818 - caught in this module
    """The answer is not usable; the message tells the model why."""


class _NotOllama(Exception):  # noqa: N818 - as above
    """What answers does not speak as Ollama does."""


class LlmUnderstanding:
    """Understands instructions with a model in Ollama. One repair round; every failure is an answer with a code."""

    def __init__(self, lexicon: Lexicon, *, model: str, host: str, timeout: float) -> None:
        """`host`: URL of the Ollama server; `timeout`: seconds for one answer. Raises ValueError for a bad URL."""
        self._lexicon = lexicon
        self._nouns = OfflineUnderstanding(lexicon)
        self._model = model
        self._host = host
        self._timeout = timeout
        try:
            self._client = ollama.Client(host=host, timeout=timeout)
        except (ValueError, httpx.InvalidURL) as error:
            raise ValueError(f"{host!r} is no URL, such as http://127.0.0.1:11434: {error}") from error

    def understand(self, text: str, spoken_of: tuple[ObjectRef, ...] = (), memory: str = "") -> Understanding:
        """Return the goals. `memory`: recollections as text; it reaches the model as data. Never raises."""
        if not text.strip() or len(text) > MAX_LENGTH:
            return self._nouns.understand(text)
        chat = messages(text, memory, [ref.noun for ref in spoken_of])
        try:
            answer = self._ask(chat)
            try:
                return self._understanding(text, answer)
            except _Wrong as wrong:
                _LOG.debug("repairing the model's answer: %s", wrong)
                answer = self._ask(repair(chat, answer, str(wrong)))
                return self._understanding(text, answer, repaired=True)
        except _Wrong as wrong:
            return NotUnderstood(
                Code.NOT_UNDERSTOOD,
                f"The model {self._model} did not find sensible goals: {wrong}. Say it in other words.",
            )
        except ollama.ResponseError as error:
            return self._refused(error)
        except _NotOllama as error:
            return NotUnderstood(
                Code.UNAVAILABLE,
                f"What answers at {self._host} is not Ollama ({error}). Check ollama_host, or use llm:=offline.",
            )
        except (httpx.TimeoutException, TimeoutError):
            return NotUnderstood(
                Code.TIMEOUT,
                f"The model {self._model} did not answer within {self._timeout:.0f} s (parameter llm_timeout).",
            )
        except (ConnectionError, httpx.HTTPError, OSError) as error:
            return NotUnderstood(
                Code.UNAVAILABLE,
                f"Ollama does not answer at {self._host} ({error}). Start it with `ollama serve`, or use llm:=offline.",
            )

    def _ask(self, chat: list[dict[str, str]]) -> str:
        """Return the model's answer as it is."""
        try:
            response: Any = self._client.chat(
                model=self._model,
                messages=chat,
                format=Answer.model_json_schema(),
                options={"temperature": 0, "seed": 0, "num_predict": _MOST_TOKENS},
            )
        except (ValueError, TypeError, httpx.InvalidURL) as error:  # no JSON, or JSON of another form
            raise _NotOllama(str(error).splitlines()[0]) from error
        return str(response.message.content or "")

    def _refused(self, error: ollama.ResponseError) -> NotUnderstood:
        if error.status_code == 404:
            return NotUnderstood(
                Code.NOT_FOUND, f"Ollama has no model {self._model!r}. Get it with `ollama pull {self._model}`."
            )
        return NotUnderstood(Code.UNAVAILABLE, f"Ollama at {self._host} refused ({error.status_code}): {error.error}")

    def _understanding(self, text: str, answer: str, *, repaired: bool = False) -> Understanding:
        try:
            parsed = Answer.model_validate_json(answer)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the answer"
            raise _Wrong(f"{where}: {first['msg']}") from error
        if parsed.goals:
            return self._goals(parsed.goals, repaired=repaired)
        if parsed.statement:
            return Statement(text.strip())
        if parsed.problem:
            return NotUnderstood(Code.NOT_UNDERSTOOD, parsed.problem)
        raise _Wrong("there are no goals, no statement and no problem")

    def _goals(self, answers: list[GoalAnswer], *, repaired: bool) -> Understood | NotUnderstood:
        """Turn names into references over the known vocabulary, the same name into the same object.

        A model that leaves out again where to put a thing, after it was told of it, was not told by the person either.
        """
        entities: dict[str, int] = {}
        goals = []
        for answer in answers:
            predicate = Predicate(answer.predicate)
            if predicate is Predicate.EXPLORE:
                goals.append(Goal(predicate))
                continue
            ref = self._reference(answer.object, entities)
            ref = replace(
                ref, states=ref.states | set(answer.states), count=ALL if answer.count == 0 else max(answer.count, 1)
            )
            if answer.place:
                ref = replace(ref, place=self._reference(answer.place, entities))
            destination = self._reference(answer.destination, entities) if answer.destination else None
            goal = Goal(predicate, ref, destination, answer.relation)
            open_place = repaired and predicate is Predicate.PLACE and destination is None
            wrong = complaint(replace(goal, predicate=Predicate.HOLD) if open_place else goal, self._lexicon)
            if wrong:
                raise _Wrong(f"{goal}: {wrong}")
            goals.append(goal)
        return complete(tuple(goals))

    def _reference(self, name: str, entities: dict[str, int]) -> ObjectRef:
        ref = self._nouns.reference(name) if name.strip() else None
        if ref is None:
            close = ", ".join(self._lexicon.closest(name)) or "nothing like it"
            raise _Wrong(f"I know of no {name!r}; the closest things I know: {close}")
        return replace(ref, entity=entities.setdefault(f"{ref.noun} {ref.room}", len(entities) + 1))
