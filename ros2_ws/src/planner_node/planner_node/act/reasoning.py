# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The loop: the model says the next call, the robot does it, and the model sees what came of it."""

from __future__ import annotations

import logging
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial

from karma_language.models import CanceledError, Model, ModelError, ModelLateError, Waiting
from karma_language.things import Thing
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.word_meanings import senses_in
from planner_node.act.loop import Actor
from planner_node.act.recovery import tries_out
from planner_node.ground.names import Grounding
from planner_node.memory import Recollection
from planner_node.plan.handling import Handling
from planner_node.plan.reasoning.options import About, Option, Options
from planner_node.plan.reasoning.precedents import WORKED, Precedents
from planner_node.plan.reasoning.progress import Progress
from planner_node.plan.reasoning.prompt import DONE, GIVE_UP, Turn, chat, choices, chosen, scene, schema
from planner_node.plan.steps import GoalFailed, Step, Steps, Stopped
from planner_node.run import Run
from planner_node.skills import Code, SkillCall, SkillTable
from planner_node.understand.cases import Cases
from planner_node.understand.goals import SET, Goal, ObjectRef, Predicate
from planner_node.whereabouts import in_nouns
from planner_node.world import SEEN, World

_LOG = logging.getLogger(__name__)

_MOST_TURNS = 40
_MOST_FAILURES = 6
"""Calls in a row that fail, and answers that are none, after which the model has lost its way."""
_KEPT = 200
"""Instructions that can be tried again."""
_ASKED = {"slice": "sliced", "break": "broken"}
"""Sense of a verb → predicate of what it brings about, which can't be undone. Nothing is thrown."""


class Planning(str, Enum):
    """Who plans."""

    GOALS = "goals"
    """The words are read into goals, and the task planner plans."""
    SKILLS = "skills"
    """The language model says each skill call."""
    AUTO = "auto"
    """Goals first; where they are not reached, or the words are not read, the model goes on from where things stand."""


@dataclass(frozen=True)
class Earlier:
    """The attempts at an instruction that was not done as it was meant."""

    number: int = 0
    turns: Sequence[Turn] = ()
    """Of the last one."""


