# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Requests that say where a thing is to be rather than what to do: "the forks go in the drawer".

They become "put the forks in the drawer", and so does what names the place first: "on the table, put the plates".
"""

from __future__ import annotations

from collections.abc import Sequence

from planner_node.understand import words as en
from planner_node.understand.chunks import Chunk

_PUT = Chunk(("put",), verb="put", form="base")
_THEM = Chunk(("them",))
_TO = Chunk(("to",), preposition="to")
_MODAL = frozenset(["should", "must", "shall"])
_MODAL_TO = frozenset(["ought", "has", "have", "need", "needs", "is", "are", "supposed", "meant"])
_STAYING = frozenset(["be", "go", "sit", "stand", "lie", "lay", "live", "stay", "rest", "hang", "belong", "end up"])
_GOING = frozenset(["go", "goes"])
_BELONGING = frozenset(["belong", "belongs"])
_SUBJECTS = frozenset(["it", "both", "they", "that", "this", "these", "those"])
_NEVER = en.NEGATIONS | en.CONDITIONS | {"always", "usually", "normally", "i", "you", "we", "which", "who", "where"}
"""Words with which it is told where things usually are, or what is not to be."""
_PLACES = ("on", "in", "to", "near")
_ASSURED = frozenset(["sure", "certain", "ensure", "like", "want"])
_TO_BE = frozenset(["is", "are", "be"])


def placing(chunks: list[Chunk], *, asks: bool) -> list[Chunk]:
    """Return a sentence with "put" before what is said to be somewhere.

    `asks`: whether the text asks for something with a verb. Else "the keys belong in the drawer" just tells it, while
    "the apple on the table, please", which has no verb at all, asks.
    """
    chunks = _place_last(_there(chunks))
    at = 0
    while at < len(chunks):
        end = _link(chunks, at, asks=asks)
        begin = _subject(chunks, at) if end else at
        if begin < at:
            subject = [_THEM if c.word == "they" else c for c in chunks[begin:at]]
            chunks = [*chunks[:begin], _PUT, *subject, *chunks[end:]]
            at = begin + 1 + len(subject)
        at += 1
    return chunks if asks or any(c is _PUT for c in chunks) else _verbless(chunks)


def says_where(chunks: Sequence[Chunk]) -> bool:
    """Whether it is said of something that it should be, or goes, somewhere."""
    return any(_link(chunks, at, asks=False) and _subject(chunks, at) < at for at in range(1, len(chunks)))


def _link(chunks: Sequence[Chunk], at: int, *, asks: bool) -> int:
    """Return the index behind "should go", "would be nice", "belongs" or the like; 0 where there is no such thing."""
    word, end = chunks[at].word, at + 1
    if word == "would" and _word(chunks, end) == "be":
        return _behind_praise(chunks, at, end + 1)
    if word in _MODAL_TO and _word(chunks, end) == "to":
        end += 1
    elif word not in _MODAL:
        bare = word in _GOING or (word in _BELONGING and asks)
        return end if bare and _place_at(chunks, end) else 0
    while _word(chunks, end) in en.ADDITIVES | {"all", "both", "then", "now", "just"}:
        end += 1
    return end + 1 if _word(chunks, end) in _STAYING and _place_at(chunks, end + 1) else 0


def _behind_praise(chunks: Sequence[Chunk], at: int, end: int) -> int:
    """Return the index behind "would be perfect", with a place behind it or before; 0 where there is none."""
    while end < len(chunks) and _praise(chunks[end]):
        end += 1
    if _place_at(chunks, end):
        return end
    placed = any(_place_at(chunks, i) for i in range(_subject(chunks, at), at))
    return end if placed and (end == len(chunks) or chunks[end].stop or chunks[end].word == ",") else 0


def _praise(c: Chunk) -> bool:
    plain = c.word in en.SAFE_ADJECTIVES or not c.known
    return plain and c.word not in en.NEGATIONS | en.CONDITIONS


def _subject(chunks: Sequence[Chunk], end: int) -> int:
    """Return where what is spoken of begins, `end` where nothing is."""
    begin = end
    while begin:
        before = chunks[begin - 1]
        if before.word == "," or before.sequence or before.polite or before.stop or before.word in en.PRELUDES:
            break
        if before.verb and before.noun is None and not before.described and not before.state:
            joined = next((i for i in range(begin, end) if chunks[i].conjunction), end)
            begin = joined + (joined < end)  # "wash the fork and THE SPOON goes in the drawer"
            break
        begin -= 1
    while begin < end and (chunks[begin].conjunction or chunks[begin].word in en.ADDITIVES):
        begin += 1
    words = {c.word for c in chunks[begin:end]}
    named = any(c.noun is not None or c.described or c.word in _SUBJECTS for c in chunks[begin:end])
    return begin if named and not words & _NEVER else end


def _there(chunks: list[Chunk]) -> list[Chunk]:
    """Read "make sure there are two forks on the table", "there should be ..." as "put two forks on the table"."""
    for at, c in enumerate(chunks):
        if c.word != "there":
            continue
        begin, end = at - (at > 0 and chunks[at - 1].word == "that"), at + 1
        assured = begin > 0 and chunks[begin - 1].word in _ASSURED
        modal = _word(chunks, end) in _MODAL | (_MODAL_TO - _TO_BE)
        end += modal
        end += _word(chunks, end) == "to"
        if not (assured or modal) or _word(chunks, end) not in _TO_BE:
            continue
        placed = (i for i in range(end + 1, len(chunks)) if chunks[i].stop or _place_at(chunks, i))
        if (place := next(placed, len(chunks))) == len(chunks) or chunks[place].stop:
            continue
        if assured:
            begin = next((i for i in range(begin, 0, -1) if _opens(chunks[i - 1])), 0)
        return [*chunks[:begin], _PUT, *chunks[end + 1 :]]
    return chunks


def _place_last(chunks: list[Chunk]) -> list[Chunk]:
    """Read "in the drawer, put a fork" as "put a fork in the drawer"; so "the shelf is where the vase should go"."""
    first = next((i for i, c in enumerate(chunks) if not (c.polite or c.sequence or c.word == ",")), len(chunks))
    comma = next((i for i, c in enumerate(chunks) if c.word == "," and i > first), len(chunks))
    verb = next((i for i in range(comma + 1, len(chunks)) if not (chunks[i].polite or chunks[i].sequence)), comma)
    if _place_at(chunks, first) and verb < len(chunks) and _puts(chunks[verb]):
        end = next((i for i in range(verb + 1, len(chunks)) if _opens(chunks[i])), len(chunks))
        place = chunks[first:comma]
        stays = any(_place_at(chunks, i) for i in range(verb, end)) or any(c.verb and not c.noun for c in place)
        named = any(c.noun is not None or c.described for c in place)
        return chunks if stays or not named else [*chunks[:first], *chunks[verb:end], *place, *chunks[end:]]
    for at in range(1, len(chunks) - 1):
        if chunks[at].word in ("is", "are") and chunks[at + 1].word == "where":
            begin = _subject(chunks, at)
            thing = _without_frame(chunks[at + 2 :])
            if begin < at and thing:
                to = [] if _place_at(chunks, begin) else [_TO]
                return [*chunks[:begin], _PUT, *thing, *to, *chunks[begin:at]]
    return chunks


def _without_frame(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return the thing of "I want the vase", "the vase goes", "the vase should be"; nothing where none is named."""
    begin = next((i for i, c in enumerate(chunks) if c.noun is not None or c.described), len(chunks))
    first = begin
    while first and (
        chunks[first - 1].small or chunks[first - 1].state or chunks[first - 1].word in en.SAFE_ADJECTIVES
    ):
        first -= 1
    if chunks[:first] and not any(c.word in _ASSURED | {"i'd", "need", "would like"} for c in chunks[:first]):
        return []
    end = next((i for i in range(begin + 1, len(chunks)) if chunks[i].stop), len(chunks))
    tail = {c.word for c in chunks[begin + 1 : end]}
    said = _MODAL | _MODAL_TO | _STAYING | _GOING | _BELONGING | {"to"}
    return list(chunks[first : begin + 1]) if begin < len(chunks) and tail <= said else []


