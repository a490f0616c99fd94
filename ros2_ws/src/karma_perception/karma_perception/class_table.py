# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What classes mean in a household: their names, whether they can be carried off, and which states they have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

STATES: Mapping[str, tuple[str, str]] = {
    "heated": ("temperature", "Hot"),
    "cooked": ("isCooked", "true"),
    "sliced": ("isSliced", "true"),
    "cleaned": ("isDirty", "false"),
    "dirty": ("isDirty", "true"),
    "filled": ("isFilledWithLiquid", "true"),
    "used up": ("isUsedUp", "true"),
    "off": ("isToggled", "false"),
    "on": ("isToggled", "true"),
    "opened": ("isOpen", "true"),
    "closed": ("isOpen", "false"),
}
"""The states that KARMA's vision-language model tells apart (figure 10) → key and value in the scene graph."""


class ClassTableError(ValueError):
    """A class table that cannot be used; the message says why."""


@dataclass(frozen=True)
class ClassTable:
    """The household's view of a detector's classes."""

    names: Mapping[str, str | None] = field(default_factory=dict)
    """Detector's class, lower case → household's; None: left out."""
    static: frozenset[str] = frozenset()
    states: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Household's class → names in `STATES`."""

    def category(self, name: str) -> str | None:
        """Return the household's class for a detector's, None for one that is left out.

        An unknown one becomes CamelCase: "traffic light" is TrafficLight.
        """
        known = name.strip().lower()
        if known in self.names:
            return self.names[known]
        words = "".join(c if c.isalnum() else " " for c in name).split()
        return "".join(w[0].upper() + w[1:] for w in words) or None

    def movable(self, category: str) -> bool:
        """Whether a thing of a household's class can be carried off."""
        return category not in self.static

    def states_of(self, category: str) -> tuple[str, ...]:
        """Return the states that a thing of a household's class can be in; none when there is nothing to ask."""
        return self.states.get(category, ())


class _StateGroup(BaseModel):
    model_config = ConfigDict(extra="forbid")
    of: list[str]
    classes: list[str]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")
    names: dict[str, str | None] = Field(default_factory=dict)
    static: list[str] = Field(default_factory=list)
    states: list[_StateGroup] = Field(default_factory=list)


def read_class_table(file: Path | None = None) -> ClassTable:
    """Read a table from YAML or JSON; without a file, the one that comes with this package.

    `ClassTableError` when it cannot be read, or says something that is not known.
    """
    shown = "the class table" if file is None else f"the class table {file}"
    try:
        source = resources.files("karma_perception").joinpath("household.yaml") if file is None else file
        content = _File.model_validate(yaml.load(source.read_text(encoding="utf-8"), yaml.CSafeLoader) or {})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise ClassTableError(f"{shown} is wrong at {where}: {first['msg']}") from error
    except (OSError, yaml.YAMLError, ValueError, LookupError, RecursionError) as error:  # 30 February, `!!int ''`
        raise ClassTableError(f"{shown} cannot be read: {error}") from error
    states: dict[str, tuple[str, ...]] = {}
    for group in content.states:
        unknown = sorted(set(group.of) - STATES.keys())
        if unknown:
            raise ClassTableError(f"{shown} names states that are not known: {unknown}; there are {sorted(STATES)}")
        for name in group.classes:
            states[name] = (*states.get(name, ()), *group.of)
    names = {name.strip().lower(): category for name, category in content.names.items()}
    return ClassTable(names, frozenset(content.static), states)
