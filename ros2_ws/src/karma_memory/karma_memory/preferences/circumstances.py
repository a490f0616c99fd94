# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a request says beside asking: "I am worn out. Could you bring me a drink?" says that its user is worn out."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"[^.!?]+[.!?]*")
_ASKING = re.compile(r"\b(?:can|could|would|will) you\b|\bplease\b|\?\s*$", re.IGNORECASE)


def asking(text: str) -> list[str]:
    """Return the sentences that ask for something; all where none does."""
    sentences = [sentence.strip() for sentence in _SENTENCE.findall(text)]
    return [sentence for sentence in sentences if _ASKING.search(sentence)] or sentences


def circumstances(text: str) -> str:
    """Return the sentences that say why or when; the whole text where there are none."""
    sentences = [sentence.strip() for sentence in _SENTENCE.findall(text)]
    return " ".join(sentence for sentence in sentences if not _ASKING.search(sentence)) or text
