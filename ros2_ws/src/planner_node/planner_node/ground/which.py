# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which of several things "the lamp" is: asked where nothing that is known tells them apart."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial

from karma_language.answers.speech import form_of_be, is_plural, named_by_oneself, sentence, whose
from karma_language.arranging.words import undetermined
from karma_language.dialogue.utterances import corrects, doubts, is_clause, is_negative, takes_any
from karma_language.reading import Request
from karma_language.requests.belonging import is_named
from karma_language.requests.requests import Grammar
from karma_language.things import Thing
from karma_language.told.quoting import same_owner
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.terms import singular
from karma_language.vocabulary.word_meanings import Sort, level_in, means, words_shared
from planner_node.ground.alternatives import narrowed, whereabouts
from planner_node.ground.names import Grounding
from planner_node.run import Run
from planner_node.understand.goals import ALL, SET, Goal, ObjectRef, Predicate, Understood, with_refs
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.world import SEEN, Belief, World

_ASKED_OF = frozenset((*SET, Predicate.BRING, Predicate.HOLD, Predicate.PLACE, Predicate.CLEAN, Predicate.FILL))
"""Goals for which it matters which one it is."""
_MOST = 6
"""Candidates that a question names."""
_NEAR = 2.0
"""Metres within which something stands beside what an answer names."""
_LARGER = 1.3
"""How many times larger seen from above something is that people call the big one."""
_PAUSE = re.compile(r"[,.;:!?\u2013\u2014]+|\s-+\s")
"""Between the parts of an answer."""
_PART = 0.5
"""Metres within which furniture may be a part of another: the drawer of a side table."""


def unclear_which(run: Run, rules: OfflineUnderstanding, lexicon: Lexicon, *, by_looks: bool) -> str:
    """Ask which things are meant where several fit, and let the goals name them.

    `by_looks`: whether the robot sees by itself which one looks as it is said to.

    An answer that asks for something else takes the place of the goals: "the one on the chair goes on the sofa".
    Returns what to say where the answer names none of them, "" else. Without an answer the nearest is taken.
    """
    seen: set[int] = set()
    grounding = Grounding(run.world, lexicon, run.before, run.guidance)
    vague = ((goal, goal.destination) for goal in run.goals if goal.destination is not None and goal.destination.vague)
    for goal, ref in [*((goal, goal.object) for goal in run.goals), *vague]:
        if ref is None or ref.entity in seen or goal.predicate not in _ASKED_OF or run.instruction.dry_run:
            continue
        seen.add(ref.entity)
        if by_looks and ref.looks:
            run.notes = [note for note in run.notes if note != ref.vague]
            continue
        options = _options(goal, ref, grounding, run, lexicon)
        if len(options) == 1 and ref.size:
            (told,) = options.values()
            run.notes = [note for note in run.notes if note != ref.vague]
            run.goals = narrowed(run.goals, ref, replace(ref, categories=(told.node.category,), id=told.id))
        if len(options) < 2:
            continue
        owner = whose("me" if ref.mine else ref.owner) if ref.mine or is_named(ref.owner) else ""
        theirs = f"which {ref.noun} {form_of_be(1 + is_plural(ref.noun))} {owner}"
        lost = f"I don't know {theirs if owner else f'which {ref.noun} you mean'}. Nothing was done."
        question = f"Which {ref.noun} do you mean?" if ref.mine or not owner else f"{sentence(theirs)}?"
        answer = run.observer.ask(question, list(options)[:_MOST]).strip()
        if means(answer.partition(" ")[0].strip(",.!"), Sort.PAIR) and len(options) == 2:  # "both of them"
            run.goals = tuple(with_refs(goal, partial(_all_of, ref)) for goal in run.goals)
            continue
        meant = _meant(answer, options, rules.grammar, run.world)
        if meant is None and answer and not takes_any(answer):
            otherwise = rules.understand(answer, (ref,)) if is_clause(answer) else None
            if isinstance(otherwise, Understood) and not _describes(otherwise.goals, options.values(), grounding):
                run.goals = otherwise.goals
                return ""
            again = f"I don't know which {ref.noun} is “{answer}”. Which of these do you mean?"
            if not (answer := run.observer.ask(again, list(options)[:_MOST]).strip()):
                return lost
            meant = _meant(answer, options, rules.grammar, run.world)
        if meant is None and (takes_any(answer) or not (answer or owner or ref.vague)):
            continue
        if meant is None:
            return lost
        run.notes = [note for note in run.notes if note != ref.vague]
        one = ObjectRef((meant.node.category,), ref.noun, id=meant.id, entity=ref.entity, definite=True)
        if owner and _of_another(answer, ref, rules.grammar):
            return lost
        if owner and _is_plain(answer, rules.grammar):
            said = next(option for option, belief in options.items() if belief is meant)
            run.learned.append(sentence(f"{said} is {'mine' if ref.mine else named_by_oneself(ref.owner)}."))
        run.goals = (*narrowed(run.goals, ref, one), *_further(answer, one, rules))
    return ""


