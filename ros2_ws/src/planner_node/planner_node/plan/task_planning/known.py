# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What KARMA's skills need and do, for robots that name them and do not say (known_skills.yaml)."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from planner_node.skills import SkillSpec

_LOG = logging.getLogger(__name__)


@cache
def completed(spec: SkillSpec) -> SkillSpec:
    """Return a row of a skill table with what it is known to need and do, where the robot says of neither.

    Only for a skill that is known by its name and has the parameters; others are returned as they are.
    """
    known = _known().get(spec.name)
    if spec.effects or known is None or not set(known["of"]) <= {p.name for p in spec.parameters}:
        return spec
    _LOG.info("the robot does not say what %s does; planning with what that skill is known to do", spec.name)
    needs = spec.preconditions or tuple(known["needs"])
    return replace(spec, preconditions=needs, effects=tuple(known["effects"]))


@cache
def _known() -> dict[str, Any]:
    text = files(__package__).joinpath("known_skills.yaml").read_text(encoding="utf-8")
    return dict(yaml.load(text, yaml.CSafeLoader))
