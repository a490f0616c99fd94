# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an instruction refers to that was said or done before it: "it", "put them back", "the other one", "again".

Working memory knows it (BrainMem, section 3.2.1): what the same user asked for last, which things were handled for
that, and where they came from. It says nothing of what others asked for, of another scene, or of what is long ago;
then a person is asked what is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from karma_language.answers.speech import is_plural
from karma_language.dialogue.utterances import means_several, puts_back, so_again, undoes
from karma_language.reading import Kind, Question
from karma_language.told.wishes.phrases import same_words
from karma_language.vocabulary.lexicon import SWITCHED_BY, Lexicon
from karma_language.vocabulary.skill_words import THERE, deed_called
from planner_node.memory import WORKING, Recollection
from planner_node.skills import Code, SkillCall, Target
from planner_node.understand.cases import Cases
from planner_node.understand.goals import (
    ALL,
    BACK,
    MOVING,
    Goal,
    NotUnderstood,
    ObjectRef,
    Place,
    Predicate,
    Understanding,
    Understood,
    complete,
    goes_back,
    with_refs,
)
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.world import World

_SWITCHED = (Predicate.SWITCH_ON, Predicate.SWITCH_OFF)
_CONTRARY = {
    Predicate.OPEN: Predicate.CLOSE,
    Predicate.CLOSE: Predicate.OPEN,
    Predicate.SWITCH_ON: Predicate.SWITCH_OFF,
    Predicate.SWITCH_OFF: Predicate.SWITCH_ON,
}
_SO = {
    "off": Predicate.SWITCH_OFF,
    "on": Predicate.SWITCH_ON,
    "open": Predicate.OPEN,
    "closed": Predicate.CLOSE,
}
"""State → the goal that leads to it."""
_FOR_GOOD = {
    Predicate.SLICE: "what is sliced stays sliced",
    Predicate.BREAK: "what is broken stays broken",
    Predicate.THROW: "what was thrown may be broken, and anywhere",
    Predicate.HEAT: "what was cooked stays cooked",
    Predicate.COOL: "what was cooled only gets warm by itself",
    Predicate.CLEAN: "what is clean I can't make dirty",
    Predicate.FILL: "I can't empty what is filled",
}
_DISCARDED = "what was thrown away I take out of no garbage can"
_BIN = "GarbageCan"


REMEMBERED = 600.0
"""Seconds for which what was only spoken of may be meant by "it"."""


@dataclass(frozen=True)
class Mentioned:
    """What somebody spoke of and nothing was done with: asked about, told of, or wanted in vain."""

    scene: str
    stamp: float
    """Seconds, the robot's clock."""
    goals: tuple[Goal, ...]
    """To find the things; what was asked for."""

    def counts(self, scene: str, now: float) -> bool:
        """Whether "it" may still mean that."""
        return scene == self.scene and now - self.stamp <= REMEMBERED


@dataclass(frozen=True)
class NotDone(Mentioned):
    """What somebody asked for last and the robot did not do."""

    text: str
    """What was asked for."""
    why: str

    def explains(self, question: Question, scene: str, now: float) -> bool:
        """Whether a question may ask for this: it names nothing else."""
        thing = question.thing
        same = thing is None or thing.pronoun or same_words(thing.text, self.text)
        asked = question.undone if question.kind is Kind.WHY else question.kind is Kind.ASKED and question.last
        return asked and same and self.counts(scene, now)

    def told(self, question: Question) -> str:
        """Return the answer to a question that asks for this."""
        return self.why if question.kind is Kind.WHY else f"You asked: “{self.text}” I did not do that: {self.why}"


