# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Values that nobody has thought of: from a message's definition, or from something valid by a change."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from importlib import import_module
from random import Random
from typing import Any

from rosidl_parser.definition import (
    AbstractGenericString,
    AbstractNestedType,
    Array,
    BasicType,
    NamespacedType,
)

TEXTS = (
    *(
        "",
        " ",
        "\0",
        "a\0b",
        "\n",
        "\x1b[2J\x07",
        "\u202eevil",
        "\ufffe",
        "e\u0301" * 40,
        "ß" * 300,
        "🫖🫖",
        "x" * 70_000,
    ),
    *("{", "[[[[", "[" * 5000, "{}", "null", "NaN", '{"a": 1e999}', '{"user": "ann", "text": "\\ud800"}', "!!int ''"),
    *("'; DROP TABLE events; --", '" OR 1=1', "%s%n%d", "{0.__class__}", "$(id)", "<script>alert(1)</script>", "-1"),
    *("../../etc", "2026-02-30", "99999-01-01", "9" * 400, "put it there", "forget everything", "yes", "the the the"),
)
"""What has broken programs before. No absolute path: what takes one writes there."""
FLOATS = (math.nan, math.inf, -math.inf, -0.0, 5e-324, 1e-9, -1.0, 1.0, 1e9, 3.4e38, 1e300, -1e300, 0.5)
INTEGERS = (
    0,
    1,
    -1,
    2,
    3,
    7,
    99,
    255,
    2**15,
    2**31 - 1,
    -(2**31),
    2**32 - 1,
    2**63 - 1,
    -(2**63),
    2**64 - 1,
    253402300800,
)
"""Limits of the types, and the second after the year 9999."""
MOST = 300
"""Elements of a long array of messages; of numbers a hundred times as many."""


