# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Its memories take readings; that it has no English: tests/metadata/test_one_reader.py."""

import ast
from pathlib import Path

MEMORY = Path(__file__).resolve().parents[1] / "karma_memory"
READERS = {
    "hearing/hearing.py": {"read_told"},
    "ask/asking.py": {"read_questions"},
    "facts/applications.py": {"asked_span", "asked_task", "question"},
    "preferences/deciding.py": {"circumstances", "opposed"},
    "preferences/serving.py": {"OfflineLanguage"},
}
"""What reads an utterance → who may: one place for what is said, and those who are asked something at this moment."""


def modules():
    return sorted(MEMORY.rglob("*.py"))


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
