# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions in English, by rules.

The time that a sentence names is taken out, and its noun phrases become marks: "where is <0>". Its syntax tells which
clause of it asks (question_clauses.py), the parts of that clause (question_parts.py) what for (question_kinds.py).
What is said beside it is what it is about ("the keys, where are they?"), or a remark.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from karma_language.noun_phrases import Marked, Names, mark
from karma_language.question_clauses import MARK, WH, Asking, acts, inverted, verbless
from karma_language.question_kinds import SEE, is_failed, is_undone, kind_of
from karma_language.question_parts import ANY_PLACED, HOME, Parts, parts_of, plain_words
from karma_language.reading import Kind, Question, Relation, Span, Thing, Where
from karma_language.rewording import reworded
from karma_language.states import STATES
from karma_language.time_expressions import take_clause, take_time
from karma_language.tokens import Token, tokens_of
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.words import AUXILIARIES, GENERIC, PEOPLE, PLACED, base_form, each

_LONGEST = 400
"""Characters of a sentence that are read."""
_LEADS = re.compile(r"^(?:(?:and|so|wait|ok|okay|oh|well|then|now|but|um+|hm+|uh|please)\b[ ,]*)+(?=.)", re.IGNORECASE)
_TOPIC = re.compile(rf"(?P<thing><\d+>)(?: (?:(?:that|which) is )?(?P<where>from|{ANY_PLACED}) (?P<place><\d+>))?")
_CHOICE = re.compile(r"(?:in |on )?<\d+> or (?:in |on )?<\d+>")
_CLAUSE_NOUNS = re.compile(r"\b(?:it|them|that|this|the \w+|my \w+)\b")
_BEFORE = re.compile(r"where (?:was|were)\b(?!.* last\b)")
_EMBEDDING = re.compile(r"\b(?:know|tell me|remember|recall|wonder|idea|say)\W*$", re.IGNORECASE)
"""What a question may follow, and no time."""
_HALF_DAY = re.compile(r"\b([ap])\.m\b\.?", re.IGNORECASE)
_IF_SO = re.compile(
    r",? (?:and )?if (?:so|yes|there (?:is|are)),? (?:tell me )?(?=how|where|what|when|who|why)", re.IGNORECASE
)
_BY_SOMEBODY = re.compile(r"\b(?:[Dd]id|[Hh]as|[Dd]oes) (?:he|she|[A-Z][a-z]+)\b")
"""Somebody else did what is asked about; whether is not known by what the robot did."""
_OF_WHOEVER = frozenset((Kind.ASKED, Kind.DID, Kind.EXISTS, Kind.WHEN, Kind.HOW_OFTEN))
_EVERY = frozenset(each("all every each both"))
_SHORT = frozenset(each("how many much long often where when why who what which"))
"""Questions that an earlier one completes: "is there any bread? where?"."""


def read_question(text: str, lexicon: Lexicon, now: float, *, names: Names | None = None) -> Question | None:
    """Return what words ask for, None where they are no question, or ask for more than an answer.

    The last of several that the memory answers; see read_questions.
    """
    found = read_questions(text, lexicon, now, names=names)
    asked = next((one for one in reversed(found) if one.kind is not Kind.TOLD), found[0] if found else None)
    return asked.model_copy(update={"quote": text}) if asked is not None else None


def read_questions(text: str, lexicon: Lexicon, now: float, *, names: Names | None = None) -> tuple[Question, ...]:
    """Return all that words ask for, nothing where they are no question, or ask for more than an answer.

    `now`: seconds, when it was said; `names`: what things of this home are called besides → categories. A question of
    none of the kinds that the robot knows, and one about people, is of kind TOLD: only what people told may answer it.
    """
    found: list[Question] = []
    topic: Thing | None = None
    for sentence, asked, quote in _sentences(text[:_LONGEST]):
        reader = _Sentence(sentence, asked, lexicon, now, names)
        asked_for, named = reader.questions(), reader.topic()
        if found and (short := reader.short()):
            found[-1] = _completed(found[-1], short)
        elif found and named is not None and asked:
            found.append(found[-1].model_copy(update={"thing": named, "quote": quote}))
        elif asked_for:
            before = _about_what(found[-1]) if found else topic
            quoted = (question.model_copy(update={"quote": quote}) for question in asked_for)
            found += [_same(before, question) or question for question in quoted]
        elif named is not None or reader.remark():
            topic = named or topic
        else:
            return ()
    if len(found) > 1 and any(one.kind is not Kind.TOLD for one in found):
        found = [one for one in found if one.kind is not Kind.TOLD]
    return (found[0].model_copy(update={"quote": text}),) if len(found) == 1 else tuple(found)


