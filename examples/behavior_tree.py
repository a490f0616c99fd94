# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A behavior tree that remembers what it does, and asks before it searches. It needs karma_memory and py_trees.

Three times the robot brings the mug to the desk: at first it has to search, then it knows, then somebody has moved the
mug behind its back.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector, Sequence

from karma_memory import Memory

PLACES = ("shelf", "sofa", "kitchen table", "counter")


class Robot:
    """Stands in for a robot and its camera: what is where, and how often it has looked."""

    def __init__(self, memory: Memory, home: dict[str, str]) -> None:
        self.memory, self.home, self.looks = memory, home, 0

    def look(self, thing: str, place: str) -> bool:
        """Look for a thing at a place; remember that it is there, or that it is not there any more."""
        self.looks += 1
        known = self.memory.find(thing)
        if self.home[thing] == place:
            self.memory.see(thing, on=place)
        elif known is not None and known.receptacle == place:
            self.memory.gone(thing)
        return self.home[thing] == place


class Step(Behaviour):
    """Does something with a thing at a place, at once."""

    def __init__(self, name: str, robot: Robot, thing: str, place: str = "") -> None:
        super().__init__(name)
        self.robot, self.thing, self.place = robot, thing, place


class LookWhereItWas(Step):
    """Asks the memory where the thing is, and looks there."""

    def update(self) -> Status:
        """Fail where the memory does not know, and where the thing is not there."""
        known = self.robot.memory.find(self.thing)
        if known is None or not known.receptacle:
            self.feedback_message = "I don't know where"
            return Status.FAILURE
        self.feedback_message = self.robot.memory.ask(f"Where is the {self.thing}?").text
        return Status.SUCCESS if self.robot.look(self.thing, known.receptacle) else Status.FAILURE


class Look(Step):
    """Looks for the thing at a place."""

    def update(self) -> Status:
        """Fail where it is not there."""
        return Status.SUCCESS if self.robot.look(self.thing, self.place) else Status.FAILURE


class Put(Step):
    """Puts the thing at a place."""

    def update(self) -> Status:
        """Put it there, and remember that."""
        self.robot.home[self.thing] = self.place
        self.robot.memory.did("put", self.thing, self.place)
        return Status.SUCCESS


def bring(robot: Robot, thing: str, place: str) -> None:
    """Let a tree bring a thing to a place, as a task that is remembered."""
    search = [Look(f"look at the {where}", robot, thing, where) for where in PLACES]
    find = [LookWhereItWas("look where it was", robot, thing), Selector("search", memory=True, children=search)]
    put = Put(f"put it on the {place}", robot, thing, place)
    tree = Sequence("bring", memory=True, children=[Selector("find", memory=True, children=find), put])
    robot.looks = 0
    with robot.memory.task(f"Bring the {thing} to the {place}.", user="ann"):
        tree.tick_once()
    for step in tree.iterate():
        if isinstance(step, Step) and step.status != Status.INVALID:
            print(f"    {step.name}: {step.status.value.lower()}. {step.feedback_message}".rstrip())
    print(f"    looked at: {robot.looks}")


def main() -> None:
    """Bring the mug three times."""
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "home.sqlite3") as memory:
        robot = Robot(memory, {"mug": "counter"})
        print("It knows nothing yet:")
        bring(robot, "mug", "desk")
        robot.home["mug"] = "sofa"
        memory.see("mug", on="sofa")
        print("It has seen the mug in passing:")
        bring(robot, "mug", "desk")
        robot.home["mug"] = "shelf"
        print("Somebody has moved it unseen:")
        bring(robot, "mug", "desk")
        print(memory.ask("Who asked for the mug?", user="ann").text)


if __name__ == "__main__":
    main()
