# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Text to chunks: the longest words and phrases that the vocabulary knows, each with all its readings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from karma_language.vocabulary.lexicon import Lexicon, Noun
from planner_node.understand import words as en

MAX_LENGTH = 2000
"""Characters of an instruction that is read; longer ones are refused."""

_ID = re.compile(r"(?:[\w-]+/)?([A-Za-z]\w*)(?:\|[-+]?[\w.]*\w){2,}")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LIST_NUMBER = re.compile(r"(?:^|(?<=[\s,.;]))\d+[.)]\s")
_TOKEN = re.compile(r"@\d+|[a-z]+(?:'[a-z]+)?|\d+|[,.&]")
_STOPS = str.maketrans(dict.fromkeys(";!?\n\r→⇒•:", " . "))
_POSSESSIVE = re.compile(r"(?<=[a-z])'s\b")
_CONTRACTED = frozenset(["it's", "that's", "there's", "here's", "let's", "he's", "she's", "what's", "where's", "who's"])
_LONGEST = 7
_BEFORE_VERBS = frozenset(["and", ",", "then", "to", "please", "."])
_JOINS = frozenset(["and", ","])
_ENDS = _JOINS | {".", "please", "then"}
_PLUS = "plus"


@dataclass(frozen=True)
class Chunk:
    """A word or phrase and everything that it can be."""

    words: tuple[str, ...]
    noun: Noun | None = None
    room: str = ""
    state: str = ""
    verb: str = ""
    """Base form, when it can be a verb that the grammar knows."""
    form: str = ""
    """Of the verb: base, ing or past."""
    preposition: str = ""
    conjunction: bool = False
    sequence: bool = False
    polite: bool = False
    stop: bool = False
    id: str = ""
    described: str = ""
    """Text, when it is a whole description: "cutlery used for soup"; `noun` is then the class that it names, if any."""
    detail: str = ""
    """Of a description: what it says beside the class: "used for soup"."""
    several: bool = False
    """Whether the description is of more than one."""
    beside: tuple[str, ...] = ()
    """Categories that the description speaks of without meaning them: the bread."""
    anything: bool = False
    """Whether the description is of something one can take: "something", "tool"."""

    @property
    def word(self) -> str:
        """The text."""
        return " ".join(self.words)

    @property
    def small(self) -> bool:
        """Whether it is a determiner, number, pronoun or another word with a grammatical task only."""
        word = self.word
        return (
            word in en.DETERMINERS
            or word in en.PRONOUNS
            or word in en.NUMBERS
            or word.isdigit()
            or word in en.EVERY
            or word in en.OTHER
            or word in en.PARTICLES
            or word in en.GENERIC
        )

    @property
    def known(self) -> bool:
        """Whether any reading was found."""
        return bool(
            self.noun or self.room or self.state or self.verb or self.preposition or self.conjunction or self.sequence
            or self.polite or self.stop or self.described
            or self.small or self.word in en.IGNORED or self.word in en.SAFE_ADJECTIVES
        )  # fmt: skip


def verb_form(word: str) -> tuple[str, str] | None:
    """Return (base form, form) of a verb that the grammar knows, else None."""
    if word in en.VERBS:
        return word, "base"
    if word in en.PAST:
        return (en.PAST[word], "past") if en.PAST[word] in en.VERBS else None
    for ending, form in (("ing", "ing"), ("ed", "past"), ("d", "past"), ("es", "base"), ("s", "base")):
        if word.endswith(ending):
            stem = word[: -len(ending)]
            for base in (stem, stem + "e", stem[:-1] if stem[-1:] == stem[-2:-1] else ""):
                if base in en.VERBS:
                    return base, form
    return None


def _phrasal(words: tuple[str, ...]) -> tuple[str, str] | None:
    """Return (base form, form) of a verb of several words: "getting rid of"."""
    phrase = " ".join(words)
    if phrase in en.VERBS:
        return phrase, "base"
    if (first := en.PHRASAL.get(words[1:])) is None:
        return None
    form = verb_form(words[0]) or _form_of(words[0], first)
    found = next((verb for verb in first if form is not None and form[0] == verb), "")
    return (" ".join((found, *words[1:])), form[1]) if found and form is not None else None


def _form_of(word: str, bases: tuple[str, ...]) -> tuple[str, str] | None:
    """Return (base form, form) where a word is a form of one of the verbs."""
    for base in bases:
        stem = base.removesuffix("e")
        forms = {
            base: "base",
            base + "s": "base",
            stem + "ing": "ing",
            base + base[-1] + "ing": "ing",
            stem + "ed": "past",
        }
        if word in forms:
            return base, forms[word]
    return None


def chunk(
    text: str, lexicon: Lexicon, is_word: Callable[[str], bool] = lambda word: False
) -> tuple[list[Chunk], list[str]]:
    """Split `text` into chunks. Returns them and notes on corrected spelling.

    `is_word`: whether something that the vocabulary doesn't have is English all the same, and no slip.
    """
    text = (
        unicodedata.normalize("NFKC", text)
        .replace("@", " ")
        .replace("’", "'")
        .replace("->", " . ")
        .replace("=>", " . ")
    )
    ids: list[tuple[str, str]] = []

    def keep(match: re.Match[str]) -> str:
        ids.append((match.group(0), match.group(1)))
        return f" @{len(ids) - 1} "

    text = _CAMEL.sub(" ", _ID.sub(keep, text)).lower().translate(_STOPS)
    text = _LIST_NUMBER.sub(" . ", text).replace("-", " ").replace("_", " ")
    tokens = [t if t in _CONTRACTED else _POSSESSIVE.sub("", t) for t in _TOKEN.findall(text)]
    tokens = _without_additives(tokens)
    notes: list[str] = []
    chunks: list[Chunk] = []
    position = 0
    verbs = frozenset(v for v in en.VERBS if " " not in v)
    while position < len(tokens):
        found = _longest(tokens, position, lexicon, ids)
        if not found.known:
            compound = _compound(tokens[position], lexicon)
            if compound:
                tokens[position : position + 1] = compound
                continue
            before_verb = position == 0 or tokens[position - 1] in _BEFORE_VERBS
            slip = not is_word(tokens[position])
            better = lexicon.correct(tokens[position], verbs if before_verb else frozenset()) if slip else None
            if better is not None and better != tokens[position]:
                notes.append(f"I took {tokens[position]!r} for {better!r}.")
                tokens[position] = better
                found = _longest(tokens, position, lexicon, ids)
        chunks.append(found)
        position += len(found.words)
    return chunks, notes


