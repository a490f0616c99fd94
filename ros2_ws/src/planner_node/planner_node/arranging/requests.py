# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a text asks to be put where, in which order, and what it tells of the things: by rules, for any nouns."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from planner_node.arranging.places import PlaceRef, PlaceWords
from planner_node.understand import words as en
from planner_node.understand.chunks import verb_form
from planner_node.vocabulary.lexicon import household

_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[\"'A-Z])")
_TOKEN = re.compile(r"[A-Za-z0-9][\w&'’.+-]*[\w]|[A-Za-z0-9]|[,;:/]")
_POSITIONS = re.compile(r"\b(?:the )?(?:positions?|locations?|places?) of\b")
_MANY = 20
"""Numbers from here on are part of a name."""
_MOVING = ("put", "bring", "get", "give", "")
"""What the verbs ask for that say where something goes; empty for verbs that the planner's grammar does not know."""
_ON = frozenset(["on", "onto", "to", "atop", "upon", "at", "over", "for"])
_IN = frozenset(["in", "into", "inside", "within"])
_NEAR = frozenset(["beside", "by", "near", "alongside"])
_AWAY = frozenset(["from", "off"])
_POST = frozenset(
    ["with", "of", "from", "on", "that", "which", "by", "in", "featuring", "for", "holding", "called", "named", "titled",
     "gifted", "given", "who", "where", "when", "at", "inside", "about", "made", "shaped", "has", "having"]
)  # fmt: skip
_POSSESSIVE = frozenset(["my", "our", "his", "her", "their", "your"])
_DETERMINERS = _POSSESSIVE | {"the", "a", "an", "some", "this", "that", "these", "those", "both", "all", "one", "two",
                              "each", "every", "any"}  # fmt: skip
_PRONOUNS = frozenset(["it", "them", "both", "these", "those", "they", "this", "that", "one"])
_EACH_OTHER = re.compile(
    r"\b(?:next to|beside|alongside|near|close to) (?:each other|one another)\b|\bside by side\b|\btogether\b"
)
_ADVERBS = frozenset(
    ["back", "up", "away", "down", "out", "together", "again", "first", "then", "please", "also", "next", "finally", "too",
     "as", "well", "neatly", "carefully", "side", "just", "afterwards", "later", "now", "over", "here", "there"]
)  # fmt: skip
_LEADS = frozenset(
    ["and", ",", ":", ";", "then", "by", "to", "please", "also", "first", "next", "finally", "after", "before"]
)
_DESIRED = re.compile(
    r"^(?:(?P<thing>(?:the|my|our|both|all)\b.*?) (?:should|must|needs? to|has to|have to|ought to) (?:go|be(?: put| placed| moved| set)?|stand|sit)"
    r"|i(?:'d| would) like (?P<liked>(?:the|my|our)\b.*?)(?: to be)?(?: put| placed| moved)?|i (?:want|need) (?P<wanted>(?:the|my|our)\b.*?)(?: to be)?(?: put| placed| moved)?)"
    r" (?P<where>(?:on|in|onto|into|at|inside|next to|beside) .*)$"
)
"""Said as a state of affairs: "the kettle should go on the counter"."""
_SUBJECT = re.compile(
    r"^(?:i|we|it|they|he|she|this|that|these|those|both|in|my|our|usually|normally|typically|every|whenever|when|during)\b"
)
_ASKS = re.compile(
    r"^(?:.*?\b(?:could|can|would|will) you\b|(?:i(?:'d| would) (?:like|love)|i (?:want|need)) you to\b|please\b|help\b)"
)
_SOFTENERS = re.compile(
    r"^(?:(?:and|then|after that|afterwards|additionally|also|next|finally|lastly|now|moreover|in addition|once done|"
    r"first|firstly|second|secondly|third|hey|hi|hello|okay|ok|robot)\s*,?\s+|please\s+|kindly\s+|just\s+|"
    r"(?:after|once|when) you(?:'ve| have)?(?: finished| done)?\s+|would you mind\s+|do you mind\s+|i was hoping you (?:could|would)\s+|"
    r"(?:could|can|would|will) you(?: please| kindly| also| first)*\s+|"
    r"(?:i(?:'d| would) (?:like|love)|i (?:want|need)) you to\s+|help me(?: out)?(?: by| to)?\s+|help\s+|let's\s+|"
    r"go ahead and\s+|you to\s+|me\s+)+"
)


