# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot's skills need of ROS, so that they can be tried without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import Observation
from sim_bridge.robot.calls import Call
from sim_bridge.robot.perceived import Perceived
from sim_bridge.robot.table import Camera


class Ending(Enum):
    """How a server ended a call."""

    DONE = "done"
    ABORTED = "aborted"
    CANCELED = "canceled"
    REJECTED = "rejected"
    """The goal was not accepted."""


@dataclass(frozen=True)
class Answer:
    """What a server answered."""

    ending: Ending
    field: Callable[[str], Any] = lambda path: None
    """Value of a field of the result, by its path; None where there is none."""


class Heard(NamedTuple):
    """A field of the last message of a topic."""

    value: Any
    age: float
    """Seconds since the message came."""
    stamp: float | None = None
    """Of its header, in seconds; None where it has none, or an empty one."""
    underway: float | None = None
    """Seconds from its stamp until it came, by the clock of the stamps; without a stamp, from when it was sent, as the
    middleware tells. Negative where the sender's clock is ahead; None where nothing is known of it."""


class Said(NamedTuple):
    """What a publisher of a topic said last."""

    node: str
    """The publisher's, with its namespace; empty where that is not known."""
    heard: Heard | None
    """None where nothing was heard of it."""
    why: str = ""
    """Why what was heard, if anything was, can't be taken for what it says now; empty where it can."""


class Pending(Protocol):
    """A call that has been sent."""

    def poll(self, wait: float) -> Answer | None:
        """Return the answer, waiting for it so many seconds at most."""

    @property
    def alive(self) -> bool:
        """Whether its server is still there."""

    @property
    def silence(self) -> float:
        """Seconds since something was heard of it."""

    @property
    def accepted(self) -> bool:
        """Whether its server has said that it takes it, where servers say so (actions)."""

    def cancel(self, wait: float) -> bool:
        """Have it stopped, and wait so many seconds at most; return whether it has ended.

        A request of a service can't be taken back: its answer is no longer waited for.
        """


class Interfaces(Protocol):
    """The robot's topics, services and actions."""

    def ready(self, call: Call) -> bool:
        """Whether somebody is there to take a call."""

    def begin(self, call: Call, request: Mapping[str, Any]) -> Pending:
        """Send a call. ValueError where the request does not fit its type."""

    def cancel_all(self, call: Call) -> Callable[[float], int | None]:
        """Ask an action's server to cancel all its goals, whoever sent them.

        What is returned waits so many seconds at most, and returns how many goals the server cancels; None where it
        has not said.
        """

    def latest(self, topic: str, field: str) -> Heard | None:
        """Return a field of the last message of a topic of the table; None where there is none.

        What a publisher said that is gone counts no more.
        """

    def said(self, topic: str, field: str) -> Sequence[Said]:
        """Return what each publisher that is there now said last on a topic of the table."""

    def why_silent(self, topic: str) -> str:
        """Return why nothing can be heard on a topic of the table; empty where a publisher is there that can be."""

    def transform(self, parent: str, child: str) -> tuple[NDArray[np.float64], tuple[Heard, ...]] | None:
        """Return the (4, 4) pose of one frame in another, and for each step how it was heard; None if unknown.

        The value of a step is the name of its frame.
        """

    def perceived(self) -> Perceived:
        """Return perception's map, which goes on changing."""

    def now(self) -> float:
        """Return the time in seconds, by the clock of the stamps."""

    def picture(self, camera: Camera) -> Observation:
        """Return what the camera shows (the poses are the caller's to fill in).

        RefusedError when no picture and depth of one stamp came in time, ValueError for encodings that are not known.
        """

    def close(self) -> None:
        """Let go of everything."""
