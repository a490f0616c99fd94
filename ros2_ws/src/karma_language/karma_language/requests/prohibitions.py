# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people forbid: what is not to be done at home by anybody, and what takes such a prohibition back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import NamedTuple

from karma_language.dialogue.utterances import forbidding, is_negative, prohibition_of, words_of
from karma_language.reading import Deed, Goal, Question, Reading, Request, Telling, Told
from karma_language.requests.requests import LONGEST, Grammar, household_grammar
from karma_language.things import Span, Thing, Where
from karma_language.vocabulary import household
from karma_language.vocabulary.verbs import verb_at
from karma_language.vocabulary.word_meanings import Sort, means, speaks_of
from karma_language.vocabulary.words import (
    DETERMINERS,
    PERSONS,
    PLAIN_ADJECTIVES,
    QUESTION_WORDS,
    SENTENCE_END,
    TITLES,
    noted,
)
from karma_language.zone import local_time

_PERMITS = re.compile(
    r"^\W*(?:\w+, )*[^,.;?!]+? (?:can|may|could|(?:is|are) (?:allowed|free) to)\b"
    r"|^\W*(?:\w+\W+){0,3}?(?:it|that)(?:['’]s| is) (?:fine|ok|okay|all ?right|allowed) to\b|\bfeel free to\b",
    re.IGNORECASE,
)
_CAPITAL = r"(?-i:[A-ZÀ-ÖØ-Þ])[^\W\d_]+(?:['’-](?!s\b)[^\W\d_]+)*"
_NAME = rf"(?:(?:{'|'.join(TITLES)})\.? )?{_CAPITAL}"
_AND = r"(?:, (?:and |or )?| and | or )"
_SOME = rf"{_NAME}(?:{_AND}{_NAME})*"
_SOME_OR_ME = rf"(?:(?-i:I)|me|{_NAME})(?:{_AND}(?:(?-i:I)|me|{_NAME}))*"
_NOT = r" ?(?:not|n['’]?t|never)"
_KINDLY = r"(?:^|[,;] )\W*(?:(?:please|and|but|so|also)\b\W*)*"
_USING = r"(?:have|get|touch|use|take|hold|play with)"
_GIVING = r"(?:give|bring|hand|get|fetch|offer|pass|serve)"
_TOUCH = (
    rf"{_KINDLY}(?P<who>{_SOME}) (?:still )?"
    rf"(?:(?:(?:must|may|should|shall){_NOT}|(?:is|are){_NOT} (?:allowed|supposed) to) (?:ever )?(?:{_USING}|be given)"
    r"|can(?:not| not|['’]?t) (?:have|touch)"
    rf"|(?:never gets?|do(?:es)?{_NOT} get)(?! to\b)|(?:is|are){_NOT} allowed(?! (?:to|in|into|on|out|near)\b))"
    r" (?P<what>\S[^,.;!?]*)",  # "TIM and MIA aren't allowed THE WINE"
    rf"{_KINDLY}(?:never|do{_NOT})(?: ever)? let (?P<who>{_SOME}) {_USING} (?P<what>\S[^,.;!?]*)",
    rf"{_KINDLY}(?:never|do{_NOT} ever) {_GIVING} (?P<who>{_SOME}) (?P<what>\S[^,.;!?]*)",
    rf"{_KINDLY}do{_NOT} {_GIVING} (?P<who>{_SOME}) (?P<what>any [^,.;!?]+)",
    rf"^\W*(?:please )?no (?P<what>\w[\w ]*?) for (?P<who>{_SOME})(?:,? (?:please|ever|any ?more|at all))*\W*$",
)
"""What some are not to have."""
_MAY_DO = r"(?:may|should|(?:is|am|are) (?:allowed|supposed|permitted) to|gets to)"
_ALONE = (
    rf"{_KINDLY}only (?P<who>{_SOME_OR_ME}) {_MAY_DO} (?P<what>[^,.;!?]+)(?:, (?:and )?(?:nobody|no[ -]?one) else)?",
    rf"{_KINDLY}(?:nobody|no[ -]?one)(?: else)?(?: but| except| other than| apart from) (?P<who>{_SOME_OR_ME})"
    rf" {_MAY_DO} (?P<what>[^,.;!?]+)",
)
"""What nobody may do but some."""
_FOR_SOME = [
    (re.compile(pattern, re.IGNORECASE), do, but)
    for patterns, do, but in ((_ALONE, "", True), (_TOUCH, "touch ", False))
    for pattern in patterns
]
_NO_NAMES = PERSONS | DETERMINERS | QUESTION_WORDS | {"it", "there", "they", "please", "robot", "karma"}
_PARTS = re.compile(r"[,.;!?]\W*(?:(?:so|and|but|then|now|ok|okay|yes)\b\W*)*", re.IGNORECASE)
_MAY = re.compile(
    r"^\W*(?:you|any(?:one|body)|every(?:one|body)) (?:can|may|(?:are|is) (?:allowed|free) to)\b(?! not\b|n['’]t)"
    r"|\b(?:can|may) (?:be (?:\w+ed|taken|put)|go)\b|\b(?:is|are) allowed\b(?! to)"
    r"|^\W*(?:it|that|this)(?:['’]s| is) (?:fine|ok|okay|all ?right)\b",
    re.IGNORECASE,
)
_FOR_THE_MOMENT = re.compile(
    r"\b(?:yet|now|today|tonight|until|till|while|already|at the moment|chang\w+ my mind)\b", re.IGNORECASE
)
_TODAY = re.compile(
    r"^(?:(?!\b(?:until|till|from|since|by|before|because|as|that|which|who|when|while|i|we|he|she|they)\b)[^,;:.!?])+"
    r" (?P<day>today|tonight)\W*$",
    re.IGNORECASE,
)
"""A clause, and no more, that ends with the day for which it forbids something."""
_WHOEVER = re.compile(
    r"\b(?:no matter (?:who|what)|whoever|whatever|without (?:asking|my permission)|(?:unless|until) (?:i|you ask)\b)",
    re.IGNORECASE,
)
_FOR_NOW = re.compile(r"^\W*(?:(?:please|and|but|so|no|oh|hey)\b\W*)*(?:do not|don['’]?t|not)\b", re.IGNORECASE)
_ONCE_MORE = re.compile(r"\b(?:again|after all|any ?time|from now on|no longer|any ?more)\b", re.IGNORECASE)


