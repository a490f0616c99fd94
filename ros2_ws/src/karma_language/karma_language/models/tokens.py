# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How many tokens a text has at most, for a model whose tokenizer isn't known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_PIECE = re.compile(r"[A-Za-z]+|[!-/:-@\[-`{-~]+|\S|\n")
_LETTERS = 3
"""Letters of a token of a word, counted low: English text has four and more."""
_SIGNS = 2
"""Signs of a token where several stand together, as in JSON."""
_MESSAGE = 8
"""Tokens around a message: its role, its beginning and end."""


def tokens(text: str) -> int:
    """Return an upper estimate: three letters of a word, two signs, a digit; of other scripts, every byte."""
    return sum(_tokens(piece) for piece in _PIECE.findall(text))


def tokens_of(chat: Sequence[Mapping[str, Any]]) -> int:
    """Return an upper estimate for a conversation."""
    return sum(_MESSAGE + tokens(message["content"]) for message in chat)


def _tokens(piece: str) -> int:
    if not piece.isascii():
        return len(piece.encode())
    return -(-len(piece) // (_LETTERS if piece.isalpha() else _SIGNS))
