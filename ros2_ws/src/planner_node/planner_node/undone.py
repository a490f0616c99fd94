# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What was left undone, answered from the episodes that the memory keeps, those before a restart, too."""

from __future__ import annotations

import re
from dataclasses import dataclass

from planner_node.answering import Reply
from planner_node.memory import MemoryClient, MemoryRefused, MemoryUnavailable, Recollection
from planner_node.skills import Code

EPISODES = "episodic"
"""The kind of memory that keeps instructions and what came of them."""
_LOOKED_AT = 50
"""Newest episodes that are looked at."""
_SAID = 5
"""Most instructions that an answer names."""
_ASKS = re.compile(
    r"\W*(?:(?:please|hey|hi|hello|ok|okay|karma|robot|so|and|well|now)\b\W*)*(?:(?:can you |could you )?tell me )?"
    r"(?:what (?:(?:did|have) (?:you|we) (?:leave|left|not (?:do|done|finish|finished|get done|complete|completed))"
    r"(?: undone| unfinished| open| over| to do)?"
    r"|didn't you (?:do|finish|get done|complete)|haven't you (?:done|finished|completed)"
    r"|(?:is|was)(?: still)? (?:left|open|undone|unfinished|not done|to be done|to do|left to do|left undone)"
    r"|(?:is|was|were) left undone|remains(?: undone| to be done| to do)?)"
    r"|is (?:anything|something) (?:still )?(?:left|left undone|undone|unfinished|left to do)"
    r"|did you (?:finish|do|complete) everything|are you done with everything)"
    r"(?: yet| so far| today| before| earlier| last time| of (?:that|it|my instructions?))?\W*$",
    re.IGNORECASE,
)
_EPISODE = re.compile(
    r'"(?P<text>.*)": (?P<code>[a-z ]+)(?:, done: (?P<done>.*?)(?: \| not done: (?P<left>.*))?)?', re.DOTALL
)
_UNFINISHED, _SUCCESS, _UNWANTED = "not finished", "success", "not as wanted"
_NOTHING = "nothing"


@dataclass(frozen=True)
class ToldEpisode:
    """An episode as the memory tells of it."""

    text: str
    """The instruction."""
    finished: bool
    succeeded: bool = False
    unwanted: bool = False
    """Whether all was done, and a person said that it was wrong."""
    done: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def undone(text: str, memory: MemoryClient, user: str, scene: str) -> Reply | None:
    """Return what was left undone of a user's instructions, and not done since; None where nobody asks for that."""
    if not _ASKS.match(text):
        return None
    try:
        found = memory.recall("", user, scene, limit=_LOOKED_AT, kinds=(EPISODES,)).recollections
    except (MemoryUnavailable, MemoryRefused) as error:
        return Reply(Code.UNAVAILABLE, f"I can't look it up: {error}")
    done: set[str] = set()
    said: list[tuple[str, Recollection]] = []
    for recollection in sorted(found, key=lambda one: -one.valid_from):
        episode = read_episode(recollection.text) if recollection.kind == EPISODES else None
        if episode is None:
            continue
        left = [goal for goal in episode.left if goal not in done]
        if left:
            said.append((f"{'; '.join(left)} (of “{episode.text}”)", recollection))
        elif not episode.finished and episode.text not in done:
            said.append((f"“{episode.text}”, which I never finished", recollection))
        done |= {*episode.done, *episode.left, episode.text}
    if not said:
        return Reply(Code.SUCCESS, "Nothing that I know of: I left nothing undone.")
    more = f" And {len(said) - _SAID} more." if len(said) > _SAID else ""
    listed = "; ".join(one for one, _ in said[:_SAID])
    return Reply(Code.SUCCESS, f"I left undone: {listed}.{more}", {r.id: r for _, r in said[:_SAID]})


def read_episode(text: str) -> ToldEpisode | None:
    """Return what the memory says of an episode (karma_memory/episodic), None for what does not look like that."""
    match = _EPISODE.fullmatch(text)
    if match is None:
        return None
    done = tuple(goal for goal in (match["done"] or "").split("; ") if goal and goal != _NOTHING)
    left = tuple(goal for goal in (match["left"] or "").split("; ") if goal)
    code = match["code"]
    return ToldEpisode(match["text"], code != _UNFINISHED, code == _SUCCESS, code == _UNWANTED, done, left)
