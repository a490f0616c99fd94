# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How people word their questions: a list by kind, and what a wording asks for besides its kind."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from karma_language.vocabulary.words import base_form

KINDS = (
    "where", "which_room", "when_last", "at_time", "state", "which", "how_many", "contents", "exists", "changed",
    "did", "how_often", "how_long", "why", "who", "asked", "told", "cant_know",
)  # fmt: skip
_PARTS = {"why_not": "why", "who_told": "who", "who_asked": "who", "undone": "asked"}
"""Kind of the examples that questions are read by → the kind of questions that it is a part of."""
PLACEHOLDERS = ("object", "objects", "place", "state", "time")
_MOVING = "move put shift carry take touch bring fetch get grab use give pick relocate"
_SENSES = {
    **dict.fromkeys(_MOVING.split(), "move"),
    **dict.fromkeys(("bring", "fetch", "give"), "bring"),
    **dict.fromkeys(("clean", "wash", "rinse", "scrub"), "clean"),
    **dict.fromkeys(("tell", "say", "mention", "inform", "hear", "learn"), "tell"),
    **dict.fromkeys(("ask", "want", "order", "request", "need"), "ask"),
    **dict.fromkeys(("have", "hold"), "have"),
}
"""Verb → what it asks for, of kinds that are about deeds."""
_PREPOSITION = r"\b(on|in|inside|into|within|since|from|before|after|until)"
_DETERMINER = r"(?:(?:the|my|our|your|that|this) )*"
_ADVERBS = ("upstairs", "downstairs")
_ASIDE = re.compile(r"\b(?:tell|ask|say) (?:to )?(?:me|us)\b|\b(?:want|need|like) to know\b|\bsay (?=wh|how)")
"""What says no more than that something is asked."""
_CAUSED = re.compile(
    r"\b(?:had|made|sent|got) (?:you \w+|the \{object\} moved)|\btold you to\b|\bsaid you should\b|"
    r"\bwhose (?:orders?|request|idea)\b|\bwants? that\b",
    re.IGNORECASE,
)
"""Somebody had the robot do something."""
_FAILED = re.compile(
    r"\bn[o'’]?t succeed|\btrouble\b|\bg[ai]ve up\b|\bissue\b|\bproblem\b|\bin your way\b|\bhalfway\b|\bquit\b|"
    r"\bfail|\bwrong\b|\bwork\b|\bnot (?:do|bring|get|manage)|(?:did|could|was|were)n[’']?t (?:you|able)|"
    r"you (?:did|could|were)(?:n[’']?t| not)|\bhave(?:n[’']?t you| you not)\b|\b(?:did|could) you not\b|\bunable\b|"
    r"\b(?:stopped|kept|prevented) you\b|\bunsuccessful|\bpossible\b|\bwhy not\b|\bu no\b|\btoo much for you\b|"
    r"\bback with nothing\b|\{object\} behind\b|\bgiven up\b|\bwas(?:n[’']?t| not) the \{object\} ",
    re.IGNORECASE,
)
_LEAVE = re.compile(
    r"\bleave\b.*\b(?:where it was|alone)\b|\bwhy did you (?:move|\?)|\bwrong with where\b|\bwhy did you\?",
    re.IGNORECASE,
)
"""Of what was done, though it sounds as if it were not."""
_LEFT = re.compile(
    r"\bstill\b.*\bto do\b|\bforg[eo]t anything\b|\bdid you forget\b|\bfinished with\b|\bneeds doing\b|"
    r"\belse do you\b.*\bto do\b|\bbehind (?:on|with)\b|\bowe me any\b|\bmissing\b|\bnot completed\b|"
    r"\b(?:have|did) you do(?:ne)? (?:everything|all)\b|\beverything done\b|n[o'’]t get done\b|"
    r"\bleft\b|\bstill (?:to|got|have|open)|\bopen\b|\bundone\b|\bnot (?:yet )?(?:done|finished)|\bpending\b|\byet\b"
    r"|\bstill on your\b|(?:ha(?:ve|s)|is|are|w(?:as|ere)|did)n[’']?t (?:(?:yo)?u )?(?:yet |been )?(?:done|finish)"
    r"|(?:have|did)n[’']?t (?:yo?u )?(?:manage|do\b)|\boutstanding\b|\bto-?do\b|\bremain|\bunfinished\b",
    re.IGNORECASE,
)


class WordingFileError(ValueError):
    """A file of wordings is not what docs/evaluation.md describes. The message names the place."""


