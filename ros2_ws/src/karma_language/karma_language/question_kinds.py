# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is asked for, by a question's parts: a table, of which the first row that fits counts."""

from __future__ import annotations

from collections.abc import Callable

from karma_language.question_parts import HOME, OPERATED, ROOMS, Parts
from karma_language.reading import Kind, Relation, Thing, Where
from karma_language.words import GENERIC, LIE, STATES, each

_WHAT = ("what", "which")
_STATED = ("", "what", "which", "why", "how many", "how long")
SEE = frozenset(each("see spot notice find come run"))
_OWN = frozenset(each("have own find see get know contain hold keep"))
_GLANCE = frozenset(each("look check search inspect visit peek"))
_OTHERWISE = frozenset(each("change different new miss move shift otherwise go out"))
_MOVE = frozenset(each("move take touch shift remove steal change"))
_HAPPEN = frozenset(("happen", "go on", "take place", "become", "occur"))
_FINISH = frozenset(each("do finish achieve manage accomplish succeed"))
_HOLD = frozenset(each("hold carry grip grasp"))
_SIZES = frozenset(each("biggest largest smallest tallest bigger larger smaller taller"))
_ASK = frozenset(each("ask want order request"))
_SAY = frozenset(each("tell say give"))
_FAIL = frozenset(each("fail"))
_GO = frozenset(each("get go come walk reach find"))
_SKILLS = frozenset(each("skills skill abilities capabilities functions tricks"))


def kind_of(parts: Parts) -> Kind | None:
    """Return what is asked for; None for what only people can have told. Parts that it shows to be others move."""
    if not parts.auxiliary and parts.participle and parts.wh != "who":
        parts.auxiliary = "did"  # "… when you turned it on"
    _rearrange(parts)
    if (parts.auxiliary == "will" and parts.wh not in ("where", "how")) or (
        parts.auxiliary == "should" and parts.wh not in ("how", "why")
    ):
        return None
    return next((kind for kind, fits in _TABLE if fits(parts)), None)


def _rearrange(p: Parts) -> None:
    """Give nouns and verbs the parts that the question's form shows them to have."""
    first, _, particle = p.verb.partition(" ")
    holder = p.thing if p.thing is not None and not p.agent and first in ("contain", "hold", "have") else None
    if holder is not None and (p.wh or p.other is not None) and not (p.wh == "which" and p.head):
        where = p.place.relation if p.place is not None and p.place.thing.pronoun else Relation.IN
        p.place, p.thing, p.verb = Where(relation=where, thing=holder), p.other, ""
        p.left = [word for word in p.left if p.other is None or word != p.other.text]
        p.auxiliary = "is"
    if p.wh in _WHAT and p.stranded and p.head is None and p.thing is not None and p.place is None and not p.agent:
        if p.verb or not p.thing.pronoun:
            p.wh = "where"  # "what is it lying on?"
        else:
            p.place, p.thing = Where(relation=Relation.IN, thing=p.thing), None  # "what is it inside?"
    if p.wh == "what" and p.state == "on" and p.head is None and p.thing and not (p.verb or p.agent or p.place):
        p.wh, p.state = "where", ""  # "what is it on?"
    if p.wh in _WHAT and p.head is not None and _holds(p.head) and p.thing is not None and not p.state:
        if p.thing.pronoun and not p.stranded:
            p.state = next((STATES[word] for word in p.thing.attributes if word in STATES), "")
            p.thing = None  # "which mug is the clean one?"
        elif p.stranded or (p.verb == "have" and not p.agent) or not (p.verb or p.place or p.agent):
            p.wh, p.place = "where", None  # "which drawer is it in?", "which room has a bathtub?"
    if first in OPERATED and particle in ("on", "off", "out") and (p.agent == "one" or first in ("leave", "forget")):
        p.state, p.verb = p.state or STATES[particle], first
    elif (
        not p.state
        and _says_state(p)
        and not p.agent
        and (p.thing or p.head or p.wh == "what")
        and p.auxiliary in ("is", "have")
        and p.wh in _STATED
    ):
        p.state, p.verb = STATES[p.verb], ""  # "is the mug washed?"
    elif p.agent == "one" and p.wh == "" and p.verb in STATES and p.past:
        p.state, p.verb = STATES[p.verb], "leave"  # "did I lock the safe?"
    if p.head is not None and p.head.text.casefold() in GENERIC:
        p.anything = True
    if p.head is not None and p.verb in ("finish", "do", "complete"):
        p.head = None  # "what jobs have you finished?"
    if p.head is not None and p.place is not None and p.thing is not None and p.thing.pronoun and not p.stranded:
        p.thing = None  # "which things they are on the shelf"
    if p.head is not None and (p.thing is None or p.wh.startswith("how")) and p.wh != "where":
        p.thing = p.head
    if p.place is not None and p.thing is None and p.wh == "how":
        p.thing, p.place = p.place.thing, None


