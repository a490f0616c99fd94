# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Clauses of a parse: which ask for something, and what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from karma_language.frames import Clause, Frames, Place
from karma_language.patterns import CAUSES
from karma_language.phrases import Names, Phrase
from karma_language.reading import Item, Reading, Relation, Request, Thing
from karma_language.syntax.parser import OBJECTS, SUBJECTS, Node, subject_of
from karma_language.syntax.parts import Built, Parts
from karma_language.verbs import Verb, verb_at
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.words import ADVERBS, STATES, base_form, each

_ASKING = frozenset(each("can could will would might"))
_OBLIGED = frozenset(each("should must ought shall have need"))
_WANTS = frozenset(each("want like need love prefer require"))
_HELPERS = frozenset(each("help try remember let proceed continue go come mind be wonder appreciate"))
_LIGHT = frozenset(each("give have take do"))


class Parsed(Parts):
    """A parse that is being read."""

    def __init__(self, doc: Any, lexicon: Lexicon, names: Names, is_word: Callable[[str], bool]) -> None:
        super().__init__(doc, lexicon, names, is_word)
        self._frames = Frames(lexicon)
        self.ordered = False
        """Whether something is passed on that somebody else wants of the robot."""

    def read(self) -> Reading:
        """Read all of it."""
        for sentence in self._doc.sents:
            self._clause(sentence.root)
        items: list[Item] = [*self._others]
        text = self._doc.text
        if self._goals:
            items.append(Request(quote=text, goals=tuple(self._goals)))
        return Reading(reader="rules", items=tuple(items), unread=self._unread())

    def _clause(self, verb: Node) -> None:
        for left in verb.lefts:
            if left.dep_ in ("ccomp", "parataxis", "dep") and subject_of(left) is not None:
                self._clause(left)
        for left in verb.lefts:
            marked = any(c.dep_ in ("mark", "advmod") for c in left.children)
            if left.dep_ == "advcl" and not marked and left.tag_ in ("VB", "VBP") and subject_of(left) is None:
                self._clause(left)  # "GET it cold, then toss it"
        before = len(self._others)
        self._classify(verb)
        told = len(self._others) > before
        for child in verb.children:
            own = child.dep_ in ("conj", "parataxis", "dep") and child.pos_ in ("VERB", "AUX", "NOUN", "PROPN", "ADJ")
            shared = told and child.dep_ == "conj" and subject_of(child) is None  # "I cut it AND PUT it there"
            either = any(c.lower_ in ("or", "nor") for c in child.head.children)  # which of both is not said
            if own and child.i > verb.i and child.i not in self._used and not shared and not either:
                self._clause(child)

    def _classify(self, verb: Node) -> None:
        subject = subject_of(verb)
        modal = next((c for c in verb.children if c.dep_ in ("aux", "auxpass") and c.tag_ == "MD"), None)
        negated = any(c.dep_ == "neg" for c in verb.children)
        wrapped = self._unwrapped(verb, subject, modal)
        if wrapped is not None:
            self._use(verb, *([subject] if subject is not None else []))
            self._clause(wrapped)
            return
        you = subject is not None and subject.lower_ in ("you", "u")
        me = subject is not None and subject.lower_ in ("i", "we")
        if subject is None and verb.tag_ == "VBZ":
            return  # "goes on the shelf": what goes there is not said
        wished = any(c.dep_ == "aux" and c.lower_ == "to" for c in verb.children)  # "she wants YOU TO CLOSE it"
        if subject is None or (you and (modal.lower_ in _ASKING | {"should", "must"} if modal is not None else wished)):
            if not negated:  # what is forbidden beside it is left unread
                self._request(verb)
            return
        wants = verb.lemma_ in _WANTS or (verb.lemma_ in ("have", "get", "see") and modal is not None)
        if me and wants and not negated and self._wanted(verb):
            return
        if subject is not None and not (you or me) and not negated and self._due(verb, subject, modal):
            return
        self._tell(verb)

    def _unwrapped(self, verb: Node, subject: Node | None, modal: Node | None) -> Node | None:
        """Return the verb of what is asked for where another leads to it: "would you mind CLOSING it"."""
        for child in verb.children:
            if child.dep_ not in ("xcomp", "ccomp", "advcl", "conj") or child.pos_ not in ("VERB", "AUX"):
                continue
            inner = subject_of(child)
            yours = inner is None or inner.lower_ in ("you", "me", "us")
            wishes = verb.lemma_ in _WANTS and inner is not None and inner.lower_ == "you"
            ordered = verb.lemma_ in ("ask", "tell") and any(
                c.dep_ in OBJECTS and c.lower_ == "you" for c in verb.children
            )
            wishes = (
                wishes or ordered or (verb.lemma_ == "say" and verb.tag_ == "VBZ")
            )  # "MUM SAYS the plate goes there"
            if child.dep_ in ("xcomp", "ccomp") and wishes:
                self.ordered = True
                return child
            good = [c for c in verb.children if c.dep_ == "acomp" and verb.lemma_ == "be"]
            if good and modal is None and subject is not None and subject.lower_ != "you":
                continue  # "it is nice to sit here": no wish
            self._use(*good)
            self.ordered |= bool(good)
            if child.dep_ in ("xcomp", "ccomp") and yours and verb.lemma_ in _HELPERS:
                if verb.lemma_ == "go" and child.dep_ == "xcomp" and self._has_place(verb):
                    continue
                return child
            bare = verb.lemma_ in ("go", "come") and child.dep_ in ("conj", "advcl") and not self._has_place(verb)
            if bare and subject is None:
                return child
        if verb.lemma_ == "be" and subject is not None and subject.lower_ == "you":
            for good in (c for c in verb.children if c.dep_ == "acomp"):  # "would you be so GOOD as to"
                inner = next((c for c in good.children if c.dep_ in ("xcomp", "advcl", "ccomp")), None)
                self._use(*((good,) if inner is not None else ()))
                return inner
        return None

    def _has_place(self, verb: Node) -> bool:
        return any(c.dep_ in ("prep", "advmod") and c.lower_ not in ADVERBS for c in verb.children)

    def _wanted(self, verb: Node) -> bool:
        """Read what somebody wants: a thing, one in a place, or one that something is done to."""
        theme = next((c for c in verb.children if c.dep_ in OBJECTS), None)
        if theme is None:
            inner = next((c for c in verb.children if c.dep_ in ("ccomp", "xcomp")), None)
            subject = subject_of(inner) if inner is not None else None
            if inner is None or subject is None or subject.lower_ in ("you", "i", "we"):
                return False
            self._use(verb)
            return self._due(inner, subject, None, wanted=True)
        self._use(verb, *(c for c in verb.children if c.dep_ in ("nsubj", "aux")))
        nodes = [*theme.children, *verb.children]
        done = next((c for c in nodes if c.dep_ in ("acl", "advcl", "ccomp", "xcomp") and c.tag_ == "VBN"), None)
        if done is not None:
            themes = self._nouns(theme, cut=done)
            self._passive(done, themes)
            return True
        themes = self._nouns(theme)
        clause = Clause(Verb("bring", "bring", "base", 1), verb.i, themes=themes, person="me", last="theme")
        built = Built(clause)
        for child in verb.children:
            if child != theme:
                self._part(built, child)
        places, clause.places = clause.places, []
        if places:
            clause.verb, clause.places, clause.person = Verb("put", "put", "base", 1), places, ""
        self._finish(built, verb)
        return True

    def _due(self, verb: Node, subject: Node, modal: Node | None, *, wanted: bool = False) -> bool:
        """Read what should be: "the cup should be washed", "the mug goes in the sink", "the lamp ought to be off"."""
        asked = modal is not None and modal.lower_ in _ASKING and modal.i < subject.i
        obliged = wanted or asked or (modal is not None and modal.lower_ in _OBLIGED)
        if verb.lemma_ in ("have", "need", "ought", "require", "want"):
            inner = next((c for c in verb.children if c.dep_ in ("xcomp", "ccomp")), None)
            if inner is not None:
                self._use(verb)
                return self._due(inner, subject, None, wanted=True)
            return False
        if subject.dep_ == "expl" or not (obliged or verb.lemma_ == "go"):
            return False
        if verb.tag_ in ("VBN", "VBG", "VBD") and verb.lemma_ != "be" and verb_at((verb.lemma_,), 0) is not None:
            self._passive(verb, self._nouns(subject))
            return True
        if verb.lemma_ in ("go", "be", "stand", "sit", "belong", "lie"):
            themes = self._nouns(subject)
            built = Built(Clause(Verb("put", "put", "base", 1), verb.i, themes=themes, last="theme"))
            self._use(verb)
            alone = [c for c in verb.children if c.dep_ in ("acomp", "advmod", "prt", "prep") and not list(c.children)]
            state = next((c for c in alone if STATES.get(base_form(c.lower_), "") in CAUSES), None)
            if state is not None:
                self._use(state)
                self._caused(built, STATES[base_form(state.lower_)])
            for child in verb.children:
                if child != state and child.dep_ not in SUBJECTS:
                    self._part(built, child)
            self._finish(built, verb)
            return True
        return False

    def _passive(self, verb: Node, themes: list[Phrase]) -> None:
        self._request(verb, themes)
        many = len(themes) > 1 or themes[0].thing.plural
        same = [Phrase(Thing(text="them" if many else "it", pronoun=True, plural=many), 0)]
        for child in verb.conjuncts:
            if child.i not in self._used and child.pos_ == "VERB":
                self._request(child, same)

    def _request(self, node: Node, themes: list[Phrase] | None = None) -> None:
        words = [node.lemma_.lower(), *(n.lower_ for n in self._doc[node.i + 1 : node.i + 6])]
        verb = verb_at(words, 0)
        if verb is None:
            verb = verb_at((node.lower_,), 0) or Verb(node.lemma_.lower(), "", "base", 1)
        if not verb.sense and node.pos_ not in ("VERB", "AUX") and themes is None:
            return  # no verb at all: left unread
        self._use(*self._doc[node.i : node.i + verb.length])
        clause = Clause(replace(verb, form="base"), node.i, themes=list(themes or []), last="theme")
        built = Built(clause)
        light = self._light(node, clause) if node.lemma_ in _LIGHT else None
        for child in node.children:
            if child != light and child.i not in self._used:
                self._part(built, child)
        if not clause.themes and (shared := self._shared(node)) is not None:
            clause.themes = shared
        self._finish(built, node)

    def _shared(self, node: Node) -> list[Phrase] | None:
        """Return the object that a verb shares with one that it is joined to: "WASH and dry the cup"."""
        for other in node.conjuncts:
            thing = next((c for c in other.children if c.dep_ in OBJECTS), None)
            if thing is None:
                continue
            if other.i > node.i:
                return self._nouns(thing)
            many = thing.tag_ in ("NNS", "NNPS") or bool(list(thing.conjuncts))
            return [Phrase(Thing(text="them" if many else "it", pronoun=True, plural=many), 0)]
        return None

    def _finish(self, built: Built, node: Node) -> None:
        clause = built.clause
        needs = clause.verb.sense in ("put", "bring", "take", "return") and not clause.places
        if needs and clause.themes and clause.themes[-1].thing.place is not None and clause.person == "":
            where = clause.themes[-1].thing.place  # "put the mug on the table", attached to the mug
            if where.relation is not Relation.AT:
                clause.places = [Place(where.relation, Phrase(where.thing, 0))]
                free = [one.thing.model_copy(update={"place": None}) for one in clause.themes]
                clause.themes = [replace(one, thing=thing) for one, thing in zip(clause.themes, free, strict=True)]
        quote = self._words_of(node)
        goals = self._frames.goals(clause, quote)
        if not goals:
            self._used.discard(node.i)  # what it asks for is not known
        if built.condition is not None:
            goals = [goal.model_copy(update={"condition": built.condition}) for goal in goals]
        self._goals += [*built.before, *goals, *built.after]

    def _words_of(self, node: Node) -> str:
        last = max((i for i in self._used if i <= node.right_edge.i), default=node.i)
        following = [c.i for c in node.children if c.dep_ == "conj"]
        last = min([last, *(i - 1 for i in following if i > node.i)])
        first = node.left_edge.i
        return str(self._doc[first : max(last, node.i) + 1].text).strip(" ,")
