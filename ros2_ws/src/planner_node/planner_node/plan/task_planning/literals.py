# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Literals of skill tables and physics: "holding(target)", "not on(target, ?)"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_FORM = re.compile(r"\s*(?P<no>not\s+)?(?P<predicate>[A-Za-z]\w*)\s*\((?P<arguments>[^()]*)\)\s*")

ANY = "?"
"""The argument that stands for whatever it is."""


class LiteralError(ValueError):
    """A text that is no literal."""


@dataclass(frozen=True, order=True)
class Literal:
    """A predicate over symbols, or its negation."""

    predicate: str
    arguments: tuple[str, ...] = ()
    positive: bool = True

    @staticmethod
    def parse(text: str) -> Literal:
        """Read one literal. Raises LiteralError."""
        match = _FORM.fullmatch(text)
        if match is None:
            raise LiteralError(f"{text[:80]!r} is no literal such as 'holding(target)' or 'not closed(target)'")
        arguments = tuple(a.strip() for a in match["arguments"].split(",") if a.strip())
        return Literal(match["predicate"], arguments, not match["no"])

    def __invert__(self) -> Literal:
        return Literal(self.predicate, self.arguments, not self.positive)

    def __str__(self) -> str:
        return f"{'' if self.positive else 'not '}{self.predicate}({', '.join(self.arguments)})"

    def bound(self, binding: Mapping[str, str]) -> Literal:
        """Return the literal with its arguments replaced where `binding` says by what."""
        return Literal(self.predicate, tuple(binding.get(a, a) for a in self.arguments), self.positive)


def parse_all(texts: Iterable[str]) -> tuple[Literal, ...]:
    """Read literals. Raises LiteralError."""
    return tuple(Literal.parse(text) for text in texts)
