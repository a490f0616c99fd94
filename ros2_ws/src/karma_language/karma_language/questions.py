# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions in English, by rules.

A sentence is made plain (contractions, politeness, "could you tell me"), the time that it names is taken out, and its
noun phrases become marks: "where is <0>". What is between commas is a question, what it is about ("the keys, where are
they?"), or a remark. The parts of the question (question_parts.py) then tell what is asked for (question_kinds.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timezone, tzinfo

from karma_language.noun_phrases import Marked, Names, mark
from karma_language.question_kinds import is_undone, kind_of
from karma_language.question_parts import ANY_PLACED, HOME, WH, Parts, parts_of, plain_words
from karma_language.reading import Kind, Question, Span, Thing
from karma_language.time_expressions import take_clause, take_time
from karma_language.tokens import Token, tokens_of
from karma_language.verbs import verb_at
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.words import AUXILIARIES, GENERIC, PEOPLE, PERSONS, PLACED, STATES, base_form, each

_LONGEST = 400
"""Characters of a sentence that are read."""
_WH = "(?:what|when|who|whom|whose|which|how|where|why)"
_AUX = "(?:" + "|".join(sorted(AUXILIARIES, key=len, reverse=True)) + ")"

# --- Words before noun phrases are looked for.

_ASKING = rf"(?=(?:in |on |at |from )?{_WH}\b|if |whether |about )"
_TELL = r"(?:(?:tell|remind|show)(?:ing)? (?:me|us)(?: again)?|say me|check|see|find out|say|look|have a look)"
_LEAD = "(?:(?:please|can|could|would|will|you|mind|kindly|be so kind as to) )*"
_INDIRECT = re.compile(
    rf"{_LEAD}{_TELL}(?: ,)? {_ASKING}(?!if you can )"
    r"|(?:(?:do|would|did|have) you (?:by any chance )?(?:know|remember|recall|see|seen|notice|noticed|check|checked)"
    r"|(?:can|could|would|will) you (?:please |quickly )?(?:remember|recall|say)"
    r"|(?:(?:got )?any|have you (?:any|got any)|do you have any) (?:idea|clue)"
    r"|i(?: am| was)?(?: just)? (?:wonder(?:ing)?|forgot|have forgotten|need to know|want to know)"
    r"|i (?:would|will) like to know|i (?:can not|do not|could not) (?:remember|recall|know)(?: again)?"
    rf")(?: ,)? {_ASKING}",
    re.IGNORECASE,
)
_MISSED = re.compile(r"i (?:can not find|am looking for|have lost|lost|am missing) (?=[^,]{1,60},)", re.IGNORECASE)
_LEADS = re.compile(
    r"(?:(?:please|hey|hi|hello|ok|okay|karma|robot|so|and|well|oh|um|uh|say|excuse me|sorry|i mean|but|now|then)\b"
    r"[ ,]*)+(?=.)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?: ,)? (?:(?:is|are|was|were|do|does|did|have|has|can) not (?:it|they|you|there|he|she|i|we)"
    r"|(?:that|which|as far as) (?:you|u) (?:know|can tell|remember|saw|noticed)(?: of)?"
    r"|please|thanks|thank you|by any chance|do you know|or not|robot|karma|right|huh|at all|do you think"
    r"|honestly|i hope|i wonder|or something|or so|yes|then)$",
    re.IGNORECASE,
)
_NOMINAL = (
    r"(?:(?:what (?:is|was|are)|(?:tell|give|show) me|list|name|state) )?(?:(?:the|my|its) )?"
    r"(?:current |exact |total )*"
)
"""What leads on to a noun that asks: "give me THE NUMBER OF plates", "STATUS OF the fridge?"."""
_REWORDED = tuple(
    (re.compile(pattern, re.IGNORECASE), plain)
    for pattern, plain in (
        (r"\bat home\b|\b(?:lying )?around$|(?<=you )happen(?:ed)? to\b|\bthe (?:door|lid) of (?=the |my |our )", ""),
        (r" (?:on earth|in the world|the hell|the heck)\b|\bat first\b|\bin total\b", ""),
        (r"\b(?:whole|entire) (?=house\b|home\b|flat\b|apartment\b)", ""),
        (r"\b(?:in|around|over|up) (?:here)\b", "here"),
        (r"\b(?:all )?(?:that|this|the) stuff\b", "anything"),
        (r"\b(?:apart|aside) from\b|\bother than\b|\bexcept(?: for)?\b", "besides"),
        (r"\bor (?=(?:is|are) )", ", "),
        (rf"^({_WH}) (?:is|was) it that\b", r"\1"),
        (
            r"^any(?=thing|one|body| )(?!(?:thing)? (?:idea|clue|but)\b)(?!.* (?:is|are|will|would|can)\b)",
            "is there any",
        ),
        (r"^(?:for )?how long ago\b|^(?:at|on|around) (?:what|which) (?:time|day)\b|^what time (?=did|was)", "when"),
        (r"^since when\b|^for how long\b", "how long"),
        (r"^how come\b|^for what reason\b|^what (?:is|was) the reason (?:that|why)\b", "tell me why"),
        (r"\bhow many times\b", "how often"),
        (rf"^({_WH}(?: \w+)?) (?:do|did) you (?:think|reckon|suppose|say) ", r"\1 "),
        (r"^whereabouts\b", "where"),
        (rf"^{_NOMINAL}(?:location|position|whereabouts) of\b", "where is"),
        (rf"^(?:{_NOMINAL}(?:number|amount|count|total) of|{_LEAD}count(?: all)?)(?: the| my| our)?\b", "how many"),
        (rf"^{_NOMINAL}(?:contents?|inside) of\b", "what is in"),
        (rf"^{_NOMINAL}(?:its|their|the) contents?\b", "what is in it"),
        (rf"^{_NOMINAL}(?:status|state|condition) of\b|^(?:in )?what (?:state|condition) is\b", "how is"),
        (rf"^{_LEAD}(?:list|name|enumerate) (?=all|every|the|what|any)(?:all )?", "what is "),
        (r"^(?:is|was|can|could|may|might) (?:it|i) (?:be )?(?:\w+ )?that (?=\w+ \w)", "tell me whether "),
        (r"\b(?:the )?(last|most recent|first) time\b(?: that\b)?", r"\1"),
        (r"\bthe (biggest|largest|smallest|tallest)\b", r"\1"),
        (r"^what (?:is|was) the (?:best |quickest |shortest )?(?:way|route|path)\b", "how can i get"),
        (r"^are you (?:sure|certain) (?:that )?", "tell me whether "),
        (r"\b(?:what|how) about (?=the |my |our |your |his |her )", "about "),
    )
)

# --- What is a question at all.

_REQUEST = re.compile(
    r"(?:can|could|may|will|would) (?:not )?(?:you|i|we|some(?:one|body)|any(?:one|body))\b(?! see)"
    r"|shall we|why do not (?:you|we) (?!do )"
)
_IMPERATIVE = re.compile(r"(?:do|have)\b(?! (?:i|you|we|they|people|all|any)\b)(?!.* been\b)")
_TOPIC = re.compile(
    rf"(?:about )?(?P<thing><\d+>)(?: (?:(?:that|which) is )?(?P<where>from|{ANY_PLACED}) (?P<place><\d+>))?"
)
_STATED = re.compile(rf"(?:{'|'.join(sorted(STATES, key=len, reverse=True))})(?: or \w+)?")
_PROHIBITED = re.compile(r"do not (?!you\b|we\b|i\b|they\b|<\d+> )")
_SUBJECT = re.compile(r"<\d+>|there|here|not")
_BARE = frozenset(each("be have been being"))
"""Words behind an auxiliary that has no subject: "should be done"."""
_CHOICE = re.compile(r"(?:in |on )?<\d+> or (?:in |on )?<\d+>")
_MARK = re.compile(r"<\d+>")
_CLAUSE_NOUNS = re.compile(r"\b(?:it|them|that|this|the \w+|my \w+)\b")
_BEFORE = re.compile(r"where (?:was|were)\b(?!.* last\b)")
_HALF_DAY = re.compile(r"\b([ap])\.m\b\.?", re.IGNORECASE)
_IF_SO = re.compile(
    r",? (?:and )?if (?:so|yes|there (?:is|are)),? (?:tell me )?(?=how|where|what|when|who|why)", re.IGNORECASE
)
_SHORT = frozenset(each("how many much long often where when why who what which"))
"""Questions that an earlier one completes: "is there any bread? where?"."""


def read_question(
    text: str, lexicon: Lexicon, now: float, *, zone: tzinfo = timezone.utc, names: Names | None = None
) -> Question | None:
    """Return what words ask for, None where they are no question, or ask for more than an answer.

    The last of several that the memory answers; see read_questions.
    """
    found = read_questions(text, lexicon, now, zone=zone, names=names)
    asked = next((one for one in reversed(found) if one.kind is not Kind.TOLD), found[0] if found else None)
    return asked.model_copy(update={"quote": text}) if asked is not None else None


def read_questions(
    text: str, lexicon: Lexicon, now: float, *, zone: tzinfo = timezone.utc, names: Names | None = None
) -> tuple[Question, ...]:
    """Return all that words ask for, nothing where they are no question, or ask for more than an answer.

    `now`: seconds, when it was said; `names`: what things of this home are called besides → categories. A question of
    none of the kinds that the robot knows, and one about people, is of kind TOLD: only what people told may answer it.
    """
    found: list[Question] = []
    topic: Thing | None = None
    for sentence, asked, quote in _sentences(text[:_LONGEST]):
        reader = _Sentence(sentence, asked, lexicon, now, zone, names)
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

    def __init__(self, said: str, asked: bool, lexicon: Lexicon, now: float, zone: tzinfo, names: Names | None) -> None:
        self._lexicon = lexicon
        self._names = names
        plain, self._indirect = _plain(said)
        self._said = said.casefold()
        self._plain = plain
        reworded = plain.partition(" ")[0].casefold() in WH and said.partition(" ")[0].casefold() not in WH
        self._asked = asked or self._indirect or reworded
        self._forms = _times(plain, now, zone)

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
            bool(self.short())
            or "i mean " in self._said[:8]
            or _remark(mark(self._plain, self._lexicon, self._names), beside=False)
        )

    def questions(self) -> tuple[Question, ...]:
        """Return what it asks for, nothing for what is no question; the same of several things is asked of each."""
        plain = self._plain.casefold()
        if self._requests(plain):
            return ()
        asks, told, lenient = False, None, None
        for said, time in self._forms:
            marked = mark(said, self._lexicon, self._names)
            for form in self._forms_of(marked):
                parts = parts_of(plain_words(form.text), form)
                if not self._asks(form.text):
                    continue
                asks = True
                kind = kind_of(parts)
                if kind is None or _personal(parts):
                    continue
                if kind is Kind.WHERE and time is None and _BEFORE.search(self._said):
                    time = Span(text="before", lead="before", deed="move")
                question = _question(kind, parts, time, " first " in f" {plain} ")
                if not _spare(kind, parts):
                    return question, *(question.model_copy(update={"thing": thing}) for thing in parts.also)
                if _spare(kind, parts) == 1:
                    lenient = lenient or question
            told = told or Question(quote="?", kind=Kind.TOLD, thing=next(iter(marked.things), None), time=time)
        one = lenient or (told if asks else None)
        return (one,) if one is not None else ()

    def _forms_of(self, marked: Marked) -> Iterator[Marked]:
        """Yield what may be the question: all of it, and the part of it that asks, with what it is about put in."""
        parts = [part for part in re.split(r" ?, ?", marked.text.strip(" ,")) if part]
        topics = [topic for part in parts if (topic := _TOPIC.fullmatch(part)) is not None]
        rest = [part for part in parts if not _TOPIC.fullmatch(part)]
        asking = [asked for part in rest if (asked := self._inverted_in(part))]
        asking = asking or [part for part in rest if self._asks(part)]
        others = [part for part in rest if not any(map(part.endswith, asking))]
        stated = next((part for part in others if _STATED.fullmatch(part)), "")
        others = [part for part in others if not _remark(Marked(part, marked.things))]
        if any(self._requests(part) or self._handles(part, marked) for part in others):
            return
        placed = all(part.split()[0] in PLACED for part in others)  # "in the kitchen, is there a mug?"
        if (self._indirect or not topics) and (placed or not asking):
            yield marked
        if topics and not asking and (self._asked or topics[0][0].startswith("about")):
            if stated:  # "the lamp, on or off?"
                yield Marked(f"{_about('is', topics[0], marked).text} {stated}", marked.things)
            elif not others and marked.thing(topics[0]["thing"]).categories:
                yield _about("where is", topics[0], marked)
        for part in reversed(asking):
            earlier = _TOPIC.search(marked.text, 0, marked.text.find(part)) if _pronoun(part, marked) else None
            topic = topics[0] if topics else earlier
            yield _about(part, topic, marked) if topic is not None else Marked(part, marked.things)

    def _inverted_in(self, part: str) -> str:
        """Return the words of a part from where they are in the order of a question, "" for nowhere.

        What is before a question word says whom or what it is about, or how it came to be asked.
        """
        if self._requests(part):
            return ""
        words = part.split()
        for at, word in enumerate(words):
            led = at > 0 and words[at - 1] in _LEADING
            if at > led and (word not in WH or words[at - 1] in (*WH, "of")):
                continue
            before = words[:at] if at - led > 1 else []
            if any(earlier in PERSONS | _SAYING or verb_at(words, i) for i, earlier in enumerate(before)):
                return ""  # "go and see what is there"
            if _inverted(" ".join(words[at:]), indirect=self._indirect and at == 0):
                return " ".join(words[at - led :])
        return ""

    def _handles(self, part: str, marked: Marked) -> bool:
        """Whether words want something to be done with a thing: "wash it", and not "hold on a second"."""
        named = (marked.thing(found) for found in _MARK.findall(part))
        return _acts(tuple(part.split()), 0) and any(one.categories or one.pronoun for one in named)

    def _requests(self, part: str) -> bool:
        """Whether words want something done."""
        return _REQUEST.match(part) is not None or (_IMPERATIVE.match(part) is not None and not self._asked)

    def _asks(self, text: str) -> bool:
        """Whether words are in the order of a question, or marked as one."""
        if _inverted(text, indirect=self._indirect):
            return True
        words = text.split()
        if not self._asked or not words:
            return False
        return (
            not WH.isdisjoint(words)
            or words[0] == "you"
            or (not self._indirect and any(word in AUXILIARIES for word in words[1:3]))
        )


