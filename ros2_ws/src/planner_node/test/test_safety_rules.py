# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karma_language.vocabulary import household
from planner_node.check.safety.rules import RulesError, household_rules, load_rules, parse, say

RULE = """\
version: 1
groups:
  pointed: [Knife, Pencil]
rules:
  - name: no pencils
    when: {skills: [PickupObject], target: [pointed]}
    decision: refuse
    message: "I don't take the {target}."
"""


def test_the_rules_that_come_with_karma_are_in_order() -> None:
    assert len(household_rules().rules) > 20


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("[pointed]", "[ponted]", 6, "did you mean pointed"),
        ("[PickupObject]", "[PickUpObject]", 6, "did you mean PickupObject"),
        ("[Knife, Pencil]", "[Knive, Pencil]", 3, "Knive"),
        ("refuse", "forbid", 7, "refuse"),
        ("target:", "traget:", 6, "traget"),
        ("{target}.", "{target.__class__}.", 5, "{target.__class__}"),
        ("version: 1", "version: 2", 1, "version"),
        ("    decision: refuse\n", "    decision: refuse\n    decision: warn\n", 8, "twice"),
        ("decision: refuse", "decision: put_right", 5, "skill"),
        ("skills: [PickupObject], ", "", 6, "names the skills"),
        ("when: {", "when: {{", 7, "YAML"),
        ("[pointed]", "*pointed", 6, "alias"),
        ("skills: [PickupObject]", "at: end", 5, "nothing to refuse"),
        ("target: [pointed]", "target_in: [Drawer]", 6, "target"),
        ("target: [pointed]", "target: [pointed], target_in: [Drawr]", 6, "did you mean Drawer"),
        ("target: [pointed]", "target: [pointed], near: {things: [Bed], within: -1.0}", 6, "within"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_with_its_line(old: str, new: str, line: int, says: str) -> None:
    assert old in RULE
    with pytest.raises(RulesError, match=rf"rules\.yaml: line {line}: ") as error:
        parse(RULE.replace(old, new, 1), household(), "rules.yaml")
    assert says in str(error.value)


DEEP = pytest.param("a: " + "[" * 1000 + "]" * 1000, id="deep")


NONE = ("version: 2026-02-30", "version: !!int ''")


@pytest.mark.parametrize("text", ["", "rules", "[]", "version: 1", "version: 1\nrules: []", "a: [", *NONE, DEEP])
def test_a_file_without_rules_is_no_file_of_rules(text: str) -> None:
    with pytest.raises(RulesError):
        parse(text, household(), "rules.yaml")


def test_the_first_file_of_rules_is_read_and_a_newer_one_is_refused() -> None:
    text = (Path(__file__).resolve().parent / "golden" / "rules-b35dffa2.yaml").read_text()
    first = parse(text, household(), "mine.yaml")
    assert {"breaking panes", "electronics in water"} <= {rule.name for rule in first.rules}
    assert len(first.rules) == text.count("\n  - name:")
    with pytest.raises(RulesError, match=r"mine\.yaml: line \d+: version 2; .* up to 1: update KARMA"):
        parse(text.replace("version: 1", "version: 2"), household(), "mine.yaml")


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=r"missing\.yaml: can't be read"):
        load_rules(tmp_path / "missing.yaml", household())


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    for whole in (text, RULE + text, RULE.replace("pointed", text)):
        try:
            parse(whole, household(), "rules.yaml")
        except RulesError as error:
            assert "rules.yaml: " in str(error)  # noqa: PT017 - either way is right, another exception is not


def test_names_of_things_are_not_looked_into_again() -> None:
    assert say("{held} {target}", {"held": "{target}", "target": "bed"}) == "{target} bed"


def test_a_name_has_the_article_that_goes_with_it() -> None:
    assert say("A {held} is on a {target}: the {held}.", {"held": "egg", "target": "plate"}) == (
        "An egg is on a plate: the egg."
    )
    assert say("A {held} does not go in there.", {"held": "boots"}) == "Boots does not go in there."
