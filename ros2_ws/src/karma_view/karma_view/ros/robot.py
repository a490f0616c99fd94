# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The ROS graph as the page sees it: what it hears while somebody looks, and what it asks for people."""

from __future__ import annotations

import logging
import math
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from action_msgs.srv import CancelGoal
from builtin_interfaces.msg import Time
from std_srvs.srv import Trigger
from unique_identifier_msgs.msg import UUID

from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import Result
from karma_interfaces.srv import (
    Answer,
    Ask,
    BrowseMemory,
    EditMemory,
    Feedback,
    Forget,
    GetEvents,
    GetSceneGraph,
    GetShortTermMemory,
    MoveObject,
)
from karma_perception.conversions import apply_message
from karma_perception.scene_graph import SceneGraph
from karma_ros.client import GRACE_S, GraphClient, GraphError
from karma_view.known import Live
from karma_view.ros.hearing import Hearing
from karma_view.ros.transcript import Transcript

logger = logging.getLogger(__name__)

TIMEOUT_S = 15.0
"""For a service to answer; a question about the past may need some of the journal read again."""
PAST_TIMEOUT_S = 60.0
SUCCESS, FOUND_OR_NOT = (Result.SUCCESS,), (Result.SUCCESS, Result.NOT_FOUND)
INTRODUCTION_S = 3.0
"""For the planner to answer before it is given an instruction."""
MOVE = "sim/move_object"
"""Service of simulators."""
ACTION = "execute_instruction"
CANCEL = f"{ACTION}/_action/cancel_goal"
CANCEL_SKILLS = "execute_skill/_action/cancel_goal"
"""Service of the robot's bridge."""
CHANGING: Mapping[str, Any] = {
    "pause": Trigger,
    "resume": Trigger,
    CANCEL: CancelGoal,
    CANCEL_SKILLS: CancelGoal,
    "answer": Answer,
    "feedback": Feedback,
    "memory/edit": EditMemory,
    "memory/forget": Forget,
    MOVE: MoveObject,
}
"""Services that change something: asked now and once, or not at all."""


