# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is left out of several things: "all the lights EXCEPT THE ONE IN THE BEDROOM"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karma_language.phrases.nouns import Phrase
from karma_language.things import Thing, Where

_THE_ONE = ("one", "ones")


def spared(
    thing: Thing, others: Sequence[Phrase], end: int, where: Callable[[int], tuple[Where, int] | None], *, placed: bool
) -> tuple[Thing, int]:
    """Return a thing without others that are said to be left out, and the index after what tells them.

    `end`: the index after them; `where` reads a place at an index; `placed`: whether it is said already where the thing
    goes. Then what follows says where the last of them is, and so where they differ by nothing else from what is meant.
    """
    *before, last = (one.thing for one in others)
    pointed = last.text in _THE_ONE and last.definite
    alike = {*last.categories} == {*thing.categories} and not (last.attributes or last.owner)
    there = where(end) if last.place is None and (pointed or alike or placed) else None
    if there is not None:
        last, end = (thing if pointed else last).model_copy(update={"place": there[0]}), there[1]
    return thing.model_copy(update={"but": (*thing.but, *before, last), "every": True}), end
