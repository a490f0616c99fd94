# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The question to the model and its repair: the constant part, what is remembered, and the uncut words."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import ValidationError

from karma_language.model_reader.accounting import same, unaccounted
from karma_language.model_reader.examples import Restated, constant, shown
from karma_language.models import Model, ModelError, Waiting
from karma_language.models.tokens import tokens, tokens_of
from karma_language.phrases.nouns import Names
from karma_language.reading import Question, Reading, Social, quoted
from karma_language.requests.remarks import essential
from karma_language.vocabulary.languages import ENGLISH, language_of
from karma_language.vocabulary.lexicon import Lexicon

_LOG = logging.getLogger(__name__)

LONGEST = 1000
"""Characters of an utterance that a model reads."""
_LINE = 300
"""Characters of a line of what is known."""
_AGAIN = (
    "That was done, and it was not what the person wanted. Read the words again: which things, which ones, how many, "
    "where to, in which order? Answer otherwise."
)


class Senseless(ModelError):  # noqa: N818 - named after what the model said
    """The model answered as often as it was asked, and nothing of it can be used."""


@dataclass(frozen=True)
class Example:
    """Words of the past, and what they were carried out as, in plain English."""

    text: str
    english: str


@dataclass(frozen=True)
class Context:
    """What is known of the moment in which something is said. All of it is data, whatever it says."""

    now: float = 0.0
    """Seconds."""
    memories: tuple[str, ...] = ()
    """What is remembered that may be meant, best first."""
    before: str = ""
    """What the same person said just before."""
    names: Names = field(default_factory=dict)
    examples: tuple[Example, ...] = ()
    """Words that were carried out well."""
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
    plain: str
    """What was said, in plain English."""


def _nothing_wrong(reading: Reading) -> str:
    return ""


class ModelReader:
    """Reads with a language model.

    What it says in plain English of English words has to say the same, word for word that matters. What it makes of
    another language nobody here can check: it is asked again, and counts where two answers mean the same.
    """

    def __init__(
        self,
        model: Model,
        rules: Callable[[str, float, Names], Reading],
        lexicon: Lexicon,
        *,
        repairs: int = 2,
    ) -> None:
        """`rules` read plain English; `repairs`: times that the model is asked again."""
        self._model = model
        self._rules = rules
        self._lexicon = lexicon
        self._repairs = repairs

    def read(
        self,
        text: str,
        context: Context,
        waiting: Waiting,
        *,
        objection: Callable[[Reading], str] = _nothing_wrong,
        variation: int = 0,
    ) -> Asked:
        """Return a reading of the words that leaves none unread. Raises ModelError.

        `objection` says why a reading makes no sense, "" where it may; `variation`: see Model.ask.
        """
        room = self._model.room(waiting)
        language = language_of(text)
        needed = ""
        refused: list[tuple[str, str]] = []
        drafts: list[Asked] = []
        for call in range(1, self._repairs + 2 + (language != ENGLISH)):
            known = replace(context, memories=(), examples=()) if refused else context  # it may have misled it
            known = known if language == ENGLISH else replace(known, before="")
            chat, told = question(text, known, room, refused)
            answer = self._model.ask(chat, Restated.model_json_schema(), waiting, variation + len(drafts))
            try:
                form = Restated.model_validate_json(answer)
            except ValidationError as error:
                fault = error.errors(include_url=False, include_input=False)[0]
                where = ".".join(str(part) for part in fault["loc"]) or "the answer"
                problem = f"{where}: {fault['msg']}"
            else:
                reading = self._rules(form.text, context.now, context.names)
                draft = Asked(self._resting(reading, text, language), call, told, form.text)
                problem = _left(reading) or objection(draft.reading)
                if language == ENGLISH and not problem:
                    needed = needed or essential(text, lambda part: self._rules(part, context.now, context.names))
                    told_of = context.memories[:told]
                    problem = unaccounted(
                        text, form.text, reading, self._lexicon, told_of, needed=needed, before=context.before
                    )
                if not problem and (language == ENGLISH or _harmless(reading)):
                    return draft
                if not problem:
                    first = next((one for one in drafts if same(draft.reading, one.reading)), None)
                    if first is not None:
                        return replace(first, calls=call)
                    drafts.append(draft)
                    continue
            _LOG.debug("an answer of %s is told back: %s", self._model.name, problem)
            if answer in (before for before, _ in refused):
                break
            refused.append((answer, problem))
        if len(drafts) > 1:
            likely = " or ".join(f"“{draft.plain}”" for draft in drafts)
            raise Senseless(f"The model {self._model.name} is not sure whether it means {likely}.")
        raise Senseless(f"The model {self._model.name} made no sense of it{_why(refused)}.")

    def _resting(self, reading: Reading, text: str, language: str) -> Reading:
        """Return the reading of plain English as one of what was said."""
        items = tuple(quoted(item, text.strip()) for item in reading.items)
        return reading.model_copy(update={"reader": self._model.name, "language": language, "items": items})


def question(
    text: str, context: Context, room: int, refused: Sequence[tuple[str, str]] = ()
) -> tuple[list[Mapping[str, str]], int]:
    """Return what the model is asked in at most `room` tokens, and how many of the memories are in it.

    What does not fit is left out, the least useful first: general examples, those of the past, memories from the last
    on. Raises ModelError where the words alone don't fit.
    """
    head = constant()
    past = [turn for one in context.examples for turn in _example(one)]
    again = [turn for one in context.tried for turn in _turned_down(_answered(one.english), _AGAIN)]
    wrong = [f"(not {inert(answer)} : {problem})" for answer, problem in refused]
    memories = [*map(inert, context.memories)]
    while True:
        last = {"role": "user", "content": "\n".join([*wrong, shown(text.strip(), memories, inert(context.before))])}
        chat: list[Mapping[str, str]] = [*head, *past, last, *again]
        over = tokens_of(chat) - room
        if over <= 0:
            return chat, len(memories)
        if len(head) > 1:
            del head[-2:]
        elif past:
            del past[:2]
        elif memories:
            while memories and over > 0:
                over -= tokens(memories.pop() + "\n")
        elif len(again) > 2:
            del again[:2]
        else:
            raise ModelError(f"It is too long for the model: {over} tokens more than there is room for.")


def inert(text: str) -> str:
    """Return data on one line, which can't end the section that it stands in."""
    line = " ".join(text.split()).replace("<", "‹").replace(">", "›")
    return "".join(character for character in line[:_LINE] if character.isprintable())


def _example(one: Example) -> list[Mapping[str, str]]:
    return [
        {"role": "user", "content": shown(inert(one.text))},
        {"role": "assistant", "content": _answered(one.english)},
    ]


def _answered(english: str) -> str:
    return Restated(english=(inert(english),)).model_dump_json()


def _turned_down(answer: str, why: str) -> list[Mapping[str, str]]:
    return [{"role": "assistant", "content": answer[:_LINE] or "(no answer)"}, {"role": "user", "content": why}]


def _harmless(reading: Reading) -> bool:
    """Whether nothing is done, ended or remembered for a reading."""
    return all(isinstance(item, Question | Social) for item in reading.items)


def _left(reading: Reading) -> str:
    """Return, for the model, which words of its English the robot does not understand."""
    if reading.unread:
        left = ", ".join(map(repr, reading.unread))
        return f"the robot does not understand {left}"
    return "" if reading.items else "the robot does not understand it"


def _why(refused: Sequence[tuple[str, str]]) -> str:
    return f": {refused[-1][1]}" if refused else ""
