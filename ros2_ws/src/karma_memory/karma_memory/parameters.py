# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the memory server: name, default, range, meaning."""

from __future__ import annotations

import re

from karma_memory.event_memory import IMAGE_BYTES
from karma_memory.recall.query import MAX_LIMIT, MAX_TOKENS
from karma_memory.short_term.policy import MAX_CAPACITY, POLICIES
from karma_memory.short_term.segments import PROTECTED_SHARE
from karma_ros.parameters import Effect, Parameter

_NAMESPACE = re.compile(r"[A-Za-z][A-Za-z0-9_]*(/[A-Za-z][A-Za-z0-9_]*)*")
_PASSWORD = re.compile(r"postgres(?:ql)?://(?:[^/@?]*:[^/@?]+@|.*[?&]password=)")


def robot_names(text: str) -> list[str]:
    """Return the namespaces in the value of the parameter `robots`, without outer slashes. ValueError for others."""
    names = [name.strip().strip("/") for name in text.split(",") if name.strip()]
    for name in names:
        if not _NAMESPACE.fullmatch(name):
            raise ValueError(f"{name!r} is no ROS namespace; separate namespaces by commas, as in robot1, robot2")
    return names


def _kept_somewhere(database: str) -> None:
    """ValueError for a database that is none, or in memory, or that tells a password to all on the graph."""
    if database in ("", ":memory:"):
        raise ValueError("this would lose everything with the process: name a file")
    if _PASSWORD.match(database):
        raise ValueError("whoever is on the graph reads parameters: put the password into ~/.pgpass")


def names_in(text: str) -> list[str]:
    """Return the names in a list that is separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


PARAMETERS = (
    Parameter(
        "database",
        "~/.karma/memory.sqlite3",
        "The journal: an SQLite file, made when it doesn't exist, with snapshots and vectors beside it; or "
        "postgresql://USER@HOST/DATABASE, which several memory servers may share (passwords: ~/.pgpass).",
        check=_kept_somewhere,
    ),
    Parameter(
        "folder",
        "",
        "Folder of snapshots and vectors where the journal is in PostgreSQL; empty: ~/.karma/ and the journal's uuid.",
    ),
    Parameter(
        "verify",
        True,
        "Check every row of the journal at the start; costs about a second per million events.",
    ),
    Parameter(
        "embedder",
        "auto",
        "Embedding model: auto (all-MiniLM-L6-v2 where its packages are installed, else lexical), minilm, lexical, "
        "or the name or path of a sentence-transformers model.",
    ),
    Parameter("capacity", 10, "Memory units of short-term memory.", 1, MAX_CAPACITY, effect=Effect.AT_ONCE),
    Parameter(
        "policy",
        "w_tinylfu_adaptive",
        "Replacement policy of short-term memory; KARMA's paper: w_tinylfu_karma with capacity 10 and window 0.9.",
        choices=POLICIES,
        effect=Effect.AT_ONCE,
    ),
    Parameter(
        "window",
        0.9,
        "Share of the capacity that is the window of w_tinylfu and w_tinylfu_karma.",
        0.01,
        1.0,
        effect=Effect.AT_ONCE,
    ),
    Parameter(
        "protected",
        PROTECTED_SHARE,
        "Share of what is not in the window that w_tinylfu, w_tinylfu_karma and w_tinylfu_adaptive protect: what was "
        "used there again.",
        0.0,
        1.0,
        effect=Effect.AT_ONCE,
    ),
    Parameter(
        "robots",
        "",
        "Namespaces of other robots whose scene graphs are remembered here, too, separated by commas. Their nodes use "
        "this server by remapping memory/* to its names.",
        check=robot_names,
    ),
    Parameter(
        "limit",
        10,
        "Most recollections of an answer where the request doesn't say.",
        1,
        MAX_LIMIT,
        effect=Effect.AT_ONCE,
    ),
    Parameter(
        "token_budget",
        1000,
        "Tokens of the prompt where the request doesn't say.",
        1,
        MAX_TOKENS,
        effect=Effect.AT_ONCE,
    ),
    Parameter(
        "refresh_period",
        60.0,
        "Seconds after which a movable object that is still where it was is journaled again.",
        0.0,
        86_400.0,
    ),
    Parameter(
        "snapshot_period",
        300.0,
        "Seconds between snapshots, which make the next start fast; 0 writes them only when the node stops.",
        0.0,
        86_400.0,
    ),
    Parameter(
        "past_period",
        0.0,
        "Seconds for which the past stays known: older observations that nothing rests on lose their content, and "
        "questions about an earlier time are refused. What people said and episodes stay. 0 keeps everything.",
        0.0,
        1e10,
    ),
    Parameter(
        "picture_period",
        0.0,
        "Seconds for which pictures are kept that nothing names again; looked at every hour. 0 keeps them until there "
        "are more than image_bytes.",
        0.0,
        1e10,
    ),
    Parameter(
        "assume_consent",
        True,
        "Whether what concerns a user is kept unless that user said otherwise (memory/set_consent).",
    ),
    Parameter(
        "household",
        "",
        "Users who live here, separated by commas: what others forbid and teach, and what their tasks taught, binds "
        "nobody else. Empty: everybody counts alike.",
    ),
    Parameter(
        "llm",
        "offline",
        "Language model that reads what people tell where the rules don't, and thinks about each episode when it has "
        "ended, beside the rules that compare what failed with what then worked; offline: the rules alone.",
    ),
    Parameter(
        "llm_url",
        "http://127.0.0.1:11434",
        "URL of the model's server: Ollama, or one of OpenAI's protocol, which ends in /v1.",
    ),
    Parameter("llm_timeout", 120.0, "Seconds that the language model may take for an answer.", 1.0, 3600.0),
    Parameter(
        "image_bytes",
        IMAGE_BYTES,
        "Bytes of pictures that are kept; beyond that the least recently remembered go, those of memory units last.",
        0,
        1 << 50,
    ),
)
