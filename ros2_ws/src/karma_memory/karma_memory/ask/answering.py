# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A person's question, answered: from what was seen and done, or from what people told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from karma_language.answers.evidence import Answered, Evidence, Gap, Said
from karma_language.answers.wording import Wording, unanswered
from karma_language.reading import OWN, Kind, Question
from karma_language.told.quoting import names, of_another, wh
from karma_language.vocabulary import household
from karma_language.vocabulary.words import content_words
from karma_memory.ask.evidence import collect
from karma_memory.ask.quoting import just_told, nearest, quoted, says_more
from karma_memory.events import Image
from karma_memory.recall.index import Search
from karma_memory.recall.query import Query, Recollection

if TYPE_CHECKING:
    from karma_memory.state.state import MemoryState


_TO_BE_SEEN = frozenset((Kind.COUNT, Kind.STATE, Kind.WHICH, Kind.HOW_LONG))
"""Questions about things that are answered by what is seen alone."""


@dataclass(frozen=True)
class Asked:
    """The answer to a person's question, and what it rests on."""

    answered: Answered
    evidence: tuple[Recollection, ...] = ()
    picture: Image | None = None
    """Of the thing that the answer is about."""
    taken: float = 0.0
    """When the picture was taken, seconds."""
    sequence: int = field(default=0, compare=False)
    """Of the newest event that is taken into account; 0 in an answer of the past."""

    @property
    def text(self) -> str:
        """The answer, for a person; where the question can't be answered, why."""
        return self.answered.text

    @property
    def known(self) -> bool:
        """Whether the question is answered."""
        return self.answered.known


_BY_TELLING = (Kind.WHERE, Kind.WHO)
"""Kinds that the very words that were told of a thing answer before facts that were made of them do."""
_OF_SIGHT = (Kind.WHICH, Kind.STATE, Kind.CONTENTS, Kind.COUNT, Kind.WHEN, Kind.HOW_LONG)
"""Kinds that what was seen answers, if anything was, and not what was told."""


class SearchNeededError(Exception):
    """What people told has to be searched for the answer: ask again with a search."""


def answer(query: Query, question: Question | None, state: MemoryState, search: Search | None) -> Asked:
    """Answer the question of a query's user; `question`: what it asks for, None where nobody could read it.

    `search`: what the index finds for the query. Without one, SearchNeededError where the answer depends on it: a
    search embeds the words, which most questions about the home don't need.
    """
    query = state.permitted(query)
    now = query.at if query.at is not None else state.time(query)
    facts = state.facts.answer(query)
    answered = _answered(query, question, state, search, now, told=bool(facts.facts))
    if answered is None and facts.entities:
        records = state.facts.records(query.user, facts)
        told = [Said(record.valid_from, record.text, record.user, record=record.id) for record in records]
        said = facts.said if wh(query.text) or content_words(facts.said) - content_words(query.text) else ""
        answered = Wording(household()).by_facts(said, told, now)
    if answered is None:
        told_near = nearest(query, search) if search is not None and state.may_use(query.user) else ()
        near = _that_holds(told_near, query, question, state)
        if not near:
            return Asked(Answered(unanswered(query.text), False))
        answered = _worded(Question(quote=query.text, kind=Kind.TOLD), Evidence(now, said=near, gap=Gap.UNSURE))
    recollections = tuple(_recollections(answered.records, state))
    graph = state.long_term.graph(query.scene or state.long_term.current_scene)
    for picture in graph.pictures.of(answered.pictured) if graph is not None else ():
        if picture.image.sha256 == answered.image:
            return Asked(answered, recollections, picture.image, picture.stamp)
    return Asked(answered, recollections)


def together(answers: Sequence[Asked]) -> Asked:
    """Return the answers to several questions as one, with the first picture of all."""
    said = [one.answered for one in answers]
    ages = [one.age for one in said if one.age is not None]
    pictured = next((one for one in answers if one.picture is not None), answers[0])
    answered = replace(
        pictured.answered,
        text=" ".join(dict.fromkeys(one.text for one in said)),
        known=all(one.known for one in said),
        age=max(ages, default=None),
        records=tuple(dict.fromkeys(record for one in said for record in one.records)),
        look=tuple(dict.fromkeys(label for one in said for label in one.look)),
    )
    evidence = {found.record.id: found for one in answers for found in one.evidence}
    return replace(
        pictured, answered=answered, evidence=tuple(evidence.values()), sequence=max(one.sequence for one in answers)
    )


def _recollections(ids: Iterable[str], state: MemoryState) -> Iterable[Recollection]:
    records = (state.index.records.get(name) for name in ids)
    return (Recollection(record, 1.0, ("answers",)) for record in records if record is not None)


def _answered(
    query: Query, question: Question | None, state: MemoryState, search: Search | None, now: float, *, told: bool
) -> Answered | None:
    """Return the answer, None where only facts that a person told may have one.

    `told`: whether such a fact answers it. It stands beside what was seen where that says where a thing is.
    """

    def quote() -> tuple[Said, ...]:
        if not state.may_use(query.user):
            return ()
        if search is None:
            raise SearchNeededError
        said = quoted(query, search) or just_told(query.text, state.told.of(query.user), now)
        return tuple(one for one in _that_holds(said, query, question, state) if _is_about(one, query, question))

    if question is None:  # what was told may answer it all the same
        said = () if told else quote()
        return _worded(Question(quote=query.text, kind=Kind.TOLD), Evidence(now, said=said)) if said else None
    evidence = collect(question, state, scene=query.scene, user=query.user, now=now, told=quote)
    seen = question.kind in _OF_SIGHT and bool(evidence.sightings)
    placed = seen or (question.kind in _BY_TELLING and bool(evidence.sightings or evidence.said))
    told_only = question.kind is Kind.TOLD or question.deed == OWN
    if (told and not placed) or (told_only and evidence.gap is not None):
        return None
    seen_by_robots = question.thing is not None and bool(question.thing.categories or question.thing.room)
    if question.kind is Kind.WHERE and evidence.gap is not None and not seen_by_robots:
        return None  # "where does my sister live?"
    return _worded(question, evidence)


def _that_holds(said: Iterable[Said], query: Query, question: Question | None, state: MemoryState) -> tuple[Said, ...]:
    """Return what people said without what has ended since, and what is of another's thing than is asked about."""
    thing = question.thing if question is not None else None
    over = {f"{state.told.kind}:{state.index.records[ended].source}" for ended in state.facts.ended(query)}
    if question is not None and question.deed == OWN:  # whose other things are
        owners = state.owners.of(query.user, query.scene or state.long_term.current_scene)
        over |= {one.words for one in owners.values() if one.ids}
    return tuple(
        one for one in said if one.record not in over and not (thing is not None and of_another(thing, one.text))
    )


def _is_about(said: Said, query: Query, question: Question | None) -> bool:
    """Whether words may answer a question about a thing: they name it, and say more of what else is seen alone."""
    thing = question.thing if question is not None else None
    if question is None or thing is None or not thing.categories:
        return True
    return names(thing, said.text) and (question.kind not in _TO_BE_SEEN or says_more(query.text, thing, said.text))


def _worded(question: Question, evidence: Evidence) -> Answered:
    return Wording(household()).answer(question, evidence)
