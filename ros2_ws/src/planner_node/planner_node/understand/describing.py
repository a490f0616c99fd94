# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Descriptions as single chunks: "the tool used to cut bread" is one thing, whatever verbs and nouns are in it.

A description is a noun phrase whose head says little ("thing"), names a class ("the cutlery used for soup") or isn't
known ("light fixture"), with what is said of it before and behind. What it means is found when it is known what is done
with it (`phrases.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.understand import words as en
from planner_node.understand.chunks import Chunk
from planner_node.understand.standing import FREE, RELATIVE, being_there, group_of, plain_adjective, spot_on

_LONGEST = 16
_PLACE = frozenset(["on", "in", "to", "near", "under", "behind"])
_FITTED = frozenset(
    [
        "used",
        "meant",
        "designed",
        "intended",
        "made",
        "suitable",
        "needed",
        "ideal",
        "perfect",
        "good",
        "great",
        "useful",
    ]
)
_SUBJECTS = frozenset(["you", "people", "we", "someone", "i", "one"])
_ANYTHING = frozenset(["something", "anything"])
_PARTICIPLE = ("ed", "en", "rn", "pt", "ing")
_NEVER = (
    en.PARTS
    | en.PORTIONS
    | en.PRELUDES
    | en.REMARKS
    | en.NEGATIONS
    | en.CONDITIONS
    | en.BEING
    | en.FINITE
    | RELATIVE
    | _SUBJECTS
    | FREE
    | {
        "usual",
        "me",
        "us",
        "him",
        "her",
        "myself",
        "yourself",
        "itself",
        "before",
        "after",
        "once",
        "having",
        "not",
        "must",
        "need",
        "needs",
        "has",
        "have",
        "belong",
        "belongs",
        "live",
        "lives",
        "ought",
        "should",
        "shall",
    }
)
"""Words that are part of no description though they are no nouns or verbs that the grammar knows."""
_OBLIGED = frozenset(["should", "must", "shall", "would"])
_OBLIGED_TO = frozenset(["ought", "needs", "has"])
_GOES = frozenset(["goes", "belongs"])
_ENDS = frozenset(["while", "when", "before", "after", "once", "so", "if", "unless", "until", "because", "then"])
_PARTICIPLES = frozenset(["clean", "dirty"])
"""States that are told of a thing even in a description, besides those that end in -ed."""


def gather(chunks: Sequence[Chunk], lexicon: Lexicon) -> list[Chunk]:
    """Return the chunks with every description as one."""
    found: list[Chunk] = []
    at = 0
    while at < len(chunks):
        if group_of(chunks, at):
            at += 2
            continue
        if (skipped := being_there(chunks, at)) > at:
            at = skipped
            if chunks[at].preposition in ("on", "in"):
                found.append(Chunk(("from",), preposition="from"))  # "the cup that is on the table" is taken from there
                at += 1
            continue
        if spot_on(chunks, at):
            while found and (found[-1].word in en.DETERMINERS or plain_adjective(found[-1])):
                found.pop()
            if found and found[-1].preposition in _PLACE:
                found.pop()
            at += 1
            continue
        span = _Span(chunks, at, lexicon).read() if _may_begin(chunks, at) else None
        if span is None:
            found.append(chunks[at])
            at += 1
        else:
            found.append(span.chunk)
            at = span.end
    return found


@dataclass(frozen=True)
class _Found:
    chunk: Chunk
    end: int


def _may_begin(chunks: Sequence[Chunk], at: int) -> bool:
    """Whether a noun phrase without its determiner may begin at `at`."""
    if at == 0:
        return chunks[0].word in _ANYTHING
    before, c = chunks[at - 1], chunks[at]
    if c.stop or c.preposition or c.conjunction or _told_state(c):
        return False
    word = before.word
    if c.word in _ANYTHING or word in en.DETERMINERS or word in en.NUMBERS or word in en.EVERY or word in en.OTHER:
        return True
    if word in en.SAFE_ADJECTIVES or _told_state(before):
        return True
    if before.preposition or before.verb:
        return not (c.verb and not c.noun) and c.word not in en.LOCATIONS
    return False


class _Span:
    """Reads one description."""

    def __init__(self, chunks: Sequence[Chunk], begin: int, lexicon: Lexicon) -> None:
        self._chunks = chunks
        self._begin = begin
        self._lexicon = lexicon

    def _at(self, index: int) -> Chunk | None:
        return self._chunks[index] if index < len(self._chunks) and not self._chunks[index].stop else None

    def read(self) -> _Found | None:
        """Return the description that begins here, None where there is none."""
        end = self._run()
        if end == self._begin:
            return None
        head = self._chunks[end - 1]
        last = self._attributes(end, head)
        behind = self._behind(last, head)
        premodifiers = self._chunks[self._begin : end - 1]
        if not self._describes(premodifiers, head, self._chunks[end:last], behind > last):
            return None
        following = self._at(behind)
        if following is not None and not head.noun and following.word in (en.DETERMINERS | en.PRONOUNS):
            return None  # "wash the cup POLISH THE table"
        span = self._chunks[self._begin : behind]
        of = self._at(last)
        told = self._chunks[self._noun_phrase(last + 1) if of is not None and of.preposition == "of" else last : behind]
        noun = head.noun if head.noun is not None else None
        words = tuple(word for c in span for word in c.words if word != ",")
        tells = span if head.noun is None or not head.noun.generic else [c for c in span if c is not head]
        return _Found(
            Chunk(
                words,
                noun=noun,
                described=_impersonal(words),
                detail=_impersonal([c.word for c in tells if c.word != ","]),
                several=noun.plural if noun else head.word.endswith("s") and not head.word.endswith("ss"),
                state="",
                beside=tuple(
                    x
                    for c in told
                    if c.noun is not None and not c.noun.generic
                    for x in c.noun.categories
                    if head.word not in en.LOCATIONS
                    or self._lexicon.can(x, "pickup")  # "the place where COFFEE is made"
                ),
                anything=head.word in en.GENERIC,
            ),
            behind,
        )

    def _run(self) -> int:
        """Return the index after the head: the last noun, word for anything or unknown word of a run."""
        at, end = self._begin, self._begin
        while (c := self._at(at)) is not None and at - self._begin < 6:
            following = self._at(at + 1)
            if c.word in _SUBJECTS:
                break
            if c.word in en.GENERIC or (c.word in en.LOCATIONS and (following is None or not _unknown(following))):
                return at + 1
            if _unknown(c) or (c.noun is not None and not c.id):
                at += 1
                end = at
            elif (
                c.word in self._lexicon.colours
                or (c.word in en.SAFE_ADJECTIVES and c.word not in en.PARTICLES)
                or (c.state and not c.preposition)
                or c.room
                or (c.verb and c.form in ("ing", "past") and not c.preposition)
            ) or (c.word in (",", "and") and following is not None and at > self._begin and self._adjectives(at)):
                at += 1
            else:
                break
        return end

    def _adjectives(self, at: int) -> bool:
        """Whether adjectives are joined here: "wide, shallow basket"."""
        before, after, head = self._chunks[at - 1], self._at(at + 1), self._at(at + 2)
        return (
            before.noun is None
            and after is not None
            and after.noun is None
            and not after.verb
            and after.word not in en.DETERMINERS
            and head is not None
            and (head.noun is not None or head.word in en.GENERIC)
        )

    def _attributes(self, end: int, head: Chunk) -> int:
        """Return the index after the adjectives behind "something"."""
        if head.word not in _ANYTHING:
            return end
        while (c := self._at(end)) is not None and (
            _unknown(c) or c.word in self._lexicon.colours or (c.state and not c.preposition)
            or (c.word in en.SAFE_ADJECTIVES and c.word not in en.PARTICLES)
        ):  # fmt: skip
            end += 1
        return end

    def _describes(self, premodifiers: Sequence[Chunk], head: Chunk, attributes: Sequence[Chunk], more: bool) -> bool:
        """Whether the words tell what it is, rather than name it."""
        telling = [c for c in premodifiers if self._tells(c) or c.noun is not None or (c.verb and c.form == "ing")]
        if head.word in en.GENERIC:
            return more or bool(telling) or any(self._tells(c) for c in attributes)
        if head.noun is None:
            return more or bool(telling)
        return more or (head.noun.generic and any(self._tells(c) or c.verb for c in telling))

    def _tells(self, c: Chunk) -> bool:
        return _unknown(c) and c.word not in self._lexicon.colours

    def _behind(self, end: int, head: Chunk) -> int:
        """Return the index after what is said behind the head."""
        vague = head.word in en.GENERIC or head.noun is None
        after = self._at(end + 1)
        c = self._at(end)
        if (
            vague
            and c is not None
            and after is not None
            and after.preposition in _PLACE
            and c.word.endswith(_PARTICIPLE)
        ):
            end = self._noun_phrase(end + 2)  # "the item worn on the wrist"
        loose = vague or (head.noun is not None and head.noun.generic)
        while (c := self._at(end)) is not None and end - self._begin < _LONGEST:
            following = self._at(end + 1)
            if following is None:
                break
            word = c.word
            if c.preposition == "of" and vague:
                end = self._noun_phrase(end + 1)
            elif word.split()[0] in _FITTED and (
                following.preposition in ("for", "in", "on", "with", "as", "to", "near")
                or following.word in ("to", "as", "for")
            ):
                end = self._relative(end + 2)
            elif word in ("used for", "used to", "meant for"):
                end = self._relative(end + 1)
            elif (word in RELATIVE and following.word in _SUBJECTS) or (word == "where" and not following.preposition):
                end = self._relative(end + 2)
            elif (
                (loose and word in RELATIVE and (following.word not in en.DETERMINERS))
                or (
                    loose
                    and word in _SUBJECTS
                    and (word != "one" or following.word.endswith("s"))
                    and following.word not in en.DETERMINERS
                )
                or (loose and word == "for" and following.word not in ("me", "us", "it"))
                or (vague and word == "to" and _unmarked_verb(following) and not self._instrument())
            ):
                end = self._relative(end + 1)
            elif c.preposition == "with" and word == "with" and self._looks(end + 1):
                end = self._noun_phrase(end + 1)
            else:
                break
        return end

    def _instrument(self) -> bool:
        """Whether it is what something is done with: "use something sharp to ..."."""
        before = [c.verb for c in self._chunks[max(0, self._begin - 2) : self._begin] if c.verb]
        return before[-1:] == ["use"]

    def _looks(self, at: int) -> bool:
        """Whether "with" tells what it looks like, not what is in it: "with a brown handle"."""
        end = self._noun_phrase(at)
        inner = self._chunks[at:end]
        return bool(inner) and inner[-1].noun is None and _unknown(inner[-1])

    def _noun_phrase(self, at: int) -> int:
        """Return the index after a noun phrase without what follows it."""
        begin = at
        while (c := self._at(at)) is not None and (
            _unknown(c) or c.noun is not None or c.room
            or c.word in self._lexicon.colours or c.word in en.SAFE_ADJECTIVES
            or (c.word in en.DETERMINERS and at == begin) or c.word in en.NUMBERS or c.word in en.GENERIC
            or (bool(c.state) and not c.preposition) or (bool(c.verb) and c.form == "ing" and not c.preposition)
        ):  # fmt: skip
            at += 1
        return at

    def _occasion(self, at: int) -> int:
        """Return the index after "after a bath", `at` where what comes after is something to do."""
        end = self._noun_phrase(at + 1)
        inner, following = self._chunks[at + 1 : end], self._at(end)
        ended = following is None or following.conjunction or following.preposition or following.sequence
        return end if ended and len(inner) in (1, 2) and not any(c.verb for c in inner) else at

    def _relative(self, at: int) -> int:
        """Return the index after a clause that says what something does or is for."""
        begin = at
        while (c := self._at(at)) is not None and at - self._begin < _LONGEST:
            following = self._at(at + 1)
            if c.word == "or":
                at += 1
                continue
            if c.word in ("after", "before") and (behind := self._occasion(at)) > at:
                at = behind
                continue
            if c.word in _ENDS or c.sequence or c.word == "," or (at > begin and _is_subject(c, following)):
                break
            if c.preposition == "from" and any(x.noun is not None for x in self._chunks[at + 1 : at + 4]):
                break  # "the thing for flowers from the shelf"
            if c.word == "to" and self._instrument() and _unmarked_verb(following):
                break
            if c.preposition == "with" and not (following is None or following.preposition or self._looks(at + 1)):
                break
            if c.conjunction:
                if following is None or not (
                    _unknown(following) or following.noun is not None or following.form == "ing"
                ):
                    break
                if following.verb and following.form == "base" and following.noun is None:
                    break
            elif (
                c.preposition in _PLACE
                and at > begin
                and not (c.word == "to" and (_unmarked_verb(following) or self._chunks[at - 1].word in ("use", "used")))
            ):
                stranded = following is None or following.preposition or following.conjunction or following.sequence
                if not stranded and not _ends(following):
                    break
                at += 1
                if c.preposition != "to":
                    break
                continue
            elif c.word in ("it", "them"):
                break
            at += 1
        return at


def _is_subject(c: Chunk, following: Chunk | None) -> bool:
    """Whether a verb follows of which the description is the subject: "the thing that rings SHOULD be washed"."""
    if following is None:
        return False
    obliged = c.word in _OBLIGED or (c.word in _OBLIGED_TO and following.word == "to")
    return obliged or (c.word in _GOES and following.preposition in _PLACE)


def _impersonal(words: Sequence[str]) -> str:
    """Return a description as it is said of anyone: "thing I pay with" means what "thing you pay with" does."""
    return " ".join({"i": "you", "we": "you"}.get(word, word) for word in words)


def _ends(c: Chunk | None) -> bool:
    return c is not None and c.word.startswith(tuple(_ENDS))


def _unknown(c: Chunk) -> bool:
    return not c.known and c.word.isalpha() and not c.word.endswith("ly") and c.word not in _NEVER


def _told_state(c: Chunk) -> bool:
    """Whether a state is asked for, rather than part of what something is: "clean", "chilled", not "cold"."""
    return bool(c.state) and not c.noun and (c.state in _PARTICIPLES or c.word.split()[0].endswith("ed"))


def _unmarked_verb(c: Chunk | None) -> bool:
    """Whether an infinitive follows "to": a verb, or a word that isn't known."""
    return c is not None and ((c.form == "base" and bool(c.verb)) or _unknown(c)) and c.word not in en.DETERMINERS
