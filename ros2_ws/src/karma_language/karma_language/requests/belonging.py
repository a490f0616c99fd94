# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is told of a thing: whose it is, where it belongs, that it is out of order.

"The phone on the desk is Tom's", "the keys live on the dresser", "the toaster doesn't work".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from karma_language.phrases.phrases import Phrases
from karma_language.syntax.segments import LEADS
from karma_language.things import Thing, Where
from karma_language.vocabulary.tokens import STOPS
from karma_language.vocabulary.words import MONTHS, PEOPLE, PERSONS, WEEKDAYS, each

_BE = frozenset(each("is are was were"))
_WERE = frozenset(each("was were"))
_BELONG = frozenset(each("belong belongs belonged"))
_KEPT = frozenset(each("belong belongs live lives go goes kept stay stays"))
_AT_HOME = re.compile(
    r"\bwhere(?:ver)? (?:it|they|that|those|these|this) (?:usually |always |normally |really )?"
    r"(?:belongs?|lives?|goes?|(?:is|are) (?:usually |always |normally )?(?:kept|supposed to be|meant to be))\b"
    r"|\b(?:in|on|to|into) (?:its|their) (?:usual |own |proper |right )?(?:places?|spots?|homes?)\b",
    re.IGNORECASE,
)
_BROKEN = re.compile(
    r"(?:is|are|has been|is still|got) (?:\w+ly )?(?:broken|out of order|defective|kaput|bust|busted|dead)\b"
    r"|(?:does|do|is|are) not (?:work|working)\b|stopped working\b|gives? \w+ (?:a|an) (?:electric )?shock\b"
)
_NOBODY = (
    frozenset(
        each("it you your yours its his her hers him their theirs them this that everyone everybody nobody anyone all")
    )
    | frozenset(each("today yesterday tomorrow tonight"))
    | frozenset((*WEEKDAYS, *MONTHS))
)
"""Words that name no owner by themselves."""
_POINTS = frozenset(each("it that this they those these"))
_APART = frozenset(each(", : ? = — –"))
"""What stands between a thing and whose it is: "the book on the desk? Mine", "the boots: Dad's"."""
OF_SOMEBODY = frozenset(each("his her their theirs hers"))
"""Owners that were named before."""
_HANDS_OVER = frozenset(each("gave given left bought"))
_UNREAL = frozenset(each("not never nobody almost nearly should would could might wish if"))
_GETS = frozenset(each("own bought"))
_GUESSED = frozenset(each("maybe perhaps probably think guess or"))
_FROM_NOW_ON = ["from", "now", "on"]
_ALWAYS = frozenset(each("always usually normally"))
_DUE = frozenset(each("must should has have to"))
_MINE = frozenset(each("mine ours me us"))
_BEHIND_OWNERS = STOPS | PERSONS | LEADS | {"", *each(", by so now any anymore then from for too as really")}
"""Words with which what is said of an owner ends."""
_NAME = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


@dataclass(frozen=True)
class Belonging:
    """What somebody tells of a thing."""

    thing: Thing
    owner: str = ""
    """Whose it is: "me" for who tells it, else a name or a noun, in lower case; "" where that is not told."""
    not_so: bool = False
    """Whether it is told that it is not, or no longer, `owner`'s."""
    past: bool = False
    """Whether it was the owner's once."""
    by_the_way: bool = False
    """Whether the words say something else: "the kids' laptop is on the sofa"."""
    alone: bool = False
    """Whether nothing but punctuation shows that it is told: "the book on the desk: mine"."""
    home: Where | None = None
    """Where it is to be when it is put away."""
    broken: bool = False
    """Whether it does not work."""


def goes_home(text: str) -> bool:
    """Whether something is to go where it belongs, rather than where it was."""
    return _AT_HOME.search(text) is not None


