# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Statements that want something done or answered: "the pen should be on the desk", "I should like the candle"."""

from __future__ import annotations

import re

from karma_language.syntax.parser import NO, Node, object_of, parse, subject_of
from karma_language.verbs import VERBS
from karma_language.vocabulary import household
from karma_language.words import LIE, PEOPLE, PERSONS, STATES, base_form, each

_LASTING = re.compile(
    r"\b(?:always|never|ever|every\w*|each|usually|(?:mon|tues|wednes|thurs|fri|satur|sun)days|only|rule|until|till"
    r"|when(?:ever)?|remember|from now on|tomorrow|next)\b",
    re.IGNORECASE,
)
"""What holds for more than the moment."""
_POINTED = frozenset(each("it that this them those these one"))
_STAYING = frozenset(("leave", "keep"))
_PLEASE = re.compile(r"\bplease\b", re.IGNORECASE)
_DUE = frozenset(each("should must ought need needs has have had would 'd supposed could wants"))
_WISHES = frozenset(each("like love prefer want fancy rather have"))
_CLAUSES = frozenset(each("advcl ccomp relcl pcomp csubj acl xcomp"))
_BESIDE = frozenset(each("nsubj nsubjpass dobj prep advmod acomp attr oprd compound conj"))
"""What belongs to a verb, clauses left out."""
_ALONE = frozenset(each("ROOT conj ccomp parataxis dep"))


def demands(text: str) -> bool:
    """Whether a statement wants something of the moment: it asks, tells the robot what to do, or says what is due."""
    return any(_asks(node) or (not _LASTING.search(text) and _wants(node)) for node in parse(text) or ())


def states(text: str) -> bool:
    """Whether words say how things are, and want nothing: a verb in the present or the past has a subject."""
    doc = parse(text) or ()
    told = any(
        node.tag_ in ("VBZ", "VBP", "VBD", "MD") and node.dep_ in {*_ALONE, "aux", "auxpass"} and _has_subject(node)
        for node in doc
    )
    return told and not any(map(_bare, doc)) and not demands(text)


def _bare(node: Node) -> bool:
    """Whether a verb is an imperative, or stands without its subject."""
    alone = node.dep_ in _ALONE or (node.i == 0 and node.dep_ == "advcl")
    helped = subject_of(node) is not None or any(c.dep_ in ("aux", "auxpass") for c in node.children)
    return node.tag_ in ("VB", "VBP") and alone and not helped


def _has_subject(node: Node) -> bool:
    verb = node if node.dep_ in _ALONE else node.head
    subject = subject_of(verb) if verb.dep_ in _ALONE else None
    return subject is not None and subject.i < node.i


def _asks(node: Node) -> bool:
    """Whether a word asks in a main clause: "where'd it stand", "that's how many in the box", "how about …"."""
    if node.tag_ not in ("WRB", "WP", "WDT"):
        return False
    if any(one.dep_ in _CLAUSES for one in (node, *node.ancestors)):
        return False
    subject = subject_of(node.head)
    inverted = any(c.dep_ == "aux" and subject is not None and node.i < c.i < subject.i for c in node.head.children)
    return inverted or (node.lower_ == "how" and node.head.lower_ in ("about", "many", "much"))


def _wants(node: Node) -> bool:
    """Whether a verb says what is to be done, or where something of the home is due."""
    denied = any(c.dep_ == "neg" or c.lower_ in NO for c in node.children)
    if denied or node.pos_ not in ("VERB", "AUX"):
        return False
    governed = node.dep_ == "xcomp" and subject_of(node) is None
    subject, lemma = subject_of(node.head if governed else node), node.lemma_
    modals = {c.lower_ for c in node.children if c.dep_ == "aux"} | ({node.head.lower_} if governed else set())
    pointed = any(c.lower_ in _POINTED for one in (node, *node.children) for c in one.children)
    if subject is None:
        return _bare(node) and lemma in {*VERBS} - _STAYING and (_of_home(node) or pointed)
    who = subject.lower_
    if who in ("you", "somebody", "someone"):
        asked = modals & {"would", "could", "will", "can", "might", "should", "ought"} or _PLEASE.search(node.doc.text)
        return bool(asked) and _of_home(node)
    if who in ("i", "we"):
        return (bool(modals & {"would", "should", "'d"}) and lemma in _WISHES and _of_home(node)) or (
            lemma in ("need", "want") and pointed and any(c.dep_ == "ccomp" for c in node.rights)
        )
    if who in PERSONS | PEOPLE | {"they"} or subject.pos_ == "PROPN":
        return False
    going = lemma == "go" and any(c.dep_ in _BESIDE and _of_home(c) for c in node.children)
    return going or (bool({*modals, node.lower_} & _DUE) and _due(node) and (_of_home(node) or _of_home(subject)))


def _due(node: Node) -> bool:
    """Whether a place or a state is named with a verb of being: "be in the fridge", "be washed", "wants a wash"."""
    placed = any(c.dep_ == "prep" and object_of(c) is not None for c in node.children)
    state = any(base_form(c.lower_) in STATES for c in (node, *node.children))
    better = any(c.dep_ == "acomp" for c in node.children) and any(map(_of_home, node.subtree))
    return state or better or (placed and base_form(node.lower_) in {"be", *LIE})


def _of_home(node: Node) -> bool:
    """Whether a word, or what belongs to it, names something that may be in a home."""
    nouns, beside = household().nouns, [c for c in node.children if c.dep_ in _BESIDE or node.pos_ != "VERB"]
    named = node.pos_ != "VERB" and ((node.lower_,) in nouns or (node.lemma_.lower(),) in nouns)
    return named or any(map(_of_home, beside))
