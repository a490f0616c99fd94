# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The goals of an instruction are reached, by task planning or by a language model."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.act.closing import wind_up
from planner_node.act.loop import Actor, Budget
from planner_node.act.reasoning import Planning, Reasoner
from planner_node.act.recovery import Recovery, tries_out
from planner_node.ground.names import Grounding
from planner_node.instruction import Stage
from planner_node.learn.remembering import Remembering
from planner_node.plan.exploring import Exploring, Places
from planner_node.plan.goals import Methods
from planner_node.plan.handling import Handling
from planner_node.plan.reasoning.progress import can_tell
from planner_node.plan.rehearsal import Rehearsal
from planner_node.plan.repairs import REPAIRABLE
from planner_node.plan.steps import GoalFailed, InVain, Stopped
from planner_node.plan.task_planning.solving import solve
from planner_node.printable import joined
from planner_node.run import Run
from planner_node.skills import Code, Outcome, SkillTable
from planner_node.standing import Standing
from planner_node.status import Following
from planner_node.understand.goals import Condition

_LOG = logging.getLogger(__name__)

_ATTEMPTS = 2  # times that a goal is planned anew after it failed
_OPEN = frozenset(
    {
        Code.NOT_UNDERSTOOD,
        Code.NOT_FOUND,
        Code.PRECONDITION_FAILURE,
        Code.PLANNING_FAILURE,
        Code.EXECUTION_FAILURE,
    }
)
"""How an attempt may end after which a language model may know another way."""


