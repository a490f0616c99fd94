# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Noun phrases of a parse: where they begin and end the parser says, what they mean the vocabulary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from karma_language.clauses import FILLERS
from karma_language.phrases import PLACES, Names, Phrase, Phrases
from karma_language.reading import Relation, Thing, Where
from karma_language.syntax.parser import AWAY, NO, OBJECTS, SUBJECTS, Node, object_of
from karma_language.tokens import tokens_of
from karma_language.utterance import known_words
from karma_language.verbs import verb_at
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.words import ADVERBS, GENERIC, each

_EXCEPT = NO | frozenset(each("only but except other apart besides"))
_EMPTY = frozenset(each("DET AUX PUNCT CCONJ SCONJ PART INTJ SPACE SYM"))
_CUT = frozenset(each("relcl acl prep appos conj cc punct advcl advmod dep ccomp"))


class Nouns:
    """Reads the noun phrases of a parse, and notes which words have a part in what was read."""

    def __init__(self, doc: Any, lexicon: Lexicon, names: Names, is_word: Callable[[str], bool]) -> None:
        self._doc = doc
        self._lexicon = lexicon
        self._names = names
        self._is_word = is_word
        self._used: set[int] = set()

    def _unread(self) -> tuple[str, ...]:
        found: list[str] = []
        last = -2
        for node in self._doc:
            word = node.lower_
            empty = node.pos_ in _EMPTY or word in FILLERS | ADVERBS or word in ("you", "i", "we", "please")
            english = not word.isalpha() or node.is_title or word in self._lexicon.words or self._is_word(word)
            english = english or word in known_words() or word in self._names or verb_at((word,), 0) is not None
            if (node.i in self._used and english) or (empty and word not in NO | {"except", "if", "unless"}):
                continue
            if node.i == last + 1:
                found[-1] += f" {word}"
            else:
                found.append(word)
            last = node.i
        return tuple(found)

    def _use(self, *nodes: Node) -> None:
        self._used.update(node.i for node in nodes)

    def _said(self, node: Node) -> str:
        """Return the words of a subtree."""
        span = self._doc[node.left_edge.i : node.right_edge.i + 1]
        return str(span.text)

    def _where(self, node: Node) -> tuple[Relation, Node] | None:
        """Return the relation and the noun of a preposition of place, of several words, too."""
        inner = object_of(node)
        if inner is None:
            return None
        for of in (c for c in inner.children if c.dep_ == "prep" and c.lower_ in ("of", "to")):
            words = " ".join(n.lower_ for n in self._doc[node.i : of.i + 1])
            relation = PLACES.get(words) or PLACES.get(words.replace(" the ", " "))
            noun = object_of(of)
            if relation is not None and noun is not None:
                self._use(node, *self._doc[node.i : of.i + 1])
                return relation, noun
        before = self._doc[node.i - 1].lower_ if node.i else ""
        pair = f"{before} {node.lower_}"
        relation = PLACES.get(pair) if before in ("next", "close", "right", "in", "on", "adjacent") else None
        if relation is not None:
            self._use(self._doc[node.i - 1])
        relation = (
            relation
            or PLACES.get(node.lower_)
            or (Relation.AT if node.lower_ in ("to", "towards", "toward", "at") else None)
        )
        if relation is None:
            return None
        if relation is Relation.ABOVE and node.lower_ == "over":
            relation = Relation.ON
        self._use(node)
        return relation, inner

    def _nouns(self, node: Node, cut: Node | None = None) -> list[Phrase]:
        """Return the things of a noun phrase and of what it is joined to."""
        found = [self._noun(node, cut)]
        for other in node.conjuncts:
            joined = other.i > node.i and other.head.i >= node.i and other.pos_ in ("NOUN", "PROPN", "PRON", "NUM")
            if joined and not any(c.lower_ in ("or", "nor") for c in other.head.children):
                found.append(self._noun(other, cut))
        return found

    def _noun(self, node: Node, cut: Node | None = None) -> Phrase:
        core = [n for c in node.children if c.i < node.i and c.dep_ not in _CUT for n in c.subtree]
        core = sorted([*core, node], key=lambda n: n.i)
        text = " ".join(n.text for n in core)
        of = next((c for c in node.children if c.dep_ == "prep" and c.lower_ == "of"), None)
        if of is not None and (inner := object_of(of)) is not None:
            whole = [n for n in inner.subtree if n.i <= inner.i]
            core += [of, *whole]
            text += " of " + " ".join(n.text for n in whole)
        thing, contents = self._thing(text), list[Thing]()
        if thing is None or NO & {n.lower_ for n in core}:
            return Phrase(Thing(text=text.lower()), 0)  # "the sink blorp" is no sink: its words stay unread
        self._use(*core)
        loose = not thing.categories and not thing.room and not thing.pronoun
        generic = self._lexicon.nouns.get(tuple(node.lower_.split()))
        loose = loose or node.lower_ in GENERIC or (generic is not None and generic.generic)
        children = [c for c in node.children if c != of and c != cut and c.i > node.i]
        if of is not None and (inner := object_of(of)) is not None:
            children += [c for c in inner.children if c.i > inner.i and c != cut]
        for child in children:
            thing = self._modified(thing, child, contents, loose=loose)
        return Phrase(thing, 0, tuple(contents))

    def _modified(self, thing: Thing, node: Node, contents: list[Thing], *, loose: bool) -> Thing:
        """Return a thing with what follows its noun."""
        if node.dep_ == "prep" and node.lower_ == "with" and (inner := object_of(node)) is not None:
            inside = next((c for c in inner.children if c.dep_ == "prep" and (o := object_of(c)) is not None and (
                o.lower_ in ("it", "them"))), None)  # fmt: skip
            self._use(node)
            if inside is not None:
                self._use(*inside.subtree)
                contents += [one.thing for one in self._nouns(inner, cut=inside)]
                return thing
            return self._extended(thing, node, loose=loose)
        if node.dep_ == "prep" and node.lower_ == "for" and not loose:
            return thing
        if node.dep_ == "prep" and not loose and thing.place is None:
            source = node.lower_ in AWAY
            where = (Relation.AT, object_of(node)) if source else self._where(node)
            if where is not None and where[1] is not None:
                self._use(node)
                place = Where(relation=where[0], thing=self._nouns(where[1])[0].thing)
                plain = place.thing.room and not place.thing.categories and not thing.room
                able = [{one for one in ("hold", "pickup") if self._lexicon.can(c, one)} for c in thing.categories]
                if plain and {"hold"} in able:
                    return thing.model_copy(update={"room": place.thing.room})
                return thing.model_copy(update={"place": place})
            return thing
        if node.dep_ in ("relcl", "acl"):
            return self._relative(thing, node, contents, loose=loose)
        if node.dep_ == "appos" and (one := [c for c in node.children if c.dep_ == "amod"]):
            self._use(*node.subtree)
            told = (*thing.attributes, *(c.lower_ for c in one))
            return thing.model_copy(update={"attributes": told})
        if node.dep_ == "amod":
            self._use(node)
            return thing.model_copy(update={"attributes": (*thing.attributes, node.lower_),
                                            "text": f"{thing.text} {node.lower_}"})  # fmt: skip
        if loose and node.dep_ in ("prep", "acl"):
            return self._extended(thing, node, loose=loose)
        return thing

    def _relative(self, thing: Thing, node: Node, contents: list[Thing], *, loose: bool) -> Thing:
        where = next((c for c in node.children if c.dep_ == "prep" and c.lower_ in PLACES), None)
        lies = node.lemma_ in ("be", "lie", "sit", "stand", "rest", "hang", "place", "locate", "put", "leave", "keep")
        if where is not None and lies and thing.place is None and (found := self._where(where)) is not None:
            self._use(*(n for n in node.subtree if n.i < where.i))
            place = Where(relation=found[0], thing=self._nouns(found[1])[0].thing)
            return thing.model_copy(update={"place": place})
        has = next((c for c in node.children if c.dep_ in OBJECTS), None) if node.lemma_ == "have" else None
        parts = [c for n in (node, *([has] if has is not None else [])) for c in n.children if c.dep_ == "prep"]
        inside = next((c for c in parts if (o := object_of(c)) is not None and o.lower_ in ("it", "them")), None)
        if has is not None and inside is not None:
            self._use(node, *inside.subtree, *(c for c in node.children if c.dep_ in SUBJECTS))
            contents += [one.thing for one in self._nouns(has, cut=inside)]
            return thing
        state = next((c for c in node.children if c.dep_ in ("acomp", "prep", "advmod", "prt")), None)
        if node.lemma_ == "be" and state is not None and not list(state.children):
            self._use(*node.subtree)
            return thing.model_copy(update={"attributes": (*thing.attributes, state.lower_)})
        return self._extended(thing, node, loose=loose)

    def _extended(self, thing: Thing, node: Node, *, loose: bool) -> Thing:
        """Return a thing that is told by more words than a field has: a description."""
        if {n.lower_ for n in node.subtree} & _EXCEPT:
            return thing
        self._use(*node.subtree)
        more: dict[str, object] = {"text": f"{thing.text} {self._said(node)}"}
        if loose:
            more |= {"categories": (), "loosely": ()}
        return thing.model_copy(update=more)

    def _thing(self, text: str) -> Thing | None:
        tokens = tokens_of(text)
        found = Phrases(tokens, self._lexicon, self._names, self._is_word).read(0, bare=True)
        return found.thing if found is not None and found.end == len(tokens) else None