def _verbless(chunks: list[Chunk]) -> list[Chunk]:
    """Read "the apple onto the table" as "put the apple onto the table"."""
    said = [c for c in chunks if not (c.polite or c.stop or c.sequence or c.word == ",")]
    place = next((i for i in range(len(said)) if _place_at(said, i)), 0)
    thing = said[:place]
    verb = any(c.verb and (i == 0 or not (c.noun or c.described or c.state)) for i, c in enumerate(said))
    if not place or verb or not all(c.known for c in said):
        return chunks
    spoken = {c.word for c in said} & (_NEVER | en.BEING | en.TELLING | en.REMARKS | en.PRELUDES)
    named = any(c.noun is not None or c.described for c in thing)
    begin = chunks.index(said[0])
    return [*chunks[:begin], _PUT, *chunks[begin:]] if named and not spoken else chunks


def _place_at(chunks: Sequence[Chunk], at: int) -> bool:
    return at + 1 < len(chunks) and chunks[at].preposition in _PLACES and not chunks[at + 1].stop


def _puts(c: Chunk) -> bool:
    return bool(c.verb) and c.form == "base" and en.VERBS[c.verb] == "put"


def _opens(c: Chunk) -> bool:
    return c.stop or c.sequence or c.polite or c.word == "," or c.conjunction


def _word(chunks: Sequence[Chunk], at: int) -> str:
    return chunks[at].word if at < len(chunks) else ""
