# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the memory is asked for an instruction: where things are, what was told, and what was learned."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from functools import partial

from karma_language.reading import Question
from karma_language.vocabulary.lexicon import Lexicon
from planner_node.guidance import Guidance
from planner_node.memory import (
    GUIDELINE,
    LONG_TERM,
    OWNER,
    RULE,
    TRAJECTORY,
    WORKING,
    Answer,
    MemoryClient,
    MemoryRefused,
    MemoryUnavailable,
    Recall,
    Recollection,
    SceneGraph,
)
from planner_node.run import Run
from planner_node.understand.cases import Cases
from planner_node.understand.expectations import expectation
from planner_node.understand.goals import Goal, goal_text
from planner_node.understand.reference import before

_LOG = logging.getLogger(__name__)

_GUIDING = frozenset({WORKING, TRAJECTORY, GUIDELINE, RULE, OWNER})
"""Kinds that say what is to be done, and not what is the case; each is asked by itself."""
_RECALLED = 20
"""Recollections asked for at once."""
_WAYS = 50
"""Of tasks that were done, as many as that."""
_ALL = 200
"""Of what is forbidden, and of whose things are, as many as that."""


class Remembering:
    """Asks the memory. Where it does not answer, the instruction goes on without it, and its report says so."""

    def __init__(
        self, memory: MemoryClient, cases: Cases, lexicon: Lexicon, kinds: Collection[str] | None = None
    ) -> None:
        """`kinds`: the memories that are used; None: all."""
        self._memory = memory
        self._lexicon = lexicon
        self._cases = cases
        self._kinds = None if kinds is None else frozenset(kinds)
        self._general = () if kinds is None else tuple(sorted(set(kinds) - _GUIDING))
        """Kinds that are asked what is the case; () for all that answer this."""

    def uses(self, kind: str) -> bool:
        """Whether a kind of memory is used."""
        return self._kinds is None or kind in self._kinds

    def everything(self, run: Run) -> None:
        """Recall long-term memory in whole, the other memories by the instruction (KARMA, section 3.5).

        Of an instruction that ignores memory only the name of the scene, under which its events belong.
        """
        try:
            graph = self._memory.scene_graph()
            run.scene = graph.scene
            if run.instruction.ignore_memory:
                return
            self._believe(run, graph)
            self._recall(run, run.instruction.text)
            if self.uses(WORKING):
                told = run.instruction
                working = self._memory.recall("", told.user, run.scene, _RECALLED, [WORKING])
                run.before = before(working.recollections, self._cases, run.world, self._lexicon)
                run.world.held = run.before.held.id
            for kind in filter(self.uses, (TRAJECTORY, GUIDELINE)):
                run.recollections.update((one.id, one) for one in self._of_kind(run, kind, run.instruction.text))
        except (MemoryUnavailable, MemoryRefused) as error:
            self.without(run, error)

    def answer(self, run: Run, words: str, question: Question | None = None) -> Answer:
        """Return what the memory answers to a question; nothing where it is not asked. `question`: the words, read."""
        if run.instruction.ignore_memory or run.warnings or self._kinds is not None:
            return Answer()
        try:
            return self._memory.ask(words, run.instruction.user, run.scene, question)
        except (MemoryUnavailable, MemoryRefused) as error:
            self.without(run, error)
            return Answer()

    def objects(self, run: Run) -> None:
        """Ask for each thing by its name: a long instruction hides the single thing from a search by meaning."""
        if run.instruction.ignore_memory:
            return
        names = [ref.noun for goal in run.goals for ref in goal.refs]
        for name in dict.fromkeys(names):
            self.about(run, name)

    def about(self, run: Run, name: str) -> None:
        """Ask for one thing by its name."""
        if run.instruction.ignore_memory or run.warnings:
            return
        try:
            self._recall(run, name)
        except (MemoryUnavailable, MemoryRefused) as error:
            self.without(run, error)

    def looked_for(self, run: Run, name: str) -> None:
        """Ask for a thing that is to be looked for, and where such a thing probably is."""
        self.about(run, name)
        if run.instruction.ignore_memory or run.warnings or not self.uses(LONG_TERM):
            return
        try:
            recall = self._memory.recall(f"where is the {name}?", "", run.scene, _RECALLED, [LONG_TERM])
        except (MemoryUnavailable, MemoryRefused) as error:
            self.without(run, error)
            return
        run.world.expected[name] = expectation(recall.recollections)

    def guidance(self, run: Run, goals: Iterable[Goal]) -> Guidance:
        """Return what was learned of such goals, and of calls on demand (BrainMem's semantic memory)."""
        if not self._may_ask(run, GUIDELINE):
            return Guidance()
        ask = partial(self._of_kind, run, GUIDELINE)
        return Guidance(ask(_query(goals)), ask)

    def rules(self, run: Run) -> tuple[Recollection, ...]:
        """Return what is forbidden; what who asks has forbidden has a source."""
        return self._all_of(run, RULE)

    def owners(self, run: Run) -> tuple[Recollection, ...]:
        """Return whose things are, to who asks."""
        return self._all_of(run, OWNER)

    def cases(self, run: Run, goals: Iterable[Goal]) -> tuple[Recollection, ...]:
        """Return the attempts at such goals."""
        return self._of_kind(run, TRAJECTORY, _query(goals)) if self._may_ask(run, TRAJECTORY) else ()

    def ways(self, run: Run) -> tuple[Recollection, ...]:
        """Return how tasks were done, the newest, whether they went well or not."""
        return self._of_kind(run, TRAJECTORY, "", _WAYS) if self._may_ask(run, TRAJECTORY) else ()

    def _all_of(self, run: Run, kind: str) -> tuple[Recollection, ...]:
        known = self._of_kind(run, kind, "", _ALL) if self._may_ask(run, kind) else ()
        return tuple(one for one in known if one.kind == kind)

    def _may_ask(self, run: Run, kind: str) -> bool:
        return not run.instruction.ignore_memory and not run.warnings and self.uses(kind)

    def _of_kind(self, run: Run, kind: str, query: str, limit: int = _RECALLED) -> tuple[Recollection, ...]:
        """Return what is remembered of one kind, nothing where the memory does not answer."""
        try:
            return self._memory.recall(query, run.instruction.user, run.scene, limit, [kind]).recollections
        except (MemoryUnavailable, MemoryRefused) as error:
            self.without(run, error)
            return ()

    def without(self, run: Run, error: Exception) -> None:
        """Go on without the memory."""
        if warning := run.without_memory(error):
            _LOG.warning("%s", warning)

    def _believe(self, run: Run, graph: SceneGraph) -> None:
        if self.uses(LONG_TERM):
            for node in graph.nodes:
                run.world.believe(node, LONG_TERM)

    def _recall(self, run: Run, query: str) -> Recall:
        if self._kinds is not None and not self._general:
            return Recall()
        recall = self._memory.recall(query, run.instruction.user, run.scene, _RECALLED, self._general)
        for recollection in recall.recollections:
            run.recollections[recollection.id] = recollection
            if recollection.object is not None and not recollection.valid_until:
                run.world.believe(recollection.object, recollection.kind, recollection.id)
        return recall


def _query(goals: Iterable[Goal]) -> str:
    return "; ".join(goal_text(goal) for goal in goals)
