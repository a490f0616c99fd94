# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Instructions that refer to what their user told: my favorite cup, my usual breakfast (MEMENTO, section 3.2).

What the instruction says holds; what it leaves open is as it was told: which thing a phrase means, and, where it asks
for a habit, what goes where, in which order. Whatever was told is data: it becomes goals only where the instruction
asks for it, only of what its own user told, and the goals are checked as any others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from karma_language.arranging.clauses import request_in, sentences
from karma_language.arranging.personal import (
    Part,
    Phrase,
    alike,
    called,
    is_for_later,
    is_told,
    meaningful,
    parts_in,
    phrases_in,
    plainly,
    says_otherwise,
    told_of,
    withheld,
)
from karma_language.arranging.words import place_words
from karma_language.vocabulary.lexicon import Lexicon
from planner_node.memory import OBJECT_SEMANTICS, PROFILE, USER_PATTERN, Knowledge, MemoryClient, Recollection
from planner_node.skills import Code
from planner_node.understand.earlier_goals import Known, known_things, noun_of, with_things
from planner_node.understand.goals import (
    Goal,
    NotUnderstood,
    ObjectRef,
    Predicate,
    Statement,
    Understanding,
    Understood,
    with_refs,
)
from planner_node.understand.offline import Understander
from planner_node.world import World

MOST = 8
"""Phrases of an instruction that the memory is asked about, at most."""
_ALTERNATIVES = 5
"""Pieces of knowledge asked for at once."""
_GUESSES = 3
"""Pieces of knowledge that a person is asked about at once."""
_ALL = 20
"""The same for a habit that isn't named."""
_MARK = re.compile(r"\b([A-Za-z]\w*)\|0\|(\d+)\b")


