# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which words of a request may mean what its person told before: "my favorite cup", "as usual", "my usual breakfast".

By forms of English only; whether anything was told, and what, is the memory's business.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from karma_language.arranging import words
from karma_language.arranging.clauses import SOFTENERS, begins, request_in, sentences
from karma_language.arranging.words import content_words
from karma_language.phrases.nouns import COUNTS
from karma_language.phrases.set_phrases import later_in
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.verbs import VERBS, verb_form
from karma_language.vocabulary.words import GENERIC, PARTICLES, PLAIN_ADJECTIVES

OWN = frozenset(["my", "our"])
HABITUAL = words.word_set("usual usually normal normally regular regularly typical typically routine always")
"""What says that something is a habit, and not which."""
WISHING = words.ARRANGING | words.word_set("set arrange organize organise make do have lay start begin fix")
"""Verbs that ask for a whole state of affairs."""
CHANGING = frozenset(["without", "except", "but", "not", "instead", "plus"])
"""What follows these is to be otherwise than usual."""
_GIVING = words.word_set("gift gifted present gave give given giving got received inherited")
_OTHER = words.word_set("another different other second")
_UNSAID = words.word_set(
    "own personal mine ours i we me us you could can would will please everything thing all stuff ready"
)
"""What tells neither a thing nor a habit: "get everything ready"."""
_FAVORITE = frozenset(["favorite", "favourite"])
_LINKED = frozenset(["from", "for", "with", "of", "that", "which", "by", "who"])
"""Prepositions that may be within a phrase: "the gift from my grandma"."""
_TAIL = words.ADVERBS | words.word_set("please ready today tonight tomorrow soon right for me us")
_ENDS = (
    words.ON
    | words.IN
    | words.NEAR
    | words.AWAY
    | CHANGING
    | _LINKED
    | frozenset(["and", "or", ",", ";", ":", "then", "as", "like", "where"])
) - {
    "from",
    "for",
}
_WHOLE = 4
"""Letters of a word that may begin another one."""
_TOKEN = re.compile(r"[A-Za-z0-9][\w'’+|./-]*\w|[A-Za-z0-9]|[,;:]")
_WISH = re.compile(
    r"^(?:please,? |ok(?:ay)?,? |hey,? |robot,? )*(?:i(?:'d| would) (?:like|love)(?: to have)?|i (?:want|need)"
    r"|(?:can|could|may) (?:i|we) have|let(?:'s| us) have|let me have|time for)\s+(?=(?:my|our|the usual)\b)"
    r"|^(?:please,? )?(?:have|get) (?=(?:my|our)\b.* ready\b)"
    r"|^(?=(?:my|our) (?:usual|normal|regular|typical|\w+ \w*(?:routine|setup))\b(?!.*\b(?:is|are|was|were|has|have)\b)"
    r"|the usual\b)",
    re.IGNORECASE,
)
"""A wish without a verb that says what to do: "I'd like my usual breakfast"."""
_READY = re.compile(
    r"^(?:get|have|make|put|lay|bring|set|prepare|arrange)(?: me| us| up| out)? "
    r"(?:everything|all|(?:all |all of )?(?:my |our |the )?(?:things|stuff)|it all|ready)\b",
    re.IGNORECASE,
)
"""A wish whose words name nothing: "get everything ready for the chess club"."""
_GIVEN = re.compile(
    r"what (?:(?:my |our )?[\w'-]+(?: [\w'-]+)? (?:gave|(?:has|had) given) (?:me|us)"
    r"|(?:i|we) (?:got|received|inherited|(?:was|were) given) (?:from|by) (?:my |our )?[\w'-]+)\b",
    re.IGNORECASE,
)
"""A thing by who gave it: "what my uncle gave me"."""
_WHERE = re.compile(r"^(?:do you know |tell me )?where(?:'s| is| are) (?=(?:my|our|the)\b)", re.IGNORECASE)
_REMARK = re.compile(r"^(?:i'm|i am|we're|we are|it's|it is)\b[^,.]*,\s*(?:so\s+)?", re.IGNORECASE)
"""What a request begins with that tells something: "I'm hungry, …"."""
_HABIT = re.compile(
    r",?\s*\b(?:(?:as|like|just like|the way|how|where) (?:i|we) (?:usually |always |normally )?"
    r"(?:like|love|prefer|want|have|keep|do|told you)(?: (?:it|them|that|this|to|you))?"
    r"|(?:as|like) (?:usual|always|normal|before|ever)|(?:in )?the usual way"
    r"|(?:back )?(?:where|to where) (?:it|they) (?:usually |always )?(?:belongs?|goes?|go|stands?|is|are|was|were)"
    r"|(?:back )?(?:in|on|to|at) (?:its|their|the) usual (?:place|spot)s?|usually)\b",
    re.IGNORECASE,
)
"""How one says that something is to be as it always is."""

