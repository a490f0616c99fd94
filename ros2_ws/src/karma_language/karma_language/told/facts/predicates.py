# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which words of a parse are predicates, and what belongs to them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from karma_language.syntax.parser import SUBJECTS, Node, object_of, subject_of
from karma_language.told.facts.english import is_adverb, is_particle, is_verb, lemma, word_set
from karma_language.told.facts.relations import is_event, verb_phrases

WH = frozenset(("WP", "WDT", "WRB", "WP$"))
"""Tags of question words and relative pronouns."""
INVERTED = frozenset(("do", "have", "be", "will", "would", "can", "could", "must", "should", "shall", "may"))
"""What stands before the subject of a question."""
ASKING = word_set("asking")
_CATENATIVES = word_set("catenatives")
_SAYING = word_set("saying")
CONDITIONS = frozenset(("if", "unless", "whether", "when", "whenever"))
MOMENTS = frozenset(("once", "while", "until", "till", "before", "after"))
"""What leads a clause that says when, and not what is so."""
_HAVE = frozenset(("have", "has", "'ve", "'s", "had"))
REMINDS = frozenset(("remind", "let"))
_NO_PREDICATES = frozenset(("aux", "auxpass", "amod", "compound", "acomp", "acl", "nsubj", "dobj", "attr", "oprd"))


@cache
def relation_verbs() -> frozenset[str]:
    """Return the verbs that name a relation."""
    return frozenset(word for phrase in verb_phrases() for word in phrase.split()[:1])


def chain_of(node: Node) -> list[Node] | None:
    """Return a predicate with the verbs that it leads to ("has stopped playing"), None for any other word."""
    told = node.pos_ in ("VERB", "AUX") or (subject_of(node) is not None and is_verb(node.lower_))
    if not told or node.dep_ in _NO_PREDICATES or is_purpose(node):
        return None
    if node.dep_ in ("xcomp", "pcomp") and node.head.pos_ in ("VERB", "AUX", "ADJ"):
        return None
    if _is_inverted(node) or _only_helps(node):
        return None
    if node.dep_ == "conj" and any(c.lower_ == "of" and c.dep_ == "cc" for c in node.head.children):
        return None
    chain = [node]
    while True:
        link = chain[-1]
        following = next(
            (c for c in (*link.children, *(c for n in link.children for c in n.children)) if _leads(link, c)), None
        )
        if following is None:
            return chain
        chain.append(following)


def _leads(verb: Node, node: Node) -> bool:
    """Whether a verb is only the way to another: "stopped playing", "what is she called"."""
    if node.pos_ not in ("VERB", "AUX") or node.i < verb.i:
        return False
    if verb.lemma_ == "be":
        return _is_inverted(node)
    if verb.lemma_ in REMINDS:
        return node.dep_ in ("xcomp", "ccomp") and not any(c.tag_ in WH for c in node.children)
    return verb.lemma_ in _CATENATIVES | {"give"} and node.dep_ in ("xcomp", "ccomp") and subject_of(node) is None


def _is_inverted(node: Node) -> bool:
    """Whether "is" before it is its auxiliary: "which degree is she doing?"."""
    if (
        node.tag_ not in ("VBG", "VBN")
        or is_event(node.lower_)
        or any(c.dep_ in ("aux", "auxpass", "mark") for c in node.children)
    ):
        return False
    if node.dep_ == "ccomp" or (node.dep_ == "csubj" and subject_of(node) is not None):
        return bool(node.head.lemma_ == "be")
    asks = node.doc[-1].text == "?" and node.doc[0].tag_ in WH
    return asks and node.dep_ == "acl" and node.head.dep_ in ("attr", "nsubj") and node.head.head.lemma_ == "be"


