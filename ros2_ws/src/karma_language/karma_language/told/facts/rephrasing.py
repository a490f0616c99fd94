# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Constructions that say something plain in a roundabout way, put the plain way before a sentence is read."""

from __future__ import annotations

import re

from karma_language.vocabulary.english import is_verb

_LIKES = r"(?:likes?|loves?|enjoys?)"
_NOUN = r"(?P<n>[\w -]+?)"
_END = r"[.!]*$"


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("".join(parts), re.IGNORECASE)


_BEST = (
    (
        _pattern(
            rf"^the {_NOUN} (?:that |which )?(?P<s>[^,]+?) (?:now )?{_LIKES} ",
            rf"(?:the )?(?:best|most) is (?P<v>.+?){_END}",
        ),
        "{s} favourite {n} is {v}",
    ),
    (
        _pattern(rf"^(?P<s>[^,]+?) {_LIKES} (?P<v>.+?) (?:more|better) than any other {_NOUN}{_END}"),
        "{s} favourite {n} is {v}",
    ),
    (
        _pattern(rf"^of all (?:the )?{_NOUN}s?, (?P<s>[^,]+?) {_LIKES} (?P<v>.+?) ", rf"(?:the )?(?:best|most){_END}"),
        "{s} favourite {n} is {v}",
    ),
    (
        _pattern(
            rf"^(?:what|which) {_NOUN} (?:do|does) (?P<s>.+?) (?:like|love|enjoy) ", r"(?:the )?(?:best|most)\?*$"
        ),
        "what is {s} favourite {n}?",
    ),
    (
        _pattern(rf"^(?:what|which) {_NOUN} is (?P<s>.+?'s|my|our|his|her|their) favourite", r"\?*$"),
        "what is {s} favourite {n}?",
    ),
)
"""Ways to say what somebody's favourite is."""
OWNERS = {"i": "my", "we": "our", "he": "his", "she": "her", "they": "their", "it": "its", "me": "my"}
_RELATIVE = re.compile(
    r"^(?i:what|who) (?:is|was) (?:the name of )?the (?P<n>[a-z]+) (?:that |which |where )?"
    r"(?P<rest>(?:(?:I|we|he|she|they|my|our|his|her|their)\b|[A-Z]).*)$"
)
""""What is the name of the firm I work for": "which firm I work for"."""
_REACHED = _pattern(
    r"^how (?:can|do|could|may) (?:I|we|one|you) (?:reach|contact|call|phone|ring|get hold of) ",
    r"(?P<s>.+?)(?: by (?:tele)?phone| on the phone)?$",
)
_WHERE = _pattern(r"^(?P<v>[^,]+?) (?:is|was) where (?P<rest>.+?)", _END)
_OPENED = _pattern(r"^to (?:open|unlock) (?P<s>[^,]+), (?:enter|type(?: in)?|dial|use|press) (?P<v>.+?)", _END)
_DUE = _pattern(r"^when (?:is|are) (?P<s>.+?) due$")
_REMIND = _pattern(r"^(?:remind me|do not let me forget|remember) to (?P<rest>(?:buy|get) .+)$")
_COLON = _pattern(r"^(?P<a>[^:,]+): (?P<b>[^:,]+?)", _END)
_OWNED = r"(?P<s>(?:(?i:my|our|his|her|their)|[A-Z]\w+'s)(?: (?!(?:is|are|was|were)\b)[A-Za-z'-]+){1,4}?)"
_NAME = r"(?P<v>[A-Z]\w+(?: [A-Z]\w+)*)"
_APPOSED = (
    re.compile(rf"\b{_OWNED}, {_NAME}(?:,|(?=[.!]*$))"),
    re.compile(rf"(?:^|(?<= )){_NAME}, (?:that is )?{_OWNED}(?:,|(?=[.!]*$))"),
)
""""My sister, Anna, says hello"; "you know Anna, my sister"."""
_NAMED = re.compile(r"\b(?i:my name) (?=[A-Z])")
_WHO_AM_I = _pattern(r"^who am i$")
_ASIDES = _pattern(r" (?:would you say|do you think|did you say|again)(?= |$)")


def rephrased(sentence: str) -> str:
    """Return a sentence put the plain way; most are returned as they are."""
    if sentence[:4].lower() in ("what", "whic", "who ", "when", "wher"):
        sentence = _ASIDES.sub("", sentence)
    sentence = _WHO_AM_I.sub("what is my name", sentence)
    if match := _RELATIVE.match(sentence):
        return f"which {match['n']} {match['rest']}"
    if match := _DUE.match(sentence):
        return f"what is {_owner(match['s'])} due date"
    if match := _REMIND.match(sentence):
        return f"I need to {match['rest']}"
    if (match := _COLON.match(sentence)) and not any(map(_may_be_verb, f"{match['a']} {match['b']}".split())):
        return f"{match['a']} is {match['b']}"
    if match := _OPENED.match(sentence):
        return f"the code of {match['s']} is {match['v']}"
    if match := _REACHED.match(sentence):
        return f"what is {_owner(match['s'])} phone number"
    if (match := _WHERE.match(sentence)) and match["v"].lower() != "that":
        return f"{match['rest']} at {match['v']}"
    for pattern, form in _BEST:
        match = pattern.match(sentence)
        if match:
            owner = match.group("s").strip()
            owner = OWNERS.get(
                owner.lower(),
                owner if owner.lower().endswith("'s") or owner.lower() in OWNERS.values() else f"{owner}'s",
            )
            return form.format(s=owner, n=match.group("n"), v=match.groupdict().get("v", ""))
    return sentence


def without_apposed(sentence: str) -> str:
    """Return a sentence without names beside a description: "my sister, Anna, says" is "my sister says"."""
    sentence = _NAMED.sub("my name is ", sentence)
    for pattern in _APPOSED:
        sentence = pattern.sub(lambda match: str(match["s"]), sentence)
    return sentence


def _owner(who: str) -> str:
    """Return a name as an owner: "Anna's", "my"."""
    return OWNERS.get(who.lower(), f"{who}'s")


def _may_be_verb(word: str) -> bool:
    """Whether a word is a verb with an ending or an auxiliary: a part with one is no bare noun phrase."""
    if word.lower() in ("i", "we", "you", "he", "she", "they", "it"):
        return True
    ended = word.endswith(("s", "ed")) or word in ("is", "are", "was", "am", "have", "call")
    return word.islower() and is_verb(word) and ended