def _sentences(text: str) -> Iterator[tuple[str, bool, str]]:
    """Yield the sentences of a text, made plain, whether each has a question mark, and their words as said."""
    text = _HALF_DAY.sub(r"\1m", _IF_SO.sub("? ", text))
    words: list[str] = []
    begin = 0
    for token in (*tokens_of(text), None):
        word = _said(token, text) if token is not None else "."
        if word in (".", "?", "!", "...", "..", "....", "…", "(", ")"):
            end = token.end if token is not None else len(text)
            if any(word != "," for word in words):
                yield " ".join(words).strip(", "), word == "?", text[begin:end].strip()
            words, begin = [], end
        elif word in ("-", "–", "—", ":", ";"):
            words.append(",")
        elif word == "," or word[0].isalnum():
            words.append(word)


def _said(token: Token, text: str) -> str:
    """Return a word as it was said, a contraction in full."""
    said = text[token.start : token.end].replace("’", "'")
    return said if said.casefold() == token.word else token.word


class _Sentence:
    """A sentence that may be a question."""

    def __init__(self, said: str, asked: bool, lexicon: Lexicon, now: float, names: Names | None) -> None:
        self._lexicon = lexicon
        self._names = names
        self._now = now
        self._plain = _plain(said)
        first = self._plain.partition(" ")[0].casefold()
        if asked and (first == "see" or (base_form(first) != first and base_form(first) in SEE | {"get"})):
            self._plain = f"{'do' if first == 'see' else 'have'} you {self._plain}"  # "seen my keys?"
        self._said = said.casefold()
        reworded = self._plain.partition(" ")[0].casefold() in WH and said.partition(" ")[0].casefold() not in WH
        self._asked = asked or reworded or self._plain.startswith("about ")
        self._forms = _times(self._plain, now)

    def short(self) -> str:
        """Return the question word of a sentence that has nothing else, "" for all others."""
        words = [word for word in self._plain.casefold().split() if word not in (",", "and", "or", "exactly")]
        return words[-1] if words and {*words} <= _SHORT else ""

    def topic(self) -> Thing | None:
        """Return the thing that is all that it names, None for all others: "and the lamp?", "what a lot of chairs!"."""
        form = mark(self._plain, self._lexicon, self._names)
        only = re.fullmatch(r"(?:and )?(?:about |what (?:<\d+> of )?)?(<\d+>)", form.text.strip())
        return form.thing(only[1]) if only is not None else None

    def remark(self) -> bool:
        """Whether it asks for nothing and says nothing that is worth being kept: "she's crying for it"."""
        return (
            bool(self.short()) or "i mean " in self._said[:8] or _remark(mark(self._plain, self._lexicon, self._names))
        )

    def questions(self) -> tuple[Question, ...]:
        """Return what it asks for, nothing for what is no question; the same of several things is asked of each."""
        plain = self._plain.casefold()
        asks, told, lenient = False, None, None
        named = next((time.text.casefold() for _, time in self._forms if time is not None and not time.lead), "")
        for said, time in self._forms:
            marked = mark(said, self._lexicon, self._names)
            if time is None and named and not any(named in text and text != named for text in _names(marked)):
                continue  # it is no part of a name
            found = Asking(marked, asked=self._asked)
            if found.requests:
                return ()
            asks = asks or found.tagged
            if len(several := self._joined(found, marked, time)) > 1:
                return several
            for text in self._texts(found, marked):
                asks = True
                parts, kind = _read(text, marked)
                if kind is None:
                    continue
                did = parts.agent == "you" and parts.wh == "where" and "did" in plain.split()
                found_there = did and (parts.verb in _FINDING or self._said.endswith(" from"))
                if kind is Kind.WHERE and time is None and (found_there or _BEFORE.search(self._said)):
                    time = Span(text="before", lead="before", deed="move")
                question = _question(kind, parts, time, " first " in f" {plain} ")
                if (
                    " will " in plain and parts.auxiliary == "will" and not parts.agent
                ):  # "where will the mug be tomorrow?"
                    to_come = Span(text="then", since=self._now + 86_400.0)
                    question = question.model_copy(update={"time": to_come})
                question = _every(_denied(question, parts), plain)
                if kind in _OF_WHOEVER and _BY_SOMEBODY.search(self._plain):
                    question = Question(quote="?", kind=Kind.TOLD, time=time)  # "did Bob move it?"
                rooms = [thing for thing in marked.things if thing.room and not thing.categories]
                if kind is Kind.CHANGED and question.thing is None and question.place is None and len(rooms) == 1:
                    there = Where(relation=Relation.IN, thing=rooms[0])  # "the hall looks odd, what was moved?"
                    question = question.model_copy(update={"place": there})
                if kind is Kind.DID and question.thing is None and " last " in f" {said.casefold()} ":
                    question = question.model_copy(update={"last": True})
                if not _spare(kind, parts):
                    return question, *(question.model_copy(update={"thing": thing}) for thing in parts.also)
                if _spare(kind, parts) == 1:
                    lenient = lenient or question
            told = told or Question(quote="?", kind=Kind.TOLD, thing=next(iter(marked.things), None), time=time)
        one = lenient or (told if asks else None)
        return (one,) if one is not None else ()

    def _joined(self, found: Asking, marked: Marked, time: Span | None) -> tuple[Question, ...]:
        """Return the questions that "and" joins, where each can be read by itself: "where is it, and is it clean?"."""
        words = found.words
        begins = [at for at in found.begins[1:] if words[at - 1] == "and"]
        questions: list[Question] = []
        for begin, end in itertools.pairwise((0, *begins, len(words) + 1)):
            parts, kind = _read(" ".join(words[begin : end - 1]).rstrip(" ,"), marked)
            if kind is None or _spare(kind, parts):
                return ()
            question = _question(kind, parts, time, "first" in words[begin:end])
            questions.append(_same(_about_what(questions[-1]), question) or question if questions else question)
        return tuple(questions)

    def _texts(self, found: Asking, marked: Marked) -> Iterator[str]:
        """Yield the words that may be the question, with what it is about put in."""
        words = found.words
        begins = [*reversed(found.begins)]
        if not begins and self._asked:
            if (whole := verbless(words)) and not self._vague(whole, marked):
                yield whole
            begins = [at for at, word in enumerate(words) if at == 0 or words[at - 1] == ","]
        for begin in begins:
            asking, *others = _parted(words[begin:])
            said = asking.split()
            if not found.begins and (reordered := verbless(said)) and not self._vague(reordered, marked):
                yield reordered
            if not found.begins and not (
                not WH.isdisjoint(said) or said[:1] == ["you"] or any(word in AUXILIARIES for word in said[1:3])
            ):
                continue
            before = " ".join(word for word in words[:begin] if word != ",")
            named = MARK.search(asking) is not None
            after = [part for part in others if not ((named and _CHOICE.fullmatch(part)) or inverted(part.split()))]
            pronoun = _pronoun(asking, marked)
            topics = (*map(_TOPIC.fullmatch, after), *_TOPIC.finditer(before))
            topic = next((one for one in topics if one and not _person(marked.thing(one["thing"]))), None)
            if topic is not None and (pronoun or not named):
                yield _about(asking, topic, pronoun)
                if pronoun:
                    continue
            if after and not named:
                yield " ".join((asking, *after))
            placed = [part for part in (*_parted(words[:begin]), *after) if part.partition(" ")[0] in PLACED]
            yield " ".join((asking.removesuffix(" or not"), *placed))
            yield " ".join((asking, *after))
        if not begins and not WH.isdisjoint(words):
            told = words[2:] if words[1:2] == ["is"] and _pronoun(words[0], marked) else words  # "THAT IS how many?"
            plain = [word for word in told if word != "is"]
            yield from filter(None, map(verbless, (words, plain) if len(words) - len(plain) < 4 else (words,)))

    @staticmethod
    def _vague(text: str, marked: Marked) -> bool:
        """Whether it only asks where something is that no noun names: "and the blue one?"."""
        thing = marked.thing(MARK.findall(text)[0])
        named = thing.categories and not thing.pronoun and not thing.text.casefold().endswith(("one", "ones"))
        return text.startswith("where is") and not named


