# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How good a guideline is (BrainMem, appendix B.3): counts, confidence, utility, decay; and which ones are kept.

    confidence = successes / uses        usage = min(successes / 10, 1)
    utility = (0.7 confidence + 0.3 usage) · DECAY^(episodes since it last counted)

An episode counts once for a guideline: where it taught it, or was guided by it. What a language model makes of one that
failed counts for nothing until something comes of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

from karma_memory.encoding import from_json, to_json
from karma_memory.events import SkillCall
from karma_memory.guideline import Advice, Guideline

CONFIDENCE_WEIGHT, USAGE_WEIGHT = 0.7, 0.3
FULL_USAGE = 10
"""Successes that make the usage term 1."""
DECAY = 0.995
"""Of the utility, for every episode of the robot in which a guideline did not count: a half after 138."""
MOST = 20
"""M: guidelines of one owner that stay when there are too many; meanings of words are counted by themselves."""
SOFT_LIMIT = 1.5
"""There are too many when there are more than that times MOST."""
SURE, OFTEN = 0.8, 5
"""Confidence and successes from which on a guideline is protected from pruning."""
KEPT_EPISODES = 50
"""Last episodes of a guideline whose count changes when a person says later whether they went well."""


class Outcome(IntEnum):
    """What an episode says of a guideline."""

    FAILED = 0
    SUCCEEDED = 1
    SHOWN = 2
    """It worked within the episode, however that ended."""
    TAUGHT = 3
    """Nothing yet: it is what a language model made of the episode, which failed."""


_WELL = (Outcome.SUCCEEDED, Outcome.SHOWN)


@dataclass(frozen=True)
class Entry:
    """A guideline and what is counted of it."""

    id: str
    guideline: Guideline
    """Without its figures; see `stated`."""
    personal: bool
    """Whether it holds words of those who taught it: it is theirs, unless several did."""
    teachers: tuple[str, ...]
    """Users whose episodes taught it, sorted; "" for nobody in particular."""
    source: str
    """Id of the event that it was first made of."""
    since: float
    """When, seconds."""
    episodes: dict[str, Outcome] = field(default_factory=dict)
    """The last ones that counted."""
    older_successes: int = 0
    older_uses: int = 0
    last: int = 0
    """Number of the last episode that counted."""
    guest: bool = False
    """Whether a guest taught it: it is theirs, whoever else is taught the same."""

    @property
    def owner(self) -> str:
        """Whose it is, "" where it is everybody's."""
        return self.teachers[0] if self.personal and len(self.teachers) == 1 else ""

    @property
    def nobodys(self) -> bool:
        """Whether it holds words that only nobody in particular taught: they guide nobody who is named."""
        return self.personal and self.teachers == ("",)

    @property
    def successes(self) -> int:
        """Episodes that went well."""
        return self.older_successes + sum(outcome in _WELL for outcome in self.episodes.values())

    @property
    def uses(self) -> int:
        """Episodes that counted."""
        return self.older_uses + sum(outcome is not Outcome.TAUGHT for outcome in self.episodes.values())

    @property
    def confidence(self) -> float:
        """Share of successes, 0 for what never counted."""
        return self.successes / self.uses if self.uses else 0.0

    @property
    def protected(self) -> bool:
        """Whether it is not pruned."""
        return self.confidence >= SURE and self.successes >= OFTEN

    def utility(self, now: int) -> float:
        """Return the utility after `now` episodes, 0..1."""
        lately = CONFIDENCE_WEIGHT * self.confidence + USAGE_WEIGHT * min(self.successes / FULL_USAGE, 1.0)
        return float(lately * DECAY ** max(0, now - self.last))

    def counted(self, episode: str, outcome: Outcome, now: int) -> Entry:
        """Return the entry with what an episode says of it; what was shown within one, or taught by it, stays so."""
        known = self.episodes.get(episode)
        if known in (Outcome.SHOWN, Outcome.TAUGHT) or (known is not None and outcome is Outcome.TAUGHT):
            return self
        episodes = {**self.episodes, episode: outcome}
        older = replace(self, episodes=episodes, last=max(self.last, now))
        if len(episodes) > KEPT_EPISODES:
            first = next(iter(episodes))
            gone = episodes.pop(first)
            older = replace(
                older,
                older_successes=self.older_successes + (gone in _WELL),
                older_uses=self.older_uses + (gone is not Outcome.TAUGHT),
            )
        return older

    def stated(self, now: int) -> Guideline:
        """Return the guideline with its figures after `now` episodes."""
        return replace(
            self.guideline,
            confidence=self.confidence,
            successes=self.successes,
            uses=self.uses,
            utility=self.utility(now),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the entry as a JSON object."""
        said = {name: value for name, value in vars(self.guideline).items() if value}
        said["advice"] = self.guideline.advice.value
        if self.guideline.steps:
            said["steps"] = to_json(self.guideline.steps)
        episodes = [[episode, int(outcome)] for episode, outcome in self.episodes.items()]
        mine = {name: value for name, value in vars(self).items() if name != "guest" or value}
        return {**mine, "guideline": said, "episodes": episodes}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Entry:
        """Return the entry of a JSON object."""
        said = dict(data["guideline"])
        said["advice"] = Advice(said["advice"])
        said["steps"] = tuple(from_json(SkillCall, step) for step in said.get("steps", ()))
        said["task_types"] = tuple(said.get("task_types", ()))
        episodes = {episode: Outcome(outcome) for episode, outcome in data["episodes"]}
        fields = {**data, "guideline": Guideline(**said), "teachers": tuple(data["teachers"]), "episodes": episodes}
        return cls(**fields)


def pruned(entries: Iterable[Entry], now: int) -> list[str]:
    """Return the ids of the entries of one owner that have to go: the least useful, but never a protected one.

    None goes until there are more than SOFT_LIMIT · MOST; then as many go as leaves MOST.
    """
    all_of_them = list(entries)
    if len(all_of_them) <= SOFT_LIMIT * MOST:
        return []
    free = [entry for entry in all_of_them if not entry.protected]
    ranked = sorted(free, key=lambda entry: (entry.utility(now), entry.last, entry.since, entry.id))
    return [entry.id for entry in ranked[: len(all_of_them) - MOST]]