def prohibitions(grammar: Grammar, told: str) -> tuple[Goal, ...]:
    """Return what words forbid, each as what is not to be done; a pronoun there is what is told of beside it."""
    return tuple(dict.fromkeys(_prohibitions(grammar, told)))


def _prohibitions(grammar: Grammar, told: str) -> Iterator[Goal]:
    meant, words = noted(told)
    yield from _read(grammar, _without(words, _of_some(words)), meant)  # that binds not the speaker, or not alone


def _read(grammar: Grammar, words: str, meant: str = "") -> Iterator[Goal]:
    """Yield what words forbid, whomever; `meant`: what a pronoun in them means."""
    forbidden = forbidding(words)
    named = grammar.named(meant or words) if forbidden else []
    known = [thing for thing in named if thing.categories][:1]
    for said in forbidden:
        read = grammar.read(said)
        about = [thing for item in read.told for thing in item.about if not thing.pronoun] or known
        for goal in (one for item in read.items if isinstance(item, Request) and item.never for one in item.goals):
            pointed = goal.thing is not None and goal.thing.pronoun and about and _handles(goal)  # "don't tell HER"
            yield _placed(goal.model_copy(update={"thing": about[-1]}) if pointed else goal, named)


def _placed(goal: Goal, named: Sequence[Thing]) -> Goal:
    """Return what is not to be done, where a pronoun means: "the desk is mine, don't touch anything ON IT"."""
    where = goal.thing.place if goal.thing is not None else None
    if goal.thing is None or where is None or not where.thing.pronoun:
        return goal
    things = [one for thing in named for one in (thing, *((thing.place.thing,) if thing.place is not None else ()))]
    places = [one for one in things if one.categories and not household().can(one.categories[0], "pickup")]
    if not places:
        return goal
    there = where.model_copy(update={"thing": places[-1]})
    return goal.model_copy(update={"thing": goal.thing.model_copy(update={"place": there})})


def for_all(told: str, now: float) -> tuple[Told, ...]:
    """Return what words forbid for everybody, as what is not to be done: verb, thing and place, and nothing else.

    Of thing and place only what the vocabulary names: names and circumstances are the speaker's own. What only the
    speaker is not to be brought is no such thing, nor is what no robot does. `now`: when it was said, seconds.
    """
    words = dict.fromkeys(filter(None, map(_words, _for_all(told))))
    everybody = (Told(quote=told, kind=Telling.PROHIBITION, value=(one,)) for one in words)
    found = (*everybody, *_for_some(told))
    if len(words) != 1:  # of several, nobody knows which are for today
        return found
    day = next(filter(None, map(_TODAY.match, forbidding(noted(told)[1]))), None)
    if day is None:
        return found
    midnight = local_time(now).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    until = Span(text=day["day"], until=midnight.timestamp())
    return tuple(one.model_copy(update={"until": until}) for one in found)


