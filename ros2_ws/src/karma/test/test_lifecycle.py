# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import itertools
import math

from karma.lifecycle import ATTEMPTS, LONGEST_PAUSE_S, NodeReport, Sequencer, State, Transition

AFTER = {
    Transition.CONFIGURE: State.INACTIVE,
    Transition.ACTIVATE: State.ACTIVE,
    Transition.DEACTIVATE: State.INACTIVE,
    Transition.CLEANUP: State.UNCONFIGURED,
}


class Nodes:
    """Lifecycle nodes in memory; those in `refuse` fail every transition."""

    def __init__(self, states: dict[str, State], refuse: tuple[str, ...] = ()) -> None:
        self.states = states
        self.refuse = refuse
        self.calls: list[tuple[str, Transition]] = []

    def state(self, node: str) -> State:
        return self.states[node]

    def change(self, node: str, transition: Transition) -> bool:
        self.calls.append((node, transition))
        if node in self.refuse:
            return False
        self.states[node] = AFTER[transition]
        return True


def test_nodes_are_activated_one_after_the_other() -> None:
    nodes = Nodes({"a": State.UNCONFIGURED, "b": State.UNCONFIGURED})
    reports = Sequencer(["a", "b"], nodes).bring_up()
    assert nodes.calls == [
        ("a", Transition.CONFIGURE),
        ("a", Transition.ACTIVATE),
        ("b", Transition.CONFIGURE),
        ("b", Transition.ACTIVATE),
    ]
    assert reports == [NodeReport("a", State.ACTIVE), NodeReport("b", State.ACTIVE)]


def test_node_waits_for_the_one_before_it() -> None:
    nodes = Nodes({"a": State.UNREACHABLE, "b": State.UNCONFIGURED})
    reports = Sequencer(["a", "b"], nodes).bring_up()
    assert nodes.calls == []
    assert [report.problem for report in reports] == ["does not answer: not started yet, or hanging", "waits for a"]


def test_restarted_node_is_brought_back_while_later_ones_stay_active() -> None:
    nodes = Nodes({"a": State.UNCONFIGURED, "b": State.ACTIVE})
    reports = Sequencer(["a", "b"], nodes).bring_up()
    assert nodes.calls == [("a", Transition.CONFIGURE), ("a", Transition.ACTIVATE)]
    assert all(report.state is State.ACTIVE for report in reports)


def test_failed_transition_is_reported_and_stops_the_rest() -> None:
    nodes = Nodes({"a": State.UNCONFIGURED, "b": State.UNCONFIGURED}, refuse=("a",))
    reports = Sequencer(["a", "b"], nodes).bring_up()
    assert reports[0].problem == "could not configure: see its log"
    assert nodes.states["b"] is State.UNCONFIGURED


def test_inactive_node_is_only_activated() -> None:
    nodes = Nodes({"a": State.INACTIVE})
    Sequencer(["a"], nodes).bring_up()
    assert nodes.calls == [("a", Transition.ACTIVATE)]


def test_what_somebody_deactivates_stays_so_until_it_is_given_back() -> None:
    nodes = Nodes({"a": State.UNCONFIGURED, "b": State.UNCONFIGURED})
    sequencer = Sequencer(["a", "b"], nodes)
    sequencer.bring_up()
    nodes.calls.clear()
    nodes.states["a"] = State.INACTIVE
    for _ in range(3):
        left, other = sequencer.bring_up()
        assert (left.state, left.left, other.state) == (State.INACTIVE, True, State.ACTIVE)
        assert left.problem == "was deactivated by hand: ./karma activate activates it again"
    nodes.states["a"] = State.UNCONFIGURED  # cleaned up, or its process died and was started again
    assert sequencer.bring_up()[0].left
    assert nodes.calls == []
    sequencer.give_back()
    assert [report.state for report in sequencer.bring_up()] == [State.ACTIVE, State.ACTIVE]


def test_what_somebody_activates_again_is_looked_after_again() -> None:
    nodes = Nodes({"a": State.UNCONFIGURED})
    sequencer = Sequencer(["a"], nodes)
    sequencer.bring_up()
    nodes.states["a"] = State.INACTIVE
    assert sequencer.bring_up()[0].left
    nodes.states["a"] = State.ACTIVE
    assert sequencer.bring_up() == [NodeReport("a", State.ACTIVE)]
    nodes.states["a"] = State.UNCONFIGURED  # its process died
    assert sequencer.bring_up() == [NodeReport("a", State.ACTIVE)]


def test_what_was_told_between_two_looks_is_respected_though_the_state_says_nothing() -> None:
    """Deactivated and cleaned up within half a second, a node is as one that was started again."""
    nodes = Nodes({"a": State.UNCONFIGURED})
    sequencer = Sequencer(["a"], nodes)
    sequencer.bring_up()
    nodes.states["a"] = State.UNCONFIGURED
    sequencer.leave("a", Transition.CLEANUP)
    assert sequencer.bring_up()[0].problem == "was cleaned up by hand: ./karma activate activates it again"


