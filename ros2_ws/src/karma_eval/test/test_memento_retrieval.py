# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import os
from dataclasses import replace
from pathlib import Path

import pytest

from karma_eval.embedding import CachedEmbedder
from karma_eval.memento.retrieval import Answer, Question, ask, figures, questions
from karma_eval.memento.task_data import Episode, Instruction, Memento, Truth, load
from karma_memory.recall.embedder import MiniLmEmbedder

DATA = os.environ.get("KARMA_DATA", "")
needs_data = pytest.mark.skipif(not DATA, reason="KARMA_DATA does not name the folder with memento/")
EMBEDDER = CachedEmbedder(MiniLmEmbedder())


def answer(scene, gold, *found, kind="user_pattern"):
    return Answer(Question("?", scene, gold, kind), found)


def test_missing_rates_count_gold_memories_not_questions():
    answers = [answer("s", ("a",), "a", "b"), answer("s", ("a", "b"), *"acdb"), answer("s", ("x",), *"abcde")]
    # ranks 1; 1 and 4; none of five: of four gold memories two are not first, two not among three, one not among five
    assert figures(answers) == {"n": 3, "missing_at": {"1": 50.0, "3": 50.0, "5": 25.0}}


@pytest.fixture(scope="module")
def memento():
    return load(Path(DATA) / "memento")


@needs_data
def test_no_gold_memory_is_missing_from_the_first_five(memento):
    single, joint = (ask(memento, questions(memento.stages[s]), EMBEDDER) for s in ("single", "joint"))
    missing = figures(single)["missing_at"]
    assert missing["1"] <= 8.0
    assert missing["3"] <= 1.5
    assert missing["5"] == 0.0
    assert figures(joint)["missing_at"]["3"] <= 1.5


@needs_data
def test_names_of_scenes_and_episodes_do_not_matter(memento):
    def renamed(episode: Episode) -> Episode:
        told: Instruction = episode.instruction
        truth: Truth = episode.truth
        gold = tuple(f"x{g}" for g in truth.gold)
        other = replace(told, episode=f"x{told.episode}", scene=f"x{told.scene}")
        return replace(episode, instruction=other, truth=replace(truth, gold=gold))

    other = Memento({name: tuple(map(renamed, some)) for name, some in memento.stages.items()}, {}, {})
    before, after = (figures(ask(data, questions(data.stages["single"]), EMBEDDER)) for data in (memento, other))
    assert before == after
