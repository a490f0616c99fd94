# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A home's own labels and rooms, from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from karma_language.vocabulary import household
from karma_language.vocabulary.home import HomeWords, load_home
from karma_language.vocabulary.lexicon import VocabularyError

LABELS = {"PencilCase": ["pickup"], "Jug": ["pickup"], "Table": ["hold"], "Cabinet": ["hold", "open"]}


def test_labels_become_words() -> None:
    home = HomeWords.model_validate({"things": LABELS}).added_to(household())
    assert home.noun("pencil case").categories == ("PencilCase",)  # type: ignore[union-attr]
    assert home.noun("pencil cases").plural  # type: ignore[union-attr]
    assert home.can("PencilCase", "pickup")
    assert not home.can("Table", "pickup")


def test_a_label_comes_before_what_the_vocabulary_calls_so() -> None:
    home = HomeWords.model_validate({"things": LABELS}).added_to(household())
    jug, table = home.noun("jug"), home.noun("coffee table")
    assert jug is not None
    assert jug.categories == ("Jug", "Vase")
    assert table is not None
    assert table.categories[0] == "Table"  # the home has no CoffeeTable


def test_things_may_be_put_in_and_on_a_homes_furniture() -> None:
    home = HomeWords.model_validate({"things": LABELS}).added_to(household())
    assert home.kind("Cabinet").either
    assert not household().kind("Cabinet").either


def test_rooms_have_other_names() -> None:
    home = HomeWords.model_validate({"rooms": {"tv room": ["television room"]}}).added_to(household())
    assert home.room("television room") == home.room("tv room") == "tv room"
    assert home.room("kitchen") == "Kitchen"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("things: [a", "can't be read"),
        ("things: 2026-02-30", "can't be read"),
        ("things: !!int ''", "can't be read"),
        ("things: {pencil case: [pickup]}", "things"),
        ("things: {PencilCase: [fly]}", "PencilCase"),
        ("rooms: {TV: []}", "rooms"),
        ("windows: {}", "windows"),
    ],
)
def test_a_file_with_a_mistake_is_refused(tmp_path: Path, text: str, what: str) -> None:
    file = tmp_path / "home.yaml"
    file.write_text(text)
    with pytest.raises(VocabularyError, match=what):
        load_home(file)
    with pytest.raises(VocabularyError, match="can't be read"):
        load_home(tmp_path / "none.yaml")
