# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""MEMENTO's appendix E on the small home: damage does what it says, and harder episodes are judged by what they ask."""

from __future__ import annotations

import json
from pathlib import Path

import memento_files
import pytest
from click.testing import CliRunner

from karma_eval.cache.traces import read_trace
from karma_eval.memento.command import command
from karma_eval.memento.damage import MISSING, NOISE, damages
from karma_eval.memento.likeness import TextLikeness
from karma_eval.memento.places import match_places
from karma_eval.memento.task import perform
from karma_eval.memento.task_data import Memento, load
from karma_eval.memento.variants import _joined, elsewhere, hint, known_by_name
from karma_memory.episodic import Episode, Step
from karma_memory.events import Code

OWN = tuple(Step(("pick", "place", "navigate", "describe")[n % 4], "cup", Code.SUCCESS, f"cup_{n}") for n in range(20))
LIVED = Episode("e", "move it", "ann", "here", "s", 1.0, steps=OWN)
FOREIGN = Episode("f", "move it", "ann", "there", "s", 1.0, steps=(Step("pick", "hat", Code.SUCCESS, "hat_1"),))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Memento:
    return load(memento_files.write(tmp_path_factory.mktemp("memento")))


class TestDamage:
    kinds = damages({"here": [LIVED], "there": [FOREIGN]})

    @pytest.mark.parametrize("share", NOISE)
    def test_noise_is_steps_of_other_scenes_between_the_own(self, share: float) -> None:
        steps = self.kinds[f"noise {100 * share:.0f} %"](LIVED)
        assert [step for step in steps if step.target == "cup"] == list(OWN)
        assert sum(step.target == "hat" for step in steps) == round(20 * share)

    @pytest.mark.parametrize("share", MISSING)
    def test_what_is_left_is_in_order(self, share: float) -> None:
        steps = self.kinds[f"{100 * share:.0f} % missing"](LIVED)
        assert len(steps) == 20 - round(20 * share)
        assert list(steps) == sorted(steps, key=OWN.index)

    def test_the_others(self) -> None:
        assert sorted(self.kinds["shuffled"](LIVED), key=OWN.index) == list(OWN) != self.kinds["shuffled"](LIVED)
        assert {step.skill for step in self.kinds["without pick"](LIVED)} == {"place", "navigate", "describe"}
        assert self.kinds["no steps"](LIVED) == []

    def test_it_is_the_same_each_time(self) -> None:
        assert all(damage(LIVED) == damage(LIVED) for damage in self.kinds.values())


@pytest.mark.parametrize(
    ("text", "kind", "hinted"),
    [
        (
            "Could you set up my tea corner?",
            "user_pattern",
            "I'm thinking of my tea corner. Could you get things ready",
        ),
        ("Can you arrange the jug for lunch?", "user_pattern", "It's time for lunch. Could you get the jug ready"),
        ("Can you sort the hats as usual?", "user_pattern", "I'm thinking of the hats. Could you get things ready"),
        ("Put the gift from my friend down.", "object_semantics", "Put the present from my pal down."),
    ],
)
def test_hints(text: str, kind: str, hinted: str) -> None:
    assert hint(text, kind).startswith(hinted)


def test_elsewhere_is_judged_by_the_place_that_is_named(home: Memento) -> None:
    places = match_places(home)
    (episode,) = elsewhere(home, places)
    text = episode.instruction.text
    assert text.startswith("Can you get everything ready for story night, on the ")
    assert text.endswith(" this time?")
    assert "couch" not in text
    known = known_by_name(places["home"])
    said = text.replace("everything ready for story night", "put the lamp and the stuffed toy side by side")
    done = perform(episode, known, [(said.replace("get put", "put"), ())], TextLikeness(None))
    assert done.verdict.success
    usual = perform(
        episode, known, [("Put the lamp and stuffed toy on the couch, side by side.", ())], TextLikeness(None)
    )
    assert usual.verdict.complete == (False, False, True)


def test_joined_episodes_ask_for_all_in_order_and_never_for_one_thing_twice(home: Memento) -> None:
    import random

    gift, night = home.stages["single"]
    joint = _joined([gift, night], random.Random(0))
    assert joint is not None
    assert joint.truth.gold == ("1", "2")
    assert [len(joint.truth.propositions), len(joint.things)] == [4, 4]
    order, last = joint.truth.constraints[0], joint.truth.constraints[1:]
    assert order["args"]["dag_edges"] == [[0, 1]]
    assert [constraint["args"]["proposition_indices"] for constraint in last] == [[0], [1, 2, 3]]
    assert _joined([gift, gift], random.Random(0)) is None


@pytest.mark.parametrize("names", [[], ["--rename", "1"]])
def test_the_command_writes_figures_pictures_and_the_household_trace(tmp_path: Path, names: list[str]) -> None:
    data = memento_files.write(tmp_path / "data")
    out, file = tmp_path / "out", tmp_path / "f.json"
    arguments = ["--data", str(data), "--out", str(out), "--json", str(file), "--embedding", "lexical", *names]
    outcome = CliRunner().invoke(command, arguments)
    assert outcome.exit_code == 0, outcome.output
    found = json.loads(file.read_text())
    assert found.keys() >= {"planner", "retrieval", "propositions", "acquisition", "single", "joint", "profile_noise"}
    assert found["single"]["sr"] == 100.0
    assert ("renamed" in found) == bool(names)
    assert {of["joint"]["sr"] for of in found["appendix"]["robustness"].values()} == {100.0}
    assert found["appendix"]["harder"]["elsewhere this time"]["n"] == 1
    report = (out / "report.md").read_text()
    assert ("Renamed with seed 1" in report) == bool(names)
    for name in ("retrieval.png", "task.png", "robustness.png", "harder.png"):
        assert name == "retrieval.png" or name in report
        assert (out / name).read_bytes().startswith(b"\x89PNG")
    keys = read_trace(out / "household.trace").keys
    assert len(set(keys)) == 4
    if not names:
        assert keys[:4] == ("home/red_mug_:0000", "home/blue_mug_:0000", "home/red_mug_:0000", "home/red_mug_:0000")