def _inverted(text: str, *, indirect: bool) -> bool:
    """Whether words are in the order of a question."""
    words = text.split()
    at = 1 if len(words) > 1 and words[1] in WH and words[0] in _LEADING else 0
    first = words[at] if words else ""
    if _PROHIBITED.match(text):
        return False
    if AUXILIARIES.get(first) == "have" and words[1:2] and words[1][0] == "<":
        return any(base_form(word) != word for word in words[2:])  # not "had a long day"
    if first in AUXILIARIES and len(words) > 1:
        return _SUBJECT.fullmatch(words[1]) is not None or (words[1].isalpha() and words[1] not in _BARE)
    if first not in WH:
        return indirect and first in ("if", "about")
    noun = first in ("what", "which", "whose", "how")
    following = (w for w in words[at + 1 :] if w not in _BETWEEN and not (noun and _MARK.fullmatch(w)))
    after = next(following, "")
    if first == "how" and after not in AUXILIARIES:
        after = next(following, "")
    return first == "who" or after in AUXILIARIES or base_form(after) in _CHANGING


_LEADING = frozenset(each("in on at to from into for with"))
"""What belongs to a question word that follows it."""
_SAYING = frozenset(each("let me see know tell ask"))
_BETWEEN = frozenset(each("of else exactly one ones still kind sort"))
_CHANGING = frozenset(each("change happen go"))