@dataclass(frozen=True)
class Wording:
    """A question with placeholders."""

    text: str

    @cached_property
    def needs(self) -> frozenset[str]:
        """Its placeholders."""
        return frozenset(re.findall(r"{(\w+)}", self.text))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its words, in lower case, without "tell me" and the like; placeholders with their braces."""
        said = _ASIDE.sub("", self.text.lower().replace("’", "'"))
        return tuple(re.findall(r"{\w+}|[a-z']+", said))

    def before(self, placeholder: str) -> str:
        """Return the preposition before a placeholder: "on" of "what is on the {place}?"; "" for none."""
        found = re.search(rf"{_PREPOSITION} {_DETERMINER}{{{placeholder}}}", self.text, re.IGNORECASE)
        said = found[1].lower() if found else ""
        return "in" if said in ("inside", "into", "within") else said

    @cached_property
    def sense(self) -> str:
        """What its last verb of deeds asks for: move, bring, clean, tell, ask, have; "" for none."""
        if _CAUSED.search(self.text):
            return "ask"
        senses = [_SENSES[base] for word in self.words if (base := base_form(word)) in _SENSES]
        acted = [one for one in senses if one != "have"]
        return next((one for one in acted if one in ("tell", "ask", "clean")), (acted or senses or [""])[0])

    @property
    def operates(self) -> bool:
        """Whether it asks for something that was switched, turned, opened or closed."""
        return re.search(r"\b(?:switch|turn|open|clos)(?:e|ed|ing)?\b", self.text, re.IGNORECASE) is not None

    @property
    def failed(self) -> bool:
        """Whether it asks why something was not done."""
        return _FAILED.search(self.text) is not None and _LEAVE.search(self.text) is None

    @property
    def left(self) -> bool:
        """Whether it asks for what is not done yet."""
        return _LEFT.search(self.text) is not None

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the question with its placeholders filled: before "upstairs" there is no preposition."""
        text = self.text
        if values.get("place") in _ADVERBS:
            text = re.sub(rf"{_PREPOSITION} {_DETERMINER}(?={{place}})", "", text, flags=re.IGNORECASE)
        return re.sub(r"{(\w+)}", lambda found: values[found[1]], text)


def own() -> dict[str, tuple[Wording, ...]]:
    """Return the wordings that come with KARMA."""
    examples, unknown = (
        json.loads(files("karma_eval.ask").joinpath(name).read_text(encoding="utf-8"))
        for name in ("sentence_examples.json", "wordings.json")
    )
    known: dict[str, list[str]] = {}
    for kind, said in examples.items():
        known.setdefault(_PARTS.get(kind, kind), []).extend(said)
    return {kind: tuple(map(Wording, said)) for kind, said in {**known, **unknown}.items() if kind in KINDS}


def load(file: Path | None) -> dict[str, tuple[Wording, ...]]:
    """Return the wordings of a file; KARMA's own for kinds that it lacks. WordingFileError for a bad file."""
    if file is None:
        return own()
    try:
        listed = TypeAdapter(dict[str, list[str]]).validate_python(json.loads(file.read_text("utf-8")), strict=True)
        return own() | {kind: tuple(_checked(one, kind) for one in _said(kind, said)) for kind, said in listed.items()}
    except (OSError, UnicodeDecodeError, WordingFileError) as error:
        raise WordingFileError(f"{file.name}: {error}") from error
    except (json.JSONDecodeError, ValidationError) as error:
        example = '{"where": ["where is the {object}?"]}'
        raise WordingFileError(f"{file.name}: expected JSON such as {example}: {error}") from error


def _said(kind: str, said: Sequence[str]) -> Sequence[str]:
    if kind not in KINDS:
        raise WordingFileError(f"there is no kind {kind!r}; there are {', '.join(KINDS)}")
    if not said:
        raise WordingFileError(f"{kind} has no wordings; leave the kind out to use KARMA's own")
    return said


def _checked(text: str, kind: str) -> Wording:
    wording = Wording(text)
    if not text.strip():
        raise WordingFileError(f"a wording of {kind} is empty")
    if unknown := wording.needs - {*PLACEHOLDERS}:
        known = ", ".join(f"{{{one}}}" for one in PLACEHOLDERS)
        raise WordingFileError(f"{text!r} has {{{min(unknown)}}}; there are {known}")
    if {"{", "}"} & {*re.sub(r"{\w+}", "", text)}:
        raise WordingFileError(f"{text!r} has a brace without its partner")
    return wording