def _read(text: str, marked: Marked) -> tuple[Parts, Kind | None]:
    """Return the parts of a question and what it asks for; None for what only people can have told."""
    parts = parts_of(plain_words(text), Marked(text, marked.things))
    kind = kind_of(parts)
    return parts, None if kind is not Kind.ABOUT and _personal(parts) else kind


def _names(marked: Marked) -> Iterator[str]:
    return (thing.text.casefold() for thing in marked.things)


def _parted(words: list[str]) -> list[str]:
    return [part for part in re.split(r" ?, ?", " ".join(words)) if part] or [""]


def _plain(text: str) -> str:
    """Return a text in the words that the parts of questions are read from."""
    return reworded(_LEADS.sub("", text, count=1))


def _times(text: str, now: float) -> list[tuple[str, Span | None]]:
    """Return the readings of the time: taken out, none (it may be part of a name), a clause."""
    said, time = take_time(text, now)
    said = said.strip(" ,")
    without, clause = take_clause(text)
    forms: list[tuple[str, Span | None]] = [(said, time), (text, None)] if time is not None else [(text, None)]
    at = 0 if time is None else len(forms)
    if clause is None:
        return forms
    lead, _, rest = clause.text.strip(" ,").partition(" ")
    verbs = parts_of(plain_words(_CLAUSE_NOUNS.sub("", rest.casefold())), Marked("", ())).words
    if lead.casefold() == "when" and _EMBEDDING.search(without):
        return [*forms, (without, None)]  # "could you tell me when you saw it?"
    if (
        lead.casefold() == "when" and verbs and verbs[-1] in SEE | {"look", "check"}
    ):  # what is known is as it was seen last
        return [*forms[:at], (without, None), (text, None)]
    span = Span(text=clause.text.strip(" ,"), lead=lead.casefold(), deed=verbs[-1] if verbs else "")
    return [*forms[:at], (without, span), *forms[at:]]


