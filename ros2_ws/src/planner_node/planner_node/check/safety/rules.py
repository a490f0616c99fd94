# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Safety rules as data: their form, and reading them from a YAML file. Nothing in the file is ever run."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from karma_language.answers.speech import a
from karma_language.vocabulary import Lexicon, household

ANYTHING = "anything"
"""The name that every thing answers to."""
VERSION = 1
"""Of the files' form."""
_LARGEST_FILE = 262_144
"""Characters."""
_TOKEN = re.compile(r"\{([^{}]*)\}")
_NAMED = re.compile(r"(\b[Aa] )?\{([^{}]*)\}")
_TOKENS = ("held", "target", "beside", "contents", "near")
_THINGS = (
    *("held", "held_is_not", "held_not_in", "target", "target_is_not", "target_in"),
    *("contents", "contents_are_not", "contents_not_in", "beside"),
)
SKILLS = frozenset(
    (
        *("Explore", "GoToObject", "Navigate", "PickupObject", "PutObject", "Pick", "Place"),
        *("OpenObject", "CloseObject", "ToggleOn", "ToggleOff", "SwitchOn", "SwitchOff"),
        *("SliceObject", "BreakObject", "ThrowObject", "Wait"),
        *("FindObject", "FindReceptacle", "FindRoom", "DescribeObject"),
    )
)
"""Skills of the documented table; a robot's others are named in the file (`other_skills`)."""

Metres = Annotated[float, Field(gt=0.0, le=100.0, allow_inf_nan=False)]
Names = Annotated[tuple[str, ...], Field(min_length=1)]


class RulesError(ValueError):
    """A file of rules can't be used; the message says where and why."""


class Decision(str, Enum):
    """What a rule does where it applies."""

    REFUSE = "refuse"
    CONFIRM = "confirm"
    """A person is asked; without a yes in time it is refused."""
    WARN = "warn"
    PUT_RIGHT = "put_right"
    """A skill is run first (rules at a skill), or at last (rules at the end)."""


class At(str, Enum):
    """When a rule is looked at."""

    SKILL = "skill"
    END = "end"
    """Of the instruction; `target` is then what the instruction has switched on and left on."""
    PAUSE = "pause"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)


class Near(_Model):
    """What is to be within some metres, horizontally, of where a skill takes place."""

    things: Names
    within: Metres
    asker: bool = False
    """Whether the place counts, too, at which the instruction was given, for a skill that goes there."""


class When(_Model):
    """What has to hold, all of it, for a rule to apply."""

    at: At = At.SKILL
    skills: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    """What is in the gripper, or in or on that."""
    held_is_not: tuple[str, ...] = ()
    held_not_in: tuple[str, ...] = ()
    """What it is not to be, or go, right in or on."""
    held_states: Mapping[str, str] = Field(default_factory=dict)
    target: tuple[str, ...] = ()
    """What the skill acts on: its target, or for putting down the receptacle and what holds that."""
    target_is_not: tuple[str, ...] = ()
    target_in: tuple[str, ...] = ()
    """What it is in or on, or what that is in or on."""
    target_states: Mapping[str, str] = Field(default_factory=dict)
    contents: tuple[str, ...] = ()
    """What is on or in the target, or in what the target serves."""
    contents_are_not: tuple[str, ...] = ()
    contents_not_in: tuple[str, ...] = ()
    """What they are not right in or on."""
    beside: tuple[str, ...] = ()
    """What something is to be put next to."""
    beside_states: Mapping[str, str] = Field(default_factory=dict)
    near: Near | None = None
    asked: bool | None = None
    """Whether the words of the instruction ask for what the skill does."""

    @model_validator(mode="after")
    def _says_enough(self) -> When:
        if self.at is At.SKILL and not self.skills:
            raise ValueError("a rule at a skill names the skills")
        if self.at is not At.SKILL and self.skills:
            raise ValueError(f"a rule at the {self.at.value} names no skills")
        if not (self.skills or self.held or self.target):
            raise ValueError("a rule names held things or targets")
        for more, what in (
            (self.held_is_not + self.held_not_in, "held"),
            (self.target_is_not + self.target_in, "target"),
            (self.contents_are_not + self.contents_not_in, "contents"),
        ):
            if more and not getattr(self, what):
                raise ValueError(
                    f"what the {what} is not, or is in, narrows {what}, which is missing; write {what}: [{ANYTHING}]"
                )
        for states, of in (
            (self.held_states, self.held),
            (self.target_states, self.target),
            (self.beside_states, self.beside),
        ):
            if states and not of:
                raise ValueError(
                    f"states are those of held, target or beside, which is missing; [{ANYTHING}] is every thing"
                )
        return self


