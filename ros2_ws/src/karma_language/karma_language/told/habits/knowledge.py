# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people tell of their things and habits (MEMENTO, algorithm 1, steps 1 and 2), by the forms in which they do."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from karma_language.reading import Move, Sort, Telling, Told
from karma_language.told.habits.commands import moves
from karma_language.told.habits.denial import denies
from karma_language.told.habits.nouns import Relation, is_known, normal, relation
from karma_language.told.habits.references import place, thing
from karma_language.told.habits.wording import (
    ARRANGEMENT_NOUNS,
    HABIT,
    POINTS_BACK,
    KnowledgeType,
    sentences,
    statement_type,
    tells_habit,
)
from karma_language.vocabulary.terms import words

_COPULA = re.compile(
    r"\b(?:is|are|was|were|has been|have been|holds|has|have|belongs? to|came|comes)\b\s*", re.IGNORECASE
)
_PURPOSE = re.compile(
    r"\b(?:for|during|while|when|whenever|before|after|to prepare for|in order to|as|"
    r"so (?:that )?(?:it's|it is|I can))\s+",
    re.IGNORECASE,
)
_MEANS = {
    "history": frozenset(
        normal(
            "gift gifted gave given present heirloom inherited souvenir memory remember childhood grandmother "
            "grandfather mother father aunt uncle anniversary graduation wedding travel trip vacation "
            "special photo keepsake"
        )
    ),
    "preference": frozenset(normal("favorite favourite prefer preferred like love enjoy lucky best use")),
    "group": frozenset(normal("set collection essential setup kit gear series")),
}
_ALWAYS_PERSONAL = frozenset(normal("heirloom inherited souvenir favorite favourite keepsake"))
_SOMEWHERE = re.compile(r"(?:in|on|at|under|behind|inside|next to|near|beside)\b", re.IGNORECASE)
_CALLED = re.compile(
    r"^(?:(?:it|this|that|these|those|they) (?:is|are|was|were) "
    r"(?P<said>(?:my|our) (?:usual|normal|regular|typical|daily) .+)"
    r"|(?P<subject>(?:my|our) [^,]+?) (?:is|are) (?P<what>(?:the|a|an|my|our|to)\b.*))$",
    re.IGNORECASE,
)
"""A name that a person gives: "That is my usual breakfast", "My favorite cup is the blue mug"."""
_ALL = re.compile(r"^(?:they|these|those|both|all)\b|\bitems?\b", re.IGNORECASE)
_ONE = re.compile(r"^(?:it|this|that)\b", re.IGNORECASE)
_ROUTINE = frozenset(normal("usually always often typically normally generally regularly routine every habit"))


def habits(text: str) -> list[Told]:
    """Return what a text tells of things and habits; requests in it say which things are meant."""
    said = [(statement_type(sentence), sentence) for sentence in sentences(text)]
    told = [(kind, sentence) for kind, sentence in said if kind is not None and _tells(kind, sentence)]
    if told and all(kind is not None for kind, _ in said):  # nothing was asked for that it could be about
        told = [(kind, sentence) for kind, sentence in told if _is_of_home(kind, sentence)]
    if not told:
        return []
    steps = moves(text)
    names = list(dict.fromkeys(name for step in steps for name in step.things))
    looks = _descriptions(text, names)
    things = tuple(described(name, looks.get(name, "")) for name in names)
    return [_told(kind, sentence, things, steps) for kind, sentence in told]


def described(name: str, looks: str = "") -> str:
    """Return name and looks in one phrase."""
    return f"{name} which is {looks}" if looks else name


def _told(kind: KnowledgeType, sentence: str, things: tuple[str, ...], steps: tuple[Move, ...]) -> Told:
    """Return what one statement tells, with the things that it is about and, of a habit, what goes where."""
    name = alias(kind, sentence)
    meaning = kind is KnowledgeType.OBJECT_SEMANTICS
    if meaning:
        things = _about(sentence, name, things, steps)
    return Told(
        quote=sentence,
        kind=Telling.MEANING if meaning else Telling.HABIT,
        of=("it",) if POINTS_BACK.match(sentence) else ("me",),
        name=name,
        sort=subtype(kind, sentence),
        things=things,
        moves=() if meaning else steps,
    )


def _about(sentence: str, name: str, things: tuple[str, ...], steps: Sequence[Move]) -> tuple[str, ...]:
    if (called := _CALLED.match(sentence.rstrip(".!? "))) and called["what"]:
        meant = re.sub(r"^(?:the|an?|my|our)\s+", "", called["what"], flags=re.IGNORECASE)
        meant = re.sub(r"\bone$", thing(called["subject"]).noun or "one", meant)
        return _meant(meant, name, things) if things else (meant,)
    subject = _COPULA.split(sentence, maxsplit=1)[0]
    return _meant(subject, name, things, [place(step.goal).furniture for step in steps])


def is_personal(sentence: str) -> bool:
    """Whether a statement says more of a thing than what it looks like."""
    found = set(normal(sentence))
    mine = {"my", "our", "mine", "ours", "i", "we", "me", "us"} & set(words(sentence))
    return bool(mine or found & _ALWAYS_PERSONAL or re.search(r"\bgift(?:ed)? (?:from|by)\b", sentence))


