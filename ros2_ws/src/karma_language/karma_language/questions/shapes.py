# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A sentence without what it names: things, places, states and times are taken out, and the way of asking is left."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from karma_language.phrases.marking import mark
from karma_language.phrases.nouns import Names
from karma_language.phrases.times import take_clause, take_time
from karma_language.things import Relation, Span, Thing, Where
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.tokens import tokens_of
from karma_language.vocabulary.word_meanings import Sort, means, sense_of
from karma_language.vocabulary.words import AUXILIARIES, HOME, PARTICLES, PERSONS, PLACED, STATES, base_form

MARK = re.compile(r"<(\d+)>")
_PLACES = "|".join(sorted(map(re.escape, PLACED), key=len, reverse=True))
_PLACED = re.compile(rf"\b(?P<place>{_PLACES}) (?:which |what )?$")
_STRANDED = re.compile(r"<(?P<number>\d+)> (?:\w+ )?(?P<place>next to|near|close to|beside|under|behind|in front of)$")
"""What is put at the end: "what is THE SINK next to?"."""
_HEAD = re.compile(r"\b(?:which|what|whose)(?: ones?)?(?: of)? $")
_BESIDES = re.compile(r"\b(?:besides|except(?: for)?|other than|(?:apart|aside) from) $")
_OPERATED = re.compile(r"\b(?:turn|switch|plug)\w* (?:on|off|in) $")
"""Verbs whose "on" is no preposition of place."""
_WHENCE = re.compile(r"\b(?:from|out of|off(?: of)?) $")
_HOLDING = re.compile(r"<\d+> (?:contains?|holds?\b|(?:have|has)(?= <| on| in|$))")
"""What holds something: "does THE FRIDGE contain any milk?"."""
_STATE = re.compile(
    rf"(?<!\ba )\b(?:{'|'.join(sorted({*STATES.values()}))})\b"
    r"(?! (?:the (?:mugs?|table|kitchen)|it|them|there|here|which|what|house|home|flat|apartment)\b)"
)
"""A state by its name; "on" only where it is no preposition, "cold" only where it is no illness."""
_WORD = re.compile(r"<\d+>|[a-z']+|,")
_EMBEDDING = re.compile(r"\b(?:know|tell(?:ing)? me|remember|recall|wonder|idea|say)\W*$", re.IGNORECASE)
"""What a question may follow, and no time."""
_SO_FAR = re.compile(r"\b(?:up to|up until|until|till) now\b|\bso far\b|\bin the end\b", re.IGNORECASE)
_NOW = frozenset(("now", "right now", "just now", "at the moment", "currently"))
_SEEING = frozenset(("see", "look", "check", "notice", "spot"))
_TAG = re.compile(
    rf"(?<=[\w>]) ?, (?P<verb>{'|'.join(AUXILIARIES)})(?: not)? (?:i|you|we|it|they|there)$"
    r"| ?, (?:right|correct|yes|no|eh)$"
    r"| ?, (?:i|we) (?:hope|trust|think|believe|guess|reckon|suppose|assume|presume|take it)$",
    re.IGNORECASE,
)
"""What makes a question of what is said: "the mug is full, ISN'T IT?", "you closed it, I HOPE?"."""
_ASIDE = re.compile(
    r" ,? ?in case (?!of\b).*$| ,? ?or (?:do|does|did|has|have) .*$"
    r"| (?:after|afterwards|behind you|after you)(?= ,|$)",
    re.IGNORECASE,
)
"""What says why it is asked, what it may be instead, or that it came afterwards: "… IN CASE SHE ASKS"."""
_TOPIC = re.compile(
    rf"^(?P<topic>(?:the|this|that|these|those|my|our)\b(?:(?!\b(?:{'|'.join((*AUXILIARIES, *PERSONS))})\b)[^,])+?) ?, "
    rf"(?P<asks>(?:(?:where|when|why|how) )?(?:{'|'.join(AUXILIARIES)})) "
    r"(?:it|that|this|they|those|these)(?: ones?)?\b",
    re.IGNORECASE,
)
"""What a question is about, before it: "THE ONE IN THE BEDROOM, IS THAT open?"."""
_TO_USE = re.compile(
    rf"^(?P<asks>|(?:{'|'.join(AUXILIARIES)})\b.* )(?P<any>what|anything|something)"
    r"(?! did\b| does\b)(?P<rest>(?: (?!to\b)[\w']+)*) to (?P<use>eat|drink|read)\b",
    re.IGNORECASE,
)
_USED = {"eat": "food", "drink": "drink", "read": "reading material"}
_WHOLE = re.compile(rf"\b(?:whole|entire) (?=(?:{'|'.join(sorted(HOME))})\b)", re.IGNORECASE)
_IS_FIRST = re.compile(r"^(?P<be>is|are|was|were) (?P<what>(?:the )?\w+)", re.IGNORECASE)
_LEADS = re.compile(r"^(?:(?:and|so|wait|ok|okay|oh|well|then|now|but|um+|hm+|uh|hey)\b[ ,]*)+(?=.)", re.IGNORECASE)


