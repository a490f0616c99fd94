# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from karma.lifecycle import NodeReport, Sequencer, State, Transition

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


def test_finalized_node_is_reported_and_left_alone() -> None:
    nodes = Nodes({"a": State.FINALIZED})
    (report,) = Sequencer(["a"], nodes).bring_up()
    assert nodes.calls == []
    assert report.problem == "has shut down and must be restarted"


def test_take_down_goes_in_reverse_and_skips_what_does_not_answer() -> None:
    nodes = Nodes({"a": State.ACTIVE, "b": State.UNREACHABLE, "c": State.INACTIVE})
    Sequencer(["a", "b", "c"], nodes).take_down()
    assert nodes.calls == [("c", Transition.CLEANUP), ("a", Transition.DEACTIVATE), ("a", Transition.CLEANUP)]


def test_bring_up_stops_between_nodes_when_asked() -> None:
    nodes = Nodes({"a": State.UNCONFIGURED, "b": State.UNCONFIGURED})
    Sequencer(["a", "b"], nodes).bring_up(stopping=lambda: nodes.states["a"] is State.ACTIVE)
    assert nodes.states == {"a": State.ACTIVE, "b": State.UNCONFIGURED}
