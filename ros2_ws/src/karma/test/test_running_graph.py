# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Supervision and life cycle of real processes, with stand-ins for the nodes."""

import contextlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.client import IncompleteRead
from pathlib import Path

import pytest

pytest.importorskip("rclpy")

from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from process_table import runs
from std_srvs.srv import Trigger
from supervisor.xmlrpc import SupervisorTransport

from karma.graph import NodeDescription
from karma.supervision import RunningGraph, silence
from karma.supervision.configuration import ConfigurationError
from karma.supervision.silence import Silence
from karma_ros import MANAGER
from karma_ros.client import GraphClient, GraphError
from karma_ros.domain import DomainInUseError, claim_domain

pytestmark = pytest.mark.ros

ACTIVE_S = 180.0
"""Seconds after which a graph that is not active will not be: long, so that a busy machine changes nothing."""

REACHED = {
    Transition.TRANSITION_DEACTIVATE: State.PRIMARY_STATE_INACTIVE,
    Transition.TRANSITION_CLEANUP: State.PRIMARY_STATE_UNCONFIGURED,
    Transition.TRANSITION_ACTIVE_SHUTDOWN: State.PRIMARY_STATE_FINALIZED,
}
"""The state to which a transition leads."""

STAND_IN = Path(__file__).with_name("stand_in_node.py")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An installed package with the stand-in, and a lifecycle manager that makes no pauses."""
    prefix = tmp_path / "prefix"
    for folder in ("share/ament_index/resource_index/packages", "lib/stand_in"):
        (prefix / folder).mkdir(parents=True)
    (prefix / "share/ament_index/resource_index/packages/stand_in").touch()
    impatient = "from karma import lifecycle, lifecycle_manager_node as node; lifecycle.FIRST_PAUSE_S = 0; node.main()"
    for name, arguments in {"node": str(STAND_IN), "impatient_manager": f"-c '{impatient}'"}.items():
        executable = prefix / "lib/stand_in" / name
        executable.write_text(f'#!/bin/sh\nexec {sys.executable} {arguments} "$@"\n')
        executable.chmod(0o755)
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{prefix}:{os.environ['AMENT_PREFIX_PATH']}")
    return "stand_in"


def described(package: str, **behaviours: str) -> list[NodeDescription]:
    nodes = [
        NodeDescription(name=name, package=package, executable="node", parameters={"behaviour": behaviour})
        for name, behaviour in behaviours.items()
    ]
    manager = NodeDescription(
        name=MANAGER,
        package="karma",
        executable="lifecycle_manager",
        parameters={"node_names": list(behaviours), "check_period": 0.1},
    )
    return [*nodes, manager]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[[list[NodeDescription]], RunningGraph]]:
    """Start graphs in domains of their own and take them down after the test."""
    with contextlib.ExitStack() as stack:

        def start(nodes: list[NodeDescription]) -> RunningGraph:
            domain = stack.enter_context(claim_domain(None))
            graph = RunningGraph(nodes, domain_id=domain, namespace="", log_folder=tmp_path / "log")
            stack.callback(graph.stop)
            graph.start()
            return graph

        yield start


def alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if runs(pid)]


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def the_child_of(pid: int) -> int:
    """Return the process that one runs which leaves it time to end."""
    (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(child)


def eventually(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


def test_all_nodes_become_active_and_none_is_left_after_stop(package, started) -> None:
    graph = started(described(package, first="good", second="good"))
    graph.wait_active(ACTIVE_S)
    pids = graph.pids
    assert set(pids) == {"first", "second", MANAGER}
    graph.stop()
    assert alive(list(pids.values())) == []


def test_whoever_asks_at_a_time_is_told_that_all_nodes_are_active(package, started) -> None:
    graph = started(described(package, first="good"))
    graph.wait_active(ACTIVE_S)
    with GraphClient(domain_id=graph.domain_id) as client:
        name = f"{MANAGER}/is_active"
        assert client.call(Trigger, name, Trigger.Request(), timeout=ACTIVE_S).success
        asked = [client.service(Trigger, name).call_async(Trigger.Request()) for _ in range(8)]
        assert eventually(lambda: all(future.done() for future in asked), ACTIVE_S)
        assert [future.result().message for future in asked] == ["all nodes are active"] * 8


def test_killed_node_is_restarted_though_the_disk_of_the_logs_is_full(package, started) -> None:
    graph = started(described(package, first="good"))
    graph.wait_active(ACTIVE_S)
    before, supervisor = graph.pids["first"], parent_of(graph.pids["first"])
    _, hard = resource.prlimit(supervisor, resource.RLIMIT_FSIZE)
    resource.prlimit(supervisor, resource.RLIMIT_FSIZE, (0, hard))  # what it writes to a file fails
    os.kill(before, signal.SIGKILL)
    assert eventually(lambda: graph.pids.get("first", before) != before)


def test_killed_node_is_restarted_and_active_again(package, started) -> None:
    graph = started(described(package, first="good", second="good"))
    graph.wait_active(ACTIVE_S)
    before = graph.pids["second"]
    os.kill(before, signal.SIGKILL)
    assert eventually(lambda: graph.pids.get("second", before) != before)
    graph.wait_active(ACTIVE_S)
    assert graph.failed == []


def test_killed_lifecycle_manager_takes_up_its_work_again(package, started) -> None:
    graph = started(described(package, first="good"))
    graph.wait_active(ACTIVE_S)
    before = graph.pids[MANAGER]
    os.kill(before, signal.SIGKILL)
    assert eventually(lambda: graph.pids.get(MANAGER, before) != before)
    graph.wait_active(ACTIVE_S)


def test_node_that_refuses_to_configure_is_named(package, started) -> None:
    graph = started(described(package, first="refuses", second="good"))
    with pytest.raises(GraphError, match="first could not configure"):
        graph.wait_active(ACTIVE_S)


def test_a_node_that_hangs_is_told_and_what_drives_a_robot_is_killed_and_active_again(
    package, started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(silence, "SILENT_S", 0.0)
    bridge, *others = described(package, bridge="good", other="good")
    graph = started([replace(bridge, ending=1, moves_robot=True), *others])
    graph.wait_active(ACTIVE_S)
    before = graph.pids
    with Silence(graph) as silent:
        news: list[str] = []

        def told(*words: str) -> bool:
            news.extend(silent.look())
            return any(all(word in text for word in words) for text in news)

        os.kill(the_child_of(before["bridge"]), signal.SIGSTOP)
        assert eventually(lambda: told("bridge did not answer", "was killed"))
        assert eventually(lambda: graph.pids.get("bridge", before["bridge"]) != before["bridge"])
        graph.wait_active(ACTIVE_S)
        os.kill(before["other"], signal.SIGSTOP)
        assert eventually(lambda: told("other has not answered"))
        os.kill(before["other"], signal.SIGCONT)
        assert eventually(lambda: told("other answers again"))
        assert graph.pids["other"] == before["other"]


def told(graph: RunningGraph, node: str, *transitions: int) -> None:
    """Tell a node what somebody with `ros2 lifecycle set` would.

    The client asks again where an answer is lost, and a node refuses what it has done: its state tells.
    """
    with GraphClient(name="somebody", domain_id=graph.domain_id) as client:
        for transition in transitions:
            request = ChangeState.Request(transition=Transition(id=transition))
            done = client.call(ChangeState, f"{node}/change_state", request).success
            state = client.call(GetState, f"{node}/get_state", GetState.Request()).current_state
            assert done or state.id == REACHED[transition], state.label


def given_back(graph: RunningGraph) -> str:
    """Give all nodes back, and return what the lifecycle manager says."""
    with GraphClient(name="somebody", domain_id=graph.domain_id) as client:
        return str(client.call(Trigger, f"{MANAGER}/activate", Trigger.Request()).message)


def test_what_somebody_deactivates_or_cleans_up_stays_so_until_it_is_given_back(package, started) -> None:
    graph = started(described(package, first="good", second="good"))
    graph.wait_active(ACTIVE_S)
    told(graph, "first", Transition.TRANSITION_DEACTIVATE)
    told(graph, "second", Transition.TRANSITION_DEACTIVATE, Transition.TRANSITION_CLEANUP)
    with Silence(graph) as silent:
        news: list[str] = []
        assert eventually(lambda: bool(news.extend(silent.look()) or len(news) >= 2))
    assert any("first was deactivated by hand" in text for text in news), news
    assert any("second was cleaned up by hand" in text for text in news), news
    os.kill(graph.pids["second"], signal.SIGKILL)  # its next process is left alone, too
    for _ in range(5):
        assert "first was deactivated by hand" in graph.wait_active(ACTIVE_S)
    assert given_back(graph) == "first is activated again; second is activated again"
    assert eventually(lambda: graph.wait_active(ACTIVE_S) == "")
    assert given_back(graph) == "all nodes are looked after already"


def test_what_somebody_shuts_down_comes_back_when_it_is_given_back(package, started) -> None:
    graph = started(described(package, first="good", second="good"))
    graph.wait_active(ACTIVE_S)
    pids = graph.pids
    told(graph, "first", Transition.TRANSITION_ACTIVE_SHUTDOWN)
    with Silence(graph) as silent:
        news: list[str] = []

        def heard(text: str) -> bool:
            news.extend(silent.look())
            return any(text in line for line in news)

        assert eventually(lambda: heard("first was shut down by hand"))
        assert graph.pids == pids
        assert given_back(graph) == "first has shut down: end its process, and it is started again"
        assert eventually(lambda: heard("first had shut down: its process is started again"))
        assert eventually(lambda: graph.wait_active(ACTIVE_S) == "")
    assert graph.pids["second"] == pids["second"]


def test_a_node_that_is_given_up_later_is_told_once_with_what_to_do(package, started) -> None:
    *nodes, manager = described(package, first="tires")
    graph = started([*nodes, replace(manager, package=package, executable="impatient_manager")])
    graph.wait_active(ACTIVE_S)
    told(graph, "first", Transition.TRANSITION_DEACTIVATE, Transition.TRANSITION_CLEANUP)
    given_up = "first could not configure: see its log, given up after 8 times: ./karma activate tries again"
    with Silence(graph) as silent:
        news: list[str] = []

        def heard(text: str) -> bool:
            news.extend(silent.look())
            return any(text in line for line in news)

        assert eventually(lambda: heard("first was cleaned up by hand"))
        assert given_back(graph) == "first is activated again"
        assert eventually(lambda: heard(given_up)), news
        reported = silent._reported
        assert eventually(lambda: heard(given_up) and silent._reported != reported)
        assert news.count(given_up) == 1, news


@pytest.mark.slow
def test_node_that_keeps_dying_is_given_up_with_its_log(package, started) -> None:
    graph = started(described(package, first="dies"))
    with pytest.raises(GraphError, match="first died again and again"):
        graph.wait_active(ACTIVE_S)


@pytest.mark.slow
def test_a_supervisor_that_is_killed_in_the_middle_of_an_answer_has_ended(package, started, monkeypatch) -> None:
    graph = started(described(package, only="good"))
    supervisor = parent_of(graph.pids["only"])

    def half_an_answer(*_: object, **__: object) -> None:
        os.kill(supervisor, signal.SIGKILL)
        raise IncompleteRead(b"<methodResponse>", 4781)

    monkeypatch.setattr(SupervisorTransport, "request", half_an_answer)
    with pytest.raises(GraphError, match="the supervisor of the graph has ended"):
        graph.check()


def test_the_graph_goes_on_without_a_spare_node_that_keeps_dying(package, started) -> None:
    spare = NodeDescription(
        name="spare", package=package, executable="node", parameters={"behaviour": "dies"}, spare=True
    )
    graph = started([*described(package, first="good"), spare])
    graph.wait_active(ACTIVE_S)
    assert eventually(lambda: graph.failed == ["spare"])
    graph.check()
    graph.wait_active(ACTIVE_S)


def test_missing_package_is_named_before_anything_starts(started) -> None:
    with pytest.raises(ConfigurationError, match="not_there"):
        started([NodeDescription(name="x", package="not_there", executable="node")])


def test_processes_end_with_the_command_even_when_it_is_killed(package, tmp_path: Path) -> None:
    script = f"""
import time
from pathlib import Path
from karma.graph import NodeDescription
from karma.supervision import RunningGraph
from karma_ros.domain import claim_domain
nodes = [NodeDescription(name=name, package="stand_in", executable="node") for name in ("first", "second")]
with claim_domain(None) as domain:
    graph = RunningGraph(nodes, domain_id=domain, namespace="", log_folder=Path({str(tmp_path / "log")!r}))
    graph.start()
    while len(graph.pids) < 2:
        time.sleep(0.1)
    print(graph._supervisor.pid, *graph.pids.values(), flush=True)
    time.sleep(600)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    pids = [int(pid) for pid in process.stdout.readline().split()]
    assert len(pids) == 3
    process.kill()
    process.wait()
    assert eventually(lambda: alive(pids) == []), alive(pids)


def test_second_graph_in_the_same_domain_is_refused_until_the_first_ends() -> None:
    with claim_domain(None) as domain, claim_domain(domain, "robot2") as second:
        assert second == domain
        with pytest.raises(DomainInUseError, match=f"already running in domain {domain}"), claim_domain(domain):
            pass
    with claim_domain(domain) as again:
        assert again == domain


def test_private_domains_differ() -> None:
    with claim_domain(None) as first, claim_domain(None) as second:
        assert first != second
