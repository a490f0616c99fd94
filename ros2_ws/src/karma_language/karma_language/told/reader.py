# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads what somebody tells, sentence by sentence, by rules."""

from __future__ import annotations

from collections.abc import Iterator

from karma_language.dialogue.utterances import with_name
from karma_language.reading import Telling, Told
from karma_language.told.facts.clauses import sentences
from karma_language.told.facts.extraction import Claim, Mention, Retraction
from karma_language.told.facts.moments import Moment
from karma_language.told.facts.relations import by_noun
from karma_language.told.facts.telling import facts
from karma_language.told.habits.denial import denial
from karma_language.told.habits.knowledge import habits
from karma_language.told.habits.wording import POINTS_BACK
from karma_language.told.habits.wording import sentences as parts
from karma_language.told.wishes.statements import stated
from karma_language.vocabulary.words import noted

MAX_TEXT = 2000
"""Characters of what somebody says that are read."""


def read_told(
    text: str, now: float, *, speaker: str = "", before: str = "", reply: bool = False, instruction: bool = False
) -> tuple[Told, ...]:
    """Return what a text tells, in the order of its sentences; nothing for what the rules don't understand.

    `now`: when it was said, seconds. `speaker`: who says it, by name. `before`: what they had asked for; words that
    point back ("It is my favourite cup") are about that, and so is a `reply` to what was done. An `instruction` tells
    of things and habits only, beside what it asks for. Never raises for any text.
    """
    meant, text = noted(text[:MAX_TEXT])
    found: list[Told] = []
    said = [] if instruction else [*sentences(text)]
    named = [*sentences(with_name(text, meant))] if said and meant else said
    for sentence, plain in zip(said, named if len(named) == len(said) else said, strict=True):
        claims, retractions = facts(plain, now)
        for claim in claims:
            found += _fact(sentence, claim)
        found += [_over(sentence, retraction) for retraction in retractions]
    if not (instruction or reply):
        retold = text.casefold().startswith(speaker.casefold()) and speaker
        found += filter(None, [stated(text, speaker)] if retold else map(stated, sentences(text)))
    about = f"{before} {text}" if before and (reply or POINTS_BACK.match(text)) else text
    found += (one for one in map(denial, parts(text)) if one is not None)
    found += (one for one in habits(about) if one.quote in text)
    return tuple(dict.fromkeys(found))


def _fact(sentence: str, claim: Claim) -> Iterator[Told]:
    """Give what a claim says; "my sister Anna" says first who my sister is."""
    value = None if isinstance(claim.object, Moment) else claim.object
    for mention in filter(None, (claim.subject, value)):
        if mention.name and mention.steps:
            owner, relation = _path(mention.owner), by_noun(mention.steps[-1])
            yield Told(quote=sentence, kind=Telling.FACT, of=owner, relation=relation, value=(mention.name,))
    yield Told(
        quote=sentence,
        kind=Telling.FACT,
        of=_path(claim.subject),
        relation=claim.relation,
        value=() if value is None else _path(value),
        when=claim.object.span if isinstance(claim.object, Moment) else None,
        yearly=isinstance(claim.object, Moment) and claim.object.yearless,
        until=claim.until.span if claim.until else None,
        instead_of=claim.replaces,
    )


def _over(sentence: str, retraction: Retraction) -> Told:
    gone = retraction.object
    value = _path(gone) if isinstance(gone, Mention) else (gone,) if isinstance(gone, str) and gone else ()
    return Told(
        quote=sentence,
        kind=Telling.OVER,
        of=_path(retraction.subject),
        relation=retraction.relation,
        value=value,
        when=gone.span if isinstance(gone, Moment) else None,
        yearly=isinstance(gone, Moment) and gone.yearless,
    )


def _path(mention: Mention) -> tuple[str, ...]:
    return (mention.name,) if mention.name else (mention.base or "me", *mention.steps)