class Robot:
    """Hears the graph's topics into `live` while it looks, and asks its services.

    Every call blocks for at most its time-out, and raises GraphError with what to do where nothing came of it.
    """

    def __init__(self, client: GraphClient, live: Live) -> None:
        self._client = client
        self._live = live
        self.transcript = Transcript()
        """What was said while somebody looked; all viewers share it."""
        self._changing = threading.Lock()
        self._hearing: Hearing | None = None
        self._past = threading.Lock()
        """Held while the memory is asked what it knew: it answers few such questions at a time and refuses more."""
        self._giving = threading.Lock()
        self._given: set[str] = set()
        """Ids of instructions that are on their way to the planner, whoever of the viewers gave them."""

    def look(self) -> None:
        """Begin to hear. May be called again."""
        with self._changing:
            if self._hearing is None:
                self._hearing = Hearing(self._client, self._live, self.transcript)
                for name, kind in CHANGING.items():  # known by the time that somebody presses a button
                    self._client.service(kind, name)
                self._client.action(ExecuteInstruction, ACTION)

    def look_away(self) -> None:
        """Hear no more, and know nothing any more: what would be shown next is asked for anew. Waits for nobody."""
        with self._changing:
            if self._hearing is not None:
                self._hearing.close()
                self._hearing = None
                self._live.clear()
                self.transcript.lose()

    def instruct(
        self,
        text: str,
        *,
        user: str = "",
        ignore_memory: bool = False,
        dry_run: bool = False,
        urgent: bool = False,
        retry_of: str = "",
        on_result: Callable[[Any], None],
    ) -> str:
        """Give an instruction and return its id.

        `on_result` gets ExecuteInstruction.Result when it has ended, or at once where the planner does not take it.
        GraphError where the planner isn't there now, or somebody drops the instruction before it is sent.
        """
        goal = ExecuteInstruction.Goal(
            instruction=text,
            user=user,
            ignore_memory=ignore_memory,
            dry_run=dry_run,
            retry_of=retry_of,
            priority=ExecuteInstruction.Goal.URGENT if urgent else ExecuteInstruction.Goal.NORMAL,
        )
        goal_id = uuid.uuid4()
        name = str(goal_id)
        with self._giving:
            self._given.add(name)
        try:
            sent = self._send(goal, goal_id)
        except Exception:
            self._arrived(name)
            raise

        def taken(future: Any) -> None:
            handle, wanted = future.result(), self._arrived(name)
            if handle.accepted:
                if not wanted:  # it came to the planner after what stopped the others
                    handle.cancel_goal_async()
                handle.get_result_async().add_done_callback(lambda ended: on_result(ended.result().result))
            else:
                refused = Result(code=Result.UNAVAILABLE, message="The planner takes no instructions now. Try again.")
                on_result(ExecuteInstruction.Result(result=refused))

        sent.add_done_callback(taken)
        return name

    def _send(self, goal: Any, goal_id: uuid.UUID) -> Any:
        action = self._client.connected(ExecuteInstruction, ACTION, GRACE_S, INTRODUCTION_S)
        with self._giving:
            if str(goal_id) not in self._given:
                raise GraphError("somebody stopped the robot meanwhile, so it was not given")
        return action.send_goal_async(goal, goal_uuid=UUID(uuid=list(goal_id.bytes)))

    def drop(self) -> set[str]:
        """Drop the instructions that are on their way to the planner; return their ids. Waits for nothing."""
        with self._giving:
            dropped, self._given = self._given, set()
        return dropped

    def _arrived(self, name: str) -> bool:
        """Take note that an instruction is on its way no more; return whether nobody dropped it."""
        with self._giving:
            wanted = name in self._given
            self._given.discard(name)
        return wanted

    def answer(self, question_id: str, text: str, *, user: str = "") -> None:
        """Answer a question of the robot's; without a text, say that there will be no answer."""
        self._change("answer", Answer.Request(question_id=question_id, text=text, user=user))
        self.transcript.answered(question_id, text, user, self._now())

    def feedback(self, instruction_id: str, text: str, *, verdict: int = 0, user: str = "") -> str:
        """Say what somebody thinks of an instruction; return what the robot says to that.

        `verdict`: Feedback.Request.RIGHT, WRONG or UNSAID.
        """
        request = Feedback.Request(instruction_id=instruction_id, text=text, verdict=verdict, user=user)
        response = self._change("feedback", request)
        said = {request.RIGHT: "That was right.", request.WRONG: "That was wrong."}.get(verdict, "")
        self.transcript.judged(instruction_id, f"{said} {text}".strip(), user, self._now())
        return str(response.result.message)

    def pause(self) -> str:
        """Pause before the next skill; return what the robot says."""
        return self._trigger("pause")

    def resume(self) -> str:
        """Go on; return what the robot says."""
        return self._trigger("resume")

    def cancel(self, instruction_id: str) -> bool:
        """Cancel one instruction, whoever gave it; return whether it had not ended."""
        try:
            goal_id = uuid.UUID(instruction_id)
        except ValueError as error:
            raise GraphError(f"{instruction_id!r} is not the id of an instruction") from error
        request = CancelGoal.Request()
        request.goal_info.goal_id = UUID(uuid=list(goal_id.bytes))
        return bool(self._cancel(request))

    def stop(self) -> int:
        """Cancel every instruction, the waiting ones and those on their way, too; return how many there were.

        What is on its way is dropped at once, and what the robot does is stopped, also where GraphError tells that the
        planner does not answer.
        """
        dropped = self.drop()
        bridge = self._client.service(CancelGoal, CANCEL_SKILLS)
        if bridge.service_is_ready():
            bridge.call_async(CancelGoal.Request())
        return len(dropped | self._cancel(CancelGoal.Request()))

    def browse(
        self, *, user: str = "", kinds: Sequence[str] = (), at: float = 0.0, offset: int = 0, limit: int = 0
    ) -> Any:
        """Return what the memories hold (BrowseMemory.Response); `at`: then, in seconds, 0 for now."""
        request = BrowseMemory.Request(user=user, kinds=list(kinds), at=to_time(at), offset=offset, limit=limit)
        return self._ask_past(BrowseMemory, "memory/browse", request)

    def ask(self, question: str, *, user: str = "", at: float = 0.0) -> Any:
        """Have the memory answer a question (Ask.Response)."""
        return self._ask_past(Ask, "memory/ask", Ask.Request(question=question, user=user, at=to_time(at)))

    def forget(self, record: str, *, user: str = "") -> None:
        """Have the memory forget one recollection, by its id."""
        self._change("memory/forget", Forget.Request(ids=[record], user=user))

    def edit(self, record: str, text: str, *, user: str = "") -> None:
        """Give a recollection another text."""
        self._change("memory/edit", EditMemory.Request(id=record, text=text, user=user))

    def can_move(self) -> bool:
        """Whether things can be moved as a person would: this is a simulator."""
        return bool(self._client.node.count_services(self._client.node.resolve_service_name(MOVE)))

    def move(self, thing: str, receptacle: str) -> Any:
        """Move a thing as a person would, behind the robot's back (MoveObject.Response); simulators only."""
        return self._change(MOVE, MoveObject.Request(object=thing, receptacle=receptacle))

    def events(
        self,
        *,
        since: float = 0.0,
        until: float = 0.0,
        after: int = 0,
        kinds: Sequence[int] = (),
        newest: bool = False,
        limit: int = 0,
    ) -> Any:
        """Return what happened (GetEvents.Response); times in seconds, 0 for no limit; `kinds`: MemoryEvent.kind."""
        request = GetEvents.Request(
            since=to_time(since), until=to_time(until), after=after, kinds=list(kinds), newest=newest, limit=limit
        )
        return self._ask(GetEvents, "memory/get_events", request, timeout=PAST_TIMEOUT_S)

    def graph_at(self, at: float) -> SceneGraph:
        """Return the scene graph as the memory knew it then, seconds; an empty one where it knew none."""
        request = GetSceneGraph.Request(at=to_time(at))
        message = self._ask_past(GetSceneGraph, "memory/get_scene_graph", request, codes=FOUND_OR_NOT).graph
        return apply_message(message, SceneGraph(scene=message.scene))

    def short_term_at(self, at: float) -> Any:
        """Return short-term memory as it was then, seconds (ShortTermMemory)."""
        request = GetShortTermMemory.Request(at=to_time(at))
        return self._ask_past(GetShortTermMemory, "memory/get_short_term", request).memory

    def _now(self) -> float:
        return float(self._client.node.get_clock().now().nanoseconds) * 1e-9

    def _ask(
        self, kind: Any, name: str, request: Any, timeout: float = TIMEOUT_S, codes: Sequence[int] = SUCCESS
    ) -> Any:
        """`codes`: results that are an answer."""
        return _checked(self._client.call(kind, name, request, timeout=timeout), name, codes)

    def _change(self, name: str, request: Any) -> Any:
        """Ask one of CHANGING."""
        return _checked(self._once(name, request), name, SUCCESS)

    def _once(self, name: str, request: Any) -> Any:
        return self._client.call_once(CHANGING[name], name, request, timeout=TIMEOUT_S)

    def _ask_past(self, kind: Any, name: str, request: Any, codes: Sequence[int] = SUCCESS) -> Any:
        """Ask what is known, or was at the request's time."""
        if request.at == Time():
            return self._ask(kind, name, request, codes=codes)
        if not self._past.acquire(timeout=PAST_TIMEOUT_S):
            raise GraphError("others who look back are still waiting for the memory; try again in a moment")
        try:
            return self._ask(kind, name, request, timeout=PAST_TIMEOUT_S, codes=codes)
        finally:
            self._past.release()

    def _trigger(self, name: str) -> str:
        response = self._once(name, Trigger.Request())
        if not response.success:
            raise GraphError(response.message)
        return str(response.message)

    def _cancel(self, request: Any) -> set[str]:
        canceled = self._once(CANCEL, request).goals_canceling
        return {str(uuid.UUID(bytes=bytes(goal.goal_id.uuid))) for goal in canceled}


def _checked(response: Any, name: str, codes: Sequence[int]) -> Any:
    if response.result.code not in codes:
        raise GraphError(response.result.message or f"{name} did not do that")
    return response


def to_time(value: float) -> Any:
    """Return seconds as builtin_interfaces/Time."""
    whole = math.floor(value)
    return Time(sec=whole, nanosec=min(round((value - whole) * 1e9), 999_999_999))
