# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Trials for the parts of BrainMem, made of what there is in a scene; success is what the simulator's world says.

| part | the robot has to |
|---|---|
| working | do what refers to an instruction before: put it back, the other one, too, the same with the fork |
| avoid | put a thing where it fits, having found out before where it does not |
| before | open what opens only after another step, having found out which |
| meaning | take a word for what it means in this home, having been put right before |
| trajectory | do what rules can't read, as it was done when a language model could |

What is asked for is known to be possible: the robot does it when it is told in full.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from karma_eval.brainmem.home import Effort, Home, Refusal
from karma_eval.brainmem.stock import Stock, rests
from karma_language.vocabulary import household
from planner_node.skills import Code, SkillCall
from planner_node.understand.aid import NO_AID, Aid
from planner_node.understand.goals import NotUnderstood
from planner_node.understand.hearing import Heard, Hearing
from planner_node.understand.offline import OfflineUnderstanding
from sim_bridge.household.world import World

PARTS: Mapping[str, str] = {
    "working": "working",
    "avoid": "guideline",
    "before": "guideline",
    "meaning": "guideline",
    "trajectory": "trajectory",
}
"""Part → the kind of memory that is switched off."""
_RETRIES = 3
_VERBS = ("yeet", "chuck", "plonk", "shove")
_RESTART = "(the planner is started anew)"
Judge = Callable[[World], bool]


@dataclass(frozen=True)
class Trial:
    """One trial, the same with the part and without."""

    part: str
    kind: str
    scene: str
    live: Callable[[Home], Effort]
    refusal: Refusal | None = None


def trials(scene: str, parts: tuple[str, ...], seed: int) -> Iterator[Trial]:
    """Yield the trials that a scene has the things for."""
    makers = {
        "working": _references,
        "avoid": _places,
        "before": _first_steps,
        "meaning": _words,
        "trajectory": _frames,
    }
    for part in parts:
        yield from makers[part](Stock(scene, seed))


def _references(stock: Stock) -> Iterator[Trial]:
    """Yield instructions that refer to those before them."""

    def trial(kind: str, says: list[tuple[str, str]], judge: Judge) -> Trial:
        def live(home: Home) -> Effort:
            for user, text in says[:-1]:
                if text == _RESTART:
                    home.start()
                else:
                    home.say(text, user)
            home.count()
            home.say(says[-1][1], says[-1][0])
            return home.effort(success=judge(home.world))

        return Trial("working", kind, stock.scene, live)

    for thing in (things := stock.things()):
        if not (places := stock.places(thing)):
            continue
        place, (name,) = places[0], stock.named[thing]
        put = stock.put(thing, place)
        yield trial("back", [("", put), ("", "Put it back.")], partial(_is_on, name, stock.world.parents[name]))
        says = [("", f"Pick up the {stock.noun(thing)}."), ("", _RESTART), ("", f"Put it {stock.at(place)}.")]
        yield trial("restart", says, partial(_are_at, (thing,), place))
        second = next((one for one in things if one != thing and stock.fits(one, place)), "")
        if second:
            says = [("", put), ("", f"Do the same with the {stock.noun(second)}.")]
            yield trial("the same with", says, partial(_are_at, (thing, second), place))
        if second and len(places) > 1:
            says = [("ann", put), ("bob", stock.put(second, place)), ("ann", f"Now put it {stock.at(places[1])}.")]
            yield trial("two people", says, partial(_only_one_is_at, thing, second, places[1]))
        break
    for pair in stock.things(count=2):
        for place in stock.places(pair, 1):
            says = [("", stock.put(pair, place).replace("the", "a", 1)), ("", "The other one, too.")]
            yield trial("the other", says, partial(_two_are_at, pair, place))
    doors = [c for c, n in sorted(stock.named.items()) if len(n) == 1 and n[0] in stock.seen]
    for door in [c for c in doors if stock.lexicon.can(c, "open") and not stock.world.is_(stock.named[c][0], "isOpen")]:
        says = [("", f"Open the {stock.noun(door)}."), ("", "Close it again.")]
        if stock.tried(says[0][1]).code is Code.SUCCESS:
            yield trial("close it", says, partial(_is_closed, stock.named[door][0]))
            break