class Reasoner:
    """Has a language model plan."""

    def __init__(self, model: Model, lexicon: Lexicon, named: Callable[[str], Sequence[Thing]], cases: Cases) -> None:
        """`named`: returns the things that words name. `cases` reads what past tasks were understood as."""
        self._model = model
        self._lexicon = lexicon
        self._named = named
        self._cases = cases
        self._before: OrderedDict[str, Earlier] = OrderedDict()
        """Id of an instruction → the attempts at it, of the last ones."""

    def pursue(
        self,
        run: Run,
        actor: Actor,
        handling: Handling,
        table: SkillTable,
        cases: Sequence[Recollection],
        ways: Sequence[Recollection],
    ) -> tuple[Code, str]:
        """Do what an instruction asks for, call by call; return how it ended, and why it was not done.

        `cases`: what is remembered of tasks with such goals. `ways`: how tasks of any kind were done.
        Ends after a bounded number of turns whatever the model says. Raises Stopped.
        """
        words = run.instruction.text
        progress = Progress(run.goals, run.world, handling.grounding, self._lexicon)
        options = Options(table, self._lexicon, handling.grounding)
        memories = tuple({one.id: one for one in (*cases, *run.recollections.values())}.values())
        known = [way for way in ways if not way.id.endswith(f":{run.id}")]
        precedents = Precedents((*memories, *known), table, self._cases, self._lexicon)
        waiting = Waiting(cancelled=run.observer.cancelled)
        earlier = self._before.get(run.instruction.retry_of, Earlier())
        turns: list[Turn] = []
        self._before[run.id] = Earlier(earlier.number + 1, turns)
        if len(self._before) > _KEPT:
            self._before.popitem(last=False)
        tried: Counter[tuple[str, tuple[str, ...]]] = Counter()
        """Calls, and how things were: what was done once leads nowhere else the second time."""
        while len(turns) < _MOST_TURNS:
            if all(not turn.ok for turn in turns[-_MOST_FAILURES:]) and len(turns) >= _MOST_FAILURES:
                return Code.PLANNING_FAILURE, f"Nothing that I tried has worked. {turns[-1].feedback}".strip()
            left = progress.left()
            if run.goals and not left:
                return Code.SUCCESS, ""
            goal = left[0] if left else None
            about = self._about(words, goal, progress, run.world)
            admissible = options.now(run.world, about)
            far = progress.lines()
            state = (*far, *scene(run.world, admissible))
            tried.update((turn.text, state) for turn in turns[-1:] if not turn.ok)
            least = min((tried[one.text, state] for one in admissible), default=0)
            offered = [one for one in admissible if tried[one.text, state] == least]
            done = [outcome.call for outcome in actor.outcomes if outcome.ok]
            offered = precedents.noted(offered, done, run.world, goal, about.predicates or frozenset())
            calls = choices(offered, turns, understood=bool(run.goals))
            again = earlier.number > 0  # then what memory knows may be what was wrong: the model is asked
            if least == 0 and not again and (following := [one.text for one in offered if one.note == WORKED]):
                calls = following  # what memory knows needs no thought, once as things stand
            shown = partial(chat, words, far, run.world, offered, calls, turns, memories, earlier.turns)
            try:
                reason, call = self._asked(shown, calls, waiting, earlier.number)
            except CanceledError as error:
                raise Stopped(Code.CANCELED, "Stopped as asked while I was thinking.") from error
            except ModelError as error:
                late = isinstance(error, ModelLateError)
                return (Code.TIMEOUT if late else Code.UNAVAILABLE), f"I could not think about what to do next: {error}"
            _LOG.debug("turn %d: %s (%s)", len(turns) + 1, call or "none of the calls", reason)
            if call == DONE:
                return Code.SUCCESS, ""
            if call == GIVE_UP:
                return Code.PLANNING_FAILURE, f"I don't know how to do that{f': {reason}' if reason else ''}."
            option = next((one for one in offered if one.text == call), None)
            if option is None:
                turns.append(Turn("(no call)", Code.INVALID_ARGUMENT, "that is none of the calls"))
                continue
            tried[option.text, state] += 1
            begun = len(actor.outcomes)
            turns.append(self._do(option, reason, run, actor, handling))
            if tries_out(run, turns[-1].code, actor.outcomes, begun, table, self._lexicon):
                turns.append(self._do(option, reason, run, actor, handling))
            if goal is not None:
                call_made = option.call if turns[-1].ok else None
                _choose(goal, call_made, progress, run.world, handling.grounding)
        return Code.TIMEOUT, f"I used up the {_MOST_TURNS} steps that I may think about an instruction."

    def _asked(
        self,
        shown: Callable[[int], Sequence[Mapping[str, str]]],
        calls: Sequence[str],
        waiting: Waiting,
        variation: int,
    ) -> tuple[str, str]:
        """Return reason and call, "" for an answer that is none of the calls. Where there is one, nobody is asked."""
        if len(calls) == 1:
            return "", calls[0]
        question = shown(self._model.room(waiting))
        return chosen(self._model.ask(question, schema(calls), waiting, variation), calls)

    def _about(self, words: str, goal: Goal | None, progress: Progress, world: World) -> About:
        """Return what the next calls may be about: the goal that comes next, or all that the words name."""
        asked = frozenset(_ASKED[sense] for sense in senses_in(words) if sense in _ASKED)
        if goal is None:
            nouns = enumerate(self._named(words), 1)
            things = [ObjectRef(n.categories, n.text, n.loosely, entity=-i) for i, n in nouns if n.categories]
            return About(things, asked=asked)
        refs = goal.refs
        missing = progress.missing(goal)
        sets = goal.predicate in SET or goal.predicate is Predicate.EXAMINE

        def stays(name: str) -> bool:  # what is seen to be as it is to be, and what is to be cut, is left where it is
            belief = world.get(name)
            fits = belief is not None and belief.source == SEEN and progress.fits(goal, name)
            return fits or (missing == {"sliced"} and not progress.cuts(name))

        return About(refs, missing, missing, sets, stays)

    def _do(self, option: Option, reason: str, run: Run, actor: Actor, handling: Handling) -> Turn:
        """Make a call, as any plan's: table, preconditions, rules of safety."""

        def steps() -> Steps[None]:
            if option.looks_for is not None:
                yield from handling.reach(*option.looks_for)
                return
            if option.stand_at and option.stand_at != run.world.held:
                yield from handling.approach(option.stand_at)
            outcome = yield Step(option.call, f"{option.text}: {reason}" if reason else option.text)
            if not outcome.ok:
                raise GoalFailed(outcome.code, outcome.message)
            target = option.call.target.id
            if outcome.seen and run.world.get(target) is None:  # it is in pieces
                handling.grounding.replace(target, [node.id for node in outcome.seen])

        try:
            actor.pursue(steps)
        except GoalFailed as failure:
            run.world.at = ""  # the next time, the robot drives there again
            return Turn(option.text, failure.code, in_nouns(failure.message, run.world, self._lexicon))
        return Turn(option.text)


def _choose(goal: Goal, call: SkillCall | None, progress: Progress, world: World, grounding: Grounding) -> None:
    """Note that what is held now, or was opened or switched, is what a goal means, or one more of several.

    So is where the first of several was put: the others go there, too.
    """
    ref, place = goal.object, goal.destination
    if ref is None or call is None:
        return
    chosen = grounding.all_bound_of(ref)
    there = {belief.id for belief in world.contents(call.receptacle.id)} if call.receptacle else set()
    reached = goal.predicate is Predicate.PLACE and any(progress.fits(goal, one) for one in chosen if one in there)
    if reached and place is not None and not grounding.bound(place):
        grounding.bind(place, 0, call.receptacle.id)
    name = call.target.id if goal.predicate in SET else world.held
    if world.category_of(name) in grounding.categories(ref) and name not in chosen and len(chosen) < ref.count:
        grounding.bind(ref, len(chosen), name)