@dataclass(frozen=True)
class ThingRef:
    """Something that is to be moved, as it is spoken of."""

    phrase: str
    """Without its determiner: "white candle on a black holder", "jug"."""
    head: str
    """The phrase up to its first modifier after the noun: "white candle", "jug"."""
    plural: bool = False
    """Whether there is no telling how many: "the toys"."""
    count: int = 1
    """How many; 1 also where there is no telling."""
    other: bool = False
    """Whether it is not one that was spoken of before ("another cup")."""
    told: tuple[str, ...] = ()
    """What the rest of the text tells of it."""


@dataclass(frozen=True)
class Move:
    """Things to be put somewhere."""

    things: tuple[ThingRef, ...]
    to: PlaceRef | None = None
    relation: str = "on"
    """"on" or "within" the place."""
    source: PlaceRef | None = None
    together: bool = False
    """Whether the things are to be next to each other."""
    beside: ThingRef | PlaceRef | None = None
    """What they are to be next to."""
    sequel: bool = False
    """Whether it is said to come after what was said before."""


@dataclass(frozen=True)
class Request:
    """What a text asks for and tells."""

    text: str
    moves: tuple[Move, ...] = ()
    wishes: tuple[str, ...] = ()
    """Clauses that ask for something without saying what goes where: "set up my reading spot"."""
    topics: tuple[PlaceRef, ...] = ()
    """Places that it speaks of besides: "tidy up the closet"."""
    told: tuple[str, ...] = ()
    """Sentences that ask for nothing."""

    @property
    def things(self) -> tuple[ThingRef, ...]:
        """Everything to be moved, once each, in the order of mention."""
        return tuple(dict.fromkeys(thing for move in self.moves for thing in move.things))


def sentences(text: str) -> list[str]:
    """Split a text into sentences; numbers and abbreviations before small letters end none."""
    return [part.strip() for part in _SENTENCE.split(text.strip()) if part.strip()]


def tokens_of(text: str) -> list[str]:
    """Return the words and commas of a text in lower case."""
    return [token.lower().rstrip(".") for token in _TOKEN.findall(text.replace("’", "'"))]


def read_request(text: str, places: PlaceWords) -> Request:
    """Read a text. Never raises: what is not understood is a wish or told."""
    reader = _Reader(places)
    told: list[str] = []
    for sentence in sentences(re.sub(r"\s[-–—]+\s", ", ", text)):
        desired = _DESIRED.match(sentence.lower().replace("’", "'").rstrip(".!?"))
        if desired is not None:
            thing = desired["thing"] or desired["liked"] or desired["wanted"]
            reader.read(f"put {thing} {desired['where']}")
        elif _is_request(sentence):
            reader.read(sentence)
        else:
            told.append(sentence)
    return reader.request(text, told)


def _is_request(sentence: str) -> bool:
    lowered = sentence.lower().replace("’", "'")
    if _ASKS.match(lowered):
        return True
    plain = _SOFTENERS.sub("", lowered)
    first = re.split(r"[^\w'-]+", plain, maxsplit=1)[0]
    return (
        bool(verb_form(first))
        or first
        in (
            "tidy",
            "prepare",
            "change",
            "swap",
            "make",
            "create",
            "refresh",
            "help",
            "setup",
            "ready",
            "decorate",
            "rearrange",
        )
        or not (  # noqa: E501
            _SUBJECT.match(plain)
            or re.search(r"\b(?:is|are|was|were|has|have|had|holds|belongs?|am|like|likes|prefer|love|keep)\b", plain)
        )
    )