@dataclass(frozen=True)
class Shape:
    """A sentence without what it names."""

    text: str
    """With the same noun in place of all things, all places, all rooms, and one state in place of all."""
    words: tuple[str, ...]
    """In lower case, each thing as its mark: <0>."""
    marked: tuple[Thing, ...] = ()
    things: tuple[Thing, ...] = ()
    places: tuple[Where, ...] = ()
    idle: tuple[Thing, ...] = ()
    """Unknown nouns of which some way of asking is made, too: the door of "who closed the door?"."""
    rooms: tuple[Thing, ...] = ()
    """Without a preposition."""
    heads: tuple[Thing, ...] = ()
    """What "which" or "what" stands before: the drawer of "in which drawer"."""
    besides: Thing | None = None
    pronoun: Thing | None = None
    relation: Relation | None = None
    """How something is to the pronoun: "on it"."""
    states: tuple[str, ...] = ()
    time: Span | None = None
    whence: bool = False
    """Whether it names a place as where something was taken from."""

    @property
    def named(self) -> bool:
        """Whether it names any thing or place."""
        return bool(self.things or self.places or self.rooms or self.heads)


def plain(text: str) -> str:
    """Return a text in full words: "where's it - on?" as "where is it , on"."""
    words = []
    for token in tokens_of(text):
        said = text[token.start : token.end].replace("’", "'").removesuffix(".")
        word = said if said.casefold() == token.word else token.word
        words.append(word if any(map(str.isalnum, word)) else ",")
    text = _SO_FAR.sub("", re.sub(r"(?: ,)+", " ,", " ".join(words)))
    text = _LEADS.sub("", text.strip(" ,"))
    tag = _TAG.search(text)
    text = _inverted(text[: tag.start()], tag["verb"]) if tag is not None else text
    text = _TO_USE.sub(_kind_for, _WHOLE.sub("", _ASIDE.sub("", text)))
    return _TOPIC.sub(r"\g<asks> \g<topic>", text)


def _kind_for(match: re.Match[str]) -> str:
    """Return "what food is there" for "what is there to eat", "is there any food" for "is there anything to eat"."""
    which = "what" if match["any"].casefold() == "what" else "any"
    return f"{match['asks']}{which} {_USED[match['use'].casefold()]}{match['rest']}"


def _inverted(said: str, verb: str | None) -> str:
    """Return what a tag makes a question of, in the order of one: "it is not there" as "is it there"."""
    subject, found, rest = said.partition(f" {verb} ")
    who = subject.casefold().split()
    if verb and found and (len(who) == 1 or PERSONS.isdisjoint(who)):  # not "I THINK it is dirty, isn't it?"
        return f"{verb} {subject} {rest.removeprefix('not ')}"
    doer, _, deed = said.partition(" ")
    done, _, rest = deed.partition(" ")
    asks = verb == "did" and not found and doer.casefold() == "you"
    return f"{verb} {doer} {base_form(done)} {rest}" if asks else said


