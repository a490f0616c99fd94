# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What was wrong is done otherwise, what failed is put right, and what was learned comes first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from household_robot import DictMemory
from scripted_robot import TABLE, ScriptedRobot, thing

from karma_language.vocabulary import household
from planner_node.guidance import MOST_TRIES, Guidance
from planner_node.memory import GUIDELINE, Advice, Event, EventKind, Guideline, Recall, Recollection
from planner_node.plan.repairs import repairs
from planner_node.planner import Instruction, Planner, Report, Unobserved
from planner_node.skills import Code, Node, Outcome, SkillCall, Target
from planner_node.understand.goals import Goal, ObjectRef, Predicate
from planner_node.understand.hearing import Hearing
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
    return Planner(robot, memory, Hearing(LEXICON), LEXICON)


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


def test_what_nothing_is_known_of_is_not_tried_again() -> None:
    memory, robot = Remembers(furniture=[DESK, FLOOR]), ScriptedRobot()
    carrying_out = planner(robot, memory)
    first = carrying_out.run(Instruction("turn on the lamp", user="ann"))
    done, begun = list(robot.log), len(memory.events)
    unknown = carrying_out.run(Instruction("turn on the lamp", user="ann", retry_of="nonsense"))
    others = [Instruction("turn on the lamp", user=user, retry_of=first.instruction_id) for user in ("ben", "")]
    restarted = planner(robot, memory).run(Instruction("turn on the lamp", user="ann", retry_of=first.instruction_id))
    reports = [unknown, *map(carrying_out.run, others), restarted]
    assert [report.code for report in reports] == [Code.INVALID_ARGUMENT] * 4
    assert unknown.message.startswith("I can't do that otherwise: I know of no instruction nonsense of yours")
    assert "Give the instruction_id of its result, and the same user." in unknown.message
    assert robot.log == done
    assert len(memory.events) == begun
    again = carrying_out.run(Instruction("turn on the lamp", user="ann", retry_of=unknown.instruction_id))
    assert again.code is Code.INVALID_ARGUMENT  # neither is what was refused
    right = carrying_out.run(Instruction("turn on the lamp", user="ann", retry_of=first.instruction_id))
    assert right.code is Code.SUCCESS
    assert robot.log[-1] == "ToggleOn(FloorLamp1)"


def test_every_attempt_counts_whichever_of_them_is_named() -> None:
    memory, robot = Remembers(furniture=[DESK, FLOOR]), ScriptedRobot()
    carrying_out = planner(robot, memory)
    first = carrying_out.run(Instruction("turn on the lamp"))
    reports = [carrying_out.run(Instruction("turn on the lamp", retry_of=first.instruction_id)) for _ in range(3)]
    assert reports[0].code is Code.SUCCESS
    assert robot.log.count("ToggleOn(DeskLamp1)") == robot.log.count("ToggleOn(FloorLamp1)") == 1


def test_what_was_not_understood_can_be_said_again() -> None:
    robot = ScriptedRobot()
    carrying_out = planner(robot, Remembers(furniture=[DESK]))
    first = carrying_out.run(Instruction("polish the lamp"))
    assert first.code is Code.NOT_UNDERSTOOD
    again = carrying_out.run(Instruction("turn on the lamp", retry_of=first.instruction_id))
    assert again.code is Code.SUCCESS
    assert robot.log[-1] == "ToggleOn(DeskLamp1)"


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


class Stuck(ScriptedRobot):
    """Its safe opens only when all of some calls were the last to be made to their things, which it does not say."""

    def __init__(self, *keys: str, says: str = "The safe is stuck.") -> None:
        super().__init__()
        self._keys = set(keys)
        self._says = says

    def execute(self, call: SkillCall, on_feedback: Callable[[str], None], cancelled: Callable[[], bool]) -> Outcome:
        last = {done.subject.id: str(done) for done in self.calls if done.skill != "GoToObject"}
        stuck = call.skill == "OpenObject" and not (self._keys and self._keys <= set(last.values()))
        self.answers["OpenObject"] = [(Code.EXECUTION_FAILURE, self._says) if stuck else Code.SUCCESS]
        return super().execute(call, on_feedback, cancelled)

    @property
    def changes(self) -> list[str]:
        return [text for text in self.log if not text.startswith(("GoToObject", "OpenObject(Safe1)"))]


def retried(robot: ScriptedRobot, memory: DictMemory, text: str) -> tuple[Report, Report]:
    """Do something, and do it again otherwise."""
    carrying_out = planner(robot, memory)
    first = carrying_out.run(Instruction(text))
    return first, carrying_out.run(Instruction(text, retry_of=first.instruction_id))


def test_a_message_that_names_nothing_leaves_nothing_to_try_and_that_is_said() -> None:
    closed = thing("Fridge1", (2, 0, 1), states={"isOpen": "false"})
    robot = ScriptedRobot({"OpenObject": [(Code.PRECONDITION_FAILURE, "It does not open.")]})
    _, again = retried(robot, Remembers(furniture=[closed]), "open the fridge")
    assert (
        again.message == "I can't open the fridge: It does not open. I know of nothing that may help with OpenObject."
    )