@dataclass
class _Reader:
    """Reads request after request; pronouns and places mean what was read before."""

    places: PlaceWords
    moves: list[Move] = field(default_factory=list)
    wishes: list[str] = field(default_factory=list)
    topics: list[PlaceRef] = field(default_factory=list)
    sentence: int = 0
    """How many moves there were when the sentence began."""

    def read(self, sentence: str) -> None:
        """Read one sentence that asks for something."""
        self.sentence = len(self.moves)
        lowered = sentence.strip().rstrip(".?!").replace("’", "'")
        sequel = bool(
            re.match(r"(?i)^(?:and )?(?:then|next|after that|afterwards|finally|lastly|second|now)\b", lowered)
        )
        for index, clause in enumerate(_clauses(tokens_of(_POSITIONS.sub("", lowered)))):
            self._clause(clause, clause.sequel or (sequel and index == 0))

    def _clause(self, clause: _Clause, sequel: bool) -> None:
        text = " ".join(clause.tokens)
        together = bool(_EACH_OTHER.search(text))
        tokens = tokens_of(_EACH_OTHER.sub(" ", text)) if together else clause.tokens
        parts = _Parts()
        rest, gapped = self._take_places(tokens, parts)
        things = _noun_phrases(rest)
        pronoun = not things and any(token in _PRONOUNS for token in rest)
        if pronoun or (not things and together and (parts.to or not parts.source) and self.moves):
            things = self._spoken_of(rest)
        elif not things and clause.inherits and self.moves and (parts.to or together or parts.beside):
            things = list(self.moves[-1].things)
        if not things:
            self.topics += [p for p in (parts.to, parts.source, *parts.about) if p]
            self.wishes += [text] if text else []
            return
        things = [self._same_thing(thing) for thing in things]
        furnished = parts.to is not None and bool(parts.to.furniture)
        moves = bool(parts.source) or furnished or isinstance(parts.beside, ThingRef)
        if not moves and (clause.verb not in en.VERBS or en.VERBS[clause.verb] not in _MOVING):
            self.topics += [p for p in (parts.to, *parts.about) if p]
            self.wishes.append(text)
            return
        if parts.to is None and parts.beside is None and not together and parts.source is None:
            self.topics += parts.about
            self.wishes.append(text)
            self.moves.append(Move(tuple(things), sequel=sequel))
            return
        self.moves.append(Move(tuple(things), parts.to, parts.relation, parts.source, together, parts.beside, sequel))
        if gapped:
            self._clause(replace(clause, tokens=gapped), sequel=gapped[0] == "it")

    def _take_places(self, tokens: list[str], parts: _Parts) -> tuple[list[str], list[str]]:
        """Take the prepositional phrases that name places out of a clause.

        Returns what is left, and what follows of another thing with its own place: "A on the table and B on the shelf".
        """
        rest: list[str] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token in ("and", ",") and rest and parts.to is not None and self._another(tokens, at + 1):
                return rest, tokens[at + 1 :]
            if (
                token == "then"
                and rest
                and parts.to is not None
                and at + 2 < len(tokens)
                and self.places.find(tokens, at + 2)
            ):
                return rest, ["it", *tokens[at + 1 :]]
            two = " ".join(tokens[at : at + 2])
            three = " ".join(tokens[at : at + 3])
            if two in ("next to", "close to") or token in _NEAR:
                width = 2 if two in ("next to", "close to") else 1
                while rest and rest[-1] in ("right", "directly", "just", "immediately", ","):
                    rest.pop()
                found = self.places.find(tokens, at + width)
                if found is not None:
                    parts.beside = found[0]
                    at = found[1]
                    continue
                if tokens[at + width : at + width + 1] in (["it"], ["them"]) and self.moves:
                    parts.beside = self.moves[-1].things[-1]
                    at += width + 1
                    continue
                if width == 2 or token != "by":
                    end = next(
                        (i for i in range(at + width, len(tokens)) if tokens[i] in (",", "then", *_ON)), len(tokens)
                    )
                    phrase = tokens[at + width : end]
                    inner = _noun_phrases(phrase)
                    if inner:
                        parts.beside = self._same_thing(inner[0])
                        at = end
                        continue
            if two in ("out of", "off of"):
                found = self.places.find(tokens, at + 2)
                if found is not None:
                    parts.add("from", found[0])
                    at = found[1]
                    continue
            width = (
                4
                if " ".join(tokens[at : at + 4]) in ("to the top of", "on the top of")
                else 3
                if three in ("on top of",)
                else 1
            )
            if token in _ON or token in _IN or token in _AWAY:
                found = self.places.find(tokens, at + width)
                if found is not None:
                    parts.add(token, found[0])
                    at = found[1]
                    continue
            if at == 0 or tokens[at - 1] in ("up", "organize", "tidy", "clean", "prepare", "set", "arrange"):
                found = self.places.find(tokens, at)
                if found is not None and (
                    found[1] >= len(tokens) or tokens[found[1]] in ("for", "as", "by", ",", "like", "to")
                ):
                    parts.about.append(found[0])
                    at = found[1]
                    continue
            rest.append(token)
            at += 1
        return rest, []

    def _another(self, tokens: list[str], at: int) -> bool:
        """Whether a thing and then a place for it follow."""
        if at >= len(tokens) or tokens[at] not in _DETERMINERS | {"another"}:
            return False
        places = (i for i in range(at + 1, len(tokens)) if tokens[i] in _ON | _IN)
        return any(self.places.find(tokens, i + 1) is not None for i in places)

    def _spoken_of(self, rest: list[str]) -> list[ThingRef]:
        """Return what a pronoun means: the things of the move before; of all moves for "both" and "them" after single ones."""
        if not self.moves:
            return []
        last = list(self.moves[-1].things)
        if isinstance(self.moves[-1].beside, ThingRef) and any(word in rest for word in ("both", "them", "they")):
            last.append(self.moves[-1].beside)
        plural = any(word in rest for word in ("both", "them", "they", "these", "those")) or "it" not in rest
        if plural and len(last) == 1 and not last[0].plural:
            previous = [thing for move in self.moves[self.sentence :] for thing in move.things]
            last = list(dict.fromkeys([*previous, *last]))
        return last

    def _same_thing(self, thing: ThingRef) -> ThingRef:
        """Return the thing spoken of before under the same name, if there is one."""
        if thing.other:
            return thing
        known = [t for move in self.moves for t in move.things] + [
            m.beside for m in self.moves if isinstance(m.beside, ThingRef)
        ]
        return next((t for t in known if t.phrase == thing.phrase), thing)

    def request(self, text: str, told: list[str]) -> Request:
        """Return everything that was read."""
        moves = _with_told(_joined(self.moves), told)
        return Request(text, tuple(moves), tuple(self.wishes), tuple(self.topics), tuple(told))


