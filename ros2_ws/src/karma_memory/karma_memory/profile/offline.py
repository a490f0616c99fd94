# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The steps of algorithms 1 and 2 without a language model: by the forms in which people tell what is theirs."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from karma_memory.profile.commands import moves
from karma_memory.profile.contrast import contrast
from karma_memory.profile.denial import denies
from karma_memory.profile.identity import MATCH, Identity
from karma_memory.profile.knowledge import Candidate, Elements, Knowledge, Thing
from karma_memory.profile.likeness import Lexicon
from karma_memory.profile.nouns import Relation, is_known, normal, relation
from karma_memory.profile.references import place, thing
from karma_memory.profile.wording import (
    ARRANGEMENT_NOUNS,
    HABIT,
    KnowledgeType,
    asked_type,
    requests,
    sentences,
    statement_type,
    tells_habit,
)
from karma_memory.recall.lexical import words

SAME_KNOWLEDGE = 0.68
"""Likeness from which knowledge of the same type, that nothing contradicts, is the same."""
SAME_NAME = 0.9
"""Likeness from which a name that a person gave to something is that name."""

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
_NAMED = re.compile(r"^(?:my|our)\b", re.IGNORECASE)
_ALL = re.compile(r"^(?:they|these|those|both|all)\b|\bitems?\b", re.IGNORECASE)
_ONE = re.compile(r"^(?:it|this|that)\b", re.IGNORECASE)
_ROUTINE = frozenset(normal("usually always often typically normally generally regularly routine every habit"))


class OfflineSteps:
    """Takes the steps by rules, and by likeness of words and texts."""

    name = "offline"

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._identity = Identity(lexicon)

    def extract_knowledge(self, instruction: str) -> Sequence[Knowledge]:
        """Return what is told of things and habits; where nothing is told, what each request speaks of."""
        said = [(statement_type(sentence), sentence) for sentence in sentences(instruction)]
        told = [(kind, sentence) for kind, sentence in said if kind is not None and _tells(kind, sentence)]
        if told and all(kind is not None for kind, _ in said):  # nothing was asked for that it could be about
            told = [(kind, sentence) for kind, sentence in told if _is_of_home(kind, sentence)]
            if not told:
                return []
        if told:
            return [Knowledge(kind, subtype(kind, text), alias(kind, text), text) for kind, text in told]
        return [_asked(request) for request in requests(instruction)]

    def extract_elements(self, instruction: str, knowledge: Knowledge) -> Elements:
        """Return the things it is about with what they look like; of a pattern, also its moves."""
        steps = moves(instruction)
        names = list(dict.fromkeys(name for step in steps for name in step.things))
        looks = _descriptions(instruction, names)
        things = tuple(Thing(name, looks.get(name, "")) for name in names)
        if knowledge.type is KnowledgeType.USER_PATTERN:
            return Elements(things, steps)
        subject = _COPULA.split(knowledge.description, maxsplit=1)[0]
        if (called := _CALLED.match(knowledge.description.rstrip(".!? "))) and called["what"]:
            meant = re.sub(r"^(?:the|an?|my|our)\s+", "", called["what"], flags=re.IGNORECASE)
            meant = re.sub(r"\bone$", thing(called["subject"]).noun or "one", meant)
            return Elements(_meant(meant, knowledge, things) if things else (Thing(meant),))
        return Elements(_meant(subject, knowledge, things, [place(step.goal).furniture for step in steps]))

    def decide(self, knowledge: Knowledge, elements: Elements, candidates: Sequence[Candidate]) -> str:
        """Return the likest candidate of the same type that nothing contradicts."""
        fitting = [
            candidate
            for candidate in candidates
            if candidate.type is knowledge.type
            and candidate.likeness >= SAME_KNOWLEDGE
            and not contrast(knowledge.alias, candidate.alias)
            and not self._other_matter(knowledge, elements, candidate)
        ]

        def fit(candidate: Candidate) -> float:
            return candidate.likeness + self._lexicon.in_common(knowledge.alias, candidate.alias)

        return max(fitting, key=fit).node if fitting else ""

    def _other_matter(self, knowledge: Knowledge, elements: Elements, candidate: Candidate) -> bool:
        """Whether knowledge is called alike but about other things.

        What has a name of its own ("my sewing corner") stays itself when its things or places change.
        """
        if (
            not elements.things
            or not candidate.things
            or (candidate.likeness >= SAME_NAME and _NAMED.match(knowledge.alias))
        ):
            return False
        known = [thing(text) for text in candidate.things]
        mine = [thing(item.text) for item in elements.things]
        shared = sum(any(self._identity.of_things(one, other) >= MATCH for other in known) for one in mine)
        if knowledge.type is KnowledgeType.OBJECT_SEMANTICS:
            return shared == 0
        goals = [place(move.goal) for move in elements.moves if move.goal]
        places = [place(text) for text in candidate.places]
        elsewhere = not any(self._identity.of_places(goal, other) >= MATCH for goal in goals for other in places)
        return 2 * shared < len(mine) + len(known) - shared or elsewhere

    def reformulate(self, person: str, candidate: Candidate, moves: Sequence[str]) -> str:
        """Say who told it, in their words, and what it is about."""
        said = f'{person or "The user"} said "{candidate.description.rstrip(".! ")}"'
        if moves:
            return f"{said}: {', then '.join(moves)}"
        return f"{said} ({' and '.join(candidate.things)})" if candidate.things else said


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


def subtype(kind: KnowledgeType, text: str) -> str:
    """Return the subcategory (tables 5 and 6)."""
    found = set(normal(text))
    if kind is KnowledgeType.USER_PATTERN:
        return "routine" if found & _ROUTINE else "preference"
    if re.search(r"\bpart of\b", text) or (found & _MEANS["group"] and "my" in found):
        return "group"
    return next((name for name in ("history", "preference") if found & _MEANS[name]), "ownership")


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


def _asked(request: str) -> Knowledge:
    speaks = asked_type(request)
    kind = KnowledgeType.USER_PATTERN if speaks < 0 else KnowledgeType.OBJECT_SEMANTICS
    if speaks == 0 and not any(word in ("my", "our") for word in words(request)):
        kind = phrase_type(request)
    text = request.rstrip(".!? ")
    return Knowledge(kind, subtype(kind, text), text, text, told=False)


def _meant(
    subject: str, knowledge: Knowledge, things: tuple[Thing, ...], places: Collection[str] = ()
) -> tuple[Thing, ...]:
    """Return the things that the subject of a statement names; all for "they" and "these items".

    `places`: nouns of where things are put, of which one may be meant: "Put the pen in the cup. It's my work cup."
    """
    tokens = normal(subject)
    parts = [thing(part).noun for part in re.split(r",? and |, ", subject)]
    named = tuple(
        item
        for item in things
        if " ".join(normal(item.name)) in " ".join(tokens)
        or any(relation(noun, thing(item.name).noun) in (Relation.SAME, Relation.KIND) for noun in parts)
    )
    if named:
        return named
    if _ALL.search(subject):
        return things
    noun = thing(knowledge.alias).noun
    if things and _ONE.search(subject):
        called = [item for item in things if relation(noun, thing(item.name).noun) in (Relation.SAME, Relation.KIND)]
        return tuple(called[-1:]) or ((Thing(noun),) if noun in places else things[-1:])
    if not things and is_known(parts[0]):
        noun = parts[0]
    return (Thing(noun),) if noun else ()


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