def test_where_nothing_fails_any_more_nothing_is_said_of_trying() -> None:
    robot = ScriptedRobot({"OpenObject": [LOCKED]})
    carrying_out = planner(robot, Remembers(furniture=[SAFE, off(DESK)]))
    first = carrying_out.run(Instruction("open the safe"))
    robot.answers.clear()
    again = carrying_out.run(Instruction("open the safe", retry_of=first.instruction_id))
    assert (first.code, again.code, again.message) == (Code.PRECONDITION_FAILURE, Code.SUCCESS, "")


def test_what_could_not_be_done_to_help_is_not_said_to_have_been_tried() -> None:
    robot = Stuck(says="The safe is stuck until the desk lamp is on.")
    robot.answers["ToggleOn"] = [(Code.EXECUTION_FAILURE, "the arm is stuck")]
    _, again = retried(robot, Remembers(furniture=[SAFE, off(DESK)]), "open the safe")
    assert "I could not try: toggle on the desk lamp." in again.message
    assert "did not help" not in again.message


def off(node: Node) -> Node:
    return replace(node, states={"isToggled": "false"})


def test_what_did_not_help_is_undone_and_everything_is_tried_once() -> None:
    lamps = [off(thing(f"{kind}{n}", (n, 0, 1))) for n in range(1, 5) for kind in ("DeskLamp", "FloorLamp")]
    robot = Stuck(says="The safe is stuck in the light of the lamps.")
    first, again = retried(robot, Remembers(furniture=[SAFE, *lamps]), "open the safe")
    assert [first.code, again.code] == [Code.EXECUTION_FAILURE] * 2
    on, undone = robot.changes[::2], robot.changes[1::2]
    assert len(on) == len(set(on)) == MOST_TRIES
    assert [text.replace("ToggleOff", "ToggleOn") for text in undone] == on
    assert "it did not help: toggle on the desk lamp" in again.message


def test_a_try_that_the_rules_refuse_is_not_made_and_the_next_one_is() -> None:
    oven, fork = off(thing("Microwave1", (3, 0, 1))), thing("Fork1", (3, 0, 1), receptacle="Microwave1", relation="in")
    robot = Stuck("ToggleOn(DeskLamp1)", says="The safe has no power: neither the microwave nor the desk lamp is on.")
    _, again = retried(robot, Remembers(furniture=[SAFE, oven, fork, off(DESK)]), "open the safe")
    assert again.code is Code.SUCCESS, again.message
    assert robot.changes == ["ToggleOn(DeskLamp1)"]


def test_after_a_try_that_fails_the_robot_goes_back_to_what_it_was_at() -> None:
    robot = Stuck("ToggleOn(FloorLamp1)", says="The safe is stuck in the light of the lamps.")
    robot.answers["ToggleOn(DeskLamp1)"] = [(Code.PRECONDITION_FAILURE, "it is broken")]
    _, again = retried(robot, Remembers(furniture=[SAFE, off(DESK), off(FLOOR)]), "open the safe")
    assert again.code is Code.SUCCESS, again.message
    failed = robot.log.index("ToggleOn(DeskLamp1)")
    assert robot.log[failed:] == [
        *("ToggleOn(DeskLamp1)", "GoToObject(Safe1)", "GoToObject(FloorLamp1)", "ToggleOn(FloorLamp1)"),
        *("GoToObject(Safe1)", "OpenObject(Safe1)"),
    ]


def test_what_is_being_tried_when_it_has_to_stop_is_said() -> None:
    robot = Stuck(says="The safe is stuck in the light of the lamp.")
    carrying_out = planner(robot, Remembers(furniture=[SAFE, off(DESK)]))
    first = carrying_out.run(Instruction("open the safe"))
    stop = Canceling(lambda: "ToggleOn(DeskLamp1)" in robot.log)
    again = carrying_out.run(Instruction("open the safe", retry_of=first.instruction_id), stop)
    assert again.code is Code.CANCELED
    assert "I was trying whether it helps to toggle on the desk lamp." in again.message


class Canceling(Unobserved):
    """Cancels as soon as something is so."""

    def __init__(self, when: Callable[[], bool]) -> None:
        self.cancelled = when  # type: ignore[method-assign]


def test_what_the_instruction_is_about_is_not_tried_out() -> None:
    watch = thing("Watch1", (1, 0, 1), movable=True, receptacle="Desk1", relation="on")
    robot = Stuck(says="The safe is stuck: is it for the watch?")
    retried(robot, Remembers(furniture=[SAFE, thing("Desk1", (1, 0, 0)), watch]), "put the watch in the safe")
    assert robot.changes == ["PickupObject(Watch1)", "PutObject(Desk1)"] * 2  # taken in vain, it goes back