@dataclass(frozen=True)
class Before:
    """What was asked for last, and what was handled, as far as working memory knows."""

    goals: tuple[Goal, ...] = ()
    """Of the last instruction; their references name the things that were handled for them."""
    handled: tuple[SkillCall, ...] = ()
    """Oldest first; see karma_interfaces/Recollection."""
    held: Target = field(default_factory=Target)
    """What the robot holds."""
    text: str = ""
    """The same for a language model."""
    source: Recollection | None = None
    asked: tuple[Goal, ...] = ()
    """What was asked for last, done or not: "the same" means that."""
    beside: tuple[ObjectRef, ...] = ()
    """What was put just before to where the last thing is now, the last at the end: "them" means that, too."""
    mentioned: tuple[Goal, ...] = ()
    """To find what was only spoken of since: "it" means that, "again" and "undo" don't."""

    @property
    def themes(self) -> tuple[ObjectRef, ...]:
        """What "it" and "them" may mean: what was dealt with last."""
        goals = self.mentioned or _without_means(self.goals)
        last = goals[-1].predicate if goals else None
        found: dict[int, ObjectRef] = {}
        for goal in reversed(goals):
            if goal.predicate is not last and {goal.predicate, last} != {Predicate.HOLD, Predicate.PUT_DOWN}:
                break
            ref = goal.object
            for one in (self._dealt_with(ref) if ref is not None and ref.count != 1 else ()) or (ref,):
                if one is not None and one.categories:
                    found.setdefault(one.entity, one)
        themes = tuple(reversed(found.values()))
        return (*self.beside, *themes) if len(themes) == 1 and not self.mentioned else themes

    def themes_of(self, text: str) -> tuple[ObjectRef, ...]:
        """Return what "it" and "them" may mean in a text: "turn it off AGAIN" is what was switched on."""
        changed = [ref for state in so_again(text) for ref in self._changed(_CONTRARY[_SO[state]])]
        if changed and self.mentioned:
            return tuple(changed)
        spoken = self.themes
        if self.mentioned and means_several(text) and len(spoken) == 1 and not is_plural(spoken[0].noun):
            several = replace(self, mentioned=()).themes  # "is the bowl clean? Put THEM all back"
            return several if len(several) > 1 else spoken
        return spoken

    def again(self, text: str, understood: Understanding) -> Understanding:
        """Let what all things are to be AGAIN, be so for those alone that the last request made otherwise."""
        if not isinstance(understood, Understood) or not so_again(text):
            return understood
        goals: list[Goal] = []
        for goal in understood.goals:
            every = goal.object is not None and goal.object.count == ALL and goal.predicate in _CONTRARY
            changed = self._changed(_CONTRARY[goal.predicate]) if every else []
            if every and not changed and any(last.predicate is _CONTRARY[goal.predicate] for last in self.goals):
                return NotUnderstood(Code.PRECONDITION_FAILURE, "All was so before you asked: I have changed nothing.")
            goals += [replace(goal, object=one) for one in changed] or [goal]
        return replace(understood, goals=tuple(goals))

    def _changed(self, predicate: Predicate) -> list[ObjectRef]:
        """Return the things that the last request changed in a way, the first first."""
        refs = (goal.object for goal in self.goals if goal.predicate is predicate and goal.object is not None)
        by = (
            replace(ref, categories=tuple(SWITCHED_BY.get(c, c) for c in ref.categories), id="")
            if predicate in _SWITCHED and not {*ref.categories}.isdisjoint(SWITCHED_BY)
            else ref
            for ref in refs
        )
        looked_at = {c.target.id for c in self.handled if deed_called(c.skill, placed=False).after == THERE}
        found = (one for ref in by for one in self._dealt_with(ref) if one.id not in looked_at)
        return [*{one.id: one for one in found}.values()][::-1]

    @property
    def places(self) -> tuple[Place, ...]:
        """Where these things were to go."""
        goals = self.goals if self.asked == self.goals else (*self.goals, *self.asked)
        there = (g for g in goals if g.destination is not None and g.destination.categories)
        return tuple((g.relation or "to", g.destination) for g in there if g.destination is not None)

    def returned(self, text: str, rules: OfflineUnderstanding) -> Understanding | None:
        """Return what a text means that only says to put back what was dealt with last; None for others."""
        themes = {ref.id for ref in self.themes if ref.id}
        said = rules.understand(text, self.themes) if themes else None
        goals = said.goals if isinstance(said, NotUnderstood | Understood) else ()
        back = all(goal.relation == BACK and goal.object is not None and goal.object.id in themes for goal in goals)
        return said if goals and back and puts_back(text) else None

    def undone(self, text: str, lexicon: Lexicon) -> Understanding | None:
        """Return what undoes what was asked for last, None for a text that does not ask for that.

        A thing goes back to where it was (see `put_back`), what was opened is closed. What nothing was done with needs
        nothing. What can't be undone stays, and is said; where that is all, there is nothing to do.
        """
        if not undoes(text):
            return None
        back: dict[tuple[Predicate, str], Goal] = {}
        stays: dict[str, None] = {}
        for goal, thing in ((last, ref) for last in reversed(self.goals) for ref in self._dealt_with(last.object)):
            if reason := _why_not(goal):
                stays[f"I can't undo {goal}: {reason}."] = None
            elif (contrary := _CONTRARY.get(goal.predicate)) is not None:
                back.setdefault((contrary, thing.id), Goal(contrary, thing))
            elif goal.predicate in MOVING:
                back.setdefault((Predicate.PLACE, thing.id), Goal(Predicate.PLACE, thing, relation=BACK))
        if back:
            return self.put_back(Understood(tuple(back.values()), tuple(stays)), lexicon)
        if stays:
            return NotUnderstood(Code.PRECONDITION_FAILURE, " ".join(stays))
        return NotUnderstood(Code.NOT_UNDERSTOOD, "I know of nothing that I did for you last and could undo.")

    def _dealt_with(self, ref: ObjectRef | None) -> list[ObjectRef]:
        """Return the single things that were handled for a reference, the last first."""
        if ref is None:
            return []
        kinds = {*ref.categories, *(SWITCHED_BY[c] for c in ref.categories if c in SWITCHED_BY)}
        alike = {c.target.id for c in self.handled if c.target.category in kinds}
        wanted = {ref.id} if ref.count == 1 and ref.id else alike
        calls = [call for call in reversed(self.handled) if call.target.id in wanted]
        calls = calls[: ref.count] if ref.count else calls
        return [
            replace(ref, categories=(c.target.category,), id=c.target.id, count=1, entity=2000 + self.handled.index(c))
            for c in calls
        ]

    def grounds(self, goals: Iterable[Goal], lexicon: Lexicon) -> dict[str, Recollection]:
        """Return what goals rest on that name things that were handled before, as a line for people."""
        named = {ref.id for goal in goals for ref in goal.refs}
        lines = [_remembered(call, lexicon) for call in self.handled if call.target.id in named]
        if self.source is None or not lines:
            return {}
        return {self.source.id: replace(self.source, text=" ".join(dict.fromkeys(lines)))}

    def choices(self, unclear: NotUnderstood, lexicon: Lexicon) -> tuple[str, ...]:
        """Return what can be answered: what is said to be, else, to what words refer to, what the robot holds."""
        held = self.held.category if unclear.phrase and not unclear.choices else ""
        return (f"the {lexicon.kind(held).noun}",) if held else unclear.choices

    def put_back(self, understood: Understanding, lexicon: Lexicon) -> Understanding:
        """Let what is to be put back go where it was; where that is not known, it stays open where to."""
        goals = understood.goals if isinstance(understood, NotUnderstood | Understood) else ()
        if not any(goal.relation == BACK for goal in goals):
            return understood
        back = tuple(
            goal if goes_back(goals, number) else self._back(goal, number, lexicon) for number, goal in enumerate(goals)
        )
        return complete(back, understood.notes if isinstance(understood, Understood) else ())

    def _back(self, goal: Goal, number: int, lexicon: Lexicon) -> Goal:
        if goal.relation != BACK or goal.object is None:
            return goal
        call = _last_of(goal.object, self.handled, lexicon)
        if call is None or not call.receptacle.category:
            return replace(goal, relation="")
        kind = lexicon.kind(call.receptacle.category)
        where = ObjectRef((call.receptacle.category,), kind.noun, entity=1000 + number, id=call.receptacle.id)
        return replace(goal, object=replace(goal.object, id=call.target.id), destination=where, relation=call.relation)


