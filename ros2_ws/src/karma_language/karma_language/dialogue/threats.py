# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether somebody says that they mean to hurt somebody: then the robot brings them nothing."""

from __future__ import annotations

from karma_language.parser import NO, OBJECTS, Node, parse, subject_of
from karma_language.vocabulary.words import PEOPLE, PERSONS, each

_HARMING = frozenset(
    each("hit hurt harm kill stab punch attack injure poison strangle choke slap wound murder whack bash")
)
_WANTING = frozenset(each("want go need like love plan intend wish try"))
_SOMEBODY = PEOPLE | PERSONS | frozenset(each("him her them us myself himself herself themselves baby guest cat dog"))


def harms_somebody(text: str) -> bool:
    """Whether the speaker says that they mean to hurt somebody: "so I can hit my brother", not "it will hit me"."""
    return any(node.tag_ == "VB" and node.lemma_ in _HARMING and _is_meant(node) for node in parse(text) or ())


def _is_meant(verb: Node) -> bool:
    """Whether the speaker means to do this to somebody."""
    said = (child.lower_ for one in (verb, verb.head) for child in one.children)
    if verb.dep_ == "ROOT" and subject_of(verb) is None:
        return False  # "kill the TV"
    if verb.dep_ == "xcomp" and verb.head.lemma_ not in _WANTING:
        return False  # "I'd hate to hurt the cat"
    doer = verb
    while subject_of(doer) is None and doer.dep_ in ("xcomp", "conj", "ccomp"):
        doer = doer.head
    subject = subject_of(doer)
    return (
        NO.isdisjoint(said)
        and (subject is None or subject.lower_ in ("i", "we"))
        and any(child.dep_ in OBJECTS and _is_somebody(child) for child in verb.children)
    )


def _is_somebody(node: Node) -> bool:
    named = node.pos_ == "PROPN" and all(child.dep_ != "det" for child in node.children)
    return named or not _SOMEBODY.isdisjoint((node.lower_, node.lemma_.lower()))
