# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The clauses of a sentence, read off its dependency parse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from karma_language.syntax.parser import NO, SUBJECTS, Node, object_of, subject_of
from karma_language.told.facts.clause import Clause, trimmed
from karma_language.told.facts.english import POSSESSIVE_OF, is_adverb, word_set
from karma_language.told.facts.predicates import (
    ASKING,
    CONDITIONS,
    INVERTED,
    MOMENTS,
    REMINDS,
    WH,
    base_of,
    chain_of,
    introduces,
    is_condition,
    is_particle_of,
    is_purpose,
    misplaced_subject,
    only_does,
    relation_verbs,
    says_nothing,
)
from karma_language.told.facts.relations import is_event
from karma_language.told.facts.times import NOW_SAID, SpokenTime
from karma_language.told.facts.unseen import APOSTROPHES, parsed

DENIED = frozenset(("neg", "nsubj"))
"""What stands with "forget" where it is not told to forget: "don't forget that …"."""
_ENDING = word_set("ending")
_HELPERS = frozenset(("aux", "auxpass", "neg", "mark", "cc", "preconj", "punct", "intj", "expl"))
_NOW = frozenset(("now", "nowadays", "currently", "moment", "days", "present"))
_MARKS = frozenset(",.;:!?")
_QUOTES = '"“”'
_BEHIND = frozenset(("a", "an", "called", "named", "born", "married"))
"""What stands behind the subject of "what is she … ?"."""
_LIKES = frozenset(("like", "love", "enjoy", "prefer", "want"))
_TAKES = frozenset(("have", "eat", "drink"))
_LIVING = frozenset(("live", "reside", "base"))
_TIME_NOUNS = word_set("time_nouns")
_PLACE_NOUNS = word_set("place_nouns")
_CALLS = word_set("calls")
_NAMING = frozenset(("PROPN", "NUM", "X"))
_INSIDE = frozenset(("compound", "poss", "det", "amod", "nmod", "nummod"))
_KINDS = word_set("kinds")
_ASIDES = word_set("adverb_phrases")


Apposition = tuple[list[str], list[str], Node]
"""A description, a name beside it, and which of the two is left out."""


