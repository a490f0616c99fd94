# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One place reads English: karma_language. Other packages have no patterns or lists of its words, and ask its readers.

Words that are said (messages, formats) are free; so are names of categories, states and skills.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2]
PACKAGES = ("karma_memory", "planner_node", "karma_perception", "sim_bridge", "karma_ros", "karma")
_FUNCTION_WORDS = """
i me my mine we our us you your he she it its his her they them their the a an this that these those some any is are was
were be been am do does did have has had can could will would should may might must not no never and or but because if
when while where who what which whose how to of in at from by for with without into onto on then now here there please
just always usually often again also too other another both all each every same yes before after don't dont n't
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
MATCHING = frozenset(("compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"))
READERS = frozenset(
    (
        "arranging.clauses", "arranging.descriptions", "arranging.personal", "arranging.words", "dialogue",
        "evidence", "instructions", "model_reader", "model_reader.asking", "models",
        "needs", "questions", "reader", "reading", "requests", "resolver", "social", "speech", "states",
        "terms", "told", "told.quoting", "vocabulary", "vocabulary.categories", "vocabulary.descriptions",
        "vocabulary.embedder", "vocabulary.languages", "vocabulary.lexicon", "word_meanings",
        "wording",
    )
)  # fmt: skip
"""Modules of karma_language that others ask. The rest is how it reads."""
WORDS = frozenset(
    (
        "karma/plain_words.py",  # Insights as guidelines write them: "if not visible(target)".
        "planner_node/skill_forms/binding.py",  # Relations as written plans have them in their calls.
        "sim_bridge/ai2thor/failures.py",  # Error messages of AI2-THOR.
    )
)
"""Modules that have words of English, none of which a person said."""
INSIDE = {
    "karma_memory/facts/": "told.facts",  # What is kept and compared are the facts that were read.
    "karma_memory/preferences/": "told.wishes",  # The same for what somebody wants.
    "karma_memory/profile/": "told.habits",  # And for what somebody usually does.
    "planner_node/understand/offline.py": "utterance",  # The longest text that is read.
}
"""Module or folder → what else of karma_language it may import."""


def modules() -> list[Path]:
    return sorted(path for package in PACKAGES for path in (SRC / package / package).rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(SRC).as_posix().partition("/")[2]


def words_of(text: str) -> list[str]:
    """Return the words of a pattern, without its escapes and names of groups."""
    plain = re.sub(r"\\[a-zA-Z]|\(\?P<\w+>|\(\?P=\w+\)|\(\?[a-zA-Z]+[:)]|\[[^\]]*\]|\{[^}]*\}", " ", text)
    return re.findall(r"[a-z]+(?:'[a-z]+)?", plain.lower())


def texts_in(node: ast.AST) -> list[str]:
    return [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def patterns(tree: ast.AST) -> Iterator[str]:
    """Yield patterns with two or more English words, written where they are used or named before."""
    named = {
        target.id: " ".join(texts_in(node.value))
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
            continue
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "re" and node.func.attr in MATCHING):
            continue
        used = [part.id for part in ast.walk(node.args[0]) if isinstance(part, ast.Name)]
        pattern = " ".join([*texts_in(node.args[0]), *(named.get(name, "") for name in used)])
        if len(FUNCTION_WORDS & {*words_of(pattern)}) >= 2:
            yield pattern


def lists(tree: ast.AST) -> Iterator[list[str]]:
    """Yield collections of three or more strings, and texts split into such, that are mostly function words."""
    for node in ast.walk(tree):
        found: list[str] = []
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            found = [item.value for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        elif isinstance(node, ast.Dict):
            found = [key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            found = " ".join(texts_in(node.func.value)).split()
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("each", "word_set"):
            found = " ".join(texts_in(node)).split()
        said = sum(text.lower() in FUNCTION_WORDS for text in found)
        if len(found) >= 3 and said >= 3 and 2 * said > len(found):
            yield found


def insides(tree: ast.AST) -> Iterator[str]:
    """Yield modules of karma_language that are imported and are none of its readers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "karma_language":
            found = [f"karma_language.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = [node.module or ""]
        else:
            continue
        for name in found:
            package, _, module = name.partition(".")
            if package == "karma_language" and module and module not in READERS:
                yield module


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_no_other_package_reads_english(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    name = name_of(path)
    found = [*patterns(tree), *lists(tree)]
    assert bool(found) is (name in WORDS), found
    allowed = tuple(inside for place, inside in INSIDE.items() if name.startswith(place))
    assert [module for module in insides(tree) if not module.startswith(allowed)] == []


def test_nothing_is_allowed_in_vain() -> None:
    names = [name_of(path) for path in modules()]
    assert {*names} >= WORDS
    assert all(any(name.startswith(place) for name in names) for place in INSIDE)


@pytest.mark.parametrize(
    "source",
    [
        'X = re.compile(r"\\b(?:I|we) (?:have|had)\\b")',
        '_IT = r"(?:it|them)"\nX = re.compile(rf"put {_IT} back")',
        'X = re.sub("^(?:and )?so that", "", text)',
        'X = frozenset(["the", "a", "an", "robot"])',
        'X = {"on": 1, "in": 2, "to": 3}',
        'X = word_set("it them both these")',
        'X = "he she it they".split()',
    ],
)
def test_english_is_found(source: str) -> None:
    tree = ast.parse(source)
    assert [*patterns(tree), *lists(tree)]


@pytest.mark.parametrize(
    "source",
    [
        'X = re.compile(r"(?P<the>[a-z]+)_(?P<of>\\d+)")',
        'X = f"{a} is on the {b}"',
        'X = ("on", "in", "near", "held")',
        'X = ("open", "closed", "on", "off")',
    ],
)
def test_what_is_no_english_is_not(source: str) -> None:
    tree = ast.parse(source)
    assert not [*patterns(tree), *lists(tree)]


def test_an_inside_of_the_reader_is_found() -> None:
    tree = ast.parse(
        "from karma_language import verbs\nfrom karma_language.phrases import X\nimport karma_language.words"
    )
    assert [*insides(tree)] == ["verbs", "phrases", "words"]
    assert not [*insides(ast.parse("from karma_language import reading, dialogue\nfrom karma_language.told import x"))]