@dataclass
class Resolved:
    """An instruction with what it refers to."""

    understanding: Understanding
    used: list[Recollection] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What it was taken to mean, in sentences."""


@dataclass(frozen=True)
class Likely:
    """A request of an instruction, and what it comes to or may mean."""

    request: str
    goals: tuple[Goal, ...]
    used: tuple[Recollection, ...]
    guesses: Mapping[str, Likely] = field(default_factory=dict)
    """The words in which something was told → what it comes to; where the request itself is not understood."""
    notes: tuple[str, ...] = ()
    """What it was taken to mean, in sentences."""


class PersonalReferences:
    """Finds what an instruction refers to of what its user told. One for each instruction."""

    def __init__(
        self, memory: MemoryClient, understander: Understander, lexicon: Lexicon, world: World, user: str, scene: str
    ) -> None:
        """`understander` reads what is asked for now, and what was asked for then; `world`: which things are there."""
        self._memory = memory
        self._understander = understander
        self._spoken_of: tuple[ObjectRef, ...] = ()
        self._is_understood = False
        """Whether the whole instruction says by itself what goes where."""
        self._lexicon = lexicon
        self._world = world
        self._user = user
        self._scene = scene
        self._meant: list[tuple[Known, str]] = []
        """By number of its mark: a thing that a phrase means, and what it is called."""
        self._asked: dict[str, tuple[Recollection, ...]] = {}
        """What the memory answered, by phrase."""
        self._found = Resolved(Understood(()))

    def resolve(self, text: str, understood: Understanding, spoken_of: tuple[ObjectRef, ...] = ()) -> Resolved:
        """Return what an instruction means in the light of what was told; `understood` where that bears on nothing.

        `spoken_of`: what the previous instruction was about. Raises what the memory does.
        """
        self._spoken_of = spoken_of
        self._is_understood = isinstance(understood, Understood)
        text = plainly(text)
        parts = parts_in(text)
        if any(withheld(part.text) for part in parts if part.asks):
            return Resolved(understood)
        goals: list[Goal] = []
        waiting: list[Part] = []
        """What is said in so many words, and not yet understood."""
        told_plainly: list[Part] = []
        """All that is said in so many words."""
        refers = False
        for part in parts:
            wanted = self._wanted(part, text) if part.asks else None
            if isinstance(wanted, NotUnderstood):
                return replace(self._found, understanding=wanted)
            if isinstance(wanted, Understood):
                if (wrong := self._take(waiting, goals)) is not None:
                    return replace(self._found, understanding=wrong)
                _append(goals, wanted.goals)
                waiting, refers = [], True
            else:
                told_plainly += [part] if part.asks else []
                if not part.text:
                    continue
                said, known = self._with_marks(part) if part.asks else (part.text, False)
                waiting.append(replace(part, text=said))
                refers |= known
        if not refers and isinstance(understood, NotUnderstood):
            asked = understood.code is Code.AMBIGUOUS
            return Resolved(understood if asked else self._missing(parts, understood) or understood)
        if not refers and isinstance(understood, Statement):
            return Resolved(understood)  # a question, perhaps: nothing is done by other words
        self._found.notes += [note for part in told_plainly for note in self._untold(part)]
        if not refers:
            return replace(self._found, understanding=understood)
        if (wrong := self._take(waiting, goals)) is not None:
            return replace(self._found, understanding=wrong)
        notes = understood.notes if isinstance(understood, Understood) else ()
        return replace(self._found, understanding=Understood(tuple(goals), tuple(notes)))

    def likely(self, request: str, understood: Understanding) -> Likely:
        """Return what a request comes to; where it is not understood, what it may mean of what was told instead.

        These are guesses, likest words first: a person is asked which one is meant before it is done.
        """
        found = self.resolve(request, understood)
        if isinstance(found.understanding, Understood):
            return Likely(request, found.understanding.goals, tuple(found.used))
        if withheld(request) or says_otherwise(request, of=()):
            return Likely(request, (), ())
        said = self._without_furniture(meaningful(request))
        guesses: dict[str, Likely] = {}
        for known in self._memory.recall(request, self._user, self._scene, _ALTERNATIVES, [PROFILE]).recollections:
            knowledge = known.knowledge
            if knowledge is None or len(guesses) == _GUESSES:
                continue
            told = _words_of(knowledge)
            if not told_of(said, told) or is_for_later(request, told):
                continue
            if goals := self._told_goals(knowledge):
                bound = with_things(goals, knowledge, self._world, self._lexicon)
                note = f'I took “{request}” to mean what you told me: "{telling(knowledge)}"'
                guesses.setdefault(
                    telling(knowledge), Likely(request, bound.goals, (known,), notes=(note, *bound.missing))
                )
        return Likely(request, (), (), guesses)

    # What a part means

    def _wanted(self, part: Part, text: str) -> Understanding | None:
        """Return the goals of a part that asks for what was told as it was told, None where it doesn't."""
        if part.about_things:
            return None
        if (usual := self._wish(part, text)) is not None:
            return usual
        for phrase in self._phrases(part):
            known = self._knowledge(phrase, part)
            if known is None:
                continue
            knowledge = known.knowledge
            assert knowledge is not None
            rest = (part.text[: phrase.begin] + " " + part.text[phrase.end :]).strip()
            if knowledge.subtype == OBJECT_SEMANTICS and not self._is_left_open(part, phrase, knowledge):
                return None
            return self._as_told(known, phrase.text, rest, part)
        if part.habit or (part.wishes and not meaningful(part.text)):
            return self._habit(part, text)
        return None

    def _wish(self, part: Part, text: str) -> Understanding | None:
        """Return the goals of "Prepare breakfast" and "Set the jug and cup for lunch", which don't say what goes where.

        The habit is meant that memory says such words ask for, if it is about the things that they name; of those told
        in the same words, the one that more of the whole text was told of.
        """
        said = meaningful(part.text) - {part.verb}
        plain = self._understand(part.text)
        open_yet = isinstance(plain, NotUnderstood) and not part.points_back and not self._is_understood
        if not said or not (part.habit or (open_yet and (part.wishes or _lacks_a_place(plain)))):
            return None
        refs = (goal.object for goal in (plain.goals if isinstance(plain, NotUnderstood) else ()))
        named = [ref for ref in refs if ref is not None and ref.place is None and self._is_portable(ref)]
        for query, limit in ((part.text, _ALL if part.habit else _ALTERNATIVES), ("", _ALL)):
            recalled = self._memory.recall(query, self._user, self._scene, limit, [PROFILE]).recollections
            found = [(one, one.knowledge) for one in recalled if one.knowledge is not None]
            if part.habit:
                whole = meaningful(text)
                found.sort(key=lambda one: [-len(told_of(words, _words_of(one[1]))) for words in (said, whole)])
            if named:
                found.sort(key=lambda one: -sum(_about(self._told_goals(one[1]), named)))
            telling = said if part.habit else self._without_furniture(said)
            if not (part.wishes or part.habit):  # it names things: what is left says which habit
                telling -= frozenset(word for ref in named for word in meaningful(ref.noun))
            for known, knowledge in found:
                if not telling or not self._asks_for(telling, knowledge, whole=not query):
                    continue
                goals = self._told_goals(knowledge)
                fits = _about(goals, named)
                if goals and (all(fits) or (part.wishes and any(fits))):
                    return self._as_told(known, part.text, part.text, part)
        return None

    def _without_furniture(self, words: frozenset[str]) -> frozenset[str]:
        """Return words without those for furniture: "set the table" asks for no habit in particular."""

        def is_fixed(word: str) -> bool:
            noun = self._lexicon.noun(word)
            return noun is not None and not any(self._lexicon.can(c, "pickup") for c in noun.categories)

        return frozenset(word for word in words if not is_fixed(word))

    def _is_portable(self, ref: ObjectRef) -> bool:
        return any(self._lexicon.can(category, "pickup") for category in ref.categories)

    def _asks_for(self, said: frozenset[str], knowledge: Knowledge, *, whole: bool) -> bool:
        """Whether words ask for a habit: half of them were told of it; `whole`: all of them are its name."""
        if whole:
            return bool(said) and alike(said, meaningful(knowledge.name))
        told = _words_of(knowledge)
        asked = told_of(said, told)
        return bool(asked) and knowledge.subtype == USER_PATTERN and 2 * len(asked) >= len(said)

    def _is_left_open(self, part: Part, phrase: Phrase, knowledge: Knowledge) -> bool:
        """Whether a part that speaks of a thing does not say what is to become of it."""
        if part.habit or (part.wishes and not part.sense):
            return True
        if part.sense != "put":
            return False
        said = part.text[: phrase.begin] + self._words_for(phrase, knowledge) + part.text[phrase.end :]
        plain = self._understand(said)
        rest = part.text[: phrase.begin] + part.text[phrase.end :]
        return _lacks_a_place(plain) or (
            isinstance(plain, NotUnderstood) and plain.code is Code.NOT_UNDERSTOOD and not place_words(rest)
        )

    def _habit(self, part: Part, text: str) -> Understanding | None:
        """Return the goals of "Set the table as usual" and "Do it as usual"; all of the text tells habits apart."""
        said, whole = meaningful(part.text) - {"do", "make", part.verb}, meaningful(text)
        found = self._memory.recall(part.text if said else "", self._user, self._scene, _ALL, [PROFILE]).recollections

        def fit(known: Knowledge) -> tuple[int, bool, int]:
            told = _words_of(known)
            return len(said & told), known.subtype == USER_PATTERN, len(whole & told)

        fits = [(fit(one.knowledge), one, one.knowledge) for one in found if one.knowledge is not None]
        best = max((score for score, _, _ in fits), default=(0, False, 0))
        likely = [(one, known) for score, one, known in fits if score == best]
        if not likely or 2 * best[0] < len(said) or not (said or best[1]):
            return None
        if len(likely) > 1:
            names = tuple(known.name for _, known in likely)
            return NotUnderstood(Code.AMBIGUOUS, f"Which of your habits do you mean: {', '.join(names)}?", names)
        return self._as_told(likely[0][0], f"{part.text} as usual".strip() if part.habit else part.text, "", part)

    def _as_told(self, known: Recollection, phrase: str, rest: str, part: Part) -> Understanding | None:
        """Return the goals that knowledge was told with, at the place that the part names, if it names one."""
        knowledge = known.knowledge
        assert knowledge is not None
        if says_otherwise(rest, of=() if rest == part.text else ("with",)):
            return NotUnderstood(
                Code.NOT_UNDERSTOOD,
                f'I know what you call "{phrase}", but not how to do it in another way. Say what to put where.',
            )
        goals = self._told_goals(knowledge)
        if not goals:
            return None
        bound = with_things(goals, knowledge, self._world, self._lexicon)
        place = self._place_in(rest, part)
        if place is not None:
            bound = bound.at(place, self._lexicon, self._world)
        what = "; ".join(str(goal) for goal in bound.goals)
        self._use(known, f'I took "{phrase}" to be {what}, because you told me: "{telling(knowledge)}"')
        self._found.notes += bound.missing
        return Understood(bound.goals)

    def _told_goals(self, knowledge: Knowledge) -> tuple[Goal, ...]:
        """Return what was asked for when something was told."""
        asked = [sentence for sentence in sentences(knowledge.told) if request_in(sentence)]
        said = called(telling(knowledge))
        text = " ".join(asked) if asked else f"put {said}" if said else ""
        then = self._understand(text) if text else None
        return then.goals if isinstance(then, Understood) else ()

    def _place_in(self, rest: str, part: Part) -> Goal | None:
        """Return the goal that puts something where the rest of a part says, None where it names no place."""
        where = place_words(rest)
        if not where or part.sense in ("bring", "give"):
            return None
        there = self._understand(f"put the apple {where}")
        goals = there.goals if isinstance(there, Understood) else ()
        return goals[0] if len(goals) == 1 and goals[0].destination is not None else None

    # What a phrase means

    def _phrases(self, part: Part) -> list[Phrase]:
        return list(phrases_in(part, self._lexicon))[:MOST]

    def _knowledge(self, phrase: Phrase, part: Part) -> Recollection | None:
        """Return what was told that a phrase means, None where that is nothing."""
        if phrase.owned and not meaningful(phrase.text):
            return None
        found = self._asked.get(phrase.text)
        if found is None:
            found = self._memory.recall(phrase.text, self._user, self._scene, _ALTERNATIVES, [PROFILE]).recollections
            self._asked[phrase.text] = found
        scored = [(self._fit(phrase, part, one.knowledge), one) for one in found if one.knowledge is not None]
        return max(scored, key=lambda pair: pair[0], default=(0.0, None))[1] if any(s for s, _ in scored) else None

    def _fit(self, phrase: Phrase, part: Part, knowledge: Knowledge) -> float:
        """Return how surely a phrase means what was told, 0 where it doesn't: all that it says must have been said."""
        said = meaningful(phrase.name)
        name, told = meaningful(knowledge.name), _words_of(knowledge)
        noun, categories = noun_of(phrase.name, self._lexicon)
        if knowledge.subtype == USER_PATTERN:
            common = len(said & name)
            named = 2 * len(said & told) >= len(said) and common
            return 1.0 + common / len(said | name) if named and not (categories and not part.habit) else 0.0
        kinds = {category for text in knowledge.objects for category in noun_of(text, self._lexicon)[1]}
        kinds |= {belief.node.category for i in knowledge.object_ids if (belief := self._world.get(i)) is not None}
        if categories and not categories & kinds:
            return 0.0
        more = said - noun
        if not is_told(more, told) or not (categories or said & name):
            return 0.0
        if not phrase.owned and not more - self._lexicon.colours:
            return 0.0
        return 2.0 + len(said & name) / len(said | name)

    def _with_marks(self, part: Part) -> tuple[str, bool]:
        """Return the text of a part with what its phrases mean in their places, and whether anything was found."""
        text, shift, last = part.text, 0, -1
        for phrase in self._phrases(part):
            if phrase.begin < last or (known := self._knowledge(phrase, part)) is None:
                continue
            knowledge = known.knowledge
            assert knowledge is not None
            said = self._words_for(phrase, knowledge)
            if not said:
                continue
            text = text[: phrase.begin + shift] + said + text[phrase.end + shift :]
            shift += len(said) - (phrase.end - phrase.begin)
            last = phrase.end
            self._use(known, f'I took "{phrase.text}" to mean what you told me of: "{telling(knowledge)}"')
        return text, last >= 0

    def _words_for(self, phrase: Phrase, knowledge: Knowledge) -> str:
        """Return what stands for the things that a phrase means in a request: marks where they are known."""
        found = []
        _, categories = noun_of(phrase.name, self._lexicon)
        known = known_things(knowledge, self._world, self._lexicon)
        meant = [one for one in known if categories & {*one.categories}] or known
        for one in meant:
            if one.categories and (one.id or one.looks):
                noun = phrase.name if len(meant) == 1 else one.name or phrase.name
                self._meant.append((one, noun))
                found.append(f"{one.categories[0]}|0|{len(self._meant) - 1}")
            elif one.name and (one.categories or not categories):
                found.append(f"the {one.name}")
                if one.gone:
                    name = one.name
                    self._found.notes.append(f"The {name} that you told me of is not there any more, as far as I know.")
        return " and ".join(found)

    # Understanding

    def _understand(self, text: str) -> Understanding:
        return self._understander.understand(text, self._spoken_of)

    def _take(self, parts: list[Part], goals: list[Goal]) -> NotUnderstood | None:
        """Understand what was said and append its goals; return what is wrong with it. What only tells is left out."""
        if not any(part.asks for part in parts):
            return None
        understood = self._understand(parts[0].text + "".join((part.link or ". ") + part.text for part in parts[1:]))
        if isinstance(understood, NotUnderstood):
            return replace(understood, message=_MARK.sub(self._name_of, understood.message))
        if isinstance(understood, Understood):
            _append(goals, [self._unmarked(goal) for goal in understood.goals])
        return None

    def _name_of(self, mark: re.Match[str]) -> str:
        return self._meant[int(mark[2])][1] if int(mark[2]) < len(self._meant) else mark[0]

    def _unmarked(self, goal: Goal) -> Goal:
        return with_refs(goal, self._thing)

    def _thing(self, ref: ObjectRef | None) -> ObjectRef | None:
        """Return a reference with the thing itself in place of its mark."""
        if ref is None:
            return None
        mark = _MARK.fullmatch(ref.id)
        if mark is not None and int(mark[2]) < len(self._meant):
            known, noun = self._meant[int(mark[2])]
            ref = known.told(replace(ref, id="", noun=noun))
        return replace(ref, place=self._thing(ref.place))

    def _use(self, known: Recollection, note: str) -> None:
        self._found.used.append(known)
        if note not in self._found.notes:
            self._found.notes.append(note)

    def _untold(self, part: Part) -> list[str]:
        """Say of which things of the person's own nothing was told, where the other words do without.

        Only of things there are in a home: "where my sister lives" and "my mother's birthday" name none.
        """
        owned: dict[int, list[Phrase]] = {}
        for phrase in self._phrases(part):
            if phrase.owned:
                owned.setdefault(phrase.begin, []).append(phrase)
        return [
            f'I don\'t know which one "{phrases[-1].text}" is, so I went by the other words.'
            for phrases in owned.values()
            if phrases[-1].strange
            and noun_of(phrases[-1].name, self._lexicon)[1]
            and not any(self._knowledge(phrase, part) for phrase in phrases)
        ]

    def _missing(self, parts: list[Part], understood: NotUnderstood) -> NotUnderstood | None:
        """Say that nothing was told of what is asked for, where it can't be understood without."""
        if understood.code is Code.AMBIGUOUS:
            return None
        own = [p for part in parts if part.asks and part.wishes for p in self._phrases(part) if p.owned]
        if not own:
            return None
        message = (
            f'You have not told me what "{own[-1].text}" is. Have me do it once, and tell me then; for instance: '
            "Put the mug on the table. That is my usual breakfast."
        )
        return NotUnderstood(understood.code, message)


