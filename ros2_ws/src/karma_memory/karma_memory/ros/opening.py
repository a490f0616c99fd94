# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the memory server makes of its parameters: the memory, short-term memory's settings, the language model."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from karma_language.models import Limits, Model
from karma_memory.journal import JournalError
from karma_memory.memory import Memory
from karma_memory.parameters import names_in
from karma_memory.recall.embedder import EmbedderError
from karma_memory.short_term.policy import PolicySettings
from karma_memory.state.reflecting import Think

Value = Callable[[str], Any]
"""Returns the value of a parameter."""
OPENING_ERRORS = (JournalError, EmbedderError, ValueError, OSError, sqlite3.Error)
"""Why a memory can't be opened."""
SETTINGS = tuple(field.name for field in fields(PolicySettings))
"""Parameters that are those of short-term memory."""


def open_memory(value: Value, *, verify: bool, clock: Callable[[], float], think: Think | None) -> Memory:
    """Open the memory that the parameters name. OPENING_ERRORS."""
    return Memory(
        value("database"),
        folder=value("folder") or None,
        **vars(settings(value)),
        embedder=value("embedder"),
        image_bytes=value("image_bytes"),
        verify=verify,
        assume_consent=value("assume_consent"),
        household=names_in(value("household")),
        clock=clock,
        think=think,
    )


def settings(value: Value, changes: Mapping[str, Any] = MappingProxyType({})) -> PolicySettings:
    """Return short-term memory's settings; `changes`: values that are to be instead."""
    return PolicySettings(**{name: changes.get(name, value(name)) for name in SETTINGS})


def language_model(value: Value) -> Model | None:
    """Return the language model, None where the rules are all. ValueError for a bad URL."""
    if (model := value("llm")) == "offline":
        return None
    timeout = value("llm_timeout")
    return Model(model, url=value("llm_url"), limits=Limits(timeout, timeout))
