# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The people of a soak: what they ask of the robot on a day, and what it has acknowledged."""

from __future__ import annotations

import random
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import MemoryEvent, Result
from karma_interfaces.srv import Answer, Ask, Feedback, MoveObject, Remember
from karma_memory import Event, EventKind
from karma_memory.conversions import from_seconds
from karma_ros.client import GraphClient, GraphError
from karma_ros.result_codes import code_name

USERS = ("emma", "tim", "anna", "guest")
THINGS = ("mug", "apple", "book", "potato", "tomato", "bread", "plate", "bowl")
PLACES = ("sink", "kitchen counter", "coffee table", "bed", "sofa", "desk", "shelf")
QUESTIONS = (
    "Where is the {thing}?",
    "When did you last see the {thing}?",
    "What did you do today?",
    "What is in the kitchen?",
)
INSTRUCTIONS = ("Bring me the {thing}.", "Put the {thing} on the {place}.", "Put it back.", "Turn off the light.")
TOLD = ("My {thing} is number {number}.", "I like my {thing} on the {place}.", "The {thing} belongs to {user}.")
INSTRUCTION_S, ANSWER_S = 60.0, 15.0
NO_ANSWER = "no answer"
"""The outcome of what nobody answered in that time."""
WAITING = "forget it if I am restarted"
"""What the planner says of what the memory does not have yet."""


@dataclass
class Ledger:
    """What was asked for, what became of it, and what the robot said that it keeps."""

    kept: set[tuple[str, ...]] = field(default_factory=set)
    """What the robot said that it keeps, as `traces` has it."""
    outcomes: Counter[str] = field(default_factory=Counter)
    """What was done, and its result code or "no answer" → how often."""
    defects: list[str] = field(default_factory=list)
    """What was said of INTERNAL_ERROR, which nothing that goes wrong outside a node may bring about."""


def traces(event: Event) -> tuple[str, ...]:
    """Return what must be in the journal of an event that was acknowledged: kind, id or instruction, and content."""
    code = event.code.name if event.code else ""
    return {
        EventKind.TOLD: ("told", event.id, event.user, event.text),
        EventKind.EPISODE_START: ("began", event.episode, event.user, event.text),
        EventKind.EPISODE_END: ("ended", event.episode, event.user, code),
        EventKind.FEEDBACK: ("judged", event.episode, event.user, code),
    }.get(event.kind, ())


class Household:
    """People who use the robot all day. For one thread."""

    def __init__(self, client: GraphClient, ledger: Ledger, chance: random.Random, now: Callable[[], float]) -> None:
        self._client, self._ledger, self._chance, self._now = client, ledger, chance, now
        self._last = ""
        self._stay: Callable[[], bool] = lambda: True

    def live(self, stay: Callable[[], bool]) -> None:
        """Do one thing of everyday life after the other while there is reason to `stay`; what runs then is canceled."""
        self._stay = stay
        while stay():
            self._act()

    def _act(self) -> None:
        """Do one thing; what fails is noted."""
        what = self._chance.choices((self._instruct, self._ask, self._tell, self._judge, self._move), (4, 4, 4, 1, 2))[
            0
        ]
        try:
            outcome = what()
        except GraphError:
            outcome = "no longer wanted" if not self._stay() else NO_ANSWER
        self._ledger.outcomes[f"{what.__name__[1:]}: {outcome}"] += 1

    def _words(self, sentences: tuple[str, ...]) -> str:
        chance = self._chance
        words = {"thing": chance.choice(THINGS), "place": chance.choice(PLACES), "user": chance.choice(USERS)}
        return chance.choice(sentences).format(number=chance.randrange(1000), **words)

    def _instruct(self) -> str:
        goal = ExecuteInstruction.Goal(instruction=self._words(INSTRUCTIONS), user=self._chance.choice(USERS))
        done = self._client.run_action(
            ExecuteInstruction,
            "execute_instruction",
            goal,
            on_feedback=self._answer,
            timeout=INSTRUCTION_S,
            wanted=self._stay,
        )
        if done.skills and WAITING not in done.result.message:  # without one nothing began
            self._last = done.instruction_id
            self._ledger.kept |= {
                ("began", self._last, goal.user, goal.instruction),
                ("ended", self._last, goal.user, code_name(done.result)),
            }
        return self._said(done.result)

    def _said(self, result: Result) -> str:
        """Return the name of a result's code; a defect is noted."""
        if result.code == Result.INTERNAL_ERROR:
            self._ledger.defects.append(result.message)
        return code_name(result)

    def _answer(self, feedback: ExecuteInstruction.Feedback) -> None:
        """Answer the robot's question, in the client's thread, where nothing may be waited for."""
        if feedback.question_id:
            text = self._chance.choice(feedback.choices or ["the nearest one"])
            request = Answer.Request(question_id=feedback.question_id, text=text)
            self._client.service(Answer, "answer").call_async(request)

    def _ask(self) -> str:
        request = Ask.Request(question=self._words(QUESTIONS), user=self._chance.choice(USERS))
        return self._said(self._client.call(Ask, "memory/ask", request, timeout=ANSWER_S).result)

    def _tell(self) -> str:
        user, stamp = self._chance.choice(USERS), from_seconds(self._now())
        event = MemoryEvent(id=str(uuid.uuid4()), kind=MemoryEvent.TOLD, stamp=stamp, user=user, text=self._words(TOLD))
        answer = self._client.call(Remember, "memory/remember", Remember.Request(events=[event]), timeout=ANSWER_S)
        if answer.result.code == Result.SUCCESS:
            self._ledger.kept.add(("told", event.id, user, event.text))
        return self._said(answer.result)

    def _judge(self) -> str:
        user, right = self._chance.choice(USERS), self._chance.random() < 0.5
        verdict = Feedback.Request.RIGHT if right else Feedback.Request.WRONG
        request = Feedback.Request(instruction_id=self._last, verdict=verdict, user=user)
        answer = self._client.call_once(Feedback, "feedback", request, timeout=ANSWER_S)
        if answer.result.code == Result.SUCCESS:
            code = Result.SUCCESS if right else Result.EXECUTION_FAILURE
            self._ledger.kept.add(("judged", self._last, user, code_name(Result(code=code))))
        return self._said(answer.result)

    def _move(self) -> str:
        request = MoveObject.Request(object=self._chance.choice(THINGS).title())
        return self._said(self._client.call_once(MoveObject, "sim/move_object", request, timeout=ANSWER_S).result)


def explore(client: GraphClient) -> None:
    """Have the robot get to know the home. GraphError where it can't."""
    goal = ExecuteInstruction.Goal(instruction="Explore the home.", user=USERS[0])
    done = client.run_action(ExecuteInstruction, "execute_instruction", goal, timeout=900.0)
    if done.result.code != Result.SUCCESS:
        raise GraphError(f"the home could not be explored: {done.result.message}")
