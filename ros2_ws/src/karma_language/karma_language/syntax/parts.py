# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What depends on a verb in a parse, as the parts of a clause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from karma_language.clauses import FILLERS
from karma_language.frames import Clause, Place
from karma_language.patterns import CAUSES
from karma_language.phrases import Names, Phrase
from karma_language.reading import Condition, Deed, Goal, Item, Relation, Span, Thing, Told, Where
from karma_language.syntax.nouns import Nouns
from karma_language.syntax.parser import AWAY, NO, OBJECTS, Node, object_of, subject_of
from karma_language.time_expressions import NUMBERS
from karma_language.verbs import Verb, verb_at
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.words import ADVERBS, STATES, base_form, each

_PARTICLES = frozenset(each("on off up away out down over back in open shut closed"))
_MOVING = frozenset(each("into onto to"))
_PERSONS = frozenset(each("me us"))
_TIMES = frozenset(
    each("morning evening afternoon night noon midnight breakfast lunch dinner supper bed work school o'clock today")
    + each("tonight tomorrow later monday tuesday wednesday thursday friday saturday sunday")
)
_UNITS = {"second": 1.0, "minute": 60.0, "hour": 3600.0}
_TOOLS = frozenset(each("clean slice fill heat break open pour cool"))
_REMARKS = frozenset(each("because since as so although though while that even whereas unlike now"))
_LATER = frozenset(each("when whenever once until till before after"))
_EMPTY = frozenset(each("DET AUX PUNCT CCONJ SCONJ PART INTJ SPACE SYM"))


@dataclass
class Built:
    """A clause in the making, and what else belongs to it."""

    clause: Clause
    before: list[Goal] = field(default_factory=list)
    after: list[Goal] = field(default_factory=list)
    condition: Condition | None = None