def _plain(text: str) -> tuple[str, bool]:
    """Return a text without politeness, and whether its question was an indirect one."""
    text = _LEADS.sub("", text, count=1) if _LEADS.match(text) else text
    while (shorter := _TAIL.sub("", text)) != text:
        text = shorter
    for pattern, plain in _REWORDED:
        text = pattern.sub(plain, text)
    text = " ".join(text.split())
    if (missed := _MISSED.match(text)) is not None:
        text = text[missed.end() :]
    direct = _INDIRECT.sub("", text, count=1) if _INDIRECT.match(text) else text
    return direct, direct != text


def _times(text: str, now: float, zone: tzinfo) -> list[tuple[str, Span | None]]:
    """Return the readings of the time: taken out, none (it may be part of a name), a clause."""
    said, time = take_time(text, now, zone)
    without, clause = take_clause(text)
    forms: list[tuple[str, Span | None]] = [(said, time), (text, None)] if time is not None else [(text, None)]
    at = 0 if time is None else len(forms)
    if clause is None:
        return forms
    lead, _, rest = clause.text.strip(" ,").partition(" ")
    verbs = parts_of(plain_words(_CLAUSE_NOUNS.sub("", rest.casefold())), Marked("", ())).words
    span = Span(text=clause.text.strip(" ,"), lead=lead.casefold(), deed=verbs[-1] if verbs else "")
    return [*forms[:at], (without, span), *forms[at:]]


