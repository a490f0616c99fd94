# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The question to the model and its repair: the constant part, what is known of the moment, and the uncut words."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import ValidationError

from karma_language.model_reader.examples import constant, shown
from karma_language.model_reader.form import AnswerForm, GoalForm, written
from karma_language.model_reader.meaning import ENGLISH, Meaning, Rules, Wrong
from karma_language.model_reader.quotes import words
from karma_language.models import Model, ModelError, Waiting
from karma_language.models.tokens import tokens, tokens_of
from karma_language.noun_phrases import Names
from karma_language.reading import Kind, Question, Reading, Request
from karma_language.vocabulary.lexicon import Lexicon

_LOG = logging.getLogger(__name__)

LONGEST = 1000
"""Characters of an utterance that a model reads."""
_LINE = 300
"""Characters of a line of what is known."""
_OF_PEOPLE = frozenset((Kind.TOLD, Kind.ABOUT, Kind.WHO))
"""Questions that may be about what no robot sees."""
_AGAIN = (
    "That was done, and it was not what the person wanted. Read the words again: which things, which ones, how many, "
    "where to, in which order? Answer otherwise, with JSON only."
)


class Senseless(ModelError):  # noqa: N818 - named after what the model said
    """The model answered as often as it was asked, and nothing of it can be used."""


@dataclass(frozen=True)
class Example:
    """Words of the past that were carried out well, and what they were read as."""

    text: str
    goals: tuple[GoalForm, ...]

    @property
    def answer(self) -> str:
        """The form as a model is to write it."""
        return written(AnswerForm(lang="en", goals=self.goals))


@dataclass(frozen=True)
class Context:
    """What is known of the moment in which something is said. All of it is data, whatever it says."""

    now: float = 0.0
    """Seconds."""
    turns: tuple[str, ...] = ()
    """What was said before, oldest first: "Person: …", "Robot: …"."""
    things: tuple[str, ...] = ()
    """What is in the home, in English."""
    memories: tuple[str, ...] = ()
    """What is remembered that may be meant, best first."""
    names: Names = field(default_factory=dict)
    examples: tuple[Example, ...] = ()
    tried: tuple[Example, ...] = ()
    """What these words were read as before, which was wrong."""


@dataclass(frozen=True)
class Asked:
    """What came of asking."""

    reading: Reading
    calls: int
    """Answers that it took."""
    memories: int
    """Of the context's memories, from the first on, that the model was told."""
    plain: str = ""
    """The words in plain English, where they were not; "" else."""


def _nothing_wrong(reading: Reading) -> str:
    return ""


class ModelReader:
    """Reads with a language model."""

    def __init__(
        self,
        model: Model,
        lexicon: Lexicon,
        rules: Rules,
        *,
        is_word: Callable[[str], bool] = lambda word: True,
        repairs: int = 2,
    ) -> None:
        """`rules` read what the model has translated; `is_word`: whether a word is English, as far as that is known.

        `repairs`: times that the model is told what is wrong.
        """
        self._is_word = is_word
        self._model = model
        self._rules = rules
        self._lexicon = lexicon
        self._repairs = repairs

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def read(
        self,
        text: str,
        context: Context,
        waiting: Waiting,
        *,
        objection: Callable[[Reading], str] = _nothing_wrong,
        variation: int = 0,
    ) -> Asked:
        """Return a reading of the words, which may leave some unread. Raises ModelError.

        `objection` says why a reading makes no sense, "" where it may; `variation`: see Model.ask.
        """
        room = self._model.room(waiting)
        refused: list[tuple[str, str]] = []
        last: Asked | None = None
        while True:
            # What is known of the moment may have misled it.
            known = replace(context, turns=(), memories=(), examples=()) if refused else context
            chat, told = question(text, known, room, refused)
            answer = self._model.ask(chat, AnswerForm.model_json_schema(), waiting, variation)
            try:
                reading, plain = self._meant(answer, text, known)
                problem = objection(reading) or _left(reading) or ("" if refused else self._strange(reading))
                asked = Asked(reading, len(refused) + 1, told, plain)
                if last is None or len(reading.unread) <= len(last.reading.unread):
                    last = asked
            except Wrong as wrong:
                problem = str(wrong)
            if not problem:
                return asked
            _LOG.debug("an answer of %s is told back: %s", self._model.name, problem)
            if len(refused) >= self._repairs or answer in (before for before, _ in refused):
                if last is not None:
                    return last
                raise Senseless(f"The model {self._model.name} made no sense of it: {problem}.")
            refused.append((answer, problem))

    def _strange(self, reading: Reading) -> str:
        """Return, for the model, which noun is no word of English: it may be another language's, or misspelt."""
        if reading.language != ENGLISH:
            return ""
        goals = [goal.thing for item in reading.items if isinstance(item, Request) for goal in item.goals]
        asked = [item.thing for item in reading.items if isinstance(item, Question) and item.kind not in _OF_PEOPLE]
        for thing in (*goals, *asked):
            known = thing is None or thing.categories or thing.room or thing.floor or thing.pronoun or thing.every
            if thing is not None and not known and not all(map(self._is_word, words(thing.text))):
                return f"{thing.text!r} is no English. Say all of it in english, and name it in things"
        return ""

    def _meant(self, answer: str, text: str, context: Context) -> tuple[Reading, str]:
        try:
            form = AnswerForm.model_validate_json(answer)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the answer"
            raise Wrong(f"{where}: {first['msg']}") from error
        meaning = Meaning(form, text, self._lexicon, context.now, names=context.names, memories=context.memories)
        reading = meaning.by_rules(self._rules, self._model.name) or meaning.reading(self._model.name)
        return reading, meaning.translation


