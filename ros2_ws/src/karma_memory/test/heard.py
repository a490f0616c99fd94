# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One memory that lives through events and hears what their words come to, as all do behind a Memory."""

from dataclasses import replace

from waiting import eventually

from karma_memory.events import EventKind
from karma_memory.hearing.hearing import read, reading_event
from karma_memory.state.state import WORDS


def live(memory, event):
    """Let a memory observe an event, then hear its words."""
    record = memory._index.records.get(event.target) if event.kind is EventKind.EDIT else None
    memory.observe(event)
    words = event if record is None else replace(event, user=record.user, scene=record.scene)
    if words.user and words.text and (record is not None or words.kind in WORDS):
        memory.hear(words, told(words, memory))


def told(words, memory=None):
    """Return what words tell."""
    before = memory.asked_before(words) if hasattr(memory, "asked_before") else ""
    return read(words, before).told


def apply(state, event):
    """Let the state of all memories take in an event, and the reading of its words."""
    record = state.index.records.get(event.target) if event.kind is EventKind.EDIT else None
    state.apply(event)
    words = event if record is None else replace(event, user=record.user, scene=record.scene)
    if words.user and words.text and (record is not None or words.kind in WORDS):
        state.apply(reading_event(words, read(words, state.profile.asked_before(words))))


def read_all(state):
    """Let a state take in a reading of all its words that wait for one, as Hearing's thread does."""
    begun = {episode.source: episode.id for episode in state.episodic.episodes()}
    for name in list(state.unread):
        words = state.words(name, begun.get(name, ""))
        state.apply(reading_event(words, read(words, state.profile.asked_before(words))))


def wait_until_read(memory):
    """Wait for the thread of an open Memory that reads what came without a reading; some words take none."""
    eventually(lambda: memory._state.unread.keys() <= memory._hearing._unreadable)
