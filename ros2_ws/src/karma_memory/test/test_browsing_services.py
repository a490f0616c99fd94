# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the memory server shows to people who look on: services, and the topic of short-term memory."""

import time

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("karma_interfaces.srv", reason="karma_interfaces is not built")

import rclpy
from builtin_interfaces.msg import Time
from lifecycle_msgs.msg import Transition
from rclpy.qos import DurabilityPolicy, QoSProfile
from test_memory_node import apple, client, place, ros_domain, server, told, used  # noqa: F401 - fixtures

from karma_interfaces.msg import MemoryEvent, Result, ShortTermMemory
from karma_interfaces.srv import BrowseMemory, EditMemory, Forget, ForgetUser, GetEvents, GetShortTermMemory
from karma_memory.ros import short_term_topic
from karma_memory.ros.short_term_topic import PERIOD, ShortTermTopic
from karma_memory.scene import Layer, Node
from karma_memory.short_term.memory import Contents
from karma_memory.short_term.policy import PolicySettings
from karma_memory.short_term.unit import MemoryUnit

pytestmark = pytest.mark.ros


class Listener:
    """Somebody who looks at short-term memory."""

    def __init__(self, client):  # noqa: F811 - not the fixture
        self._client = client
        self.messages = []
        qos = QoSProfile(depth=64, durability=DurabilityPolicy.TRANSIENT_LOCAL)  # nothing that is sent is missed
        self._subscription = client.node.create_subscription(
            ShortTermMemory, "memory/short_term", self.messages.append, qos
        )

    def shown(self, accept):
        """Wait for a message that is accepted and return it."""
        self._client.eventually(lambda: self.messages[-1:], lambda found: bool(found) and accept(found[0]))
        return self.messages[-1]

    def go(self):
        """Listen no longer, and wait until the server knows and keeps nothing."""
        self._client.node.destroy_subscription(self._subscription)
        self.wait(1.0)

    def wait(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._client.executor.spin_once(0.05)


def names(memory):
    return {unit.object.category for unit in memory.units}


def use(client, name, number, stamp):  # noqa: F811 - not the fixture
    node = apple(last_seen=stamp)
    node.id, node.category = f"{name}|1", name
    return client.remember(used(node, stamp, f"use{number}"))


def test_the_memories_can_be_browsed_now_and_as_they_were(server, client):  # noqa: F811
    server()
    client.remember(
        told("tea is in the drawer", id="tea", user="", stamp=Time(sec=100)),
        told("quinces are hers", id="quince", user="ann", stamp=Time(sec=200)),
        told("bob likes coffee", id="coffee", user="bob", stamp=Time(sec=300)),
        used(apple(), 400, "use"),
    )

    def browse(**fields):
        answer = client.call(BrowseMemory, "memory/browse", **fields)
        assert answer.result.code == Result.SUCCESS, answer.result.message
        return answer

    found = browse(user="ann")
    assert [(item.kind, item.id) for item in found.recollections if item.kind == "told"] == [
        ("told", "told:quince"),
        ("told", "told:tea"),
    ]
    assert (found.total, found.users) == (len(found.recollections), ["ann", "bob"])
    assert {item.object[0].category for item in found.recollections if item.object} == {"Apple"}
    assert {(item.score, item.source) for item in found.recollections if item.kind == "told"} == {
        (1.0, "quince"),
        (1.0, "tea"),
    }
    paged = browse(user="ann", offset=1, limit=2)
    assert paged.recollections == found.recollections[1:3]
    assert [item.id for item in browse(kinds=["told"]).recollections] == ["told:tea"]
    assert (
        client.call(EditMemory, "memory/edit", id="told:tea", text="tea is in the sink").result.code == Result.SUCCESS
    )
    assert [item.text for item in browse(kinds=["told"]).recollections] == ["tea is in the sink"]
    then = browse(kinds=["told"], user="bob", at=Time(sec=250))
    assert [item.text for item in then.recollections] == ["tea is in the drawer"]
    assert then.users == ["ann"]
    assert client.call(Forget, "memory/forget", ids=["told:coffee"], user="bob").forgotten == 1
    assert "bob likes coffee" not in [item.text for item in browse(user="bob", kinds=["told"]).recollections]
    for wrong in ({"limit": 1001}, {"kinds": ["dreams"]}, {"at": Time(sec=-1)}):
        refused = client.call(BrowseMemory, "memory/browse", **wrong)
        assert refused.result.code == Result.INVALID_ARGUMENT
        assert refused.result.message


def test_what_happened_is_told_from_where_it_is_asked_for(server, client):  # noqa: F811
    server()
    client.remember(*(told(f"tea {i}", id=f"t{i}", stamp=Time(sec=100 + i)) for i in range(5)))
    use = used(apple(), 200, "use")
    use.user = "ann"
    client.remember(use)

    def events(**fields):
        answer = client.call(GetEvents, "memory/get_events", **fields)
        assert answer.result.code == Result.SUCCESS, answer.result.message
        return answer

    found = events()
    assert [item.id for item in found.events] == [*(f"t{i}" for i in range(5)), "use"]
    assert list(found.sequences) == sorted(found.sequences)
    assert (found.since.sec, found.until.sec) == (100, 200)
    assert found.last_sequence == found.sequences[-1]
    assert not found.events[-1].nodes
    assert len(events(whole=True).events[-1].nodes) == 1
    first = events(limit=2)
    assert [item.id for item in events(after=first.last_sequence, limit=2).events] == ["t2", "t3"]
    assert [item.id for item in events(limit=1, newest=True).events] == ["use"]
    assert [item.id for item in events(since=Time(sec=104)).events] == ["t4", "use"]
    assert [item.id for item in events(until=Time(sec=100)).events] == ["t0"]
    assert [item.id for item in events(kinds=[MemoryEvent.SKILL_OUTCOME], user="ann").events] == ["use"]
    for wrong in ({"limit": 5001}, {"kinds": [64]}, {"since": Time(sec=-1)}):
        refused = client.call(GetEvents, "memory/get_events", **wrong)
        assert refused.result.code == Result.INVALID_ARGUMENT
        assert refused.result.message


def test_short_term_memory_is_shown_to_who_listens_when_it_changed_and_nothing_stays_for_others(server, client):  # noqa: F811
    server(capacity=2, policy="lru")
    use(client, "Apple", 1, 100)
    listener = Listener(client)
    first = listener.shown(lambda memory: names(memory) == {"Apple"})
    assert (first.policy, first.capacity, first.window, first.evictions) == ("lru", 2, 0, 0)
    assert (first.units[0].id, first.units[0].scene, first.units[0].segment) == (
        "short_term:home1/Apple|1",
        "home1",
        "recent",
    )
    for number in range(2, 22):
        use(client, ("Mug", "Pan", "Cup")[number % 3], number, 100 + number)
    last = listener.shown(lambda memory: names(memory) == {"Mug", "Cup"} and memory.evictions == 19)
    assert len(last.evicted) == 16
    assert (last.evicted[0].category, last.evicted[0].stamp.sec) == ("Pan", 121)
    times = [message.stamp.sec + message.stamp.nanosec * 1e-9 for message in listener.messages]
    assert len(times) <= 5.0 * (times[-1] - times[0]) + 2.0
    shown = len(listener.messages)
    client.remember(told("this changes nothing there", user=""))
    asked = client.call(GetShortTermMemory, "memory/get_short_term").memory
    assert [unit.id for unit in asked.units] == [unit.id for unit in last.units]
    then = client.call(GetShortTermMemory, "memory/get_short_term", at=Time(sec=100)).memory
    assert (names(then), then.stamp.sec, then.evictions, then.evicted) == ({"Apple"}, 100, 0, [])
    refused = client.call(GetShortTermMemory, "memory/get_short_term", at=Time(sec=-1))
    assert refused.result.code == Result.INVALID_ARGUMENT
    client.recall("bring me the mug")
    assert listener.shown(lambda memory: memory.lookups == 1).hits == 1
    assert len(listener.messages) == shown + 1

    text = "short_term:home1/Mug|1"
    edited = client.call(EditMemory, "memory/edit", id=text, text="annabella's own mug", user="annabella")
    assert edited.result.code == Result.SUCCESS
    listener.shown(lambda memory: "annabella" in str(memory.units))
    assert client.call(ForgetUser, "memory/forget_user", user="annabella").result.code == Result.SUCCESS
    after = listener.shown(lambda memory: "annabella" not in str(memory))
    assert (after.evictions, after.evicted) == (0, [])
    listener.go()
    use(client, "Plate", 30, 200)
    assert client.transition(Transition.TRANSITION_DEACTIVATE)
    newcomer = Listener(client)
    newcomer.wait(1.0)
    assert not newcomer.messages  # what was when the last one went is gone with them
    assert client.transition(Transition.TRANSITION_ACTIVATE)
    assert "Plate" in names(newcomer.shown(lambda memory: True))


def test_the_topic_withdrawn_under_its_timer_neither_fails_nor_comes_back(ros_domain):  # noqa: F811
    """Callbacks run in other threads than the transition that takes the topic away; one may have begun."""
    node = rclpy.create_node("short_term_test", context=ros_domain)
    try:
        topic = ShortTermTopic(node, lambda: None, lambda: 0.0)
        topic.destroy()
        topic._follow()
        assert "/memory/short_term" not in [publisher.topic_name for publisher in node.publishers]
    finally:
        node.destroy_node()


def test_nothing_waits_for_a_publisher_that_goes_with_its_last_listener(ros_domain):  # noqa: F811
    """An executor that is about to take an event of one that was destroyed ends with an error."""
    node = rclpy.create_node("short_term_test", context=ros_domain)
    try:
        topic = ShortTermTopic(node, lambda: None, lambda: 0.0)
        assert topic._publisher.event_handlers == []
        topic.destroy()
    finally:
        node.destroy_node()


class BusyMemory:
    """One of so many units in which something is always new; counts how often it is looked at."""

    def __init__(self, size):
        self.browsing = self
        self.looks = 0
        self._size = size

    def short_term_version(self):
        return self.looks, time.monotonic_ns()

    def short_term(self):
        self.looks += 1
        node = Node("Mug|1", Layer.OBJECT, "Mug", movable=True, last_seen=float(self.looks))
        unit = MemoryUnit(node, "home1", "a mug", 0.0, "e1")
        return Contents(PolicySettings(capacity=self._size), 0, (unit,) * self._size)


@pytest.mark.parametrize(("size", "seconds"), [(10, 0.2), (1_000, 1.0), (10_000, 10.0)])
def test_the_more_there_is_to_tell_the_less_often_it_is_told_but_another_memory_at_once(
    ros_domain,  # noqa: F811
    monkeypatch,
    size,
    seconds,
):
    now, memory = [1000.0], [BusyMemory(size)]
    monkeypatch.setattr(short_term_topic, "monotonic", lambda: now[0])
    monkeypatch.setattr(
        short_term_topic.answer_conversions, "from_short_term", lambda contents, stamp: ShortTermMemory()
    )
    node = rclpy.create_node("short_term_test", context=ros_domain)
    try:
        topic = ShortTermTopic(node, lambda: None, lambda: 0.0)
        looks = []
        for tick in range(101):
            now[0] = 1000.0 + tick * PERIOD
            topic._publish(memory[0])
            looks.append(memory[0].looks)
        assert looks[-1] == int(20.0 / seconds) + 1
        memory[0] = BusyMemory(size)
        topic._publish(memory[0])
        assert memory[0].looks == 1
        topic.destroy()
    finally:
        node.destroy_node()


def test_a_memory_that_is_not_active_takes_back_what_it_told(server, client):  # noqa: F811
    """While it is inactive a user's retention may end, too: nobody who comes is given what was."""
    server()
    use(client, "Apple", 1, 100)
    listener = Listener(client)
    listener.shown(lambda memory: names(memory) == {"Apple"})
    assert client.transition(Transition.TRANSITION_DEACTIVATE)
    listener.wait(1.0)
    newcomer = Listener(client)
    newcomer.wait(1.0)
    assert not newcomer.messages
    assert client.transition(Transition.TRANSITION_ACTIVATE)
    assert "Apple" in names(newcomer.shown(lambda memory: True))
