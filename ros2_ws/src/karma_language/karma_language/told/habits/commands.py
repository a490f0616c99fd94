# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a command moves from where to where, for the patterns of a profile; the planner understands much more."""

from __future__ import annotations

import re

from karma_language.reading import Move
from karma_language.told.habits.wording import MOVING, sentences, statement_type

_VERBS = MOVING | {"set", "arrange", "gather", "position", "collect", "pick", "organize"}
_GERUNDS = {f"{verb.removesuffix('e')}ing" for verb in _VERBS} | {"putting", "setting", "getting"}
_VERB = "|".join(sorted(_VERBS | _GERUNDS))
_CLAUSE = re.compile(
    rf"(?:[,;]? (?:and|then|and then)(?: also|,? afterwards?)?,? |[,;:] )(?=(?:then )?(?:{_VERB})\b)", re.IGNORECASE
)
_COMMAND = re.compile(rf"\b(?P<verb>{_VERB})\b(?P<rest>.*)$", re.IGNORECASE | re.DOTALL)
_PREPOSITION = re.compile(
    r"\b(?P<beside>next to|beside|alongside|close to|near|together with)\b"
    r"|\b(?P<source>from|off|out of)\b|\b(?P<goal>onto|into|to|on|in|inside|at)\b(?! top of)|\b(?:to|on)(?= top of)",
    re.IGNORECASE,
)
_GOAL = r"\b(?:onto|into|to|on|in|inside|next to|beside)\b"
_ANOTHER = re.compile(rf",? and (?=(?:the|my|our|an?|some)\s[^,]*?{_GOAL})", re.IGNORECASE)
"""Between what goes to one place and what goes to another: "the mug on the table and the bread on the plate"."""
_AND = re.compile(r",? and (?:then |also )?|, (?:and )?", re.IGNORECASE)
_PARTICLE = re.compile(r"\b(?:side by side|back|away|together|over|down|up|each|first|then|also|just)\b", re.IGNORECASE)
_PRONOUN = re.compile(
    r"^(?:them|it|they|both|these|those|each|everything)(?: all| both| each| items| things| objects)?$", re.IGNORECASE
)
_NUMBER = re.compile(r"^(?:(?:one|two|three|a|an|the|some|my|our)\s+)+", re.IGNORECASE)
_EACH_OTHER = re.compile(r"\b(?:each other|one another|side by side)\b", re.IGNORECASE)
_RECEIVER = re.compile(r"^(?:me|us)\b\s*", re.IGNORECASE)
EACH_OTHER = "each other"
"""Value of Move.beside."""


def moves(instruction: str) -> tuple[Move, ...]:
    """Return what an instruction asks to move, in order. What a sentence tells of things or habits is no move."""
    found: list[Move] = []
    spoken: tuple[str, ...] = ()
    for sentence in sentences(instruction):
        if statement_type(sentence) is not None:
            continue
        for clause in _CLAUSE.split(sentence.rstrip(".?! ")):
            match = _COMMAND.search(clause)
            if match is None:
                continue
            for rest in _errands(match["rest"]):
                move = _move(rest, spoken)
                if move.things:
                    spoken = (*move.things, *((move.beside,) if move.beside and move.beside != EACH_OTHER else ()))
                    found.append(move)
    return tuple(found)


def _errands(rest: str) -> list[str]:
    """Split what follows a verb into what goes to one place each."""
    found: list[str] = []
    for part in _ANOTHER.split(rest):
        if found and not re.search(_GOAL, found[-1], re.IGNORECASE):
            found[-1] += f" and {part}"
        else:
            found.append(part)
    return found


def _move(rest: str, spoken: tuple[str, ...]) -> Move:
    parts: dict[str, str] = {"things": "", "source": "", "goal": "", "beside": ""}
    relation = ""
    key, at = "things", 0
    for match in _PREPOSITION.finditer(rest):
        kind = match.lastgroup or "goal"
        text = rest[at : match.start()]
        if key in ("source", "goal") and match[0].lower() in ("in", "at") and text.strip():
            continue  # "the table in the bedroom" is one place
        _put(parts, key, text)
        if kind == "goal" and not relation:
            relation = match[0].lower()
        key, at = kind, match.end()
    _put(parts, key, rest[at:])
    beside = EACH_OTHER if _EACH_OTHER.search(rest) else parts["beside"]
    parts["things"] = _RECEIVER.sub("", parts["things"])
    names = _things(parts["things"])
    if _PRONOUN.match(_PARTICLE.sub("", parts["things"]).strip(" ,")):
        names = spoken
    return Move(
        things=names,
        source=parts["source"],
        goal=parts["goal"],
        relation=relation if parts["goal"] else "",
        beside=beside,
    )


def _put(parts: dict[str, str], key: str, text: str) -> None:
    text = _PARTICLE.sub("", text).strip(" ,")
    if text and not parts[key]:
        parts[key] = re.sub(r"\s+", " ", text)


def _things(text: str) -> tuple[str, ...]:
    parts = (_PARTICLE.sub("", part).strip(" ,") for part in _AND.split(text))
    return tuple(re.sub(r"\s+", " ", _NUMBER.sub("", part)) for part in parts if part)