def belongings(phrases: Phrases) -> Iterator[Belonging]:
    """Yield what words tell of whose things are and where they belong."""
    for at, word in enumerate(phrases.words):
        if word in ("i", "we") and (kept := _kept_by(at + 1, phrases) or _got_by(at + 1, phrases)) is not None:
            yield kept
        did = word in _HANDS_OVER and not _UNREAL & {*phrases.words[max(at - 3, 0) : at]}
        if did and (handed := _handed_over(at + 1, phrases)) is not None:
            yield handed
        before, ever = phrases.word(at - 1), phrases.words[: at - (phrases.word(at - 1) == ",")][-3:] == _FROM_NOW_ON
        orders = word in _ALWAYS and before in STOPS | {"", ",", "please", "and"}  # not "you ALWAYS LEAVE it there"
        if (ever or orders) and (kept := _kept_by(at, phrases, ever=ever)) is not None:
            yield kept  # "from now on, PUT THE APPLES IN THE FRIDGE"
        if at and not ever and before not in STOPS | LEADS | {"that", "way", "so", "fact"}:
            continue
        phrase = phrases.read(at, bare=True) if word not in STOPS else None
        if phrase is None:
            continue
        thing, end = phrase.thing, phrase.end
        between = phrases.word(end) == ","  # "the other laptop, ON THE DESK, is mine"
        there = _place(end + between, phrases) if thing.place is None else None
        if there is not None and (not between or phrases.word(there[1]) == ","):
            pointed = phrases.word(there[1] + 1) in _POINTS  # ", THIS ONE is mine"
            thing = thing.model_copy(update={"place": there[0]})
            end = there[1] + (between and not pointed)
        if (found := _told(thing, end, phrases)) is not None:
            yield found
        several, end = phrases.list(at, bare=True)
        if (
            len(several) > 1
            and not any(one.thing.pronoun and one.thing.owner for one in several)
            and (found := _told(several[-1].thing, end, phrases)) is not None
        ):
            yield from (replace(found, thing=one.thing) for one in several)


def is_named(owner: str) -> bool:
    """Whether an owner is somebody, and not "his" or "hers", of whom was spoken of."""
    return bool(owner) and owner not in OF_SOMEBODY


def pointed_at(phrases: Phrases) -> Thing | None:
    """Return the thing that words name, with its place: "the mug on the kitchen counter"; None for no known kind."""
    found = _somewhere(0, phrases)
    return found[0] if found is not None and found[0].categories else None


def _kept_by(at: int, phrases: Phrases, *, ever: bool = False) -> Belonging | None:
    """Return where somebody keeps a thing, by the words after "I": "always put my keys on the side table".

    `ever`: whether they are about all times without "always".
    """
    always = phrases.word(at) in _ALWAYS
    at += always
    if phrases.word(at) not in (("put", "leave", "hang", "keep", "store") if always or ever else ("keep", "store")):
        return None
    phrase = phrases.read(at + 1)
    if phrase is None:
        return None
    found = _place(phrase.end, phrases)
    home = found[0] if found is not None else phrase.thing.place
    return Belonging(phrase.thing.model_copy(update={"place": None}), home=home) if home is not None else None


def _got_by(at: int, phrases: Phrases) -> Belonging | None:
    """Return what is somebody's own, by the words after "I": "own the laptop on the desk"."""
    found = _somewhere(at + 1, phrases) if phrases.word(at) in _GETS else None
    if found is None or not found[0].definite:
        return None
    if phrases.word(found[1]) != "for":
        return Belonging(found[0], "me")
    other = _owner(found[1] + 1, phrases, bare=True)  # "FOR MY SISTER ELLA"
    return Belonging(found[0], other) if other.partition(" ")[0] in PEOPLE else None


