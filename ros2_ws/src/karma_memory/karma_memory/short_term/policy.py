# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a replacement policy is, its settings, and the table of policies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from karma_memory.short_term.adaptive import AdaptiveWTinyLfu
from karma_memory.short_term.fifo import Fifo, FifoMerge
from karma_memory.short_term.lfu import Lfu
from karma_memory.short_term.lru import Lru
from karma_memory.short_term.segments import PROTECTED_SHARE
from karma_memory.short_term.tinylfu import WTinyLfu

MAX_CAPACITY = 100_000
POLICIES = ("fifo", "fifo_merge", "lru", "lfu", "w_tinylfu", "w_tinylfu_karma", "w_tinylfu_adaptive")
"""Names of the policies. With w_tinylfu_karma, the paper's, victims are chosen among all units in window and probation;
w_tinylfu_adaptive sizes its window itself."""


class ReplacementPolicy(Protocol):
    """Decides which keys stay in a memory of `capacity` slots. Holds keys only, not what they stand for."""

    capacity: int

    @property
    def window_size(self) -> int:
        """Keys that the window holds at most, now; 0 without one."""

    def admit(self, key: str) -> list[str]:
        """Put `key` in, or count its use when it is in; return the keys that had to go."""

    def touch(self, key: str) -> None:
        """Count a use of `key`, which is in."""

    def remove(self, key: str) -> None:
        """Take `key` out, if it is in."""

    def load(self, keys: Iterable[str]) -> list[str]:
        """Fill an empty policy with keys, first to go first, without counting a use; return those that don't fit."""

    def order(self) -> list[str]:
        """Return the keys, first to go first."""

    def segment(self, key: str) -> str:
        """Return the segment in which `key` is, "" when it is not in."""

    def frequency(self, key: str) -> int:
        """Return how many uses of `key` count when it is decided who goes; 0 where none do."""

    def __len__(self) -> int:
        """Return the number of slots in use."""

    def snapshot(self) -> dict[str, Any]:
        """Return the state as JSON."""

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the state of a policy with the same settings."""


@dataclass(frozen=True)
class PolicySettings:
    """Which policy, and its sizes.

    The paper has "w_tinylfu_karma" with a window of 9 of 10 units. On MEMENTO's household accesses the adaptive window
    hits 5 to 11 points more often at 8 to 32 units (`./karma bench cache`), so it is the default.
    """

    policy: str = "w_tinylfu_adaptive"
    capacity: int = 10
    """Memory units; the paper's experiments use 10."""
    window: float = 0.9
    """Share of the capacity that is W-TinyLFU's window; the paper's best is 9 of 10. Others ignore it."""
    protected: float = PROTECTED_SHARE
    """Share of what is not in the window that is W-TinyLFU's protected segment. Others ignore it."""

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise ValueError(f"policy must be one of {', '.join(POLICIES)}; got {self.policy!r}")
        if isinstance(self.capacity, bool) or not isinstance(self.capacity, int):
            raise ValueError(f"capacity must be a whole number, got {self.capacity!r}")  # noqa: TRY004 - a setting
        if not 1 <= self.capacity <= MAX_CAPACITY:
            raise ValueError(f"capacity must be between 1 and {MAX_CAPACITY}, got {self.capacity}")
        if not 0.0 < self.window <= 1.0:
            raise ValueError(f"window must be a share between 0 and 1, got {self.window}")
        if not 0.0 <= self.protected <= 1.0:
            raise ValueError(f"protected must be a share between 0 and 1, got {self.protected}")


def make_policy(settings: PolicySettings) -> ReplacementPolicy:
    """Return an empty policy."""
    match settings.policy:
        case "fifo":
            return Fifo(settings.capacity)
        case "fifo_merge":
            return FifoMerge(settings.capacity)
        case "lru":
            return Lru(settings.capacity)
        case "lfu":
            return Lfu(settings.capacity)
        case "w_tinylfu_adaptive":
            return AdaptiveWTinyLfu(settings.capacity, settings.protected)
        case _:
            compare_all = settings.policy == "w_tinylfu_karma"
            return WTinyLfu(settings.capacity, settings.window, settings.protected, compare_all=compare_all)


def exchange(old: ReplacementPolicy, settings: PolicySettings) -> tuple[ReplacementPolicy, list[str]]:
    """Return a policy with other settings that holds what `old` holds, and the keys that no longer fit.

    What is known of how often keys were used lately goes along between the kinds of W-TinyLFU.
    """
    new = make_policy(settings)
    keys = old.order()
    if isinstance(old, WTinyLfu | AdaptiveWTinyLfu) and isinstance(new, WTinyLfu | AdaptiveWTinyLfu):
        new.sketch.inherit(old.sketch, keys)
    return new, new.load(keys)
