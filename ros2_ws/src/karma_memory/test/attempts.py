# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Short ways to say what a robot tried, and to ask what it learned of that."""

from world import SCENE, event

from karma_memory import Code, EventKind, PolicySettings, Query, SkillCall, SkillOutcome, SkillTarget
from karma_memory.state.state import MemoryState

FAILED = Code.EXECUTION_FAILURE


def target(name):
    """Return the target of "Apple|1", or of a category."""
    category = name.partition("|")[0]
    return SkillTarget(name if "|" in name else "", category)


class Life:
    """A robot that does as told, and the state of its memory. A second passes with each event."""

    def __init__(self, *events):
        self.state = MemoryState(PolicySettings())
        self.clock = 100.0
        self.events = []
        for item in events:
            self.add(item)

    def add(self, item):
        self.events.append(item)
        self.state.apply(item)
        return item

    def happens(self, kind, **fields):
        self.clock += 1.0
        fields.setdefault("id", f"event{len(self.events)}")
        fields.setdefault("scene", SCENE)
        return self.add(event(kind, self.clock, **fields))

    def start(self, episode, text="put it away", *goals, **fields):
        return self.happens(EventKind.EPISODE_START, episode=episode, text=text, goals=goals, **fields)

    def does(self, episode, skill, thing="", place="", *, relation="", code=Code.SUCCESS, message="", saw=(), **fields):
        call = SkillCall(skill, target(thing), target(place), relation)
        outcome = SkillOutcome(call, code, message, seen=tuple(saw), stamp=self.clock + 1.0)
        return self.happens(EventKind.SKILL_OUTCOME, episode=episode, outcome=outcome, **fields)

    def end(self, episode, code=Code.SUCCESS, used=(), **fields):
        return self.happens(EventKind.EPISODE_END, episode=episode, code=code, used=tuple(used), **fields)

    def says(self, episode, code, text="so", **fields):
        return self.happens(EventKind.FEEDBACK, episode=episode, code=code, text=text, **fields)

    def attempt(self, episode, text, goals, steps, code=Code.SUCCESS, used=(), user="", meant=(), **fields):
        """Live through an attempt; a step is (skill, thing, place) or (skill, thing, place, message), which failed.

        `meant`: the goals as they were taken in the end.
        """
        self.start(episode, text, *goals, user=user, **fields)
        for skill, thing, place, *message in steps:
            failed = {"code": FAILED, "message": message[0]} if message else {}
            self.does(episode, skill, thing, place, user=user, **failed)
        return self.end(episode, code, used, user=user, goals=tuple(meant))

    def ask(self, kind, text="", **fields):
        fields.setdefault("scene", SCENE)
        query = Query(text, kinds=frozenset({kind}), **fields)
        return self.state.answer(query, self.state.search(query, None))

    def guidelines(self, text="", **fields):
        """Return the guidelines that answer a query."""
        return [item.record.guideline for item in self.ask("guideline", text, **fields).recollections]

    def learned(self):
        """Return all guidelines, by advice and text."""
        return {(g.advice.value, g.text): g for _, _, g in self.state.guidelines.guidelines()}