def test_a_hand_that_is_full_is_emptied_for_a_try_and_the_thing_taken_again() -> None:
    desk = thing("Desk1", (1, 0, 0))
    watch, key = (thing(n, (1, 0, 1), movable=True, receptacle="Desk1", relation="on") for n in ("Watch1", "KeyChain1"))
    robot = Stuck("PickupObject(KeyChain1)", says="The safe is locked: it takes the key chain.")
    _, again = retried(robot, Remembers(furniture=[SAFE, desk, watch, key]), "put the watch in the safe")
    assert again.code is Code.SUCCESS, again.message
    assert robot.changes[:2] == ["PickupObject(Watch1)", "PutObject(Desk1)"]  # taken in vain, it goes back
    taken = ["PickupObject(Watch1)", "PutObject(Desk1)", "PickupObject(KeyChain1)", "PutObject(Desk1)"]
    assert robot.changes[2:] == [*taken, "PickupObject(Watch1)", "PutObject(Safe1)", "CloseObject(Safe1)"]


def test_nothing_is_taken_right_before_what_is_held_is_put_down() -> None:
    cup = Guideline(
        Advice.BEFORE, "", category="Desk", skill="PutObject", confidence=1.0,
        steps=(SkillCall("PickupObject", Target(category="Cup")),),
    )  # fmt: skip
    watch, mug = (thing(n, (1, 0, 1), movable=True, receptacle="Shelf1", relation="on") for n in ("Watch1", "Cup1"))
    furniture = [thing("Desk1", (2, 0, 0)), thing("Shelf1", (1, 0, 1)), watch, mug]
    robot = ScriptedRobot(
        {"PutObject(Desk1, on)": [(Code.PRECONDITION_FAILURE, "there is no room for it beside a cup")]}
    )
    robot.answers["PutObject(Desk1)"] = robot.answers["PutObject(Desk1, on)"]
    retried(robot, Remembers(cup, furniture=furniture), "put the watch on the desk")
    assert "PickupObject(Cup1)" not in robot.log


def test_what_kept_a_thing_from_being_found_is_put_right() -> None:
    hidden = Stuck("ToggleOn(DeskLamp1)", says="The drawer is locked until the desk lamp is on.")
    hidden.answers["Explore"] = [Code.NOT_FOUND]
    drawer = thing("Drawer1", (2, 0, 1), states={"isOpen": "false"})
    _, again = retried(hidden, Remembers(furniture=[drawer, off(DESK)]), "bring me the watch")
    assert "What helped: toggle on the desk lamp." in again.message


def test_of_a_call_that_no_goal_speaks_of_the_memory_is_asked_when_it_is_made() -> None:
    learned = Guideline(
        Advice.BEFORE, "Light first.", category="Safe", skill="OpenObject",
        steps=(SkillCall("ToggleOn", Target(category="DeskLamp")),), confidence=1.0,
    )  # fmt: skip
    asked = []

    def ask(query: str) -> list[Recollection]:
        asked.append(query)
        return [Recollection(GUIDELINE, "g", "", guideline=learned)]

    guidance, world, call = Guidance([], ask), World(LEXICON), SkillCall("OpenObject", Target("Safe1", "Safe"))
    world.believe(off(DESK), "long_term")
    for _ in range(2):
        (before,) = guidance.before(call, TABLE, world, LEXICON)
        assert str(before) == "ToggleOn(DeskLamp1)"
    assert asked == ["OpenObject(Safe)"]
    world.believe(replace(DESK, states={"isToggled": "true"}, last_seen=1.0), "long_term")
    assert not list(guidance.before(call, TABLE, world, LEXICON))  # it is on


def test_what_was_learned_comes_before_the_skill() -> None:
    learned = Guideline(
        Advice.BEFORE, "Close it first.", category="Safe", skill="OpenObject", steps=(SkillCall("CloseObject"),),
        confidence=1.0,
    )  # fmt: skip
    memory, robot = Remembers(learned, furniture=[thing("Safe1", (2, 0, 1))]), Safe(key="CloseObject")
    report = planner(robot, memory).run(Instruction("open the safe"))
    assert report.code is Code.SUCCESS, report.message
    assert robot.log[-2:] == ["CloseObject(Safe1)", "OpenObject(Safe1)"]
    imagined = planner(Safe(key="CloseObject"), memory).run(Instruction("open the safe", dry_run=True))
    assert [str(done.call) for done in imagined.outcomes][-2:] == robot.log[-2:]
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


def test_what_is_to_be_put_away_goes_where_it_went_before_where_nobody_says_otherwise() -> None:
    learned = Guideline(
        Advice.AVOID, "", category="Mug", skill="PutObject", receptacle="Drawer", instead="Safe", confidence=1.0
    )
    mug = thing("Mug1", (1, 0, 1), movable=True)
    for known, code in (((learned,), Code.SUCCESS), ((), Code.AMBIGUOUS)):
        memory, robot = Remembers(*known, furniture=[replace(SAFE, states={"isOpen": "true"})]), ScriptedRobot()
        memory.nodes = {mug.id: mug}
        assert planner(robot, memory).run(Instruction("put the mug away")).code is code
        assert ("PutObject(Safe1)" in robot.log) is bool(known)


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
    without = Planner(robot, memory, Hearing(LEXICON), LEXICON, memories=["long_term"])
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