def test_what_waits_for_a_node_that_is_held_says_so() -> None:
    nodes = Nodes({"a": State.UNCONFIGURED, "b": State.UNCONFIGURED, "c": State.UNCONFIGURED})
    sequencer = Sequencer(["a", "b", "c"], nodes)
    sequencer.bring_up()
    nodes.states |= {"a": State.INACTIVE, "b": State.UNCONFIGURED, "c": State.UNCONFIGURED}
    _, *waiting = sequencer.bring_up()
    assert [report.problem for report in waiting] == ["waits for a, which was taken down by hand"] * 2


def test_a_node_that_was_shut_down_comes_back_with_a_new_process_when_it_is_given_back() -> None:
    nodes = Nodes({"a": State.UNCONFIGURED})
    sequencer = Sequencer(["a"], nodes)
    sequencer.bring_up()
    nodes.calls.clear()
    nodes.states["a"] = State.FINALIZED
    assert sequencer.bring_up()[0].problem == "was shut down by hand: ./karma activate activates it again"
    sequencer.give_back()
    (report,) = sequencer.bring_up()
    assert (report.problem, report.left) == ("has shut down: end its process, and it is started again", False)
    nodes.states["a"] = State.UNREACHABLE
    sequencer.bring_up()
    nodes.states["a"] = State.FINALIZED  # an answer that was late
    assert not sequencer.bring_up()[0].left
    assert nodes.calls == []
    nodes.states["a"] = State.UNCONFIGURED
    assert sequencer.bring_up() == [NodeReport("a", State.ACTIVE)]


def test_a_node_that_was_shut_down_and_started_again_is_left_unconfigured() -> None:
    nodes = Nodes({"a": State.UNCONFIGURED})
    sequencer = Sequencer(["a"], nodes)
    sequencer.bring_up()
    nodes.calls.clear()
    for nodes.states["a"] in (State.FINALIZED, State.UNREACHABLE, State.UNCONFIGURED):
        (report,) = sequencer.bring_up()
    assert (report.left, nodes.calls) == (True, [])


def test_what_refuses_is_asked_less_and_less_often_and_then_no_more() -> None:
    now = 0.0
    nodes = Nodes({"a": State.UNCONFIGURED}, refuse=("a",))
    sequencer = Sequencer(["a"], nodes, now=lambda: now)
    asked: list[float] = []
    problems: list[str] = []
    while now < 10 * ATTEMPTS * LONGEST_PAUSE_S:
        (report,) = sequencer.bring_up()
        asked += [now] * (len(nodes.calls) - len(asked))
        if report.problem not in problems:
            problems.append(report.problem)
        now += 0.5
    pauses = [after - before for before, after in itertools.pairwise(asked)]
    assert len(asked) == ATTEMPTS
    assert pauses == sorted(pauses)
    assert math.isclose(pauses[0], 1.0)
    assert math.isclose(pauses[-1], LONGEST_PAUSE_S)
    first, last = problems
    assert first == "could not configure: see its log"
    assert last == f"{first}, given up after {ATTEMPTS} times: ./karma activate tries again"
    assert report.given_up
    nodes.refuse = ()
    sequencer.give_back()
    assert sequencer.bring_up() == [NodeReport("a", State.ACTIVE)]


def test_a_node_that_was_started_again_is_asked_at_once_though_the_last_one_refused() -> None:
    nodes = Nodes({"a": State.UNCONFIGURED}, refuse=("a",))
    sequencer = Sequencer(["a"], nodes, now=lambda: 0.0)
    sequencer.bring_up()
    nodes.states["a"] = State.UNREACHABLE
    sequencer.bring_up()
    nodes.states["a"], nodes.refuse = State.UNCONFIGURED, ()
    assert sequencer.bring_up() == [NodeReport("a", State.ACTIVE)]


def test_take_down_goes_in_reverse_and_skips_what_does_not_answer() -> None:
    nodes = Nodes({"a": State.ACTIVE, "b": State.UNREACHABLE, "c": State.INACTIVE})
    Sequencer(["a", "b", "c"], nodes).take_down()
    assert nodes.calls == [("c", Transition.CLEANUP), ("a", Transition.DEACTIVATE), ("a", Transition.CLEANUP)]


def test_bring_up_stops_between_nodes_when_asked() -> None:
    nodes = Nodes({"a": State.UNCONFIGURED, "b": State.UNCONFIGURED})
    Sequencer(["a", "b"], nodes).bring_up(stopping=lambda: nodes.states["a"] is State.ACTIVE)
    assert nodes.states == {"a": State.ACTIVE, "b": State.UNCONFIGURED}
