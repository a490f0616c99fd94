# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The people of a trial: they give the instructions again, answer, say what they think, and break off."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from unique_identifier_msgs.msg import UUID

from karma.replay.trial import CALLS, SKILL, Exchange, Instructed, Trial
from karma.replay.world import RecordedWorld
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import Result
from karma_interfaces.srv import Answer, Feedback
from karma_ros.client import GraphClient, GraphError
from planner_node.ros.exchanges import INSTRUCTION, ODOM, QUESTION

PATIENCE_S = 900.0
"""How long an instruction may take: planning takes as long as it took, skills take no time."""
TAKEN_S = 30.0
"""How long the planner may take to accept an instruction."""
NOTICED_S = 0.3
"""In which a planner at work notices a more urgent instruction, or that it is to stop."""
POLL_S = 0.05


@dataclass
class _Running:
    instructed: Instructed
    handle: Any
    result: Any
    """Future."""


class People:
    """Everybody who had to do with the planner in a trial. Use it from one thread."""

    def __init__(self, trial: Trial, client: GraphClient, world: RecordedWorld) -> None:
        for kind, name in ((Answer, "answer"), (Feedback, "feedback")):
            client.service(kind, name)  # which the planner knows once it knows the client of its action, too
        self._trial = trial
        self._client = client
        self._world = world
        self._calls = [exchange for exchange in trial.exchanges if exchange.name in CALLS]
        self._questions = [exchange for exchange in trial.exchanges if exchange.name == QUESTION]
        self._running: list[_Running] = []
        self._answering = ThreadPoolExecutor(1)
        self._lock = threading.Lock()
        self.notes: list[str] = []
        """What could not be done again, in sentences."""

    def act(self, on_result: Callable[[Instructed, Any], None]) -> None:
        """Do all that they did, in its order; `on_result` gets every instruction with its result. GraphError."""
        whole = {instructed.began.number: instructed for instructed in self._trial.instructions}
        deeds: list[tuple[int, Callable[[], None]]] = []
        for exchange in self._trial.exchanges:
            if exchange.number in whole:
                instructed = whole[exchange.number]
                deeds.append((exchange.number, partial(self._instruct, instructed)))
                if instructed.result.result.code == Result.CANCELED:
                    number = self._before_the_end(instructed)
                    deeds.append((number + 1, partial(self._cancel, instructed)))
            elif exchange.name == "feedback":
                deeds.append((exchange.number, partial(self._say, exchange.request)))
        deeds.sort(key=lambda deed: deed[0])
        # Held before anything runs, so that no answer escapes.
        held = [self._held(number) for number, _ in deeds]
        try:
            for (_, do), hold in zip(deeds, held, strict=True):
                self._wait(on_result, hold)
                do()
                if hold is not None:
                    time.sleep(NOTICED_S)
                    hold[1].set()
            self._wait(on_result, None)
        finally:
            self._answering.shutdown(wait=False, cancel_futures=True)

    def _held(self, number: int) -> tuple[threading.Event, threading.Event] | None:
        """Hold back the answer that the planner had before something was done; None where it was not at work."""
        if not any(one.began.number < number < one.ended.number for one in self._trial.instructions):
            return None
        before = [exchange.number for exchange in self._calls if exchange.number < number]
        return self._world.hold(before[-1]) if before else None

    def _wait(
        self,
        on_result: Callable[[Instructed, Any], None],
        hold: tuple[threading.Event, threading.Event] | None,
    ) -> None:
        """Wait until the planner asks what is held back, or until it has nothing to do."""
        until = time.monotonic() + PATIENCE_S
        while self._running and not (hold is not None and hold[0].is_set()):
            for running in [one for one in self._running if one.result.done()]:
                self._running.remove(running)
                on_result(running.instructed, running.result.result().result)
            if time.monotonic() > until:
                raise GraphError(f"the planner is not done with an instruction within {PATIENCE_S:.0f} s")
            time.sleep(POLL_S)

    def _instruct(self, instructed: Instructed) -> None:
        number = instructed.began.number
        where = next((e for e in self._trial.exchanges if e.number == number - 1 and e.name == ODOM), None)
        self._world.forward_to(instructed.began.asked)
        self._world.stand_at(where.response if where is not None else None)
        action = self._client.connected(ExecuteInstruction, INSTRUCTION, TAKEN_S)
        goal_id = UUID(uuid=list(uuid.UUID(instructed.id).bytes))
        asked: set[str] = set()
        sent = action.send_goal_async(
            instructed.goal, lambda message: self._hear(instructed, message.feedback, asked), goal_id
        )
        until = time.monotonic() + TAKEN_S
        while not sent.done():
            if time.monotonic() > until:
                raise GraphError("the planner does not take the instruction")
            time.sleep(POLL_S)
        handle = sent.result()
        if not handle.accepted:
            raise GraphError("the planner refuses the instruction")
        self._running.append(_Running(instructed, handle, handle.get_result_async()))

    def _hear(self, instructed: Instructed, feedback: Any, asked: set[str]) -> None:
        """Answer a question as it was answered (in the client's thread, which the answer needs, too)."""
        if not feedback.question_id or feedback.question_id in asked:
            return
        asked.add(feedback.question_id)
        with self._lock:
            own = [exchange for exchange in self._questions if exchange.instruction_id == instructed.id]
            same = [exchange for exchange in own if exchange.request.question == feedback.question]
            if not same:
                self.notes.append(f'"{feedback.question}" was not asked in the recording, and is not answered')
                return
            self._questions.remove(same[0])
        if same[0].response is not None:
            request = Answer.Request(question_id=feedback.question_id, text=same[0].response.text)
            self._answering.submit(self._client.call_once, Answer, "answer", request)

    def _say(self, request: Any) -> None:
        self._client.connected(ExecuteInstruction, INSTRUCTION, TAKEN_S)
        self._client.call_once(Feedback, "feedback", request)

    def _cancel(self, instructed: Instructed) -> None:
        for running in self._running:
            if running.instructed is instructed:
                running.handle.cancel_goal_async()

    def _before_the_end(self, instructed: Instructed) -> int:
        """Return the number of the last skill of an instruction that was broken off, else of its last question."""
        own: Sequence[Exchange] = [
            exchange
            for exchange in self._calls
            if exchange.instruction_id == instructed.id and exchange.number < instructed.ended.number
        ]
        skills = [exchange.number for exchange in own if exchange.name == SKILL]
        return (skills or [exchange.number for exchange in own] or [instructed.began.number])[-1]
