# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Other ways to ask as plain requests: "the cup should be washed", "I want it sliced", "make sure that A is on B"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planner_node.understand import words as en
from planner_node.understand.chunks import Chunk

_OBLIGED = frozenset(["should", "must", "shall", "ought"])
_OBLIGED_TO = frozenset(["need", "needs", "has", "have", "ought", "is", "are", "want", "wants"])
_MAY = frozenset(["can", "could", "may", "would"])
_LIT = frozenset(["on", "lit", "switched", "turned", "is", "are", "illuminated", "shining"])
_WISHED = frozenset(["want", "need", "like", "would like", "i'd like"])
_WOULD = frozenset(["i'd", "we'd"])
_BRINGS_ABOUT = {"clean": "clean", "hot": "heat", "cold": "cool", "sliced": "slice", "filled": "fill", "open": "open"}
_RESULTS = {"clean": "clean", "heat": "hot", "cool": "cold", "slice": "sliced", "fill": "filled"}
"""What verbs ask for → how things are then."""
_AS_SOON_AS = frozenset(["when", "once", "until", "till", "after", "when done", "when finished"])
_IT_IS = frozenset(
    ["it", "it's", "they", "they're", "that", "that's", "is", "are", "has", "have", "been", "nice", "and", "all"]
)
_READY = frozenset(["done", "finished", "ready", "through"])
_STAYING = frozenset(["be", "go", "sit", "stand", "lie", "stay", "rest", "end up"])
_AT = ("on", "in", "near")
_LACKS = frozenset(["needs", "need", "requires", "require", "deserves"])
_SHUT = frozenset(["closed", "shut"])
_LIKE_ADJECTIVES = {"left": "leave", "kept": "keep", "stuck": "stick"}
"""Participles that are mostly other words."""
_AND = Chunk(("and",), conjunction=True)
_CHOOSE = frozenset(["find", "choose", "pick", "make", "clear", "select", "locate", "look for", "search"])


