# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Conversations are read, held and judged by the simulator's truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from karma_eval.talk.command import command, figures
from karma_eval.talk.conversations import LANGUAGES, OWN, UNREAD, ConversationFileError, Expect, load
from karma_eval.talk.knowledge import Knowledge
from karma_eval.talk.talking import Case, Talk, problems
from karma_eval.talk.truth import TruthError, judge_truth, read_truth, says_yes
from karma_eval.talk.verdicts import Judged, Verdict
from karma_language.vocabulary import household
from planner_node.instruction import Instruction, Observer, Report
from planner_node.skills import Code, Node
from planner_node.understand.hearing import Hearing
from sim_bridge.household.backend import HouseholdBackend

HOME = "FloorPlan1"


def talk(tmp_path: Path, *turns: Any, scene: str = HOME) -> list[Case]:
    """Hold a conversation with the rules."""
    file = tmp_path / "talk.json"
    file.write_text(json.dumps([{"id": "a", "scene": scene, "turns": turns}]))
    (conversation,) = load(file)
    return list(Talk(conversation, Hearing(household()), embedder="lexical").cases())


def verdicts(cases: list[Case]) -> list[str]:
    return [case.judged.verdict.value for case in cases]


def test_a_turn_is_judged_by_the_world_after_it(tmp_path: Path) -> None:
    cases = talk(
        tmp_path,
        {"say": "bring me an apple", "expect": {"done": "HOLDON(apple)"}},
        {"say": "put it in the bowl", "expect": {"done": "INSIDE(apple, fridge)"}},
        {"say": "jump out of the window", "expect": {"refused": True}},
        {"say": "put the mug in the sink", "expect": {"refused": True}},
        {"say": "jump out of the window", "expect": {"done": "HOLDON(mug)"}},
    )
    assert verdicts(cases) == ["right", "wrong", "right", "wrong", "refused"]


def test_what_people_do_unseen_is_known_when_the_robot_has_seen_it(tmp_path: Path) -> None:
    cases = talk(
        tmp_path,
        {"person": {"move": ["Mug", "Fridge"]}},
        {"wait": 3600},
        {"say": "jump out of the window", "expect": {"answer": {"truth": "where(mug)"}}},
        {"say": "put the mug in the sink", "expect": {"done": "INSIDE(mug, sink)"}},
        {"say": "where is the mug?", "expect": {"answer": {"truth": "where(mug)"}}},
    )
    assert verdicts(cases) == ["refused", "right", "right"]
    assert "sink" in cases[2].answer.casefold()


def test_what_is_told_has_to_be_known_afterwards(tmp_path: Path) -> None:
    told = {"say": "My mother's birthday is on 3 May.", "user": "ann"}
    asked = {"ask": "When is my mother's birthday?"}
    cases = talk(
        tmp_path,
        {**told, "expect": {"kept": {**asked, "any_of": ["3 May"]}}},
        {**told, "expect": {"kept": {**asked, "none_of": ["3 May"]}}},
        {**told, "expect": {"kept": {**asked, "any_of": ["4 May"]}}},
    )
    assert verdicts(cases) == ["right", "wrong", "wrong"]


