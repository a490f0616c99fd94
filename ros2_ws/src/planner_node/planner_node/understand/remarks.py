# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a text asks for, apart from what is remarked beside it: "Put the mug in the sink, we need milk".

A remark is a sentence, or a part of one behind a comma, a dash, "because", "since" or "so", that begins with a person
or with what is theirs and says something of them, or of what was spoken of. It is no part of the request, whatever
nouns and verbs are in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Protocol

from planner_node.arranging.words import ARRANGING, DETERMINERS, PRONOUNS
from planner_node.skills import Code
from planner_node.understand import words as en
from planner_node.understand.aid import NO_AID, Aid
from planner_node.understand.chunks import MAX_LENGTH, verb_form
from planner_node.understand.frames import without_frames
from planner_node.understand.goals import NotUnderstood, ObjectRef, Statement, Understanding, Understood

_BREAK = re.compile(
    r"(\s*[,;](?!\d)\s*|\s+[-–—]+\s+|\s*—\s*|(?<=[.!?])[\"'”’)]*\s+|\s*\n+\s*|\s+(?=(?:because|since|(?:and )?so)\b))",
    re.I,
)
_LEAD = (
    r"(?:(?:because|since|and|but|so that|so|well|oh|also|you know what|you know|you see|honestly|frankly|basically"
    r"|unfortunately|luckily|apparently|obviously|anyway|anyhow|listen|ugh|sadly|to be honest|by the way)\b[\s,]*)*"
)
_KIN = (
    r"(?:mom|mum|mommy|mummy|dad|daddy|grandma|grandpa|granny|grandmother|grandfather|auntie|uncle|everybody|everyone"
    r"|nobody|somebody|someone|people|guests|kids)"
)
_BE = r"(?:is|are|was|were|am|has|have|had)"
_SAYS = (
    rf"(?:{_BE}|'m|isn't|aren't|likes?|loves?|prefers?|hates?|wants?|needs?|lives?|comes?|goes|gets|gave|got|always|"
    r"usually|never|often|will|would|can|can't|doesn't|don't|visits?|turns?|works?|sleeps?|feels?|looks?)"
)
_REMARK = re.compile(
    rf"{_LEAD}(?:"
    r"(?:i|we|he|she|they|everybody|everyone|nobody)(?:'(?:m|re|s|ve|ll|d))?\s+[a-z]"
    rf"|(?:my|our|his|her|their)\s+[^?]*?\b{_SAYS}\b"
    rf"|hope\b|(?:the\s+)?{_KIN}\s+{_SAYS}\b"
    rf"|(?:it|that|this|these|those|there)(?:'s|'re|\s+(?:{_BE}|looks?|makes?|feels?|smells?|tastes?|was))\b)",
    re.IGNORECASE,
)
_FILLER = re.compile(
    rf"\s*(?!(?:and|so|but)\b)"
    rf"(?:{_LEAD}|(?:hi|hello|hey|good (?:morning|evening|afternoon))(?: (?:there|robot|karma))?)[\s.!]*",
    re.IGNORECASE,
)
"""Nothing but such words, or a greeting: "Anyway, ..."."""
_WAIVES = re.compile(
    rf"{_LEAD}(?:(?:there's|there is)\s+)?(?:(?:don't|do not|dont)\s+(?:bother|worry|fuss)|no need|forget about"
    r"|you\s+(?:don't|do not)\s+(?:have|need)\s+to)\b",
    re.IGNORECASE,
)
"""What need not be done: "don't bother with the dishes"."""
_REASON = re.compile(r"because\b", re.IGNORECASE)
_CORRECTS = re.compile(rf"{_LEAD}(?:i|we) (?:mean|meant|said)\b", re.IGNORECASE)
_WISH = re.compile(
    rf"{_LEAD}(?:(?:i|we)(?:'d| would) (?:like|love|prefer|want)|(?:i|we) (?:want|wish)|i need|(?:i|we) need you"
    r"|.*\b(?:should|must|ought to|(?:is|are) to|(?:has|have|needs?) to be)\b)",
    re.IGNORECASE,
)
"""What may ask for something, though a person says it of themselves."""
_TO_BE_THERE = re.compile(
    r"\b(?:should|must|ought to|needs? to|ha(?:s|ve) to|(?:is|are|'s) to|goes|go|belongs?) ", re.IGNORECASE
)
_NEEDS = re.compile(rf"{_LEAD}i need\b", re.IGNORECASE)
"""What may tell of a shortage: "I need milk"."""
_STATES = re.compile(rf"\W*(?:my|our) (?:[\w'-]+ )+?{_BE}(?!\s+to\b)\b[^?]*$", re.IGNORECASE)
_SOFTENER = re.compile(
    r"(?:(?:and|so|but|then|therefore|please|kindly|just|also|now|first|next|finally|hey|hi|hello|ok|okay|robot|karma"
    r"|go ahead and|let's|help me)\b[\s,]*)+",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:could|can|would|will) (?:you|u)\b|(?:i|we)(?:'d| would) like you to\b|(?:i|we) (?:want|need) you to\b"
    r"|do you mind\b",
    re.IGNORECASE,
)
_BIDS = re.compile(
    r"\b(?:(?:i|we) (?:want|need) you to|(?:could|can|would|will) (?:you|u)|please|pls|plz)\b", re.IGNORECASE
)
"""What bids the robot, wherever in a sentence it stands."""
_LIMITS = re.compile(
    r"(?:and |but )?(?:if|unless|until|except|without|not|don't|do not|never|instead)\b", re.IGNORECASE
)
"""What limits a request though a remark is in between."""
_LIMITED = re.compile(
    r"\b(?:if|unless|until|except|without|not?|no one|nobody|none|neither|nor|nothing|\w+n't"
    r"|cannot|never|instead|when|whenever|once|after|before|while)\b",
    re.IGNORECASE,
)
"""What may limit a request, or say when to carry it out, anywhere before it."""
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_NOTES = frozenset(["remind", "remember", "note", "know"])
"""Who asks that tells something to be remembered."""
_NO_VERBS = (
    _NOTES
    | DETERMINERS
    | PRONOUNS
    | en.PREPOSITIONS.keys()
    | en.SEQUENCE
    | en.CONJUNCTIONS
    | en.REMARKS
    | en.CONDITIONS
)
_WHEN = frozenset(
    [
        "such",
        "quite",
        "today",
        "tomorrow",
        "yesterday",
        "tonight",
        "when",
        "while",
        "once",
        "here",
        "there",
        "not",
        "yes",
        "no",
    ]
)