def _is_on(name: str, holder: str, world: World) -> bool:
    return world.parents[name] == holder


def _are_at(things: tuple[str, ...], place: str, world: World) -> bool:
    return all(rests(world, thing, place) for thing in things)


def _only_one_is_at(thing: str, other: str, place: str, world: World) -> bool:
    return rests(world, thing, place) and not rests(world, other, place)


def _two_are_at(thing: str, place: str, world: World) -> bool:
    return rests(world, thing, place, 2)


def _is_closed(name: str, world: World) -> bool:
    return not world.is_(name, "isOpen")


def _places(stock: Stock) -> Iterator[Trial]:
    """Yield things to be put away on two days, where a place or a kind of place turns out not to take them."""
    wanted = {"one of several", "left open"}
    holders = [c for c, n in sorted(stock.named.items()) if len(n) > 1 and "storage" in stock.lexicon.kind(c).classes]
    for thing in stock.things():
        for holder in stock.rng.sample(holders, len(holders)):
            text = stock.put(thing, holder)
            report = stock.tried(text)
            puts = [o for o in report.outcomes if o.call.skill == "PutObject"]
            if all(o.ok for o in puts):
                continue
            there = report.code is Code.SUCCESS and puts[-1].call.receptacle.category == holder
            if there and "one of several" in wanted:
                wanted.discard("one of several")
                yield Trial("avoid", "one of several", stock.scene, _again(text, thing, holder))
            elif report.code is not Code.SUCCESS and "left open" in wanted and (places := stock.places(thing, 1)):
                wanted.discard("left open")
                answers = (stock.at(holder), stock.at(places[0]))
                live = _left_open(f"Put the {stock.noun(thing)} away.", answers, thing, places[0])
                yield Trial("avoid", "left open", stock.scene, live)
            if not wanted:
                return


def _again(text: str, thing: str, holder: str) -> Callable[[Home], Effort]:
    """Return a life in which the same is asked for on two days; on the second nothing may fail."""

    def live(home: Home) -> Effort:
        home.say(text)
        home.next_day()
        home.count()
        home.say(text)
        effort = home.effort(success=rests(home.world, thing, holder))
        return Effort(effort.success and not effort.failed, effort.skills, effort.failed)

    return live


def _left_open(text: str, answers: tuple[str, str], thing: str, place: str) -> Callable[[Home], Effort]:
    """Return a life in which a person says twice where to put a thing, and the next day nobody does."""

    def live(home: Home) -> Effort:
        for answer in answers:
            home.say(text, answer=answer)
        home.next_day()
        home.count()
        home.say(text)
        return home.effort(success=rests(home.world, thing, place))

    return live


def _first_steps(stock: Stock) -> Iterator[Trial]:
    """Yield things to be opened that don't open while the light in the room is as it is, which no skill table tells."""
    lights = [name for name in stock.world.of_category("LightSwitch") if name in stock.seen]
    for kind, names in sorted(stock.named.items()):
        closed = len(names) == 1 and names[0] in stock.seen and not stock.world.is_(names[0], "isOpen")
        text = f"Open the {stock.noun(kind)}."
        if closed and len(lights) == 1 and stock.lexicon.can(kind, "open") and stock.tried(text).code is Code.SUCCESS:
            yield _by_the_light(stock, text, names[0], lights[0])
            return


