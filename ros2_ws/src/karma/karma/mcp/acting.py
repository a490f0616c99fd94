# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an agent may have the robot do: carry out an instruction, pause, go on, stop."""

from __future__ import annotations

import queue
import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pydantic import Field
from std_srvs.srv import Trigger

from karma.stopping import stop_all
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import Result
from karma_interfaces.srv import Answer
from karma_language.answers.plain_words import calls_in_words
from karma_memory.tools import Tool, ToolError
from karma_ros.client import GraphClient, GraphError

TIMEOUT_S = 900.0
"""Longest that an instruction may take."""
ENDING_S = 8.0
"""How long the robot may take to be told that what it does is not wanted any more."""
FOUND_S = 3.0
"""In which the robot's graph has to be there."""
MOST = 16
"""Instructions that are given at a time, by all clients; the robot carries them out one after the other."""


class Do(Tool):
    """Have the robot carry out an instruction in plain English, and say what came of it. May ask something back."""

    instruction: str = Field(max_length=4000, description="Bring me the mug from the kitchen")
    writes: ClassVar[bool] = True


class Pause(Tool):
    """Have the robot stop after the skill that runs now, and wait."""

    writes: ClassVar[bool] = True


class Resume(Tool):
    """Have a paused robot go on."""

    writes: ClassVar[bool] = True


class Stop(Tool):
    """Stop the robot at once: cancel its skill and every instruction, whoever gave it."""

    writes: ClassVar[bool] = True


ACTS: dict[str, type[Tool]] = {"do": Do, "pause": Pause, "resume": Resume, "stop": Stop}


@dataclass(frozen=True)
class Progress:
    """What the robot is at."""

    steps: int
    """Skills that are done."""
    text: str


@dataclass(frozen=True)
class Question:
    """What the robot asks back."""

    id: str
    text: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Done:
    """How an instruction ended."""

    text: str
    succeeded: bool


@dataclass
class Instruction:
    """An instruction under way; what comes of it is in `told`, last a Done."""

    user: str
    id: str = field(default_factory=secrets.token_urlsafe)
    """Nobody can guess it."""
    told: queue.Queue[Progress | Question | Done] = field(default_factory=queue.Queue)
    unwanted: threading.Event = field(default_factory=threading.Event)
    """Set to have it canceled."""
    ended: threading.Event = field(default_factory=threading.Event)
    question: Question | None = None
    """That waits for an answer."""
    asked: set[str] = field(default_factory=set)
    """Ids of questions that were asked."""
    progress: Progress | None = None
    """That was told last."""


class Acting:
    """Gives a graph's planner instructions. Thread-safe."""

    def __init__(self, client: GraphClient) -> None:
        """`client`: of the graph; its owner closes it."""
        client.service(Answer, "answer")  # which the planner knows by the time that it takes an instruction
        self._client = client
        self._lock = threading.Lock()
        self._running: dict[str, Instruction] = {}

    def begin(self, words: str, user: str) -> Instruction:
        """Begin an instruction. ToolError where there are too many."""
        instruction = Instruction(user)
        with self._lock:
            if len(self._running) >= MOST:
                raise ToolError(f"do: {MOST} instructions wait already; call again when one has ended")
            self._running[instruction.id] = instruction
        goal = ExecuteInstruction.Goal(instruction=words, user=user)
        threading.Thread(target=self._run, args=(instruction, goal), name="karma_do", daemon=True).start()
        return instruction

    def running(self, name: str, user: str) -> Instruction:
        """Return an instruction under way that this user gave. ToolError for another."""
        with self._lock:
            instruction = self._running.get(name)
        if instruction is None or instruction.user != user:
            raise ToolError("do: that instruction has ended; give it again without an answer")
        return instruction

    def answer(self, instruction: Instruction, text: str) -> None:
        """Answer the question that an instruction's robot asked; empty: nobody answers."""
        question, instruction.question = instruction.question, None
        if question is None:
            raise ToolError("do: the robot asked nothing")
        request = Answer.Request(question_id=question.id, text=text, user=instruction.user)
        try:
            self._client.call_once(Answer, "answer", request)  # where it is too late for it, the end tells
        except GraphError as error:
            raise ToolError(f"do: {error}") from error

    def close(self) -> None:
        """Cancel what is under way, and wait a while until the robot has been told."""
        with self._lock:
            under_way = list(self._running.values())
        for instruction in under_way:
            instruction.unwanted.set()
        until = time.monotonic() + ENDING_S
        for instruction in under_way:
            instruction.ended.wait(max(0.0, until - time.monotonic()))

    def trigger(self, name: str) -> str:
        """Pause or resume; return what the robot says."""
        try:
            response = self._client.call(Trigger, name, Trigger.Request(), grace=FOUND_S)
        except GraphError as error:
            raise ToolError(f"{name}: {error}") from error
        if not response.success:
            raise ToolError(f"{name}: {response.message}")
        return str(response.message)

    def stop(self) -> str:
        """Stop the robot and every instruction. ToolError where something has not ended."""
        try:
            ran, troubles, well = stop_all(self._client)
        except GraphError as error:
            raise ToolError(f"stop: {error}") from error
        if troubles:
            raise ToolError("stop: " + " ".join([*troubles, *well]))
        return "Stopped." if ran else "Nothing was running."

    def _run(self, instruction: Instruction, goal: Any) -> None:
        try:
            result = self._client.run_action(
                ExecuteInstruction,
                "execute_instruction",
                goal,
                on_feedback=lambda feedback: self._hear(instruction, feedback),
                timeout=TIMEOUT_S,
                connect_timeout=FOUND_S,
                wanted=lambda: not instruction.unwanted.is_set(),
            )
        except GraphError as error:
            done = Done(str(error), succeeded=False)
        else:
            succeeded = result.result.code == Result.SUCCESS
            goals = "; ".join(calls_in_words(goal) for goal in result.goals)
            said = calls_in_words(result.result.message) or goals
            how = "done" if succeeded else "not done"
            done = Done(
                said if succeeded and result.result.message else f"{how}: {said.removeprefix('not done: ')}", succeeded
            )
        finally:
            with self._lock:
                self._running.pop(instruction.id, None)
            instruction.ended.set()
        instruction.told.put(done)

    def _hear(self, instruction: Instruction, feedback: Any) -> None:
        progress = Progress(int(feedback.steps_done), calls_in_words(feedback.step).partition(": ")[0])
        if progress != instruction.progress:
            instruction.progress = progress
            instruction.told.put(progress)
        asked = feedback.question_id
        if asked and asked not in instruction.asked:
            instruction.asked.add(asked)
            instruction.question = Question(asked, feedback.question, tuple(feedback.choices))
            instruction.told.put(instruction.question)
