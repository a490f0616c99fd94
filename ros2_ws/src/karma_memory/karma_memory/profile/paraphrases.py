# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Knowledge that was told again in words of like meaning (MEMENTO, appendix E.4.4, knowledge update).

It needs a model of meaning, and a profile is a function of the journal alone: so it is decided here, once, by whoever
remembers what was told, and goes into the journal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from karma_memory.profile.graph import Node
from karma_memory.profile.knowledge import Candidate, Knowledge
from karma_memory.profile.likeness import Lexicon
from karma_memory.profile.memory import likest
from karma_memory.profile.offline import OfflineSteps
from karma_memory.profile.wording import KnowledgeType
from karma_memory.recall.embedder import Embedder


class Paraphrases:
    """Decides by meaning what algorithm 1, step 4, decides. Not thread-safe."""

    def __init__(self, embedder: Embedder) -> None:
        self._lexicon = Lexicon(embedder)
        self._steps = OfflineSteps(self._lexicon)

    def superseded(self, told: Sequence[tuple[Node, Sequence[Candidate]]]) -> list[tuple[str, str]]:
        """Return (older, newer) for knowledge that is told again. `told`: see UserProfiles.comparable.

        Raises what the embedder raises.
        """
        found: dict[str, str] = {}
        for node, others in told:
            knowledge = Knowledge(KnowledgeType(node.subtype), node.category, node.alias, node.description)
            elements = self._steps.extract_elements(node.told_in, knowledge)
            likely = [replace(one, likeness=score) for one, score in likest(node.alias, others, self._lexicon)]
            older = self._steps.decide(knowledge, elements, likely)
            if older:
                found.setdefault(older, node.id)
        return list(found.items())
