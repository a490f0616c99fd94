# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The file of conversations: what is said, what people do meanwhile, and what is expected (docs/evaluation.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    ValidationError,
    model_validator,
)

OWN = Path(__file__).with_name("own.json")
"""Conversations that were read while readers and prompts were made."""
UNREAD = Path(__file__).with_name("unread.json")
"""Conversations of other authors, which nobody who works on readers or prompts has read."""
LANGUAGES = Path(__file__).with_name("languages.json")
"""The same in nine other languages than English; half of it was read."""


class ConversationFileError(ValueError):
    """A file holds no conversations; the message says where and why."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Answer(_Strict):
    """What an answer to a question must be: every part that is given counts."""

    any_of: tuple[str, ...] = ()
    """Words of which the answer must hold one."""
    none_of: tuple[str, ...] = ()
    """Words of which it must hold none."""
    yes: bool | None = None
    number: int | None = None
    truth: str = ""
    """What the judge computes from what the robot could have seen, such as where(Apple): see karma_eval.talk.truth."""

    @model_validator(mode="after")
    def _says_something(self) -> Answer:
        if not (self.any_of or self.none_of or self.truth) and self.yes is None and self.number is None:
            raise ValueError("an answer needs any_of, none_of, yes, number or truth")
        return self


class Kept(_Strict):
    """What has to be known afterwards: asked for at once, by the same person."""

    ask: str = Field(min_length=1)
    any_of: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _says_something(self) -> Kept:
        if not (self.any_of or self.none_of):
            raise ValueError("kept needs any_of or none_of")
        return self


class Expect(_Strict):
    """What a turn is to come to: exactly one of these."""

    done: str | None = None
    """Goal conditions of KARMA's form, on the world after the turn."""
    answer: Answer | None = None
    kept: Kept | None = None
    asks: Literal[True] | None = None
    """A question back, with candidates. What is said next answers it."""
    refused: Literal[True] | None = None
    """Nothing moves, and the robot says that it won't or can't."""
    social: Literal[True] | None = None
    """A friendly line; nothing moves."""

    @model_validator(mode="after")
    def _exactly_one(self) -> Expect:
        if len(self.model_fields_set) != 1 or getattr(self, self.kind) is None:
            raise ValueError("expect needs exactly one of done, answer, kept, asks, refused, social")
        return self

    @property
    def kind(self) -> str:
        """The field that is set."""
        return next(iter(self.model_fields_set))


class Say(_Strict):
    """Somebody says something to the robot."""

    say: str
    user: str = ""
    expect: Expect


class Deed(_Strict):
    """What a person does, exactly one of these, with things and places by category or id."""

    move: tuple[str, str] | None = None
    """A thing and where it goes."""
    open: str | None = None
    close: str | None = None
    switch_on: str | None = None
    switch_off: str | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Deed:
        if len(self.model_fields_set) != 1:
            raise ValueError("person needs exactly one of move, open, close, switch_on, switch_off")
        return self


class Person(_Strict):
    """A person does something, and nobody tells the robot."""

    person: Deed


class Wait(_Strict):
    """Time passes."""

    wait: Annotated[float, Field(ge=0.0, le=1e8)]
    """Seconds."""


def _kind(turn: Any) -> str | None:
    """Return which turn a value is to be, by the field that only that one has."""
    return next((name for name in ("say", "person", "wait") if isinstance(turn, dict) and name in turn), None)


Turn = Annotated[
    Annotated[Say, Tag("say")] | Annotated[Person, Tag("person")] | Annotated[Wait, Tag("wait")],
    Discriminator(
        _kind,
        custom_error_type="turn",
        custom_error_message="a turn needs say, person or wait",
    ),
]


class Conversation(_Strict):
    """What happens in one home, from its start."""

    id: str
    scene: str
    explored: bool = True
    """Whether the robot has looked around before."""
    turns: tuple[Turn, ...] = Field(min_length=1)


_FILE = TypeAdapter(tuple[Conversation, ...])


def load(file: Path) -> tuple[Conversation, ...]:
    """Read a file of conversations. ConversationFileError says what is wrong, and in which turn."""
    try:
        raw = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConversationFileError(f"{file} can't be read as JSON: {error}") from error
    try:
        conversations = _FILE.validate_python(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise ConversationFileError(f"{file}: {where}: {first['msg']}{more}") from error
    names = [conversation.id for conversation in conversations]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConversationFileError(f"{file}: several conversations have the id {twice[0]!r}")
    return conversations
