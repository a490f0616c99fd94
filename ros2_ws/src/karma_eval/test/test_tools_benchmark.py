# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Tools beside emem's: days whose truth is known, a judge that is the same for both, and the figures."""

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from karma_eval.emem_peer import available
from karma_eval.tools.command import command
from karma_eval.tools.day import PLACES, ROOM, THINGS, Day, Did, Saw, make_day
from karma_eval.tools.measure import START, ask, start
from karma_eval.tools.questions import Truth, holds, is_outdated, questions
from karma_memory.tools import TOOLS

NOW = 1_790_000_000.0
EMEM = {
    *("semantic_search", "spatial_query", "temporal_query", "episode_summary", "get_current_context"),
    *("search_gists", "entity_query", "locate", "recall", "body_status"),
}
needs_emem = pytest.mark.skipif(not available(), reason="emem is not installed: ./karma bench installs it")


def a_day(seed: int = 1) -> Day:
    return make_day(NOW, random.Random(seed))


def test_the_same_seed_gives_the_same_day_and_another_seed_another() -> None:
    assert a_day(1) == a_day(1)
    assert a_day(1) != a_day(2)


@pytest.mark.parametrize("seed", range(8))
def test_a_day_is_in_order_and_no_place_holds_more_than_it_has_room_for(seed: int) -> None:
    day = a_day(seed)
    stamps = [entry.stamp for entry in day.entries]
    assert stamps == sorted(stamps)
    assert stamps[-1] < NOW
    assert {*day.known} == {*THINGS}
    assert max(len(day.there(place)) for place in PLACES) <= ROOM


def test_where_a_thing_is_follows_from_what_was_seen_and_done() -> None:
    kitchen, desk, shelf = PLACES[0], PLACES[2], PLACES[3]
    day = Day(NOW)
    day.add(Saw(NOW - 30.0, "mug", kitchen))
    day.add(Did(NOW - 20.0, "ann", "mug", desk))
    day.add(Did(NOW - 10.0, "ann", "mug", shelf, reason="it is too heavy"))
    assert day.place("mug") == desk
    assert day.place("mug", NOW - 25.0) == kitchen
    assert day.left("mug") == [kitchen]
    assert day.there(desk) == ["mug"]
    assert day.there(shelf) == []
    assert day.seen == {"mug": 1}


@pytest.mark.parametrize("seed", range(8))
def test_every_tool_of_emem_has_a_question_that_silence_does_not_answer(seed: int) -> None:
    asked = [*questions(a_day(seed))]
    assert {one.job for one in asked} == EMEM
    assert {one.karma[0] for one in asked} <= {*TOOLS}
    for one in asked:
        assert not holds("No observations found.", one.truth)
        assert not holds("I don't know.", one.truth)


@needs_emem
def test_the_tools_are_those_that_emem_has() -> None:
    from emem.tools import TOOL_SCHEMAS

    assert {*TOOL_SCHEMAS} == EMEM


MUG = Truth((("mug", "coffee table"),), outdated=(("mug", "desk"),))


@pytest.mark.parametrize(
    ("answer", "right", "outdated"),
    [
        ("The mug is on the coffee table, in the living room.", True, False),
        ("long_term:home/mug: Mug is on the CoffeeTable, in living room", True, False),
        ("1. mug on the desk in the study\n2. mug on the coffee table in the living room", True, True),
        ("a\nb\nc\nThe mug is on the coffee table.", False, False),
        ("Observations:\n  [detections]\na\nb\nThe mug is on the coffee table.", True, False),
        ("The mug is in the sink. The book is on the coffee table.", False, False),
        ("mug on the bed | book on the coffee table", False, False),
        ("The mugs are on the coffee table.", False, False),
    ],
)
def test_an_answer_is_right_where_one_sentence_of_its_first_lines_says_it(
    answer: str, right: bool, outdated: bool
) -> None:
    assert holds(answer, MUG) is right
    assert is_outdated(answer, MUG) is outdated


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("1. [entity/object] (1.0,1.2) [seen 2x] mug", True),
        ("It is there. id: mug, at [1.00, 1.00, 0.80]", True),
        ("Location: (4.2, 4.0, 0.7)\nRadius: 1.0m", False),
        ("1.0", False),
    ],
)
def test_a_position_is_right_within_half_a_metre(answer: str, right: bool) -> None:
    assert holds(answer, Truth(at=(1.0, 1.0))) is right


def test_one_of_several_words_is_enough_for_a_fact() -> None:
    often = Truth((("seen 2x|twice|2 times",),))
    assert holds("[seen 2x] mug", often)
    assert holds("Twice.", often)
    assert not holds("[seen 12x] mug", often)


def test_what_is_right_depends_on_what_is_remembered() -> None:
    answers = ask(1, 1, "lexical", peer=False)["karma"]
    day = make_day(NOW, random.Random("1 0"))
    assert len(answers) == len([*questions(day)])
    assert sum(one.right for one in answers) > len(answers) / 2
    other = [*questions(make_day(NOW, random.Random("2 0")))]
    assert sum(holds(one.text, asked.truth) for one, asked in zip(answers, other, strict=True)) < len(answers) / 2


def test_the_quick_start_is_run_and_its_lines_are_counted() -> None:
    begun = start("karma")
    assert begun.right
    assert begun.lines == len(START["karma"].splitlines()) == 4


@pytest.mark.slow
@pytest.mark.parametrize("peer", [False, pytest.param(True, marks=needs_emem)])
def test_the_report_has_both_where_both_are_installed(tmp_path: Path, peer: bool) -> None:
    file = tmp_path / "report.json"
    options = ["--days", "1", "--embedder", "lexical", "--json", str(file), "--peer" if peer else "--no-peer"]
    result = CliRunner().invoke(command, options)
    assert result.exit_code == 0, result.output
    report = json.loads(file.read_text())
    assert {*report["memories"]} == ({"karma", "emem"} if peer else {"karma"})
    for figures in report["memories"].values():
        assert {*figures["jobs"]} == EMEM
        assert figures["all"]["questions"] == sum(job["questions"] for job in figures["jobs"].values())
        assert figures["all"]["right_and_current"] <= figures["all"]["right"] <= figures["all"]["right_anywhere"]
        assert figures["all"]["right"] > 0
    assert {*report["definitions_tokens"]} == {*report["memories"]}
    assert ("emem" in report["start"]) is peer