def _without_means(goals: tuple[Goal, ...]) -> tuple[Goal, ...]:
    """Return goals without those at their end that only switch what a thing was put into: the coffee machine."""
    used = {c for g in goals if g.predicate is Predicate.PLACE and g.destination for c in g.destination.categories}
    left = list(goals)
    while left and left[-1].predicate in _SWITCHED and left[-1].object and used & {*left[-1].object.categories}:
        left.pop()
    return tuple(left)


def _why_not(goal: Goal) -> str:
    """Return why what a goal has done stays; "" where it can be undone."""
    thrown_away = goal.destination is not None and _BIN in goal.destination.categories
    return _DISCARDED if thrown_away else _FOR_GOOD.get(goal.predicate, "")


def before(recollections: Iterable[Recollection], cases: Cases, world: World, lexicon: Lexicon) -> Before:
    """Return what working memory says of what was before an instruction."""
    known = [r for r in recollections if r.kind == WORKING]
    asked = next((r for r in known if r.task is not None), None)
    held = next((r.handled.calls[0].target for r in known if r.task is None and r.handled is not None), Target())
    text = "\n".join(r.text for r in known)
    if asked is None or asked.task is None:
        return Before(held=held, text=text)
    handled = asked.handled.calls if asked.handled is not None else ()
    goals = _with_things(cases.goals_of(asked.task), handled, lexicon)
    came_up = [goal for goal in goals if goal.object is None or goal.object.id or goal.object.count != 1]
    done = tuple(came_up) if asked.task.succeeded and came_up else goals  # "if it is in the fridge, …, otherwise …"
    return Before(done, handled, held, text, asked, asked=goals, beside=_beside(done, handled, world, lexicon))