class Parts(Nouns):
    """Reads what depends on a verb: objects, particles, places, tools, times, conditions, reasons."""

    def __init__(self, doc: Any, lexicon: Lexicon, names: Names, is_word: Callable[[str], bool]) -> None:
        super().__init__(doc, lexicon, names, is_word)
        self._goals: list[Goal] = []
        self._others: list[Item] = []

    def _clause(self, verb: Node) -> None:
        """Read a clause."""
        raise NotImplementedError

    def _request(self, node: Node, themes: list[Phrase] | None = None) -> None:
        """Read what a verb asks for."""
        raise NotImplementedError

    def _tell(self, node: Node) -> None:
        further = [c for c in node.children if c.dep_ in ("conj", "parataxis") and c.pos_ in ("VERB", "AUX")]
        own = {n.i for n in node.subtree} - {n.i for c in further for n in c.subtree}
        self._used |= own
        self._others.append(Told(quote=self._said(node)))

    def _light(self, node: Node, clause: Clause) -> Node | None:
        """Read "give it a wash", "take a look at it": the noun is the verb."""
        noun = next((c for c in node.children if c.dep_ in OBJECTS), None)
        verb = verb_at((noun.lemma_.lower(),), 0) if noun is not None else None
        if noun is None or verb is None or not verb.sense or (noun.lemma_.lower(),) in self._lexicon.nouns:
            return None
        clause.verb = replace(verb, form="base")
        self._use(*(n for n in noun.subtree if n.dep_ in ("det", "amod") or n == noun))
        for child in noun.children:
            if child.dep_ == "prep" and (inner := object_of(child)) is not None:
                self._use(child)
                clause.themes += self._nouns(inner)
        for child in node.children:
            if child.dep_ == "dative":
                clause.themes += self._nouns(child)
        return noun

    def _part(self, built: Built, node: Node) -> None:
        clause, dep, word = built.clause, node.dep_, node.lower_
        if dep in OBJECTS or (dep == "nsubj" and word not in ("you", "i", "we")):
            if word in _PERSONS:
                self._use(node)
                clause.person = "me"
            elif not clause.themes:  # else it is a measure: "two shelves down"
                clause.themes += self._nouns(node)
        elif dep == "dative":
            self._dative(clause, node)
        elif dep in ("prt",) or (dep in ("advmod", "acomp", "oprd", "prep") and self._is_particle(clause, node)):
            self._particle(built, node)
        elif dep == "prep":
            self._preposition(built, node)
        elif dep in ("advmod", "npadvmod", "advcl", "xcomp", "ccomp", "acomp", "oprd") and node.i not in self._used:
            self._adverbial(built, node)
        elif dep in ("aux", "auxpass", "nsubj", "nsubjpass", "intj", "cc", "mark", "punct", "preconj", "expl", "neg"):
            if node.lower_ not in NO and (node.pos_ in _EMPTY or dep.startswith("nsubj")):
                self._use(node)
        elif (node.pos_ == "PROPN" or dep == "vocative") and (not node.i or self._doc[node.i - 1].is_punct):
            self._use(node)

    def _dative(self, clause: Clause, node: Node) -> None:
        inner = object_of(node) if node.pos_ == "ADP" else node
        if inner is not None and inner.lower_ in _PERSONS:
            self._use(node, inner)
            clause.person = "me"
        elif inner is not None and node.pos_ == "ADP":
            self._use(node)
            clause.places += [Place(Relation.AT, one, moving=True) for one in self._nouns(inner)]
        elif inner is not None:
            self._use(*inner.subtree)
            clause.person = self._said(inner)

    def _is_particle(self, clause: Clause, node: Node) -> bool:
        if node.lower_ not in _PARTICLES:
            return False
        if node.dep_ != "prep" or not list(node.children):
            return True
        switched = clause.verb.sense in ("switch", "start", "stop") and not clause.themes
        return (switched and node.lower_ in ("on", "off", "up", "down")) or (
            node.lower_ in ("up", "down", "out")
            and not clause.themes
            and object_of(node) is not None
            and clause.verb.sense not in ("go",)
        )

    def _particle(self, built: Built, node: Node) -> None:
        self._use(node)
        built.clause.particles.append({"shut": "closed"}.get(node.lower_, node.lower_))
        inner = object_of(node)
        if inner is not None:
            built.clause.themes += self._nouns(inner)
        for child in node.children:
            if child != inner:
                self._part(built, child)

    def _preposition(self, built: Built, node: Node) -> None:
        clause, word = built.clause, node.lower_
        inner = object_of(node)
        if inner is None:
            further = next((c for c in node.children if c.dep_ == "prep"), None)
            if further is not None:  # "out of the fridge", "from under the bed"
                self._use(node)
                before = len(clause.places)
                self._preposition(built, further)
                if word in ("out", "off", "from") and len(clause.places) > before and clause.source is None:
                    clause.source = clause.places.pop()
                if word in ("out", "off") and further.lower_ == "of" and (noun := object_of(further)) is not None:
                    self._use(further)
                    clause.source = Place(Relation.AT, self._nouns(noun)[0])
                return
            verb = next((c for c in node.children if c.dep_ == "pcomp"), None)
            if verb is not None and word == "by":
                self._use(node)
                clause.verb = Verb("", "", "base", 1)
                self._clause(verb)
            return
        if word == "side" or (word == "by" and inner.lower_ == "side"):
            self._use(node, inner)
            clause.aside.append("together")
        elif inner.lemma_.lower() in _UNITS and word in ("for", "in"):
            self._use(node, *inner.subtree)
            amount = next((c.lower_ for c in inner.children if c.dep_ in ("nummod", "det")), "a")
            count = float(amount) if amount.isdecimal() else float(NUMBERS.get(amount, 1))
            if word == "for":
                clause.seconds = count * _UNITS[inner.lemma_.lower()]
            else:
                clause.at = Span(text=self._said(node))
        elif (
            inner.lemma_.lower() in _TIMES
            and word in ("in", "at", "on", "after", "before", "for")
            and (
                word in ("after", "before") or (inner.lower_,) not in self._lexicon.nouns  # "ON THE BED" is a place
            )
        ):
            self._use(node, *inner.subtree)
            if word != "for":
                clause.at = Span(text=self._said(node))
        elif word == "for":
            brought = clause.verb.sense in ("bring", "get", "give")
            if inner.lower_ in _PERSONS or not brought:
                named = self._thing(self._said(inner))
                restricts = named is None or named.categories or named.room or named.number or named.every
                self._use(node, *(() if restricts else inner.subtree))
            if inner.lower_ in _PERSONS and brought:
                clause.person = "me"
            elif inner.pos_ == "PROPN" and brought:
                self._use(node, *inner.subtree)
                clause.person = self._said(inner)
            elif clause.verb.sense in ("look", "search", "explore", "check", "find"):
                clause.sought = self._nouns(inner)
        elif word in ("with", "using"):
            self._with(built, node, inner)
        elif word in AWAY:
            self._use(node)
            clause.source = Place(Relation.AT, self._nouns(inner)[0])
        elif inner.lower_ in _PERSONS and word in ("to", "at", "near", "by"):
            self._use(node, inner)
            clause.person = "me"
        elif inner.lower_ in ("hand", "hands", "arm", "arms") and word in ("in", "into", "with"):
            self._use(node, *inner.subtree)
        elif word == "of" and clause.verb.sense == "discard":
            self._use(node)
            clause.themes += self._nouns(inner)
        elif (where := self._where(node)) is not None:
            relation, noun = where
            clause.places += [Place(relation, one, word in _MOVING) for one in self._nouns(noun)]
            clause.last = "place"

    def _with(self, built: Built, node: Node, inner: Node) -> None:
        clause = built.clause
        held = [c for c in inner.children if c.dep_ == "prep" and (o := object_of(c)) is not None and (
            o.lower_ in ("hand", "hands", "arm", "arms"))]  # fmt: skip
        if held:
            self._use(node, *held[0].subtree)
            quote = self._said(node)
            things = self._nouns(inner)
            built.before += [Goal(quote=quote, do=Deed.HOLD, verb="hold", thing=one.thing) for one in things]
            return
        self._use(node)
        found = self._nouns(inner)
        if clause.verb.sense in _TOOLS or not clause.themes:
            clause.using = found[0].thing
        elif inner.lower_ not in ("it", "them"):
            theme = clause.themes[-1]
            text = f"{theme.thing.text} with {found[0].thing.text}"
            clause.themes[-1] = Phrase(theme.thing.model_copy(update={"text": text}), theme.end, theme.contents)

    def _adverbial(self, built: Built, node: Node) -> None:
        clause, word = built.clause, node.lower_
        if node.dep_ == "advmod" and word in ("here", "there"):
            self._use(node)
            if word == "here" and clause.verb.sense in ("go", "bring", "get"):
                clause.person = "me"
            else:
                clause.places.append(Place(Relation.AT, Phrase(Thing(text=word, pronoun=True), 0), moving=True))
        elif node.dep_ in ("advmod", "npadvmod") and (word in FILLERS | ADVERBS or word in ("right", "next", "side")):
            self._use(node)
            for child in node.children:
                self._part(built, child)
        elif node.dep_ in ("advmod", "npadvmod") and word in _TIMES:
            self._use(*node.subtree)
            clause.at = Span(text=self._said(node))
        elif node.dep_ == "advmod" and (word == "together" or (word.endswith("ly") and not list(node.children))):
            self._use(node)
            clause.aside.append(word)
        elif (
            node.dep_ in ("acomp", "oprd", "advmod", "ccomp")
            and STATES.get(base_form(word), "") in CAUSES
            and (clause.verb.base in ("get", "make", "have", "keep", "leave") and clause.themes)
        ):
            self._use(node)
            self._caused(built, STATES[base_form(word)])
        elif node.dep_ in ("advcl", "xcomp", "ccomp") and node.pos_ in ("VERB", "AUX", "ADJ"):
            self._subordinate(built, node)

    def _subordinate(self, built: Built, node: Node) -> None:
        mark = next((c.lower_ for c in node.children if c.dep_ in ("mark", "advmod") and c.i <= node.i), "")
        even = any(c.lower_ == "even" for c in node.children)
        subject = subject_of(node)
        if mark in ("if", "unless") and not even:
            condition = self._condition(node)
            if condition is not None:
                self._use(*node.subtree)
                built.condition = condition.model_copy(update={"negated": condition.negated ^ (mark == "unless")})
            elif subject and subject.lower_ == "you" and not any(c.dep_ in OBJECTS for c in node.subtree):
                self._use(*node.subtree)
            return
        to = any(c.dep_ == "aux" and c.lower_ == "to" for c in node.children)
        verb = verb_at((node.lemma_.lower(),), 0)
        does = verb is not None and bool(verb.sense)
        if mark in ("before", "after") and subject is None and does:
            inner = self._goals_of(node)
            (built.after if mark == "before" else built.before).extend(inner)
        elif mark == "while" and node.lemma_ in ("hold", "carry", "keep", "have") and does:
            built.before += self._goals_of(node)
        elif to and does and node.dep_ == "advcl" and any(c.dep_ in OBJECTS for c in node.children):
            built.after += self._goals_of(node)
        elif mark in _LATER and subject is not None and not self._idle(node, subject):
            self._use(*node.subtree)
            built.clause.at = Span(text=self._said(node).strip(" ,"))
        elif (to and node.dep_ == "advcl") or even or mark in _REMARKS or (subject is not None and mark != "where"):
            self._tell(node)

    def _idle(self, node: Node, subject: Node) -> bool:
        """Whether a time is none to wait for: "when you have a minute", "once you are done"."""
        named = (self._thing(n.lower_) for n in node.subtree if n.pos_ in ("NOUN", "PROPN"))
        return bool(subject.lower_ == "you" and not any(one and (one.categories or one.room) for one in named))

    def _goals_of(self, node: Node) -> list[Goal]:
        before = len(self._goals)
        self._use(*(c for c in node.children if c.dep_ in ("mark", "advmod")))
        self._request(node)
        found, self._goals[before:] = self._goals[before:], []
        return found

    def _condition(self, node: Node) -> Condition | None:
        subject = subject_of(node)
        if node.lemma_ != "be" or subject is None:
            return None
        negated = any(c.dep_ == "neg" for c in node.children)
        if subject.dep_ == "expl":
            thing = next((c for c in node.children if c.dep_ in ("attr", "nsubj")), None)
            found = self._nouns(thing) if thing is not None else []
            return Condition(thing=found[0].thing, negated=negated) if found else None
        found = self._nouns(subject)
        for child in node.children:
            state = STATES.get(base_form(child.lower_), "")
            if child.dep_ in ("acomp", "advmod", "prep", "prt") and state and not [*child.children]:
                return Condition(thing=found[0].thing, state=state, negated=negated)
            if child.dep_ == "prep" and (where := self._where(child)) is not None:
                place = Where(relation=where[0], thing=self._nouns(where[1])[0].thing)
                return Condition(thing=found[0].thing.model_copy(update={"place": place}), negated=negated)
        return None

    def _caused(self, built: Built, state: str) -> None:
        built.clause.verb = CAUSES[state]
        built.clause.particles += [state] if state in ("on", "off") else []
