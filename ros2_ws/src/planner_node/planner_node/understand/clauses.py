# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Chunks to clauses: one verb each, in the order in which they are to be done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from planner_node.understand import words as en
from planner_node.understand.chunks import Chunk

PLACES = ("on", "in", "to", "near", "under", "behind")
"""Relations that say where something is or goes."""
_CARRYING = ("put", "bring")
_IT = frozenset(["it", "them", "both"])
_TEMPORAL = frozenset(["when", "while", "whenever", "upon"])
_SO_THAT = frozenset(["making", "keeping", "leaving", "giving"])
_WISHING = frozenset(verb for verb, sense in en.VERBS.items() if sense == "want")
_PEOPLE = frozenset(["that", "it", "they", "we", "i", "you", "everyone", "people", "he", "she", "there"])


@dataclass
class Clause:
    """A verb and what belongs to it."""

    verb: str
    """Base form as said."""
    args: list[Chunk] = field(default_factory=list)
    lead: str = ""
    """What joins it to the clause before: "", "and", "to", "before" or "after"."""
    sentence: int = 0
    aside: bool = False
    """Whether it may be no request: "AFTER SORTING THE MAIL, ...", "... TO KEEP THEM FRESH"."""
    joins: bool = False
    """Whether its objects go where those of the clause before went: "... on the table, PLUS THE FORK"."""

    @property
    def sense(self) -> str:
        """What the verb asks for, a value of VERBS."""
        return en.VERBS[self.verb]


@dataclass
class Clauses:
    """What the chunks of an instruction were split into."""

    clauses: list[Clause] = field(default_factory=list)
    leftovers: list[list[Chunk]] = field(default_factory=list)
    """Sentences or beginnings of sentences without a request."""
    background: list[Chunk] = field(default_factory=list)
    """What is said before a request: "Although it is late, ..."."""
    negated: bool = False
    narrated: bool = False
    """Whether somebody is said to do it, rather than asked."""
    conditional: bool = False


def split(chunks: Iterable[Chunk]) -> Clauses:
    """Split chunks at the verbs that begin a request."""
    chunks = list(chunks)
    result = Clauses()
    current: Clause | None = None
    rest: list[Chunk] = []
    lead = ""
    expect = True
    prelude = aside = gerund = aside_open = False
    opens = True
    sentence = 0
    at = 0

    def leave_rest() -> None:
        nonlocal rest
        if any(c.word != "," for c in rest):
            result.leftovers.append(rest)
        rest = []

    while at < len(chunks):
        c = chunks[at]
        word = c.word
        at += 1
        if _begins_remark(chunks, at - 1):
            end = next((i for i in range(at, len(chunks)) if chunks[i].stop), len(chunks))
            rest = chunks[at - 1 : end]
            at = end
            continue
        if c.stop:
            leave_rest()
            current, lead, expect, prelude, aside = None, "", True, False, False
            sentence += 1
            opens = True
            continue
        if word in en.CONDITIONS and (expect or current is not None):
            result.conditional = True
        if prelude:
            if word == ",":
                prelude = False
            else:
                result.background.append(c)
            continue
        answers = word == "no" and (at == len(chunks) or chunks[at].stop or chunks[at].word == ",")
        if (word in en.NEGATIONS and not answers) or word.endswith("n't"):
            result.negated = True
        if gerund and current is not None and current.args and word in en.FINITE:
            at += len(_sentence(chunks, at))  # "putting them there HELPS ..."
            continue
        if _comments(chunks, at - 1, current):
            at = _end_of_comment(chunks, at)
            continue
        if expect and word in en.PRELUDES and not (word in _TEMPORAL and _gerund_follows(chunks, at)):
            prelude = any(later.word == "," for later in _sentence(chunks, at))
            continue
        if word in ("before", "after", "once", "when", "having", "while") and _gerund_follows(chunks, at):
            if current is None and _is_over(chunks, at):
                prelude = True
                continue
            at = _skip_subject(chunks, at)
            aside = current is None and any(later.word == "," for later in _sentence(chunks, at))
            lead = "before" if word == "before" else ("and" if word == "while" else "after")
            current, expect = None, True
            continue
        if c.sequence:
            prelude = _is_over(chunks, at - 1)
            current, expect = None, True
            continue
        if c.polite:
            expect = expect or current is None
            continue
        if c.conjunction:
            if _verb_follows(chunks, at, in_list=True):
                current, expect, lead = None, True, "and" if word != "," or not lead else lead
            elif word in en.ADDING and _adds(result.clauses, current):
                current = Clause(result.clauses[-1].verb, lead="and", sentence=sentence, joins=True)
                result.clauses.append(current)
                expect = False
            elif current is not None and _gap_follows(current, chunks, at):
                current = Clause(current.verb, lead="and", sentence=sentence)  # "... on the table and B in the fridge"
                result.clauses.append(current)
            elif current is not None:
                current.args.append(c)
            continue
        if word == "to" and expect and _verb_follows(chunks, at):
            continue  # "to heat the bread, ..."
        if word in ("to", "for", "by") and current is not None and current.args and _infinitive(chunks, at, current):
            current, expect, lead, aside = None, True, "to", True
            continue
        if expect and c.verb in ("go", "come") and at < len(chunks) and chunks[at].verb and chunks[at].form == "base":
            continue  # "go get the apple"
        if current is not None and gerund and aside_open and _begins_anew(chunks, at - 1, current):
            current, expect = None, True  # "after washing the cup PUT it away"
        if expect and c.verb and _imperative(chunks, at - 1, lead) and not _noun_of_it(chunks, at - 1):
            result.narrated = result.narrated or _narrates(rest, chunks, at - 1)
            leave_rest()
            current = Clause(c.verb, lead=lead, sentence=sentence, aside=aside)
            result.clauses.append(current)
            expect, lead, aside = False, "", False
            gerund, aside_open = c.form == "ing", current.lead in ("after", "before") and opens
            opens = False
            continue
        last = result.clauses[-1] if result.clauses else None
        if current is None and not rest and last is not None and last.sentence == sentence and _object_follows(c):
            current, expect = Clause(last.verb, lead="and", sentence=sentence), False  # "the cup, then THE PLATE"
            result.clauses.append(current)
        if current is not None:
            current.args.append(c)
        else:
            rest.append(c)
    leave_rest()
    _share_objects(result.clauses)
    for clause, following in pairwise(result.clauses):
        there = any(c.preposition in ("on", "in", "near") for c in clause.args)
        if clause.verb == "take" and there and following.sense == "put" and following.args[:1] and _is_it(following):
            clause.verb = "get"  # "take the cup on the table and put IT on the shelf"
    return result