class Rule(_Model):
    """One rule."""

    name: Annotated[str, Field(min_length=1, max_length=120)]
    when: When
    decision: Decision
    skill: str = ""
    """PUT_RIGHT: the skill that is run on the target."""
    message: Annotated[str, Field(min_length=1, max_length=400)]
    """For people; {held}, {target}, {beside}, {contents} and {near} stand for what these things are called."""

    @model_validator(mode="after")
    def _fits(self) -> Rule:
        if (self.decision is Decision.PUT_RIGHT) is not bool(self.skill):
            raise ValueError("`skill` says how something is put right; put_right needs it, and nothing else has it")
        if self.when.at is not At.SKILL and self.decision in (Decision.REFUSE, Decision.CONFIRM):
            raise ValueError(
                f"at the {self.when.at.value} there is nothing to {self.decision.value}: warn or put right"
            )
        if self.when.at is At.PAUSE and self.decision is Decision.PUT_RIGHT:
            raise ValueError("a paused robot does not move: warn")
        unknown = [token for token in _TOKEN.findall(self.message) if token not in _TOKENS]
        if unknown:
            raise ValueError(f"the message has {{{unknown[0]}}}; it may have {', '.join(f'{{{t}}}' for t in _TOKENS)}")
        return self


class Serves(_Model):
    """Which receptacles a switch works on."""

    things: Names
    within: Metres