def _of_another(answer: str, ref: ObjectRef, grammar: Grammar) -> bool:
    """Whether an answer says that a thing is another's than asked for: "the one on the desk is MINE", of Tom's."""
    owner = "me" if ref.mine else ref.owner
    return any(one.owner and (one.not_so or not same_owner(one.owner, owner)) for one in grammar.belongings(answer))


def _is_plain(answer: str, grammar: Grammar) -> bool:
    """Whether an answer says which one it is and no more: without doubt, and nothing else is asked for."""
    asks = any(isinstance(item, Request) for item in grammar.read(answer).items)
    return not (asks or doubts(answer) or takes_any(answer) or is_negative(answer))


def _all_of(ref: ObjectRef, one: ObjectRef | None) -> ObjectRef | None:
    """Return a reference, as one to all of its kind if it means the same as another."""
    return replace(one, count=ALL) if one is not None and one.entity == ref.entity else one


def _by_size(ref: ObjectRef, known: list[Belief]) -> list[Belief]:
    """Return the one that is smaller or larger than all others, as words say; all where none is clearly so."""
    sign = ref.size
    sizes = sorted(((sign * math.prod(one.node.size[:2]), one.id, one) for one in known), reverse=True)
    if not sign or len(sizes) < 2 or not all(size for size, _, _ in sizes):
        return known
    first, second = abs(sizes[0][0]), abs(sizes[1][0])
    return [sizes[0][2]] if max(first, second) >= _LARGER * min(first, second) else known


def _describes(goals: Sequence[Goal], options: Iterable[Belief], grounding: Grounding) -> bool:
    """Whether what reads as a request only says where one of some things is: "the one that stands ON ITS SHELF"."""
    places = [goal.destination for goal in goals if goal.predicate is Predicate.PLACE and goal.destination is not None]
    there = any(grounding.is_at(belief.id, place) for belief in options for place in places)
    return len(places) == len(goals) and there


def _further(answer: str, meant: ObjectRef, rules: OfflineUnderstanding) -> tuple[Goal, ...]:
    """Return what an answer asks for besides naming what is meant: "the one on the chair, AND PUT IT on the sofa"."""
    read = rules.grammar.read(answer)
    more = [
        goal
        for item in read.items
        if isinstance(item, Request) and not item.never
        for goal in item.goals
        if is_clause(goal.quote)
        and goal.thing is not None
        and goal.thing.pronoun
        and not means(goal.thing.last_word, Sort.ANOTHER)
    ]
    said = rules.requests.goals(more, (meant,)) if more else None
    found = said.goals if isinstance(said, Understood) else ()
    return tuple(narrowed(found, goal.object, meant)[at] if goal.object else goal for at, goal in enumerate(found))


def _options(goal: Goal, ref: ObjectRef, grounding: Grounding, run: Run, lexicon: Lexicon) -> dict[str, Belief]:
    """Return what a definite singular may mean, by where it is; fewer than two where something tells them apart."""
    if not ref.definite or not _singular(ref, lexicon) or ref.id or ref.other or ref.states:
        return {}
    world = run.world
    known = _known(ref, grounding)
    if ref.owner:  # nobody told whose each of them is, or one was named before
        return _named(known, world, lexicon)
    best = next((category for category in ref.categories if any(b.node.category == category for b in known)), "")
    alike = frozenset(ref.categories) if means(ref.noun, Sort.ANYTHING) and ref.place else _as_well(ref, best, lexicon)
    known = [b for b in _known(replace(ref, categories=tuple(alike)), grounding) if b.node.category in alike]
    spoken = {one.id for one in run.before.themes if one.id} | {call.target.id for call in run.before.handled}
    if ref.near is not None:
        beside = [belief for belief in known if grounding.is_near(belief.node, ref)]
        known = beside or known
    if ref.vague:
        known = _by_size(ref, known)
        named = _named(known, world, lexicon)
        return named if len(known) == 1 or len(named) > 1 else {}  # nothing that can be said tells them apart
    if goal.predicate in SET:
        predicate, positive = SET[goal.predicate]
        flag = world.is_open if predicate == "closed" else world.is_on
        reached = positive if predicate == "toggled" else not positive
        other = [belief for belief in known if flag(belief.id) is not reached]
        known = other or known
    edible = not means(ref.noun, Sort.ANYTHING) and lexicon.any_can(alike, "slice")
    told = {grounding.standing(belief) for belief in known}
    apart = edible or len(told) > 1
    if apart and not means(ref.noun, Sort.ANYTHING):
        return {}
    if any(belief.id in spoken or belief.id == world.held for belief in known):
        return {}
    return _named(known, world, lexicon)