def _holds(thing: Thing) -> bool:
    """Whether a thing may be where others are: "room", "drawer", and not "colour", "time"."""
    return bool(thing.categories or thing.room) or thing.text.casefold() in ROOMS


def _says_state(p: Parts) -> bool:
    """Whether the verb says a state: "sliced", "running"."""
    return p.verb in STATES and (p.participle or STATES[p.verb] == "on")


def _known(p: Parts) -> bool:
    return p.thing is not None and bool(p.thing.categories or p.thing.room)


def _verb(p: Parts) -> str:
    return p.verb.split()[0] if p.verb else ""


def _lies(p: Parts, *more: str) -> bool:
    """Whether the verb says no more than that something is there."""
    return not p.verb or _verb(p) in LIE or p.verb in more


def _wrong(p: Parts) -> bool:
    return p.wh == "what" and bool({"wrong", "problem", "matter"} & {*p.words})


def _otherwise(p: Parts) -> bool:
    asked = p.anything or p.wh == "what"
    if asked and p.agent != "you" and bool(_OTHERWISE & {*p.words}) and p.verb != "go on" and not _known(p):
        return True
    if p.wh == "what" and p.verb in _HAPPEN and p.thing is not None and not p.anything:
        return True
    moved = p.past and p.thing is not None and p.wh == "" and not p.place and not p.state
    return moved and (_verb(p) in _MOVE if p.agent == "one" else p.agent == "" and _verb(p) in ("change", "move"))


def is_failed(p: Parts) -> bool:
    """Whether it is asked why something did not work."""
    return p.undone or _wrong(p) or _verb(p) in _FAIL


def is_undone(p: Parts) -> bool:
    """Whether it is asked what is not done yet."""
    if p.agent == "you" and {"undone", "unfinished"} & p.said:
        return True
    if p.agent == "you" and p.undone and p.wh == "what":
        return _verb(p) in ("do", "finish", "manage")
    if p.agent == "you" and p.words[:2] == ("have", "do") and p.wh == "what":
        return True
    todo = p.words == ("do",) and not p.agent and p.auxiliary in ("is", "have") and (p.wh == "what" or p.anything)
    return (todo and p.thing is None) or (p.agent == "you" and p.past and p.anything and p.verb in ("do", "finish"))


def _asked(p: Parts) -> bool:
    if p.agent == "you" and p.auxiliary == "have" and p.words[1:2] == ("do",) and p.participle:
        return p.words[0] in _ASK | _SAY  # "what have you been told to do?"
    if p.agent != "one" or p.wh not in _WHAT or not p.words:
        return False
    return (p.words[0] in _ASK and p.auxiliary != "do") or (p.words[0] in _SAY and len(p.words) > 1 and "you" in p.said)


def _looked(p: Parts) -> bool:
    if p.agent != "you" or not p.past:
        return False
    been = p.auxiliary == "have" and p.wh == "" and p.place is not None and not (p.verb or p.thing or p.anything)
    return been or (_verb(p) in _GLANCE and p.wh in ("", "where", *_WHAT))


def _held(p: Parts) -> bool:
    if p.held:
        return True
    if p.agent == "you" and p.wh == "what" and p.verb == "have" and p.there and p.thing is None:
        return True
    return _verb(p) in _HOLD and p.agent == "you" and p.wh in ("what", "which", "") and p.auxiliary in ("is", "do")


