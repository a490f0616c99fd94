# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402 - without ROS the imports below can't be made; the test is skipped then
"""The memory server as a process of its own: services, scene graph in, kill and restart."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

rclpy = pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("karma_interfaces.srv", reason="karma_interfaces is not built")

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose
from journal_store import KINDS, Store
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.srv import SetParameters
from rclpy.clock import ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.time import Time as Moment
from survival import Survivor
from visualization_msgs.msg import Marker, MarkerArray

from karma_interfaces.msg import MemoryEvent, Result, SceneEdge, SceneGraph, SceneNode, SkillOutcome
from karma_interfaces.srv import (
    Ask,
    EditMemory,
    ExportMemory,
    Forget,
    ForgetUser,
    GetMemoryStats,
    GetSceneGraph,
    GetUserData,
    Recall,
    Remember,
    SetConsent,
    SnapshotMemory,
)
from karma_memory import JournalFullError, conversions
from karma_memory.journal import PortableFile
from karma_memory.memory_node import SNAPSHOT_EVENTS, MemoryNode

pytestmark = pytest.mark.ros

DOMAIN = int(os.environ.get("KARMA_TEST_DOMAIN_ID", 101 - os.getpid() % 100))
PACKAGE = Path(__file__).resolve().parents[1]
PATIENCE = 60.0
"""Seconds until a test gives up; it waits for what happens, not for this long."""

ASKED = (
    (Remember, "memory/remember"),
    (Recall, "memory/recall"),
    (EditMemory, "memory/edit"),
    (Forget, "memory/forget"),
    (GetMemoryStats, "memory/stats"),
    (GetSceneGraph, "memory/get_scene_graph"),
    (SnapshotMemory, "memory/snapshot"),
    (GetUserData, "memory/get_user_data"),
    (SetConsent, "memory/set_consent"),
    (ForgetUser, "memory/forget_user"),
)

REACHED = {
    Transition.TRANSITION_CONFIGURE: State.PRIMARY_STATE_INACTIVE,
    Transition.TRANSITION_ACTIVATE: State.PRIMARY_STATE_ACTIVE,
    Transition.TRANSITION_DEACTIVATE: State.PRIMARY_STATE_INACTIVE,
    Transition.TRANSITION_CLEANUP: State.PRIMARY_STATE_UNCONFIGURED,
}
"""The state in which each transition ends, when it succeeds."""


@pytest.fixture(scope="module", autouse=True)
def ros_domain():
    os.environ["ROS_DOMAIN_ID"] = str(DOMAIN)
    # ./karma test has set it, with a profile to go with it.
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    context = rclpy.Context()
    rclpy.init(context=context)
    yield context
    rclpy.shutdown(context=context)


@pytest.fixture
def client(ros_domain):
    client = Client(ros_domain)
    yield client
    client.close()


@pytest.fixture
def place(request, stores_of):
    """Where the server keeps its memory: a file, unless a test runs `on_every_store`."""
    return stores_of(getattr(request, "param", "sqlite")).new()


on_every_store = pytest.mark.parametrize("place", KINDS, indirect=True)


@pytest.fixture
def server(place, client):
    servers = []

    def start(**parameters) -> subprocess.Popen:
        process = start_server(place, **parameters)
        servers.append(process)
        client.bring_up()
        return process

    yield start
    for process in servers:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def start_server(store: Store, **parameters) -> subprocess.Popen:
    arguments = {"database": store.location, "folder": store.folder, "embedder": "lexical", **parameters}
    command = [sys.executable, "-m", "karma_memory.memory_node", "--ros-args"]
    for name, value in arguments.items():
        command += ["-p", f"{name}:={value}"]
    python_path = os.pathsep.join([str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": python_path})


class Client:
    """A node that asks the memory server, and plays perception."""

    def __init__(self, context):
        self.node = rclpy.create_node("memory_test_client", context=context)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.node)
        # Before that of the life cycle: a process discovers readers in the order in which they were made, and when the
        # server answers the last of these, it knows the others and drops no answer to them.
        self.clients = {name: self.node.create_client(kind, name) for kind, name in ASKED}
        qos = QoSProfile(depth=64, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.graph = self.node.create_publisher(SceneGraph, "scene_graph", qos)
        self.events = self.node.create_publisher(MemoryEvent, "memory/events", 10)

    def call(self, kind, name, **fields):
        """Call a service; again when an answer was lost.

        Fast DDS drops an answer to a client that the server has not matched within 0.1 s, as on a busy machine.
        """
        answer = self.try_call(kind, name, PATIENCE / 4, **fields) or self.try_call(kind, name, PATIENCE, **fields)
        assert answer is not None, f"{name} did not answer"
        return answer

    def try_call(self, kind, name, patience, **fields):
        if name not in self.clients:
            self.clients[name] = self.node.create_client(kind, name)
        client = self.clients[name]
        assert client.wait_for_service(PATIENCE), f"{name} is not offered"
        return self.answered(client, kind.Request(**fields), patience)

    def answered(self, client, request, patience):
        """Return the answer to a request, None when there is none in time."""
        future = client.call_async(request)
        self.executor.spin_until_future_complete(future, patience)
        return future.result() if future.done() else None

    def transition(self, transition):
        """Whether a transition succeeded; the state tells when the answer was lost."""
        changed = self.call(ChangeState, "memory_server/change_state", transition=Transition(id=transition)).success
        return changed or self.call(GetState, "memory_server/get_state").current_state.id == REACHED[transition]

    def bring_up(self):
        self.wait_until_there()
        assert self.transition(Transition.TRANSITION_CONFIGURE)
        assert self.transition(Transition.TRANSITION_ACTIVATE)

    def wait_until_there(self):
        # A request may still go to a server that was killed before: ask until the new one answers.
        self.eventually(
            lambda: self.try_call(GetState, "memory_server/get_state", 1.0),
            lambda answer: answer is not None and answer.current_state.id == State.PRIMARY_STATE_UNCONFIGURED,
        )

    def remember(self, *events):
        return self.call(Remember, "memory/remember", events=list(events))

    def recall(self, query, **fields):
        return self.call(Recall, "memory/recall", query=query, **fields)

    def eventually(self, question, accept):
        """Ask until the answer is accepted."""
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = question()
            if accept(answer):
                return answer
            assert time.monotonic() < deadline, f"still {answer}"
            self.executor.spin_once(0.05)

    def close(self):
        self.executor.remove_node(self.node)
        self.node.destroy_node()


class Load:
    """Calls of many kinds, several in flight at a time."""

    IN_FLIGHT = 6
    LOST = 2.0
    """Seconds after which a call is taken for lost and made again: it may have gone to a server that was killed."""

    def __init__(self, client, run, again):
        """`again`: what is to be remembered first."""
        self.acknowledged = {}
        self._client = client
        self._run = run
        self._again = list(again)
        self._number = 0
        self._calls = {}
        self._services = [
            client.node.create_client(kind, name)
            for kind, name in (
                (Remember, "memory/remember"),
                (Recall, "memory/recall"),
                (EditMemory, "memory/edit"),
                (SnapshotMemory, "memory/snapshot"),
            )
        ]
        assert all(service.wait_for_service(PATIENCE) for service in self._services)

    def until(self, enough):
        """Go on until so many events are acknowledged."""
        deadline = time.monotonic() + PATIENCE
        while len(self.acknowledged) < enough:
            assert time.monotonic() < deadline, f"{len(self.acknowledged)} events acknowledged"
            while len(self._calls) < self.IN_FLIGHT:
                self._call()
            self._client.executor.spin_once(0.05)
            self._collect()

    def end(self):
        """Return what was not acknowledged."""
        for service in self._services:
            self._client.node.destroy_client(service)
        return [events for _, _, events in self._calls.values()]

    def _call(self):
        remember, recall, edit, snapshot = self._services
        events = self._again.pop() if self._again else self._new()
        self._calls[remember.call_async(Remember.Request(events=events))] = time.monotonic(), remember, events
        recall.call_async(Recall.Request(query=f"statement {self._number} about an apple"))
        if self._number % 3 == 0:
            edit.call_async(EditMemory.Request(id=f"told:{events[0].id}", text="what it says now"))
        if self._number % 4 == 0:
            snapshot.call_async(SnapshotMemory.Request())

    def _new(self):
        self._number += 1
        name = f"{self._run}-{self._number}"
        statements = [told(f"statement {name} " * 20, id=f"{name}-{i}", stamp=Time(sec=1)) for i in range(3)]
        return [*statements, used(apple(x=float(self._number)), event_id=name)][self._number % 4 :]

    def _collect(self):
        for call, (since, service, events) in list(self._calls.items()):
            if call.done():
                del self._calls[call]
                answer = call.result()
                assert answer.result.code == Result.SUCCESS, answer.result.message
                self.acknowledged |= zip(answer.ids, answer.sequences, strict=True)
            elif time.monotonic() - since > self.LOST:
                del self._calls[call]
                service.remove_pending_request(call)
                self._again.append(events)


def apple(x=1.0, last_seen=10, **fields):
    return SceneNode(
        id="Apple|1",
        layer=SceneNode.OBJECT,
        category="Apple",
        pose=Pose(position=Point(x=x)),
        movable=True,
        confidence=1.0,
        last_seen=Time(sec=last_seen),
        **fields,
    )


def used(node, stamp=20, event_id=""):
    outcome = SkillOutcome()
    outcome.call.skill = "PutObject"
    outcome.result.code = Result.SUCCESS
    return MemoryEvent(
        id=event_id,
        kind=MemoryEvent.SKILL_OUTCOME,
        stamp=Time(sec=stamp),
        scene="home1",
        nodes=[node],
        outcome=[outcome],
    )


def told(text, user="ann", **fields):
    return MemoryEvent(kind=MemoryEvent.TOLD, text=text, user=user, **fields)


@on_every_store
def test_what_was_remembered_is_recalled_after_the_server_was_killed(server, client):
    process = server()
    receipt = client.remember(told("my keys hang by the door", id="t1"), used(apple()))
    assert receipt.result.code == Result.SUCCESS
    assert receipt.ids[0] == "t1"
    assert list(receipt.sequences) == [2, 4]  # 1 is the configuration, 3 the reading of the words
    before = client.recall("where are my keys and the apple", user="ann")
    process.kill()
    process.wait()

    server()
    after = client.recall("where are my keys and the apple", user="ann")
    assert {item.kind for item in before.recollections} == {"told", "profile", "short_term", "long_term"}
    assert after.recollections == before.recollections
    assert after.prompt == before.prompt


@pytest.mark.slow
@on_every_store
def test_a_server_killed_at_random_instants_loses_and_doubles_no_acknowledged_event(server, client, place):
    """With test_kill.py, 200 kills in all. Calls that get no answer are sent again, to the next server too."""
    rng = random.Random(1)
    survivor = Survivor(place)
    acknowledged: dict[str, int] = {}
    unanswered: list[list[MemoryEvent]] = []
    for run in range(4):
        process = server()
        load = Load(client, run, unanswered)
        load.until(rng.randint(5, 60))
        process.kill()
        process.wait()
        acknowledged |= load.acknowledged
        unanswered = load.end()
        survivor.check(acknowledged)


def test_scene_graph_deltas_become_long_term_memory_and_a_gap_is_closed_by_the_full_graph(server, client):
    server()
    room = SceneNode(id="r", layer=SceneNode.ROOM, category="Kitchen", name="kitchen 1", confidence=1.0)
    area = SceneNode(id="node_1", layer=SceneNode.AREA, category="Area", name="node_1", parent="r", confidence=1.0)
    other = SceneNode(id="node_2", layer=SceneNode.AREA, category="Area", name="node_2", parent="r", confidence=1.0)
    edge = SceneEdge(type=SceneEdge.REACHABLE, source="node_1", target="node_2", weight=2.0)

    def full(request, response):
        response.result.code = Result.SUCCESS
        response.graph = SceneGraph(
            scene="home1", sequence=3, full=True, nodes=[room, area, other, apple(x=2.0, last_seen=12)], edges=[edge]
        )
        return response

    client.node.create_service(GetSceneGraph, "scene_graph/get_full", full)
    client.graph.publish(SceneGraph(scene="home1", sequence=1, full=True, nodes=[room, area, apple(parent="node_1")]))
    found = client.eventually(lambda: client.recall("apple"), lambda answer: answer.recollections)
    assert found.recollections[0].object[0].pose.position.x == 1.0
    assert "{name: node_1, type: Area, contains: [Apple]" in found.prompt

    client.graph.publish(SceneGraph(scene="home1", sequence=3, nodes=[apple(x=2.0, last_seen=12)]))
    graph = client.eventually(
        lambda: client.call(GetSceneGraph, "memory/get_scene_graph").graph, lambda graph: len(graph.nodes) == 4
    )
    assert {node.id: node.pose.position.x for node in graph.nodes}["Apple|1"] == 2.0
    assert [(e.source, e.target) for e in graph.edges if e.type == SceneEdge.REACHABLE] == [("node_1", "node_2")]


def test_what_an_answer_rests_on_is_lit_in_rviz_and_nothing_of_the_past(server, client):
    server()
    client.graph.publish(SceneGraph(scene="home1", sequence=1, full=True, nodes=[apple(x=1.5)]))
    client.eventually(lambda: client.recall("apple"), lambda answer: answer.recollections)
    heard = []
    client.node.create_subscription(MarkerArray, "memory/answer_markers", heard.append, 10)

    def ask_until_lit(things, at):
        client.eventually(
            lambda: client.call(Ask, "memory/ask", question="where is the apple?", at=at),
            lambda _: (
                heard and [one.pose.position.x for one in heard[-1].markers if one.type == Marker.SPHERE] == things
            ),
        )

    ask_until_lit([1.5], at=Time())
    ask_until_lit([], at=Time(sec=11))


def test_the_graphs_of_other_robots_are_remembered_too_and_their_gaps_are_closed_by_themselves(server, client):
    asked = []

    def full(request, response):
        asked.append(request)
        response.result.code = Result.SUCCESS
        response.graph = SceneGraph(scene="shed", sequence=7, full=True, nodes=[apple(x=3.0)])
        return response

    client.node.create_service(GetSceneGraph, "/robots/robot2/scene_graph/get_full", full)
    graph = client.node.create_publisher(SceneGraph, "/robots/robot2/scene_graph", client.graph.qos_profile)
    server(robots="/robots/robot2/")
    client.graph.publish(SceneGraph(scene="home1", sequence=1, full=True, nodes=[apple(x=1.0)]))
    client.eventually(graph.get_subscription_count, bool)
    graph.publish(SceneGraph(scene="shed", sequence=5, full=True, nodes=[apple(x=2.0)]))
    graph.publish(SceneGraph(scene="shed", sequence=7, nodes=[apple(x=3.0)]))
    for scene, x in (("home1", 1.0), ("shed", 3.0)):
        client.eventually(
            lambda scene=scene: [
                r.object[0].pose.position.x for r in client.recall("apple", scene=scene).recollections
            ],
            lambda places, x=x: places == [x],
        )
    assert asked


def test_a_robot_that_has_no_ros_name_is_refused_when_configured(server, client):
    with pytest.raises(AssertionError):
        server(robots="robot2 robot3")


def test_a_stale_delta_of_another_scene_is_answered_by_one_request_for_the_full_graph(server, client):
    asked = []

    def full(request, response):
        asked.append(time.monotonic())
        response.result.code = Result.SUCCESS
        response.graph = SceneGraph(scene="home2", sequence=3, full=True, nodes=[apple()])
        return response

    client.node.create_service(GetSceneGraph, "scene_graph/get_full", full)
    server()
    client.graph.publish(SceneGraph(scene="home1", sequence=51, nodes=[apple()]))
    client.eventually(lambda: client.recall("apple"), lambda answer: answer.recollections)
    answered = len(asked)  # more than one where an answer was lost
    client.eventually(lambda: time.monotonic() - asked[-1], lambda seconds: seconds > 2.5)
    assert len(asked) == answered


def test_a_malformed_scene_graph_is_refused_and_the_next_one_remembered(server, client):
    process = server()
    early = SceneGraph(scene="home1", sequence=1, nodes=[apple()])
    early.header.stamp.sec = -1
    for odd in (
        SceneGraph(scene="home1", sequence=1, nodes=[apple(), apple()]),
        SceneGraph(scene="a\nb", sequence=1, nodes=[apple()]),
        SceneGraph(scene="home1", sequence=1, removed_nodes=[""]),
        early,
        SceneGraph(scene="home1", sequence=1, nodes=[apple()]),
    ):
        client.graph.publish(odd)
    client.eventually(lambda: client.recall("apple"), lambda answer: answer.recollections)
    assert process.poll() is None


def test_events_on_the_topic_are_remembered(server, client):
    server()
    client.eventually(lambda: client.events.get_subscription_count(), lambda count: count > 0)
    client.events.publish(told("the window is broken", user=""))
    found = client.eventually(lambda: client.recall("window"), lambda answer: answer.recollections)
    assert found.recollections[0].text == "the window is broken"


@on_every_store
def test_a_statement_can_be_edited_and_forgotten_and_the_past_still_knows_it(server, client):
    server()
    client.remember(told("tea is in the drawer", id="t1", stamp=Time(sec=100)))
    edited = client.call(EditMemory, "memory/edit", id="told:t1", text="tea is in the cabinet", user="ann")
    assert edited.result.code == Result.SUCCESS
    assert [item.text for item in client.recall("tea", user="ann").recollections] == ["tea is in the cabinet"]
    assert not client.recall("tea", user="ann", since=Time(sec=2**31 - 1)).recollections
    assert client.recall("tea", user="ann", since=Time(sec=1), until=Time(sec=2**31 - 1)).recollections
    past = client.recall("tea", user="ann", at=Time(sec=150))
    assert [item.text for item in past.recollections] == ["tea is in the drawer"]
    assert client.call(Forget, "memory/forget", user="ann").forgotten == 2  # the words, and the fact made of them
    assert not client.recall("tea", user="ann").recollections
    assert client.call(Forget, "memory/forget").result.code == Result.INVALID_ARGUMENT


def test_a_user_is_shown_and_erased_while_others_go_on_and_says_what_may_be_kept(server, client, place):
    process = server()
    client.remember(told("quinces are hers", id="t1", user="annabella"), told("bob likes coffee", id="t2", user="bob"))
    client.call(SnapshotMemory, "memory/snapshot")
    shown = client.call(GetUserData, "memory/get_user_data", user="annabella", pictures=True)
    assert "quinces are hers" in shown.data
    assert "coffee" not in shown.data
    erased = client.call(ForgetUser, "memory/forget_user", user="annabella")
    assert (erased.result.code, erased.events, erased.mentions) == (Result.SUCCESS, 2, 0)  # the words, their reading
    assert [item.text for item in client.recall("quinces and coffee", user="annabella").recollections] == []
    assert [item.text for item in client.recall("coffee", user="bob").recollections] == ["bob likes coffee"]
    files = [path.read_bytes() for path in place.folder.rglob("*") if path.is_file()]
    assert not [data for data in files if b"annabella" in data or b"quinces" in data]

    agreed = client.call(SetConsent, "memory/set_consent", user="bob", keep=False)
    assert agreed.result.code == Result.SUCCESS
    assert list(client.remember(told("bob likes tea", user="bob")).sequences) == [0]
    for kind, name in ((GetUserData, "get_user_data"), (SetConsent, "set_consent"), (ForgetUser, "forget_user")):
        assert client.call(kind, f"memory/{name}", user="").result.code == Result.INVALID_ARGUMENT
    agreed = client.call(SetConsent, "memory/set_consent", user="bob", keep=True, retention=1e-3)
    assert agreed.result.code == Result.SUCCESS
    process.kill()
    process.wait()
    server()  # which looks for what is too old
    assert not client.recall("coffee", user="bob").recollections


def test_a_malformed_event_is_refused_as_a_whole(server, client):
    server()
    answer = client.remember(told("fine"), used(apple(x=float("nan"))))
    assert answer.result.code == Result.INVALID_ARGUMENT
    assert "finite" in answer.result.message
    assert client.call(GetMemoryStats, "memory/stats").stats.events == 1


@on_every_store
def test_each_of_two_hundred_calls_at_the_same_time_is_answered(server, client):
    server()
    many = QoSProfile(depth=200)
    for kind, name, request in (
        (Remember, "memory/remember", lambda i: Remember.Request(events=[told("x", id=f"t{i}")])),
        (Recall, "memory/recall", lambda i: Recall.Request(query="x")),
    ):
        service = client.node.create_client(kind, name, qos_profile=many)
        assert service.wait_for_service(PATIENCE)
        client.eventually(lambda s=service, r=request: client.answered(s, r(0), 2.0), bool)  # it knows the client now
        calls = [service.call_async(request(i)) for i in range(200)]
        client.eventually(lambda calls=calls: sum(call.done() for call in calls), lambda done: done == 200)
        assert {call.result().result.code for call in calls} == {Result.SUCCESS}
    assert (
        client.call(GetMemoryStats, "memory/stats").stats.events == 401
    )  # the configuration, words and their readings


def test_stats_count_hits_and_capacity_changes_while_running(server, client):
    server(capacity=4, policy="fifo_merge")
    client.remember(*(used(apple(), event_id=f"u{i}") for i in range(2)))
    client.recall("bring me an apple")
    client.recall("bring me a mug")
    stats = client.call(GetMemoryStats, "memory/stats").stats
    assert (stats.lookups, stats.hits, stats.occupancy, stats.capacity) == (2, 1, 1, 4)
    assert stats.hit_rate == 0.5
    assert stats.embedder == "lexical"
    assert stats.recall_p99 >= stats.recall_p50 > 0

    change = [
        Parameter("capacity", value=2).to_parameter_msg(),
        Parameter("policy", value="w_tinylfu").to_parameter_msg(),
        Parameter("protected", value=0.5).to_parameter_msg(),
    ]
    for parameter in change:
        answer = client.call(SetParameters, "memory_server/set_parameters", parameters=[parameter])
        assert answer.results[0].successful
    stats = client.call(GetMemoryStats, "memory/stats").stats
    assert (stats.capacity, stats.policy, stats.occupancy) == (2, "w_tinylfu", 1)
    bad = client.call(
        SetParameters, "memory_server/set_parameters", parameters=[Parameter("policy", value="best").to_parameter_msg()]
    )
    assert not bad.results[0].successful
    assert "w_tinylfu" in bad.results[0].reason


def test_a_parameter_that_short_term_memory_cannot_take_now_stays_as_it_was(ros_domain):
    class FullMemory:
        def configure(self, settings):
            raise JournalFullError("no room; free some space")

    rclpy.init()
    node = MemoryNode()
    try:
        before = node.get_parameter("capacity").value
        node._memory = FullMemory()
        (result,) = node.set_parameters([Parameter("capacity", value=before + 1)])
        assert (result.successful, result.reason) == (False, "no room; free some space")
        assert node.get_parameter("capacity").value == before
    finally:
        node._memory = None
        node.destroy_node()
        rclpy.shutdown()


def test_the_servers_own_stamps_are_times_that_messages_say_exactly(ros_domain):
    """Else what was known at the stamp of an event, as get_events tells it, would lack that event."""
    rclpy.init()
    node = MemoryNode()
    try:
        node.get_clock()._set_ros_time_is_active(True)
        rng = random.Random(1)
        for moment in [rng.randrange(2 ** rng.randrange(30, 61)) for _ in range(200)]:
            node.get_clock().set_ros_time_override(Moment(nanoseconds=moment, clock_type=ClockType.ROS_TIME))
            now = node._now()
            assert conversions.to_seconds(conversions.from_seconds(now)) == now
            assert abs(now - moment * 1e-9) < 1e-6
    finally:
        node.destroy_node()
        rclpy.shutdown()


@on_every_store
def test_snapshot_names_its_file(server, client):
    server()
    client.remember(told("x"))
    answer = client.call(SnapshotMemory, "memory/snapshot")
    assert answer.result.code == Result.SUCCESS
    assert answer.sequence == 3  # the configuration, the words, their reading
    assert Path(answer.path).is_file()


def test_many_events_make_a_snapshot_before_its_time_so_that_a_killed_server_is_soon_back(server, client, place):
    server()
    client.remember(told("x"))
    many = 50
    for first in range(0, SNAPSHOT_EVENTS, many):
        client.remember(*(used(apple(x=1.0 + number / 1000)) for number in range(first, first + many)))
    deadline = time.monotonic() + PATIENCE
    while not list(place.folder.glob("*.snapshot-0*")):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_the_journal_is_exported_to_a_new_file_and_an_answer_says_what_it_takes_into_account(server, client, tmp_path):
    server()
    client.remember(told("The cup is in the sink."))
    answer = client.call(Recall, "memory/recall", query="where is the cup?")
    path = tmp_path / "trial.jsonl.gz"
    exported = client.call(ExportMemory, "memory/export", path=str(path))
    assert exported.result.code == Result.SUCCESS, exported.result.message
    with PortableFile(path) as file:
        file.verify()
        assert file.events == exported.events >= answer.sequence > 0
    assert client.call(ExportMemory, "memory/export", path=str(path)).result.code != Result.SUCCESS
    relative = client.call(ExportMemory, "memory/export", path="trial.jsonl.gz")
    assert relative.result.code == Result.INVALID_ARGUMENT
    assert "not absolute" in relative.result.message


def test_an_inactive_server_says_so(server, client):
    server()
    assert client.transition(Transition.TRANSITION_DEACTIVATE)
    assert client.remember(told("x")).result.code == Result.UNAVAILABLE
    assert client.transition(Transition.TRANSITION_ACTIVATE)
    assert client.remember(told("x")).result.code == Result.SUCCESS


@pytest.mark.parametrize(
    ("parameters", "reason"), [({"database": "':memory:'"}, "name a file"), ({"policy": "best"}, "w_tinylfu_karma")]
)
def test_a_wrong_parameter_is_refused_with_a_reason(client, place, capfd, parameters, reason):
    process = start_server(place, **parameters)
    try:
        client.wait_until_there()
        assert not client.transition(Transition.TRANSITION_CONFIGURE)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
    assert reason in capfd.readouterr().err
