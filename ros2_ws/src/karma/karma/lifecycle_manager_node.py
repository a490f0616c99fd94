# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The node that activates the other nodes in order and brings restarted ones back.

What somebody else tells a node is respected: see `karma.lifecycle`.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import rclpy
from lifecycle_msgs.msg import State as StateMsg
from lifecycle_msgs.msg import Transition as TransitionMsg
from lifecycle_msgs.msg import TransitionEvent
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.msg import ParameterDescriptor, ParameterType
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.client import Client
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from std_srvs.srv import Trigger

from karma.lifecycle import GIVE_BACK, PROBLEMS, NodeReport, Sequencer, State, Transition
from karma_ros.declared_parameters import DeclaredParameters
from karma_ros.diagnostics import ERROR, OK, WARN, Diagnosis, DiagnosticsPublisher
from karma_ros.executor import PatientExecutor
from karma_ros.parameter_service import SafeParameterService
from karma_ros.parameters import Effect, Parameter
from karma_ros.process import leave_shared_memory, noted_signals

PRIMARY_STATES = {
    StateMsg.PRIMARY_STATE_UNCONFIGURED: State.UNCONFIGURED,
    StateMsg.PRIMARY_STATE_INACTIVE: State.INACTIVE,
    StateMsg.PRIMARY_STATE_ACTIVE: State.ACTIVE,
    StateMsg.PRIMARY_STATE_FINALIZED: State.FINALIZED,
}
TRANSITIONS = {
    Transition.CONFIGURE: TransitionMsg.TRANSITION_CONFIGURE,
    Transition.CLEANUP: TransitionMsg.TRANSITION_CLEANUP,
    Transition.ACTIVATE: TransitionMsg.TRANSITION_ACTIVATE,
    Transition.DEACTIVATE: TransitionMsg.TRANSITION_DEACTIVATE,
}
RESULTS = {
    Transition.CONFIGURE: State.INACTIVE,
    Transition.CLEANUP: State.UNCONFIGURED,
    Transition.ACTIVATE: State.ACTIVE,
    Transition.DEACTIVATE: State.INACTIVE,
}
GOING_DOWN = {
    StateMsg.TRANSITION_STATE_CLEANINGUP: Transition.CLEANUP,
    StateMsg.TRANSITION_STATE_DEACTIVATING: Transition.DEACTIVATE,
    StateMsg.TRANSITION_STATE_SHUTTINGDOWN: Transition.SHUTDOWN,
}
"""What a node was told that is in one of these states: by somebody else, as long as the manager brings nodes up."""
PARAMETERS = tuple(
    Parameter(name, default, f"{description} [s]", low, high, effect=Effect.READ_ONLY)
    for name, default, description, low, high in (
        ("check_period", 0.5, "Time between two looks at every node; while all are active, 2 s at least.", 0.05, 60.0),
        ("transition_timeout", 60.0, "How long a node may take to configure or activate.", 0.1, 3600.0),
        ("startup_timeout", 30.0, "A node that is not active after this is reported as an error.", 0.1, 3600.0),
        ("take_down_timeout", 3.0, "How long all nodes together may take to deactivate and clean up.", 0.1, 3600.0),
    )
)
AT_REST_S = 2.0
"""Between two looks while all nodes are active."""
QUIET_S = 1.0
"""How long nothing may happen before it is asked again whether all is over."""
LONGEST_WAIT_S = 0.2
STATE_TIMEOUT_S = 1.0
ANSWER_TIMEOUT_S = 2.0


