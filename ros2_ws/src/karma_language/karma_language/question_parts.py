# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A question that no frame fits, by its parts: question word, who does it, verb, thing, place, state.

What it does not account for must be little, so that nothing is answered that was not asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from karma_language.noun_phrases import Marked
from karma_language.reading import Kind, Question, Relation, Thing, Where
from karma_language.states import STATES
from karma_language.words import AUXILIARIES, ENDS, PARTICLES, base_form, each

_TOKEN = re.compile(r"<\d+>|[a-z_']+")
_RELATIONS = frozenset(relation.value for relation in Relation)
_WH = frozenset(each("what which who whose whom where when why how"))
_YES_NO = frozenset(AUXILIARIES.values()) | {"is", "do", "did", "have"}
_GENERIC = frozenset(each("thing things stuff object objects item items"))
_HOLDING = frozenset(each("hold carry grip grasp"))
_CHANGING = frozenset(each("change different new miss"))
_SEEING = frozenset(each("see find spot notice"))
_CLOSED = frozenset(PARTICLES.split("|")) | {"around", "one", "you"}
_SPARE = 1
"""Words that may be left over."""


@dataclass(frozen=True)
class _Parts:
    wh: str
    """Question word, with the word behind "how"; "" where yes or no is asked for."""
    thing: Thing | None
    place: Where | None
    state: str
    deed: str
    you: bool
    """Whether the robot is the subject."""
    one: bool
    """Whether people are."""
    there: bool
    past: bool
    """Whether it is asked what was done."""
    anything: bool
    left: int
    """Words that nothing accounts for."""


def by_parts(form: Marked, quote: str) -> Question | None:
    """Return the question that a sentence with marks (`_direct` of `questions`) asks by its parts; None for none."""
    parts = _parts(form)
    if parts is None or parts.left > _SPARE or " if " in form.text:
        return None
    kind = _kind(parts)
    if kind is None:
        return None
    deed = parts.deed or ("see" if kind is Kind.WHEN else "")
    thing = None if kind is Kind.CONTENTS and parts.place is not None else parts.thing
    return Question(quote=quote, kind=kind, thing=thing, place=parts.place, state=parts.state, deed=deed)


def _parts(form: Marked) -> _Parts | None:
    tokens = _TOKEN.findall(form.text)
    start = next((at for at, token in enumerate(tokens) if token in _WH), None)
    if start is None:
        start = next((at for at, token in enumerate(tokens) if token in _YES_NO), None)
        wh = ""
    else:
        wh = tokens[start]
    if start is None or start > 2:
        return None
    left = sum(not token.startswith("<") for token in tokens[:start])
    tokens = tokens[start + bool(wh) :]
    if wh == "how" and tokens:
        wh, tokens = f"how {tokens[0]}", tokens[1:]
    thing: Thing | None = None
    place: Where | None = None
    state, deeds = "", list[str]()
    for at, token in enumerate(tokens):
        after = tokens[at + 1] if at + 1 < len(tokens) else ""
        if token.startswith("<"):
            named, before = form.thing(token), tokens[at - 1] if at else ""
            if before in _RELATIONS and place is None:
                place = Where(relation=Relation(before), thing=named)
            elif thing is None or (thing.pronoun and not named.pronoun) or thing.text.casefold() in _GENERIC:
                thing = named if thing is None or not named.pronoun else thing
            elif not named.pronoun:
                left += 1
        elif token in STATES and not after.startswith("<"):
            state = token
        elif token in ENDS or token in _CLOSED or token in _RELATIONS or token in _YES_NO or token.endswith("_"):
            continue
        else:
            deeds.append(base_form(token))
    return _Parts(
        wh,
        thing,
        place,
        state,
        deeds[0] if deeds else "",
        "you" in tokens,
        "one" in tokens,
        "there" in tokens,
        bool({"did", "have"} & {*tokens[:1]}),
        "anything" in tokens or (thing is not None and thing.text.casefold() in _GENERIC),
        left + len(deeds[1:]),
    )


def _kind(parts: _Parts) -> Kind | None:
    """Return what is asked for. What people do and have only they know: None."""
    match parts.wh:
        case "how many" | "how much" if parts.thing is not None and not parts.deed:
            return Kind.COUNT
        case "how often" if parts.you:
            return Kind.HOW_OFTEN
        case "where":
            if parts.thing is not None and parts.thing.categories:
                return Kind.WHERE
            return Kind.ROBOT if parts.you and parts.thing is None and not parts.one else None
        case "when" if parts.you and parts.thing is not None:
            return Kind.WHEN
        case "why" if parts.you:
            return Kind.WHY
        case "what" | "which":
            return _which(parts)
        case "":
            return _whether(parts)
    return None


def _which(parts: _Parts) -> Kind | None:
    if parts.you and not parts.one:
        if parts.deed in _HOLDING:
            return Kind.HOLDING
        about = parts.thing is not None or parts.place is not None
        return Kind.DID if parts.past and (about or not parts.left) else None
    if parts.one or parts.deed:
        return Kind.CHANGED if parts.deed in _CHANGING and not parts.one else None
    if parts.state and parts.thing is not None:
        return Kind.WHICH
    return Kind.CONTENTS if parts.place is not None and (parts.thing is None or parts.anything) else None


def _whether(parts: _Parts) -> Kind | None:
    if parts.left:
        return None
    known = parts.thing is not None and bool(parts.thing.categories)
    if parts.state and known:
        return Kind.STATE
    about = known or parts.anything
    if parts.you and parts.past and about and parts.deed and parts.deed not in _SEEING:
        return Kind.DID
    if parts.anything and parts.place is not None:
        return Kind.CONTENTS
    return Kind.EXISTS if known and (parts.place is not None or parts.there or parts.one) else None
