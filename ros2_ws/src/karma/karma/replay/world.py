# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The recorded world as ROS nodes see it: the robot, perception, the clock, and what came to the memory from others.

A planner's calls come here. The memory is a real one, with other names; it gets what it had got when the call was made.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections import deque
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import rclpy
from geometry_msgs.msg import Point
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions
from rosgraph_msgs.msg import Clock

from karma.replay.tape import Tape
from karma.replay.trial import CALLS, LEARN, REMEMBER, SKILL, Exchange
from karma_interfaces.action import ExecuteSkill
from karma_interfaces.msg import Result, SkillOutcome
from karma_interfaces.srv import (
    Ask,
    Choose,
    GetFrontiers,
    GetSceneGraph,
    LearnChoice,
    ListSkills,
    Recall,
    Remember,
    SetConsent,
)
from karma_memory.conversions import from_event, from_seconds
from karma_memory.events import Event, EventKind
from karma_memory.short_term.memory import settings_from_json
from karma_ros.timers import steady_timer
from planner_node.ros.calling import NoAnswer, call

MEMORY = "replayed"
"""In front of the names of the memory server."""
CONSENT = "memory/set_consent"
SERVICES = dict(
    zip(
        CALLS,
        (Recall, Ask, Remember, GetSceneGraph, Choose, LearnChoice, GetSceneGraph, GetFrontiers, ListSkills),
        strict=False,
    )
)
ANSWER_S = 30.0
"""How long the memory may take."""
TICK_S = 0.05
"""Between two times of the clock, and two positions of the robot."""
JUMP_S = 0.5
"""What the clock may jump without waiting until the nodes know."""
HELD_S = 20.0
"""How long a call waits for what a person did just then."""
BATCH = 100
"""Events that are remembered together."""
PATIENT_S = 1.0
"""A planner that has waited for longer may have asked again; what comes so soon after the answer is that."""
_LONGEST_WAIT = 0.2


@dataclass
class _Call:
    """A request that is being answered, or was."""

    request: Any
    response: Any = None
    began: float = field(default_factory=time.monotonic)
    ended: float = math.inf
    done: threading.Event = field(default_factory=threading.Event)

    def is_asked_again(self, request: Any) -> bool:
        """Whether this request is the same one, sent once more by a client that got no answer yet."""
        late = self.ended - self.began > PATIENT_S and time.monotonic() - self.ended < PATIENT_S
        return (late or not self.done.is_set()) and bool(self.request == request)


