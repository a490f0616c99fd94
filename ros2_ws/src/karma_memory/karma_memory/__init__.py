# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot remembers: an event journal, long-term and short-term memory, and one recall over all of them."""

from karma_memory.events import Code, Event, EventKind, Image, SkillCall, SkillOutcome, SkillTarget
from karma_memory.journal import (
    CorruptJournalError,
    DuplicateEventError,
    Journal,
    JournalError,
    JournalFullError,
    JournalLockedError,
    NewerSchemaError,
    salvage,
)
from karma_memory.memory import BusyError, Memory, Remembered, Stats, UnknownRecordError
from karma_memory.projection import EditError
from karma_memory.recall.embedder import EmbedderError
from karma_memory.recall.query import Answer, Query, Recollection, Record
from karma_memory.scene import Edge, InvalidEventError, Layer, Node, Relation
from karma_memory.scene_graph.graph import SceneGraph
from karma_memory.short_term.policy import PolicySettings
from karma_memory.short_term.unit import MemoryUnit

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
    "Image",
    "InvalidEventError",
    "Journal",
    "JournalError",
    "JournalFullError",
    "JournalLockedError",
    "Layer",
    "Memory",
    "MemoryUnit",
    "NewerSchemaError",
    "Node",
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
    "salvage",
]