class Garbage:
    """Makes garbage; the same for the same seed."""

    def __init__(self, seed: str, known: Sequence[str] = ()) -> None:
        """`known`: ids, names and words that mean something where the garbage goes."""
        self.random = Random(seed)  # noqa: S311 - nothing is secret
        self._known = tuple(known)
        self._huge = self.random.random() < 0.05

    def text(self, old: str = "") -> str:
        """Return a text: known, nasty, noise, or `old` with a change in it."""
        chance = self.random.random()
        if self._known and chance < 0.5:
            return self.random.choice(self._known)
        if old and chance < 0.7 and old[0] not in "/~":  # a changed path may be one that means something
            return self.data(old.encode(errors="replace")).decode(errors="replace").lstrip("/~")
        if chance < 0.9:
            return self.random.choice(TEXTS)
        return "".join(
            chr(self.random.choice((32, 128, 0xD7FF, 0x10FFFF)) - self.random.randrange(32)) for _ in range(9)
        )

    def number(self, kind: str) -> Any:
        """Return a number of a type of ROS, by its name there."""
        if kind == "boolean":
            return self.random.random() < 0.5
        if kind in ("float", "double", "long double"):
            floats = [f for f in FLOATS if kind != "float" or not math.isfinite(f) or abs(f) < 3.5e38]
            return self.random.choice(floats) if self.random.random() < 0.7 else self.random.uniform(-20.0, 20.0)
        if kind in ("octet", "char"):
            return bytes([self.random.randrange(256)]) if kind == "octet" else self.random.randrange(256)
        bits, signed = int(kind.lstrip("uint")), not kind.startswith("u")
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        return self.random.choice(
            [i for i in INTEGERS if low <= i <= high] + [low, high, self.random.randint(low, high)]
        )

    def value(self, slot: Any, depth: int = 0) -> Any:
        """Return a value of a field's type (rosidl_parser.definition)."""
        if isinstance(slot, BasicType):
            return self.number(slot.typename)
        if isinstance(slot, AbstractGenericString):
            return self.text()[: getattr(slot, "maximum_size", None)]
        if isinstance(slot, NamespacedType):
            return self.message(message_class("/".join(slot.namespaced_name())), depth + 1)
        assert isinstance(slot, AbstractNestedType)
        if isinstance(slot, Array):
            return [self.value(slot.value_type, depth) for _ in range(slot.size)]
        most = 3 if depth > 1 else MOST * 100 if isinstance(slot.value_type, BasicType) else MOST
        length = most if self._huge and self.random.random() < 0.2 else self.random.choice((0, 0, 1, 1, 1, 2, 3))
        length = min(length, getattr(slot, "maximum_size", length))
        if not length:
            return []
        return [self.value(slot.value_type, depth + (length > 3)) for _ in range(min(length, 3))] * (
            length // min(length, 3)
        )

    def message(self, cls: type[Any], depth: int = 0) -> Any:
        """Return a message in which most fields are garbage and some are as they are by default."""
        made = cls()
        for name, slot in zip(made.get_fields_and_field_types(), made.SLOT_TYPES, strict=True):
            if self.random.random() < 0.7:
                setattr(made, name, self.value(slot, depth))
        return made

    def mutated(self, message: Any) -> Any:
        """Return a copy of a message with one to three fields changed, however deep they are."""
        made = copy.deepcopy(message)
        for _ in range(self.random.choice((1, 1, 2, 3))):
            self._change(made)
        return made

    def _change(self, message: Any) -> None:
        fields = list(zip(message.get_fields_and_field_types(), message.SLOT_TYPES, strict=True))
        if not fields:
            return
        name, slot = self.random.choice(fields)
        old = getattr(message, name)
        inner = [old] if isinstance(slot, NamespacedType) else []
        if isinstance(slot, AbstractNestedType) and isinstance(slot.value_type, NamespacedType):
            inner = list(old)
        if inner and self.random.random() < 0.8:
            self._change(self.random.choice(inner))
        elif isinstance(slot, AbstractGenericString):
            setattr(message, name, self.text(old)[: getattr(slot, "maximum_size", None)])
        elif (
            isinstance(slot, AbstractNestedType)
            and not isinstance(slot, Array)
            and len(old)
            and self.random.random() < 0.5
        ):
            cut = self.random.randrange(len(old) + 1)
            setattr(
                message,
                name,
                self.random.choice((old[:cut], old[cut:], [*old, *old][: getattr(slot, "maximum_size", None)])),
            )
        else:
            setattr(message, name, self.value(slot))

    def data(self, data: bytes) -> bytes:
        """Return bytes with one to eight places of them changed, cut out, doubled or put in."""
        made = bytearray(data)
        for _ in range(self.random.choice((1, 1, 1, 2, 4, 8))):
            at = self.random.randrange(len(made) + 1)
            some = self.random.choice((1, 1, 2, 4, 8, 64))
            match self.random.randrange(6):
                case 0:
                    del made[at:]
                case 1:
                    del made[at : at + some]
                case 2:
                    made[at:at] = made[at : at + some] * self.random.choice((1, 1, 2, 50))
                case 3:
                    made[at : at + some] = self.random.choice((b"\0", b"\xff", b"\x7f", b"\x80")) * some
                case _:
                    made[at : at + some] = self.random.randbytes(some)
        return bytes(made)

    def tree(self, value: Any) -> Any:
        """Return what JSON or YAML says, with one place of it changed."""
        if isinstance(value, (dict, list)) and value and self.random.random() < 0.9:
            made = copy.copy(value)
            key = self.random.choice(list(made) if isinstance(made, dict) else range(len(made)))
            chance = self.random.random()
            if chance < 0.1:
                del made[key]
            elif chance < 0.2 and isinstance(made, dict):
                made[self.text(str(key))] = made.pop(key)
            elif chance < 0.25 and isinstance(made, list):
                made.insert(key, made[key])
            else:
                made[key] = self.tree(made[key])
            return made
        if isinstance(value, str) and self.random.random() < 0.5:
            return self.text(value)
        choices: tuple[Any, ...] = (
            None,
            True,
            [],
            {},
            [[]],
            {"": None},
            self.text(),
            self.random.choice(FLOATS),
            self.random.choice(INTEGERS),
        )
        return self.random.choice((*choices, -value if isinstance(value, (int, float)) else [value, value]))


def message_class(name: str) -> Any:
    """Return the class of package/folder/Name; of an action's services and messages, too (…/Name_SendGoal)."""
    package, folder, kind = name.split("/")
    module = import_module(f"{package}.{folder}")
    if hasattr(module, kind):
        return getattr(module, kind)
    action, _, part = kind.rpartition("_")
    cls = getattr(module, action)
    more = getattr(cls.Impl, part, None) or getattr(cls.Impl, f"{part}Service", None)
    return getattr(cls, part) if more is None else more
