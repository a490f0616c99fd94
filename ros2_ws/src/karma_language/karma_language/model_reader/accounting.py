# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether plain English says what was said, no more and no less; and whether two readings mean the same."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from pydantic import BaseModel
from rapidfuzz import fuzz, process

from karma_language.parser import NO, parse
from karma_language.phrases.times import NUMBERS
from karma_language.reading import Deed, Item, Question, Reading, Request, Told
from karma_language.syntax.utterance import CLOSED
from karma_language.vocabulary.descriptions import described
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.tokens import tokens_of
from karma_language.vocabulary.word_meanings import MOVING, senses_in
from karma_language.vocabulary.words import base_form, each

_ALIKE = 80.0
"""Likeness, 0 to 100, from which on a word may be a slip of the pen for another."""
_CONDITIONS = frozenset(each("except unless instead until if only but"))
_KEPT = ("NOUN", "PROPN", "ADJ", "NUM", "ADV", "X")
"""Kinds of words that tell one thing, place, state, number, time or manner from another."""
_IMPLIED = frozenset((Deed.PLACE, Deed.PUT_DOWN, Deed.HOLD, Deed.BRING, Deed.FIND))
"""Deeds that people leave out the verb of: "my scarf, please"."""
_SWITCHING = {
    Deed.OPEN: (frozenset(("open",)), "open"),
    Deed.CLOSE: (frozenset(each("close shut closed")), "close"),
    Deed.SWITCH_ON: (frozenset(("on",)), "start"),
    Deed.SWITCH_OFF: (frozenset(("off", "out")), "stop"),
}
"""Deeds that have an opposite → words, or the sense of a verb, one of which has to be said."""
_MANY = 3
"""Things from which on it matters in which order they are said."""
_OF_WORDS = ("quote", "verb")


def unaccounted(
    text: str,
    plain: str,
    reading: Reading,
    lexicon: Lexicon,
    memories: Iterable[str] = (),
    *,
    needed: str = "",
    before: str = "",
) -> str:
    """Return, for the model, what its English adds to what was said in English, leaves out or turns; "" for nothing.

    `reading` is that of the plain English. Verbs may be added that people leave out, one in place of a verb that rules
    do not know, a place that `memories` say, and what was said just `before`. `needed`: the text without its remarks,
    which may be left out.
    """
    needed = needed or text
    said, meant = _bases(text), _bases(plain)
    goals = [goal for item in reading.items if isinstance(item, Request) for goal in item.goals]
    words, senses = {*_words(text), *_words(before)}, senses_in(f"{text} {before}")
    for goal in goals:
        if goal.do in _SWITCHING and _SWITCHING[goal.do][0].isdisjoint(words) and _SWITCHING[goal.do][1] not in senses:
            return f"nobody said to {goal.verb}"
    places = [goal.to.thing.text for goal in goals if goal.to is not None and goal.do is Deed.PLACE]
    known = (_bases(" ".join(memories)) & _bases(" ".join(places))) | _bases(before)
    unsaid = [goal for goal in goals if base_form(goal.verb.partition(" ")[0]) not in map(base_form, words)]
    implied = [goal for goal in unsaid if goal.do in _IMPLIED or goal.do.value.partition("_")[2] in words]
    unknown = not senses_in(text) and any(one.pos_ == "VERB" for one in parse(text) or ())
    allowed = unsaid if unknown and len(unsaid) == 1 else implied
    whole = said - {one.lower_ for one in parse(text) or () if one.dep_ == "compound"}  # a DESK lamp is no desk
    for word in meant - said - known - _bases(" ".join(goal.verb for goal in allowed)):
        if not _like(word, whole, lexicon):
            return f"nobody said {word!r}"
    everything = {base_form(word) for word in _words(plain)}
    telling = _telling(needed)
    for word in telling:
        if not _bases(word) <= everything and not _like(word, everything, lexicon):
            return f"{word!r} is left out"
    turns = [word for word in _words(needed) if word in NO | _CONDITIONS or word in NUMBERS]
    things = [word for word in telling if word in meant]
    if (turns or len(things) >= _MANY) and _in_order(needed, said & meant) != _in_order(plain, said & meant):
        return "it is not in the person's order"
    return ""