def _remark(form: Marked, *, beside: bool = True) -> bool:
    """Whether words ask for nothing, and tell nothing that should be kept: "it seems like a lot", "tell me everything".

    `beside`: they are said in the same sentence as a question.
    """
    words = tuple(form.text.replace(",", " ").split())
    things = [form.thing(mark) for mark in _MARK.findall(form.text)]
    if beside and _CHOICE.fullmatch(form.text.strip()):
        return True
    if words and words[-1] in PLACED and not any(_acts(words, at) for at in range(len(words))):
        return True  # broken off: "the fork into ..."
    if any(thing.categories or thing.room for thing in things):
        return False
    if words[:2] == ("tell", "me"):
        return True
    points = any(thing.pronoun for thing in things) or (beside and not things and len(words) <= 3)
    return points and not any(_acts(words, at) for at in range(len(words)))


def _acts(words: Sequence[str], at: int) -> bool:
    """Whether a request begins at a word: its verb is first, or has an object."""
    verb = verb_at(words, at) if words[at][0] != "<" and words[at] not in AUXILIARIES else None
    if verb is None or verb.form != "base":
        return False
    return at == 0 or "".join(words[at + verb.length :]).startswith("<")


def _about(part: str, topic: re.Match[str], form: Marked) -> Marked:
    """Return a question in which what it is about stands for the first pronoun, or behind it."""
    pronoun = _pronoun(part, form)
    text = part.replace(pronoun, topic["thing"], 1) if pronoun else f"{part} {topic['thing']}"
    return Marked(f"{text} {(topic['where'] or '').replace('from', 'on')} {topic['place'] or ''}", form.things)


