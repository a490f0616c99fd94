# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Names of things and places in what people say: "No, the iced tea please" names iced tea.

Rules of English, not of any home: function words and words of asking, wanting and handling end a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from karma_language.told.wishes.english import WORDS
from karma_language.vocabulary.terms import singular

_TOKEN = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|[.,;:!?()\"–—]")
CONNECTORS = WORDS["connectors"]
"""Inside a name they hold it together: "rice with beans"."""
FUNCTION_WORDS = WORDS["function_words"]
ACTIONS = WORDS["actions"]
"""Words of asking, wanting and handling; "drink" and "one" end a name only where nothing else of it is left."""
_INSIDE = WORDS["inside_names"]
"""Of those, the ones that occur inside names: "iced drink", "one small roll"."""

_PLEASE = "please"
_UNTOLD = FUNCTION_WORDS | ACTIONS | CONNECTORS
_A_NUMBER = "one"
"""It may begin a name; alone it is none."""

_WANTING = re.compile(
    r"\b(want(ed)?|prefer(red)?|meant|like|love|fancy|need(ed)?|please|instead|rather|bring|get|fetch|put|place|store|keep|"
    r"leave|set|goes?|belongs?|now|make it|would be|would do|should be|favou?rite is)\b"
)
_ALL_REJECTED = re.compile(
    r"\b(no longer|any ?more|used to|previously|formerly|you (brought|gave|put|took|chose|picked))\b"
)
_REST_REJECTED = re.compile(
    r"\b(instead of|rather than|not|never|(?:do|did|does|is|was|would|ca|wo)n't|preference for|over|away from)\b"
)
_ANYTHING_BUT = re.compile(r"\b(?:any(?:thing|one)?|everything|all) (?:but|except|besides)\b")
_CLAUSE = re.compile(r"[.,;:!?–—]|\bbut\b|\band now\b|\bnow that\b")
_CHANGE = re.compile(
    r"\b(now|no longer|any ?more|used to|chang(?:ed|ing)|from now on|these days|lately|nowadays|switched|flipped|"
    r"going forward|different(?:ly)?)\b"
)


_ASKING_BACK = re.compile(r"\b(?:why|how|what|where|who|when|did|is|was|are|were|have|has)\b[^.?!]*\?", re.IGNORECASE)
_DOING = re.compile(r"^(?:i|you|we|he|she|they) (?P<verb>[a-z']+)")
_BEING = re.compile(r"\b(?:is|are|was|were|look|tast|smell|seem)(?:s|e|es|ed)?\b")


@dataclass(frozen=True)
class Clause:
    """A part of what was said."""

    text: str
    wanted: bool
    """It says what is to be."""


def tokens(text: str) -> list[str]:
    """Return words and punctuation, in lower case."""
    return _TOKEN.findall(text.lower().replace("’", "'"))


def says_change(text: str) -> bool:
    """Whether the words say that a preference changed (the drift detector of PAHF, appendix D)."""
    return bool(_CHANGE.search(text.lower()))


def clauses(text: str) -> list[Clause]:
    """Return the parts of a text that may say what is wanted, without those that say what is not."""
    found = []
    for part in _CLAUSE.split(_ANYTHING_BUT.sub("not", text.lower().replace("’", "'"))):
        if _ALL_REJECTED.search(part):
            continue
        kept = _REST_REJECTED.split(part, maxsplit=1)[0]
        if kept.strip():
            found.append(Clause(kept.strip(), bool(_WANTING.search(kept))))
    return found


def named(text: str, options: Sequence[str]) -> str:
    """Return the option that a text names as wanted; a name that is no option when it asks for that; else "".

    A shorter name that fits one option only means that one: "the one on the desk".
    """
    parts = clauses(_ASKING_BACK.sub(" ", text))
    exact = [
        (part.wanted, option)
        for part in parts
        for option in _options_in(part.text, options)
        if part.wanted or not _tells(part.text, option)
    ]
    if exact:
        wanted = [option for is_wanted, option in exact if is_wanted]
        return (wanted or [option for _, option in exact])[-1]
    for part in reversed(parts):
        names = names_in(part.text)
        if names and (part.wanted or _is_name(part.text, bare=_PLEASE in text.lower())):
            name = max(names, key=len)
            return _only(set(tokens(name)) - CONNECTORS - {_A_NUMBER}, options) or name
    return _only({word for part in parts for word in tokens(part.text)} - _UNTOLD, options)