class _Asking:
    """A planner that asks which one, and does nothing."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def run(self, instruction: Instruction, observer: Observer) -> Report:
        self.heard += [instruction.text, observer.ask("Which one?", ("the red one", "the blue one"))]
        return Report(Code.SUCCESS, "Done.")


def test_what_one_forbids_binds_another_who_does_not_get_to_know_whose_words_they_are(tmp_path: Path) -> None:
    private = {"answer": {"none_of": ["grandma", "ann"]}}
    cases = talk(
        tmp_path,
        {"say": "nobody uses the bowl, it was grandma's", "user": "ann", "expect": private},
        {"say": "put the bowl in the sink", "user": "bob", "expect": {"refused": True}},
        {"say": "what did Ann tell you?", "user": "bob", "expect": private},
        {"say": "you can use the bowl again", "user": "ann", "expect": private},
        {"say": "put the bowl in the sink", "user": "bob", "expect": {"done": "INSIDE(bowl, sink)"}},
    )
    assert verdicts(cases) == ["right"] * 5
    assert cases[1].answer == "Somebody asked me not to use the bowl. Nothing was done."


def test_what_is_said_next_answers_a_question_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planner = _Asking()
    monkeypatch.setattr("karma_eval.talk.talking.Planner", lambda *_, **__: planner)
    cases = talk(
        tmp_path,
        {"say": "bring me a mug", "expect": {"asks": True}},
        {"say": "the red one", "expect": {"social": True}},
    )
    assert verdicts(cases) == ["right", "right"]
    assert planner.heard == ["bring me a mug", "the red one"]


def test_an_answer_is_judged_by_what_it_led_to(tmp_path: Path) -> None:
    cases = talk(
        tmp_path,
        {"say": "slice it", "expect": {"asks": True}},
        {"say": "the bread", "expect": {"done": "STATE(bread, sliced): 1"}},
    )
    assert [case.judged.verdict.value for case in cases][1:] == ["right"]


def test_a_room_may_be_called_by_its_name_and_the_floor_is_a_place() -> None:
    backend = HouseholdBackend("home3")
    knowledge, world = Knowledge(backend.world), backend.world
    (racket,) = world.of_category("TennisRacket")
    knowledge.see([Node(racket, "TennisRacket", movable=True, receptacle=world.parents[racket], relation="on")])
    for truth in ("where(tennis racket)", "contents(floor)"):
        judged = judge_truth(read_truth(truth), "The tennis racket is in the guest room.", knowledge, world, 20.0)
        assert (judged.knowable, judged.right) == (True, True)
    assert not judge_truth(read_truth("where(tennis racket)"), "In the kitchen.", knowledge, world, 20.0).right


@pytest.fixture
def kitchen() -> tuple[Knowledge, HouseholdBackend]:
    """Return what is known of a kitchen in which a mug and two apples were seen, but not the inside of the fridge."""
    backend = HouseholdBackend(HOME)
    knowledge = Knowledge(backend.world)
    (counter, *_), (fridge,) = (list(backend.world.of_category(name)) for name in ("CounterTop", "Fridge"))
    knowledge.see(
        [
            Node(counter, "CounterTop"),
            Node(fridge, "Fridge", states={"isOpen": "false"}),
            Node("mug", "Mug", movable=True, receptacle=counter, relation="on", last_seen=10.0),
            Node("a", "Apple", movable=True, receptacle=counter, relation="on"),
            Node("b", "Apple", movable=True, receptacle=counter, relation="on"),
        ]
    )
    return knowledge, backend


@pytest.mark.parametrize(
    ("truth", "answer", "right"),
    [
        ("where(mug)", "On the kitchen counter, two hours ago.", True),
        ("where(mug)", "In the sink.", False),
        ("last_seen(mug)", "I saw it in the kitchen.", True),
        ("state(fridge, open)", "No, the fridge is closed.", True),
        ("state(fridge, open)", "Yes.", False),
        ("state(fridge, open)", "Yes, the fridge is closed.", True),
        ("state(fridge, open)", "Yes, it is not closed.", False),
        ("state(fridge, closed)", "The fridge is closed.", True),
        ("count(apple)", "I know of two apples.", True),
        ("count(apple)", "There are 3.", False),
        ("count(apple, CounterTop)", "Two.", True),
        ("contents(CounterTop)", "A mug and two apples.", True),
        ("contents(CounterTop)", "A mug.", False),
        ("changed(60)", "No, nothing.", True),
        ("changed(60)", "The mug is gone.", False),
    ],
)
def test_truth_is_what_the_robot_could_have_seen(
    kitchen: tuple[Knowledge, HouseholdBackend], truth: str, answer: str, right: bool
) -> None:
    knowledge, backend = kitchen
    known = judge_truth(read_truth(truth), answer, knowledge, backend.world, 20.0)
    assert known.knowable
    assert known.right is right


@pytest.mark.parametrize("truth", ["where(Laptop)", "contents(fridge)", "count(egg, fridge)", "state(Toaster, on)"])
def test_what_was_never_in_view_can_not_be_known(kitchen: tuple[Knowledge, HouseholdBackend], truth: str) -> None:
    knowledge, backend = kitchen
    assert not judge_truth(read_truth(truth), "In the sink.", knowledge, backend.world, 20.0).knowable


def test_a_thing_that_is_found_elsewhere_has_changed(kitchen: tuple[Knowledge, HouseholdBackend]) -> None:
    knowledge, backend = kitchen
    (mug,) = backend.world.of_category("Mug")
    (table, *_) = backend.world.of_category("CounterTop")
    knowledge.see([Node(mug, "Mug", receptacle=table, last_seen=50.0)])
    knowledge.see([Node(mug, "Mug", receptacle="elsewhere", last_seen=100.0)])
    assert judge_truth(read_truth("changed(60)"), "The mug was moved.", knowledge, backend.world, 120.0).right
    assert judge_truth(read_truth("changed(10)"), "Nothing.", knowledge, backend.world, 120.0).right


@pytest.mark.parametrize("text", ["where()", "where(a flurb)", "state(mug)", "state(mug, sad)", "changed(soon)", "x"])
def test_a_truth_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(TruthError):
        read_truth(text)


def test_yes_is_read_in_answers() -> None:
    assert says_yes("Yes, it is not far.") is True
    assert says_yes("It isn't.") is False
    assert says_yes("On the sofa.") is None


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        ("{", "can't be read as JSON"),
        ("[{}]", "id"),
        ('[{"id": "a", "scene": "home1", "turns": []}]', "turns"),
        ('[{"id": "a", "scene": "home1", "turns": [{"look": 1}]}]', "a turn needs say, person or wait"),
        ('[{"id": "a", "scene": "home1", "turns": [{"say": "x", "expect": {}}]}]', "exactly one"),
        ('[{"id": "a", "scene": "home1", "turns": [{"say": "x", "expect": {"answer": {}}}]}]', "an answer needs"),
        ('[{"id": "a", "scene": "home1", "turns": [{"person": {}}]}]', "person needs exactly one"),
    ],
)
def test_a_file_that_holds_no_conversations_is_refused(tmp_path: Path, content: str, wrong: str) -> None:
    file = tmp_path / "talk.json"
    file.write_text(content)
    with pytest.raises(ConversationFileError, match=wrong):
        load(file)


def test_names_that_a_scene_lacks_are_found_before_anything_is_said(tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    turns = [
        {"person": {"move": ["Unicorn", "Sofa"]}},
        {"say": "x", "expect": {"done": "INSIDE(flurb, sink)"}},
        {"say": "x", "expect": {"answer": {"truth": "whence(mug)"}}},
    ]
    file.write_text(
        json.dumps([{"id": "a", "scene": HOME, "turns": turns}, {"id": "b", "scene": "moon", "turns": turns}])
    )
    found = [problem for conversation in load(file) for problem in problems(conversation)]
    assert [problem.partition(":")[0] for problem in found] == ["a, turn 0"] * 2 + ["a, turn 1", "a, turn 2", "b"]
    answer = CliRunner().invoke(command, ["--utterances", str(file), "--embedding", "lexical", "--out", str(tmp_path)])
    assert answer.exit_code == 1
    assert "there is no scene 'moon'" in answer.output


@pytest.mark.parametrize("file", [OWN, UNREAD, LANGUAGES], ids=lambda file: file.stem)
def test_the_lists_that_come_with_karma_can_be_judged(file: Path) -> None:
    conversations = load(file)
    assert len({conversation.scene for conversation in conversations}) >= (5 if file == LANGUAGES else 10)
    assert [problem for conversation in conversations for problem in problems(conversation)] == []


def test_figures_are_shares_of_the_turns() -> None:
    def case(kind: str, verdict: Verdict) -> Case:
        return Case("a", 0, "x", kind, "", "", Judged(verdict), 1.0)

    cases = [
        case("done", Verdict.RIGHT),
        case("done", Verdict.WRONG),
        case("social", Verdict.REFUSED),
        case("done", Verdict.RIGHT),
    ]
    report = figures("offline", cases)
    assert (report["turns"], report["right"], report["refused"], report["wrong"]) == (4, 50.0, 25.0, 25.0)
    assert report["by_kind"]["social"] == {"n": 1, "right": 0.0, "refused": 100.0, "wrong": 0.0}
    assert report["seconds"] == {"p50": 1.0, "p95": 1.0}


def test_an_expectation_names_its_kind() -> None:
    assert Expect.model_validate({"refused": True}).kind == "refused"
