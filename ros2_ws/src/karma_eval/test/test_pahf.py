# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import json
import os
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pahf_home
import pytest
from click.testing import CliRunner

from karma_eval.pahf.agent import ABLATIONS, Agent
from karma_eval.pahf.command import command
from karma_eval.pahf.person import ANSWERS, CORRECTIONS, PLACE_ANSWERS, PLACE_CORRECTIONS, THANKS, Person, is_right
from karma_eval.pahf.protocol import PhaseResult, run
from karma_eval.pahf.report import checks
from karma_eval.pahf.scenarios import Instruction, Intent, Scenario, ScenarioError, load, users
from karma_language.told.wishes.phrases import named
from karma_memory.preferences import Likeness, Turn
from karma_memory.recall.embedder import EmbedderError, MiniLmEmbedder

DATA = os.environ.get("KARMA_DATA", "")
PHASES = ("phase1", "phase2", "phase3", "phase4")
RENAMED = {
    "Ada": "Quentin", "Bo": "Rosalind", "porridge": "muesli", "waffles": "crepes", "scrambled": "boiled",
    "flute": "clarinet", "drum": "cymbal", "magazine": "newspaper", "comic": "brochure", "shears": "rake",
    "secateurs": "spade", "closet": "wardrobe", "bench": "sill", "desk": "table", "cake": "pie", "tart": "pudding",
    "sideboard": "dresser",
}  # fmt: skip
Rates = dict[str, list[float]]


@pytest.fixture(scope="module")
def likeness() -> Likeness:
    try:
        return Likeness(MiniLmEmbedder())
    except EmbedderError as error:
        pytest.skip(str(error))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return pahf_home.write_home(tmp_path / "home")


def results_of(folder: Path, likeness: Likeness) -> dict[str, dict[str, PhaseResult]]:
    return run(load(folder), likeness, seed=1, progress=lambda _: None)


def rates(results: dict[str, dict[str, PhaseResult]]) -> Rates:
    return {name: [of[phase].figures()["sr"] for phase in PHASES] for name, of in results.items()}


def test_the_ablations_come_out_as_the_paper_explains(home: Path, likeness: Likeness) -> None:
    results = results_of(home, likeness)
    figures = {name: {phase: of.figures() for phase, of in by.items()} for name, by in results.items()}
    assert all(checks(figures).values()), checks(figures)
    first = {name: [of[phase]["iterations"][0] for phase in ("phase1", "phase3")] for name, of in figures.items()}
    assert first["both"][0]["sr"] == 100.0
    assert first["none"][0]["ff"] == 0.0
    assert first["both"][0]["asked"] > 80.0
    assert first["post"][0]["asked"] == first["none"][0]["asked"] == 0.0
    assert figures["both"]["phase3"]["iterations"][-1]["sr"] == 100.0
    assert all(figures[name][phase]["ff"] == 0.0 for name in figures for phase in ("phase2", "phase4"))


def test_other_names_of_users_objects_and_places_give_the_same_scores(
    home: Path, likeness: Likeness, tmp_path: Path
) -> None:
    other = pahf_home.write_home(tmp_path / "renamed", RENAMED)
    assert users(load(other)["phase1"]) == ["Quentin", "Rosalind"]
    assert "porridge" not in "".join(file.read_text() for file in other.rglob("*.json"))
    assert rates(results_of(other, likeness))["both"] == rates(results_of(home, likeness))["both"]


class Eavesdropper(Agent):
    """Notes all that the agent gets."""

    got: list[Any]

    def begin(self, instruction: Instruction, *, learning: bool) -> Turn:
        self.got.append(instruction)
        return super().begin(instruction, learning=learning)

    def answer(self, turn: Turn, words: str) -> None:
        self.got.append(words)
        super().answer(turn, words)

    def feedback(self, turn: Turn, words: str) -> None:
        self.got.append(words)
        super().feedback(turn, words)