class Clauses:
    """The clauses of one sentence in their order; a clause without subject has that of the one before."""

    def __init__(self, text: str, times: Sequence[SpokenTime]) -> None:
        """`text`: with `NOW_SAID` in place of each time; `times`: these, in their order."""
        self.asks = text.rstrip().endswith("?")
        self.nodes, self._named = parsed(text)
        places = [node.i for node in self.nodes if node.text == NOW_SAID]
        self._times = dict(zip(places, times, strict=False))
        self._chains = {node.i: chain for node in self.nodes if (chain := chain_of(node)) is not None}
        self._home = {node.i: self._clause_of(node) for node in self.nodes}
        for index, chain in self._chains.items():  # "my friend is Mia and her birthday is today"
            if (misplaced := misplaced_subject(chain)) is not None:
                self._home |= dict.fromkeys((token.i for token in misplaced.subtree), index)
        self._owners: dict[int, list[str]] = {}
        self._relative: set[int] = set()
        self._apposed: set[int] = set()
        self._asides: set[int] = set()
        self._relatives()
        self._asides = {
            t.i for node in self.nodes if " ".join(t.lower_ for t in node.subtree) in _ASIDES for t in node.subtree
        }
        self.appositions = [pair for node in self.nodes if (pair := self._apposition(node)) is not None]
        self._apposed = {token.i for _, _, gone in self.appositions for token in gone.subtree}

    def __iter__(self) -> Iterator[Clause]:
        subjects: dict[int, list[str]] = {}
        for index, chain in self._chains.items():
            if self._is_read(chain[0]):
                yield self._clause(index, chain, subjects)

    @property
    def inverted(self) -> bool:
        """Whether the words stand as in a question, be it marked as one or not: "can I have the soap"."""
        said = [node for node in self.nodes if node.dep_ not in ("intj", "cc", "punct") and not is_adverb(node.lower_)]
        if not said or said[0].tag_ in WH:
            return bool(said)
        after = [node for node in said[1:2] if node.tag_ in ("PRP", "PRP$", "DT", "EX", "NNP")]
        return said[0].pos_ == "AUX" and said[0].lemma_ in INVERTED and bool(after)

    def fragment(self) -> list[str]:
        """Return the words of a sentence without a verb: "my sister's phone number"."""
        return [] if self._chains else self.words(self.nodes)

    def opening(self) -> list[str]:
        """Return the words before the first comma, where they have no verb: "no salt for me, …"."""
        end = next((node.i for node in self.nodes if node.text == ","), len(self.nodes))
        return [] if any(links[0].i < end for links in self._chains.values()) else self.words(self.nodes[:end])

    def words(self, nodes: Iterable[Node]) -> list[str]:
        """Return words, with "'s" for every owner and hyphens inside; without times and marks but for "," and ":".

        "The firm my sister works for" is "my sister 's firm".
        """
        found: list[str] = []
        last: Node | None = None
        for node in nodes:
            text = self._named.get(node.i, str(node.text))
            if (
                node.i in self._times
                or node.i in self._apposed
                or text in _QUOTES
                or text in ".!?()"
                or node.i in self._relative
                or node.i in self._asides
            ):
                continue
            owner = self._owners.get(node.i)
            if text.lower() == "no" and node.head.lower_ == "longer" and node.head.head.i < node.i:
                found.append("not")
            elif owner is not None:
                found += [*owner, *((text,) if node.dep_ != "det" else ())]
            elif text in APOSTROPHES:
                found.append("'s")
            elif found and last is not None and not last.whitespace_ and (text == "-" or found[-1].endswith("-")):
                found[-1] += text
            else:
                found.append(text.rstrip(".") or text)  # "Dr."
            last = node
        return found

    def _relatives(self) -> None:
        """Find nouns that belong to the subject of a relative clause: "the firm my sister works for"."""
        for verb in [node for node in self.nodes if node.dep_ == "relcl"]:
            who = subject_of(verb)
            noun = self.nodes[verb.left_edge.i - 1]
            inside = [token for token in verb.subtree if token.i > noun.i]
            if who is None or who.tag_ in WH or noun.pos_ != "NOUN" or verb.lemma_ not in relation_verbs():
                continue
            named = [word for word in self.words(t for t in who.subtree if t.i > noun.i) if word]
            owner = (
                [POSSESSIVE_OF[named[0].lower()]]
                if len(named) == 1 and named[0].lower() in POSSESSIVE_OF
                else [*named, "'s"]
            )
            best = any(c.lower_ in ("best", "most") for c in verb.subtree)
            first = next((c for c in noun.children if c.dep_ == "det"), noun)
            self._owners[first.i] = [*owner, *(["favourite"] if best else [])]
            self._relative |= {token.i for token in inside}

    def _clause_of(self, node: Node) -> int:
        """Return the clause that a token belongs to, by its last verb."""
        heads = {link.i: index for index, chain in self._chains.items() for link in chain}
        while node.i not in heads:
            if node.head.i == node.i:
                return next(iter(self._chains), -1)
            node = node.head
        return int(heads[node.i])

    def _is_read(self, verb: Node) -> bool:
        """Whether a verb says what is so, rather than what would be, or what somebody thinks."""
        if sum(node.text in _QUOTES for node in verb.doc[: verb.i]) % 2:
            return False  # these are somebody's words
        if not self.asks and any(is_condition(child) for child in verb.children):
            return False
        marks = {child.lower_ for child in verb.children if child.dep_ in ("mark", "advmod")}
        asked = verb.head.lemma_ in ASKING or self.asks
        if verb.dep_ in ("advcl", "ccomp", "pcomp") and not asked and marks & CONDITIONS:
            return False
        if verb.dep_ == "relcl":
            who = subject_of(verb)
            said = who is not None and who.lower_ in ("who", "which", "that")
            return said or self._question_word(verb, ()) is not None
        if verb.dep_ == "ccomp" and verb.head.pos_ in ("VERB", "AUX"):
            return (
                asked
                or any(child.lower_ == "where" for child in verb.children)
                or introduces(verb.head)
                or misplaced_subject([verb]) is not None
                or (verb.head.dep_ == "ROOT" and verb.i < verb.head.i)
            )
        if any(child.dep_ == "ccomp" for child in verb.children) and introduces(verb):
            return False
        if verb.dep_ == "advcl" and (marks & MOMENTS or (verb.tag_ == "VBG" and subject_of(verb) is None)):
            return False
        return verb.dep_ not in ("acl", "amod", "csubj") and not is_purpose(verb)

    def _apposition(self, node: Node) -> Apposition | None:
        """Return a description and a name beside it, and which of the two is left out: "my niece, Rosa"."""
        mark = self.nodes[node.left_edge.i - 1] if node.left_edge.i > 1 else None
        if mark is None or not (mark.text == ":" or (mark.text == "," and node.dep_ == "appos")):
            return None
        colon = mark.text == ":"
        one = _noun_phrase(self.nodes[mark.i - 1] if colon else node.head)
        other = [token for token in self.nodes[mark.i + 1 :] if token.dep_ != "punct"] if colon else _noun_phrase(node)
        for described, named in ((one, other), (other, one)):
            if any(token.dep_ == "poss" for token in described) and {token.pos_ for token in named} <= _NAMING:
                return self.words(described), self.words(named), node
        return None

    def _clause(self, index: int, chain: Sequence[Node], subjects: dict[int, list[str]]) -> Clause:
        verb, head = chain[-1], chain[0]
        mine = [node for node in self.nodes if self._home[node.i] == index]
        asks = self._question_word(head, mine)
        asked = self._asked(asks) if asks is not None else []
        who = self._who(chain, {node.i for node in asked})
        particle = next((c for c in verb.children if is_particle_of(c, verb)), None)
        about = self._subject(chain, who, asked)
        if asks is not None and (inverted := self._inverted(asks, chain)):
            about = inverted
            who = about[0]
        words = [word for word in self.words(about) if word != ","]
        if words[:1] == ["the"] and asks is not None and (topic := self._topic()):
            words = [*topic, "'s", *words[1:]]
        clause = Clause(words if who is not None else self._inherited(head, subjects), base_of(verb), [])
        clause.verb += f" {particle.lower_}" if particle is not None else ""
        subjects[index] = subjects[head.i] = clause.subject
        clause.times = [self._times[node.i] for node in mine if node.i in self._times]
        clause.passive = any(c.dep_ == "auxpass" for c in verb.children)
        _flags(clause, chain, {node.lower_ for node in mine})
        out = {token.i for token in about} | {
            c.i
            for link in chain
            for c in link.children
            if c.dep_ in _HELPERS and c.text not in ",:" and c.i < verb.i + 2
        }
        out |= (
            {link.i for link in chain} | ({particle.i} if particle is not None else set()) | {node.i for node in asked}
        )
        often = [c for link in chain for c in link.children if _is_time(c) and c.i > verb.i and c.i not in self._times]
        out |= {t.i for c in often for t in c.subtree}
        out |= {node.i for node in mine if says_nothing(node, verb)} | self._asides
        kept = [node for node in mine if node.i not in out]
        start = verb.i
        others = [
            link.i for at, links in self._chains.items() if at != index and links[0].dep_ != "relcl" for link in links
        ]
        end = min((place for place in others if place > verb.i), default=len(self.nodes))
        self._follow(clause, [node for node in kept if start < node.i < end])
        self._lead(clause, [node for node in kept if node.i < start])
        after = [node for node in mine if node.i > verb.i and node.lower_ != "please"]
        clause.deed = " ".join((verb.lemma_ if verb.tag_ != "VB" else verb.text, *trimmed(self.words(after))))
        if not self.asks and not clause.negated and verb.lemma_ not in relation_verbs() and only_does(verb):
            clause.verb, clause.object = "do", [verb.text, *clause.object]  # "she does squash"
        if chain[0].lemma_ in _LIKES and verb.lemma_ in _TAKES:
            clause.verb = chain[0].lemma_  # "likes to have breakfast"
        if often and often[0].left_edge.lower_ in ("every", "each"):
            clause.preps.append(("on", self.words(often[0].subtree)))
        if asks is not None:
            clause.wh = asks.lower_ if asks.tag_ in WH else "what"
            clause.asked = self._noun(asked)
            self._gap(clause, asks, asked, who)
        elif (where := self._where(head, mine)) is not None:
            clause.wh = ""
            clause.preps.append(("in" if clause.verb in _LIVING else "at", where))
        clause.preps = [(name, words) for name, words in clause.preps if words]
        return clause

    def _where(self, head: Node, mine: Sequence[Node]) -> list[str] | None:
        """Return the place of "Oslo is where she lives"."""
        place = subject_of(head.head) if head.dep_ in ("advcl", "ccomp") and head.head.lemma_ == "be" else None
        if place is None or place.pos_ == "PRON" or not any(node.lower_ == "where" for node in mine):
            return None
        return self.words(place.subtree)

    def _topic(self) -> list[str]:
        """Return what a question is about, where that stands before it: "my brother, what was the name?"."""
        comma = next((node.i for node in self.nodes if node.text == ","), 0)
        before = self.nodes[:comma]
        return (
            self.words(before) if before and before[-1].pos_ in ("NOUN", "PROPN") and before[0].dep_ == "poss" else []
        )

    def _question_word(self, head: Node, mine: Sequence[Node]) -> Node | None:
        """Return the word in whose place the answer stands: "what", "anything" in "anything she is allergic to"."""
        if head.dep_ == "relcl" and self.asks and head.head.lower_.startswith(("any", "some")):
            return head.head
        if self.asks or (head.dep_ in ("ccomp", "advcl") and head.head.lemma_ in ASKING):
            return next((node for node in mine if node.tag_ in WH), None)
        return None

    def _asked(self, wh: Node) -> list[Node]:
        """Return the words of the phrase that a question word begins: "which sport"."""
        found = [wh]
        for node in self.nodes[wh.i + 1 :] if wh.lower_ in ("what", "which", "whose", "how") else ():
            if node.pos_ not in ("NOUN", "ADJ") and node.lower_ not in ("of", "many", "much"):
                break
            found.append(node)
        return found

    def _noun(self, asked: Sequence[Node]) -> str:
        """Return the noun of "what kind of car"."""
        words = [word.lower() for word in self.words(asked[1:])]
        return " ".join(words[2:] if len(words) > 2 and words[0] in _KINDS and words[1] == "of" else words)

    def _gap(self, clause: Clause, wh: Node, asked: Sequence[Node], who: Node | None) -> None:
        """Put a gap where the answer would stand."""
        head = clause.asked.split()[-1:]
        when, where = (
            clause.wh == "when" or (head[:1] and head[0] in _TIME_NOUNS),
            clause.wh == "where" or (head[:1] and head[0] in _PLACE_NOUNS),
        )
        gap = ["@when" if when else "@where" if where else "@who" if clause.wh in ("who", "whom") else "@what"]
        top = asked[-1] if asked else wh
        before = self.nodes[wh.i - 1] if wh.i and self.nodes[wh.i - 1].pos_ == "ADP" else None
        if before is not None:
            clause.preps = [(name, words) for name, words in clause.preps if words]
            clause.preps.append((before.lower_, gap))
            return
        stranded = next((place for place in range(len(clause.preps)) if not clause.preps[place][1]), None)
        if who is None or who.i in {node.i for node in asked}:
            clause.subject = gap
        elif stranded is not None:
            clause.preps[stranded] = (clause.preps[stranded][0], gap)
        elif when:
            clause.preps.append(("on", gap))
        elif where and not (clause.wh != "where" and top.dep_ in ("dobj", "attr")):
            clause.preps.append(("in" if clause.verb in _LIVING else "at", gap))
        elif clause.wh == "how" and clause.verb in _CALLS:
            clause.preps.append(("on", gap))
        else:
            clause.object += gap

    def _who(self, chain: Sequence[Node], asked: set[int]) -> Node | None:
        """Return the subject of a predicate; in a question what is asked for is it only where nothing else is."""
        found = [c for link in reversed(chain) for c in link.children if c.dep_ in SUBJECTS]
        found += [c for aux in chain[0].children if aux.dep_ == "aux" for c in aux.children if c.dep_ in SUBJECTS]
        if asked:
            found += [c for link in chain for c in link.children if c.dep_ == "attr" and link.lemma_ == "be"]
        return next((c for c in found if c.i not in asked), found[0] if found else misplaced_subject(chain))

    def _subject(self, chain: Sequence[Node], who: Node | None, asked: Sequence[Node]) -> list[Node]:
        """Return the words of the subject."""
        if who is None:
            return []
        head = chain[0]
        if head.dep_ == "relcl" and who.lower_ in ("who", "which", "that"):
            inside = {token.i for token in head.subtree}
            return [token for token in head.head.subtree if token.i not in inside and token.text != ","]
        out = {token.i for token in asked if token.i != who.i}
        out |= {t.i for link in chain if link in list(who.subtree) for t in link.subtree}
        out |= {t.i for c in who.children if self.asks and c.dep_ in ("appos", "acl") for t in c.subtree}
        nodes = [token for token in who.subtree if token.i not in out]
        accompanied = next(
            (
                place
                for place, t in enumerate(nodes)
                if t.lower_ == "with" and place and is_event(nodes[place - 1].lower_)
            ),
            len(nodes),
        )
        nodes = nodes[:accompanied]
        while nodes and nodes[-1].pos_ == "ADP" and object_of(nodes[-1]) is None:
            nodes.pop()  # "what day is her birthday on"
        after = self.nodes[nodes[-1].i + 1] if nodes and nodes[-1].i + 1 < len(self.nodes) else None
        if (
            after is not None
            and after.pos_ == "ADV"
            and after.dep_ != "neg"
            and not is_adverb(after.lower_)
            and nodes[-1].pos_ == "NOUN"
            and after.i < head.i
        ):
            nodes.append(after)  # a noun that the parser doesn't know
        return nodes

    def _inverted(self, wh: Node, chain: Sequence[Node]) -> list[Node]:
        """Return the subject behind the auxiliary of a question: "my sister" in "where does my sister live?"."""
        first = next((node for node in self.nodes[wh.i : chain[-1].i + 1] if node.lemma_ in INVERTED), None)
        if first is None or chain[0].dep_ == "relcl":
            return []
        end = chain[0].i if first.i < chain[0].i else chain[-1].i if first.i < chain[-1].i else 0
        found: list[Node] = []
        for node in self.nodes[first.i + 1 : end or None]:
            if node.text in _MARKS:
                break
            if (
                not end
                and found
                and (
                    node.dep_ == "acomp"
                    or (node.pos_ == "ADJ" and node.i + 1 < len(self.nodes) and node.nbor(1).pos_ == "ADP")
                    or node.lower_ in _BEHIND
                    or (node.pos_ == "ADP" and node.lower_ not in ("of", "for", "to"))
                )
            ):
                break
            if node.dep_ not in ("neg", "aux", "auxpass") and not says_nothing(node, chain[-1]):
                found.append(node)
        return found if found and (end or chain[-1].lemma_ == "be") else []

    def _inherited(self, head: Node, subjects: dict[int, list[str]]) -> list[str]:
        """Return the subject of a predicate that has none of its own: that of the one before, else "you"."""
        if (
            head.tag_ == "VB"
            and head.head.tag_ not in ("VB", "VBN")
            and not any(c.dep_ == "aux" for c in head.children)
        ):
            return ["you"]  # "… , so never light it"
        up = head
        while up.dep_ in ("conj", "advcl", "dep") and up.head.i != up.i:
            up = up.head
            if up.i in subjects:
                return list(subjects[up.i])
        return ["you"] if head.tag_ in ("VB", "VBP") and head.dep_ in ("ROOT", "ccomp") else []

    def _follow(self, clause: Clause, nodes: Sequence[Node]) -> None:
        """Read the object and the prepositions after the verb, in the order of the words."""
        target = clause.object
        pending: list[Node] = []
        groups: list[tuple[list[str], list[Node]]] = [(target, pending)]
        for node in nodes:
            if node.lower_ == "longer" and node.nbor(-1).lower_ == "no":
                continue
            opens = node.pos_ in ("ADP", "SCONJ") or (
                node.lower_ == "instead" and node.i + 1 < len(self.nodes) and node.nbor(1).lower_ == "of"
            )
            if node.lower_ == "to" and node.dep_ == "aux":
                opens = True
            if opens and len(groups) > 1 and not groups[-1][1]:  # "out of"
                clause.preps[-1] = (f"{clause.preps[-1][0]} {node.lower_}", target)
                continue
            if opens and not (node.lower_ == "of" and groups[-1][1]):
                target = []
                clause.preps.append((node.lower_, target))
                groups.append((target, []))
                continue
            groups[-1][1].append(node)
        for words, group in groups:
            words[:] = trimmed(self.words(group))

    def _lead(self, clause: Clause, nodes: Sequence[Node]) -> None:
        """Add the prepositions before the subject: "by trade she is a nurse"."""
        inside = {token.i for token in nodes}
        for node in nodes:
            name, words = str(node.lower_), [token for token in list(node.subtree)[1:] if token.i in inside]
            if node.tag_ == "TO" and is_purpose(node.head):  # "to open my bike, enter 123"
                name = f"to {node.head.lemma_}"
                words = [token for token in node.head.subtree if token.i > node.head.i]
            elif node.dep_ != "prep" or (node.head.pos_ not in ("VERB", "AUX") and name != "with"):
                continue
            clause.preps.append((name, trimmed(self.words(words))))