def _begins_anew(chunks: list[Chunk], at: int, clause: Clause) -> bool:
    """Whether a request begins behind the objects of a gerund though no comma is in between."""
    c, before, following = chunks[at], chunks[at - 1], _next(chunks, at + 1)
    plain = c.form == "base" and not (c.noun or c.state or c.preposition)
    named = before.noun is not None or before.described or before.word in en.PRONOUNS
    return bool(clause.args) and plain and bool(named) and following is not None and _object_follows_verb(following)


def _object_follows_verb(c: Chunk) -> bool:
    return c.small or _object_follows(c) or bool(c.state)


def _comments(chunks: list[Chunk], at: int, clause: Clause | None) -> bool:
    """Whether a comment on the request begins: ", ensuring ...", "to make room for ..."."""
    c, before, following = chunks[at], chunks[at - 1] if at else None, _next(chunks, at + 1)
    if clause is None or not clause.args or before is None or following is None:
        return False
    if before.word == "," and (not c.known or c.word in _SO_THAT) and c.word.endswith("ing"):
        return True
    if c.word in ("so", "so that", "in order") and following.word in _PEOPLE | {"to"}:
        return True
    placed = any(arg.preposition in ("on", "in", "to") for arg in clause.args)
    return (
        c.word in ("to", "in order to")
        and not following.known
        and following.word.isalpha()
        and placed
        and (_next(chunks, at + 2) is not None)
    )


def _end_of_comment(chunks: list[Chunk], at: int) -> int:
    """Return the index where a comment ends: at a comma or the end of the sentence."""
    while at < len(chunks) and not chunks[at].stop and chunks[at].word != ",":
        if chunks[at].conjunction and _verb_follows(chunks, at + 1, in_list=True):
            break
        at += 1
    return at


def _is_it(clause: Clause) -> bool:
    return clause.args[0].word in _IT


def _begins_remark(chunks: list[Chunk], at: int) -> bool:
    opens = at == 0 or chunks[at - 1].stop
    return opens and chunks[at].word in en.REMARKS and any(c.stop for c in chunks[:at])


def _object_follows(c: Chunk) -> bool:
    return c.word in en.DETERMINERS or c.noun is not None or c.word in en.NUMBERS


def _adds(clauses: list[Clause], current: Clause | None) -> bool:
    """Whether what is said in addition is no further object of the same list, but another with the same place."""
    last = clauses[-1] if clauses else None
    if last is None or last.joins:
        return last is not None and current is None
    return current is None or (last.sense in _CARRYING and any(c.preposition in PLACES for c in last.args))


def _gap_follows(clause: Clause, chunks: list[Chunk], at: int) -> bool:
    """Whether an object with its own place follows one that has its place: "A on the table and B in the fridge"."""
    if not any(c.preposition in ("on", "in", "to") for c in clause.args) or clause.sense not in _CARRYING:
        return False
    for index in range(at, len(chunks)):
        c = chunks[index]
        if c.preposition in ("on", "in", "to"):
            return index > at and any(later.noun is not None for later in chunks[at:index])
        if c.stop or c.conjunction or c.sequence or (c.verb and not (c.noun or c.state)):
            return False
    return False