def in_turn(requests: Sequence[Likely]) -> tuple[Goal, ...]:
    """Return the goals of several requests, one after the other."""
    goals: list[Goal] = []
    for one in requests:
        _append(goals, one.goals)
    return tuple(goals)


def _append(goals: list[Goal], more: tuple[Goal, ...] | list[Goal]) -> None:
    """Append goals that were understood by themselves: what they speak of is nothing that was spoken of before."""
    entities = [0]

    def count(ref: ObjectRef | None) -> ObjectRef | None:
        if ref is not None:
            entities.append(ref.entity)
            count(ref.place)
        return ref

    for goal in goals:
        with_refs(goal, count)
    shift = max(entities)

    def moved(ref: ObjectRef | None) -> ObjectRef | None:
        return None if ref is None else replace(ref, entity=ref.entity + shift, place=moved(ref.place))

    goals += [with_refs(goal, moved) for goal in more]


def _lacks_a_place(understood: Understanding) -> bool:
    """Whether all that is missing is where things are to go."""
    goals = understood.goals if isinstance(understood, NotUnderstood) else ()
    return bool(goals) and all(one.predicate is Predicate.PLACE and one.destination is None for one in goals)


def _about(goals: Sequence[Goal], named: Sequence[ObjectRef]) -> list[bool]:
    """Return for each of some things whether goals may be about it."""
    kinds = {kind for goal in goals if goal.object is not None for kind in _kinds_of(goal.object)}
    return [bool(kinds & _kinds_of(ref)) for ref in named]


def _kinds_of(ref: ObjectRef) -> frozenset[str]:
    """Return all that a reference may be."""
    return frozenset({*ref.categories, *ref.loosely})


def telling(knowledge: Knowledge) -> str:
    """Return the sentence that told something, the last that asks for nothing."""
    told = [sentence for sentence in sentences(knowledge.told) if not request_in(sentence)]
    return told[-1] if told else knowledge.told


def _words_of(knowledge: Knowledge) -> frozenset[str]:
    """Return all words in which something was told."""
    return meaningful(" ".join([knowledge.name, knowledge.told, *knowledge.objects]))