def _by_the_light(stock: Stock, text: str, name: str, light: str) -> Trial:
    was = stock.world.is_(light, "isToggled")

    def refusal(world: World, call: SkillCall, done: frozenset[tuple[str, str]]) -> str:
        refused = call.skill == "OpenObject" and call.target.id == name and world.is_(light, "isToggled") == was
        return f"{name} does not open while {light} is {'on' if was else 'off'}" if refused else ""

    def live(home: Home) -> Effort:
        _learn(home, text, lambda world: world.is_(name, "isOpen"))
        home.next_day()
        home.look_around()
        home.count()
        home.say(text)
        return home.effort(success=home.world.is_(name, "isOpen"))

    return Trial("before", "by the light", stock.scene, live, refusal)


def _learn(home: Home, text: str, judge: Judge) -> None:
    """Let a person ask for something until it is right, and say each time whether it was."""
    report = home.say(text)
    for _ in range(_RETRIES):
        home.judge(report, right=judge(home.world))
        if judge(home.world):
            return
        report = home.say(text, retry_of=report.instruction_id)
    home.judge(report, right=judge(home.world))


def _words(stock: Stock) -> Iterator[Trial]:
    """Yield words by which people mean something else than what they usually mean, where there is both."""
    there = {spec.category for name, spec in stock.world.specs.items() if name in stock.seen and spec.movable}
    choices: dict[tuple[str, str], str] = {}
    for words, noun in sorted(stock.lexicon.nouns.items()):
        usual, *others = [c for c in (*noun.categories, *noun.loosely) if c in there] or [""]
        single = not noun.plural and not noun.generic and stock.meant(" ".join(words)) == noun.categories
        if single and others and others[0] not in (usual, *_sharp(stock)):
            choices.setdefault((usual, others[0]), " ".join(words))
    for (usual, other), said in stock.rng.sample(sorted(choices.items()), len(choices)):
        if other not in stock.named or len(places := stock.places(other)) < 2:
            continue
        yield Trial("meaning", f"{said}: {other}, not {usual}", stock.scene, _meaning(stock, said, other, places))
        return


def _sharp(stock: Stock) -> tuple[str, ...]:
    return tuple(stock.lexicon.slicers)


def _meaning(stock: Stock, said: str, other: str, places: list[str]) -> Callable[[Home], Effort]:
    first, second = (f"Put the {said} {stock.at(place)}." for place in places)

    def live(home: Home) -> Effort:
        _learn(home, first, lambda world: rests(world, other, places[0]))
        home.next_day()
        home.count()
        home.say(second)
        return home.effort(success=rests(home.world, other, places[1]))

    return live


def _frames(stock: Stock) -> Iterator[Trial]:
    """Yield instructions with a verb that rules don't know, like one that a language model understood."""
    rules = OfflineUnderstanding(stock.lexicon)
    verb = next(v for v in _VERBS if isinstance(rules.understand(f"{v} the apple onto the table"), NotUnderstood))
    things = stock.things()
    for one in things:
        for place in stock.places(one, 1):
            for other in [c for c in things if c != one and stock.fits(c, place)][:1]:
                says = [f"{verb} the {stock.noun(thing)} {stock.at(place)}" for thing in (one, other)]
                yield Trial("trajectory", verb, stock.scene, _frame(verb, says, other, place))
                return


def _frame(verb: str, says: list[str], thing: str, place: str) -> Callable[[Home], Effort]:
    """Return a life in which a language model understands what rules can't read, and is gone the next day."""

    def live(home: Home) -> Effort:
        home.start(_Model(verb))
        home.say(says[0])
        home.next_day()
        home.count()
        home.say(says[1])
        return home.effort(success=rests(home.world, thing, place))

    return live


class _Model(Hearing):
    """Stands in for a language model: knows one verb more than the rules."""

    def __init__(self, verb: str) -> None:
        super().__init__(household())
        self._verb = verb

    def hear(self, text: str, aid: Aid = NO_AID, **moment: Any) -> Heard:
        """Return what was said."""
        return super().hear(text.replace(self._verb, "put", 1), aid, **moment)
