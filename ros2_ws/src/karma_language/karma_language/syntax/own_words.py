# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A question that names who asks it, in their own words: June asks "what am I allergic to?" by "what is June ...?"."""

from __future__ import annotations

from karma_language.parser import OBJECTS, Node, parse
from karma_language.vocabulary.words import MONTHS, each

_AGREES = {"is": "am", "'s": " am", "does": "do", "has": "have"}
_HE_OR_SHE = frozenset(each("he she him her his"))


def in_own_words(question: str, asker: str) -> str:
    """Return a question with "I", "me" and "my" for who asks it, where it names them; any other as it is.

    "He" and "she" are they, too, where the question names nobody else.
    """
    name = asker.casefold().split()
    doc = parse(question) if name and asker.casefold() in question.casefold() else None
    if doc is None:
        return question
    said, last = [node.lower_ for node in doc], len(name) - 1
    named = [doc[i] for i in range(last, len(doc)) if said[i - last : i + 1] == name and _is_of_asker(doc[i], name)]
    if not named:
        return question
    alone = not any(node.pos_ == "PROPN" and node.lower_ not in name for node in doc)
    pronouns = [node for node in doc if alone and node.lower_ in _HE_OR_SHE]
    words = [node.text_with_ws for node in doc]
    for node in (*named, *pronouns):
        first = node.i - last if node in named else node.i
        words[first : node.i] = [""] * (node.i - first)
        _say_i(node, words)
    own = "".join(words)
    return own[:1].upper() + own[1:] if question[:1].isupper() else own


def _is_of_asker(node: Node, name: list[str]) -> bool:
    """Whether a word is the name of the asker: not "rose" for Rose, nor "Uncle Tom" or "Tom Baker" for Tom."""
    around = (node.i - len(name), node.i + 1)
    other = any(0 < i < len(node.doc) and node.doc[i].text[0].isupper() for i in around)
    month = node.lower_ in MONTHS and node.dep_ == "pobj"  # "in June"
    known = node.pos_ == "PROPN" or len(name) > 1  # "Will you …" asks nothing of Will
    return known and node.text[:1].isupper() and not (other or month)


def _say_i(node: Node, words: list[str]) -> None:
    """Say "I", "me" or "my" for a word, and its verb in the form that agrees."""
    space = node.whitespace_
    if node.dep_ == "poss":
        mark = next((c for c in node.children if c.dep_ == "case"), node)
        words[node.i : mark.i + 1] = [f"my{mark.whitespace_}", *[""] * (mark.i - node.i)]
        return
    who_is = node.dep_ == "attr" and node.i > node.head.i  # "who is June?"
    if node.dep_ in OBJECTS | {"pobj", "dative"} and not who_is:
        words[node.i] = f"me{space}"
        return
    verbs = [node.head, *(c for c in node.head.children if c.dep_.startswith("aux"))]
    words[node.i] = f"I{space}"
    for verb in (*verbs, *(one.head for one in verbs if node.head.pos_ == "ADJ")):
        if verb.tag_ == "VBZ":
            words[verb.i] = f"{_AGREES.get(verb.lower_) or verb.lemma_}{verb.whitespace_}"
