# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_bridge.backend import Skill, Target
from sim_bridge.skills import RELATIONS, SKILLS, SkillError, validate


def test_every_skill_of_the_architecture_is_in_the_table() -> None:
    documented = (
        "Explore GoToObject PickupObject PutObject OpenObject CloseObject SwitchOn SwitchOff ToggleOn ToggleOff "
        "SliceObject BreakObject ThrowObject Navigate Pick Place Wait FindObject FindReceptacle FindRoom DescribeObject"
    )
    assert set(SKILLS) == set(documented.split())


def test_only_what_cannot_be_undone_is_irreversible() -> None:
    assert {s.name for s in SKILLS.values() if s.irreversible} == {"SliceObject", "BreakObject", "ThrowObject"}


def test_an_unknown_skill_is_answered_with_the_closest_names() -> None:
    with pytest.raises(SkillError, match="did you mean PickupObject"):
        validate(Skill("pickupobjekt", Target(category="Apple")))


def test_a_missing_argument_is_named() -> None:
    with pytest.raises(SkillError, match="PickupObject needs target"):
        validate(Skill("PickupObject"))
    with pytest.raises(SkillError, match="PutObject needs receptacle"):
        validate(Skill("PutObject", Target(category="Apple")))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e9])
def test_positions_must_be_finite_and_near(value: float) -> None:
    with pytest.raises(SkillError, match="finite"):
        validate(Skill("GoToObject", Target(category="Apple", position=(0.0, value, 0.0))))
    with pytest.raises(SkillError, match="position 1"):
        validate(Skill("Explore", positions=((0.0, 0.0, 0.0), (value, 0.0, 0.0))))


@pytest.mark.parametrize("value", [math.nan, -1.0, 1e9])
def test_a_wait_must_be_a_time(value: float) -> None:
    with pytest.raises(SkillError, match="duration"):
        validate(Skill("Wait", duration=value))


def test_a_wait_of_no_time_is_allowed() -> None:
    validate(Skill("Wait", duration=0.0))


def test_an_unknown_relation_is_refused() -> None:
    with pytest.raises(SkillError, match="on, in, near"):
        validate(Skill("PutObject", receptacle=Target(category="Bowl"), relation="under"))


def test_oversized_text_and_control_characters_are_refused() -> None:
    with pytest.raises(SkillError, match="characters"):
        validate(Skill("PickupObject", Target(id="x" * 100_000)))
    with pytest.raises(SkillError, match="control"):
        validate(Skill("PickupObject", Target(id="Apple\x00")))


texts = st.text(max_size=300)
numbers = st.floats(allow_nan=True, allow_infinity=True)
points = st.tuples(numbers, numbers, numbers)
targets = st.builds(Target, texts, texts, st.none() | points)


@given(
    st.builds(
        Skill,
        st.sampled_from(sorted(SKILLS)) | texts,
        targets,
        targets,
        st.sampled_from(RELATIONS) | texts,
        st.lists(points, max_size=3).map(tuple),
        numbers,
    )
)
def test_any_call_is_either_valid_or_refused_with_a_reason(skill: Skill) -> None:
    with contextlib.suppress(SkillError):
        validate(skill)
        assert skill.name in SKILLS