def _in_order(text: str, among: Collection[str]) -> list[str]:
    """Return those of some words that say something in the order in which a text first has them."""
    words = _words(text)
    deeds = not NO.isdisjoint(words)  # what is denied is what stands behind it
    found = (base for word in words if (base := base_form(word)) in among and (deeds or not senses_in(word)))
    return [*dict.fromkeys(found)]


def same(one: Reading, other: Reading) -> bool:
    """Whether two readings mean the same, in whatever words."""
    return [*map(_gist, one.items)] == [*map(_gist, other.items)]


def _words(text: str) -> list[str]:
    """Return the words of a text in full, "but" for "except"."""
    found = (token.word for token in tokens_of(text) if token.word[0].isalnum())
    return ["but" if word == "except" else word for word in found]


def _bases(text: str) -> set[str]:
    """Return the base forms of the words that say something, or that turn or limit what is said."""
    words = _words(text)
    return {base_form(word) for word in words if word not in CLOSED or word in NO | _CONDITIONS or word in NUMBERS}


def _telling(text: str) -> Sequence[str]:
    """Return the words of English that may not be left out."""
    return [token.lower_ for token in parse(text) or () if token.dep_ != "intj" and _tells(token)]  # "NO, put it there"


def _tells(token: Any) -> bool:
    words = _words(token.text)  # "pls" is "please"
    if (NO | _CONDITIONS).intersection(words):
        return True
    if token.pos_ in _KEPT:
        return not CLOSED.issuperset(words) and not _stands_for(token)
    return token.pos_ == "VERB" and bool(senses_in(token.lower_))


def _stands_for(token: Any) -> bool:
    """Whether a word stands for what was spoken of: "the ONE in the cellar"."""
    return token.lower_ in ("one", "ones") and any(c.dep_ == "det" for c in token.children)


def _like(word: str, others: Collection[str], lexicon: Lexicon) -> bool:
    """Whether a word may be a slip of the pen for one of others, or another name for the same thing or deed."""
    is_word = described(lexicon).is_word
    slips = [other for other in others if not (is_word(other) and is_word(word))]
    if process.extractOne(word, slips, scorer=fuzz.ratio, score_cutoff=_ALIKE) is not None:
        return True
    kinds, senses = _kinds(word, lexicon), _deeds(word)
    return any(kinds & _kinds(other, lexicon) or senses & _deeds(other) for other in others)


def _deeds(word: str) -> set[str]:
    """Return what a word asks for, were it a verb."""
    senses = senses_in(word)
    return {*senses, "move"} if senses & MOVING else senses


def _kinds(word: str, lexicon: Lexicon) -> set[str]:
    noun = lexicon.nouns.get((word,))
    return {*noun.categories, *noun.loosely} if noun is not None else set()


def _gist(item: Item) -> Any:
    """Return what an item means, without the words that it is said in."""
    if isinstance(item, Told) or (isinstance(item, Question) and item.thing is None):
        return type(item), sorted(re.findall(r"\d+", item.quote)), _named(item.quote)
    return type(item), _meant(item)


def _named(text: str) -> list[str]:
    """Return what a statement names, what it says of that, and whether it denies it."""
    kinds = ("NOUN", "PROPN", "NUM", "ADJ")
    return sorted(token.lemma_ for token in parse(text) or () if token.pos_ in kinds or token.lower_ in NO)


def _meant(value: Any) -> Any:
    if isinstance(value, BaseModel):
        known = getattr(value, "categories", ()) or getattr(value, "room", "")
        left = (*_OF_WORDS, "text", "aside") if known else (*_OF_WORDS, "aside")
        return [(name, _meant(one)) for name, one in value if name not in left]
    return [*map(_meant, value)] if isinstance(value, tuple) else value