class LifecycleManager(Node):
    """Parameters, the services `is_active` and `activate`, diagnostics, and the calls to the managed nodes."""

    def __init__(self) -> None:
        super().__init__("lifecycle_manager", start_parameter_services=False)
        SafeParameterService(self)
        names = self.declare_parameter(
            "node_names",
            RosParameter.Type.STRING_ARRAY,
            ParameterDescriptor(
                type=ParameterType.PARAMETER_STRING_ARRAY,
                description=f"Nodes to activate, in this order; taken down in reverse. {Effect.READ_ONLY.value}",
                read_only=True,
            ),
        )
        self.node_names: list[str] = list(names.value or [])
        self._declared = DeclaredParameters(self, PARAMETERS)
        self.period: float = self._declared.value("check_period")
        self.transition_timeout: float = self._declared.value("transition_timeout")
        self.startup_timeout: float = self._declared.value("startup_timeout")
        self.take_down_timeout: float = self._declared.value("take_down_timeout")
        self._group = ReentrantCallbackGroup()
        self._lifecycle_clients: dict[str, tuple[Client, Client]] = {
            name: (
                self.create_client(GetState, f"{name}/get_state", callback_group=self._group),
                self.create_client(ChangeState, f"{name}/change_state", callback_group=self._group),
            )
            for name in self.node_names
        }
        self._told_by_others: deque[tuple[str, Transition]] = deque()
        for name in self.node_names:
            self.create_subscription(
                TransitionEvent, f"{name}/transition_event", self._listener(name), 10, callback_group=self._group
            )
        self._over: Callable[[], bool] = lambda: False
        """Whether nothing is to be waited for any longer."""
        self._give_back = False
        self._diagnostics = DiagnosticsPublisher(self)
        # One at a time waits for a round: a few at once would hold all threads, and the round waits for one, too.
        self.create_service(
            Trigger, "~/is_active", self._answer_is_active, callback_group=MutuallyExclusiveCallbackGroup()
        )
        self.create_service(Trigger, "~/activate", self._answer_activate, callback_group=self._group)
        self._hurry = threading.Event()
        """Somebody waits for the next round."""
        self._round_done = threading.Condition()
        self._rounds_begun = 0
        unseen = [NodeReport(name, State.UNREACHABLE, "not looked at yet") for name in self.node_names]
        self._reports_of_round = (0, unseen)

    def run(self, stopping: Callable[[], bool]) -> None:
        """Look after the nodes until `stopping`, which is asked often, says so, then take them down."""
        self._over = stopping
        sequencer = Sequencer(self.node_names, self)
        inactive_since: dict[str, float] = {}
        known: dict[str, NodeReport] = {}
        while not stopping():
            self._hurry.clear()
            with self._round_done:
                self._rounds_begun += 1
                number = self._rounds_begun
            while self._told_by_others:
                sequencer.leave(*self._told_by_others.popleft())
            if self._give_back:
                self._give_back = False
                sequencer.give_back()
            reports = sequencer.bring_up(stopping=stopping)
            if stopping():  # what did not come about any more is no failure
                break
            with self._round_done:
                self._reports_of_round = (number, reports)
                self._round_done.notify_all()
            now = time.monotonic()
            late = set()
            for report in reports:
                self._log_change(known.get(report.node), report)
                known[report.node] = report
                if report.state is State.ACTIVE:
                    inactive_since.pop(report.node, None)
                elif now - inactive_since.setdefault(report.node, now) > self.startup_timeout:
                    late.add(report.node)
            self._publish(reports, late)
            at_rest = all(report.state is State.ACTIVE for report in reports)
            until = now + (max(self.period, AT_REST_S) if at_rest else self.period)
            while not stopping() and (left := until - time.monotonic()) > 0.0:
                if self._hurry.wait(min(left, LONGEST_WAIT_S)):
                    break
        deadline = time.monotonic() + self.take_down_timeout
        self._over = lambda: time.monotonic() > deadline
        sequencer.take_down()

    def state(self, node: str) -> State:
        """See LifecycleCalls."""
        client, _ = self._lifecycle_clients[node]
        if not client.service_is_ready():
            return State.UNREACHABLE
        response = self._answer(client, client.call_async(GetState.Request()), STATE_TIMEOUT_S)
        if response is None:
            return State.UNREACHABLE
        return PRIMARY_STATES.get(response.current_state.id, State.IN_TRANSITION)

    def change(self, node: str, transition: Transition) -> bool:
        """See LifecycleCalls. Looks at the node's state meanwhile: the request or the answer may have been lost."""
        _, client = self._lifecycle_clients[node]
        if not client.service_is_ready():
            return False
        before = self.state(node)
        request = ChangeState.Request(transition=TransitionMsg(id=TRANSITIONS[transition]))
        future = client.call_async(request)
        deadline = time.monotonic() + self.transition_timeout
        while not self._over() and time.monotonic() < deadline and client.service_is_ready():
            response = self._answer(client, future, STATE_TIMEOUT_S, keep=True)
            if response is not None:
                return bool(response.success)
            # A node that is busy with the transition does not answer, or says that it is in transition. One that is
            # where it should be made it; one that is where it was has not got the request, or was restarted.
            state = self.state(node)
            if future.done():
                continue
            if state in (before, RESULTS[transition]):
                client.remove_pending_request(future)
                return state is RESULTS[transition]
        client.remove_pending_request(future)
        return False

    def _answer(self, client: Client, future: Future, timeout: float, *, keep: bool = False) -> Any:
        """Return what is answered; None where nothing is within `timeout` seconds, or the node goes meanwhile."""
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        deadline = time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0.0 and client.service_is_ready() and not self._over():
            if done.wait(min(left, LONGEST_WAIT_S)):
                return future.result()
        if not keep:
            client.remove_pending_request(future)
        return None

    def _listener(self, node: str) -> Callable[[TransitionEvent], None]:
        def listen(event: TransitionEvent) -> None:
            if event.goal_state.id in GOING_DOWN:
                self._told_by_others.append((node, GOING_DOWN[event.goal_state.id]))
                self._hurry.set()

        return listen

    def _answer_activate(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Have the next round look after all nodes again, and say which had been left alone or given up."""
        with self._round_done:
            _, reports = self._reports_of_round
        waiting = [report for report in reports if report.left or report.given_up]
        self._give_back = True
        self._hurry.set()
        response.success = True
        response.message = "; ".join(
            f"{report.node} {PROBLEMS[State.FINALIZED]}"
            if report.state is State.FINALIZED
            else f"{report.node} is activated again"
            for report in waiting
        )
        response.message = response.message or "all nodes are looked after already"
        return response

    def _answer_is_active(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Say whether every node is active, from a look that began after the question."""
        with self._round_done:
            asked = self._rounds_begun
            self._hurry.set()
            self._round_done.wait_for(lambda: self._reports_of_round[0] > asked, timeout=ANSWER_TIMEOUT_S)
            number, reports = self._reports_of_round
        waiting = [f"{report.node} {report.problem}" for report in reports if report.state is not State.ACTIVE]
        response.success = number > asked and not waiting and len(reports) == len(self.node_names)
        response.message = "; ".join(waiting) or ("all nodes are active" if response.success else "still looking")
        return response

    def _log_change(self, before: NodeReport | None, report: NodeReport) -> None:
        if before is not None and before.state is report.state and before.problem == report.problem:
            return
        log = self.get_logger()
        service = f"or the service {self.resolve_service_name('~/activate')}"
        told = report.problem.replace(GIVE_BACK, f"{GIVE_BACK} {service}")
        if report.state is State.ACTIVE:
            log.info(f"{report.node} is active")
        elif report.given_up:
            log.error(f"{report.node} {told}")
        elif report.left:
            log.warning(f"{report.node} {told}")
        elif before is not None and before.state is State.ACTIVE:
            log.warning(f"{report.node} was active and {report.problem}; activating it again")
        elif "could not" in report.problem:
            log.error(f"{report.node} {report.problem}; trying again")

    def _publish(self, reports: list[NodeReport], late: set[str]) -> None:
        def diagnosis(report: NodeReport) -> Diagnosis:
            wrong = report.given_up or (report.node in late and not report.left)
            level = OK if report.state is State.ACTIVE else ERROR if wrong else WARN
            values = {"state": report.state.name.lower()}
            return Diagnosis(report.node, report.problem or "active", level, values)

        self._diagnostics.publish(diagnosis(report) for report in reports)


def main() -> None:
    """Run the node until SIGINT or SIGTERM, then take the managed nodes down."""
    leave_shared_memory()
    # rclpy's own handler would end the context at once, and with it the calls that take the nodes down.
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    signals = noted_signals()
    node = LifecycleManager()
    executor = PatientExecutor(num_threads=4)
    executor.add_node(node)
    closed, deaf = threading.Event(), threading.Event()
    thread = threading.Thread(target=_spin, args=(executor, closed, deaf), name="executor")
    thread.start()
    try:
        node.run(lambda: bool(signals) or deaf.is_set())
    finally:
        closed.set()
        executor.wake()
        thread.join()
        executor.shutdown(timeout_sec=2.0)
        node.destroy_node()
        rclpy.try_shutdown()


def _spin(executor: PatientExecutor, closed: threading.Event, deaf: threading.Event) -> None:
    try:
        # Not spin(): rclpy's shutdown() can miss a thread that is about to wait, which then waits for ever.
        while not closed.is_set():
            executor.spin_once(timeout_sec=QUIET_S)
    finally:
        # Without callbacks the node is deaf: end, so that it is restarted.
        deaf.set()


if __name__ == "__main__":
    main()
