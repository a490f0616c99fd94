# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot remembers: an event journal, long-term and short-term memory, and one recall over all of them."""

from karma_memory.event_memory import EventMemory, Remembered, Stats, UnknownRecordError
from karma_memory.events import Code, Event, EventKind, Image, SkillCall, SkillOutcome, SkillTarget
from karma_memory.journal import (
    CorruptJournalError,
    DuplicateEventError,
    Journal,
    JournalConnectionError,
    JournalError,
    JournalFullError,
    JournalLockedError,
    NewerSchemaError,
    open_journal,
    salvage,
)
from karma_memory.journal.group_commit import BusyError
from karma_memory.memory import Memory
from karma_memory.projection import EditError
from karma_memory.recall.embedder import EmbedderError
from karma_memory.recall.query import Answer, Query, Recollection, Record
from karma_memory.scene import Edge, InvalidEventError, Layer, Node, Relation
from karma_memory.scene_graph.graph import SceneGraph
from karma_memory.short_term.policy import PolicySettings
from karma_memory.short_term.unit import MemoryUnit
from karma_memory.state.history import PastUnknownError

__all__ = [
    "Answer",
    "BusyError",
    "Code",
    "CorruptJournalError",
    "DuplicateEventError",
    "Edge",
    "EditError",
    "EmbedderError",
    "Event",
    "EventKind",
    "EventMemory",
    "Image",
    "InvalidEventError",
    "Journal",
    "JournalConnectionError",
    "JournalError",
    "JournalFullError",
    "JournalLockedError",
    "Layer",
    "Memory",
    "MemoryUnit",
    "NewerSchemaError",
    "Node",
    "PastUnknownError",
    "PolicySettings",
    "Query",
    "Recollection",
    "Record",
    "Relation",
    "Remembered",
    "SceneGraph",
    "SkillCall",
    "SkillOutcome",
    "SkillTarget",
    "Stats",
    "UnknownRecordError",
    "open_journal",
    "salvage",
]
