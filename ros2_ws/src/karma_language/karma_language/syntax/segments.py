# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Clauses of a sentence: where they begin and end, which of them ask for something, and what leads to a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from karma_language.parser import OBJECTS, SUBJECTS, Node, parse_words, subject_of
from karma_language.phrases.clauses import Clauses
from karma_language.phrases.nouns import Phrase
from karma_language.phrases.set_phrases import CORRECTION, FILLERS, GREETING, MAKES_SURE, WANTS_STATE
from karma_language.vocabulary.english import is_verb
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.verbs import Verb, verb_at
from karma_language.vocabulary.words import (
    ADVERBS,
    AUXILIARIES,
    DETERMINERS,
    PARTICLES,
    PEOPLE,
    PERSONS,
    STATES,
    TELLING,
    base_form,
    each,
)

IF = frozenset(each("if unless provided"))
REASONS = frozenset(each("because since as so although though whereas even"))
TIMES = frozenset(each("when whenever while whilst before after once until till"))
JOINS = frozenset(each(", and but so then or plus - — also otherwise"))
_POINTING = frozenset(each("it this that these those there here they"))
_NO_LEADS = frozenset(each("or otherwise so over everywhere somewhere someplace else all not"))
_WISHED = frozenset(each("like want need"))
LEADS = (FILLERS | ADVERBS | JOINS) - _NO_LEADS | frozenset(
    each(
        "hey hi hello oh ah well hm hmm um uh er erm ok okay right alright great good perfect lovely yes yeah yep sure"
        " next no finally lastly secondly thirdly first firstly oops ugh yo sorry dear honey buddy kindly robot karma"
        " please nah nope wow gosh phew ooh"
    )
)
"""What may stand before a request and asks for nothing."""
ASKING = frozenset(
    each(
        "would could can will might may should must shall need ought have had has be am is are was were do did does"
        " like love want wish prefer appreciate wonder wondering wondered mind please kind good nice great lovely"
        " grateful glad happy delighted pleased possible able sure try remember help go come get let us me you u i we"
        " it to if whether as so that and enough for just also really very kindly ask asking trouble bother ahead"
        " forget task time your the a favor favour do dear angel sweetheart love pet star sport take care expect"
        " think guess suppose suggest say said says wants wanted asked asks tell tells told someone somebody begin"
        " start by there make best better now then again maybe perhaps not proceed continue moment minute some"
        " supposed ever"
    )
)
"""Words that lead to what is asked for."""
SEGMENT_WORDS = LEADS | ASKING | IF | REASONS | TIMES | JOINS
"""Words of these, which are no slips."""
REPORTS = frozenset(
    each("tell me us let know say report look see check show and then can could you do i wonder remember")
)
"""Words that lead to what is to be told when all is done."""
_YOU = frozenset(each("you u someone somebody us"))
_NO = frozenset(each("not never"))
_DENIES = frozenset(each("not never nor neither nobody no hardly"))
_PAST = frozenset(each("said told asked wanted thought did had tried"))
_FINITE = frozenset(each("VBZ VBP VBD MD"))
_GERUND = frozenset(each("mind by me with start begin"))
_BEFORE = frozenset(each("ever help please go come just kindly ahead also then now say says said"))
_NEEDS = frozenset(each("need have should ought"))


@dataclass
class Segment:
    """A clause of a sentence, by its words' indices."""

    begin: int
    end: int
    joined: bool = False
    """Whether "and" or a comma joins it to the one before."""