def _for_some(told: str) -> Iterator[Told]:
    """Yield what words forbid for some alone, who are what it is `of`, or for all but some."""
    for one in _of_some(noted(told)[1]):
        words = dict.fromkeys(filter(None, map(_words, one.goals)))
        of, but = (("me",), one.names) if one.but else (one.names, ())
        yield from (Told(quote=told, kind=Telling.PROHIBITION, of=of, but=but, value=(never,)) for never in words)


class _OfSome(NamedTuple):
    """What some may not do, or nobody but them."""

    names: tuple[str, ...]
    """In lower case; "me" is who says it."""
    goals: list[Goal]
    but: bool
    """Whether it is all others who may not."""
    said: str
    """The words."""


def _of_some(words: str) -> Iterator[_OfSome]:
    """Yield what words forbid for some for good, sentence by sentence."""
    for sentence in re.split(SENTENCE_END, words[:LONGEST].strip()):
        for pattern, do, but in () if _FOR_THE_MOMENT.search(sentence) else _FOR_SOME:
            if (match := pattern.search(sentence)) is None:
                continue
            said = re.findall(rf"\bI\b|\bme\b|{_NAME}", match["who"])
            names = tuple("me" if one in ("I", "me") else one.lower() for one in said)
            what, rest = _until_verb(match["what"])
            goals = [goal for goal in _read(household_grammar(), f"Never {do}{what}") if _shared(goal)]
            proper = all((one,) not in household().nouns and (but or one not in _NO_NAMES) for one in names)
            if goals and proper:
                yield _OfSome(names, goals, but, match[0].removesuffix(rest) if rest else match[0])
                break


def _without(words: str, some: Iterable[_OfSome]) -> str:
    """Return words without those that forbid something for some."""
    for one in some:
        words = words.replace(one.said, " ", 1)
    return words


def _until_verb(what: str) -> tuple[str, str]:
    """Return an object, and what is wanted besides: "the knife", " and bring me the mug"."""
    for joint in re.finditer(r" (?:and|but|so|then) ", what):
        if verb_at(what[joint.end() :].split()[:1], 0) is not None:
            return what[: joint.start()], what[joint.start() :]
    return what, ""


def _for_all(told: str) -> list[Goal]:
    if not forbidding(noted(told)[1]):
        return []  # without a grammar, which takes a moment to load
    return [goal for goal in prohibitions(household_grammar(), told) if _shared(goal)]


def stands(said: str) -> bool:
    """Whether words do nothing but forbid something for good: not what is being done, as "don't touch it" does.

    "Don't" alone forbids for good only that a thing is handled at all, "don't touch the vase", or what is said to hold
    whoever asks.
    """
    asks = said.rstrip().endswith("?") or {*words_of(said)[:1]} & (QUESTION_WORDS - {"when", "while", "that"})
    if not asks and (some := [*_of_some(said)]):
        more = household_grammar().read(_without(said, some)).items
        return not any(isinstance(one, Question) or (isinstance(one, Request) and not one.never) for one in more)
    forbidden = [] if asks else _for_all(said)
    whoever = _WHOEVER.search(said) is not None
    lasts = (whoever or all(map(_protects, forbidden))) and not _FOR_THE_MOMENT.search(said)
    if not forbidden or (_FOR_NOW.match(said) and not lasts):
        return False
    read, own = household_grammar().read(said), {goal.thing.text for goal in forbidden if goal.thing}
    if any(isinstance(item, Question) for item in read.items):
        return False  # "don't fetch it, just tell me where it is"
    if is_negative(said):  # but "LEAVE THE MUG ALONE and bring me the bowl"
        read, own = household_grammar().read(prohibition_of(said) or said), set()
    wanted = (goal for item in read.items if isinstance(item, Request) and not item.never for goal in item.goals)
    about = [
        goal.thing for goal in wanted if goal.do is not Deed.OTHER or goal.thing is not None
    ]  # but "ASK ME before"
    return all(thing is not None and thing.text in own and not thing.but for thing in about)


def _shared(goal: Goal) -> bool:
    """Whether a prohibition is about the home, and not about its speaker alone."""
    where = goal.to or (goal.thing.place if goal.thing is not None else None)
    anything = goal.thing is not None and means(goal.thing.last_word, Sort.ANYTHING) and where is not None
    known = goal.thing is not None and bool(goal.thing.categories)
    there = where is None or not where.thing.pronoun
    return (known or anything or _keeps_out(goal)) and there and not goal.person and _handles(goal)


def _protects(goal: Goal) -> bool:
    """Whether a thing is not to be handled at all, or a room not to be entered."""
    return (goal.thing is not None and goal.to is None and goal.do is Deed.OTHER) or _keeps_out(goal)


def _keeps_out(goal: Goal) -> bool:
    return goal.do is Deed.GO_TO and goal.thing is None and goal.to is not None and goal.to.thing.is_room