def _robot(p: Parts) -> bool:
    if p.agent != "you" or p.state or (p.thing is not None and p.thing is not p.head):
        return False
    if p.wh == "where":
        return _verb(p) in ("", "go") and p.thing is None
    in_room = p.wh in _WHAT and p.head is not None and _holds(p.head) and not p.verb and p.auxiliary in ("is", "have")
    return in_room or (p.wh == "" and p.auxiliary == "is" and p.place is not None and not p.verb)


def _able(p: Parts) -> bool:
    if p.agent != "you":
        return False
    if {"able", "capable", "good"} & {*p.words}:
        return True
    if p.wh in _WHAT and p.head is not None:
        return p.head.text.casefold() in _SKILLS
    plain = p.thing is None and p.place is None and p.verb in ("do", "help", "")
    return plain and ((p.auxiliary == "can" and p.wh in ("what", "how")) or (p.wh, p.auxiliary) == ("what", "do"))


def _why(p: Parts) -> bool:
    if _wrong(p):
        return True
    if p.wh != "why":
        return False
    bare = (
        (p.thing is None or p.thing.pronoun)
        and p.place is None
        and not p.agent
        and _verb(p) in ("", "do", "fail", "stop")
    )
    if p.agent == "you" or bare:
        return True
    said = not p.agent and p.auxiliary not in ("do", "does") and bool(p.state or p.place or p.verb)
    return said and p.thing is not None and (_known(p) or p.thing.pronoun)


def _who(p: Parts) -> bool:
    if p.wh != "who" or not p.verb or p.thing is None:
        return False
    if p.agent == "you" and p.verb in _ASK | _SAY and p.auxiliary in ("", "do"):
        return True  # "who told you to put it there?"
    return p.agent == "" and (p.participle or p.auxiliary == "have") and (p.direct or p.verb in _ASK)


def _where(p: Parts) -> bool:
    if p.wh == "where" and p.thing is not None:
        return _known(p) or p.thing.pronoun or _lies(p, *SEE, "take", "bring", "drop", "lay", "stash", "set")
    if p.wh == "" and p.thing is not None and p.agent and _verb(p) in SEE and p.place is None:
        return True
    placed = p.thing is not None and p.place is not None and not p.state and p.agent != "you"
    return p.wh == "" and placed and p.either and _lies(p)


def _about(p: Parts) -> bool:
    known = p.wh == "what" and (
        (p.agent == "you" and _verb(p) in ("know", "tell", "say")) or (p.agent == "one" and _verb(p) in _SAY)
    )
    return p.thing is not None and "about" in p.said and (known or not (p.wh or p.auxiliary or p.verb))


def _how_long(p: Parts) -> bool:
    if p.wh != "how long" or p.thing is None or p.auxiliary not in ("", "is", "have"):
        return False
    return bool(p.state or p.there) or (p.place is not None and _lies(p)) or _verb(p) in ("miss", "go")


def _when(p: Parts) -> bool:
    acted = p.past or (p.auxiliary == "is" and (p.participle or p.agent != ""))
    return p.wh == "when" and p.thing is not None and acted and bool(p.verb) and (_known(p) or p.agent == "you")


def _count(p: Parts) -> bool:
    if p.wh in _WHAT:  # "which rooms are there?"
        home = p.place is not None and p.place.thing.last_word in HOME
        named = p.head is not None and p.head.plural and not p.state and p.agent in ("", "one")
        return bool(named) and (home or (p.place is None and (p.there or _verb(p) in _OWN)))
    if p.wh not in ("how many", "how much"):
        return False
    if p.agent:
        return not p.verb or _verb(p) in _OWN or (_lies(p) and (p.place is not None or p.auxiliary == "have"))
    return _lies(p) and (p.head is not None or p.thing is None)


def _which(p: Parts) -> bool:
    placed = p.place is not None and p.wh == "which" and not p.anything
    ours = p.agent == "one" and p.auxiliary == "have" and not p.verb  # "which lamp have we got on?"
    return p.wh in _WHAT and (ours or not p.agent) and _lies(p) and bool(p.state or (placed and p.head is not None))