def _handed_over(at: int, phrases: Phrases) -> Belonging | None:
    """Return what is the speaker's since it changed hands, by the words after "gave": "me the watch", "it to me"."""
    to_me = phrases.word(at) == "me"
    thing, end = _somewhere(at + to_me, phrases) or (None, at)
    if thing is None or thing.owner or not (thing.definite or thing.pronoun):
        return None
    if phrases.words[end : end + 2] == ["to", "me"] and not to_me:
        to_me, end = True, end + 2
    to_keep = phrases.word(end) in STOPS | {"", ",", "for", "when", "as"}  # not "gave me the phone TO FIX"
    return Belonging(thing, "me") if to_me and to_keep else None


def _told(thing: Thing, at: int, phrases: Phrases) -> Belonging | None:
    """Return what the words from `at` on say of a thing."""
    must = phrases.words[at : at + 2] == ["must", "be"]  # "it MUST BE mine"
    at += must
    word, following = "is" if must else phrases.word(at), phrases.word(at + 1)
    known = thing.pronoun or bool(thing.categories)
    if word in _BE and not must and thing.owner and known and (there := _there(at + 1, phrases)) is not None:
        one = phrases.words[at + 1 : at + 2] == ["the"] or thing.pronoun
        if not one and (word in _WERE or _GUESSED & {*phrases.words}):
            return None  # where it was, or may be, is not where it is
        return Belonging(thing.model_copy(update={"owner": "", "place": there}), thing.owner, by_the_way=not one)
    mine = _somewhere(at + 1, phrases) if word in _BE and thing.owner and thing.pronoun else None
    if mine is not None and mine[0].categories and mine[0].definite:  # "mine is THE MUG IN THE KITCHEN"
        return Belonging(mine[0], thing.owner)
    if (thing.categories or thing.definite) and not thing.owner and (owner := _apart(at, phrases)):
        return Belonging(thing, owner, alone=True)
    if word in _BE and (denied := _denies(at + 1, phrases)) and (owner := _owner(denied, phrases)):
        return Belonging(thing, owner, not_so=True)
    if word in _BE and (owner := _owner(at + 1, phrases)):
        return Belonging(thing, owner, past=word in _WERE)
    if phrases.words[at : at + 3] == ["used", "to", "be"] and (owner := _owner(at + 3, phrases)):
        return Belonging(thing, owner, past=True)
    if word in _BE and (called := phrases.read(at + 1)) is not None and _is_somebodys(called.thing, thing):
        place = _place(called.end, phrases)
        there = place[0] if place is not None else called.thing.place
        meant = called.thing.model_copy(update={"owner": "", "place": there}) if thing.pronoun else thing
        return Belonging(meant, called.thing.owner, past=word in _WERE)
    if word in _BELONG and following == "to" and (owner := _owner(at + 2, phrases, bare=True)):
        return Belonging(thing, owner, past=word == "belonged")
    rest = " ".join(phrases.words[at : at + 5])
    if _BROKEN.match(rest):
        return Belonging(thing, broken=True)
    begin = at
    while phrases.word(begin) in _ALWAYS | _DUE | _BE:
        begin += 1
    lead = {*phrases.words[at:begin]}
    if lead & _DUE and not lead & _ALWAYS and phrases.word(begin) in ("go", "goes"):
        return None  # "the plates HAVE TO GO in the sink": now
    home = _place(begin + 1, phrases) if phrases.word(begin) in _KEPT else None
    return Belonging(thing, home=home[0]) if home is not None and thing.place is None else None


def _there(at: int, phrases: Phrases) -> Where | None:
    """Read which one is somebody's: "the one in the bedroom", "the other one, the one on the desk", "on the desk"."""
    if phrases.word(at) == "the" and phrases.word(at + 1) == "other":
        at += 3 if phrases.word(at + 2) in ("one", "ones") else 2
        at += phrases.word(at) == ","
    if phrases.word(at) == "the" and phrases.word(at + 1) in ("one", "ones"):
        at += 2
    found = _place(at, phrases)
    if found is not None and phrases.word(found[1]) == "," and found[0].thing.is_room:  # "in the bedroom, on the desk"
        within = _place(found[1] + 1, phrases)
        if within is not None:
            thing = within[0].thing.model_copy(update={"room": found[0].thing.room})
            return within[0].model_copy(update={"thing": thing})
    return found[0] if found is not None else None