_SINGLE = words.word_set(
    "clean heat cool slice break open close switch start stop fill look find go throw discard pour use toast search"
    " check explore empty wait"
)
_IS = re.compile(r"^(?:my|our) .+? (?:is|are) (?P<what>.+)$", re.IGNORECASE)
_NOT_NOW = re.compile(
    r"\b(?:\w+n't|(?:do|should|must|may|can|will) not|never|avoid|cannot|if|unless|until|whether)\b", re.I
)
_WHICH_IS = re.compile(r", ((?:which|that|who) (?:is|was|are|were) [^,.]+),", re.I)
"""What is told of a thing between two commas."""
_BY_ALL_MEANS = re.compile(r"\b(?:don't|do not) forget to\b", re.IGNORECASE)


@dataclass(frozen=True)
class Phrase:
    """Words that may name something told."""

    text: str
    begin: int
    """In the text of its part."""
    end: int
    owned: bool
    """Whether it is said to be the person's own."""
    strange: bool = True
    """Whether it has a word that is no name, colour or usual adjective of things: "favorite"."""

    @property
    def name(self) -> str:
        """Without its determiner."""
        return self.text.split(" ", 1)[1]


@dataclass(frozen=True)
class Part:
    """One request of an instruction, or a sentence that asks for nothing."""

    text: str
    """Without what says that it is to be as always."""
    verb: str
    """As said, in lower case; empty where there is none."""
    sense: str
    """What the verb asks for, as karma_language.vocabulary.verbs has it; empty where it has none."""
    wishes: bool
    """Whether it asks for a state of affairs and doesn't say what to do: "set up", "prepare", "I'd like"."""
    habit: bool
    """Whether it is to be as always."""
    asks: bool = True
    link: str = ""
    """What joins it to the part before, within its sentence."""

    @property
    def points_back(self) -> bool:
        """Whether it is about what was said before: "place THEM next to each other"."""
        return any(word in ("it", "them", "both") for word in self.text.lower().split()[1:3])

    @property
    def about_things(self) -> bool:
        """Whether what it asks for is done to things, not to a habit."""
        return self.sense in _SINGLE


def parts_in(text: str) -> list[Part]:
    """Split a text into its requests, in order, and what it tells."""
    parts: list[Part] = []
    for sentence in sentences(text.replace("’", "'")):
        sentence = _WHERE.sub("find ", sentence)
        remark = _REMARK.match(sentence)
        if remark is not None and request_in(sentence[remark.end() :]):
            parts.append(Part(remark[0].rstrip(" ,"), "", "", wishes=False, habit=False, asks=False))
            sentence = sentence[remark.end() :]
        plain = sentence.rstrip(" .!?")
        wish = _WISH.match(plain)
        if wish is not None:
            parts.append(_part(plain[wish.end() :], wishes=True))
        elif not request_in(sentence):
            parts.append(Part(plain, "", "", wishes=False, habit=False, asks=False))
        else:
            parts += [_part(piece, link=link) for link, piece in _clauses(plain)]
    return parts


def phrases_in(part: Part, lexicon: Lexicon) -> Iterator[Phrase]:
    """Yield the phrases of a part that may name something told, in order; longer ones that begin alike first."""
    tokens = list(_TOKEN.finditer(part.text))
    said = [token[0].lower() for token in tokens]
    for at, word in enumerate(said):
        if word == "what" and (given := _GIVEN.match(part.text, tokens[at].start())) is not None:
            yield Phrase(given[0], given.start(), given.end(), owned=True)
        if word not in OWN | {"the"} or (at and said[at - 1] in _LINKED - {"for", "with"}):
            continue
        for end in _ends(said, at + 1):
            text = part.text[tokens[at].start() : tokens[end - 1].end()]
            strange = _is_strange(said[at + 1 : end], lexicon)
            if word in OWN or strange:
                yield Phrase(text, tokens[at].start(), tokens[end - 1].end(), word in OWN, strange)


def plainly(text: str) -> str:
    """Return a text with plain apostrophes, and "please" for "don't forget to"."""
    text = _BY_ALL_MEANS.sub("please", text.replace("’", "'"))
    return _WHICH_IS.sub(r" \1 ", text)


def withheld(text: str) -> bool:
    """Whether a request asks not to do something, or on a condition."""
    return _NOT_NOW.search(text) is not None


def is_for_later(text: str, told: frozenset[str]) -> bool:
    """Whether a request says a time to do it. "When I work" may be told as part of a habit: it is none then."""
    later = later_in(text)
    return bool(later) and not is_told(content_words(later), told)


def says_otherwise(text: str, of: Collection[str] = ("with",)) -> bool:
    """Whether words say that something is to be otherwise than it was told: "without the sugar".

    `of`: further words that do, where the words that were told are left out of the text.
    """
    return any(word in CHANGING or word in of for word in re.findall(r"[a-z]+", text.lower()))


