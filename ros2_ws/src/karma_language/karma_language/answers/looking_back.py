# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A long time in few lines: what was asked for, what changed and what was told, by part of the day, day, week or month.

However long it is, it stays one page: the unit grows with the time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from karma_language.answers.evidence import Deed, Evidence, Move, Said
from karma_language.answers.speech import Words, sentence, sentences
from karma_language.zone import local_time

MOST_LINES = 14
"""Lines of a page."""
_NAMED = 3
"""Things, instructions and sentences of each kind that a line names."""
_PARTS = {0: "at night", 6: "in the morning", 12: "in the afternoon", 18: "in the evening"}
"""Hour at which a part of a day begins → what it is called."""


@dataclass(frozen=True)
class _Unit:
    """A unit of time."""

    begin: Callable[[datetime], datetime]
    """When the one began that a time is in."""
    name: Callable[[datetime], str]
    """What the one is called that began then."""


@dataclass
class _Period:
    """What happened in one unit of time."""

    deeds: list[Deed] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)


class LookingBack(Words):
    """Words what happened in a long time."""

    def page(self, evidence: Evidence) -> str:
        """Return what happened, a line for each unit of time in which anything did, the first one first."""
        stamps = [*(one.stamp for one in evidence.deeds), *(one.stamp for one in evidence.said)]
        begins = {local_time(stamp) for stamp in (*stamps, *map(_noticed, evidence.moves))}
        for unit in _UNITS:
            begins = set(map(unit.begin, begins))
            if len(begins) <= MOST_LINES:
                break
        periods: defaultdict[datetime, _Period] = defaultdict(_Period)

        def period(stamp: float) -> _Period:
            return periods[unit.begin(local_time(stamp))]

        for deed in evidence.deeds:
            period(deed.stamp).deeds.append(deed)
        for move in evidence.moves:
            period(_noticed(move)).moves.append(move)
        for said in evidence.said:
            period(said.stamp).said.append(said)
        lines = (f"{sentence(unit.name(begin))}: {self._line_of(periods[begin])}" for begin in sorted(periods))
        return "\n".join(lines)

    def _line_of(self, period: _Period) -> str:
        """Return what happened in a unit of time."""
        done = [f"“{deed.text}”" for deed in period.deeds if deed.succeeded]
        failed = [f"“{deed.text}”" for deed in period.deeds if not deed.succeeded]
        things = (move.after or move.before for move in period.moves)
        changed = [f"the {self.thing(one)}" for one in things if one is not None]
        told = [f"“{said.words}”" for said in period.said]
        return sentences(
            (
                f"I did what you asked{_times(done)}: {_some(done, 'more')}" if done else "",
                f"I did not manage {_some(failed, 'more')}" if failed else "",
                f"Otherwise than before: {_some(changed, 'other')}" if changed else "",
                f"You told me: {_some(told, 'more')}" if told else "",
            )
        )


def _noticed(move: Move) -> float:
    """Return when a change was noticed, seconds."""
    if move.after is not None:
        return move.after.since
    assert move.before is not None
    return move.before.until if move.before.until is not None else move.before.seen


def _day(time: datetime) -> datetime:
    return time.replace(hour=0, minute=0, second=0, microsecond=0)


def _part(time: datetime) -> datetime:
    return _day(time) + timedelta(hours=max(begin for begin in _PARTS if begin <= time.hour))


def _week(time: datetime) -> datetime:
    return _day(time) - timedelta(days=time.weekday())


def _date(time: datetime) -> str:
    return f"{time:%A}, {time.day} {time:%B}"


_UNITS = (
    _Unit(_part, lambda begin: f"{_date(begin)}, {_PARTS[begin.hour]}"),
    _Unit(_day, _date),
    _Unit(_week, lambda begin: f"in the week from {begin.day} {begin:%B}"),
    _Unit(lambda time: _day(time).replace(day=1), lambda begin: f"in {begin:%B %Y}"),
)
"""The finest first."""


def _times(deeds: Sequence[str]) -> str:
    """Return how often, where that is not told by naming each: " 9 times"."""
    return f" {len(deeds)} times" if len(deeds) > len({*deeds}) or len(deeds) > _NAMED else ""


def _some(named: Iterable[str], rest: str) -> str:
    """Return the first few, each once, and how many more there are: "the mug, the cup, the pan and 3 more"."""
    every = [*dict.fromkeys(named)]
    shown, more = every[:_NAMED], len(every) - _NAMED
    if more > 0:
        return f"{', '.join(shown)} and {more} {rest}"
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