def _remark(form: Marked) -> bool:
    """Whether words ask for nothing, and tell nothing that should be kept: "it seems like a lot"."""
    words = tuple(form.text.replace(",", " ").split())
    things = [form.thing(found) for found in MARK.findall(form.text)]
    if any(acts(words, at) for at in range(len(words))):
        return words[:2] == ("tell", "me") and not any(thing.categories or thing.room for thing in things)
    if words and words[-1] in PLACED:
        return True  # broken off: "the fork into ..."
    return not any(thing.categories or thing.room for thing in things) and any(thing.pronoun for thing in things)


def _about(part: str, topic: re.Match[str], pronoun: str) -> str:
    """Return a question in which what it is about stands for its pronoun, or behind it."""
    text = part.replace(pronoun, topic["thing"], 1) if pronoun else f"{part} {topic['thing']}"
    return f"{text} {(topic['where'] or '').replace('from', 'on')} {topic['place'] or ''}"


def _pronoun(part: str, form: Marked) -> str:
    """Return the mark of the first pronoun, "" for none."""
    return next((found for found in MARK.findall(part) if form.thing(found).pronoun), "")


def _question(kind: Kind, parts: Parts, time: Span | None, first: bool) -> Question:
    """Return the question that parts make."""
    thing, place, deed = parts.thing, parts.place, parts.verb
    if kind is Kind.WHERE and parts.state and thing is not None and time is None:
        kind = Kind.WHICH  # "where is the lamp that is on?"
    if thing is None and kind in _OF_THING:
        thing = Thing(text="them", pronoun=True, plural=True)
    if place is not None and (_anywhere(place.thing) or (kind is Kind.WHERE and parts.either)):
        place = None
    if thing is not None and (
        (kind is Kind.DID and thing.text.casefold().split()[-1] in GENERIC)
        or (kind is Kind.HOLDING and parts.wh)
        or (kind in (Kind.DID, Kind.WHY) and thing.pronoun and deed == "do")
        or (kind in _OF_ROBOT and thing is parts.head)
    ):
        thing = None
    placed = kind is Kind.WHERE and parts.agent == "you" and deed in _PLACING
    if not (placed or kind in _OF_DEEDS) or deed == "do" or (deed == "go" and parts.wh == "what"):
        deed = ""
    elif kind is Kind.WHEN and deed in ("find", "notice", "spot"):
        deed = "see"
    said = {
        "thing": thing,
        "place": place,
        "state": parts.state,
        "time": time,
        "deed": deed,
        "either": parts.either,
        "open": parts.wh in ("what", "which"),
        "besides": parts.besides,
    }
    undone = is_undone(parts) if kind is Kind.ASKED else kind is Kind.WHY and is_failed(parts)
    return Question.model_validate(
        {"quote": "?", "kind": kind, "first": first and kind is Kind.WHEN, "undone": undone, **said}
    )


