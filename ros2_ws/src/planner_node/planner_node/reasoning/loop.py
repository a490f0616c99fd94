# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The loop: the model says the next call, the robot does it, and the model sees what came of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from enum import Enum

from karma_language.models import CanceledError, Model, ModelError, ModelLateError, Waiting
from karma_language.reading import Thing
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.word_meanings import senses_in
from planner_node.act import Actor
from planner_node.circles import as_it_is
from planner_node.operating import Operating
from planner_node.reasoning.options import Option, Options
from planner_node.reasoning.prompt import DONE, GIVE_UP, Turn, chat, choices, chosen, schema
from planner_node.running import Run
from planner_node.skills import Code, SkillTable
from planner_node.steps import GoalFailed, Step, Steps, Stopped
from planner_node.understand.paraphrase import paraphrase

_LOG = logging.getLogger(__name__)

_MOST_TURNS = 40
_MOST_FAILURES = 6
"""Calls in a row that fail, and answers that are none, after which the model has lost its way."""
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


class Reasoner:
    """Has a language model plan."""

    def __init__(self, model: Model, lexicon: Lexicon, named: Callable[[str], Sequence[Thing]]) -> None:
        """`named`: returns the things that words name."""
        self._model = model
        self._lexicon = lexicon
        self._named = named

    def pursue(self, run: Run, actor: Actor, operating: Operating, table: SkillTable) -> tuple[Code, str]:
        """Do what an instruction asks for, call by call; return how it ended, and why it was not done.

        Ends after a bounded number of turns whatever the model says. Raises Stopped.
        """
        words = run.instruction.text
        things = self._named(words)
        named = list(dict.fromkeys(category for thing in things for category in (*thing.categories, *thing.loosely)))
        understood = paraphrase(run.goals, self._lexicon)
        asked = [_ASKED[sense] for sense in senses_in(words) if sense in _ASKED]
        options = Options(table, self._lexicon)
        waiting = Waiting(cancelled=run.observer.cancelled)
        turns: list[Turn] = []
        in_vain: dict[str, int] = {}
        """Call → how the world was when it came to nothing."""
        while len(turns) < _MOST_TURNS:
            if all(not turn.ok for turn in turns[-_MOST_FAILURES:]) and len(turns) >= _MOST_FAILURES:
                return Code.PLANNING_FAILURE, f"Nothing that I tried has worked. {turns[-1].feedback}".strip()
            state = as_it_is(run.world)
            offered = [one for one in options.now(run.world, named, asked) if in_vain.get(one.text) != state]
            calls = choices(offered, turns, understood=bool(understood))
            memories = tuple(run.recollections.values())
            try:
                room = self._model.room(waiting)
                question = chat(words, understood, run.world, offered, calls, turns, memories, named, room)
                answer = self._model.ask(question, schema(calls), waiting)
            except CanceledError as error:
                raise Stopped(Code.CANCELED, "Stopped as asked while I was thinking.") from error
            except ModelError as error:
                late = isinstance(error, ModelLateError)
                return (Code.TIMEOUT if late else Code.UNAVAILABLE), f"I could not think about what to do next: {error}"
            reason, call = chosen(answer, calls)
            _LOG.debug("turn %d: %s (%s)", len(turns) + 1, call or answer[:80], reason)
            if call == DONE:
                return Code.SUCCESS, ""
            if call == GIVE_UP:
                return Code.PLANNING_FAILURE, f"I don't know how to do that{f': {reason}' if reason else ''}."
            option = next((one for one in offered if one.text == call), None)
            if option is None:
                turns.append(Turn("(no call)", False, "that is none of the calls"))
                continue
            turns.append(self._do(option, reason, run, actor, operating))
            if not turns[-1].ok or as_it_is(run.world) == state:
                in_vain[option.text] = as_it_is(run.world)
        return Code.TIMEOUT, f"I used up the {_MOST_TURNS} steps that I may think about an instruction."

    def _do(self, option: Option, reason: str, run: Run, actor: Actor, operating: Operating) -> Turn:
        """Make a call, as any plan's: table, preconditions, rules of safety."""

        def steps() -> Steps[None]:
            if option.stand_at and option.stand_at != run.world.held:
                yield from operating.stand_at(option.stand_at)
            outcome = yield Step(option.call, f"{option.text}: {reason}" if reason else option.text)
            if not outcome.ok:
                raise GoalFailed(outcome.code, outcome.message)

        try:
            actor.pursue(steps)
        except GoalFailed as failure:
            return Turn(option.text, False, run.world.in_nouns(failure.message))
        return Turn(option.text, True)
