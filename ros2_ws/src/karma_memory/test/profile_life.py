# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people tell, and the profile memory that has lived through it."""

from heard import live

from karma_memory import Event
from karma_memory.profile.projected import ProfileMemory
from karma_memory.recall.index import HybridIndex


def event(number, kind, text, user="ada", target=""):
    return Event(
        f"e{number}", kind, float(number), user=user, scene="flat", episode=f"t{number}", text=text, target=target
    )


def lived(*events):
    memory = ProfileMemory(HybridIndex())
    for one in events:
        live(memory, one)
    return memory


def records(memory):
    return dict(memory._index.records)


def texts(memory):
    return {key: record.text for key, record in records(memory).items()}
