# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A filled form to a reading: every quote is looked for in what was said, every phrase read as a thing, place or time.

What is wrong is told to the model in a sentence (`Wrong`). What no quote covers is `unread`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timezone, tzinfo

from rapidfuzz import fuzz

from karma_language.frames import Clause, Frames, Place
from karma_language.model_reader.form import AnswerForm, GoalForm, QuestionForm
from karma_language.model_reader.quotes import Utterance, words
from karma_language.noun_phrases import Names, mark
from karma_language.phrases import Phrase
from karma_language.questions import read_question
from karma_language.reading import (
    Condition,
    Deed,
    Goal,
    Item,
    Kind,
    Question,
    Reading,
    Relation,
    Request,
    Social,
    Stop,
    Thing,
    Told,
    Where,
)
from karma_language.time_expressions import NUMBERS, take_clause, take_time
from karma_language.verbs import verb_at
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.words import PLACED, base_form

ENGLISH = "en"
_ALIKE = 70.0
"""Likeness, 0 to 100, from which on a word may be a slip of the pen for another."""
_FROM = {"off": Relation.ON, "off of": Relation.ON, "out of": Relation.IN, "from": Relation.AT}
_AWAY = tuple(_FROM)
_PREPOSITIONS = {**PLACED, **_FROM, "to": Relation.AT, "at": Relation.AT, "towards": Relation.AT}
_LEADING = re.compile(
    r"(?:back )?(?P<word>" + "|".join(sorted(_PREPOSITIONS, key=len, reverse=True)) + r")\s+(?P<rest>\S.*)",
    re.IGNORECASE,
)
_IF = re.compile(r"(?:and |but )?(?P<word>if|when|unless|in case|as long as|provided)\s+(?:that )?(?P<rest>\S.*)", re.I)
_ME = frozenset(("me", "us", "here", "myself"))
_POSSESSIVE = re.compile(r"(?P<who>[^\W\d_][\w-]*)['’]s?")
_NUMBER = {"both": 2}
_GENDERED = ("him", "her")
"""What languages whose things are he or she make of "it"."""
_EXCEPT = "except(?: for)?|but(?: not)?|without|not|leave|all but"
_COUNTING = ("all", "both")
_ALL = ("all", "every", "everything", "each", "whole")
_BACK = "return_to_its_place"
_BIN = "GarbageCan"
_ALIKE_DEEDS = (
    frozenset((Deed.PLACE, Deed.PUT_DOWN, Deed.HOLD, Deed.BRING)),
    frozenset((Deed.FIND, Deed.EXAMINE, Deed.EXPLORE, Deed.GO_TO)),
)
"""Deeds that one verb may stand for, depending on more than its clause."""


Rules = Callable[[str, float], Reading | None]
"""Reads plain English without a model, at a time (seconds); None where it can't read every word."""


class Wrong(Exception):  # noqa: N818 - caught by who asked
    """An answer can't be used; the message tells the model why."""


