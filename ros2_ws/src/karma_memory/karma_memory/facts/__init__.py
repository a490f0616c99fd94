# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What users tell about themselves and their people, as an editable memory graph for each user (EMG-RAG)."""

from karma_memory.facts.answering import FactAnswer
from karma_memory.facts.applications import FactAgent, Reminder
from karma_memory.facts.edit import Edit, Operation
from karma_memory.facts.fact import Fact
from karma_memory.facts.graph import EditableMemoryGraph
from karma_memory.facts.memory import FactsMemory

__all__ = [
    "Edit",
    "EditableMemoryGraph",
    "Fact",
    "FactAgent",
    "FactAnswer",
    "FactsMemory",
    "Operation",
    "Reminder",
]