def _tells(kind: KnowledgeType, sentence: str) -> bool:
    """Whether a statement tells knowledge of a person: not what is not so, nor what is so at the moment only."""
    if not is_personal(sentence) or denies(sentence):
        return False
    return kind is KnowledgeType.OBJECT_SEMANTICS or tells_habit(sentence)


def _is_of_home(kind: KnowledgeType, sentence: str) -> bool:
    """Whether a statement on its own tells of a habit, or what a thing means; other facts are no profile's."""
    if kind is KnowledgeType.USER_PATTERN:
        return bool(HABIT & set(words(sentence)))
    subject, *said = _COPULA.split(sentence.rstrip(".!? "), maxsplit=1)
    if said and _SOMEWHERE.match(said[0]):
        return False
    means = any(words_meant & set(normal(sentence)) for words_meant in _MEANS.values())
    named = normal(subject)
    return means or any(is_known(" ".join(named[-length:])) for length in (1, 2, 3))


def subtype(kind: KnowledgeType, text: str) -> Sort:
    """Return the subcategory (tables 5 and 6)."""
    found = set(normal(text))
    if kind is KnowledgeType.USER_PATTERN:
        return "routine" if found & _ROUTINE else "preference"
    if re.search(r"\bpart of\b", text) or (found & _MEANS["group"] and "my" in found):
        return "group"
    if found & _MEANS["history"]:
        return "history"
    return "preference" if found & _MEANS["preference"] else "ownership"


def alias(kind: KnowledgeType, sentence: str) -> str:
    """Return what a person would call what a statement tells."""
    text = re.sub(r"^(It|This|That)'s\b", r"\1 is", sentence.rstrip(".!? "))
    if called := _CALLED.match(text):
        name = called["said"] or called["subject"]
        return name[:1].lower() + name[1:]
    if kind is KnowledgeType.USER_PATTERN:
        parts = _PURPOSE.split(text)
        return parts[-1] if len(parts) > 1 and parts[-1].lower() not in ("it", "them", "that", "this") else text
    subject = _COPULA.split(text, maxsplit=1)[0]
    rest = text[len(subject) :]
    if not rest:
        return text
    said = _COPULA.sub("", rest, count=1)
    said = re.sub(r"^(?:(?:(?:an?|the) (?:\w+ )?)?part of|from)\s+", "", said)
    noun = thing(subject).noun
    if said.lower() in ("mine", "ours"):
        owner = "my" if said.lower() == "mine" else "our"
        return f"{owner} {noun}" if noun else said
    if "part of" in rest or relation(thing(said).noun, noun) is Relation.SAME or noun in normal(said):
        return said
    return (
        f"{said} {noun}" if noun and not subject.lower().startswith(("it", "this", "that", "they", "these")) else said
    )


def phrase_type(phrase: str) -> KnowledgeType:
    """Return which kind of knowledge a phrase names: "my bedtime setup" is a pattern, "the inherited vase" a thing."""
    found = words(phrase)
    arranging = {"organizing", "organising", "arranging", "placement", "preparation", "setting"}
    patterned = ARRANGEMENT_NOUNS | arranging
    return KnowledgeType.USER_PATTERN if patterned & set(found) else KnowledgeType.OBJECT_SEMANTICS


def _meant(subject: str, name: str, things: tuple[str, ...], places: Collection[str] = ()) -> tuple[str, ...]:
    """Return the things that the subject of a statement means; all for "they" and "these items".

    `places`: nouns of where things are put, of which one may be meant: "Put the pen in the cup. It's my work cup."
    """
    tokens = normal(subject)
    parts = [thing(part).noun for part in re.split(r",? and |, ", subject)]
    same = (Relation.SAME, Relation.KIND)
    nouns = {item: item.partition(" which is ")[0] for item in things}
    said = tuple(
        item
        for item, noun in nouns.items()
        if " ".join(normal(noun)) in " ".join(tokens) or any(relation(part, thing(noun).noun) in same for part in parts)
    )
    if said:
        return said
    if _ALL.search(subject):
        return things
    noun = thing(name).noun
    if things and _ONE.search(subject):
        called = [item for item in things if relation(noun, thing(nouns[item]).noun) in same]
        return tuple(called[-1:]) or ((noun,) if noun in places else things[-1:])
    if not things and is_known(parts[0]):
        noun = parts[0]
    return (noun,) if noun else ()


def _descriptions(instruction: str, names: Sequence[str]) -> dict[str, str]:
    """Return name → what the sentences of looks say of it: "The cup is red, and the plate is blue"."""
    found: dict[str, str] = {}
    for sentence in sentences(instruction):
        if statement_type(sentence) is None or is_personal(sentence):
            continue
        for part in re.split(r",? and (?=the )|, (?=the )", sentence.rstrip(".!? "), flags=re.IGNORECASE):
            subject, *said = re.split(r"\b(?:is|are|has|have)\b", part, maxsplit=1)
            if not said:
                continue
            noun = thing(subject).noun
            for name in names:
                if relation(thing(name).noun, noun) is Relation.SAME:
                    found.setdefault(name, said[0].strip())
    return found