def _known(ref: ObjectRef, grounding: Grounding) -> list[Belief]:
    """Return the things that are surely known and may be meant."""
    known = [belief for belief in grounding.candidates(ref) if belief.source == SEEN or belief.node.confidence >= 0.5]
    return [belief for belief in known if ref.place is None or grounding.is_at(belief.id, ref.place)]


def _singular(ref: ObjectRef, lexicon: Lexicon) -> bool:
    """Whether one thing is spoken of: "the keys" are one that is called so."""
    pair = ref.count == ALL and any(lexicon.kind(category).noun == ref.noun for category in ref.categories[:1])
    return ref.count == 1 or (pair and singular(ref.noun) != ref.noun)


def _as_well(ref: ObjectRef, best: str, lexicon: Lexicon) -> frozenset[str]:
    """Return the categories that a noun names as properly as the best one: a "lamp" is a desk lamp or a floor lamp.

    "Soap" is a soap bar or a soap bottle, as they are called.
    """
    if means(ref.noun, Sort.ANYTHING):
        return frozenset(ref.categories)
    classes = {*lexicon.kind(best).classes}
    of_class = {c for c in ref.categories if c == best or ref.noun in {*lexicon.kind(c).classes} & classes}
    if not lexicon.kind(best).noun.startswith(f"{ref.noun} "):
        return frozenset(of_class)
    called = {
        c for c, kind in lexicon.kinds.items() if kind.noun.startswith(f"{ref.noun} ") and classes & {*kind.classes}
    }
    return frozenset(of_class | called)


def _named(known: Sequence[Belief], world: World, lexicon: Lexicon) -> dict[str, Belief]:
    """Return things by what they are called and where they are, the likeliest of each place."""
    several = len({world.room_name(belief.node) for belief in known}) > 1

    def called(belief: Belief) -> str:
        where = whereabouts(belief.node, world, lexicon, with_room=several)
        if not world.get(belief.node.receptacle) and (near := _landmark(belief, world, lexicon)):
            where = f"near the {near}{' ' if where else ''}{where}"
        return f"the {lexicon.kind(belief.node.category).noun} {where}".strip()

    def beside(belief: Belief) -> str:
        holder = world.get(belief.node.receptacle)
        near = _landmark(holder, world, lexicon) if holder is not None else ""
        return f"{called(belief)} near the {near}" if near else called(belief)

    def level(belief: Belief) -> str:
        if not lexicon.can(belief.node.category, "pickup"):
            return called(belief).replace("the ", f"the {_level(belief, known)}", 1)
        holders = [holder for one in known if (holder := world.get(one.node.receptacle)) is not None]
        holder = world.get(belief.node.receptacle)
        if holder is None:
            return called(belief)
        noun = lexicon.kind(holder.node.category).noun
        return called(belief).replace(f"the {noun}", f"the {_level(holder, holders)}{noun}")

    def among(belief: Belief) -> str:
        node = belief.node
        there = [one for one in world if one.node.receptacle and one.node.receptacle == node.receptacle]
        near = _nearest(belief, (one for one in there if one.node.category != node.category), lexicon)
        return f"{called(belief)} next to the {near}" if near else called(belief)

    found: dict[str, Belief] = {}
    for words in (called, beside, level, among):
        found = {}
        for belief in known:
            found.setdefault(words(belief), belief)
        if len(found) > 1:
            break
    return found


def _level(belief: Belief, others: Sequence[Belief]) -> str:
    """Return how high up something is among others, "" where all are alike: "top ", "middle ", "bottom "."""
    heights = sorted({height for one in others if (height := _height(one)) is not None}, reverse=True)
    if len(heights) < 2 or (height := _height(belief)) is None:
        return ""
    return "top " if height == heights[0] else "bottom " if height == heights[-1] else "middle "


