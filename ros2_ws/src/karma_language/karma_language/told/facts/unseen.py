# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The parse of a sentence in which small parsers miss names and verbs: it is parsed again in words that they know."""

from __future__ import annotations

import re
from collections.abc import Sequence

from karma_language.syntax.parser import Node, parse
from karma_language.told.facts.english import is_adverb, is_particle, is_verb, lemma
from karma_language.told.facts.predicates import ASKING, INVERTED, WH, chain_of
from karma_language.told.facts.relations import is_event
from karma_language.told.facts.times import NOW_SAID

NAME = "Anna"
"""Stands for names that the parser does not know."""
APOSTROPHES = frozenset(("'s", "'", "’s", "’"))


_WHO = r"(?:[A-Z][\w']+|(?:my|our|his|her|their) \w+|I|we|he|she|they)"
_OWNED = re.compile(
    r"(?:(?<=name of )([Tt]he [a-z]+) (?=[A-Z])|"
    rf"\b([Tt]he [a-z]+) (?={_WHO} (?:now )?(?!and|or|but)[a-z]+ (?:[a-z]+ )?(?:is|are)\b))"
)
""""The firm Anna works for": the parser needs a "that"."""


_LIKE = re.compile(r"\blike(?= (?:the )?(?:best|most)\b)")
""""Like" is a preposition to the parser there."""
_MY_NAME = re.compile(r"\b([Mm]y name) (?=[A-Z])")
_MISTAKEN = frozenset(("NOUN", "PROPN", "ADJ", "VERB", "ADP", "SCONJ"))
"""What verbs are taken for."""


def parsed(text: str) -> tuple[list[Node], dict[int, str]]:
    """Return the tokens of a text, and which of them stand for another name than they are."""
    text = _MY_NAME.sub(r"\1 is ", _LIKE.sub("love", text))
    text, names = _with_plain_names(_OWNED.sub(lambda noun: f"{noun[1] or noun[2]} that ", text))
    if (first := parse(text)) and first[0].tag_ == "VB" and first[0].dep_ == "compound":
        text = f"please {text[0].lower()}{text[1:]}"  # behind it the parser takes an order for one
    nodes: list[Node] = list(parse(text) or ())
    if (place := _unseen_verb(nodes, asks=text.rstrip().endswith("?"))) is not None:
        nodes = list(parse(f"{text[:place]}also {text[place:]}") or ())
    return nodes, dict(zip((node.i for node in nodes if node.text == NAME), names, strict=False))


def _with_plain_names(text: str) -> tuple[str, list[str]]:
    """Return a text with a common name in place of names that the parser takes for other words, and the names said."""
    nodes = list(parse(text) or ())
    unseen = {node.i for node in nodes if _is_unseen_name(node)}
    if not unseen:
        return text, [NAME for node in nodes if node.text == NAME]
    plain = "".join((NAME if node.i in unseen else node.text) + node.whitespace_ for node in nodes)
    return plain, [node.text for node in nodes if node.i in unseen or node.text == NAME]


def _is_unseen_name(node: Node) -> bool:
    """Whether a word is written like a name, and was taken for something else."""
    if node.pos_ == "PROPN" or not node.text.istitle() or not node.is_alpha or len(node) < 3 or node.lower_ == NOW_SAID:
        return False
    if node.i > 0 and node.nbor(-1).text not in '.!?:;"“,':
        return True
    if (
        node.pos_ not in ("ADJ", "ADV", "INTJ", "VERB", "NOUN")
        or node.i + 1 == len(node.doc)
        or node.nbor(1).text in APOSTROPHES
    ):
        return False
    after, low = node.nbor(1), str(node.lower_)
    follows = after.lemma_ in ("be", "have") or (is_verb(after.lower_) and after.lower_.endswith("s"))
    return follows and not (is_adverb(low) or is_particle(low) or is_verb(low) or low in ("here", "there"))


def _unseen_verb(nodes: Sequence[Node], *, asks: bool) -> int | None:
    """Return where a word begins that is the verb, though the parser took it for a noun: "my cousin studies law".

    Behind an adverb the parser takes it for a verb.
    """
    seen = [node for node in nodes if chain_of(node) is not None]
    if any(node.pos_ == "VERB" and node.lemma_ not in ASKING | {"do"} for node in seen) or (seen and not asks):
        return None
    helpers = [node for node in nodes if node.lemma_ in INVERTED and node.lower_ != "being"]
    for node in reversed(nodes[1:]):
        before, low = node.nbor(-1), str(node.lower_)
        named = before.pos_ in ("NOUN", "PROPN", "PRON") or before.dep_ == "compound"
        if node.pos_ not in _MISTAKEN or not named or not is_verb(low):
            continue
        if before.dep_ == "poss" or before.tag_ in WH or (before.pos_ == "PRON" and seen):
            continue
        inflected = lemma(low) != low
        if is_event(low) and (inflected or not helpers):
            continue
        inverted = asks and helpers and helpers[0].i < node.i - 1 and inflected == (helpers[0].lemma_ in ("be", "have"))
        asked_of = asks and inflected and any(other.tag_ in WH and other.i < node.i for other in nodes[1:])
        if inverted or asked_of or (inflected and not seen and not helpers):
            return int(node.idx)
    return None