def _beside(
    goals: Sequence[Goal], handled: Sequence[SkillCall], world: World, lexicon: Lexicon
) -> tuple[ObjectRef, ...]:
    """Return the things that were handled one after the other before the last one, and are where that is now."""
    last = goals[-1].object if goals else None
    there = world.get(last.id) if last is not None and last.id else None
    found: list[ObjectRef] = []
    for call in reversed(handled):
        one = world.get(call.target.id)
        if there is None or one is None or not lexicon.can(call.target.category, "pickup"):
            continue
        if one.id != there.id and (not one.node.receptacle or one.node.receptacle != there.node.receptacle):
            break
        if one.id != there.id:
            noun = lexicon.kind(call.target.category).noun
            found.append(ObjectRef((call.target.category,), noun, id=one.id, entity=3000 + len(found)))
    return tuple(reversed(found))


def _with_things(goals: Sequence[Goal], handled: Sequence[SkillCall], lexicon: Lexicon) -> tuple[Goal, ...]:
    """Return goals whose references name the things that were handled for them, each another one."""
    left = list(handled)
    names: dict[int, str] = {}

    def named(ref: ObjectRef | None) -> ObjectRef | None:
        if ref is None or ref.count != 1:
            return ref
        if ref.entity not in names:
            call = _last_of(ref, left, lexicon)
            names[ref.entity] = call.target.id if call is not None else ""
            if call is not None:
                left.remove(call)
        if not names[ref.entity]:
            return replace(ref, id="")
        return replace(ref, id=names[ref.entity], place=None, near=None, room="")  # where it was, it may not be now

    found = [with_refs(goal, named) for goal in reversed(goals)]
    return tuple(reversed(found))


def _remembered(call: SkillCall, lexicon: Lexicon) -> str:
    """Say what is known of a thing that was handled."""
    thing, place = (lexicon.kind(target.category).noun for target in (call.target, call.receptacle))
    if not call.receptacle.category:
        return f"I handled the {thing} before."
    relation = call.relation or lexicon.kind(call.receptacle.category).relation
    return f"The {thing} was {'next to' if relation == 'near' else relation} the {place} before I took it."


def _last_of(ref: ObjectRef, handled: Sequence[SkillCall], lexicon: Lexicon) -> SkillCall | None:
    """Return the thing that a reference may mean and that was handled last."""
    kinds = {*ref.categories, *ref.loosely, *(lexicon.slices[c] for c in ref.categories if c in lexicon.slices)}
    named = [call for call in handled if ref.id and call.target.id == ref.id]
    fitting = named or [call for call in handled if call.target.category in kinds]
    return fitting[-1] if fitting else None