def _denied(question: Question, parts: Parts) -> Question:
    """Return a question with what "not" makes of it: "which lamps are not on?" asks for those that are off."""
    if not parts.undone or question.kind not in (Kind.WHICH, Kind.COUNT, Kind.CONTENTS):
        return question
    opposite = STATES[question.state][2] if question.state else ""
    return question.model_copy(update={"state": opposite} if opposite in STATES else {"kind": Kind.TOLD})


def _every(question: Question, plain: str) -> Question:
    """Return a question with whether it asks for the state of every thing: "are all the lights off?"."""
    if question.kind is not Kind.STATE or question.thing is None or _EVERY.isdisjoint(plain.split()):
        return question
    return question.model_copy(update={"thing": question.thing.model_copy(update={"every": True, "plural": True})})


def _anywhere(place: Thing) -> bool:
    """Whether a place is all that is known: "the house", "this room"."""
    return place.text.casefold().split()[-1] in HOME | {"room", "place"} and not (place.categories or place.room)


_OF_ROBOT = (Kind.ROBOT, Kind.ABLE, Kind.LOOKED)
_OF_EACH = (Kind.EXISTS, Kind.WHERE, Kind.COUNT, Kind.STATE)
_OF_THING = (Kind.COUNT, Kind.WHERE, Kind.STATE)
_FINDING = frozenset(each("find get fetch pick grab"))
_PLACING = frozenset(each("put place leave bring take set stash move stick drop"))
"""What the robot did with a thing that it is asked for: "where did you put my card?"."""
_OF_DEEDS = (Kind.ABOUT, Kind.DID, Kind.WHEN, Kind.HOW_OFTEN, Kind.WHY, Kind.WHO, Kind.ASKED)


def _spare(kind: Kind, parts: Parts) -> int:
    """Return how many words no part accounts for."""
    loose = kind in (Kind.WHY, Kind.WHO, Kind.DID, Kind.ASKED, Kind.CHANGED, Kind.HAPPENED, Kind.SIZE, Kind.HOLDING)
    return 0 if loose else len(parts.left) + 2 * (bool(parts.also) and kind not in _OF_EACH)


def _personal(parts: Parts) -> bool:
    """Whether a question is about people: only what was told can answer it."""
    things = (parts.thing, parts.place.thing if parts.place else None)
    return any(thing is not None and _person(thing) for thing in things)


def _person(thing: Thing) -> bool:
    return thing.text.casefold().split()[-1] in PEOPLE


def _about_what(question: Question) -> Thing | None:
    """Return the thing or the place that a question is about."""
    return question.thing or (question.place.thing if question.place is not None else None)


def _same(thing: Thing | None, question: Question) -> Question | None:
    """Return a question in which "it" is what was spoken of before; None where it has no such word."""
    if thing is None or thing.pronoun:
        return None
    if question.thing is not None and question.thing.pronoun:
        return question.model_copy(update={"thing": thing})
    if question.place is not None and question.place.thing.pronoun:
        return question.model_copy(update={"place": question.place.model_copy(update={"thing": thing})})
    return None


def _completed(before: Question, short: str) -> Question:
    """Return a question with the one that only completes it: "is there any bread? how much?"."""
    kinds = {"many": Kind.COUNT, "much": Kind.COUNT, "where": Kind.WHERE, "when": Kind.WHEN, "why": Kind.WHY}
    kind = kinds.get(short, before.kind)
    return before.model_copy(update={"kind": kind if before.thing is not None else before.kind})