@dataclass
class _Parts:
    to: PlaceRef | None = None
    relation: str = "on"
    source: PlaceRef | None = None
    beside: ThingRef | PlaceRef | None = None
    about: list[PlaceRef] = field(default_factory=list)

    def add(self, preposition: str, place: PlaceRef) -> None:
        """Take in a place after a preposition."""
        if preposition in _AWAY or (preposition == "at" and place.furniture):
            self.source = self.source or place
        elif preposition == "for":
            self.about.append(place)
        elif self.to is None or (self.to.furniture and place.furniture) or (not self.to.furniture and place.furniture):
            rooms = place.rooms or (self.to.rooms if self.to is not None and not self.to.furniture else ())
            self.to = replace(place, rooms=rooms)
            self.relation = (
                "within" if preposition in _IN and place.furniture and place.furniture != ("floor",) else "on"
            )
        elif not self.to.rooms:
            self.to = replace(self.to, rooms=place.rooms)


@dataclass(frozen=True)
class _Clause:
    verb: str
    """Base form, empty for one that the grammar does not know."""
    tokens: list[str]
    sequel: bool
    inherits: bool
    """Whether it continues a sentence, so that it may be about the same things."""


def _clauses(tokens: list[str]) -> list[_Clause]:
    """Split a sentence before each verb that begins a request."""
    text = _SOFTENERS.sub("", " ".join(tokens) + " ").split()
    clauses: list[_Clause] = []
    begin, sense, sequel = 0, "", False
    at = 0
    while at < len(text):
        found = verb_form(text[at])
        starts = (
            at == 0
            or (
                text[at - 1] in _LEADS
                and found is not None
                and found[1] != "past"
                and at + 1 < len(text)
                and text[at + 1] in _DETERMINERS | _PRONOUNS
            )
            or (found is not None and found[1] == "ing" and text[at - 1] in ("by", ",", "and", "then"))
        )
        if starts:
            if at > 0:
                clauses.append(_Clause(sense, _trimmed(text[begin:at]), sequel, bool(clauses)))
                sequel = "then" in text[max(0, at - 3) : at] or "after" in text[max(0, at - 3) : at]
            sense = found[0] if found is not None else ""
            begin = at + 1 if found is not None or at == 0 else at
        at += 1
    clauses.append(_Clause(sense, _trimmed(text[begin:]), sequel, bool(clauses)))
    return clauses