def _without_additives(tokens: list[str]) -> list[str]:
    """Leave out "too", "as well" and "also", but not the "also" that begins a request: they change nothing.

    But "on the table and the plate, TOO", or "and ALSO the plate", is "on the table PLUS the plate".
    """
    found: list[str] = []
    at = 0
    while at < len(tokens):
        length = next((n for n in (2, 1) if " ".join(tokens[at : at + n]) in en.ADDITIVES), 0)
        before, after = found[-1] if found else ".", tokens[at + length] if at + length < len(tokens) else "."
        joins = tokens[at : at + 1] == ["also"] and (before in (".", ",", "and", "but") or verb_form(after) is not None)
        if joins and found and (after in en.DETERMINERS or after in en.NUMBERS) and not _says(tokens[at + 1 :]):
            found[-1:] = [before, _PLUS] if before == "." else [_PLUS]
            at += 1
            continue
        if not length or (length == 2 and after == "as") or joins:
            found.append(tokens[at])
            at += 1
            continue
        at += length
        if before == ",":
            found.pop()
            at += after == "," and tokens[at + 1 : at + 2] != ["and"]  # "the pen, TOO, on the desk"
        if at >= len(tokens) or tokens[at] in _ENDS:
            _add(found)
    return found


def _says(tokens: list[str]) -> bool:
    """Whether something is told of a thing up to the next stop: "the milk IS sour, too"."""
    return not en.TELLING.isdisjoint(tokens[: tokens.index(".") if "." in tokens else len(tokens)])


def _add(said: list[str]) -> None:
    """Let what has no verb and no place of its own at the end of `said` be in addition to what is said before it."""
    end = len(said)
    while end > 1:
        begin = next((i for i in range(end - 1, 0, -1) if said[i] in _JOINS or said[i] == "."), 0)
        first, *rest = said[begin + 1 : end] or [""]
        if _says(said[begin + 1 : end]):
            return
        names = first in en.DETERMINERS or first in en.NUMBERS or (first not in _JOINS and verb_form(first) is None)
        placed = any(en.PREPOSITIONS.get(word, "of") not in ("of", "with") for word in (first, *rest))
        if not begin or not first or not names or placed:
            return
        if said[begin] == ".":
            said.insert(begin + 1, _PLUS)
            return
        said[begin] = _PLUS
        end = begin


def _longest(tokens: list[str], position: int, lexicon: Lexicon, ids: list[tuple[str, str]]) -> Chunk:
    first = tokens[position]
    if first == ".":
        return Chunk((".",), stop=True)
    if first.startswith("@"):
        node_id, category = ids[int(first[1:])]
        return Chunk((first,), noun=Noun((category,)), id=node_id)
    for length in range(min(_LONGEST, len(tokens) - position), 0, -1):
        words = tuple(tokens[position : position + length])
        found = _read(words, lexicon)
        if found.known:
            return found
        if length > 1 and (better := _corrected_phrase(words, lexicon)) is not None:
            return better
    return Chunk((first,))


def _compound(word: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return the words of a name that was written as one ("garbagecan"), empty for anything else."""
    for cut in range(2, len(word) - 1):
        parts = (word[:cut], word[cut:])
        if parts in lexicon.nouns:
            return parts
    return ()


def _corrected_phrase(words: tuple[str, ...], lexicon: Lexicon) -> Chunk | None:
    """Return the noun of a phrase of which one word is misspelt ("fryng pan")."""
    unknown = [i for i, word in enumerate(words) if word.isalpha() and word not in lexicon.words]
    if len(unknown) != 1 or _read((words[unknown[0]],), lexicon).known:
        return None
    better = lexicon.correct(words[unknown[0]])
    if better is None:
        return None
    fixed = (*words[: unknown[0]], better, *words[unknown[0] + 1 :])
    noun = lexicon.nouns.get(fixed)
    return Chunk(words, noun=noun) if noun is not None else None


def _read(words: tuple[str, ...], lexicon: Lexicon) -> Chunk:
    phrase = " ".join(words)
    verb = verb_form(words[0]) if len(words) == 1 else _phrasal(words)
    if len(words) == 2 and words in lexicon.states and words[1] in en.PARTICLES:
        verb = verb_form(words[0])  # "cut up": what one does, and how it is then
    return Chunk(
        words,
        noun=lexicon.nouns.get(words),
        room=lexicon.rooms.get(words, ""),
        state=lexicon.states.get(words, ""),
        verb=verb[0] if verb else "",
        form=verb[1] if verb else "",
        preposition=en.PREPOSITIONS.get(phrase, ""),
        conjunction=phrase in en.CONJUNCTIONS,
        sequence=phrase in en.SEQUENCE,
        polite=phrase in en.POLITE,
    )