def _flags(clause: Clause, chain: Sequence[Node], low: set[str]) -> None:
    """Say of a clause whether it is denied, over, now, past, needed."""
    over = chain[0].head
    told = over.dep_ == "ROOT" and over.tag_ in ("VB", "VBP") and not {c.dep_ for c in over.children} & DENIED
    clause.negated = chain[0].dep_ == "ccomp" and over.lemma_ == "forget" and told
    for link in chain:
        last = link is chain[-1]
        words = {c.lower_ for c in link.children if c.dep_ in ("neg", "advmod") and c.i < link.i + 2}
        denied = bool(words & NO)
        clause.negated = clause.negated or denied
        modals = {c.lower_ for c in link.children if c.dep_ == "aux"}
        clause.need = clause.need or bool(modals & {"must", "should"})
        clause.hypothetical = clause.hypothetical or bool(modals & {"could", "would", "might", "'d"})
        if last:
            continue
        clause.need = clause.need or link.lemma_ in ("need", "have")
        clause.ended = (
            clause.ended
            or link.lemma_ in _ENDING
            or (link.lemma_ == "use" and link.tag_ == "VBD")
            or link.lemma_ == "give"
        )
        if link.lemma_ in ("forget", "fail"):
            clause.negated = False
    if clause.negated and ("anymore" in low or ("any" in low and low & {"more", "longer"})):
        clause.ended = True
    if any(c.lower_ == "longer" and c.i < link.i + 3 for link in chain for c in link.children):
        clause.negated = clause.ended = True
    clause.adjective = any(c.dep_ == "acomp" for c in chain[-1].children)
    clause.passive = clause.passive or (chain[0].lemma_ == "be" and len(chain) > 1 and chain[-1].tag_ == "VBN")
    clause.done = chain[-1].tag_ in ("VBD", "VBN") and not clause.passive
    clause.reminds = chain[0].lemma_ in REMINDS and len(chain) > 1
    clause.habit = bool(low & _NOW)
    clause.most = bool(low & {"best", "most"})
    clause.again = "again" in low
    first = next((c for c in chain[0].children if c.dep_ in ("aux", "auxpass")), chain[0])
    clause.past = first.tag_ == "VBD"


def _is_time(node: Node) -> bool:
    """Whether a noun says when, without a preposition: "every week"."""
    if node.lower_ == "ago":
        return True
    return bool(node.dep_ == "npadvmod" and (node.pos_ == "NOUN" or node.left_edge.lower_ in ("every", "each")))


def _noun_phrase(head: Node) -> list[Node]:
    """Return a noun with what stands before it."""
    return [token for child in head.lefts if child.dep_ in _INSIDE for token in child.subtree] + [head]