def _trimmed(tokens: list[str]) -> list[str]:
    while tokens and tokens[-1] in {
        "and",
        ",",
        "then",
        "by",
        "also",
        "first",
        "please",
        "to",
        "could",
        "you",
        "after",
        "that",
    }:
        tokens = tokens[:-1]
    while tokens and tokens[0] in {"and", ",", "up", "then", "please"}:
        tokens = tokens[1:]
    return tokens


def _noun_phrases(tokens: list[str]) -> list[ThingRef]:
    """Split a list of things into its phrases: "the jug, cup and my red mug with a handle" are three."""
    colours = household().colours
    phrases: list[list[str]] = [[]]
    after_head = False
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else ""
        if token in ("and", ",", "then", "&", "plus"):
            current = phrases[-1]
            definite = following in _POSSESSIVE | {"the", "then", "and"} or (token == "," and following == "and")
            adjectives = (
                bool(current)
                and not after_head
                and (
                    (current[-1] in colours or current[-1] in en.SAFE_ADJECTIVES)
                    and (following in colours or token == "and")
                )
            )
            if not current:
                continue
            if (after_head and definite) or (not after_head and not adjectives):
                phrases.append([])
                after_head = False
                continue
            if after_head or adjectives:
                current.append(token)
            continue
        if token in _POST and phrases[-1] and any(t not in _DETERMINERS for t in phrases[-1]):
            after_head = True
        phrases[-1].append(token)
    found = []
    for phrase in phrases:
        thing = _thing(phrase)
        if thing is not None:
            found.append(thing)
    return found


def _thing(tokens: list[str]) -> ThingRef | None:
    while tokens and (
        tokens[0] in _ADVERBS
        or tokens[0] in _DETERMINERS - _POSSESSIVE - {"one", "two"}
        or tokens[0] in (",", "of", "positions", "position", "me")
    ):
        tokens = tokens[1:]
    while tokens and (tokens[-1] in _ADVERBS or tokens[-1] in (",", "and", "to", "on", "in", "from", "by", "at")):
        tokens = tokens[:-1]
    if not tokens or (len(tokens) == 1 and (tokens[0] in _PRONOUNS or tokens[0] in en.GENERIC)):
        return None
    words = tokens[1:] if tokens[0] in _POSSESSIVE else tokens
    count, other = 1, False
    while words and (words[0] in en.NUMBERS or words[0].isdigit() or words[0] in ("another", "other", "of")):
        other |= words[0] in ("another", "other")
        count = en.NUMBERS.get(words[0]) or (
            int(words[0]) if words[0].isdigit() and 0 < int(words[0]) < _MANY else count
        )
        words = words[1:]
    if not words:
        return None
    tokens = [*tokens[: tokens[0] in _POSSESSIVE], *words]
    end = next((i for i, token in enumerate(words) if i and token in _POST), len(words))
    head = " ".join(words[:end]).strip(" ,")
    if not head:
        return None
    last = head.split()[-1]
    plural = count == 1 and last.endswith("s") and not last.endswith("ss")
    return ThingRef(" ".join(tokens), head, plural, count, other)


def _joined(moves: list[Move]) -> list[Move]:
    """Join what is said in several sentences of one move: from where, to which room, on which furniture, how it stands."""
    moves = _without_summaries(moves)
    joined: list[Move] = []
    for move in moves:
        last = joined[-1] if joined else None
        same = last is not None and set(move.things) == set(last.things)
        if last is None or not same:
            joined.append(move)
        elif move.to is None and not (move.sequel and isinstance(move.beside, ThingRef)):
            joined[-1] = replace(last, together=last.together or move.together, beside=last.beside or move.beside)
        elif last.to is None and last.beside is None and not last.together:
            joined[-1] = replace(move, source=last.source or move.source, sequel=last.sequel or move.sequel)
        elif not move.sequel and (refined := _refined(last, move)) is not None:
            joined[-1] = refined
        else:
            joined.append(move)
    return [move for move in joined if move.to is not None or move.beside is not None or move.together]


