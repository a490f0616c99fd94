# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import memento_files
import pytest

from karma_eval.embedding import CachedEmbedder
from karma_eval.memento.agent import Agent
from karma_eval.memento.episodes import RememberedEpisodes
from karma_eval.memento.house import House, Snapshot
from karma_eval.memento.judge import Judge
from karma_eval.memento.likeness import TextLikeness
from karma_eval.memento.places import match_places
from karma_eval.memento.task import Outcome, build_house, figures, propositions, run_task
from karma_eval.memento.task_data import Memento, MementoError, load
from karma_eval.memento.task_report import HEADER, TaskResults
from karma_eval.report import Report
from karma_memory import Memory
from karma_memory.recall.embedder import make_embedder

DATA = os.environ.get("KARMA_DATA", "")
SKILLS = ("rooms", "seen", "explore", "describe", "navigate", "open", "pick", "place")
SMALL = 1
"""Scenes of the real data that the tests run, those with the fewest episodes."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Memento:
    return load(memento_files.write(tmp_path_factory.mktemp("memento")))


@pytest.fixture(scope="module")
def likeness() -> TextLikeness:
    model = make_embedder("auto")[0]
    return TextLikeness(None if model is None else CachedEmbedder(model))


@contextmanager
def remembered(folder: Path, user: str) -> Iterator[RememberedEpisodes]:
    with Memory(folder / "memory.sqlite3", embedder="lexical") as memory:
        yield RememberedEpisodes(memory, make_embedder("auto")[0], user)


def live(data: Memento, likeness: TextLikeness, folder: Path, user: str = "resident") -> dict[str, list[Outcome]]:
    with remembered(folder, user) as memory:
        return run_task(data, memory, likeness)


class TestHouse:
    @pytest.fixture
    def house(self) -> House:
        rooms = {room: tuple(names) for room, names in memento_files.ROOMS.items()}
        return House(rooms, {"cup_0": ("cup", "A red cup.", "counter_4"), "lamp_1": ("lamp", "", "table_2")})

    def test_shows_only_what_was_explored(self, house: House) -> None:
        assert house.seen() == []
        assert not house.describe("cup_0").done
        house.explore("kitchen_1")
        assert [seen.name for seen in house.seen()] == ["cup_0"]
        assert house.describe("cup_0").message == "A red cup."
        house.explore("living_room_1")
        assert house.describe("lamp_1").message == "A lamp."

    def test_skills_have_preconditions(self, house: House) -> None:
        house.explore("kitchen_1")
        house.navigate("bedroom_1")
        assert not house.pick("cup_0").done  # too far
        house.navigate("cup_0")
        assert house.pick("cup_0").done
        house.explore("living_room_1")
        assert not house.pick("lamp_1").done  # the hand is full
        assert not house.place("cup_0", "on", "counter_4").done  # too far
        house.navigate("cabinet_5")
        assert not house.place("cup_0", "within", "cabinet_5").done  # closed
        house.open("cabinet_5")
        assert house.place("cup_0", "within", "cabinet_5").done
        assert not house.place("cup_0", "on", "counter_4").done  # nothing is held

    def test_nothing_stays_beside_what_was_taken_away(self, house: House) -> None:
        house.explore("kitchen_1")
        house.pick("cup_0")
        house.navigate("table_2")
        assert not house.place("cup_0", "on", "table_3", "lamp_1").done  # it stands elsewhere
        house.place("cup_0", "on", "table_2", "lamp_1")
        assert house.snapshot().beside
        house.explore("living_room_1")
        house.pick("lamp_1")
        assert not house.snapshot().beside


class TestJudge:
    def history(self, home: Memento, *placements: tuple[str, str, str]) -> list[Snapshot]:
        house = build_house(home.stages["joint"][0], match_places(home)["home"])
        found = [house.snapshot()]
        for room in house.rooms:
            house.explore(room)
        for name, place, beside in placements:
            house.navigate(name)
            house.pick(name)
            house.navigate(place)
            house.place(name, "on", place, beside)
            found.append(house.snapshot())
        return found

    def verdict(self, home: Memento, *placements: tuple[str, str, str]) -> tuple[bool, ...]:
        judge = Judge(home.stages["joint"][0], match_places(home)["home"])
        return judge.verdict(self.history(home, *placements)).complete

    def test_everything_done_in_order(self, home: Memento) -> None:
        done = self.verdict(
            home, ("cup_0", "table_3", ""), ("lamp_3", "couch_1", ""), ("stuffed_toy_2", "couch_1", "lamp_3")
        )
        assert done == (True, True, True, True)

    def test_the_order_counts(self, home: Memento) -> None:
        done = self.verdict(home, ("lamp_3", "couch_1", ""), ("cup_0", "table_3", ""))
        assert done[:2] == (True, False)

    def test_the_wrong_one_of_its_kind_does_not_count(self, home: Memento) -> None:
        assert self.verdict(home, ("cup_1", "table_3", ""))[0] is False

    def test_what_does_not_last_to_the_end_does_not_count(self, home: Memento) -> None:
        assert self.verdict(home, ("cup_0", "table_3", ""), ("cup_0", "bed_7", ""))[0] is False

    def test_on_the_same_couch_is_not_next_to(self, home: Memento) -> None:
        done = self.verdict(home, ("cup_0", "table_2", ""), ("lamp_3", "couch_1", ""))
        assert done == (True, True, True, False)

    @pytest.mark.parametrize(
        ("sort", "tables", "right"),
        [
            ("SameArgConstraint", ("table_2", "table_2"), True),
            ("SameArgConstraint", ("table_2", "table_3"), False),
            ("DifferentArgConstraint", ("table_2", "table_2"), False),
            ("DifferentArgConstraint", ("table_2", "table_3"), True),
            ("SameArgConstraint", ("table_2", "bed_7"), False),
        ],
    )
    def test_same_and_different_places(self, home: Memento, sort: str, tables: tuple[str, str], right: bool) -> None:
        goals = tuple(memento_files.on_top(t, "h_table_:0000", "h_table_:0001") for t in ("red_mug", "bear"))
        constraint = {"type": sort, "args": {"proposition_indices": [0, 1]}}
        episode = home.stages["joint"][0]
        truth = dataclasses.replace(episode.truth, propositions=goals, constraints=(constraint,))
        judge = Judge(dataclasses.replace(episode, truth=truth), match_places(home)["home"])
        history = self.history(home, ("cup_0", tables[0], ""), ("stuffed_toy_2", tables[1], ""))
        assert judge.verdict(history).complete == (right, right)

    def test_a_constraint_that_nobody_knows_is_an_error(self, home: Memento) -> None:
        episode = home.stages["joint"][0]
        truth = dataclasses.replace(episode.truth, constraints=({"type": "Unheard", "args": {}},))
        with pytest.raises(ValueError, match="Unheard"):
            Judge(dataclasses.replace(episode, truth=truth), match_places(home)["home"]).verdict(self.history(home))

    def test_places_that_nobody_named_are_not_matched(self, home: Memento) -> None:
        places = match_places(home)["home"]
        assert places.resolve(["h_table_:0000", "h_table_:0001"]) == {"table_2", "table_3"}  # as many as there are
        episode = home.stages["single"][0]
        strange = memento_files.on_top("red_mug", "h_elsewhere_:0000")
        truth = dataclasses.replace(episode.truth, propositions=(strange,))
        verdict = Judge(dataclasses.replace(episode, truth=truth), places).verdict(self.history(home))
        assert verdict.matched == (False,)
        assert verdict.complete == (False,)


def test_remembers_and_does(home: Memento, likeness: TextLikeness, tmp_path: Path) -> None:
    outcomes = live(home, likeness, tmp_path)
    assert {stage: figures(some)["sr"] for stage, some in outcomes.items()} == {
        "acquisition": 100.0,
        "single": 100.0,
        "joint": 100.0,
    }
    every = [outcome for some in outcomes.values() for outcome in some]
    assert propositions(every) == {"n": 12, "matched": 12}


def test_without_memory_it_does_not_know(home: Memento, likeness: TextLikeness) -> None:
    outcomes = run_task(home, None, likeness)
    assert figures(outcomes["acquisition"])["sr"] == 100.0
    assert figures(outcomes["single"])["by_type"]["user_pattern"]["sr"] == 0.0
    assert figures(outcomes["joint"])["sr"] == 0.0


def test_nothing_of_another_user_is_recalled(home: Memento, likeness: TextLikeness, tmp_path: Path) -> None:
    live(home, likeness, tmp_path, "anna")
    with remembered(tmp_path, "ben") as memory:
        parts = memory.recall(home.stages["joint"][0].instruction)
    assert [list(past) for _, past in parts] == [[], []]


def test_what_it_knows_survives_a_restart(home: Memento, likeness: TextLikeness, tmp_path: Path) -> None:
    live(home, likeness, tmp_path, "anna")
    with remembered(tmp_path, "anna") as memory:
        ((_, past),) = memory.recall(home.stages["single"][0].instruction)
    assert past[0].objects == (("cup", "A red mug with a white handle."),)


def test_the_robot_is_kept_from_the_truth(home: Memento, likeness: TextLikeness) -> None:
    """It works with its skills alone, and does the same whatever the goals are; see test_apart.py, too."""
    episode = home.stages["acquisition"][0]
    places = match_places(home)["home"]
    house = build_house(episode, places)

    class SkillsOnly:
        def __getattr__(self, name: str) -> Any:
            assert name in SKILLS, f"the robot asked the house for {name}"
            return getattr(house, name)

    run = Agent(SkillsOnly(), likeness).carry_out([(episode.instruction.text, ())])
    assert [(call.target, call.place) for call in run.calls if call.skill == "place"] == [("cup_0", "table_2")]

    other = dataclasses.replace(episode, truth=home.stages["acquisition"][1].truth)
    stages = {"acquisition": (episode,), "single": (other,)}
    told = run_task(dataclasses.replace(home, stages=stages), None, likeness)
    assert told["acquisition"][0].run.calls == told["single"][0].run.calls
    assert told["acquisition"][0].verdict.success
    assert not told["single"][0].verdict.success


def test_the_report_names_what_failed(home: Memento, likeness: TextLikeness, tmp_path: Path) -> None:
    forgetful = run_task(home, None, likeness)
    results = TaskResults(forgetful, forgetful)
    report = Report("MEMENTO")
    results.say(report)
    assert "Can you get everything ready for story night?" in report.write(tmp_path).read_text()
    assert all(len(row) == len(HEADER) for row in results.rows())
    assert set(results.figures()) == {"propositions", "acquisition", "single", "joint", "without_memory"}


def test_files_that_are_not_mementos_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MementoError, match="can't be read"):
        load(tmp_path)
    folder = memento_files.write(tmp_path / "broken")
    (folder / "data" / "datasets" / "memory_acquisition_stage.json").write_text('{"episodes": [{}]}', encoding="utf-8")
    with pytest.raises(MementoError, match="not as MEMENTO's"):
        load(folder)


def smallest(data: Memento) -> Memento:
    """Return the scenes with the fewest episodes."""
    counts = {scene: sum(e.instruction.scene == scene for e in data.stages["acquisition"]) for scene in data.rooms}
    scenes = sorted(counts, key=lambda scene: (counts[scene], scene))[:SMALL]
    stages = {name: tuple(e for e in some if e.instruction.scene in scenes) for name, some in data.stages.items()}
    return dataclasses.replace(data, stages=stages, rooms={scene: data.rooms[scene] for scene in scenes})


@pytest.mark.skipif(not DATA, reason="KARMA_DATA does not name the folder with traces/ and memento/")
def test_reaches_its_aims(likeness: TextLikeness, tmp_path: Path) -> None:
    data = smallest(load(Path(DATA) / "memento"))
    scores = {stage: figures(of) for stage, of in live(data, likeness, tmp_path).items()}
    assert scores["single"]["sr"] >= 95
    assert scores["joint"]["sr"] >= 85
