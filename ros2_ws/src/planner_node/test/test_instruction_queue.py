# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import threading
from collections.abc import Callable

from planner_node.act.gate import Gate
from planner_node.instruction_queue import InstructionQueue
from planner_node.skills import Code, Outcome, SkillCall

DONE = Outcome(SkillCall("Wait"), Code.SUCCESS)
PATIENCE = 10.0


def queue() -> tuple[InstructionQueue[str], Gate]:
    gate = Gate()
    return InstructionQueue(gate), gate


def until(condition: Callable[[], bool]) -> None:
    waited = threading.Event()
    for _ in range(int(PATIENCE / 0.01)):
        if condition():
            return
        waited.wait(0.01)
    raise AssertionError("in vain")


def test_instructions_begin_in_their_order_urgent_ones_first() -> None:
    waiting, _ = queue()
    for item, urgent in (("a", False), ("b", False), ("c", True), ("d", True), ("e", False)):
        assert waiting.offer(item, 10, urgent)
    assert waiting.waiting == ("c", "d", "a", "b", "e")
    begun = []
    while (item := waiting.begin(0.0)) is not None:
        assert waiting.begin(0.0) is None or item not in "abe"
        begun.append(item)
        waiting.ended(item)
    assert begun == ["c", "d", "a", "b", "e"]


def test_no_more_wait_than_may() -> None:
    waiting, _ = queue()
    assert waiting.offer("a", 0)
    assert waiting.begin(0.0) == "a"
    assert not waiting.offer("b", 0)
    assert waiting.offer("b", 1)
    assert not waiting.offer("c", 1)
    assert waiting.drop(lambda item: item == "b") == ["b"]
    assert waiting.offer("c", 1)
    assert not waiting.wait_empty(0.0)


def test_who_asks_what_waits_sees_no_moment_between_two() -> None:
    waiting, _ = queue()
    waiting.offer("a", 5)
    asked: list[tuple[object, ...]] = []
    asking = threading.Thread(target=lambda: asked.append((waiting.waiting, len(waiting), waiting.underway)))
    with waiting._changed:  # as whoever changes it holds it
        asking.start()
        asking.join(0.1)
        assert asked == []
        waiting._underway.append(waiting._waiting.pop(0))
    asking.join(PATIENCE)
    assert asked == [((), 0, True)]


def test_what_was_done_in_between_is_told_although_the_queue_looks_again_first() -> None:
    gate = Gate()
    told: list[tuple[Outcome, ...]] = []
    running = threading.Thread(target=lambda: told.append(gate.give_way()))
    gate.interrupt()
    running.start()
    until(gate.interrupt)
    with gate._changed:  # what was interrupted wakes only after both
        gate.hand_back([DONE])
        gate.hand_back([])
    running.join(PATIENCE)
    assert told == [(DONE,)]


def test_an_urgent_one_comes_in_between_and_what_it_did_is_told() -> None:
    waiting, gate = queue()
    waiting.offer("slow", 5)
    assert waiting.begin(0.0) == "slow"
    waiting.offer("urgent", 5, urgent=True)
    waiting.offer("more urgent", 5, urgent=True)
    assert waiting.begin(0.0) is None  # the running one has to stop first
    assert gate.wanted
    done: list[tuple[Outcome, ...]] = []
    running = threading.Thread(target=lambda: done.append(gate.give_way()))
    running.start()
    until(lambda: waiting.begin(0.0) == "urgent")
    assert waiting.begin(0.0) is None
    assert not gate.closed  # for the urgent one
    waiting.ended("urgent", [DONE])
    assert waiting.begin(0.0) == "more urgent"
    assert done == []
    waiting.ended("more urgent", [DONE])
    running.join(PATIENCE)
    assert done == [(DONE, DONE)]
    assert waiting.begun(lambda item: True) == "slow"


def test_an_urgent_one_that_is_canceled_before_it_begins_holds_nobody_up() -> None:
    waiting, gate = queue()
    waiting.offer("slow", 5)
    waiting.begin(0.0)
    waiting.offer("urgent", 5, urgent=True)
    waiting.begin(0.0)
    running = threading.Thread(target=gate.give_way)
    running.start()
    until(lambda: not gate.wanted)
    assert waiting.drop(lambda item: True) == ["urgent"]
    assert waiting.begin(0.0) is None
    running.join(PATIENCE)
    assert not running.is_alive()
    assert not gate.closed


def test_urgent_ones_do_not_interrupt_each_other() -> None:
    waiting, gate = queue()
    waiting.offer("urgent", 5, urgent=True)
    assert waiting.begin(0.0) == "urgent"
    waiting.offer("as urgent", 5, urgent=True)
    assert waiting.begin(0.0) is None
    assert not gate.closed


def test_a_pause_holds_until_it_is_over_or_the_instruction_is_canceled() -> None:
    gate = Gate()
    gate.pause()
    assert gate.closed
    assert gate.reached(0.0) == ""
    stop = threading.Event()
    for end in (gate.resume, stop.set):
        gate.pause()
        waits = threading.Thread(target=gate.wait, args=(stop.is_set, "I hold a knife."))
        waits.start()
        assert gate.reached(PATIENCE) == "I hold a knife."
        end()
        waits.join(PATIENCE)
        assert not waits.is_alive()
    assert gate.paused