def _height(belief: Belief) -> float | None:
    """Return how high up something is, metres in steps that people see."""
    position = belief.node.position
    return round(position[2], 1) if position is not None else None


def _landmark(belief: Belief, world: World, lexicon: Lexicon) -> str:
    """Return the noun of the furniture of another kind that stands next to a thing."""
    others = (
        other
        for other in world
        if other.node.category not in (belief.node.category, "Floor", "Wall", "Room")
        and lexicon.can(other.node.category, "hold")
        and not lexicon.can(other.node.category, "pickup")
        and world.room_name(other.node) == world.room_name(belief.node)
        and _apart(belief, other) > _PART
    )
    return _nearest(belief, others, lexicon)


def _nearest(belief: Belief, others: Iterable[Belief], lexicon: Lexicon) -> str:
    """Return the noun of what is nearest to a thing, "" where no place is known."""
    named = ((_apart(belief, other), lexicon.kind(other.node.category).noun) for other in others)
    near = min(named, default=(math.inf, ""))
    return near[1] if near[0] < math.inf else ""


def _apart(belief: Belief, other: Belief) -> float:
    """Return how far two things are apart, metres; infinite where it is not known."""
    here, there = belief.node.position, other.node.position
    return math.dist(here, there) if here is not None and there is not None else math.inf


def _meant(answer: str, options: dict[str, Belief], grammar: Grammar, world: World) -> Belief | None:
    """Return what an answer means: the option that is said, or the only one that all it names fits."""
    left, named = options, False
    if corrects(answer):
        return None  # "the red one, no, the blue one"
    for part in filter(str.strip, _PAUSE.split(answer)):
        if named and is_clause(part):
            continue  # "the guest room one, THE OTHER ONE ON THE DESK IS LOUD"
        left = _said(part, left, grammar, world) or left
        if len(left) == 1:
            return next(iter(left.values()))
        named = named or bool(grammar.named(part))
    return None


def _said(part: str, options: dict[str, Belief], grammar: Grammar, world: World) -> dict[str, Belief]:
    """Return the options that a part of an answer may mean, none where it tells nothing."""
    for option, belief in options.items():
        if undetermined(part.casefold().strip()) == undetermined(option):
            return {option: belief}
    if is_negative(part):
        return {}
    if level := level_in(part):
        return {option: belief for option, belief in options.items() if level_in(option) == level}
    things = grammar.named(part)
    said_of = [of for one in things if one.pronoun for of in grammar.named(" ".join(one.attributes))]
    things += [of for of in said_of if any(_fits(belief, [of], world) for belief in options.values())]
    fitting = {option: belief for option, belief in options.items() if _fits(belief, things, world)}
    if fitting and len(fitting) < len(options):
        return fitting
    named = [one.place.thing if one.place else one for one in (*things, *said_of)]
    return _beside(options, named, world) or _by_words(part, options)


def _beside(options: dict[str, Belief], named: Iterable[Thing], world: World) -> dict[str, Belief]:
    """Return what stands closest to something that an answer names: "the one by the bathtub"; none where two may."""
    kinds = {category for thing in named for category in thing.categories}
    marks = [other for other in world if other.node.category in kinds]
    near = sorted((min((_apart(one, mark) for mark in marks), default=math.inf), name) for name, one in options.items())
    (first, best), (second, _) = near[:2]
    return {best: options[best]} if first < min(_NEAR, second / 2) else {}


def _by_words(answer: str, options: dict[str, Belief]) -> dict[str, Belief]:
    """Return the options with the most words of an answer: "the bathtub one" of "the faucet near the bathtub"."""
    shared = {option: words_shared(answer, option) for option in options}
    return {option: options[option] for option, number in shared.items() if number and number == max(shared.values())}


def _fits(belief: Belief, things: Collection[Thing], world: World) -> bool:
    """Whether a thing is, or is at, all that is named."""
    holder = world.get(belief.node.receptacle)
    at = {belief.node.category, holder.node.category if holder is not None else ""}

    def one(thing: Thing) -> bool:
        where = thing.place.thing if thing.place is not None else thing
        if where.room or where.categories:
            elsewhere = bool(where.room) and not world.is_in(belief.node, where.room)
            return not elsewhere and (not where.categories or bool(at & {*where.categories}))
        return thing.pronoun

    named = [thing for thing in things if thing.place is not None or thing.room or thing.categories]
    return bool(named) and all(map(one, named))
