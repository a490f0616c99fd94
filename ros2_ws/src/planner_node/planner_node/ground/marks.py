# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Marks: ids that stand for the things that phrases mean, in a request that is yet to be understood."""

from __future__ import annotations

import re
from dataclasses import replace

from planner_node.understand.earlier_goals import Known
from planner_node.understand.goals import Goal, ObjectRef, with_refs

_MARK = re.compile(r"\b([A-Za-z]\w*)\|0\|(\d+)\b")


class Marks:
    """The things that the marks of one instruction stand for."""

    def __init__(self) -> None:
        self._meant: list[tuple[Known, str]] = []
        """By number of its mark: a thing that a phrase means, and what it is called."""

    def put(self, thing: Known, noun: str) -> str:
        """Return a mark for a thing of some category, which is called by a noun."""
        self._meant.append((thing, noun))
        return f"{thing.categories[0]}|0|{len(self._meant) - 1}"

    def in_nouns(self, text: str) -> str:
        """Return text for people: nouns in place of marks."""
        return _MARK.sub(lambda mark: self._of(mark)[1] if self._is_put(mark) else mark[0], text)

    def resolved(self, goal: Goal) -> Goal:
        """Return a goal with the things themselves in place of their marks."""
        return with_refs(goal, self._thing)

    def _is_put(self, mark: re.Match[str]) -> bool:
        return int(mark[2]) < len(self._meant)

    def _of(self, mark: re.Match[str]) -> tuple[Known, str]:
        return self._meant[int(mark[2])]

    def _thing(self, ref: ObjectRef | None) -> ObjectRef | None:
        if ref is None:
            return None
        mark = _MARK.fullmatch(ref.id)
        if mark is not None and self._is_put(mark):
            known, noun = self._of(mark)
            ref = known.told(replace(ref, id="", noun=noun))
        return replace(ref, place=self._thing(ref.place))
