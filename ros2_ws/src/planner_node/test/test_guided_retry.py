# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What was wrong is done otherwise, what failed is put right, and what was learned comes first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from household_robot import DictMemory
from scripted_robot import TABLE, ScriptedRobot, thing

from planner_node.guidance import Guidance
from planner_node.memory import GUIDELINE, Advice, Event, EventKind, Guideline, Recall, Recollection
from planner_node.planner import Instruction, Planner
from planner_node.repairs import repairs
from planner_node.skills import Code, Outcome, SkillCall, Target
from planner_node.understand.goals import Goal, ObjectRef, Predicate
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.vocabulary import household
from planner_node.world import World

LEXICON = household()
SAFE = thing("Safe1", (2, 0, 1), states={"isOpen": "false"})
DESK, FLOOR = thing("DeskLamp1", (1, 0, 1)), thing("FloorLamp1", (4, 0, 1))
LOCKED = (Code.PRECONDITION_FAILURE, "Safe1 is locked while DeskLamp1 is off")


class Remembers(DictMemory):
    """A memory with guidelines."""

    def __init__(self, *guidelines: Guideline, furniture: Sequence[object] = ()) -> None:
        super().__init__(furniture)  # type: ignore[arg-type]
        self.guidelines = guidelines

    def recall(self, query: str, user: str = "", scene: str = "", limit: int = 0, kinds: Sequence[str] = ()) -> Recall:
        if tuple(kinds) != (GUIDELINE,):
            return super().recall(query, user, scene, limit, kinds) if not kinds else Recall()
        known = enumerate(self.guidelines)
        return Recall(tuple(Recollection(GUIDELINE, f"guideline:{n}", g.text, guideline=g) for n, g in known))