def _handles(goal: Goal) -> bool:
    return goal.do is not Deed.OTHER or speaks_of(goal.verb, Sort.HANDLING)


def _words(goal: Goal) -> str:
    """Return a prohibition in plain words: "put the cups on the stool"; "" where its place has no known name."""
    place = _place(goal.to)
    if goal.to is not None and not place:
        return ""
    return f"{goal.verb or goal.do.value.replace('_', ' ')}{f' {_noun(goal.thing)}' if goal.thing else ''}{place}"


def _noun(thing: Thing) -> str:
    known = _known(thing) or (household().kind(thing.categories[0]).noun if thing.categories else thing.last_word)
    return f"{'the ' if thing.definite else ''}{known}{_place(thing.place)}"


def _place(where: Where | None) -> str:
    """Return a place with a blank before it; "" for one that the vocabulary does not name."""
    known = _known(where.thing) if where is not None else ""
    if where is None or not known:
        return ""
    return f" {where.relation.value.replace('_', ' ')} {'the ' if where.thing.definite else ''}{known}"


def _known(thing: Thing) -> str:
    """Return the first noun or room in the words for a thing that is known, and how it looks; "" for none."""
    said = thing.text.lower().split()
    named, looks = (
        {**household().rooms, **household().nouns},
        PLAIN_ADJECTIVES | household().colours | household().words,
    )
    for at in range(len(said)):
        end = next((end for end in range(len(said), at, -1) if tuple(said[at:end]) in named), at)
        if end > at:
            return " ".join((*(word for word in said[:at] if word in looks), *said[at:end]))
    return ""


def permits(said: str, before: str) -> bool:
    """Whether a part of what somebody says allows what they forbade before: "it is charged, you can take it now"."""
    parts = [part for part in _PARTS.split(said) if _MAY.search(part)]
    if not parts:
        return False  # without reading what was forbidden
    kinds = {kind for goal in prohibitions(household_grammar(), before) for found in _kinds(goal) for kind in found}
    for part in parts:
        named = (goal.thing for goal in _goals(household_grammar().read(part)) if goal.thing is not None)
        if any(thing.pronoun or kinds & {*_categories(thing)} for thing in (*household_grammar().named(part), *named)):
            return True
    return False


def lifted(before: Sequence[str], said: str) -> int | None:
    """Return which of the sentences that somebody told before forbids what they now permit; None where none does.

    "You can use the good plates again", "anyone may touch the vase". "You can put it there" asks for it.
    """
    if not _PERMITS.search(said) or said.rstrip().endswith("?") or is_negative(said):
        return None
    if not any(forbidding(noted(one)[1]) or [*_of_some(noted(one)[1])] for one in before):
        return None
    read = household_grammar().read(said)
    if _asks(goal for goal in _goals(read) if goal.do is not Deed.GO_TO) and not _ONCE_MORE.search(said):
        return None
    further = (part for part in re.split(SENTENCE_END, said.strip()) if not _PERMITS.search(part))
    if any(_asks(_goals(household_grammar().read(part))) for part in further):
        return None  # "you may touch it again. BRING IT HERE"
    about = [*household_grammar().named(said), *(thing for item in read.told for thing in item.about)]
    named, words = {category for thing in about for category in _categories(thing)}, {*words_of(said)}
    for index in reversed(range(len(before))):
        some = _of_some(noted(before[index])[1])
        of_some = [goal for one in some if one.but or _among(one.names, words) for goal in one.goals]
        for goal in (*prohibitions(household_grammar(), before[index]), *of_some):
            there = _keeps_out(goal) and "there" in words  # "you may go in THERE again"
            if there or ((kinds := _kinds(goal)) and all(one & named for one in kinds)):
                return index
    return None


def _among(names: Iterable[str], words: set[str]) -> bool:
    return any({*re.findall(r"\w+", name)} <= words for name in names)


def _goals(read: Reading) -> list[Goal]:
    return [goal for item in read.items if isinstance(item, Request) for goal in item.goals]


def _kinds(goal: Goal) -> list[set[str]]:
    """Return what the thing of a goal, and its place, may be: kinds, or a room."""
    things = (goal.thing, goal.to.thing if goal.to is not None else None)
    return [{*found} for thing in things if thing is not None and (found := _categories(thing))]


def _asks(goals: Iterable[Goal]) -> bool:
    return any(goal.do is not Deed.OTHER for goal in goals)


def _categories(thing: Thing) -> tuple[str, ...]:
    """Return what a thing and the place where it is said to be may be."""
    room = (thing.room,) if thing.is_room else ()
    return (*thing.categories, *room, *(_categories(thing.place.thing) if thing.place is not None else ()))