def same_words(name: str, text: str) -> bool:
    """Whether a text has all the words of a name, in singular or plural."""
    return {singular(word) for word in tokens(name)} <= {singular(word) for word in tokens(text)}


def fitting(name: str, options: Sequence[str]) -> str:
    """Return the option of this name, else the only one that has all its words; "" where there is none."""
    exact = [option for option in options if same_words(name, option) and same_words(option, name)]
    return exact[0] if len(exact) == 1 else _only(set(tokens(name)) - _UNTOLD, options)


def _tells(text: str, option: str) -> bool:
    """Whether a clause only tells something of an option: "the apple was sour", "I ate the apple"."""
    left = set(tokens(text)) - set(tokens(option)) - _UNTOLD
    doing = _DOING.match(text)
    return bool(left) and (bool(_BEING.search(text)) or (doing is not None and doing["verb"] in left))


def _only(said: set[str], options: Sequence[str]) -> str:
    """Return the only option that has all these words; "" where none has, or several have."""
    words = {singular(word) for word in said if word[0].isalnum()}
    fitting = [option for option in options if words and words <= {singular(word) for word in tokens(option)}]
    return fitting[0] if len(fitting) == 1 else ""


def _is_name(text: str, *, bare: bool) -> bool:
    """Whether a clause is nothing but a name: "on the corner desk"; `bare`: without an article, too."""
    start = re.match(r"(?:(?:on|onto|in|into|to|at) )?(?:(?:the|a|an|my) )?", text)
    rest = text[start.end() :] if start else text
    return (bare or rest != text) and names_in(text) == [" ".join(tokens(rest))]


def names_in(text: str) -> list[str]:
    """Return what may be names in a text: runs of words that no function word ends."""
    found: list[list[str]] = [[]]
    for token in tokens(text):
        ends = token in FUNCTION_WORDS or token in ACTIONS or not token[0].isalnum()
        inside = token in _INSIDE or token in CONNECTORS
        if not ends or (inside and found[-1]) or token == _A_NUMBER:
            found[-1].append(token)
        elif found[-1]:
            found.append([])
    return [" ".join(name) for name in map(_trimmed, found) if name]


def _trimmed(words: list[str]) -> list[str]:
    """Take off what can only be inside a name."""
    start, end = 0, len(words)
    while start < end and (words[start] in CONNECTORS or words[start] == "right"):
        start += 1
    while end > start and (words[end - 1] in CONNECTORS or words[end - 1] in ("right", "one")):
        end -= 1
    return words[start:end]


def _options_in(text: str, options: Sequence[str]) -> list[str]:
    """Return the options that a text names in full: "island counter" does not name the counter."""
    said = tokens(text)
    words = [singular(word) for word in said]
    found: list[tuple[int, int, str]] = []
    for option in options:
        name = [singular(word) for word in tokens(option)]
        for start in range(len(said) - len(name) + 1 if name else 0):
            if words[start : start + len(name)] == name:
                found.append((start, start + len(name), option))
    longest = [
        (start, end, option)
        for start, end, option in found
        if not any(s <= start and end <= e and (s, e) != (start, end) for s, e, _ in found)
    ]
    return [option for start, end, option in sorted(longest) if _ends(said, start - 1) and _ends(said, end)]


def _ends(said: Sequence[str], index: int) -> bool:
    """Whether a name can end beside this token."""
    if not 0 <= index < len(said):
        return True
    token = said[index]
    return not token[0].isalnum() or token in FUNCTION_WORDS or token in ACTIONS or token in CONNECTORS