class Understander(Protocol):
    """Turns text into goals."""

    def understand(self, text: str, spoken_of: tuple[ObjectRef, ...] = (), aid: Aid = NO_AID) -> Understanding:
        """Return the goals. Never raises on any text."""


@dataclass(frozen=True)
class _Piece:
    """A piece of a text, and what separates it from the one before."""

    text: str
    separator: str = ""
    remark: bool = False


class WithoutRemarks:
    """Understands what a text asks for without what is remarked beside it."""

    def __init__(self, understander: Understander, rules: Understander | None = None) -> None:
        """`understander` gets the requests; `rules` tell a wish from a remark: a model would take seconds for each."""
        self._inner = understander
        self._rules = rules or understander

    def understand(self, text: str, spoken_of: tuple[ObjectRef, ...] = (), aid: Aid = NO_AID) -> Understanding:
        """Return the goals of the requests; of a text without remarks, or without requests, what it means in whole."""
        text = without_frames(text)
        pieces = self._pieces(text)
        said = self._understood(text, pieces, spoken_of, aid)
        unclear = isinstance(said, NotUnderstood) and said.code in (Code.NOT_UNDERSTOOD, Code.NOT_FOUND)
        return self._from_request_on(pieces, spoken_of, aid) or said if unclear else said

    def _from_request_on(self, pieces: list[_Piece], spoken_of: tuple[ObjectRef, ...], aid: Aid) -> Understood | None:
        """Return what is asked for from the first request on, None where that is not clear or what is before limits it.

        "After such a day, what a mess. Put the cup in the sink": what is before may still tell what "it" is.
        """
        first = next((i for i, piece in enumerate(pieces) if _begins_request(piece.text)), 0)
        before = " ".join(piece.text for piece in pieces[:first])
        if not first or _LIMITED.search(before):
            return None
        parted = [replace(piece, remark=piece.remark or i < first) for i, piece in enumerate(pieces)]
        if all(piece.remark for piece in parted):
            return None
        said = self._inner.understand(_since(parted), spoken_of, aid)
        if not isinstance(said, Understood):
            return None
        return replace(said, notes=(*said.notes, f"I took no request from {before.strip()!r}."))

    def _understood(self, text: str, pieces: list[_Piece], spoken_of: tuple[ObjectRef, ...], aid: Aid) -> Understanding:
        asked = [piece for piece in pieces if not piece.remark]
        if len(asked) in (0, len(pieces)):
            said = self._inner.understand(text, spoken_of, aid)
            return Statement(text.strip()) if not asked and _STATES.match(text) and _does(said) else said
        told_first = pieces[0].remark
        said = self._inner.understand(_joined(pieces), () if told_first else spoken_of, aid)
        if told_first and not isinstance(said, Understood):
            about = self._inner.understand(_since(pieces), spoken_of, aid)
            if isinstance(about, Understood):
                return about  # "My keys are on the sofa, put them in the box"
        if _does(said):
            return said
        if not told_first and asks(text):
            return said
        whole = self._inner.understand(text, spoken_of, aid)  # "My shoes are muddy, clean them"
        return said if isinstance(whole, Statement) and asks(_joined(pieces)) else whole

    def remarks(self, text: str) -> tuple[str, ...]:
        """Return what is remarked beside a request, as sentences; nothing of a text that asks for nothing."""
        pieces = self._pieces(without_frames(text))
        if all(piece.remark for piece in pieces):
            return ()
        found: list[str] = []
        follows = False
        for piece in pieces:
            if piece.remark and follows and not re.search(r"[.!?]", found[-1][-1:]):
                found[-1] += piece.separator + piece.text
            elif piece.remark:
                found.append(re.sub(rf"^{_LEAD}", "", piece.text, flags=re.IGNORECASE))
            follows = piece.remark
        return tuple(remark.rstrip(" .!?,;") + "." for remark in found if remark)

    def parted(self, text: str) -> str:
        """Return a text with its remarks as sentences of their own, before or behind what is asked for."""
        pieces = self._pieces(text)
        remarks = self.remarks(text)
        if not remarks:
            return text
        request = re.sub(r"^(?:and )?so\b\s*", "", _joined(pieces), flags=re.IGNORECASE).rstrip(" .!,;")
        return " ".join([*remarks, f"{request}."] if pieces[0].remark else [f"{request}.", *remarks])

    def answered(self, text: str, answer: str, phrase: str = "") -> str:
        """Return a text with an answer behind its last request: "put it away, I'm tired" + "in the box".

        `phrase`: words that were not clear; the answer takes their place.
        """
        words = r"\W+".join(map(re.escape, phrase.split()))
        unclear = re.search(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE) if phrase else None
        if unclear is not None:
            return text[: unclear.start()] + answer + text[unclear.end() :]
        pieces = self._pieces(text)
        last = max((i for i, piece in enumerate(pieces) if not piece.remark), default=len(pieces) - 1)
        before = "".join(piece.separator + piece.text for piece in pieces[: last + 1])
        after = "".join(piece.separator + piece.text for piece in pieces[last + 1 :])
        return f"{before.rstrip(' .!?')} {answer}{'. ' if after else ''}{after.lstrip(' ,;')}"

    def _pieces(self, text: str) -> list[_Piece]:
        """Split a text where remarks may begin or end."""
        if len(text) > MAX_LENGTH:
            return [_Piece(text)]
        parts = _BREAK.split(text.replace("’", "'"))
        pieces: list[_Piece] = []
        telling = False
        for separator, part in zip(["", *parts[1::2]], parts[::2], strict=True):
            if part and not part.isspace():
                goes_on = telling and not (_begins_request(part) or _LIMITS.match(part) or self._is_wish(part))
                telling = self._is_remark(part) or goes_on
                pieces.append(_Piece(part, separator, telling))
        return pieces or [_Piece(text)]

    def _is_wish(self, part: str) -> bool:
        """Whether something is to be done though no verb begins it: "the fork has to go in the drawer"."""
        return _TO_BE_THERE.search(part) is not None and isinstance(self._rules.understand(part), Understood)

    def _is_remark(self, part: str) -> bool:
        if _WAIVES.match(part) or _FILLER.fullmatch(part):
            return True
        if _CORRECTS.match(part) or _BIDS.search(part) or not (_REASON.match(part) or _REMARK.match(part)):
            return False
        if not _WISH.match(part):
            return not _ASKS.match(part)
        wished = self._rules.understand(part)
        unknown = isinstance(wished, NotUnderstood) and wished.code is Code.NOT_FOUND
        return not _does(wished) and not (unknown and not _NEEDS.match(part))  # "I want a unicorn" is refused


