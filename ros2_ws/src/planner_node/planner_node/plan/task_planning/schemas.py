# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The rows of a robot's skill table as schemas: what each skill needs and does, over its parameters."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from planner_node.plan.task_planning.known import completed
from planner_node.plan.task_planning.literals import ANY, Literal, LiteralError, parse_all
from planner_node.plan.task_planning.physics import Physics
from planner_node.skills import SkillSpec, SkillTable

_LOG = logging.getLogger(__name__)
_KEPT = 1000
"""Rows of skill tables that are not read again."""


@dataclass(frozen=True)
class Schema:
    """A row of the skill table, read."""

    spec: SkillSpec
    needs: tuple[Literal, ...]
    effects: tuple[Literal, ...]
    roles: tuple[str, ...]

    @property
    def parameters(self) -> frozenset[str]:
        """Names of its arguments."""
        return frozenset(p.name for p in self.spec.parameters)


def schemas(table: SkillTable, physics: Physics) -> list[Schema]:
    """Read the skills that can be planned with: those that say what they do, apart from those that search."""
    return [schema for spec in table.values() if (schema := _schema(spec, physics)) is not None]


@lru_cache(_KEPT)
def _schema(spec: SkillSpec, physics: Physics) -> Schema | None:
    spec = completed(spec)
    if not spec.effects or any(p.type == "points" for p in spec.parameters):
        return None
    try:
        needs, effects = (
            tuple(replace(o, predicate=physics.same.get(o.predicate, o.predicate)) for o in parse_all(texts))
            for texts in (spec.preconditions, spec.effects)
        )
    except LiteralError as error:
        _LOG.warning("the skill %r is not planned with: %s", spec.name, error)
        return None
    arguments = [a for o in (*needs, *effects) for a in o.arguments if a != ANY]
    held = [ANY] if any(ANY in o.arguments and o.positive for o in needs) else []
    schema = Schema(spec, needs, effects, tuple(dict.fromkeys([*arguments, *held])))
    nameable = schema.parameters.intersection(schema.roles) <= {"target", "receptacle"}  # what a call can name
    return schema if nameable else None


def useful(found: Sequence[Schema], physics: Physics) -> list[Schema]:
    """Return the schemas without those that go somewhere in vain: from where they end, no other skill does anything."""
    needed = {n.predicate for schema in found for n in schema.needs if n.predicate in physics.here}
    useful = []
    for schema in found:
        here = {e.predicate for e in schema.effects if e.predicate in physics.here}
        if not here or (needed and needed <= here):
            useful.append(schema)
    return useful


def driving_skill(table: SkillTable, physics: Physics) -> str:
    """Return the skill that does nothing but go to a thing so that it can be handled; empty where there is none."""
    for schema in useful(schemas(table, physics), physics):
        if all(effect.predicate in physics.here for effect in schema.effects):
            return schema.spec.name
    return "GoToObject" if "GoToObject" in table else ""