class RecordedWorld:
    """Serves a planner from a tape. A context manager."""

    def __init__(
        self, tape: Tape, events: Sequence[tuple[int, Any]], *, began: float, namespace: str, domain_id: int
    ) -> None:
        """`events`: of others than the planner, with their sequences in the journal; `began`: seconds."""
        self._tape = tape
        self._events = deque(events)
        self._now = began
        self._position: Point | None = None
        self._feeding = threading.Lock()
        self._lock = threading.Lock()
        self._calls: dict[str, _Call] = {}
        """The last one of each name."""
        self._events_of_then: dict[str, tuple[str, Any]] = {}
        """Id of an event of now → id and stamp of the same one then."""
        self._holds: dict[int, tuple[threading.Event, threading.Event]] = {}
        self.notes: list[str] = []
        """What was asked and is not in the recording, in sentences."""
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain_id, signal_handler_options=SignalHandlerOptions.NO)
        self._node = Node("recorded_world", namespace=namespace or None, context=self._context)
        group = ReentrantCallbackGroup()
        self._memory = {
            name: self._node.create_client(kind, f"{MEMORY}/{name}", callback_group=group)
            for name, kind in SERVICES.items()
            if name.startswith("memory/")
        }
        self._memory[CONSENT] = self._node.create_client(SetConsent, f"{MEMORY}/{CONSENT}", callback_group=group)
        self._settings = self._node.create_client(SetParameters, "memory_server/set_parameters", callback_group=group)
        for name, kind in SERVICES.items():
            self._node.create_service(kind, name, partial(self._serve, name), callback_group=group)
        self._skills = ActionServer(
            self._node,
            ExecuteSkill,
            SKILL,
            self._execute,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
            callback_group=group,
        )
        self._clock = self._node.create_publisher(Clock, "/clock", 10)
        self._odom = self._node.create_publisher(Odometry, "odom", 10)
        steady_timer(self._node, TICK_S, self._tick, group)
        self._executor = MultiThreadedExecutor(num_threads=6, context=self._context)
        self._executor.add_node(self._node)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._spin, name="recorded_world", daemon=True)

    def __enter__(self) -> RecordedWorld:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        for _, released in self._holds.values():
            released.set()
        self._ended.set()
        self._thread.join()
        self._executor.shutdown(timeout_sec=2.0)
        self._skills.destroy()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def hold(self, number: int) -> tuple[threading.Event, threading.Event]:
        """Hold the answer to a call back; return what says that it was asked, and what lets the answer go.

        `number`: of its exchange.
        """
        return self._holds.setdefault(number, (threading.Event(), threading.Event()))

    def stand_at(self, position: Point | None) -> None:
        """Let the planner know where the robot is, before an instruction."""
        self._position = position
        if position is not None:
            time.sleep(6 * TICK_S)

    def forward_to(self, seconds: float) -> None:
        """Set the clock, which stands still in between, and never goes back."""
        ahead = seconds - self._now
        if ahead > 0.0:
            self._now = seconds
            self._tick()
            if ahead > JUMP_S:
                time.sleep(2 * TICK_S)

    def feed(self, until: int) -> None:
        """Let the memory have what had come from others up to an event of the recorded journal. NoAnswer."""
        with self._feeding:
            while self._events and self._events[0][0] <= until:
                if self._events[0][1].kind is EventKind.CONFIGURE:
                    self._configure(self._events.popleft()[1])
                    continue
                batch: list[Any] = []
                while self._events and self._events[0][0] <= until and len(batch) < BATCH:
                    if self._events[0][1].kind is EventKind.CONFIGURE:
                        break
                    batch.append(from_event(self._events.popleft()[1]))
                response = self._ask(REMEMBER, Remember.Request(events=batch))
                if response.result.code != Result.SUCCESS:
                    self.notes.append(f"the memory did not take what others had told it: {response.result.message}")

    def _configure(self, event: Event) -> None:
        """Let a user agree to what they had agreed to, or short-term memory have the settings that it had got."""
        refused = ""
        if event.user:
            response = self._ask(CONSENT, SetConsent.Request(user=event.user, **json.loads(event.text)))
            if response.result.code != Result.SUCCESS:
                refused = response.result.message
        else:
            settings = vars(settings_from_json(event.text))
            wanted = [Parameter(name, value=value).to_parameter_msg() for name, value in settings.items()]
            request = SetParameters.Request(parameters=wanted)
            results = call(self._settings, request, ANSWER_S, ANSWER_S).results
            refused = "; ".join(result.reason for result in results if not result.successful)
        if refused:
            self.notes.append(f"consent or settings could not be changed as they were: {refused}")

    def _tick(self) -> None:
        stamp = from_seconds(self._now)
        self._clock.publish(Clock(clock=stamp))
        if self._position is not None:
            where = Odometry()
            where.header.stamp = stamp
            where.pose.pose.position = self._position
            self._odom.publish(where)

    def _spin(self) -> None:
        while not self._ended.is_set():
            self._executor.spin_once(timeout_sec=_LONGEST_WAIT)

    def _serve(self, name: str, request: Any, response: Any) -> Any:
        with self._lock:
            before = self._calls.get(name)
            call = before if before is not None and before.is_asked_again(request) else _Call(request)
            self._calls[name] = call
        if call is before:
            call.done.wait(ANSWER_S)
            return call.response or response
        try:
            call.response = self._answer(name, request, response)
            return call.response
        finally:
            call.ended = time.monotonic()
            call.done.set()

    def _answer(self, name: str, request: Any, response: Any) -> Any:
        exchange = self._tape.take(name, request)
        if exchange is not None:
            self._be_there(exchange)
        if exchange is not None and exchange.error:
            response.result = Result(code=Result.UNAVAILABLE, message=exchange.error)
        elif name in self._memory:
            response = self._asked(name, self._as_recorded(name, request, exchange), response)
        else:
            response = self._recorded(name, exchange, response)
        if exchange is not None:
            self._wait(exchange)
        return response

    def _asked(self, name: str, request: Any, response: Any) -> Any:
        """Return what the memory says now."""
        try:
            return self._ask(name, request)
        except NoAnswer as error:
            response.result = Result(code=Result.UNAVAILABLE, message=str(error))
            return response

    def _ask(self, name: str, request: Any) -> Any:
        return call(self._memory[name], request, ANSWER_S, ANSWER_S)

    def _recorded(self, name: str, exchange: Exchange | None, response: Any) -> Any:
        """Return what the robot or perception said then; where they were not asked, what they said last."""
        said = exchange or next((e for e in reversed(self._tape.calls) if e.name == name and e.response), None)
        if said is None:
            self.notes.append(f"{name} was asked, and is not in the recording")
            response.result = Result(code=Result.UNAVAILABLE, message="that is not in the recording")
            return response
        return said.response

    def _execute(self, handle: Any) -> Any:
        goal = handle.request
        exchange = self._tape.take(SKILL, goal)
        outcome = SkillOutcome(call=goal.call)
        if exchange is None:
            outcome.result = Result(
                code=Result.UNAVAILABLE, message="the recording does not know what comes of that: it was not done then"
            )
        else:
            self._be_there(exchange)
            if exchange.error:
                outcome.result = Result(code=Result.UNAVAILABLE, message=exchange.error)
            else:
                outcome = exchange.response.outcome
            self._wait(exchange)
        if handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.succeed()
        return ExecuteSkill.Result(outcome=outcome)

    def _be_there(self, exchange: Exchange) -> None:
        """Bring clock and memory to where they were when a call was answered."""
        self.forward_to(exchange.asked)
        if exchange.position is not None:
            try:
                self.feed(exchange.position)
            except NoAnswer as error:
                self.notes.append(str(error))

    def _wait(self, exchange: Exchange) -> None:
        """Wait until a person did what they had done before the planner had the answer."""
        if (held := self._holds.get(exchange.number)) is not None:
            held[0].set()
            held[1].wait(HELD_S)

    def _as_recorded(self, name: str, request: Any, exchange: Exchange | None) -> Any:
        """Return a request with the ids and stamps that the same one had: what is made of it is the same, then.

        They stay so when it is sent again.
        """
        if name not in (REMEMBER, LEARN):
            return request
        request = deepcopy(request)
        made = request.events if name == REMEMBER else [request]
        if exchange is not None:
            was = exchange.request.events if name == REMEMBER else [exchange.request]
            for now, then in zip(made, was, strict=True):
                self._events_of_then[now.id] = then.id, getattr(then, "stamp", None)
        for event in made:
            if event.id in self._events_of_then:
                event.id, stamp = self._events_of_then[event.id]
                if stamp is not None:
                    event.stamp = stamp
        return request
