# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Instructions that refer to what their user told: my favorite cup, my usual breakfast (MEMENTO, section 3.2).

What the instruction says holds; what it leaves open is as it was told: which thing a phrase means, and, where it asks
for a habit, what goes where, in which order. Whatever was told is data: it becomes goals only where the instruction
asks for it, only of what its own user told, and the goals are checked as any others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from karma_language.arranging.personal import (
    Part,
    Phrase,
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
from planner_node.ground.habits import FEW, Habits, lacks_a_place
from planner_node.ground.marks import Marks
from planner_node.ground.told import Finding, Resolved, Told, telling, words_of
from planner_node.memory import OBJECT_SEMANTICS, USER_PATTERN, Knowledge, MemoryClient, Recollection
from planner_node.skills import Code
from planner_node.understand.earlier_goals import known_things, noun_of, with_things
from planner_node.understand.goals import (
    Goal,
    NotUnderstood,
    ObjectRef,
    Statement,
    Understanding,
    Understood,
    with_refs,
)
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.world import World

MOST = 8
"""Phrases of an instruction that the memory is asked about, at most."""
_GUESSES = 3
"""Pieces of knowledge that a person is asked about at once."""


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
        self,
        memory: MemoryClient,
        rules: OfflineUnderstanding,
        lexicon: Lexicon,
        world: World,
        user: str,
        scene: str,
        but: Collection[str] = (),
    ) -> None:
        """`rules` read what is asked for now, and what was asked for then; `world`: which things are there.

        `but`: ids of what was told and is not meant.
        """
        self._told = Told(memory, rules, user, scene, but=but)
        self._habits = Habits(self._told, lexicon)
        self._is_understood = False
        """Whether the whole instruction says by itself what goes where."""
        self._lexicon = lexicon
        self._world = world
        self._marks = Marks()
        self._asked: dict[str, list[Finding]] = {}
        """What the memory answered, by phrase."""
        self._found = Resolved(Understood(()))

    def resolve(self, text: str, understood: Understanding, spoken_of: tuple[ObjectRef, ...] = ()) -> Resolved:
        """Return what an instruction means in the light of what was told; `understood` where that bears on nothing.

        `spoken_of`: what the previous instruction was about. Raises what the memory does.
        """
        self._told.spoken_of = spoken_of
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
        said = self._habits.without_furniture(meaningful(request))
        guesses: dict[str, Likely] = {}
        for known, knowledge in self._told.about(request, FEW):
            if len(guesses) == _GUESSES:
                break
            told = words_of(knowledge)
            if not told_of(said, told) or is_for_later(request, told):
                continue
            if goals := self._told.goals(knowledge):
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
        wished = self._habits.wished(part, text, is_understood=self._is_understood)
        if wished is not None:
            return self._as_told(wished, part.text, part.text, part)
        for phrase in self._phrases(part):
            found = self._knowledge(phrase, part)
            if found is None:
                continue
            knowledge = found[1]
            rest = (part.text[: phrase.begin] + " " + part.text[phrase.end :]).strip()
            if knowledge.subtype == OBJECT_SEMANTICS and not self._is_left_open(part, phrase, knowledge):
                return None
            return self._as_told(found, phrase.text, rest, part)
        if part.habit or (part.wishes and not meaningful(part.text)):
            usual = self._habits.usual(part, text)
            if usual is None or isinstance(usual, NotUnderstood):
                return usual
            return self._as_told(usual, f"{part.text} as usual".strip() if part.habit else part.text, "", part)
        return None

    def _is_left_open(self, part: Part, phrase: Phrase, knowledge: Knowledge) -> bool:
        """Whether a part that speaks of a thing does not say what is to become of it."""
        if part.habit or (part.wishes and not part.sense):
            return True
        if part.sense != "put":
            return False
        said = part.text[: phrase.begin] + self._words_for(phrase, knowledge) + part.text[phrase.end :]
        plain = self._told.understand(said)
        rest = part.text[: phrase.begin] + part.text[phrase.end :]
        return lacks_a_place(plain) or (
            isinstance(plain, NotUnderstood) and plain.code is Code.NOT_UNDERSTOOD and not place_words(rest)
        )

    def _as_told(self, found: Finding, phrase: str, rest: str, part: Part) -> Understanding | None:
        """Return the goals that knowledge was told with, at the place that the part names, if it names one."""
        known, knowledge = found
        if says_otherwise(rest, of=() if rest == part.text else ("with",)):
            return NotUnderstood(
                Code.NOT_UNDERSTOOD,
                f'I know what you call "{phrase}", but not how to do it in another way. Say what to put where.',
            )
        goals = self._told.goals(knowledge)
        if not goals:
            return None
        bound = with_things(goals, knowledge, self._world, self._lexicon)
        place = self._place_in(rest, part)
        if place is not None:
            bound = bound.at(place, self._lexicon, self._world)
        what = "; ".join(str(goal) for goal in bound.goals)
        self._use(known, f'I took "{phrase}" to be {what}, because you told me: "{telling(knowledge)}"')
        self._found.notes += bound.missing
        self._found.habits[known.id] = bound.goals
        return Understood(bound.goals)

    def _place_in(self, rest: str, part: Part) -> Goal | None:
        """Return the goal that puts something where the rest of a part says, None where it names no place."""
        where = place_words(rest)
        if not where or part.sense in ("bring", "give"):
            return None
        there = self._told.understand(f"put the apple {where}")
        goals = there.goals if isinstance(there, Understood) else ()
        return goals[0] if len(goals) == 1 and goals[0].destination is not None else None

    # What a phrase means

    def _phrases(self, part: Part) -> list[Phrase]:
        return list(phrases_in(part, self._lexicon))[:MOST]

    def _knowledge(self, phrase: Phrase, part: Part) -> Finding | None:
        """Return what was told that a phrase means, None where that is nothing."""
        if phrase.owned and not meaningful(phrase.text):
            return None
        found = self._asked.get(phrase.text)
        if found is None:
            found = self._asked[phrase.text] = self._told.about(phrase.text, FEW)
        scored = [(self._fit(phrase, part, one[1]), one) for one in found]
        score, best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
        return best if score else None

    def _fit(self, phrase: Phrase, part: Part, knowledge: Knowledge) -> float:
        """Return how surely a phrase means what was told, 0 where it doesn't: all that it says must have been said."""
        said = meaningful(phrase.name)
        name, told = meaningful(knowledge.name), words_of(knowledge)
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
            if phrase.begin < last or (found := self._knowledge(phrase, part)) is None:
                continue
            known, knowledge = found
            said = self._words_for(phrase, knowledge)
            if said in ("", f"the {phrase.name}"):
                continue  # it says no more: whose it is the memory knows (owners)
            text = text[: phrase.begin + shift] + said + text[phrase.end + shift :]
            shift += len(said) - (phrase.end - phrase.begin)
            last = phrase.end
            self._found.things[known.id] = (phrase.name, *knowledge.objects)
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
                found.append(self._marks.put(one, noun))
            elif one.name and (one.categories or not categories):
                found.append(f"the {one.name}")
                if one.gone:
                    name = one.name
                    self._found.notes.append(f"The {name} that you told me of is not there any more, as far as I know.")
        return " and ".join(found)

    # Understanding

    def _take(self, parts: list[Part], goals: list[Goal]) -> NotUnderstood | None:
        """Understand what was said and append its goals; return what is wrong with it. What only tells is left out."""
        if not any(part.asks for part in parts):
            return None
        understood = self._told.understand(
            parts[0].text + "".join((part.link or ". ") + part.text for part in parts[1:])
        )
        if isinstance(understood, NotUnderstood):
            return replace(understood, message=self._marks.in_nouns(understood.message))
        if isinstance(understood, Understood):
            _append(goals, [self._marks.resolved(goal) for goal in understood.goals])
        return None

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
