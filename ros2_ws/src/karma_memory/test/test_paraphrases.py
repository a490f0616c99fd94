# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a user tells again in other words takes the place of what they told before, and stays so in a replay."""

import pytest
from waiting import eventually

from karma_memory import Event, EventKind
from karma_memory.encoding import dumps
from karma_memory.recall.embedder import MiniLmEmbedder
from karma_memory.state.history import begin

pytest.importorskip("onnxruntime")
CUPBOARD = "Put the mug in the cupboard. It is the mug I like best."
TABLE = "Put the mug on the table. It is my favorite mug."


def told(number, text, user="ann"):
    return Event(f"e{number}", EventKind.TOLD, 10.0 + number, user=user, scene="flat", text=text)


def knowledge(memory, user="ann"):
    return [record.source for record in memory._state.profile._records(user)]


def test_knowledge_told_again_in_other_words_takes_the_place_of_the_older(store):
    with store.memory(embedder="minilm") as memory:
        memory.remember([told(1, TABLE), told(2, TABLE, user="bob"), told(3, "The alarm clock is my favorite.")])
        memory.remember([told(4, CUPBOARD), told(5, "The wall clock is my favorite.")])
        eventually(lambda: "e1" not in knowledge(memory) and not memory._retelling.waiting)
        assert knowledge(memory) == ["e3", "e4", "e5"]
        assert knowledge(memory, "bob") == ["e2"]
        assert memory.record("told:e1") is not None  # what was said was said
        lived = dumps(memory._state.snapshot())
        last = memory.last_sequence
    with store.journal() as journal:
        state = begin(None)
        for entry in journal.read(0, last):
            state.apply(entry.event)
    assert dumps(state.profile.snapshot()) in lived
    with store.memory(embedder="lexical") as memory:
        assert knowledge(memory) == ["e3", "e4", "e5"]


def test_a_model_that_fails_changes_nothing(store, monkeypatch, caplog):
    def fail(self, texts):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(MiniLmEmbedder, "embed", fail)
    with store.memory(embedder="minilm") as memory:
        memory.remember([told(1, TABLE)])
        memory.remember([told(2, CUPBOARD)])
        eventually(lambda: memory._worker.remark)
        assert knowledge(memory) == ["e1", "e2"]