class Safe(ScriptedRobot):
    """Its safe opens only after something was done to it, which nobody told the planner."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key
        self._unlocked = False

    def execute(self, call: SkillCall, on_feedback: Callable[[str], None], cancelled: Callable[[], bool]) -> Outcome:
        self._unlocked |= call.skill == self._key
        locked = call.skill == "OpenObject" and not self._unlocked
        self.answers["OpenObject"] = [LOCKED if locked else Code.SUCCESS]
        return super().execute(call, on_feedback, cancelled)


def planner(robot: ScriptedRobot, memory: DictMemory) -> Planner:
    return Planner(robot, memory, OfflineUnderstanding(LEXICON), LEXICON)


def events(memory: DictMemory, kind: EventKind) -> list[Event]:
    return [event for event in memory.events if event.kind is kind]


def test_what_was_wrong_is_taken_for_something_else_the_next_time() -> None:
    memory, robot = Remembers(furniture=[DESK, FLOOR]), ScriptedRobot()
    carrying_out = planner(robot, memory)
    first = carrying_out.run(Instruction("turn on the lamp"))
    assert robot.log[-1] == "ToggleOn(DeskLamp1)"
    carrying_out.judged(first.instruction_id, right=False)
    second = carrying_out.run(Instruction("turn on the lamp", retry_of=first.instruction_id))
    assert robot.log[-1] == "ToggleOn(FloorLamp1)"
    assert "floor lamp" in second.message
    starts, ends = (events(memory, kind) for kind in (EventKind.EPISODE_START, EventKind.EPISODE_END))
    assert [start.retry_of for start in starts] == ["", first.instruction_id]
    assert [end.goals for end in ends] == [("switch_on(lamp=DeskLamp)",), ("switch_on(lamp=FloorLamp)",)]
    assert "|" in starts[0].goals[0]
    (verdict,) = events(memory, EventKind.FEEDBACK)
    assert (verdict.episode, verdict.code) == (first.instruction_id, Code.EXECUTION_FAILURE)


def test_when_there_is_no_other_way_it_says_so() -> None:
    memory, robot = Remembers(furniture=[thing("Fridge1", (1, 0, 1), states={"isOpen": "false"})]), ScriptedRobot()
    carrying_out = planner(robot, memory)
    report = carrying_out.run(Instruction("open the fridge"))
    for _ in range(20):
        report = carrying_out.run(Instruction("open the fridge", retry_of=report.instruction_id))
        if report.code is Code.PLANNING_FAILURE:
            break
    assert "no other way" in report.message


def test_what_fails_for_an_unknown_reason_is_put_right_when_it_is_tried_again() -> None:
    desk = replace(DESK, states={"isToggled": "false"})
    memory, robot = Remembers(furniture=[SAFE, desk]), Safe(key="ToggleOn")
    carrying_out = planner(robot, memory)
    first = carrying_out.run(Instruction("open the safe"))
    assert first.code is Code.PRECONDITION_FAILURE
    assert "ToggleOn(DeskLamp1)" not in robot.log  # nothing is tried out before somebody asks to try again
    again = carrying_out.run(Instruction("open the safe", retry_of=first.instruction_id))
    assert again.code is Code.SUCCESS, again.message
    assert "What helped: toggle on the desk lamp." in again.message
    assert robot.log[-4:] == ["GoToObject(DeskLamp1)", "ToggleOn(DeskLamp1)", "GoToObject(Safe1)", "OpenObject(Safe1)"]


def test_what_was_learned_comes_before_the_skill() -> None:
    learned = Guideline(
        Advice.BEFORE, "Close it first.", category="Safe", skill="OpenObject", steps=(SkillCall("CloseObject"),),
        confidence=1.0,
    )  # fmt: skip
    memory, robot = Remembers(learned, furniture=[thing("Safe1", (2, 0, 1))]), Safe(key="CloseObject")
    report = planner(robot, memory).run(Instruction("open the safe"))
    assert report.code is Code.SUCCESS, report.message
    assert robot.log[-2:] == ["CloseObject(Safe1)", "OpenObject(Safe1)"]
    assert [r.id for r in report.recalled if r.kind == GUIDELINE] == ["guideline:0"]
    assert events(memory, EventKind.EPISODE_END)[0].used == ("guideline:0",)


def test_what_comes_before_putting_something_somewhere_is_done_to_the_place() -> None:
    learned = Guideline(
        Advice.BEFORE, "", category="Safe", skill="PutObject", steps=(SkillCall("CloseObject"),), confidence=1.0
    )
    guidance = Guidance([Recollection(GUIDELINE, "g", "", guideline=learned)])
    safe = Target("Safe1", "Safe")
    put = SkillCall("PutObject", receptacle=safe)
    assert list(guidance.before(put, TABLE, World(LEXICON), LEXICON)) == [SkillCall("CloseObject", safe)]


def test_a_learned_meaning_is_followed_and_named_unless_it_was_mostly_wrong() -> None:
    for confidence, expected in ((1.0, "ToggleOn(FloorLamp1)"), (0.4, "ToggleOn(DeskLamp1)")):
        floor = Guideline(Advice.MEANING, "It means the floor lamp.", "lamp", "FloorLamp", confidence=confidence)
        memory, robot = Remembers(floor, furniture=[DESK, FLOOR]), ScriptedRobot()
        report = planner(robot, memory).run(Instruction("turn on the lamp"))
        assert robot.log[-1] == expected
        assert ("It means the floor lamp." in report.message) is (confidence == 1.0)


def test_a_meaning_holds_in_its_kind_of_room_and_not_where_it_makes_no_sense() -> None:
    lamp = (Goal(Predicate.SWITCH_ON, ObjectRef(("DeskLamp", "FloorLamp"), "lamp", entity=1)),)

    def read(known: Guideline, *rooms: str) -> str:
        (goal,) = Guidance([Recollection(GUIDELINE, "g", "", guideline=known)]).read(lamp, rooms)
        assert goal.object is not None
        return goal.object.categories[0]

    bedroom = Guideline(Advice.MEANING, "", "lamp", "FloorLamp", room="Bedroom", confidence=1.0)
    assert [read(bedroom, "Bedroom"), read(bedroom, "Kitchen"), read(bedroom)] == ["FloorLamp", "DeskLamp", "FloorLamp"]
    sofa = Guideline(Advice.MEANING, "", "lamp", "Sofa", confidence=1.0)
    robot = ScriptedRobot()
    planner(robot, Remembers(sofa, furniture=[DESK])).run(Instruction("turn on the lamp"))
    assert robot.log[-1] == "ToggleOn(DeskLamp1)"  # a sofa can't be switched on


def test_nothing_is_asked_of_memories_that_are_switched_off() -> None:
    floor = Guideline(Advice.MEANING, "", "lamp", "FloorLamp", confidence=1.0)
    memory, robot = Remembers(floor, furniture=[DESK, FLOOR]), ScriptedRobot()
    without = Planner(robot, memory, OfflineUnderstanding(LEXICON), LEXICON, memories=["long_term"])
    without.run(Instruction("turn on the lamp"))
    assert robot.log[-1] == "ToggleOn(DeskLamp1)"


def test_repairs_are_reversible_fit_the_thing_and_what_the_message_speaks_of_comes_first() -> None:
    world = World(LEXICON)
    for node in (SAFE, DESK):
        world.believe(node, "long_term")
    failed = Outcome(SkillCall("OpenObject", Target("Safe1", "Safe")), Code.EXECUTION_FAILURE, "DeskLamp1 is toggled")
    found = [str(call) for call in repairs(failed, TABLE, world, LEXICON)]
    assert found[0] == "ToggleOn(DeskLamp1)"
    assert not [call for call in found if call.startswith(("SliceObject", "PutObject", "Explore", "GoToObject"))]
    assert "ToggleOn(Safe1)" not in found  # nothing to switch on
    assert not repairs(Outcome(failed.call, Code.NOT_FOUND, ""), TABLE, world, LEXICON)
