# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Knowledge that was told again in words of like meaning (MEMENTO, appendix E.4.4, knowledge update).

It needs a model of meaning, and a profile is a function of the journal alone: so it is decided here, once, by whoever
remembers what was told, and goes into the journal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from karma_language.reading import Told
from karma_memory.profile.knowledge import Candidate, Comparison
from karma_memory.profile.likeness import Lexicon
from karma_memory.profile.memory import likest
from karma_memory.recall.embedder import Embedder


class Paraphrases:
    """Decides by meaning what algorithm 1, step 4, decides. Not thread-safe."""

    def __init__(self, embedder: Embedder) -> None:
        self._lexicon = Lexicon(embedder)
        self._comparison = Comparison(self._lexicon)

    def superseded(self, known: Sequence[tuple[str, Told, Sequence[Candidate]]]) -> list[tuple[str, str]]:
        """Return (older, newer) for knowledge that is told again. `known`: see UserProfiles.comparable.

        Raises what the embedder raises.
        """
        found: dict[str, str] = {}
        for node, told, others in known:
            likely = [replace(one, likeness=score) for one, score in likest(told.name, others, self._lexicon)]
            older = self._comparison.told_again(told, likely)
            if older:
                found.setdefault(older, node)
        return list(found.items())