class Pursuit:
    """Plans for goals and acts, one instruction at a time."""

    def __init__(
        self,
        lexicon: Lexicon,
        budget: Budget,
        standing: Standing,
        remembering: Remembering,
        reasoner: Reasoner | None,
        places: Places | None,
    ) -> None:
        """`reasoner`: the language model that plans skill by skill; None: the task planner alone.

        `places` says where exploring can go on, for a robot that can't explore by itself.
        """
        self.planning = Planning.GOALS
        """Who plans; without a language model, the task planner alone."""
        self.by_frontiers = False
        """Whether to explore frontier by frontier even where the robot can explore by itself."""
        self._lexicon = lexicon
        self._budget = budget
        self._standing = standing
        self._remembering = remembering
        self._reasoner = reasoner
        self._places = places

    @property
    def by_model(self) -> bool:
        """Whether the language model says each skill call."""
        return self._reasoner is not None and self.planning is Planning.SKILLS

    def handling(self, run: Run, table: SkillTable, following: Following | None = None) -> Handling:
        """Return what things are found and handled with in an instruction."""
        run.world.held = self._standing.held or run.world.held
        grounding = Grounding(run.world, self._lexicon, run.before, run.guidance)
        exploring = Exploring(run.world, table, self._places, by_frontiers=self.by_frontiers)
        ask = partial(self._remembering.looked_for, run)
        solver = partial(solve, stopped=run.observer.cancelled)
        return Handling(run.world, self._lexicon, exploring, table, grounding, ask, solver, following)

    def pursue(self, run: Run, actor: Actor, handling: Handling, table: SkillTable) -> tuple[Code, str, int]:
        """Reach the goals, by task planning or by a language model. Returns the same as `_act`."""
        code, message, reached = Code.NOT_UNDERSTOOD, "", 0
        methods = Methods(handling, run.instruction.person)
        told = all(map(can_tell, run.goals))  # else nobody sees when it is done
        if run.goals and not (self._reasoner is not None and self.planning is Planning.SKILLS and told):
            code, message, reached = self._act(run, actor, methods, table)
        if self._reasoner is None or not told or not self.may_reason(run, code):
            return code, message, reached
        run.progress(Stage.PLAN, "think about what to do next", len(actor.outcomes))
        try:
            actor.pursue(methods.begin)
            cases = self._remembering.cases(run, run.goals) if run.goals else ()
            code, why = self._reasoner.pursue(run, actor, handling, table, cases, self._remembering.ways(run))
        except Stopped as stopped:
            return stopped.code, stopped.message, reached
        return (code, why, len(run.goals)) if code is Code.SUCCESS else (code, joined([message, why]), reached)

    def _tries_out(self, run: Run, code: Code, outcomes: Sequence[Outcome], begun: int, table: SkillTable) -> bool:
        """Whether what may help is tried out at once: where a model is there to learn from it (BrainMem, 3.2.3)."""
        return self._reasoner is not None and tries_out(run, code, outcomes, begun, table, self._lexicon)

    def may_reason(self, run: Run, code: Code) -> bool:
        """Whether a language model may plan skill by skill what was not understood, or not reached."""
        if self._reasoner is None or self.planning is Planning.GOALS or run.instruction.dry_run:
            return False
        asks = run.heard is not None and (run.goals or not (run.heard.told or run.heard.questions))
        return bool(asks) and code in _OPEN

    def _act(self, run: Run, actor: Actor, methods: Methods, table: SkillTable) -> tuple[Code, str, int]:
        """Reach the goals in order. Returns the code, the message and the number of goals reached."""
        try:
            actor.pursue(methods.begin)
        except Stopped as stopped:
            return stopped.code, stopped.message, 0
        held: Condition | None = None  # it is looked at once: what was taken out of the fridge is not there any more
        for number, goal in enumerate(run.goals):
            run.following.pursues(number)
            if held is not None and _alike(goal.condition, replace(held, negated=not held.negated)):
                run.skip(number, "")  # "if it is there, move it, OTHERWISE …": it is not there any more
                continue
            known, held = _alike(goal.condition, held), goal.condition
            try:
                if not known and (skipped := methods.reason_to_skip(goal, actor.pursue)):
                    held = None
                    run.skip(number, skipped)
                    continue
            except Stopped as stopped:
                return stopped.code, stopped.message, number
            if refused := run.guard.unconfirmed(number):
                return Code.REFUSED, refused, number
            begun = len(actor.outcomes)
            for attempt in itertools.count(1):
                run.progress(Stage.PLAN, f"plan {goal}", len(actor.outcomes))
                try:
                    actor.pursue(partial(methods.achieve, goal))
                    break
                except Stopped as stopped:
                    return stopped.code, stopped.message, number
                except GoalFailed as failure:
                    _LOG.info("%s failed: %s", goal.predicate.value, failure.code.name)
                    again = failure.code in REPAIRABLE and attempt < _ATTEMPTS and not isinstance(failure, InVain)
                    again = again or self._tries_out(run, failure.code, actor.outcomes, begun, table)
                    if not again:
                        return failure.code, failure.message, number
        run.following.pursues(len(run.goals))
        try:
            actor.pursue(methods.tidy)
        except Stopped as stopped:
            return stopped.code, stopped.message, len(run.goals)
        except GoalFailed as failure:
            left = "I still hold something" if run.world.held else "I left something open"
            run.warnings.append(f"{left}: {failure.message}")
        return Code.SUCCESS, joined(run.warnings), len(run.goals)

    def rehearse(self, run: Run, table: SkillTable) -> tuple[Code, str, Actor, Handling]:
        """Plan without moving: every skill is imagined to do what it should.

        Returns the code, the message, and who did it with what.
        """
        rehearsal = Rehearsal(table, run.world, self._lexicon)
        handling = self.handling(run, table)
        quiet = Actor(
            rehearsal,
            table,
            run.world,
            budget=self._budget,
            on_step=lambda step, done: run.progress(Stage.PLAN, step, done),
            on_outcome=lambda outcome: run.following.plans([*run.following.now.plan, outcome.call]),
            cancelled=run.observer.cancelled,
            guard=run.guard,
            recovery=Recovery(run.guidance, handling),
        )
        code, message, _ = self._act(run, quiet, Methods(handling, run.instruction.person), table)
        ending = wind_up(code, quiet, run.guard, handling)
        run.was_guided(handling.grounding.used)
        message = joined(["This is a plan; nothing was moved.", message, *ending])
        return code, message, quiet, handling


def _alike(one: Condition | None, other: Condition | None) -> bool:
    """Whether two conditions are the same of the same thing, though they speak of its place one after the other."""
    return one is not None and other is not None and str(one) == str(other) and one.object.entity == other.object.entity