class Rules(_Model):
    """A file of rules."""

    version: Annotated[int, Field(ge=1, le=VERSION)]
    other_categories: tuple[str, ...] = ()
    other_skills: tuple[str, ...] = ()
    groups: Mapping[str, Names] = Field(default_factory=dict)
    serves: Mapping[str, Serves] = Field(default_factory=dict)
    rules: Annotated[tuple[Rule, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _names_differ(self) -> Rules:
        names = [rule.name for rule in self.rules]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two rules are called {twice[0]!r}")
        return self


def say(message: str, things: Mapping[str, str]) -> str:
    """Return a rule's message with the names of things in it; what they contain is not looked at again."""

    def named(found: re.Match[str]) -> str:
        name = things.get(found[2]) or "thing"
        said = a(name) if found[1] else name
        return said[:1].upper() + said[1:] if found[1] and found[1].istitle() else said

    return _NAMED.sub(named, message)


@cache
def household_rules() -> Rules:
    """Return the rules that come with this package."""
    text = files("planner_node.check.safety").joinpath("household.yaml").read_text(encoding="utf-8")
    return parse(text, household(), "household.yaml")


def load_rules(path: str | Path, lexicon: Lexicon) -> Rules:
    """Read the rules in a file. Raises RulesError, which names the line, when they can't be used as they are."""
    try:
        text = Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RulesError(f"{path}: can't be read: {error}") from error
    return parse(text, lexicon, str(path))


def parse(text: str, lexicon: Lexicon, source: str) -> Rules:
    """Return the rules that a YAML text says. Raises RulesError."""
    if len(text) > _LARGEST_FILE:
        raise RulesError(f"{source}: has {len(text)} characters; at most {_LARGEST_FILE}")
    try:
        _no_aliases(text, source)
        tree = yaml.compose(text, Loader=yaml.CSafeLoader)
        data = yaml.load(text, yaml.CSafeLoader)
    except RulesError:
        raise
    except (yaml.YAMLError, ValueError, LookupError, RecursionError) as error:  # 30 February, `!!int ''`
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        raise RulesError(f"{source}: {where}is no YAML: {getattr(error, 'problem', None) or error}") from error
    if tree is None or not isinstance(data, dict):
        raise RulesError(f"{source}: holds no rules")
    _no_key_twice(tree, source)
    version = data.get("version")
    if isinstance(version, int) and version > VERSION:
        line = _line(tree, ("version",))
        raise RulesError(
            f"{source}: line {line}: version {version}; this planner_node knows up to {VERSION}: update KARMA"
        )
    try:
        rules = Rules.model_validate(data)
    except ValidationError as error:
        found = error.errors()[0]
        place = ".".join(str(part) for part in found["loc"])
        line = _line(tree, found["loc"])
        raise RulesError(f"{source}: line {line}: {place or 'the file'}: {found['msg']}") from error
    _check_names(rules, lexicon, tree, source)
    return rules


def _no_aliases(text: str, source: str) -> None:
    """Refuse a text that refers to parts of itself: a few lines could grow to gigabytes."""
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent):
            line = event.start_mark.line + 1 if event.start_mark is not None else 1
            raise RulesError(f"{source}: line {line}: aliases (*name) are not allowed")


def _no_key_twice(node: Any, source: str) -> None:
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                raise RulesError(f"{source}: line {key.start_mark.line + 1}: {key.value!r} is there twice")
            seen.add(str(key.value))
            _no_key_twice(value, source)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _no_key_twice(value, source)


def _line(node: Any, place: Iterable[Any]) -> int:
    """Return the line, from 1, of a place in the tree, as near as the tree has it."""
    line = node.start_mark.line + 1
    for part in place:
        if isinstance(node, yaml.MappingNode):
            found = [(key, value) for key, value in node.value if key.value == str(part)]
            if not found:
                return int(line)
            line, node = found[0][0].start_mark.line + 1, found[0][1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            return int(line)
    return int(line)


def _check_names(rules: Rules, lexicon: Lexicon, tree: Any, source: str) -> None:
    """Raise RulesError where something is named that nothing answers to: such a rule would never apply."""
    classes = {name for kind in lexicon.kinds.values() for name in kind.classes}
    categories = {*lexicon.kinds, *rules.other_categories}
    things = {ANYTHING, *categories, *classes, *rules.groups}
    skills = SKILLS | set(rules.other_skills)

    def check(names: Iterable[str], known: set[str] | frozenset[str], what: str, *place: Any) -> None:
        for name in names:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=2)
                meant = f"; did you mean {' or '.join(near)}?" if near else ""
                line = _line(tree, place)
                raise RulesError(f"{source}: line {line}: {'.'.join(map(str, place))}: no {what} {name!r}{meant}")

    for group, names in rules.groups.items():
        if group in categories or group in classes:
            line = _line(tree, ("groups", group))
            raise RulesError(f"{source}: line {line}: {group!r} is a category or class already")
        check(names, categories | classes, "category or class", "groups", group)
    for switch, serves in rules.serves.items():
        check([switch], categories, "category", "serves", switch)
        check(serves.things, things, "category, class or group", "serves", switch, "things")
    for number, rule in enumerate(rules.rules):
        when, place = rule.when, ("rules", number, "when")
        check(when.skills, skills, "skill", *place, "skills")
        check([rule.skill] if rule.skill else [], skills, "skill", "rules", number, "skill")
        for name in _THINGS:
            check(getattr(when, name), things, "category, class or group", *place, name)
        if when.near is not None:
            check(when.near.things, things, "category, class or group", *place, "near", "things")
