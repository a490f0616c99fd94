# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What words turned out to mean, by what attempts took them for and how these ended.

An attempt says for each noun what it may mean, likeliest first (when it begins), and what it was taken for (when it
ends). Where it succeeded, and a person said so or had said before that it was wrong, a noun that was taken for
something else than the likeliest, or than what was wrong before, meant this: the likeliest is what the vocabulary has
anyway, and counts only for what is known of that meaning. Where it failed, it counts against that. Confidence is then
the relative frequency of a meaning among the attempts that took it, in a kind of room.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from karma_memory.episodic.attempts import Attempt
from karma_memory.episodic.goals import words_in


@dataclass(frozen=True)
class Meaning:
    """What an attempt took a noun for."""

    word: str
    category: str
    instead_of: str = ""
    """What an earlier attempt at the same took it for, and that was wrong; "" where it was right at once."""

    usual: bool = False
    """Whether it is what the noun is taken for anyway, so that there is nothing to learn."""


def meanings(attempt: Attempt, failed: Sequence[Attempt] = ()) -> Iterator[Meaning]:
    """Yield what an attempt took those nouns for that could have meant something else.

    `failed`: earlier attempts at the same that failed.
    """
    could = words_in(attempt.parsed)
    others = [taken(other) for other in failed]
    for word, category in taken(attempt).items():
        wrong = next((other[word] for other in others if other.get(word, category) != category), "")
        likeliest = could.get(word, ())
        if wrong or len(likeliest) > 1:
            yield Meaning(word, category, wrong, usual=not wrong and category == likeliest[0])


def taken(attempt: Attempt) -> dict[str, str]:
    """Return what an attempt took each noun for, as far as it got."""
    return {word: categories[0] for word, categories in words_in(attempt.taken).items() if len(categories) == 1}
