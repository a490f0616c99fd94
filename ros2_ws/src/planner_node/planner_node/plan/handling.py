# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is in the gripper, and where to put it: what task planning can't know without looking."""

from __future__ import annotations

import re
from collections.abc import Collection

from planner_node.plan.finding import Finding
from planner_node.plan.steps import Step, Steps
from planner_node.plan.task_planning.physics import household_physics
from planner_node.skills import Code, Outcome, SkillCall, Target
from planner_node.world import Belief

_HOLDS = re.compile(r"the gripper holds (?P<id>.+?): ")
"""How sim_bridge refuses to take a second thing."""


class Handling(Finding):
    """Knows what is in the gripper, and finds where to put it."""

    def feel_gripper(self) -> Steps[None]:
        """Make sure that what was held last still is: people take things from robots.

        A planner that was started since then knows of it from memory, which it does not believe unseen.
        """
        if "DescribeObject" not in self.table:
            return
        held = self.world.held or self.world.remembered_held()
        if held:
            yield from self._feel(held, "see whether I still hold what I held")

    def _feel(self, held: str, why: str) -> Steps[None]:
        """Look whether the gripper holds an object."""
        outcome = yield Step(SkillCall("DescribeObject", Target(held)), why)
        self.world.held = held if any(n.id == held and n.relation == "held" for n in outcome.seen) else ""

    def finds_gripper_full(self, refused: Outcome) -> Steps[bool]:
        """Whether a skill was refused because of something in the gripper that was not known to be there."""
        found = _HOLDS.search(refused.message)
        if refused.code is not Code.PRECONDITION_FAILURE or found is None or self.world.held:
            return False
        if "DescribeObject" in self.table:
            yield from self._feel(found["id"], "see what I hold")
        else:
            self.world.held = found["id"]
        return bool(self.world.held)

    def look_for_surface(self, avoid: Collection[str]) -> Steps[bool]:
        """Look for something to put things on, in view first; return whether there is any but those to be avoided."""
        for skill in ("FindReceptacle", "Explore"):
            if skill in self.table:
                yield Step(SkillCall(skill), "look for a surface to put it on")
            if any(
                b.id not in avoid and not self.world.hides(b.id) for b in self.world.of(household_physics().surfaces)
            ):
                return True
        return False

    def _approach(self, belief: Belief, last: str) -> Steps[tuple[str, str]]:
        """Go to where an object is believed to be; a robot that goes there as it acts only opens what is around it."""
        if self.drives:
            return (yield from super()._approach(belief, last))
        yield from self.open_around(belief.id)
        return belief.id, last