def _contents(p: Parts) -> bool:
    if p.agent == "you" and p.past and _verb(p) in LIE - SEE:
        return False  # "what did you put on the table?"
    if (p.wh, p.agent, p.verb) == ("what", "you", "see") and not (p.past or p.thing or p.place):
        return True
    asks = p.anything if p.wh == "" else p.wh == "what" or (p.wh == "which" and p.anything)
    if not asks or p.state or not (_lies(p) or _verb(p) in _OWN):
        return False
    if p.place is not None:
        return p.thing is None or p.thing is p.head or p.thing.pronoun
    return p.there and (p.head is not None or not p.thing) and p.wh == "what"


def _exists(p: Parts) -> bool:
    kinds = p.wh == "what" and p.head and p.agent == "one" and p.auxiliary == "have" and _known(p)  # "what fruit have"
    if (p.wh and not kinds) or p.thing is None or p.state:
        return False
    if p.agent:
        if p.verb == "know" and "of" not in p.said:
            return False
        seen = p.place is not None and _verb(p) == "see" and p.auxiliary in ("do", "did", "can")
        seen = seen or (p.place is not None and p.agent == "one" and p.past and _lies(p))  # "did I leave it there?"
        return seen or (
            p.auxiliary in ("do", "did", "have") and p.verb in ("", "have", "own", "get", "know", "contain")
        )
    been = p.auxiliary in ("have", "did") and p.place is not None
    return _lies(p) and (p.auxiliary == "is" or been) and bool(p.place or p.there or p.thing.number)


def _state(p: Parts) -> bool:
    if p.wh == "how" and p.auxiliary == "is" and p.verb == "" and not p.agent and not p.state:
        return _known(p)  # "how is the oven?"
    if p.wh == "" and p.verb in ("", "down") and not (p.state or p.place) and p.auxiliary == "is":
        p.state, p.verb = "open" if "up" in p.said else "closed" if "down" in p.said else "", ""  # lids, blinds
    if p.wh or p.thing is None or not p.state:
        return False
    if p.agent:
        return p.past and _verb(p) in ("leave", "forget", "turn", "switch")
    return p.auxiliary in ("is", "have", "") and p.verb == ""


def _what_done(p: Parts) -> bool:
    if p.wh not in _WHAT or p.agent != "you":
        return False
    if not p.verb or p.verb in _FINISH:
        return p.auxiliary in ("is", "did", "have")
    return (p.past or p.participle) and _verb(p) not in SEE


def _whether_done(p: Parts) -> bool:
    if p.wh or not p.verb or p.state or p.verb in ("know", "have"):
        return False
    if p.agent == "you":
        return p.past and bool(p.thing or p.place or p.anything or p.verb in STATES or p.verb in _FINISH)
    return p.agent == "" and p.thing is not None and p.auxiliary in ("is", "have", "did") and p.participle


_BIG = frozenset(f"how {word}" for word in each("big large small tall wide high heavy"))

_TABLE: tuple[tuple[Kind, Callable[[Parts], bool]], ...] = (
    (Kind.HOLDING, _held),
    (Kind.ROBOT, _robot),
    (Kind.ABLE, _able),
    (Kind.ROUTE, lambda p: p.wh == "how" and _verb(p) in _GO and p.auxiliary != "is" and p.thing is not None),
    (Kind.SIZE, lambda p: p.thing is not None and (bool(_SIZES & {*p.words}) or p.wh in _BIG)),
    (Kind.WHY, _why),
    (Kind.WHO, _who),
    (Kind.ASKED, is_undone),
    (Kind.ASKED, _asked),
    (Kind.LOOKED, _looked),
    (Kind.CHANGED, _otherwise),
    (Kind.HAPPENED, lambda p: p.verb in _HAPPEN and (p.wh == "what" or p.anything)),
    (Kind.HAPPENED, lambda p: (p.wh, p.agent, p.verb) == ("what", "one", "miss")),
    (Kind.ABOUT, _about),
    (Kind.HOW_OFTEN, lambda p: p.wh == "how often" and bool(p.verb) and p.thing is not None),
    (Kind.HOW_LONG, _how_long),
    (Kind.WHEN, _when),
    (Kind.COUNT, _count),
    (Kind.WHERE, _where),
    (Kind.WHICH, _which),
    (Kind.CONTENTS, _contents),
    (Kind.STATE, _state),
    (Kind.EXISTS, _exists),
    (Kind.DID, _what_done),
    (Kind.DID, _whether_done),
)
