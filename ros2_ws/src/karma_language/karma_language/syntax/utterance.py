# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An utterance while it is read: its words, what was asked for so far, and what nothing rests on."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from karma_language.phrases.clause_parts import Clause, Place
from karma_language.phrases.clauses import Clauses
from karma_language.phrases.frames import Frames
from karma_language.phrases.nouns import STOP_WORDS, Names, Phrase
from karma_language.phrases.phrases import Phrases
from karma_language.phrases.set_phrases import FILLERS
from karma_language.phrases.sparing import is_one, without
from karma_language.questions.questions import read_question
from karma_language.reading import Condition, Deed, Goal, Item, Kind, Question, Told
from karma_language.syntax.segments import LEADS, SEGMENT_WORDS, Segment, Segments
from karma_language.things import Span, Thing
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.tokens import STOPS, Token
from karma_language.vocabulary.verbs import Verb, verb_at
from karma_language.vocabulary.words import ADVERBS, DETERMINERS, GENERIC, PERSONS, STATES, base_form, each

BE = frozenset(each("is are was were be am"))
RESTRICTS = frozenset(
    each(
        "not no nor never none only just except but without unless if when while until before after or than instead"
        " with using both all every each neither rather one half more less"
        " hour hours minute minutes second seconds today tonight tomorrow later soon morning evening noon afternoon"
        " almost nearly dont stop wait other"
    )
)
"""Words that say which, when, how or whether: what they stand in is no mere remark."""
SWITCHES = frozenset((Deed.SWITCH_ON, Deed.SWITCH_OFF, Deed.OPEN, Deed.CLOSE))
"""Deeds that only change what is not so yet."""
LEADING_PARTICLES = frozenset(each("on off back away down out"))
CLOSED = SEGMENT_WORDS | STOP_WORDS | DETERMINERS | PERSONS | frozenset(("else", "it", "in"))

_ALWAYS = re.compile(r"(?:in (?:any|either) case|either way|regardless)\b")
"""What a condition before it does not bind: "if it is dirty, wash it, and IN ANY CASE put it away"."""