def _sentence(chunks: list[Chunk], at: int) -> list[Chunk]:
    """Return the chunks from `at` to the end of the sentence."""
    end = next((i for i in range(at, len(chunks)) if chunks[i].stop), len(chunks))
    return chunks[at:end]


def _skip_subject(chunks: list[Chunk], at: int) -> int:
    """Skip "you have", "you've", "it is", "that" before a participle."""
    while at < len(chunks) and chunks[at].word in (
        "you",
        "have",
        "you've",
        "are",
        "it",
        "is",
        "it's",
        "that",
        "they",
        "having",
        "been",
        "done",
        "finished",
    ):
        at += 1
    return at


def _is_over(chunks: list[Chunk], at: int) -> bool:
    """Whether something follows that the person has done by then: "when DONE WITH THE DISHES, ..."."""
    verb = at + 1 if chunks[at].sequence else _skip_subject(chunks, at)
    ended = any(c.words[-1] in ("done", "finished") for c in chunks[at:verb])
    doing, following = _next(chunks, verb), _next(chunks, verb + 1)
    return ended and doing is not None and doing.form == "ing" and following is not None and following.word == ","


def _gerund_follows(chunks: list[Chunk], at: int) -> bool:
    """Whether "washing it", "you have washed it" or "you wash it" follows."""
    at = _skip_subject(chunks, at)
    return at < len(chunks) and bool(chunks[at].verb)


def _next(chunks: list[Chunk], at: int) -> Chunk | None:
    return chunks[at] if at < len(chunks) and not chunks[at].stop else None


def _verb_follows(chunks: list[Chunk], at: int, in_list: bool = False) -> bool:
    """Whether a request begins at `at`, after small words like "then please"."""
    while at < len(chunks) and (chunks[at].sequence or chunks[at].polite or chunks[at].word in ("and", ",")):
        if chunks[at].sequence:
            return True
        at += 1
    return at < len(chunks) and bool(chunks[at].verb) and _imperative(chunks, at, "and" if in_list else "")


def _imperative(chunks: list[Chunk], at: int, lead: str) -> bool:
    """Whether the chunk, which can be a verb, is one here."""
    c, following = chunks[at], _next(chunks, at + 1)
    if c.form == "past":
        return lead in ("before", "after") and not (following is not None and following.noun is not None)
    if not (c.noun or c.state):
        return True
    if following is None:
        return c.noun is None and lead == ""
    takes_object = following.small or following.noun is not None or bool(following.state) or bool(following.preposition)
    if c.noun is not None and c.verb == "stand" and following.preposition in ("near", "to"):
        return at == 0 or chunks[at - 1].conjunction or chunks[at - 1].sequence or chunks[at - 1].verb == "go"
    if c.noun is not None:
        return following.small and following.word not in ("back", "away", "in")
    if lead == "and":  # "clean and cool mug" against "clean the mug and cool it"
        return following.small or following.conjunction or following.word in en.SAFE_ADJECTIVES or bool(following.state)
    return takes_object or following.conjunction or not following.known or following.word in en.SAFE_ADJECTIVES


def _noun_of_it(chunks: list[Chunk], at: int) -> bool:
    """Whether what can be a verb is none behind an article: "the mug has a CRACK"."""
    return at > 0 and chunks[at - 1].word in ("a", "an", "the")


def _narrates(rest: list[Chunk], chunks: list[Chunk], at: int) -> bool:
    """Whether the verb at `at` has a subject, so that it is told, not asked for: "SHE put", "I'LL put", "JOHN cuts"."""
    if not rest or chunks[at - 1] is not rest[-1] or rest[-1].word == "," or chunks[at].verb in _WISHING:
        return False
    begin = max((i + 1 for i, c in enumerate(rest) if c.word == ","), default=0)
    said = rest[begin:]
    return not said[0].preposition and any(_is_someone(c) for c in said)


def _is_someone(c: Chunk) -> bool:
    named = c.noun is not None or bool(c.described) or c.word in en.PRONOUNS
    return named or (not c.known and not c.word.endswith("ly"))


def _infinitive(chunks: list[Chunk], at: int, clause: Clause) -> bool:
    """Whether a purpose that is itself a request follows: "take the cup to the sink TO wash it"."""
    c = _next(chunks, at)
    if (
        c is None
        or not c.verb
        or c.form == "past"
        or clause.args[-1].word in en.GENERIC
        or clause.args[-1].state == "dirty"
    ):
        return False
    if c.noun is not None or c.state:
        following = _next(chunks, at + 1)
        return following is not None and following.small
    return True


def _share_objects(clauses: list[Clause]) -> None:
    """Give "wash" its object in "wash and slice the apple"."""
    for clause, following in pairwise(clauses):
        bare = all(c.word in en.PARTICLES for c in clause.args)
        if bare and following.lead == "and" and clause.sentence == following.sentence and following.args:
            ends = next(
                (i for i, c in enumerate(following.args) if c.preposition in ("on", "in", "to", "near", "under")),
                len(following.args),
            )
            clause.args = [*clause.args, *following.args[:ends]]
