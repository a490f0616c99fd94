# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Other names for everything: the names are new, what belongs together stays together, and the scores stay."""

from __future__ import annotations

import re
from pathlib import Path

import memento_files
import pahf_home
import pytest

from karma_eval.memento.episodes import RememberedEpisodes
from karma_eval.memento.likeness import TextLikeness
from karma_eval.memento.renamed import renamed, renaming
from karma_eval.memento.task import figures, run_task
from karma_eval.memento.task_data import load
from karma_eval.pahf import renamed as pahf
from karma_eval.pahf.agent import ABLATIONS
from karma_eval.pahf.protocol import run
from karma_eval.pahf.scenarios import load as load_pahf
from karma_eval.renaming import NOUNS, Renaming
from karma_memory.preferences import Likeness


def test_words_are_renamed_throughout_with_their_plurals_and_capitals():
    new = Renaming(["toy_train", "can", "box"], seed=1, kept=["shelf"])
    train, toy, can = new.words["train"], new.words["toy"], new.words["can"]
    assert new.name("toy_train_3") == f"{toy}_{train}_3"
    assert new.text("Toys, the train's can; boxing.") == f"{toy.capitalize()}s, the {train}'s {can}; boxing."
    assert new.text("Can you bring the can that can be opened?") == f"Can you bring the {can} that can be opened?"
    assert len(set(new.words.values())) == len(new.words)
    assert not set(new.words.values()) & {*new.words, "shelf"}


def test_a_seed_gives_the_same_words_and_another_one_others():
    words = ["lamp", "cup", "bowl"]
    assert Renaming(words, 1).words == Renaming(words, 1).words != Renaming(words, 2).words
    assert set(Renaming(words, 1).words.values()) <= set(NOUNS.split())
    assert not set(Renaming(words, 1, invented=True).words.values()) & set(NOUNS.split())
    many = [f"thing{'abcdefghij'[n // 10]}{'abcdefghij'[n % 10]}" for n in range(100)] * 2
    assert len(set(Renaming([*many, *words], 1).words.values())) == 103  # there are not so many nouns


@pytest.mark.parametrize("invented", [False, True])
def test_memento_has_no_old_name_left_and_the_same_scores(tmp_path: Path, invented: bool) -> None:
    data = load(memento_files.write(tmp_path / "data"))
    other = renamed(data, renaming(data, 3, invented=invented))
    assert not re.search(r"red_mug|blue_mug|\bbear_|cup_|lamp|stuffed|toy\b|'home'", repr(other))
    scores = []
    for name, some in (("old", data), ("new", other)):
        with RememberedEpisodes(tmp_path / name, None, name) as memory:
            scores.append([figures(of) for of in run_task(some, memory, TextLikeness(None)).values()])
    assert scores[0] == scores[1]


def test_pahf_has_no_old_name_left_and_the_same_choices_are_right(tmp_path: Path) -> None:
    phases = load_pahf(pahf_home.write_home(tmp_path))
    new = pahf.renaming(phases, 3)
    other = pahf.renamed(phases, new)
    assert {"porridge", "blanket", "cake"} <= set(new.words)
    assert not {"shelf", "desk", "table", "counter"} & set(new.words)  # places
    assert not re.search(r"Ada|Bo\b|porridge|blanket|\bcakes?\b", repr(other))
    both = [ABLATIONS[-1]]
    old_rate, new_rate = (
        run(some, Likeness(None), seed=1, progress=lambda _: None, ablations=both)["both"]["phase1"].figures()["sr"]
        for some in (phases, other)
    )
    assert new_rate == pytest.approx(old_rate, abs=5.0)
