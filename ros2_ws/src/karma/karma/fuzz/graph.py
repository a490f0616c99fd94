# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Garbage for every service, action and subscribed topic of the running graph, which says itself what these are."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from action_msgs.srv import CancelGoal
from rcl_interfaces.srv import ListParameters
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message, serialize_message
from std_srvs.srv import Trigger

from karma.fuzz.garbage import Garbage, message_class
from karma.fuzz.outcome import Progress, Tally
from karma.supervision import RunningGraph
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import MemoryEvent, Result
from karma_interfaces.srv import GetEvents, GetSceneGraph, Recall
from karma_ros import MANAGER
from karma_ros.client import GraphClient, GraphError

ANSWER_S = 60.0
"""A call without an answer for so long hangs."""
BATCH, GOALS = 250, 50
"""Calls, and goals, after which it is looked whether they changed the memory."""
FLIGHT = 8
"""Calls on their way at a time."""
POLL_S = 0.0003
HEARD_S = 5.0
"""A topic on which nothing comes for so long is taken for silent."""
WORDS = ("ann", "ben", "go to the fridge", "where is the mug?", "Ann likes tea", "FloorPlan1", "on", "in")
SEND_GOAL = "/_action/send_goal"
STATES = ("lifecycle_msgs/srv/ChangeState",)
"""A node may be told to end: only what is no transition is garbage."""
LATCHED = QoSProfile(depth=50, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""Reaches every subscription."""


class GraphFuzz:
    """Fuzzes a graph that is active. A context manager, because it has a node in it."""

    def __init__(self, graph: RunningGraph, seed: str, cases: int, keep: Path, tell: Progress) -> None:
        """`keep`: folder of the requests that break something."""
        self._graph, self._seed, self._cases, self._keep, self._tell = graph, seed, cases, keep, tell
        self._client = GraphClient(name="karma_fuzz", domain_id=graph.domain_id)
        # Nobody spins this one: its answers are taken where they are waited for, which costs a fraction of the time.
        context = self._client.node.context
        self._caller = Node("karma_fuzz_calls", context=context, start_parameter_services=False)
        self._callers: dict[str, Any] = {}
        self._heard: dict[str, bytes] = {}
        """The newest message of each topic."""
        self._listening: dict[str, Any] = {}
        self._since = time.monotonic()
        self._pids = graph.pids
        self._known: Sequence[str] = ()

    def __enter__(self) -> GraphFuzz:
        names = [
            name
            for node in self._graph.names
            for name in self._client.call(
                ListParameters, f"{node}/list_parameters", ListParameters.Request(), timeout=ANSWER_S
            ).result.names
            if name != "use_sim_time"  # with it the node waits for a clock, as it should
        ]
        truth = self._client.call(GetSceneGraph, "sim/ground_truth", GetSceneGraph.Request(), timeout=ANSWER_S).graph
        things = [text for node in truth.nodes[:30] for text in (node.id, node.category)]
        found = self._client.call(Recall, "memory/recall", Recall.Request(query="table"), timeout=ANSWER_S)
        self._known = (*WORDS, *names, *things, *(one.id for one in found.recollections[:10]))
        for name, (_, kind, fuzz) in self.interfaces().items():
            if fuzz == self._service:  # made now, they are known to the servers when they are needed: no answer is lost
                self._calls(message_class(kind), name)
            else:
                self._listen(message_class(kind), name)
        self._since = time.monotonic()
        return self

    def __exit__(self, *error: object) -> None:
        self._caller.destroy_node()
        self._client.close()

    def interfaces(self) -> dict[str, tuple[str, str, Callable[[str, str], Tally]]]:
        """Return name → (node, type, what fuzzes it) of all there are; services first, topics last."""
        node = self._client.node
        services: dict[str, Any] = {}
        topics: dict[str, Any] = {}
        for of in self._graph.names:
            for name, kinds in node.get_service_names_and_types_by_node(of, "/"):
                services[name] = (of, kinds[0], self._service)
            for name, kinds in node.get_subscriber_names_and_types_by_node(of, "/"):
                topics[name] = (of, kinds[0], self._topic)
        return services | topics

    def run(self, wanted: Callable[[str], bool]) -> Iterator[Tally]:
        """Fuzz one interface after the other; what breaks is told with that which was fuzzed last."""
        for name, (of, kind, fuzz) in self.interfaces().items():
            if wanted(name):
                tally = Tally(name)
                try:
                    self._of = of
                    tally = fuzz(name, kind)
                    self.lives(tally)
                except GraphError as error:
                    tally.faults.append(str(error))
                yield tally

    def lives(self, tally: Tally) -> None:
        """Look whether all nodes run on and answer."""
        died = [name for name, pid in self._pids.items() if self._graph.pids.get(name) != pid]
        if died:
            tally.faults.append(f"{', '.join(died)} died: see the logs")
            self._graph.wait_active(ANSWER_S)
            self._pids = self._graph.pids
        answer = self._client.call(Trigger, f"{MANAGER}/is_active", Trigger.Request(), timeout=ANSWER_S)
        if not answer.success:
            tally.faults.append(f"the graph is not active any more: {answer.message}")

    def at_work(self) -> Tally:
        """Return whether the graph remembers and acts as ever."""
        tally = Tally("afterwards", 2)
        found = self._client.call(Recall, "memory/recall", Recall.Request(query="fridge"), timeout=ANSWER_S)
        if found.result.code != Result.SUCCESS:
            tally.faults.append(f"recall: {found.result.message}")
        self._client.call(Trigger, "resume", Trigger.Request(), timeout=ANSWER_S)
        goal = ExecuteInstruction.Goal(instruction="Go to the fridge.")
        done = self._client.run_action(ExecuteInstruction, "execute_instruction", goal, timeout=ANSWER_S).result
        if done.code in (Result.UNSET, Result.UNAVAILABLE, Result.INTERNAL_ERROR, Result.NOT_UNDERSTOOD):
            tally.faults.append(f"an instruction: {done.code} {done.message}")
        return tally

    def _newest(self) -> int:
        """Return the place of the memory's newest event, once it has come to rest."""
        place = -1
        while (now := self._events(newest=True, limit=1).last_sequence) != place:
            place = now
            time.sleep(0.02)
        return place

    def _told(self, after: int) -> list[str]:
        """Return the events after a place, but what was seen: perception still looks at what an earlier call moved."""
        kinds = [kind for kind in range(MemoryEvent.READING + 1) if kind != MemoryEvent.OBSERVATION]
        return [f"{e.kind} {e.target} {e.text}"[:100] for e in self._events(after=after, kinds=kinds).events]

    def _events(self, **wanted: Any) -> Any:
        return self._ask(GetEvents, "memory/get_events", GetEvents.Request(**wanted))

    def _ask(self, kind: Any, name: str, request: Any = None) -> Any:
        """Return a service's answer. GraphError where none comes."""
        [answer] = self._answers(self._calls(kind, name), [request or kind.Request()])
        if answer is None:
            raise GraphError(f"{name} did not answer in {ANSWER_S:.0f} s")
        return answer

    def _service(self, name: str, kind: str) -> Tally:
        tally = Tally(name)
        cls = message_class(kind)
        client = self._calls(cls, name)
        goals = name.endswith(SEND_GOAL)
        batch = GOALS if goals else BATCH
        for first in range(0, self._cases, batch):
            last = min(first + batch, self._cases)
            before = self._newest()
            requests = [
                self._request(cls, kind, Garbage(f"{self._seed}/{name}/{i}", self._known)) for i in range(first, last)
            ]
            answers = self._answers(client, requests)
            ends = self._end_goals(name.removesuffix("/send_goal"), cls, requests, answers) if goals else answers
            for i, (answer, end) in enumerate(zip(answers, ends, strict=True), first):
                if fault := f"no answer in {ANSWER_S:.0f} s" if answer is None else _defect(end):
                    tally.faults.append(f"case {i}: {fault}")
                    self._keep.mkdir(parents=True, exist_ok=True)
                    (self._keep / f"{name.replace('/', '-')}-{i}.txt").write_text(repr(requests[i - first]), "utf-8")
            refused = [request for request, answer in zip(requests, answers, strict=True) if _refused(answer)]
            if told := self._told_by(client, refused, answers, before):
                tally.faults.append(f"cases {first} to {last - 1}: refused, yet the memory has events more: {told}")
            tally.cases, tally.refused = last, tally.refused + len(refused)
            self._tell(name, last, self._cases)
        return tally

    def _told_by(self, client: Any, refused: Sequence[Any], answers: Sequence[Any], before: int) -> list[str]:
        """Return the events that requests left which were refused; `before`: the newest event before them.

        Where others of them were not refused, these may have left the events: what was refused is sent by itself then.
        """
        if not refused or (newest := self._newest()) <= before or not (told := self._told(before)):
            return []
        if len(refused) == len(answers):
            return told
        if client.srv_name.endswith(SEND_GOAL):  # what is accepted now would run on
            return []
        again = self._answers(client, refused)
        return self._told(newest) if all(map(_refused, again)) and self._newest() > newest else []

    def _request(self, cls: Any, kind: str, garbage: Garbage) -> Any:
        request = garbage.mutated(cls.Request()) if garbage.random.random() < 0.5 else garbage.message(cls.Request)
        if kind in STATES:
            request.transition.id, request.transition.label = 100 + request.transition.id % 100, "nonsense"
        return request

    def _calls(self, cls: Any, name: str) -> Any:
        """Return the client that garbage goes through."""
        if name not in self._callers:
            made = self._callers[name] = self._caller.create_client(cls, name)
            made.wait_for_service(timeout_sec=ANSWER_S)
        return self._callers[name]

    def _answers(self, client: Any, requests: Sequence[Any]) -> list[Any]:
        """Return the answer to each request; None where none came."""
        answers: list[Any] = [None] * len(requests)
        waiting: dict[int, int] = {}
        todo = iter(enumerate(requests))
        until = time.monotonic() + ANSWER_S
        while time.monotonic() < until:
            while len(waiting) < FLIGHT and (one := next(todo, None)) is not None:
                waiting[client.handle.send_request(one[1])] = one[0]
            if not waiting:
                break
            header, answer = client.handle.take_response(client.srv_type.Response)
            if header is None:
                time.sleep(POLL_S)
            elif (i := waiting.pop(header.request_id.sequence_number, None)) is not None:
                answers[i], until = answer, time.monotonic() + ANSWER_S
        return answers

    def _end_goals(self, action: str, cls: Any, requests: Sequence[Any], answers: Sequence[Any]) -> list[Any]:
        """Cancel all goals of an action, and wait until those that were accepted have ended; return the results."""
        self._client.call(CancelGoal, f"{action}/cancel_goal", CancelGoal.Request(), timeout=ANSWER_S)
        result = message_class(
            cls.__module__.split(".")[0] + "/action/" + cls.__name__.replace("SendGoal", "GetResult")
        )
        accepted = [i for i, answer in enumerate(answers) if answer is not None and answer.accepted]
        asked = [result.Request(goal_id=requests[i].goal_id) for i in accepted]
        ended = dict(zip(accepted, self._answers(self._calls(result, f"{action}/get_result"), asked), strict=True))
        if missing := [i for i, end in ended.items() if end is None]:
            raise GraphError(f"{len(missing)} goals of {action} have not ended in {ANSWER_S:.0f} s")
        return [ended[i].result if i in ended else None for i in range(len(requests))]

    def _listen(self, cls: Any, name: str) -> None:
        """Keep the newest message of a topic from now on."""
        heard = partial(self._heard.__setitem__, name)
        self._listening[name] = self._client.node.create_subscription(cls, name, heard, 10, raw=True)

    def _topic(self, name: str, kind: str) -> Tally:
        tally = Tally(name)
        cls = message_class(kind)
        publisher = self._client.node.create_publisher(cls, name, LATCHED)
        if name not in self._listening:  # a node may have begun to listen since
            self._listen(cls, name)
        began = time.monotonic()
        while (publisher.get_subscription_count() < 2 and time.monotonic() < began + HEARD_S) or (
            name not in self._heard and time.monotonic() < self._since + HEARD_S
        ):
            time.sleep(POLL_S)
        data = self._heard.get(name)
        valid = None if data is None else deserialize_message(data, cls)
        tally.name += "" if valid else " (no message of it was there to be changed)"
        for i in range(self._cases):
            garbage = Garbage(f"{self._seed}/{name}/{i}", self._known)
            message = garbage.message(cls) if valid is None or garbage.random.random() < 0.3 else garbage.mutated(valid)
            data = serialize_message(message)
            # None at all is left out: Fast DDS 3.2 brings a reader nothing more of the writer after that.
            publisher.publish(data if garbage.random.random() < 0.8 else garbage.data(data) or data)
            if i % 20 == 19 or i == self._cases - 1:  # so that the node keeps up
                self._ask(ListParameters, f"{self._of}/list_parameters")
                self._tell(name, i + 1, self._cases)
        tally.cases = self._cases
        self._client.node.destroy_publisher(publisher)
        return tally


def _defect(answer: Any) -> str:
    """Return what an answer says of a defect in the node; "" for none."""
    result: Any = getattr(getattr(answer, "outcome", answer), "result", None)
    if not isinstance(result, Result) or result.code != Result.INTERNAL_ERROR:
        return ""
    return f"INTERNAL_ERROR {result.message}"


def _refused(answer: Any) -> bool:
    """Whether an answer says that nothing was done."""
    result = getattr(answer, "result", None)
    if isinstance(result, Result):
        return bool(result.code != Result.SUCCESS)
    verdicts = [getattr(answer, name) for name in ("accepted", "success") if hasattr(answer, name)]
    verdicts += [one.successful for one in (result, *getattr(answer, "results", ())) if hasattr(one, "successful")]
    return bool(verdicts) and not any(verdicts)