def question(
    text: str, context: Context, room: int, refused: Sequence[tuple[str, str]] = ()
) -> tuple[list[Mapping[str, str]], int]:
    """Return what the model is asked in at most `room` tokens, and how many of the memories are in it.

    What does not fit is left out, the least useful first: general examples, those of the past, things, memories from
    the last on, turns from the first on. Raises ModelError where the words alone don't fit.
    """
    head = constant()
    past = [turn for one in context.examples for turn in _example(one)]
    again = [turn for one in context.tried for turn in _turned_down(one.answer, _AGAIN)]
    parts = {
        "In the home": [", ".join(map(inert, context.things))] if context.things else [],
        "Remembered": [*map(inert, context.memories)],
        "Said before": [*map(inert, context.turns)],
    }
    while True:
        chat: list[Mapping[str, str]] = [
            *head,
            *past,
            {"role": "user", "content": _asked(text, parts, refused)},
            *again,
        ]
        over = tokens_of(chat) - room
        if over <= 0:
            return chat, len(parts["Remembered"])
        if len(head) > 1:
            del head[-2:]
        elif past:
            del past[:2]
        elif parts["In the home"]:
            parts["In the home"].clear()
        elif parts["Remembered"]:
            while parts["Remembered"] and over > 0:
                over -= tokens(parts["Remembered"].pop() + "\n")
        elif parts["Said before"]:
            del parts["Said before"][0]
        elif len(again) > 2:
            del again[:2]
        else:
            raise ModelError(f"It is too long for the model: {over} tokens more than there is room for.")


def inert(text: str) -> str:
    """Return data on one line, which can't end the section that it stands in."""
    line = " ".join(text.split()).replace("<", "‹").replace(">", "›")
    return "".join(character for character in line[:_LINE] if character.isprintable())


def _asked(text: str, parts: Mapping[str, Sequence[str]], refused: Sequence[tuple[str, str]]) -> str:
    """Return the last message. The words come last: small models take the last line for what they are to read."""
    wrong = [f"(not {inert(answer)} : {problem})" for answer, problem in refused]
    return shown(text.strip(), parts) if not wrong else "\n".join([*wrong, shown(text.strip())])


def _example(one: Example) -> list[Mapping[str, str]]:
    return [{"role": "user", "content": shown(inert(one.text))}, {"role": "assistant", "content": one.answer}]


def _turned_down(answer: str, why: str) -> list[Mapping[str, str]]:
    return [{"role": "assistant", "content": answer[:_LINE] or "(no answer)"}, {"role": "user", "content": why}]


def _left(reading: Reading) -> str:
    """Return, for the model, which words a reading leaves over."""
    if not reading.unread:
        return ""
    left = ", ".join(map(repr, reading.unread))
    return f"nothing is said of the words {left}: put them where they belong, or in told, or in aside"