class Meaning:
    """Reads one filled form."""

    def __init__(
        self,
        form: AnswerForm,
        text: str,
        lexicon: Lexicon,
        now: float,
        *,
        names: Names,
        memories: Sequence[str] = (),
        zone: tzinfo = timezone.utc,
    ) -> None:
        """`now`: seconds, when it was said; `names`: what things of this home are called besides → categories.

        `memories`: what the model was told of what is remembered.
        """
        self._form = form
        self._original = Utterance(text, lexicon)
        self._translated = bool(form.english) and form.english.strip() != text.strip()
        self._said = Utterance(form.english, lexicon) if self._translated else self._original
        self._lexicon = lexicon
        self._now = now
        self._names = names
        self._memories = memories
        self._zone = zone

    @property
    def translation(self) -> str:
        """The words in plain English, where they were not; "" else."""
        return self._said.text if self._translated else ""

    def by_rules(self, rules: Rules, reader: str) -> Reading | None:
        """Return what the rules make of the model's translation; None where it made none, or they can't read it.

        Raises Wrong where the translation says what was not said.
        """
        if not self._translated:
            if self._form.lang != ENGLISH:
                raise Wrong("english is missing: say all of it in English")
            return None
        self._check_translation()
        read = rules(self._said.text, self._now)
        if read is None:
            return None
        items = tuple(_quoting(item, self._original.text.strip()) for item in read.items)
        return read.model_copy(update={"reader": reader, "language": self._form.lang, "items": items})

    def _check_translation(self) -> None:
        """Look for what every thing of the translation was called in what was said. Raises Wrong where it was not."""
        named = {word for goal in self._form.goals for word in words(goal.verb)}
        for pair in self._form.things:
            said, _, meant = pair.partition("=")
            if self._original.find(said) is not None:
                named.update(words(meant))
        spoken = words(self._original.text)
        for word in words(self._said.text):
            if self._said.names(word) and word not in named and not _spelt(word, spoken):
                raise Wrong(f"things: which of the person's words is {word!r}? Write it as said=english")

    def reading(self, reader: str) -> Reading:
        """Return the reading. Raises Wrong."""
        form = self._form
        items: list[tuple[int, Item]] = [*self._requests(), *self._questions(), *self._told()]
        if form.social:
            items.append((len(self._said.text), Social(quote=self._original.text.strip(), kind=form.social)))
        if form.stop:
            items.append((0, Stop(quote=self._original.text.strip())))
        if not items:
            raise Wrong("there are no goals, questions, told, social or stop")
        for quote in form.aside:
            place = self._where("aside", quote)
            if not any(self._said.tells(word) for word in words(quote)):
                self._said.cover(place)
        unread = () if form.stop and not form.goals else self._said.left(loosely=not form.goals)
        ordered = sorted(items, key=lambda item: item[0])
        return Reading(reader=reader, language=form.lang, items=tuple(item for _, item in ordered), unread=unread)

    # Acts

    def _requests(self) -> Iterator[tuple[int, Item]]:
        wanted: list[tuple[int, Goal]] = []
        for form in self._form.goals:
            quoted = self._quoted(form)
            goal = self._goal(form, self._quote(quoted))
            if form.do == "never":
                yield min(quoted, default=0), Request(quote=goal.quote, goals=(goal,), never=True)
            else:
                wanted.append((min(quoted, default=0), goal))
        if wanted:
            places = [at for at, _ in wanted]
            yield min(places), Request(quote=self._original.text.strip(), goals=tuple(goal for _, goal in wanted))

    def _questions(self) -> Iterator[tuple[int, Item]]:
        for form in self._form.questions:
            places: list[int] = []
            for name, quote in (("what", form.what), ("where", form.where), ("time", form.time)):
                if quote:
                    places += self._where(name, quote)
            if form.did:
                places += self._verb("did", form.did)
            stated = self._said.stated(form.state) if form.state else []
            if form.state and not stated:
                raise Wrong(f"state: nobody said {form.state!r}")
            self._said.cover([*places, *stated])
            yield min(places, default=0), self._question(form)

    def _told(self) -> Iterator[tuple[int, Item]]:
        for quote in self._form.told:
            place = self._where("told", quote)
            if self._said.after(place).startswith("?"):
                raise Wrong(f"told: {quote!r} tells nothing, it asks")
            self._said.cover(place)
            yield place[0], Told(quote=self._quote(place))

    # Goals

    def _quoted(self, form: GoalForm) -> list[int]:
        """Return where the parts of a goal stand in what was said. Raises Wrong."""
        places = self._verb("verb", form.verb) if form.verb else []
        if form.what:
            places += self._where("what", form.what)
        for piece in _pieces(form.which):
            places += self._where("which", piece)
        for name, quote in (("but", form.but), ("to", form.to), ("cond", form.cond), ("more", form.more)):
            if quote:
                places += self._where(name, quote)
        places += self._counted(form.count)
        self._said.cover(places)
        return places

    def _goal(self, form: GoalForm, quote: str) -> Goal:
        do = Deed.PLACE if form.do in ("throw_away", _BACK) else Deed.OTHER if form.do == "never" else Deed(form.do)
        if form.what.casefold() in _COUNTING and form.which:  # "both" for what, "mugs" for which
            form = form.model_copy(update={"count": form.what.casefold(), "what": form.which, "which": ""})
        thing = self._phrase(self._said.determined(form.what, form.which)) if form.what else None
        to, person = self._to(form)
        if thing is not None:
            thing = self._counting(self._told_apart(thing, form), form)
        elif form.which:
            raise Wrong(f"goals: which is {form.which!r}, but what is missing")
        if thing is not None and thing.text.casefold() in _ME:
            thing, person = None, "me"
        if do is Deed.PLACE and to is None and thing is not None and not form.which.casefold().startswith(_AWAY):
            thing, to = thing.model_copy(update={"place": None}), thing.place  # the model's "which" for "to"
        if do is Deed.PLACE and to is None and form.remembered and not person:
            to = self._remembered(form.remembered)
        self._check_deed(form, do, thing, to if form.to else None)
        if form.do == "throw_away":
            to = Where(relation=Relation.IN, thing=Thing(text="garbage can", categories=(_BIN,)))
        return Goal(
            quote=quote,
            do=do,
            verb=base_form(form.verb.casefold()),
            thing=thing,
            to=to,
            back=form.do == _BACK,
            person=person or ("me" if do is Deed.BRING else ""),
            condition=self._condition(form),
            aside=(form.more,) if form.more else (),
        )

    def _check_deed(self, form: GoalForm, do: Deed, thing: Thing | None, to: Where | None) -> None:
        """Look whether the verbs that were said may stand for the deed. Raises Wrong. Verbs that nobody knows may."""
        if do is Deed.OTHER:
            return
        spoken = [base_form(word) for word in words(form.verb)]
        frames = Frames(self._lexicon)
        meant: list[Goal] = []
        for at in range(len(spoken)):
            if (verb := verb_at(spoken, at)) is None:
                continue
            themes = [] if thing is None else [Phrase(thing, 0)]
            places = [] if to is None else [Place(to.relation, Phrase(to.thing, 0), moving=True)]
            particles = spoken[at + verb.length :]
            meant += frames.goals(Clause(verb, 0, themes=themes, places=places, particles=particles), "")
        likely = next((deeds for deeds in _ALIKE_DEEDS if do in deeds), frozenset((do,)))
        if form.do == "throw_away":
            meaning = [goal.do is Deed.THROW or (goal.to and _BIN in goal.to.thing.categories) for goal in meant]
        else:
            meaning = [goal.do in likely for goal in meant]
        if meant and not any(meaning):
            raise Wrong(f"do: {form.verb!r} does not mean {form.do}")

    def _to(self, form: GoalForm) -> tuple[Where | None, str]:
        """Return where something is to go, and to whom."""
        if not form.to:
            return None, ""
        where = self._placed(f"{self._said.before(form.to)} {form.to}")
        if where.thing.text.casefold() in _ME:
            return None, "me"
        return where, ""

    def _remembered(self, phrase: str) -> Where:
        """Return a place that only what is remembered says. Raises Wrong where not even that does."""
        if not any(Utterance(line, self._lexicon).find(phrase) for line in self._memories):
            raise Wrong(f"remembered: nothing that is remembered says {phrase!r}")
        return self._placed(phrase)

    def _told_apart(self, thing: Thing, form: GoalForm) -> Thing:
        """Return a thing with what is said to tell it from its like."""
        elsewhere = {*words(form.to), *words(form.what)}
        attributes = list(thing.attributes)
        for piece in _pieces(form.which):
            if {*words(piece)} <= elsewhere:
                continue
            possessive = _POSSESSIVE.fullmatch(piece)
            if piece.casefold().split()[0] in ("my", "our", "mine"):
                attributes += piece.split()[1:]
                thing = thing.model_copy(update={"owner": "me"})
            elif possessive is not None:
                thing = thing.model_copy(update={"owner": possessive["who"]})
            elif _LEADING.fullmatch(piece):
                thing = thing.model_copy(update={"place": self._placed(piece)})
            elif piece.casefold() in _ALL:
                thing = thing.model_copy(update={"every": True})
            elif piece.casefold() in ("other", "another"):
                thing = thing.model_copy(update={"other": True})
            else:
                attributes.append(piece)
        return thing.model_copy(update={"attributes": tuple(dict.fromkeys(attributes))})

    def _counting(self, thing: Thing, form: GoalForm) -> Thing:
        """Return a thing with its number. A number that nobody said in English counts for nothing."""
        counted = bool(self._counted(form.count))
        every = form.count == "all" and (counted or thing.plural)
        number = 0 if not counted else _NUMBER.get(form.count, 0) or (int(form.count) if form.count.isdecimal() else 0)
        left_out = re.sub(rf"^(?:{_EXCEPT})\s+", "", form.but, flags=re.IGNORECASE)
        but = tuple(self._phrase(part) for part in re.split(r",| and ", left_out) if part.strip())
        update = {"every": every or thing.every, "number": number or thing.number, "but": but or thing.but}
        return thing.model_copy(update=update)

    def _counted(self, count: str) -> list[int]:
        """Return where a number stands that is written in a form, nowhere for none."""
        spoken = _ALL if count == "all" else [count, *(word for word, value in NUMBERS.items() if str(value) == count)]
        return next((list(place) for word in spoken if (place := self._said.find(word)) is not None), [])

    def _condition(self, form: GoalForm) -> Condition | None:
        if not (clause := form.cond):
            return None
        match = _IF.fullmatch(clause.strip(" ,.!"))
        asked = f"tell me whether {match['rest'] if match else clause}"
        question = read_question(asked, self._lexicon, self._now, zone=self._zone, names=self._names)
        if question is None or question.kind not in (Kind.STATE, Kind.EXISTS) or question.thing is None:
            raise Wrong(f"cond: {clause!r} is no condition that can be looked at, as 'if the door is open' is")
        negated = ("unless" in clause.casefold()) is not bool(re.search(r"\bnot\b|n't\b|\bno\b", clause, re.I))
        thing = question.thing.model_copy(update={"place": question.place or question.thing.place})
        return Condition(thing=thing, state=question.state, negated=negated)

    # Questions

    def _question(self, form: QuestionForm) -> Question:
        thing = self._phrase(self._said.determined(form.what)) if form.what else None
        span = None
        if form.time:
            span = take_time(form.time, self._now, self._zone)[1] or take_clause(f"x {form.time}")[1]
            if span is None:
                raise Wrong(f"time: {form.time!r} is no time")
        return Question(
            quote=self._original.text.strip(),
            kind=Kind(form.ask),
            thing=thing,
            place=self._placed(f"{self._said.before(form.where)} {form.where}") if form.where else None,
            state=form.state,
            deed=base_form(form.did.casefold()),
            time=span,
        )

    # Phrases

    def _placed(self, phrase: str) -> Where:
        """Return the place of a phrase with a preposition."""
        match = _LEADING.fullmatch(phrase.strip())
        relation = _PREPOSITIONS[match["word"].casefold()] if match else Relation.AT
        return Where(relation=relation, thing=self._phrase(match["rest"] if match else phrase))

    def _phrase(self, phrase: str) -> Thing:
        """Return what a noun phrase in English says; its text alone where it is no known noun."""
        phrase = phrase.strip(" .,!?")
        if phrase.casefold() in _GENDERED:
            return Thing(text="it", pronoun=True)
        for said in (phrase, f"the {phrase}"):
            marked = mark(said, self._lexicon, self._names)
            if marked.text.strip() == "<0>":
                return marked.things[0]
        return Thing(text=phrase)

    # Quotes

    def _quote(self, places: list[int]) -> str:
        """Return what was said there, letter by letter; of what had to be translated, all of it."""
        return self._original.text.strip() if self._translated else self._said.said(places)

    def _where(self, name: str, quote: str) -> list[int]:
        place = self._said.find(quote)
        if place is None:
            raise Wrong(f"{name}: nobody said {quote!r}; copy the person's words")
        return list(place)

    def _verb(self, name: str, quote: str) -> list[int]:
        places = self._said.find_in_order(quote)
        if places is None:
            raise Wrong(f"{name}: nobody said {quote!r}; copy the person's words")
        return places


def _quoting(item: Item, quote: str) -> Item:
    """Return an item of a translation that rests on other words."""
    if isinstance(item, Request):
        goals = tuple(goal.model_copy(update={"quote": quote}) for goal in item.goals)
        return item.model_copy(update={"quote": quote, "goals": goals})
    return item.model_copy(update={"quote": quote})


def _spelt(word: str, spoken: Iterable[str]) -> bool:
    """Whether a word of English was said, or misspelt."""
    return any(fuzz.ratio(word, said) >= _ALIKE for said in spoken)


def _pieces(text: str) -> list[str]:
    return [piece.strip() for piece in text.split(",") if piece.strip()]