def _refined(last: Move, move: Move) -> Move | None:
    """Return both as one move where the second only says the place of the first again or more exactly."""
    if last.to is None or move.to is None:
        return None
    if last.to.furniture and last.to.furniture != move.to.furniture:
        return None
    if last.to.rooms and move.to.rooms and last.to.rooms != move.to.rooms:
        return None
    place = last.to if last.to.furniture else move.to  # "the dining table", then "the table"
    to = replace(place, rooms=move.to.rooms or last.to.rooms, other=move.to.other or last.to.other)
    relation = move.relation if not last.to.furniture else last.relation
    together, beside = last.together or move.together, last.beside or move.beside
    return Move(last.things, to, relation, last.source or move.source, together, beside, last.sequel)


def _without_summaries(moves: list[Move]) -> list[Move]:
    """Leave out what announces in general what is then said of each thing: "some toys" before the toy car and the toy train."""
    kept: list[Move] = []
    for index, move in enumerate(moves):
        later = {thing for following in moves[index + 1 :] if not following.sequel for thing in following.things}
        things = tuple(t for t in move.things if not (t.plural and _announces(t, later)))
        if len(things) < len(move.things) and set(things) <= later:
            continue
        kept.append(replace(move, things=things))
    return kept


def _announces(thing: ThingRef, later: set[ThingRef]) -> bool:
    """Whether a plural stands for things that are named one by one afterwards."""
    stem = thing.head.split()[-1].removesuffix("s")
    return thing not in later and sum(stem in other.head.split() for other in later) > 1


def _with_told(moves: list[Move], told: list[str]) -> list[Move]:
    """Give every thing what the text tells of it."""
    things = list(dict.fromkeys(t for move in moves for t in move.things))
    clauses = _told_clauses(told, [t.head for t in things])
    new = {t: replace(t, told=tuple(text for heads, text in clauses if t.head in heads)) for t in things}

    def renewed(move: Move) -> Move:
        beside = new.get(move.beside, move.beside) if isinstance(move.beside, ThingRef) else move.beside
        return replace(move, things=tuple(new[t] for t in move.things), beside=beside)

    return [renewed(move) for move in moves]


_VERB_OF_BEING = r"(?:is|are|was|were|has|have|had|holds|features|comes|belongs)"
_JOINTS = re.compile(
    r"(?:,\s*(?:and\s+|while\s+|whereas\s+)?|\s+and\s+|;\s*)"
    rf"(?=(?:the|my|this)\s[^,]{{1,40}}?\b{_VERB_OF_BEING}\b)"
)


def _told_clauses(told: list[str], heads: list[str]) -> list[tuple[tuple[str, ...], str]]:
    """Return (heads that it is about, clause) for the clauses of the sentences that tell of things."""
    found: list[tuple[tuple[str, ...], str]] = []
    last: tuple[str, ...] = ()
    for sentence in told:
        pieces = _JOINTS.split(sentence)
        for index in range(len(pieces) - 1, 0, -1):
            if not re.search(rf"\b{_VERB_OF_BEING}\b", pieces[index - 1]):  # "the shoe and | the hat are"
                pieces[index - 1 : index + 1] = [f"{pieces[index - 1]} and {pieces[index]}"]
        for piece in pieces:
            lowered = re.sub(r"\b(it|that|they|this)'(?:s|re)\b", r"\1 is", piece.lower())
            subject, _, _ = (
                re.split(rf"\b({_VERB_OF_BEING})\b", lowered, maxsplit=1)
                if re.search(rf"\b{_VERB_OF_BEING}\b", lowered)
                else ("", "", "")
            )
            about = _mentioned(subject, heads)
            if not about and re.match(r"(?:it|this|that|its)\b", subject.strip()):
                about = last[-1:] or tuple(heads[:1] if len(heads) == 1 else heads[-1:])
            elif not about and re.match(r"(?:they|these|those|both|all)\b", subject.strip()):
                about = tuple(heads)
            if about:
                found.append((about, piece.strip().rstrip(".")))
                last = about
    return found


def _mentioned(subject: str, heads: list[str]) -> tuple[str, ...]:
    """Return the heads whose words are all in a subject, longer ones first taking their words away from shorter ones."""
    words = re.findall(r"[\w'-]+", subject)
    found = []
    for head in sorted(dict.fromkeys(heads), key=lambda h: -len(h.split())):
        wanted = head.split()
        places = [next((i for i, w in enumerate(words) if w in (x, x + "s", x + "es")), -1) for x in wanted]
        if places and min(places) >= 0:
            found.append(head)
            words = [w for i, w in enumerate(words) if i not in places]
    return tuple(h for h in heads if h in found)