@pytest.fixture
def overheard(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    got: list[Any] = []
    monkeypatch.setattr(Eavesdropper, "got", got, raising=False)
    monkeypatch.setattr("karma_eval.pahf.protocol.Agent", Eavesdropper)
    return got


def test_the_agent_never_gets_intents_or_context_tags(home: Path, likeness: Likeness, overheard: list[Any]) -> None:
    phases = load(home)
    assert {field.name for field in fields(Instruction)} == {"user", "task", "scene"}
    run(phases, likeness, seed=1, progress=lambda _: None)
    sentences = [
        template.partition("{")[0] for template in (*ANSWERS, *PLACE_ANSWERS, *CORRECTIONS, *PLACE_CORRECTIONS)
    ]
    instructions = {scenario.instruction for scenarios in phases.values() for scenario in scenarios}
    for item in overheard:
        if isinstance(item, str):
            assert item in THANKS or any(item.startswith(start) for start in sentences)
        else:
            assert item in instructions
            assert set(vars(item)) == {"user", "task", "scene"}


def test_without_feedback_the_intents_change_no_choice(home: Path, likeness: Likeness) -> None:
    """Nothing leaks: with intents nobody can guess, an agent without channels and memory chooses the same."""
    phases = load(home)
    secret = {
        phase: [replace(scenario, intent=Intent("secret", "secret")) for scenario in scenarios]
        for phase, scenarios in phases.items()
    }
    choices = [
        [o.choice for of in run(p, likeness, seed=1, progress=lambda _: None, ablations=ABLATIONS[:1])["none"].values()
         for outcomes in of.iterations for o in outcomes]
        for p in (phases, secret)
    ]  # fmt: skip
    assert choices[0] == choices[1]


def test_context_tags_and_indexes_are_not_even_read(home: Path) -> None:
    before = load(home)
    for file in home.rglob("*.json"):
        items = json.loads(file.read_text())
        file.write_text(
            json.dumps([{k: v for k, v in i.items() if k not in ("context", "index", "scene")} for i in items])
        )
    assert load(home) == before


@pytest.mark.parametrize("template", [*ANSWERS, *CORRECTIONS])
def test_what_the_scripted_user_wants_can_be_heard(template: str) -> None:
    options = ("waffles", "scrambled eggs", "porridge with honey")
    assert named(template.format(options[2], options[0]), options) == options[2]
    assert named(template.format("blue cheese", options[0]), options) == "blue cheese"


@pytest.mark.parametrize("template", [*PLACE_ANSWERS, *PLACE_CORRECTIONS])
def test_where_the_scripted_user_wants_it_can_be_heard(template: str) -> None:
    options = ("counter", "window bench")
    assert named(template.format("window bench", "counter"), options) == "window bench"
    assert named(template.format("kitchen counter", "counter"), options) == "kitchen counter"


@pytest.mark.parametrize("thanks", THANKS)
def test_thanks_say_nothing_of_a_choice(thanks: str) -> None:
    assert named(thanks, ("waffles", "porridge")) == ""


def test_the_judge_wants_object_and_place() -> None:
    put, bring = Intent("cake", "sideboard"), Intent("cake", "")
    assert is_right(put, "cake", "Sideboard")
    assert not is_right(put, "cake", "")
    assert not is_right(put, "tart", "sideboard")
    assert is_right(bring, "Cake", "")
    assert not is_right(bring, "cake", "sideboard")


def test_the_user_speaks_only_of_what_is_wanted() -> None:
    person = Person(1)
    for _ in range(30):
        assert "cake" in person.answer(Intent("cake", ""))
        assert "sideboard" in person.answer(Intent("cake", "sideboard"))
        assert person.react(Intent("cake", ""), "cake", "") in THANKS
        assert "sideboard" in person.react(Intent("cake", "sideboard"), "cake", "desk")


def test_the_figures_by_hand() -> None:
    scenario = Scenario(Instruction("Ada", "cake?", ("cake",)), Intent("cake", ""))
    outcome = run({"phase2": [scenario]}, Likeness(None), seed=1, progress=lambda _: None, ablations=ABLATIONS[:1])
    one = outcome["none"]["phase2"].iterations[0][0]
    right, asked = replace(one, right=True, asked=True), replace(one, right=False, corrected=True)
    result = PhaseResult([[right, asked, asked, asked], [replace(one, right=True)] * 4])
    figures = result.figures()
    assert (figures["n"], figures["sr"], figures["ff"]) == (8, (25 + 100) / 2, (100 + 0) / 2)
    assert [row["acpe"] for row in figures["iterations"]] == [75.0, 75.0 / 2]
    assert figures["acpe"] == 75.0 / 2


def test_the_command_writes_figures_report_and_plots(home: Path, tmp_path: Path) -> None:
    arguments = ["--data", str(home), "--out", str(tmp_path / "out"), "--json", str(tmp_path / "f.json")]
    outcome = CliRunner().invoke(command, [*arguments, "--embedding", "lexical"])
    assert outcome.exit_code == 0, outcome.output
    report = json.loads((tmp_path / "f.json").read_text())
    assert report["planner"] == "offline"
    assert list(report["ablations"]) == ["none", "pre", "post", "both"]
    for figures in report["ablations"].values():
        assert set(figures) == set(PHASES)
        assert all({"n", "sr", "ff", "acpe"} <= set(phase) for phase in figures.values())
    assert report["ablations"]["both"]["phase1"]["n"] == 48
    assert "learning_curves.png" in (tmp_path / "out" / "report.md").read_text()
    for name in ("learning_curves.png", "ablations.png"):
        assert (tmp_path / "out" / name).read_bytes().startswith(b"\x89PNG")


def test_data_that_are_not_there_or_malformed_are_refused(home: Path, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="does not have"):
        load(tmp_path / "nothing")
    next(home.rglob("evolved_scenarios_A.json")).write_text('[{"user": "Ada"}]')
    with pytest.raises(ScenarioError, match="evolved_scenarios_A"):
        load(home)
    outcome = CliRunner().invoke(command, ["--data", str(home), "--out", str(tmp_path / "out")])
    assert outcome.exit_code == 1
    assert "evolved_scenarios_A" in outcome.output


@pytest.mark.skipif(not DATA, reason="KARMA_DATA does not name the folder with pahf/")
def test_the_goals_are_met_on_some_users_of_the_data_whatever_they_are_called(likeness: Likeness) -> None:
    phases = load(Path(DATA) / "pahf")
    some = users(phases["phase1"])[::6]
    kept = {p: [s for s in scenarios if s.instruction.user in some] for p, scenarios in phases.items()}
    found = run(kept, likeness, seed=1, progress=lambda _: None, ablations=[ABLATIONS[3]])
    _, before, _, after = rates(found)["both"]
    assert before >= 95.0
    assert after >= 92.0
    called = {
        p: [
            replace(s, instruction=replace(s.instruction, user=f"u{some.index(s.instruction.user)}")) for s in scenarios
        ]
        for p, scenarios in kept.items()
    }
    again = run(called, likeness, seed=1, progress=lambda _: None, ablations=[ABLATIONS[3]])
    assert rates(again) == rates(found)
