# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Making the calls of a table: each is bounded in time, watched while it runs, and its answer is read with care."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Generator
from typing import Any, NamedTuple

from sim_bridge.backend import Code, Progress, RefusedError
from sim_bridge.robot.calls import Call, Confirm
from sim_bridge.robot.condition import RobotCondition
from sim_bridge.robot.placeholders import NoValueError, Values, fill
from sim_bridge.robot.ports import Answer, Ending, Interfaces, Pending
from sim_bridge.robot.readings import reading_of
from sim_bridge.robot.table import Table
from sim_bridge.simulation.body import Moving

POLL = 0.05
"""Seconds between looks at a running call."""


class _Moment(NamedTuple):
    clock: float
    """Seconds of this machine's monotonic clock."""
    stamp: float
    """The same moment, in seconds, by the clock of the stamps."""


class _UnsafeError(RefusedError):
    """Nothing may move: the emergency stop, too fast, a low battery."""


class _GoneError(RefusedError):
    """A server is no longer there."""


class Caller:
    """Makes calls, one after the other."""

    def __init__(
        self,
        table: Table,
        interfaces: Interfaces,
        condition: RobotCondition,
        *,
        tell: Callable[[str], None],
        dry_run: bool,
    ) -> None:
        """`tell` is given what an operator should know; with `dry_run` calls are told and not made."""
        self._table = table
        self._interfaces = interfaces
        self._condition = condition
        self._tell = tell
        self._dry_run = dry_run
        self.rehearsed: list[str] = []
        """Calls that a dry run did not make."""
        self.doubts: list[str] = []
        """Why the robot may go on with what was stopped."""

    def make(
        self,
        call: Call,
        values: Values,
        progress: Callable[[], Progress],
        watch: Callable[[], str] = lambda: "",
    ) -> Moving:
        """Make a call and wait for its success. RefusedError says what went wrong.

        `watch` returns why the call has to be stopped, empty while it need not be. Closing the generator has the call
        cancelled.
        """
        try:
            request = fill(call.request, values)
        except NoValueError as error:
            raise RefusedError(Code.PRECONDITION_FAILURE, f"{call}: {error}") from error
        if self._dry_run:
            said = f"{call} with {json.dumps(request, default=str)}"
            self.rehearsed.append(said)
            self._tell(f"dry run: would call {said}")
            return
        yield from self._find(call, progress)
        self._refuse_while_stopped(watch)
        progress()  # raises where it is not known where the robot is
        began = _Moment(time.monotonic(), self._interfaces.now())
        try:
            pending = self._interfaces.begin(call, request)
        except ValueError as error:
            raise RefusedError(Code.INTERNAL_ERROR, f"the table's request does not fit {call}: {error}") from error
        try:
            answer = yield from self._follow(call, pending, progress, watch)
        except BaseException as error:  # closing the generator as well
            self._break_off(call, pending, error)
            raise
        _judge(call, answer)
        if call.confirm is None:
            return
        try:
            yield from self._confirm(call, call.confirm, began, values, progress, watch)
        except BaseException as error:
            if call.action is None or isinstance(error, _UnsafeError):
                self._stop_what_goes_on(call)
            raise

    def bring_to_rest(self) -> None:
        """Have all goals of the table's actions cancelled, whoever sent them, and make the calls of `stop`.

        What a bridge that died began goes on without it. Servers are waited for as long as the table says, each is
        asked as soon as it is there; what was left over, or did not answer, is told.
        """
        actions = {call.name: call for call in self._table.calls if call.action is not None}
        asked: dict[str, Callable[[float], int | None]] = {}
        stopped, until = not self._table.stop, time.monotonic() + self._table.server
        while True:
            for name in actions.keys() - asked.keys():
                if self._interfaces.ready(actions[name]):
                    asked[name] = self._interfaces.cancel_all(actions[name])
            late = time.monotonic() >= until
            if not stopped and (late or all(map(self._interfaces.ready, self._table.stop))):
                self.stop()
                stopped = True
            if late or (stopped and asked.keys() == actions.keys()):
                break
            time.sleep(POLL)
        until = time.monotonic() + self._table.cancel
        for name, call in actions.items():
            if name not in asked:
                self._tell(f"nobody offers {call}: if it still carries out a goal, that was not cancelled")
            elif (goals := asked[name](max(until - time.monotonic(), 0.0))) is None:
                self._tell(f"{call} did not say within {self._table.cancel:g} s whether it cancels what it carries out")
            elif goals:
                self._tell(f"{call} was still carrying out {goals} goal(s), which nobody here sent: cancelled")

    def stop(self) -> None:
        """Make the table's calls that stop the robot, all at once; tell of those that do not do so."""
        begun: list[tuple[Call, Pending]] = []
        for call in self._table.stop:
            if self._interfaces.ready(call):
                begun.append((call, self._interfaces.begin(call, fill(call.request, {}))))
            else:
                self._doubt(f"nobody offers {call}, which is to stop the robot")
        until = time.monotonic() + self._table.cancel
        for call, pending in begun:
            answer = pending.poll(max(until - time.monotonic(), 0.0))
            unknown = "whether the robot has stopped is not known"
            if answer is None:
                pending.cancel(0.0)
                self._doubt(f"{unknown}: {call} did not answer within {self._table.cancel:g} s")
                continue
            try:
                _judge(call, answer)
            except RefusedError as error:
                self._doubt(f"{unknown}: {error.message}")

    def _doubt(self, why: str) -> None:
        self.doubts.append(why)
        self._tell(why)

    def _find(self, call: Call, progress: Callable[[], Progress]) -> Moving:
        until = time.monotonic() + self._table.server
        if call.confirm is not None and call.confirm.latched:  # so that what it said earlier is heard before the call
            while (why := self._interfaces.why_silent(call.confirm.topic)) and time.monotonic() < until:
                time.sleep(POLL)
                yield progress()
            if why:
                raise RefusedError(
                    Code.UNAVAILABLE, f"{call} is not made, as {call.confirm.topic} could not confirm it: {why}"
                )
        while not self._interfaces.ready(call):
            if time.monotonic() >= until:
                raise RefusedError(
                    Code.UNAVAILABLE,
                    f"nobody offers {call} ({self._table.server:.0f} s were waited): start it, or correct the table",
                )
            time.sleep(POLL)
            yield progress()

    def _refuse_while_stopped(self, watch: Callable[[], str] = lambda: "") -> None:
        if reason := self._condition.why_not_move() or watch():
            raise _UnsafeError(Code.UNAVAILABLE, reason)

    def _follow(
        self, call: Call, pending: Pending, progress: Callable[[], Progress], watch: Callable[[], str]
    ) -> Generator[Progress, None, Answer]:
        began = time.monotonic()
        while (answer := pending.poll(POLL)) is None:
            self._refuse_while_stopped(watch)
            waited = time.monotonic() - began
            if not pending.alive:
                raise _GoneError(Code.UNAVAILABLE, f"{call} went away before it answered")
            if not pending.accepted and waited > self._table.server:
                raise RefusedError(
                    Code.TIMEOUT,
                    f"{call} did not say within {self._table.server:g} s whether it takes the goal: "
                    "it is asked to cancel it, by its id",
                )
            if call.silence is not None and pending.silence > call.silence:
                raise RefusedError(Code.UNAVAILABLE, f"nothing was heard of {call} for {call.silence:.0f} s")
            if waited > call.timeout:
                raise RefusedError(Code.TIMEOUT, f"{call} took longer than {call.timeout:.0f} s")
            yield progress()
        return answer

    def _break_off(self, call: Call, pending: Pending, why: BaseException) -> None:
        """Have stopped what a call, which has not ended, began."""
        if call.action is None or isinstance(why, _GoneError):  # nobody is there to cancel it
            pending.cancel(0.0)
            self._stop_what_goes_on(call)
            return
        unsafe, wait = isinstance(why, _UnsafeError), self._table.cancel
        ended = pending.cancel(0.0 if unsafe else wait)
        if unsafe:
            self.stop()
            ended = ended or pending.poll(wait) is not None
        if not ended:
            self._doubt(f"{call} did not confirm within {wait:g} s that it stopped")
            if not unsafe:
                self.stop()

    def _stop_what_goes_on(self, call: Call) -> None:
        if not self._table.stop:
            self._doubt(f"{call} can't be cancelled; the table names no stop: what it began may go on")
            return
        self._tell(f"{call} can't be cancelled; the table's stop is called")
        self.stop()

    def _confirm(
        self,
        call: Call,
        confirm: Confirm,
        began: _Moment,
        values: Values,
        progress: Callable[[], Progress],
        watch: Callable[[], str],
    ) -> Moving:
        until = time.monotonic() + confirm.timeout
        while why := self._why_not_confirmed(confirm, began, values):
            if time.monotonic() >= until:
                raise RefusedError(
                    Code.EXECUTION_FAILURE,
                    f"{call} says that it is done, and {confirm.topic} does not show it: {why}",
                )
            self._refuse_while_stopped(watch)
            time.sleep(POLL)
            yield progress()

    def _why_not_confirmed(self, confirm: Confirm, began: _Moment, values: Values) -> str:
        """Return why what was heard since a call began does not show that it is done; empty where it does."""
        heard = self._interfaces.latest(confirm.topic, confirm.field)
        if heard is None:
            why = self._interfaces.why_silent(confirm.topic)
            return "nothing was heard on it" + (f" ({why})" if why else "")
        if heard.age > time.monotonic() - began.clock:
            return f"nothing was heard on it since the call began (last heard {heard.age:.0f} s ago)"
        if not confirm.by_receipt and heard.stamp is not None and heard.stamp < began.stamp:
            return (
                f"its newest message is stamped {began.stamp - heard.stamp:.1f} s before the call began (if its "
                "driver's clock is behind this machine's, synchronise them, or write by_receipt: true in the table)"
            )
        if confirm.near is None:
            return "" if heard.value == confirm.equals else f"{confirm.field} is {_short(heard.value)}"
        wanted, point = values[confirm.near[1:]], heard.value
        away = math.dist((point.x, point.y, point.z), [wanted[axis] for axis in "xyz"])
        return "" if away <= confirm.tolerance else f"{confirm.field} is {away:.2f} m from {confirm.near}"


def _judge(call: Call, answer: Answer) -> None:
    """Raise RefusedError unless a call was done."""
    reading = reading_of(call, answer.field)
    if answer.ending is Ending.REJECTED:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{call} refused the goal")
    code = answer.field(reading.code) if reading.code is not None else None
    said = str(answer.field(reading.message) or "") if reading.message is not None else ""
    because = f": {said}" if said else f" (code {code})" if code else ""
    if answer.ending is Ending.CANCELED:
        # Who stopped the robot does not want it to be sent to the next place: the instruction ends.
        raise RefusedError(Code.UNAVAILABLE, f"{call} was cancelled by somebody else{because}")
    if answer.ending is Ending.ABORTED:
        raise RefusedError(reading.meaning(code), f"{call} failed{because}")
    if code in reading.codes:
        raise RefusedError(reading.meaning(code), f"{call} failed{because}")
    for condition in reading.success:
        value = answer.field(condition.field)
        if value is None or not condition.met(value):
            raise RefusedError(
                reading.meaning(code), f"{call} did not succeed: {condition.field} is {_short(value)}{because}"
            )


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 120 else text[:117] + "..."