def _only_helps(node: Node) -> bool:
    """Whether a verb of a question is the auxiliary of a later one: "what has she got?"."""
    if node.lemma_ not in ("do", "have") or node.doc[-1].text != "?":
        return False
    later = [
        verb for verb in node.doc[node.i + 1 :] if is_verb(verb.lower_) and verb.dep_ not in ("relcl", "advcl", "xcomp")
    ]
    if node.lemma_ == "do" and any(lemma(verb.lower_) == verb.lower_ or subject_of(verb) is not None for verb in later):
        return True
    return any(node.i < c.i < verb.i for verb in later for c in verb.children if c.dep_ in SUBJECTS)


def misplaced_subject(chain: Sequence[Node]) -> Node | None:
    """Return the noun before a predicate that the parser took for one more of the nouns before."""
    head = chain[0]
    if head.dep_ != "ccomp" or head.i == 0 or any(subject_of(link) is not None for link in chain):
        return None
    before = head.nbor(-1)
    return before if before.dep_ == "conj" and before.pos_ in ("NOUN", "PROPN") else None


def is_condition(node: Node) -> bool:
    """Whether a clause says when another one holds: what is so under a condition is no fact."""
    lead = {c.lower_ for c in node.children if c.dep_ in ("mark", "advmod")}
    return node.dep_ == "advcl" and bool(lead & CONDITIONS)


def is_purpose(node: Node) -> bool:
    """Whether a verb says what for: "go to see", "time to sleep"."""
    return node.dep_ in ("advcl", "relcl") and any(c.lower_ == "to" and c.dep_ == "aux" for c in node.children)


def introduces(verb: Node) -> bool:
    """Whether a verb only introduces what is said: "remember that", "I heard that", "it turns out that"."""
    who = subject_of(verb)
    denied = any(child.dep_ == "neg" for child in verb.children)
    return (who is None or who.lower_ in ("you", "i", "we", "it")) and verb.lemma_ in _SAYING and not denied


def is_particle_of(node: Node, verb: Node) -> bool:
    """Whether a word belongs to a verb: "give up", "run out of"."""
    if node.dep_ == "prt":
        return True
    if node.i + 1 == len(node.doc) or node.nbor(1).dep_ == "punct":
        return False
    alone = node.dep_ in ("prep", "advmod") and object_of(node) is None
    return alone and node.i == verb.i + 1 and is_particle(node.lower_) and verb.lemma_ != "be"


def only_does(verb: Node) -> bool:
    """Whether "does" stands before what the parser takes for a verb: "she does squash"."""
    return any(c.dep_ == "aux" and c.lower_ in ("do", "does") for c in verb.children)


def base_of(verb: Node) -> str:
    """Return the base form of a verb; "have" of "has got"."""
    if verb.lower_ == "born":
        return "born"
    if verb.lower_ == "got" and (
        verb.doc[-1].text == "?" or any(c.dep_ == "aux" and c.lower_ in _HAVE for c in verb.children)
    ):
        return "have"
    if verb.lower_ in ("m", "'m"):
        return "be"
    return str(verb.lemma_).lower() if verb.pos_ in ("VERB", "AUX") else lemma(str(verb.lower_))


def says_nothing(node: Node, verb: Node) -> bool:
    """Whether a word adds nothing to what is so: "now", "really", "any more"."""
    if node.pos_ == "INTJ" or node.lower_ in ("now", "please", "again", "anymore", "nowadays", "currently", "too"):
        return bool(node.dep_ != "pobj")
    if node.lower_ == "instead":
        return bool(node.i + 1 == len(node.doc) or node.nbor(1).lower_ != "of")
    if node.lower_ in ("any", "no", "more", "longer") and {"more", "longer"} & {node.lower_, node.head.lower_}:
        near = node.i < verb.i + 3 or node.lower_ not in ("no", "longer")
        return near and node.dep_ in ("advmod", "neg", "det", "npadvmod")
    if (node.dep_ == "advmod" and node.head.dep_ == "acomp") or node.tag_ == "RBR":
        return True
    if node.dep_ != "advmod" or (node.head.pos_ not in ("VERB", "AUX") and node.head.i != verb.i):
        return False
    low = str(node.lower_)
    return is_adverb(low) or low.endswith("ly") or low in ("best", "most")
