# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Words as search and comparison need them: in lower case, in the singular, their stems, and those that say nothing."""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Collection, Mapping
from functools import cache, lru_cache

STEMS_KEPT = 65_536
"""Words whose stems are kept."""
NAMES_KEPT = 4096
"""Names that need not be taken apart again."""
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_IRREGULAR = {"knives": "knife", "loaves": "loaf", "shelves": "shelf", "leaves": "leaf", "halves": "half"}
_PLURALS = {one: several for several, one in _IRREGULAR.items()}


@lru_cache(NAMES_KEPT)
def split_camel_case(text: str) -> str:
    """Return "butter Knife" for "butterKnife", so that the words of a category can be found."""
    return _CAMEL.sub(" ", text)


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, CamelCase taken apart."""
    return [word.lower() for token in _WORD.findall(text) for word in split_camel_case(token).split(" ")]


def asks_where(asked: Collection[str]) -> bool:
    """Whether the words of a question ask where something is."""
    return "where" in asked


def asks_inside(asked: Collection[str]) -> bool:
    """Whether the words of a question ask what is in or on something."""
    return not {"what", "which"}.isdisjoint(asked) and not {"in", "inside", "on"}.isdisjoint(asked)


STOP_WORDS = frozenset(
    words(
        "a about all am an and any are as at be been but by can could did do does for from had has have he her his how "
        "i if in into is it its me my no not of off on or our out please she should so some that the their them then "
        "there these they this to up us was we were what when where which who will with would you your"
    )
)
"""English function words: they are in almost every record and tell nothing."""


@lru_cache(STEMS_KEPT)
def stems(word: str) -> tuple[str, ...]:
    """Return the stem of a word without diacritics; several or none where FTS5 sees several words or none.

    By the Porter stemmer of SQLite's FTS5: nothing to install. Thread-safe.
    """
    if word.isascii() and word.isdecimal():
        return (word,)
    with _stemmer_lock:
        _stemmer().execute("INSERT INTO texts (rowid, body) VALUES (1, ?)", (word,))
        terms = tuple(term for (term,) in _stemmer().execute("SELECT term FROM terms ORDER BY offset"))
        _stemmer().execute("DELETE FROM texts")
    return terms


_stemmer_lock = threading.Lock()


@cache
def _stemmer() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.executescript(
        "CREATE VIRTUAL TABLE texts USING fts5(body, tokenize = 'porter unicode61 remove_diacritics 2');"
        "CREATE VIRTUAL TABLE terms USING fts5vocab(texts, 'instance');"
    )
    return connection


def singular(word: str) -> str:
    """Return an English noun in the singular; other words may change too, but always in the same way."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes", "atoes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def plural_of(name: str, irregular: Mapping[str, str] = _PLURALS) -> str:
    """Return the plural of a noun phrase: of the word before "of", else of its last word."""
    said = name.split() or [""]
    at = said.index("of") - 1 if "of" in said[1:] else len(said) - 1
    word = said[at]
    if word in irregular:
        several = irregular[word]
    elif word.endswith("y") and word[-2:-1] not in "aeiou":
        several = word[:-1] + "ies"
    elif word in ("potato", "tomato") or word.endswith(("ss", "x", "z", "ch", "sh")):
        several = word + "es"
    else:
        several = word if word.endswith("s") else word + "s"
    return " ".join([*said[:at], several, *said[at + 1 :]])


def normalised(text: str) -> str:
    """Return a text in lower case with single spaces, as it is compared."""
    return " ".join(text.lower().split())