def shape_of(
    text: str, now: float, lexicon: Lexicon, names: Names | None, idle: Collection[str], *, clauses: bool = True
) -> Shape:
    """Take out what a sentence names. `now`: seconds, when it was said; `idle`: unknown nouns that stay.

    `clauses`: whether a clause that says when ("before you moved it") is taken out, too.
    """
    asked, whole = text.rstrip().endswith("?"), plain(text)
    said, time = _timed(whole, now, clauses=clauses)
    first = time is not None and not asked and whole.casefold().startswith(time.text.casefold())
    form = mark(said, lexicon, names)
    left = form.text
    things: list[Thing] = []
    places: list[Where] = []
    rooms: list[Thing] = []
    spoken: list[Thing] = []
    heads: list[Thing] = []
    besides = pronoun = relation = None
    whence = False
    stranded = _STRANDED.search(form.text.rstrip(" ,"))
    for number, thing in enumerate(form.things):
        before = form.text[: form.text.index(f"<{number}>")]
        room = bool(thing.room or thing.floor) and not thing.categories
        placed = _PLACED.search(before)
        if stranded is not None and stranded["number"] == str(number):
            placed = stranded
        unknown_room = placed is not None and means(thing.last_word, Sort.ROOM) and (" " in thing.text or thing.owner)
        unknown = not (thing.categories or room or unknown_room)
        alone = form.text.strip(" ,") == f"<{number}>"  # "my hands hurt" is no thing
        if thing.pronoun or (unknown and (alone or thing.last_word in idle)):
            left = left.replace(f"<{number}>", said if unknown and alone else thing.text)
            if not (thing.pronoun or thing.last_word in HOME):
                spoken.append(thing)
            elif not thing.pronoun:
                continue  # all that there is: "how many are there in THE HOUSE?"
            elif pronoun is None:
                pronoun, relation = thing, PLACED[placed["place"]] if placed is not None else None
            elif placed is not None:  # "is it still IN THERE?"
                places.append(Where(relation=PLACED[placed["place"]], thing=thing))
            continue
        noun = "kitchen" if room else "table" if placed is not None else "mugs" if thing.plural else "mug"
        left = left.replace(f"<{number}>", f"the {noun}")
        if _BESIDES.search(before):
            besides = thing
        elif _HEAD.search(before) and (not thing.definite or before.endswith("of ")):  # not "what THE SHELF has on it"
            heads.append(thing)
        elif placed is not None and not _OPERATED.search(before):
            places.append(Where(relation=PLACED[placed["place"]], thing=thing))
        elif _WHENCE.search(before) and not _OPERATED.search(before):
            places.append(Where(relation=Relation.ON, thing=thing))
            whence = True
        elif before.endswith(" to ") and not room:
            places.append(Where(relation=Relation.AT, thing=thing))
        elif thing.categories and _HOLDING.match(form.text[len(before) :]) and not before.endswith("many "):
            places.append(Where(relation=Relation.IN, thing=thing))
        else:
            (rooms if room else things).append(thing)
    if first:  # no question: "TODAY IS Anna's birthday"
        left = _IS_FIRST.sub(r"\g<what> \g<be>", left)
    named = [found[0] for found in _STATE.finditer(left)]
    told = [STATES[word] for thing in (*things, *heads) for word in thing.attributes if word in STATES]
    words = tuple(_WORD.findall(form.text))
    return Shape(
        f"{_STATE.sub('dirty', left).casefold()}{_when(time, now, words)}{' ?' if asked else ''}",
        words,
        form.things,
        tuple(things),
        tuple(places),
        tuple(spoken),
        tuple(rooms),
        tuple(heads),
        besides,
        pronoun,
        relation,
        tuple(dict.fromkeys((*named, *told, *_of_verbs(words)))),
        time,
        whence,
    )


def _when(time: Span | None, now: float, words: Collection[str]) -> str:
    """Return what stands for the time that a sentence names. What was done "just now" is past."""
    if time is None:
        return ""
    ended = time.at if time.at is not None else time.until
    is_now = ended is not None and ended > now - 60.0 and time.text.casefold() in _NOW and "did" not in words
    return " now" if is_now else " yesterday"


def _of_verbs(words: tuple[str, ...]) -> Iterator[str]:
    """Yield the states that participles and other adjectives say: "washed", "turned <0> off", "ajar"."""
    plain_words = [word for word in words if not MARK.fullmatch(word)]
    for before, word, after in zip(("", *plain_words), plain_words, (*plain_words[1:], ""), strict=False):
        base = base_form(word)
        if word in AUXILIARIES or base in ("do", "on", "off", "out") or before == "a":
            continue
        if after in PARTICLES.split("|") and f"{base} {after}" in STATES:
            yield STATES[f"{base} {after}"]
        elif base in STATES and after not in HOME and (base != word or not sense_of(word) or word == "shut"):
            yield STATES[base]


def _timed(text: str, now: float, *, clauses: bool) -> tuple[str, Span | None]:
    """Return a text without the time that it names, and the time; a clause as memory has to resolve it."""
    left, time = take_time(text, now)
    if time is not None:
        return left.strip(" ,"), time
    without, clause = take_clause(text) if clauses else (text, None)
    if clause is None or clause.text.strip(" ,").casefold().startswith(("since when", "since how", "until when")):
        return text, None
    lead, _, rest = clause.text.strip(" ,").partition(" ")
    if lead.casefold() == "when" and _EMBEDDING.search(without):
        return text, None  # "could you tell me when you saw it?"
    verbs = [base for word in rest.casefold().split() if sense_of(base := base_form(word)) or base in _SEEING]
    if lead.casefold() == "when" and verbs and verbs[-1] in _SEEING:
        return without.strip(" ,"), None  # what is known is as it was seen last
    span = Span(text=clause.text.strip(" ,"), lead=lead.casefold(), deed=verbs[-1] if verbs else "")
    return without.strip(" ,"), span
