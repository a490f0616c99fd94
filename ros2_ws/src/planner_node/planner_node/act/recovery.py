# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is done beside a plan for one of its skills to work: what was learned comes first, what may help is tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.guidance import Guidance
from planner_node.plan.handling import Handling
from planner_node.plan.repairs import REPAIRABLE, about, repairable, undo_of
from planner_node.plan.steps import GoalFailed, Step, Steps
from planner_node.run import Run
from planner_node.skills import Code, Outcome, SkillCall, SkillTable, Target
from planner_node.understand.goals import ObjectRef

_RETRIES = 3
"""Skills of an instruction that are tried again with what may put them right."""


class Recovery:
    """Knows what guidance wants done for a skill, and plans the way there and back."""

    def __init__(self, guidance: Guidance, handling: Handling) -> None:
        self._guidance = guidance
        self._do = handling
        self._tried: list[SkillCall] = []
        self._not_done: list[SkillCall] = []
        self._told = False
        """Whether it was said what came of trying."""
        self.undo: SkillCall | None = None
        """What undoes what was done last, where something does."""

    def before(self, call: SkillCall) -> Iterator[SkillCall]:
        """Yield what was learned has to come before a call, as far as it is not so already."""
        return self._guidance.before(call, self._do.table, self._do.world, self._do.lexicon)

    def repairs(self, failed: Outcome) -> Iterator[SkillCall]:
        """Yield what may be tried before a call that failed is made again; nothing that the instruction is about."""
        about = self._do.grounding.all_bound()
        for call in self._guidance.repairs(failed):
            if call.subject.id == failed.call.subject.id or call.subject.id not in about:
                self._tried.append(call)
                yield call

    def plan(self, call: SkillCall, text: str) -> Steps[None]:
        """Go where a call can be made, looking for its thing where none is known, make it, and come back.

        GoalFailed where that fails, back where the robot was.
        """
        back = self._do.world.at
        failed: GoalFailed | None = None
        try:
            yield from self._there(call, text)
        except GoalFailed as failure:
            failed = failure
        if back:
            yield from self._do.stand_at(back)
        if failed is not None:
            raise failed

    def _there(self, call: SkillCall, text: str) -> Steps[None]:
        name = call.subject.id or (yield from self._find(call.subject.category))
        if self._do.table[call.skill].needs_hand_empty:
            yield from self._do.empty_hand()
        yield from self._do.stand_at(name)
        belief = self._do.world.get(name)
        thing = Target(name, belief.node.category if belief is not None else call.subject.category)
        call = replace(call, receptacle=thing) if call.receptacle else replace(call, target=thing)
        self._guidance.tried.add(call)
        self.undo = undo_of(call, self._do.table, self._do.world)
        outcome = yield Step(call, text)
        if not outcome.ok:
            raise GoalFailed(outcome.code, outcome.message)

    def helped(self) -> None:
        """Note that what was tried last made a skill work."""
        self._told = True
        self._guidance.notes.append(f"What helped: {self._said(self._tried[-1])}.")
        self._tried.clear()
        self._not_done.clear()

    def not_done(self) -> None:
        """Note that what was to be tried last could not be done."""
        self._not_done.append(self._tried.pop())

    def in_vain(self, failed: Outcome) -> None:
        """Note that nothing of what was tried helped a call that failed, or that there was nothing; forget it."""
        for calls, what in ((self._tried, "I tried, but it did not help"), (self._not_done, "I could not try")):
            if calls:
                self._guidance.notes.append(f"{what}: {', '.join(map(self._said, calls))}.")
                self._told = True
            calls.clear()
        if not self._told and self._guidance.is_to_put_right(failed):
            self._guidance.notes.append(f"I know of nothing that may help with {failed.call.skill}.")
            self._told = True

    def broken_off(self) -> None:
        """Note that what was tried last stays as it is, because nothing more may be done."""
        if self._tried:
            self._guidance.notes.append(f"I was trying whether it helps to {self._said(self._tried[-1])}.")
        self._tried.clear()

    def _said(self, call: SkillCall) -> str:
        return f"{self._do.words(call.skill)} the {self._do.noun_of(call.subject.id or call.subject.category)}"

    def _find(self, category: str) -> Steps[str]:
        noun = self._do.lexicon.kind(category).noun
        if not category:
            raise GoalFailed(Code.NOT_FOUND, "It is not said what to do it to.")
        return (yield from self._do.reach(ObjectRef((category,), noun)))


def tries_out(
    run: Run, code: Code, outcomes: Sequence[Outcome], begun: int, table: SkillTable, lexicon: Lexicon
) -> bool:
    """Allow to try out what may put a skill right that failed, within the same instruction.

    Return whether that is worth it: once for a skill and a kind of thing, and not after anything that can't be undone.
    `code`: why a goal or a call was not reached; `outcomes`: of the instruction, from `begun` on of that.
    """
    failed, tried = repairable(outcomes[begun:]), run.guidance.put_right
    for_good = any(o.ok and o.call.skill in table and table[o.call.skill].irreversible for o in outcomes)
    if code not in REPAIRABLE or failed is None or for_good or len(tried) == _RETRIES or about(failed) in tried:
        return False
    tried.add(about(failed))
    run.guidance.try_out(failed, table, run.world, lexicon)
    return True
