# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is left out of several things: "all the lights EXCEPT THE ONE IN THE BEDROOM"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karma_language.phrases.nouns import Phrase
from karma_language.things import Thing, Where


def spared(
    thing: Thing, others: Sequence[Phrase], end: int, where: Callable[[int], tuple[Where, int] | None], *, placed: bool
) -> tuple[Thing, int]:
    """Return a thing without others that are said to be left out, and the index after what tells them.

    `end`: the index after them; `where` reads a place at an index; `placed`: whether it is said already where the thing
    goes. Then what follows says where the last of them is, and so where they differ by nothing else from what is meant.
    """
    if not others and (spot := where(end)) is not None:  # "all the lamps except IN THE KITCHEN"
        return without(thing, [Thing(text="ones", pronoun=True, place=spot[0])]), spot[1]
    *before, last = (one.thing for one in others)
    pointed = is_one(last) and last.definite and not (last.attributes or last.owner)
    alike = {*last.categories} == {*thing.categories} and not (last.attributes or last.owner)
    there = where(end) if last.place is None and (pointed or alike or placed) else None
    if there is not None:
        last, end = last.model_copy(update={"place": there[0]}), there[1]
    return without(thing, (*before, last)), end


def is_one(thing: Thing) -> bool:
    """Whether words mean one of what was spoken of: "the ONE on the desk", "the red ONES"."""
    return thing.pronoun and thing.last_word in ("one", "ones")


def without(thing: Thing, others: Sequence[Thing]) -> Thing:
    """Return all of a thing but others; "the RED one" among these is called by its name."""
    left = [
        thing.model_copy(
            update={
                "text": " ".join((*one.attributes, thing.text)),
                "attributes": one.attributes,
                "place": one.place,
                "owner": one.owner,
                "every": False,
                "plural": one.last_word == "ones",
                "but": (),
            }
        )
        if is_one(one) or (one.pronoun and one.owner)
        else one
        for one in others
    ]
    return thing.model_copy(update={"but": (*thing.but, *left), "every": True})


def narrows(left: Thing, thing: Thing) -> bool:
    """Whether what is not meant is of the same kind, and nothing else says that it isn't."""
    alike = {*left.categories} & {*thing.categories} or left.text.endswith(("one", "ones"))
    told = (left.attributes and not thing.attributes) or (left.owner and not thing.owner)
    return bool(alike and (told or ((left.place or left.room) and not (thing.place or thing.room))))
