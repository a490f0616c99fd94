# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a turn is worth: right, refused (nothing done, nothing false said) or wrong."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from karma_eval.answers import number_in
from karma_eval.karma.judge import Judge
from karma_eval.karma.literals import read_literals
from karma_eval.talk.conversations import Answer, Expect
from karma_eval.talk.knowledge import Knowledge
from karma_eval.talk.truth import judge_truth, read_truth, says_yes
from planner_node.instruction import Report
from planner_node.skills import Code
from sim_bridge.household.world import World


class Verdict(str, Enum):
    """What a turn is worth."""

    RIGHT = "right"
    REFUSED = "refused"
    WRONG = "wrong"


@dataclass(frozen=True)
class Judged:
    """A verdict, and why in a few words."""

    verdict: Verdict
    why: str = ""


@dataclass(frozen=True)
class Turned:
    """What happened in a turn."""

    report: Report
    moved: bool
    """Whether anything in the home is otherwise than before."""
    questions: tuple[tuple[str, ...], ...]
    """The candidates of each question that the robot asked."""

    @property
    def claims(self) -> bool:
        """Whether the robot says that it did, or answered, what was asked."""
        return self.report.code is Code.SUCCESS

    @property
    def admits(self) -> bool:
        """Whether the robot says that it does not know."""
        return self.report.code is Code.NOT_FOUND


def right(why: str = "") -> Judged:
    """Judge a turn right."""
    return Judged(Verdict.RIGHT, why)


def otherwise(turned: Turned, why: str) -> Judged:
    """Judge a turn that did not come to what was expected."""
    if turned.moved:
        return Judged(Verdict.WRONG, f"{why}; something was moved")
    if turned.claims:
        return Judged(Verdict.WRONG, f"{why}; and called a success")
    return Judged(Verdict.REFUSED, why)


def snapshot(world: World) -> Mapping[str, Any]:
    """Return all that can be otherwise in a home, but for where the robot stands."""
    return {
        name: (
            world.parents[name],
            tuple(sorted(world.states[name].items())),
            world.fill_liquid[name],
            name in world.washed,
        )
        for name in world
    }


def judge_turn(
    expect: Expect, turned: Turned, *, goals: Judge, knowledge: Knowledge, world: World, now: float
) -> Judged:
    """Judge a turn; what is to be kept is judged by `judge_kept`. `now`: the robot's clock, seconds."""
    message = turned.report.message
    if expect.done is not None:
        missing = goals.missing()
        if not missing:
            return right() if turned.claims else Judged(Verdict.REFUSED, "done, and called a failure")
        return otherwise(turned, f"not reached: {', '.join(map(str, missing))}")
    if expect.asks:
        if any(len(candidates) > 1 for candidates in turned.questions):
            return right()
        return otherwise(turned, "nothing was asked")
    if turned.moved:
        return Judged(Verdict.WRONG, "something was moved")
    if expect.refused:
        return Judged(Verdict.WRONG, "called a success") if turned.claims else right()
    if expect.social:
        return right() if turned.claims and message.strip() else otherwise(turned, "no friendly line")
    assert expect.answer is not None
    return judge_answer(expect.answer, turned, knowledge, world, now)


def judge_answer(expected: Answer, turned: Turned, knowledge: Knowledge, world: World, now: float) -> Judged:
    """Judge what the robot answered."""
    message = turned.report.message
    if expected.none_of and holds(message, expected.none_of):
        return Judged(Verdict.WRONG, "says what is false")
    if expected.truth:
        known = judge_truth(read_truth(expected.truth), message, knowledge, world, now)
        if not known.knowable:
            return right("can't know, and says so") if turned.admits else otherwise(turned, "can't know")
        if not known.right:
            return otherwise(turned, f"not {expected.truth}")
    if expected.any_of and not holds(message, expected.any_of):
        return otherwise(turned, f"none of {', '.join(expected.any_of)}")
    if expected.yes is not None and says_yes(message) is not expected.yes:
        return otherwise(turned, f"not {'yes' if expected.yes else 'no'}")
    if expected.number is not None and number_in(message) != expected.number:
        return otherwise(turned, f"not {expected.number}")
    return right()


def judge_kept(told: Turned, answer: str, expect: Expect) -> Judged:
    """Judge a turn that tells something, by the answer to the question that follows it."""
    assert expect.kept is not None
    if told.moved:
        return Judged(Verdict.WRONG, "something was moved")
    if expect.kept.none_of and holds(answer, expect.kept.none_of):
        return Judged(Verdict.WRONG, f"remembers what is false: {answer}")
    if expect.kept.any_of and not holds(answer, expect.kept.any_of):
        return otherwise(told, f"not known afterwards: {answer}")
    return right()


def holds(text: str, words: tuple[str, ...]) -> bool:
    """Whether a text holds one of some words or phrases.

    A word may be inflected, or given by its stem ("leak", "strawberr") or short ("30 min", "2 nov"); "12th" is "12".
    """
    return any(re.search(rf"(?<!\w){re.escape(word)}{_ending(word)}(?!\w)", text, re.I) for word in words)


def _ending(word: str) -> str:
    """Return a pattern of how a text may go on behind a word that it is to hold."""
    last = next(reversed(word.casefold().split()), "")
    if last in _SHORT:
        return f"(?:{_SHORT[last].removeprefix(last)}s?)?"
    inflected = "|y|ies|ing|ed" if len(last) >= _STEM else ""
    return rf"(?:e?s{inflected}|(?<=\d)(?:st|nd|rd|th))?"


_STEM = 4
"""Letters of a word that may go on."""
_SHORT = {"min": "minute", "sec": "second", **{name[:3].casefold(): name.casefold() for name in month_name[1:]}}


def make_judge(expect: Expect, world: World) -> Judge:
    """Return the judge of a turn's goal conditions, to look at the world after every skill."""
    literals, _ = read_literals(expect.done) if expect.done is not None else ((), ())
    return Judge(literals, world)