def _pronoun(part: str, form: Marked) -> str:
    """Return the mark of the first pronoun, "" for none."""
    return next((found for found in _MARK.findall(part) if form.thing(found).pronoun), "")


def _question(kind: Kind, parts: Parts, time: Span | None, first: bool) -> Question:
    """Return the question that parts make."""
    thing, place, deed = parts.thing, parts.place, parts.verb
    if thing is None and kind in _OF_THING:
        thing = Thing(text="them", pronoun=True, plural=True)
    if place is not None and (_anywhere(place.thing) or (kind is Kind.WHERE and parts.either)):
        place = None
    if thing is not None and (
        (kind is Kind.DID and thing.text.casefold().split()[-1] in GENERIC)
        or (kind is Kind.HOLDING and parts.wh)
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
    undone = is_undone(parts) if kind is Kind.ASKED else kind is Kind.WHY and parts.undone
    return Question.model_validate(
        {"quote": "?", "kind": kind, "first": first and kind is Kind.WHEN, "undone": undone, **said}
    )


def _anywhere(place: Thing) -> bool:
    """Whether a place is all that is known: "the house", "this room"."""
    return place.text.casefold().split()[-1] in HOME | {"room", "place"} and not (place.categories or place.room)


_OF_ROBOT = (Kind.ROBOT, Kind.ABLE, Kind.LOOKED)
_OF_EACH = (Kind.EXISTS, Kind.WHERE, Kind.COUNT, Kind.STATE)
_OF_THING = (Kind.COUNT, Kind.WHERE, Kind.STATE)
_PLACING = frozenset(each("put place leave bring take set stash move stick drop"))
"""What the robot did with a thing that it is asked for: "where did you put my card?"."""
_OF_DEEDS = (Kind.DID, Kind.WHEN, Kind.HOW_OFTEN, Kind.WHY, Kind.WHO, Kind.ASKED)


def _spare(kind: Kind, parts: Parts) -> int:
    """Return how many words no part accounts for."""
    loose = kind in (Kind.WHY, Kind.WHO, Kind.DID, Kind.ASKED, Kind.CHANGED, Kind.HAPPENED, Kind.SIZE, Kind.HOLDING)
    return 0 if loose else len(parts.left) + 2 * (bool(parts.also) and kind not in _OF_EACH)


def _personal(parts: Parts) -> bool:
    """Whether a question is about people: only what was told can answer it."""
    things = (parts.thing, parts.place.thing if parts.place else None)
    return any(thing is not None and thing.text.casefold().split()[-1] in PEOPLE for thing in things)


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