def plain(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return the chunks with every request as a verb before its objects."""
    sentences: list[list[Chunk]] = [[]]
    for c in _noun_of_doing(_without_when_done(list(chunks))):
        sentences[-1].append(c)
        if c.stop:
            sentences.append([])
    return [
        c
        for sentence in sentences
        for c in _room_made(_place_last(_wished(_passive(_assured(_lit(_without_instead(sentence)))))))
    ]


def _verb(base: str) -> Chunk:
    return Chunk((base,), verb=base, form="base")


def _without_when_done(chunks: list[Chunk]) -> list[Chunk]:
    """Leave out "when it's done", "until it is hot" behind what brings that about: things are done one by one."""
    begun: set[str] = set()
    for at, c in enumerate(chunks):
        if c.verb in en.VERBS:
            begun.add(_RESULTS.get(en.VERBS[c.verb], ""))
        if not at or chunks[at - 1].stop or c.word not in _AS_SOON_AS:
            continue
        end = at + 1
        while end < len(chunks) and chunks[end].word in _IT_IS:
            end += 1
        if end == len(chunks) or (end == at + 1 and c.word not in ("when done", "when finished")):
            continue
        ready = chunks[end].word in _READY or chunks[end].state in begun - {""}
        after = chunks[end + 1] if end + 1 < len(chunks) else None
        closes = after is None or after.stop or after.conjunction or after.sequence or after.polite
        if begun - {""} and ready and closes:
            return [*chunks[:at], *_without_when_done(chunks[end + 1 :])]
    return chunks


def _noun_of_doing(chunks: list[Chunk]) -> list[Chunk]:
    """Read "give the cup a rinse", "the cup needs a wash" or "needs washing" as "rinse the cup", "wash the cup"."""
    for at, c in enumerate(chunks):
        article = next((i for i in range(at + 1, min(at + 9, len(chunks))) if chunks[i].word in ("a", "an")), 0)
        doing = article + 1
        while article and doing < len(chunks) and (chunks[doing].word in en.SAFE_ADJECTIVES or not chunks[doing].known):
            doing += 1
        if c.verb == "give" and article and _done_to(chunks, doing, "base") and _ends_at(chunks, at + 1) == article:
            return [*chunks[:at], _verb(chunks[doing].verb), *chunks[at + 1 : article], *chunks[doing + 1 :]]
        if c.word not in _LACKS:
            continue
        doing = doing if article == at + 1 else at + 1
        begin = _subject_begins(chunks, at)
        form = "base" if article == at + 1 else "ing"
        if _done_to(chunks, doing, form) and begin < at and any(_named(x) for x in chunks[begin:at]):
            return [*chunks[:begin], _verb(chunks[doing].verb), *chunks[begin:at], *chunks[doing + 1 :]]
    return chunks


def _done_to(chunks: Sequence[Chunk], at: int, form: str) -> bool:
    """Whether a verb of what is done to a thing stands there, in that form."""
    return at < len(chunks) and en.VERBS.get(chunks[at].verb) in _RESULTS and chunks[at].form == form


def _ends_at(chunks: Sequence[Chunk], at: int) -> int:
    """Return the index after a noun phrase that begins at `at`."""
    while at < len(chunks):
        c = chunks[at]
        if c.preposition == "of" and at and chunks[at - 1].word in en.PARTS:
            at += 1  # "the top of the shelf"
            continue
        if (
            c.stop
            or c.preposition
            or c.conjunction
            or c.sequence
            or (c.verb and c.noun is None and not c.described and not c.state)
        ):
            break
        at += 1
        if c.noun is not None or c.described or c.word in en.PRONOUNS:
            break
    return at


def _without_instead(chunks: list[Chunk]) -> list[Chunk]:
    """Leave out "instead of the shelf", "rather than the shelf" and a mere "instead" behind a request."""
    for at, c in enumerate(chunks):
        after = chunks[at + 1] if at + 1 < len(chunks) else None
        if at and c.word == "instead" and (after is None or after.stop or after.conjunction or after.polite):
            return [*chunks[:at], *chunks[at + 1 :]]
        if after is None:
            return chunks
        if at and c.word in ("instead", "rather") and chunks[at + 1].word in ("of", "than"):
            begin = at + 2
            while begin < len(chunks) and chunks[begin].preposition:
                begin += 1
            return [*chunks[:at], *chunks[_ends_at(chunks, begin) :]]
    return chunks


def _lit(chunks: list[Chunk]) -> list[Chunk]:
    """Read "look at the pen while the lamp is on", "with the lamp turned on" as "... and switch on the lamp"."""
    for at, c in enumerate(chunks):
        if c.word not in ("while", "with"):
            continue
        end = _ends_at(chunks, at + 1)
        if end == at + 1 or chunks[end - 1].noun is None:
            continue
        after = end
        while after < len(chunks) and chunks[after].word in _LIT:
            after += 1
        said = [x.word for x in chunks[end:after]]
        if not {"on", "lit", "illuminated", "shining"} & set(said) or (after < len(chunks) and chunks[after].noun):
            continue
        if after < len(chunks) and chunks[after].word in en.DETERMINERS:
            continue  # "with the cup on the table"
        lamp = [_verb("turn"), Chunk(("on",), preposition="on"), *chunks[at + 1 : end]]
        if at == 0:
            rest = chunks[after + (after < len(chunks) and chunks[after].word == ",") :]
            return [*lamp, _AND, *rest]
        return [*chunks[:at], _AND, *lamp, *chunks[after:]]
    return chunks


def _assured(chunks: list[Chunk]) -> list[Chunk]:
    """Read "make sure that the plates are on the table" as "put the plates on the table"."""
    for at, c in enumerate(chunks):
        if c.word in ("ensure", "sure", "certain"):
            begin = at + 1 + (at + 1 < len(chunks) and chunks[at + 1].word == "that")
            end = _ends_at(chunks, begin)
            if end == begin or end + 1 >= len(chunks) or chunks[end].word not in ("is", "are", "gets", "get"):
                continue
            verb, rest = _brought_about(chunks, end + 1)
            if verb:
                before = chunks[: at - (c.word != "ensure")]
                return [*before, _verb(verb), *chunks[begin:end], *_active(rest)]
    for at, c in enumerate(chunks):
        if c.word in ("make", "get", "keep") and (at == 0 or not chunks[at - 1].noun):
            end = _ends_at(chunks, at + 1)
            if end > at + 1 and end < len(chunks) and not chunks[end].preposition:
                verb, rest = _brought_about(chunks, end)
                if verb and verb not in ("open", "close", "put") and not (rest and rest[0].noun is not None):
                    return [*chunks[:at], _verb(verb), *chunks[at + 1 : end], *rest]
    return chunks


def _brought_about(chunks: Sequence[Chunk], at: int) -> tuple[str, list[Chunk]]:
    """Return the verb that brings about what is said to be so, and what follows; no verb where there is none."""
    c = chunks[at]
    if c.preposition in ("on", "in", "near"):
        return "put", list(chunks[at:])
    if c.state in _BRINGS_ABOUT and c.noun is None:
        return _BRINGS_ABOUT[c.state], list(chunks[at + 1 :])
    if c.word in _SHUT:
        return "close", list(chunks[at + 1 :])
    if c.word in en.BEING and at + 1 < len(chunks) and chunks[at + 1].preposition in ("on", "in", "near"):
        return "put", list(chunks[at + 1 :])
    if c.verb and c.form == "past":
        return c.verb, list(chunks[at + 1 :])
    return "", []


def _passive(chunks: list[Chunk]) -> list[Chunk]:
    """Read "the mug should be washed and put on the table" as "wash the mug and put it on the table"."""
    for at, c in enumerate(chunks):
        if c.word == "it's" and at + 1 < len(chunks) and chunks[at + 1].word == "to":
            return _passive([*chunks[:at], Chunk(("it",)), Chunk(("is",)), *chunks[at + 1 :]])
        if c.word in ("be", "being", "get") and at and at + 1 < len(chunks) and _participle(chunks[at + 1]):
            modal = at - 1
            asked = next((i for i in range(at) if chunks[i].word in _MAY), -1)
            if asked >= 0 and _ends_at(chunks, asked + 1) > asked + 1:  # "could the pillow be moved"
                subject = chunks[asked + 1 : at]
                return [*chunks[:asked], _verb(_base(chunks[at + 1])), *subject, *_active(chunks[at + 2 :])]
            if chunks[modal].word == "to":
                modal -= 1
                obliged = modal >= 0 and chunks[modal].word in _OBLIGED_TO
            else:
                obliged = chunks[modal].word in _OBLIGED
            begin = _subject_begins(chunks, modal)
            if not obliged or begin == modal:
                continue
            subject = chunks[begin:modal]
            return [*chunks[:begin], _verb(_base(chunks[at + 1])), *subject, *_active(chunks[at + 2 :])]
    return chunks


def _wished(chunks: list[Chunk]) -> list[Chunk]:
    """Read "I want the tomato sliced and put in the bowl" as "slice the tomato and put it in the bowl".

    "I'd like the vase on the shelf" is "put the vase on the shelf".
    """
    for at, c in enumerate(chunks):
        if c.word not in _WISHED or (at and chunks[at - 1].noun is not None):
            continue
        end = _ends_at(chunks, at + 1)
        if end == at + 1 or end >= len(chunks):
            continue
        to_be = end + 2 < len(chunks) and chunks[end].word == "to" and chunks[end + 1].word in _STAYING
        done = end + 2 * to_be
        if done < len(chunks) and _participle(chunks[done]):
            return [_verb(_base(chunks[done])), *chunks[at + 1 : end], *_active(chunks[done + 1 :])]
        if done > end and chunks[done].preposition in _AT and _wishes(chunks, at):
            return [*chunks[: at - 1], _verb("put"), *chunks[at + 1 : end], *chunks[done:]]
        wished = _named(chunks[end - 1]) and not chunks[end - 1].anything and _wishes(chunks, at)
        after = _place_ends_at(chunks, end) if wished else end
        if after > end and after < len(chunks) and chunks[after].form == "past" and _participle(chunks[after]):
            return [_verb(_base(chunks[after])), *chunks[at + 1 : after], *_active(chunks[after + 1 :])]
        if after > end:
            return [*chunks[: at - 1], _verb("put"), *chunks[at + 1 :]]
    return chunks


def _wishes(chunks: Sequence[Chunk], at: int) -> bool:
    """Whether it is "I want", "we need", "I'd like": not what somebody likes anyway."""
    if at == 0:
        return False
    if chunks[at].word == "like":
        return chunks[at - 1].word in _WOULD
    return chunks[at - 1].word in ("i", "we")


def _place_ends_at(chunks: Sequence[Chunk], at: int) -> int:
    """Return the index after "on the shelf" at `at`, `at` where no place is named there."""
    if chunks[at].preposition not in ("on", "in", "near"):
        return at
    end = _ends_at(chunks, at + 1)
    return end if end > at + 1 and _named(chunks[end - 1]) else at


def _named(c: Chunk) -> bool:
    return c.noun is not None or bool(c.described)


def _subject_begins(chunks: Sequence[Chunk], end: int) -> int:
    """Return where the subject before a verb begins: after the last comma, or word that joins."""
    begin = end
    while begin and not (
        chunks[begin - 1].word == ","
        or chunks[begin - 1].sequence
        or chunks[begin - 1].polite
        or chunks[begin - 1].stop
    ):
        begin -= 1
    return begin


def _participle(c: Chunk) -> bool:
    return bool(_base(c)) and (c.form == "past" or c.word in en.VERBS or c.word in _LIKE_ADJECTIVES)


def _base(c: Chunk) -> str:
    return c.verb if c.verb in en.VERBS else _LIKE_ADJECTIVES.get(c.word, "")


def _active(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return what follows a passive verb, with "and put on the table" as "and put it on the table"."""
    found: list[Chunk] = []
    for at, c in enumerate(chunks):
        joined = at and (chunks[at - 1].conjunction or chunks[at - 1].sequence or chunks[at - 1].word == "be")
        if joined and _participle(c) and c.noun is None:
            following = chunks[at + 1] if at + 1 < len(chunks) else None
            found.append(_verb(_base(c)))
            if following is None or not (following.noun is not None or following.word in en.DETERMINERS):
                found.append(Chunk(("it",)))
        elif c.word == "be" and joined:
            continue
        else:
            found.append(c)
    return found


def _place_last(chunks: list[Chunk]) -> list[Chunk]:
    """Read "in the drawer, put a fork" as "put a fork in the drawer"."""
    first = next((i for i, c in enumerate(chunks) if not (c.polite or c.sequence or c.word == ",")), len(chunks))
    comma = next((i for i, c in enumerate(chunks) if c.word == "," and i > first), len(chunks))
    verb = next((i for i in range(comma + 1, len(chunks)) if not (chunks[i].polite or chunks[i].sequence)), comma)
    if verb == len(chunks) or chunks[first].preposition not in _AT:
        return chunks
    place, puts = chunks[first:comma], chunks[verb]
    if en.VERBS.get(puts.verb) != "put" or puts.form != "base" or any(c.verb and not c.noun for c in place):
        return chunks
    end = next((i for i in range(verb + 1, len(chunks)) if _opens(chunks[i])), len(chunks))
    placed = any(c.preposition in (*_AT, "to") for c in chunks[verb:end])
    if placed or not any(_named(c) for c in place):
        return chunks
    return [*chunks[:first], *chunks[verb:end], *place, *chunks[end:]]


def _opens(c: Chunk) -> bool:
    return c.stop or c.sequence or c.polite or c.conjunction


def _room_made(chunks: list[Chunk]) -> list[Chunk]:
    """Read "find a place on the shelf for the vase", "... to put the vase" as "put the vase on the shelf"."""
    for at, c in enumerate(chunks):
        if c.word not in _CHOOSE and c.verb not in _CHOOSE:
            continue
        there = at + 1
        while there < len(chunks) and (
            chunks[there].word in en.DETERMINERS or chunks[there].word in en.SAFE_ADJECTIVES or not chunks[there].known
        ):
            there += 1
        if there < len(chunks) and chunks[there].word in en.LOCATIONS:
            there += 1
        elif there > at + 1:
            continue
        place = there
        if place < len(chunks) and chunks[place].preposition in ("on", "in", "near", "under"):
            place = _ends_at(chunks, place + 1)
        if place + 1 >= len(chunks) or place == at + 1:
            continue
        purpose = chunks[place]
        puts = purpose.word in ("to", "where") and chunks[place + 1].verb and en.VERBS[chunks[place + 1].verb] == "put"
        if not puts and purpose.word != "for":
            continue
        thing = place + 1 + bool(puts)
        end = _ends_at(chunks, thing)
        verb = replace(chunks[place + 1], form="base") if puts else _verb("put")
        return [*chunks[:at], verb, *chunks[thing:end], *chunks[there:place], *chunks[end:]]
    return chunks