def is_as_always(text: str) -> bool:
    """Whether words say that something is to be as it always is: "as I usually do"."""
    return _HABIT.fullmatch(text.strip(" ,.!?")) is not None


def called(sentence: str) -> str:
    """Return what one's own is said to be: "a mug on the desk" of "My usual tea is a mug on the desk"; "" for none."""
    said = _IS.match(sentence.rstrip(" .!"))
    return said["what"] if said is not None else ""


def meaningful(text: str) -> frozenset[str]:
    """Return the words of a text that tell which thing or habit is meant."""
    found = {"favorite" if word in _FAVORITE else word for word in content_words(text)}
    return frozenset(found - HABITUAL - words.ADVERBS - _UNSAID)


def is_told(said: frozenset[str], told: frozenset[str]) -> bool:
    """Whether all that is said was told, in these words; "what my uncle gave me" was "a gift from my uncle"."""
    if told & _GIVING:
        said = said - _GIVING or said
    if said and said <= _GIVING:
        return bool(told & _GIVING)
    return said <= told


def alike(said: frozenset[str], told: frozenset[str]) -> bool:
    """Whether all that is said was told, in these words or other forms of them: "practice", "practise"."""
    return all(any(_same_stem(word, other) for other in told) for word in said)


def told_of(said: frozenset[str], told: frozenset[str]) -> frozenset[str]:
    """Return the words that were told, in these or other forms, or as the beginning of a longer word: "mealtime"."""
    longer = {word for word in told if len(word) >= _WHOLE}

    def begins_one(word: str) -> bool:
        return len(word) >= _WHOLE and any(word.startswith(other) or other.startswith(word) for other in longer)

    return frozenset(word for word in said if begins_one(word) or alike(frozenset([word]), told))


def _same_stem(one: str, other: str) -> bool:
    shorter = min(len(one), len(other))
    stem = max(4, shorter - 2)
    return one == other or (one[:stem] == other[:stem] and abs(len(one) - len(other)) <= 3 and shorter >= stem)


def _ends(said: list[str], begin: int) -> list[int]:
    """Return where a phrase may end, the farthest first."""
    found: list[int] = []
    at = begin
    while at < len(said) and said[at] not in _ENDS - _LINKED:
        if said[at] in _LINKED and at > begin:
            found.append(at)
        at += 1
    found.append(at)
    trimmed = []
    for end in reversed(found):
        while end > begin and said[end - 1] in _TAIL:
            end -= 1
        if end > begin:
            trimmed.append(end)
    return list(dict.fromkeys(trimmed))


def _is_strange(said: list[str], lexicon: Lexicon) -> bool:
    """Whether a phrase has a word that is no name, colour or usual adjective of things: "the lucky charm"."""
    plain = (
        lexicon.words | lexicon.colours | (PLAIN_ADJECTIVES - _FAVORITE) | GENERIC | set(PARTICLES.split("|")) | _OTHER
    )
    states = {word for state in lexicon.states for word in state}
    strange = (word for word in said if word not in plain | states | words.DETERMINERS | _LINKED)
    return any(word not in COUNTS and not word.isdigit() and "|" not in word for word in strange)


def _clauses(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield (link, text) of the requests of a sentence."""
    tokens = list(_TOKEN.finditer(sentence))
    said = [token[0].lower() for token in tokens]
    begin, link = 0, ""
    for at in range(1, len(tokens)):
        if said[at - 1] != "by" and (begins(said, at) or _wish_begins(said, at)):  # "tidy up BY MOVING the books"
            end = at
            while end > 0 and said[end - 1] in words.LEADS | {"could", "you"}:
                end -= 1
            if end and tokens[end - 1].end() > begin:
                yield link, sentence[begin : tokens[end - 1].end()]
            before = sentence[tokens[end - 1].end() if end else 0 : tokens[at].start()]
            link = before if end else f". {before}"
            begin = tokens[at].start()
    yield link, sentence[begin:]


def _wish_begins(said: list[str], at: int) -> bool:
    if said[at - 1] not in words.LEADS or not (said[at] in WISHING or verb_form(said[at])) or at + 1 == len(said):
        return False
    return said[at + 1] in words.DETERMINERS | {"up", "me", "us"}


def _part(text: str, *, wishes: bool = False, link: str = "") -> Part:
    bare = _HABIT.sub("", text).strip(" ,")
    habit = len(bare) < len(text.strip(" ,"))
    bare = "" if bare.lower() == "please" else bare
    softened = SOFTENERS.match(f"{bare.lower()} ")
    request = bare[softened.end() :] if softened is not None else bare
    first = re.match(r"[A-Za-z'-]+", request)
    verb = first[0].lower() if first is not None and not wishes else ""
    form = verb_form(verb)
    wishes = wishes or _READY.match(request) is not None
    sense = VERBS[form[0]] if form is not None and not wishes else ""
    return Part(bare, verb, sense, wishes or verb in WISHING or not bare, habit, link=link)
