# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What may put right a skill that failed for a reason nobody foresaw: to be tried out when it is tried again.

Candidates are single calls from the robot's own skill table, likeliest first: what brings about a precondition of the
skill that failed; what can be done to the things that its message names; what can be done to the thing itself. Only
what can be undone is tried out, and it is undone where it does not help.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.terms import stems, words
from planner_node.plan.operating import Operating
from planner_node.skills import Code, Outcome, SkillCall, SkillSpec, SkillTable, Target
from planner_node.world import Belief, World

REPAIRABLE = (Code.PRECONDITION_FAILURE, Code.EXECUTION_FAILURE)
"""Results after which something can be tried."""
_AFFORDANCES = {"toggleable": "toggle", "openable": "open", "sliceable": "slice", "breakable": "break"}
_NO_MANIPULATION = frozenset({"visible", "reachable", "near", "located"})
"""Effects that change nothing about a thing."""
_NAMED, _ITSELF, _ALIKE = range(3)
"""How likely a thing has to do with a failure, likeliest first: what is named beside, the thing itself, its like."""


def repairable(outcomes: Sequence[Outcome]) -> Outcome | None:
    """Return the last skill that failed so that something can be tried, None where there is none.

    What was looked for and not found may be behind it.
    """
    return next((outcome for outcome in reversed(outcomes) if outcome.code in REPAIRABLE), None)


def about(failed: Outcome) -> tuple[str, str]:
    """Return a skill and the kind of thing that it failed with."""
    return failed.call.skill, failed.call.subject.category


def repairs(failed: Outcome, table: SkillTable, world: World, lexicon: Lexicon) -> list[SkillCall]:
    """Return what may make the failed call work as things stand, likeliest first; nothing where nothing can be tried.

    Calls about a kind of thing of which none is known name its category only.
    """
    if failed.code not in REPAIRABLE or failed.call.skill not in table:
        return []
    wanted = {_literal(text) for text in table[failed.call.skill].preconditions}
    said = _stems(failed.message)
    ranked: dict[tuple[frozenset[str], Target], tuple[tuple[object, ...], SkillCall]] = {}
    for nearness, target in _things(failed, world, lexicon):
        for spec in table.values():
            call = SkillCall(spec.name, target)
            if (call.skill, target.category) == (failed.call.skill, failed.call.subject.category):
                continue
            if not _manipulates(spec) or not fits(spec, target, world, lexicon):
                continue
            if empties_hand(spec, table[failed.call.skill]):
                continue
            if target.id and undo_of(call, table, world) is None:
                continue
            changes = _changes(spec)
            brings = nearness == _ITSELF and bool(wanted & changes)
            spoken = bool(said & _stems(" ".join([Operating.words(spec.name), *_begun(changes)])))
            belief = world.get(target.id)
            away = world.distance(belief.node) if belief is not None else 0.0
            rank = (not brings, nearness, not spoken, spec.needs_hand_empty, away)
            ranked.setdefault((frozenset(_begun(changes)) or changes, target), (rank, call))
    return [call for _, call in sorted(ranked.values(), key=lambda item: item[0])]


def empties_hand(spec: SkillSpec, before: SkillSpec) -> bool:
    """Whether a skill can't come right before another, because that needs what is held."""
    return spec.needs_hand_empty and before.needs_hand_full


def fits(spec: SkillSpec, target: Target, world: World, lexicon: Lexicon) -> bool:
    """Whether a thing is of the sort that a skill takes, and as the skill wants it, as far as that is known."""
    belief = world.get(target.id)
    category = belief.node.category if belief is not None else target.category
    if target.id and target.id == world.held:
        return False
    for text in spec.preconditions:
        literal = _literal(text)
        if literal == "pickupable" and not lexicon.can(category, "pickup"):
            return False
        if literal in _AFFORDANCES and category in lexicon.kinds and not lexicon.can(category, _AFFORDANCES[literal]):
            return False
        if literal in ("closed", "not closed") and world.is_open(target.id) is (literal == "closed"):
            return False
        if literal in ("toggled", "not toggled") and world.is_on(target.id) is (literal == "not toggled"):
            return False
    return True


def _things(failed: Outcome, world: World, lexicon: Lexicon) -> Iterator[tuple[int, Target]]:
    """Yield the things that a failure may have to do with, each with how likely.

    A thing is named by its id or by what people call it; of a kind that is named and not known, its category is given.
    """
    own = replace(failed.call.subject, position=None)
    yield _ITSELF, own
    named = [category for categories in _named(failed.message, lexicon) for category in categories]
    beliefs = [b for b in world if b.id not in (own.id, world.held)]
    for belief in beliefs:
        category = belief.node.category
        if belief.id in failed.message or named.count(category) > (category == own.category):
            yield _NAMED, _target(belief)
        elif category in named:
            yield _ALIKE, _target(belief)
    known = {belief.node.category for belief in world} | {own.category}
    for categories in _named(failed.message, lexicon):
        if categories and not known & set(categories):
            yield _NAMED, Target(category=categories[0])


def _target(belief: Belief) -> Target:
    return Target(belief.id, belief.node.category)


def _named(message: str, lexicon: Lexicon) -> Iterator[tuple[str, ...]]:
    """Yield what the names of kinds of things in a message may mean, the longest names first taken."""
    said = words(message)
    while said:
        length, noun = lexicon.noun_beginning(said)
        if noun is not None and not noun.generic:
            yield noun.categories
        del said[:length]


def _manipulates(spec: SkillSpec) -> bool:
    """Whether a skill changes a thing, by nothing but that thing, and not for good."""
    needed = [p.name for p in spec.parameters if p.required]
    return needed == ["target"] and bool(_changes(spec)) and not spec.irreversible and not spec.needs_hand_full


def undo_of(call: SkillCall, table: SkillTable, world: World) -> SkillCall | None:
    """Return what will make a thing as it is now, after a call; None where nothing does."""
    changes = _changes(table[call.skill])
    if "holding" in changes:
        belief = world.get(call.target.id)
        was_at = world.get(belief.node.receptacle) if belief is not None else None
        if was_at is None:
            return None
        putting = (s for s in table.values() if "on" in _changes(s) and s.needs_hand_full and not s.irreversible)
        put = next((s for s in putting if [p.name for p in s.parameters if p.required] == ["receptacle"]), None)
        return SkillCall(put.name, receptacle=_target(was_at)) if put is not None else None
    opposite = {text.removeprefix("not ") if text.startswith("not ") else f"not {text}" for text in changes}
    other = next((s for s in table.values() if _manipulates(s) and _changes(s) == opposite), None)
    return SkillCall(other.name, call.target) if other is not None else None


def _changes(spec: SkillSpec) -> frozenset[str]:
    """Return what a skill changes of things, as literals without their arguments."""
    literals = map(_literal, spec.effects)
    return frozenset(text for text in literals if text.removeprefix("not ") not in _NO_MANIPULATION)


def _begun(changes: Iterable[str]) -> list[str]:
    return [text for text in changes if not text.startswith("not ")]


def _literal(text: str) -> str:
    """Return a literal without its arguments: "not closed" for "not closed(target)"."""
    return text.partition("(")[0].strip()


def _stems(text: str) -> set[str]:
    return {stem for word in words(text) for stem in stems(word)}