class Utterance:
    """An utterance that is being read."""

    def __init__(
        self, text: str, tokens: Sequence[Token], lexicon: Lexicon, names: Names, is_word: Callable[[str], bool]
    ) -> None:
        """`names`: what things of this home are called besides; `is_word`: whether a word is English."""
        self._text = text
        self._tokens = tokens
        self._lexicon = lexicon
        self._names = names
        self._phrases = phrases = Phrases(tokens, lexicon, names, is_word)
        self._words = phrases.words
        self._frames = Frames(lexicon)
        self._clauses = Clauses(phrases, lexicon)
        self._segments = Segments(self._clauses, self._shown(is_word), lexicon)
        self._goals: list[Goal] = []
        self._never: list[Goal] = []
        self._others: list[Item] = []
        self._unread: set[int] = set()
        self._last: Clause | None = None
        self._topic: list[Phrase] = []
        self._before: Clause | None = None
        """What is done first with what is named then: "AFTER WASHING, put the tomato in the bowl"."""
        self._using: Thing | None = None
        self._fronted: list[Place] = []
        self._source: Place | None = None
        self._later: list[Goal] = []
        self._condition: Condition | None = None
        self._unbound = False
        """Whether the condition does not bind what is asked for next."""
        self._sentence = 0
        self._asked = False
        self._stop = 0
        self._when: Span | None = None
        self._told = False
        self._wishing = False
        self._spoken: Phrase | None = None
        """What a sentence since the last request only told of: "it" means that."""
        self._waiting: list[tuple[int, int]] = []
        self._marker = ""
        self._lost: list[tuple[int, int, bool]] = []

    def _segment(self, segment: Segment) -> None:
        """Read a clause."""
        raise NotImplementedError

    def _request(self, verb: Verb, at: int, end: int) -> None:
        """Read what a verb asks for."""
        raise NotImplementedError

    def _shown(self, is_word: Callable[[str], bool]) -> list[str]:
        """Return the words with the capitals that are no sentence's."""
        shown = list(self._words)
        for at, token in enumerate(self._tokens):
            named = self._text[token.start : token.start + 1].isupper() and not token.said and "|" not in token.word
            opens = at == 0 or self._words[at - 1] in STOPS
            if named and not (opens and (is_word(token.word) or verb_at(self._words, at) or token.word in CLOSED)):
                shown[at] = token.word.capitalize()
        return shown

    def _word(self, at: int) -> str:
        return self._words[at] if 0 <= at < len(self._words) else ""

    def _quote(self, start: int, end: int) -> str:
        tokens = self._tokens[start : max(end, start + 1)]
        return self._text[tokens[0].start : tokens[-1].end] if tokens else ""

    def _small(self, at: int) -> bool:
        word = self._words[at]
        return word in FILLERS | ADVERBS | LEADS | {"so"} or not word[0].isalnum() or word in ("the", "a", "an", "and")

    def _idle(self, at: int, end: int) -> bool:
        """Whether words stand apart and restrict nothing: who is spoken to, how one feels, what somebody remarks."""
        words = self._words[at:end]
        known = any(
            found.thing.categories or found.thing.room or found.thing.pronoun
            for found in (self._phrases.read(i, after=False) for i in range(at, end))
            if found is not None
        )
        acts = any(verb_at(self._words, i) for i in range(at, end))
        states = any(base_form(word) in STATES or word in self._lexicon.colours for word in words if word != "done")
        return not (known or acts or states or RESTRICTS & set(words))

    def _apart(self, at: int, end: int) -> bool:
        """Whether words fill the room between two pauses."""
        while at and self._words[at - 1] in LEADS and self._words[at - 1] != ",":
            at -= 1
        pauses = STOPS | {",", ""}
        return (at == 0 or self._words[at] in pauses or self._words[at - 1] in pauses) and self._word(end) in pauses

    def _names_thing(self, at: int) -> bool:
        found = self._phrases.read(at, bare=True, after=False)
        return found is not None and bool(found.thing.categories or found.thing.text.split()[0] in GENERIC)

    def _placed(self, phrase: Phrase) -> tuple[Thing, int]:
        """Return a thing with the place that follows it, and the index after that."""
        there = self._phrases.where(phrase.end, bare=False) if phrase.thing.place is None else None
        return (phrase.thing.model_copy(update={"place": there[0]}), there[1]) if there else (phrase.thing, phrase.end)

    def _lose(self, at: int, end: int, *, beside: bool = False) -> None:
        """Note words that nothing rests on; `beside`: a clause that says when or whether."""
        self._lost.append((at, end, beside))

    def _tell(self, at: int, end: int) -> None:
        """Note what is told, and of what."""
        quote = self._quote(at, end)
        if self._asked and self._word(end) == "?" and self._words[end - 1] not in ("ok", "okay", "alright"):
            self._others.append(self._question(at, end) or Question(quote=quote, kind=Kind.TOLD))
            return
        about: tuple[Thing, ...] = ()
        there = (i for i in range(at, end) if self._words[i] == "there" and self._word(i + 1) in BE)
        fronted = self._phrases.preposition(at) is not None  # "on the desk THERE'S a phone"
        for begin in range(next(there, at) if fronted else at, end):
            named, after = self._phrases.list(begin, bare=False)
            pointed = named and (named[0].thing.text in ("one", "ones") or (begin > at and named[0].thing.text == "it"))
            if pointed:
                break  # "there should be ONE in the cupboard", "I need IT for the salad": of what was spoken of
            if named and not named[0].thing.pronoun:
                about = tuple(one.thing for one in named)
                place = next((i for i in range(after, end) if self._phrases.preposition(i) is not None), end)
                placed = self._placed(replace(named[0], end=place))[0] if place < end and len(named) == 1 else about[0]
                about = (placed, *about[1:])
                break
        self._others.append(Told(quote=quote, about=about if not self._goals else ()))

    def _announce(self, found: list[Phrase], at: int, end: int) -> None:
        """Keep what a request is about, named before it: "ball: into the box", "laptop please close"."""
        self._topic = [one.told(definite=True) for one in found]
        self._others.append(Told(quote=self._quote(at, end), about=tuple(one.thing for one in self._topic)))
        self._waiting.append((at, end))

    def _question(self, at: int, end: int, ending: str = "?") -> Question | None:
        """Return what is asked for, None where no frame fits."""
        quote = self._quote(at, end)
        found = read_question(quote + ending, 0.0)
        return found.model_copy(update={"quote": quote}) if found is not None else None

    def _rest(self, after: int, begin: int, end: int) -> None:
        """Read what follows a clause that ended before its words did."""
        if begin < after < end:
            self._segment(Segment(after, end, joined=True))
        elif after < end:
            self._lose(after, end)

    def _parts(self, clause: Clause, at: int, end: int) -> int:
        tokens = self._tokens[:end]
        phrases = Phrases(tokens, self._lexicon, self._names, self._phrases.is_word)
        after = min(Clauses(phrases, self._lexicon).parts(clause, at), end)
        if len(clause.themes) > 1:
            clause.themes = [one for one in clause.themes if one.thing.text != "both"]
        return after

    def _take_in(self, clause: Clause, end: int, *, first: bool = False) -> None:
        clause.end = end
        if clause.negated:
            self._never.append(Goal(quote=self._quote(clause.start, end), do=Deed.OTHER))
            return
        if self._spoken is not None and [one.thing.text for one in clause.themes] == ["it"]:
            clause.themes = [self._spoken]  # "put the apple away. THE POTATO is dirty. Wash IT"
        self._spoken = None
        if self._topic and not clause.themes and clause.verb.sense:
            clause.themes = self._topic
        elif self._topic and self._waiting and not self._same(clause.themes, self._topic):
            self._lose(*self._waiting[-1])  # what was named before is not what this is about
        self._topic = []
        if self._fronted and self._in_room(clause):
            self._fronted = []
        if self._fronted and (not clause.places or clause.verb.sense == "look"):
            clause.places = [*clause.places, *self._fronted]
            self._fronted = []
        if self._source is not None and clause.source is None:
            clause.source, self._source = self._source, None
        if self._using is not None and clause.using is None:
            clause.using, self._using = self._using, None
        if self._before is not None and clause.themes:
            earlier, self._before = replace(self._before, themes=clause.themes), None
            self._goals += self._frames.goals(earlier, self._quote(earlier.start, earlier.end))
        if clause.using is not None and any(map(clause.brings_along, self._goals)):
            clause.using = None  # "slide the pan WITH THE EGG into the microwave", where it was put
        leaves = clause.verb.base in ("leave", "keep") and self._is_one_of_several(clause.themes)
        goals = [] if leaves else self._frames.goals(clause, self._quote(clause.start, end))
        goals = self._in_its_place(goals) if "instead" in self._words[clause.start : end] else goals
        if not goals and clause.themes:
            self._spare(clause)
        self._unread |= {
            i for i in range(clause.start, end) if self._words[i] in clause.unread and self._words[i].isalnum()
        }
        if any(goal.do is Deed.PLACE and goal.to is not None for goal in goals):
            goals = self._carried_out(goals)
        if self._when is not None:
            goals = [goal.model_copy(update={"at": goal.at or self._when}) for goal in goals]
        if self._condition is not None and not self._always(clause.start, end):
            goals = [under(self._condition, goal) for goal in goals]
            if any(goal.condition is None for goal in goals):
                self._condition = None  # it picks the things: what follows is about those
        if first and self._goals:
            self._goals[-1:-1] = goals
        else:
            self._goals += goals
        self._last = clause

    def _always(self, at: int, end: int) -> bool:
        """Whether words say that the condition before does not count; behind "and" they say it of what comes next."""
        always, self._unbound = self._unbound, False
        for i in range(at, end):
            if (after := self._phrases.matched(_ALWAYS, i)) > i:
                leads = self._word(i - 1) in (",", "and", "but") and after >= end
                always, self._unbound = always or not leads, leads
        return always

    def _in_its_place(self, goals: list[Goal]) -> list[Goal]:
        """Do with another thing what was to be done: "lay it on the bed, and if there is none, TAKE A BOOK INSTEAD"."""
        missing = self._condition is not None and self._condition.negated and not self._condition.state
        last = self._goals[-1] if self._goals and missing else None
        if last is None or last.do is not Deed.PLACE or [goal.do for goal in goals] != [Deed.HOLD]:
            return goals
        if goals[0].thing is None or goals[0].thing.pronoun:
            return goals
        return [last.model_copy(update={"thing": goals[0].thing, "quote": goals[0].quote, "condition": None})]

    def _in_room(self, clause: Clause) -> bool:
        """Take a room before a clause for where its things are: "IN THE DEN, take the book off the desk"."""
        room = self._fronted[0].phrase.thing.room
        fetches = clause.source is not None or clause.verb.sense in ("get", "take")
        if not room or self._fronted[0].moving or self._fronted[0].phrase.thing.categories or not fetches:
            return False
        source = clause.source
        if source is None:
            clause.source = self._fronted[0]
        elif not source.phrase.thing.room:
            within = source.phrase.thing.model_copy(update={"room": room})
            clause.source = replace(source, phrase=replace(source.phrase, thing=within))
        return True

    def _same(self, themes: list[Phrase], topic: list[Phrase]) -> bool:
        """Whether a clause may be about what was named before it."""
        named = {category for one in topic for category in one.thing.categories}
        return any(one.thing.pronoun or named & set(one.thing.categories) for one in themes)

    def _take_up(self, clause: Clause, at: int, end: int) -> None:
        after = self._parts(clause, at, end)
        self._take_in(clause, after)
        self._rest(after, clause.start, end)

    def _carried_out(self, goals: list[Goal]) -> list[Goal]:
        """Return goals that say where goes what was to be put nowhere yet: "tidy up, put everything in the box"."""
        names = {goal.thing.text for goal in goals if goal.thing is not None}
        for goal in [one for one in self._goals if one.do is Deed.PLACE and one.to is None and not one.back]:
            thing = goal.thing
            if thing is not None and (thing.every or thing.text in names):
                self._goals.remove(goal)
                about = thing.place.thing if thing.place is not None else thing
                self._others.append(Told(quote=goal.quote, about=(about,)))
                same = [one.thing is not None and one.thing.text == thing.text and not one.thing.place for one in goals]
                goals = [
                    one.model_copy(update={"thing": thing}) if it else one for one, it in zip(goals, same, strict=True)
                ]
        return goals

    def _is_one_of_several(self, themes: Sequence[Phrase]) -> bool:
        """Whether things are those of what is asked for: "put the books away, but leave THE ONE on the desk"."""
        several = any(goal.thing is not None and _is_several(goal.thing) for goal in self._goals)
        return several and bool(themes) and all(is_one(one.thing) for one in themes)

    def _spare(self, clause: Clause) -> None:
        """Leave what a clause is about out of what is asked for."""
        where = clause.places[-1].where if clause.places else None
        left = [one.thing if where is None else one.thing.model_copy(update={"place": where}) for one in clause.themes]
        self._goals = [
            goal.model_copy(update={"thing": without(goal.thing, left)})
            if goal.thing is not None and _is_several(goal.thing)
            else goal
            for goal in self._goals
        ]

    def _revoke(self) -> None:
        assert self._last is not None
        del self._goals[len(self._goals) - len(self._frames.goals(self._last, "")) :]


def _is_several(thing: Thing) -> bool:
    """Whether words mean several things, of which some may be left out."""
    return thing.every or thing.plural


def under(condition: Condition, goal: Goal) -> Goal:
    """Return a goal with its condition: of whatever has a state it is asked: "if ANY LAMP is on, switch IT off"."""
    thing = condition.thing
    one = goal.thing is not None and goal.thing.pronoun and goal.thing.text in ("it", "them")
    kind = not (thing.definite or thing.pronoun or thing.owner or condition.negated or thing.number)
    if condition.state and one and kind:
        states = () if goal.do in SWITCHES else (condition.state,)
        every = thing.model_copy(update={"every": True, "attributes": (*thing.attributes, *states)})
        return goal.model_copy(update={"thing": every})
    return goal.model_copy(update={"condition": at_its_place(condition, goal)})


def at_its_place(condition: Condition, goal: Goal) -> Condition:
    """Return a condition in which "there" is where the goal puts things."""
    place = condition.thing.place
    if place is None or place.thing.text not in ("there", "here") or goal.to is None:
        return condition
    thing = condition.thing
    if thing.pronoun and goal.thing is not None:
        thing = goal.thing
    return condition.model_copy(update={"thing": thing.model_copy(update={"place": goal.to})})