def _does(understood: Understanding) -> bool:
    """Whether there is something to do, even if it isn't known in whole."""
    if isinstance(understood, NotUnderstood):
        return understood.code is Code.AMBIGUOUS
    return isinstance(understood, Understood)


def asks(text: str) -> bool:
    """Whether a sentence of a text, or a part of one, begins as a request: with a verb and what it is done to."""
    return any(_begins_request(part) for part in _BREAK.split(text[:MAX_LENGTH].replace("’", "'"))[::2])


def bids(text: str) -> bool:
    """Whether the robot is spoken to with what is to be done: "I want you to ...", "please"."""
    return _BIDS.search(text) is not None


def _begins_request(part: str) -> bool:
    softened = _SOFTENER.match(part.lstrip())
    plain = part.lstrip()[softened.end() if softened else 0 :]
    if _ASKS.match(plain) or _BIDS.search(plain.rstrip(" .!").removesuffix("please")):
        return True
    words = [word.lower() for word in _WORD.findall(plain)[:2]]
    if not words or words[0] in _NO_VERBS | _WHEN or words[0].endswith("day") or _REMARK.match(plain):
        return False
    form = verb_form(words[0])
    if form is not None or words[0] in ARRANGING:
        return form is None or form[1] == "base"
    return len(words) > 1 and words[1] in (DETERMINERS | PRONOUNS)


def _since(pieces: list[_Piece]) -> str:
    """Return what is asked for behind what is remarked before it, as its reason: what "it" is may be said there."""
    first = next(i for i, piece in enumerate(pieces) if not piece.remark)
    told = " ".join(
        re.sub(rf"^{_LEAD}", "", p.text, flags=re.IGNORECASE) for p in pieces[:first] if not _WAIVES.match(p.text)
    )
    return f"since {re.sub(r'[.!?;:,]+', ' ', told)}, {_joined(pieces[first:])}"


def _joined(pieces: list[_Piece]) -> str:
    """Return what is asked for, without the remarks."""
    said = ""
    for piece in pieces:
        if not piece.remark:
            said += (piece.separator if said else "") + piece.text
    return said
