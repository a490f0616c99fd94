# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""karma_memory has no English: what reads words is in karma_language, and its memories take readings."""

import ast
import re
from pathlib import Path

import pytest

MEMORY = Path(__file__).resolve().parents[1] / "karma_memory"
FUNCTION_WORDS = frozenset(
    [
        "i",
        "me",
        "my",
        "mine",
        "we",
        "our",
        "us",
        "you",
        "your",
        "he",
        "she",
        "it",
        "its",
        "they",
        "them",
        "their",
        "the",
        "a",
        "an",
        "this",
        "that",
        "these",
        "those",
        "some",
        "any",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "am",
        "do",
        "does",
        "did",
        "have",
        "has",
        "had",
        "can",
        "could",
        "will",
        "would",
        "should",
        "may",
        "might",
        "must",
        "not",
        "no",
        "never",
        "and",
        "or",
        "but",
        "because",
        "if",
        "when",
        "while",
        "where",
        "who",
        "what",
        "which",
        "whose",
        "how",
        "to",
        "of",
        "in",
        "at",
        "from",
        "by",
        "for",
        "with",
        "without",
        "into",
        "then",
        "here",
        "please",
        "always",
        "usually",
        "often",
    ]
)
READERS = {
    "hearing.py": {"read_told"},
    "state.py": {"read_question", "tells_fact"},
    "facts/applications.py": {"asked_span", "asked_task", "question"},
    "preferences/deciding.py": {"circumstances", "opposed"},
    "preferences/serving.py": {"OfflineLanguage"},
}
"""What reads an utterance → who may: one place for what is said, and those who are asked something at this moment."""


def modules():
    return sorted(MEMORY.rglob("*.py"))


def said(text):
    return [word for word in re.findall(r"[a-z]+", text.lower()) if word in FUNCTION_WORDS]


def word_lists(source):
    """Return what is a list of English words, or a pattern of them, in a module's source."""
    found = []
    for node in ast.walk(ast.parse(source)):
        texts = [item.value for item in ast.iter_child_nodes(node) if isinstance(item, ast.Constant)]
        texts = [text for text in texts if isinstance(text, str)]
        if isinstance(node, ast.Tuple | ast.Set | ast.List):
            found += [texts] if sum(text.lower() in FUNCTION_WORDS for text in texts) > 2 else []
        elif isinstance(node, ast.Attribute) and node.attr == "split":
            found += [text for text in texts if len(said(text)) > 1]
        else:
            found += [text for text in texts if ("\\b" in text or "(?:" in text) and len(said(text)) > 1]
    return found


@pytest.mark.parametrize("module", modules(), ids=lambda path: str(path.relative_to(MEMORY)))
def test_no_module_of_the_memory_has_a_list_of_english_words(module):
    assert word_lists(module.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        'WORDS = frozenset("i me my we our us you he she they".split())',
        'WORDS = ("he", "she", "it")',
        r'PATTERN = re.compile(r"\b(?:I|we) (?:have|had)\b")',
    ],
)
def test_a_list_of_english_words_is_found(source):
    assert word_lists(source)


def test_only_who_hears_words_or_is_asked_reads_them():
    readers = set().union(*READERS.values())
    found = {}
    for path in modules():
        imports = [
            node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)
        ]
        names = {
            name.name for node in imports if (node.module or "").startswith("karma_language") for name in node.names
        }
        if names & readers:
            found[str(path.relative_to(MEMORY))] = names & readers
    assert found == READERS
