# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A choice that a request leaves open: "put the newspaper or the bread on the table" is not about both."""

from __future__ import annotations

from collections.abc import Sequence

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.skills import Code
from planner_node.understand import words as en
from planner_node.understand.chunks import Chunk
from planner_node.understand.goals import NotUnderstood


def either(chunks: Sequence[Chunk], lexicon: Lexicon) -> NotUnderstood | None:
    """Return the question which of the things that "or" joins is meant, None where it joins none."""
    for at in (i for i, chunk in enumerate(chunks) if chunk.word == "or"):
        first, last = _begin(chunks, at - 1, lexicon), at + 1
        while last < len(chunks) and _leads(chunks[last], lexicon):
            last += 1
        if first is None or last == len(chunks) or chunks[last].noun is None:
            continue
        parts = [(first, at), (at + 1, last + 1)]
        while first > 1 and chunks[first - 1].word == ",":  # "the mug, the cup or the plate"
            before = _begin(chunks, first - 2, lexicon)
            if before is None:
                break
            parts.insert(0, (before, first - 1))
            first = before
        article = chunks[first].word if chunks[first].word in en.DETERMINERS else ""
        names = tuple(_named(chunks[begin:end], article) for begin, end in parts)
        phrase = " ".join(chunk.word for chunk in chunks[first : last + 1] if chunk.word != ",")
        return NotUnderstood(Code.AMBIGUOUS, f"Which do you mean: {' or '.join(names)}?", names, phrase=phrase)
    return None


def _named(chunks: Sequence[Chunk], article: str) -> str:
    """Return a noun phrase with its own article, or else with this one."""
    words = " ".join(chunk.word for chunk in chunks)
    return words if chunks[0].word in en.DETERMINERS else f"{article} {words}".strip()


def _begin(chunks: Sequence[Chunk], noun: int, lexicon: Lexicon) -> int | None:
    """Return where the noun phrase begins that ends with this noun, None where it is none."""
    if noun < 0 or chunks[noun].noun is None:
        return None
    begin = noun
    while begin > 0 and _leads(chunks[begin - 1], lexicon):
        begin -= 1
    return begin


def _leads(chunk: Chunk, lexicon: Lexicon) -> bool:
    """Whether a word may stand before a noun and tells of it."""
    adjective = chunk.word in lexicon.colours or chunk.word in en.SAFE_ADJECTIVES or bool(chunk.state)
    return chunk.word in en.DETERMINERS or (adjective and not chunk.verb)