def _apart(at: int, phrases: Phrases) -> str:
    """Return whose a thing is by what stands behind a mark: ": MINE", ", THAT IS ANNA'S", "— MY HUSBAND EMRE"."""
    mark = phrases.word(at)
    if mark not in _APART:
        return ""
    behind = at + 1
    if phrases.word(behind) in _POINTS:
        behind += 2 if phrases.word(behind + 1) in ("one", "ones") else 1  # "THIS ONE is mine"
    points = behind > at + 1 and phrases.word(behind) in _BE
    if mark == "," and not points:
        return ""  # "put it on the desk, Tom"
    return _owner(behind + 1 if points else at + 1, phrases)


def _is_somebodys(thing: Thing, subject: Thing) -> bool:
    """Whether words say of what stands before them that it is a thing of somebody's: "that is MY LAPTOP"."""
    same = subject.pronoun or not {*subject.categories}.isdisjoint(thing.categories)
    return bool(thing.categories and thing.owner) and thing.owner not in _NOBODY and same


def _denies(at: int, phrases: Phrases) -> int:
    """Return where it goes on behind "not" or "no longer", 0 for neither."""
    longer = phrases.words[at : at + 2] == ["no", "longer"]
    return at + 2 if longer else at + 1 if phrases.word(at) == "not" else 0


def _somewhere(at: int, phrases: Phrases) -> tuple[Thing, int] | None:
    """Read a thing with where it is, and the index after that."""
    phrase = phrases.read(at, bare=True)
    there = _place(phrase.end, phrases) if phrase is not None and phrase.thing.place is None else None
    if phrase is None or there is None:
        return (phrase.thing, phrase.end) if phrase is not None else None
    return phrase.thing.model_copy(update={"place": there[0]}), there[1]


def _place(at: int, phrases: Phrases) -> tuple[Where, int] | None:
    """Read where something is, with the room of that: "on the desk in the bedroom"."""
    place = phrases.where(at, bare=False)
    within = phrases.where(place[1], bare=False) if place is not None else None
    if place is None or within is None or not within[0].thing.is_room:
        return place
    thing = place[0].thing.model_copy(update={"room": within[0].thing.room})
    return place[0].model_copy(update={"thing": thing}), within[1]


def _owner(at: int, phrases: Phrases, *, bare: bool = False) -> str:
    """Return whom words name as an owner: "mine", "Tom's", "my dad's"; `bare`: "Tom". "" for nobody."""
    at += phrases.word(at) in ("my", "our", "the", "all")
    word, name = phrases.word(at), phrases.word(at + 1).removesuffix("'s")
    if word in PEOPLE and name not in _NOBODY and _NAME.fullmatch(name) and _ends(at + 2, phrases):
        return f"{word} {name}"  # "my husband Emre", "my sister Lian's"
    if word in _MINE or phrases.words[at : at + 2] == ["of", "me"]:
        return "me"
    if word in OF_SOMEBODY and _ends(at + 1, phrases):
        return word
    ends = _ends(at + 1, phrases)
    if phrases.words[at + 1 : at + 3] == ["is", "now"]:  # "Tom's now", spelled out
        word = f"{word}'s"
        ends = True
    named = word.removesuffix("'s")
    thing = phrases.read(at, after=False) if bare else None  # "the mug belongs to the KITCHEN"
    person = word.endswith("'s") or (bare and (named in PEOPLE or thing is None))
    return named if ends and _NAME.fullmatch(named) and person and named not in _NOBODY else ""


def _ends(at: int, phrases: Phrases) -> bool:
    """Whether what is said of an owner ends here."""
    return phrases.word(at) in _BEHIND_OWNERS