class Segments:
    """Finds the clauses of an utterance."""

    def __init__(self, clauses: Clauses, shown: Sequence[str], lexicon: Lexicon) -> None:
        """`shown`: the words as the parser is to see them: names with a capital."""
        self._clauses = clauses
        self._phrases = clauses.phrases
        self._words = clauses.phrases.words
        self._shown = shown
        self._lexicon = lexicon

    def _word(self, at: int) -> str:
        return self._words[at] if 0 <= at < len(self._words) else ""

    def sentence(self, begin: int, end: int) -> list[Segment]:
        """Return the clauses of a sentence."""
        doc = parse_words(tuple(self._shown[begin:end]))
        cuts, told = [begin], begin
        for at in range(begin + 1, end):
            if at <= cuts[-1] or at < told:
                continue
            if self._words[at] == "," and (told := self._phrases.told_between_commas(at)) > at:
                continue  # "the jug, WHICH IS A GIFT FROM MY AUNT, from the kitchen"
            word, before = self._word(at), self._word(at - 1)
            reports = self._words[at] in ("if", "whether", "when") and {*self._words[cuts[-1] : at]} <= REPORTS | LEADS
            if reports or (before in IF and word in ("so", "not")) or self._introduces(cuts[-1], at, end):
                continue  # "if SO", "be so kind AND"
            if self._phrases.leaves_out(at):
                continue
            if before.endswith("ly") and self._word(at - 2) == "to":
                continue  # "to easily CHECK the time"
            replies = self._words[at - 2] in IF and before in ("so", "not", "yes")
            if replies and (word == "," or self.verb(at) is not None):
                cuts.append(at)  # "if so, SWITCH it off"
                continue
            if word in (",", "and") and (self._lists(cuts[-1], at, end) or before in ("nice", "good")):
                continue  # "get it nice AND clean"
            along = self._words[at : at + 3] == ["as", "well", "as"] and self.verb(at + 3) is not None
            if (
                along or word in JOINS or (word == "please" and (self.verb(at + 1) or self._word(at + 1) == "to"))
            ) and before not in JOINS:
                after = self.leads(at, end)
                meant = self._words[end - 2 : end] in (["i", "mean"], ["i", "meant"])
                if (
                    self._phrases.matched(CORRECTION, at + 1) > at + 1
                    or (meant and self._phrases.list(at + 1, bare=False)[1] == end - 2)
                    or (after < end and self._opens(after, end, doc, begin))
                    or (after < end and self._words[cuts[-1]] in TIMES and self._anywhere(after))
                ):
                    cuts.append(at)
            elif before not in JOINS and (
                self._runs_on(at, cuts[-1], doc, begin)
                or (
                    (before not in LEADS or self._words[at - 2 : at] == ["if", "so"])
                    and self._subordinate(at, end, doc, begin)
                )
            ):
                cuts.append(at)
        return [Segment(a, b, a > begin) for a, b in zip(cuts, [*cuts[1:], end], strict=True)]

    def _anywhere(self, at: int) -> bool:
        """Whether a place stands here: "get it off the stove before it melts, ANYWHERE ON THE TABLE"."""
        return self._phrases.where(at + (self._word(at) == "anywhere"), bare=False) is not None

    def _introduces(self, begin: int, at: int, end: int) -> bool:
        """Whether what stands before a joint is no clause: "be so kind AND …", "the apple AND the lettuce need …"."""
        if all(word in ASKING | LEADS for word in self._words[begin:at]):
            first = self.leads(begin, at)
            return first < at and self.led(first, end) > first
        first = self.leads(begin, at)
        first += self._word(first) in ("can", "could", "would", "may", "might")  # "could the cup, THE RED ONE, go …"
        return self._word(at) in ("and", ",") and self._phrases.list(first, bare=False)[1] > at

    def _lists(self, begin: int, at: int, end: int) -> bool:
        """Whether what joins stands among a verb's objects: "take the cup, THE LID and THE POT out of the sink"."""
        first = self.leads(begin, at)
        first = self.led(first, at)  # "start by FETCHING the cup, the lid and the pot"
        verb = self.verb(first) or self.verb(first, ("ing",))
        wish = first if self._word(first) in ("i", "we") and verb is None else end
        wished = next(
            (i + 1 for i in range(wish, at) if self._words[i] in _WISHED), 0
        )  # "I'd LIKE the cup and the lid"
        sure = self._phrases.matched(WANTS_STATE, first)
        wished = wished or (sure if sure > first else 0)
        if verb is None and not wished:
            return False
        found, after = self._phrases.list(wished or first + (verb.length if verb is not None else 0), bare=False)
        listed = len(found) > 1 and after < end and self._words[found[-2].end : found[-2].end + 1] == ["and"]
        return listed and at < after and (bool(wished) or not self._phrases.predicates.finite(after))

    def leads(self, at: int, end: int) -> int:
        """Skip what may stand before a request and asks for nothing."""
        while at < end and self._phrases.matched(MAKES_SURE, at) == at:
            if self._words[at] == "after" and self._word(at + 1) in ("that", "this") and self._follows(at + 2):
                at += 2
                continue
            greets = self._phrases.matched(GREETING, at)  # "MORNING! Can you …"
            if greets > at or (self._words[at] == "after" and self.verb(at + 1) is not None):  # "and AFTER put it back"
                at = max(greets, at + 1)
                continue
            if self._words[at] in TIMES:
                break
            if self._words[at : at + 3] == ["as", "well", "as"]:
                at += 3
                continue
            manner = self._words[at].endswith("ly") and (self.verb(at + 1) is not None or self._word(at + 1) == ",")
            if not manner and self._words[at] not in LEADS | {"so"}:
                break
            if self._words[at] in ("even", "instead") and self._word(at + 1) in ("with", "if", "though", "of"):
                break
            if self._words[at] == "so" and self._word(at + 1) == "that":
                break
            if self.none(at) is not None:
                break
            at += 1
        return at

    def _follows(self, at: int) -> bool:
        """Whether a request follows a link: "after that SWITCH ON the lamp", "after that, …"."""
        at += self._word(at) in ADVERBS  # "after that JUST throw it away"
        named = self._phrases.read(at, bare=False) is not None  # "after that THE BOOK on the shelf"
        return self._word(at) in (",", "please") or self.verb(at) is not None or named

    def _opens(self, at: int, end: int, doc: Node, begin: int) -> bool:
        """Whether a clause begins here, behind what joins it."""
        return (
            self._subordinate(at, end, doc, begin)
            or self._word(at) == "let"
            or self.negated(at) > at
            or self.verb(at) is not None
            or self.subject(at, end)
            or self.led(at, end) > at
            or self._result(at, end)
            or (self._word(at) in AUXILIARIES and self._word(at + 1) in _POINTING | {"not"})
            or (self._phrases.preposition(at) is not None and self._with(at, end))
        )

    def _with(self, at: int, end: int) -> bool:
        """Whether a place is named before what goes there: "into the tub WITH IT"."""
        return any(
            self._words[i] == "with" and self._word(i + 1) in _POINTING | {"them", "both"} for i in range(at, end)
        )

    def _runs_on(self, at: int, begin: int, doc: Node, start: int) -> bool:
        """Whether a clause begins without a pause: "if it is open CLOSE it", "shut it down THE BATTERY is dead"."""
        first = self.leads(begin, at)
        if doc is not None and self.verb(first) is not None and at > first + 1:
            root = next((node for node in doc if node.dep_ == "ROOT"), doc[0])
            subject = subject_of(root)
            finite = root.tag_ in _FINITE or any(c.tag_ == "MD" for c in root.children)
            return finite and subject is not None and subject.left_edge.i == at - start and root.i > subject.i
        verb = self.verb(at) if self._word(at + 1) in _POINTING | {"the", "a", "my", "them"} else None
        before = self._word(at - 1)
        led = set(AUXILIARIES) | PERSONS | DETERMINERS | {"to", "not", "me", "us", "says", "said"}
        if verb is None or not verb.sense or before in led or self._shown[at] != self._words[at]:
            return False
        own = doc is None or subject_of(doc[at - start]) is not None  # "I saw TOM PUT it there"
        told = before not in ("him", "it", "them") and not own and self.subject(first, at)
        return self._word(first) in IF | TIMES or told

    def _result(self, at: int, end: int) -> bool:
        found, after = self._phrases.list(at, bare=False)
        return (
            bool(found)
            and self._word(after) in ("on", "off", "out", "away", "open", "shut", "please")
            and (self.leads(after + 1, end) >= end or self._word(after + 1) in JOINS)
        )

    def negated(self, at: int) -> int:
        """Return the index after what forbids: "do not", "never", "you must not"."""
        if self._word(at) in ("never", "avoid"):
            return at + 1
        if self._word(at) == "stop" and self._word(at + 1).endswith("ing"):
            return at + 1
        you = self._word(at) == "you"
        begin = at + you
        can = ("must", "should", "may", "can", "shall") if you else ()
        if self._word(begin) in ("do", *can) and self._word(begin + 1) in _NO:
            return begin + 2 + (self._word(begin + 2) == "ever")
        if self._word(at) == "not" and verb_at(self._words, at + 1) is not None:
            return at + 1
        while self._word(begin) in ASKING and self._word(begin) != "not":
            begin += 1
        forbids = self._word(begin) == "not" and self._word(begin + 1) == "to" and verb_at(self._words, begin + 2)
        return begin + 2 if forbids else at  # "TRY NOT TO break it", "I told you NOT TO"

    def none(self, at: int) -> Phrase | None:
        """Return what there is to be none of: "NO MUGS in the den", and not "no put it back"."""
        acts = self.verb(at + 1) is not None and self._word(at + 2) in DETERMINERS | _POINTING | {"them", "me", "us"}
        denied = self._word(at) == "no" and not acts
        return self._phrases.read(at + 1, bare=True) if denied else None

    def verb(self, at: int, forms: Sequence[str] = ("base",)) -> Verb | None:
        """Return the verb that a request may begin with here, and not a noun: "WATER the plants", "the light"."""
        return self._clauses.verb(at, forms)

    def strange(self, at: int, end: int) -> Verb | None:
        """Return a verb that no skill does: "POLISH the table"."""
        word, following = self._word(at), self._word(at + 1)
        object_follows = following in DETERMINERS | {"me", "us", "it", "them", "up", "out"}
        if not word.isalpha() or not object_follows or word.endswith(("ing", "ly")):
            return None
        doc = parse_words(("you", "must", *self._words[at:end]))
        known = (
            self._phrases.read(at, after=False) is not None
            or word in TELLING | ADVERBS | FILLERS | PERSONS | DETERMINERS
        )
        if doc is None or known or word in LEADS | set(AUXILIARIES) or self._phrases.preposition(at):
            return None
        return Verb(word, "", "base", 1) if doc[2].pos_ == "VERB" and doc[2].dep_ in ("ROOT", "ccomp") else None

    def led(self, at: int, end: int) -> int:
        """Return the index of the verb that words of asking lead to, `at` where they don't."""
        verb = self._led(at, end)
        between = self._words[at:verb]
        denied = _DENIES & {*between} and between[1:2] != ["not"]  # "COULDN'T you open it" asks
        polite = between[:5] == ["i", "do", "not", "suppose", "you"]  # "I DON'T SUPPOSE YOU COULD open it?"
        denied = denied and not (polite and {"could", "can", "would"} & {*between})
        return at if denied or self._happened(at, verb) else verb

    def _happened(self, at: int, verb: int) -> bool:
        """Whether words tell what somebody did, or will by accident: "you OPENED it", "you'll BREAK it"."""
        words = self._words[at : verb + 1]
        told = [i for i, word in enumerate(words[:-1]) if word in _YOU and words[i + 1] in _PAST]
        doc = parse_words(tuple(self._words[at:])) if words[:1] and words[0] in _YOU and verb == at + 1 else None
        past = doc is not None and (doc[1].tag_ in ("VBD", "VBN") or words[1] in ("put", "set", "cut", "shut"))
        warns = words == ["you", "will", "break"] and self._word(verb + 1) in ("it", "them", "that", "this")
        return bool(told) or past or warns or words[:2] in (["did", "i"], ["do", "i"], ["did", "we"])

    def _led(self, at: int, end: int) -> int:
        you = wished = False
        first = self._word(at)
        for i in range(at, end):
            word, before = self._words[i], self._word(i - 1)
            if you and wished and first != "did" and self._phrases.matched(MAKES_SURE, i) > i:
                return i
            verb = verb_at(self._words, i) if i > at and wished else None
            if verb is not None:
                gerund = verb.form == "ing" and before in _GERUND
                joined = before == "and" and self._word(i - 2) not in _POINTING | {"them"}
                asked = (
                    (before == "me" and self._word(i - 2) == "help")
                    or before == "to"
                    or before in _YOU | _BEFORE
                    or before in AUXILIARIES
                    or joined
                )
                needs = first == "we" and _NEEDS & {*self._words[at:i]}
                said = before in ("say", "says", "said")
                own = {"i", "we", "my"} & {*self._words[at:i]} or first in PEOPLE
                own = own and not (you or needs or said)
                other = first in _POINTING and not you and before != "to"
                if (gerund or (asked and verb.form == "base")) and not own and not other:
                    return self._led(i, end) if word in ASKING else i
            if word not in ASKING and not (i == at and word in PEOPLE):
                return (
                    i
                    if i > at and you and wished and before in ("you", "please", "to") and self.strange(i, end)
                    else at
                )
            you |= word in _YOU
            wished |= word not in ("it", "there", "the", "a", "and", "so", "that")
        return at

    def subject(self, at: int, end: int, *, fronted: bool = False) -> bool:
        """Whether a clause with a subject and a finite verb begins here."""
        words = [part for word in self._shown[at:end] for part in _apart(word)]
        doc = parse_words(tuple(words))
        word, following = self._word(at), self._word(at + 1)
        if doc is None:
            return False
        if word in PERSONS | _POINTING and following in AUXILIARIES:
            return True
        for node in doc:
            verb = node.head
            first = node.left_edge.i == 0 or (
                fronted and doc[0].pos_ in ("ADP", "ADV", "SCONJ", "NOUN", "PROPN", "DET", "PRON")
            )
            if (
                node.dep_ not in SUBJECTS
                or not first
                or verb.i < node.i
                or verb.dep_ in ("relcl", "acl", "advcl", "pcomp")
            ):
                continue
            auxiliary = any(c.dep_ in ("aux", "auxpass") and c.tag_ in _FINITE for c in verb.children)
            personal = node.lower_ in PERSONS | {"it"}
            acts = any(c.dep_ in OBJECTS or c.dep_ == "dative" for c in verb.children)
            named = not (personal or acts) and (verb.lower_,) in self._lexicon.nouns
            result = not personal and verb.tag_ == "VBD" and (STATES.get(base_form(verb.lower_), "broken") != "broken")
            known = (
                is_verb(verb.lower_) or is_verb(verb.lemma_) or (len(verb) > 2 and self._phrases.is_word(verb.lemma_))
            )
            english = personal or verb.lemma_ in ("be", "have", "'s") or known
            several = any(c.dep_ == "conj" for c in node.children)
            commas = [n.text for n in doc[node.right_edge.i if several else node.i : verb.i]].count(",")
            if named or result or commas == 1 or verb.lower_ in PARTICLES.split("|") or verb.lemma_ == "mean":
                continue
            if auxiliary or (verb.tag_ in _FINITE and english):
                return True
        return False

    def _subordinate(self, at: int, end: int, doc: Node, begin: int) -> bool:
        word, following = self._word(at), self._word(at + 1)
        if (
            word in IF
            or (word == "in" and following == "case")
            or word in ("because", "although", "though", "otherwise")
        ):
            return word != "as"
        if word not in TIMES | REASONS or (word == "after" and following in ("that", "this")):
            return False
        return self.subject(at + 1, end)


def _apart(word: str) -> tuple[str, ...]:
    return (word[:-2], "'s") if word.endswith("'s") and len(word) > 2 else (word,)
