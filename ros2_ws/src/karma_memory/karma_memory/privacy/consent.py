# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What each user has agreed to: whether what concerns them is kept, and for how long."""

from __future__ import annotations

import json
import logging
import math
from dataclasses import dataclass
from typing import Any

from karma_memory.encoding import dumps
from karma_memory.events import Event, EventKind
from karma_memory.privacy.belongings import of_the_world
from karma_memory.scene import InvalidEventError, check_range

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Consent:
    """What a user has agreed to."""

    keep: bool
    retention: float = 0.0
    """Seconds after which what is kept of them is erased; 0: never."""

    def __post_init__(self) -> None:
        if not isinstance(self.keep, bool):
            raise InvalidEventError(f"keep must be true or false, got {self.keep!r}")
        object.__setattr__(self, "retention", check_range("retention", self.retention, 0.0, math.inf))

    def to_json(self) -> dict[str, Any]:
        """Return the consent as a JSON object."""
        return dict(vars(self))


class Consents:
    """The consents of all users: a function of the events of kind CONFIGURE that carry a user. Not thread-safe."""

    def __init__(self) -> None:
        self._consents: dict[str, Consent] = {}

    def of(self, user: str) -> Consent | None:
        """Return what a user said; None for one who said nothing."""
        return self._consents.get(user)

    def agrees(self, user: str, *, unless_asked: bool) -> bool:
        """Whether a user agrees; `unless_asked` is what counts for one who said nothing."""
        consent = self.of(user)
        return unless_asked if consent is None else consent.keep

    @property
    def all_agree(self) -> bool:
        """Whether nobody has said that what concerns them is not to be kept."""
        return all(consent.keep for consent in self._consents.values())

    def retentions(self) -> dict[str, float]:
        """Return the seconds for which each user's memories are kept, of those users who set a limit."""
        return {user: consent.retention for user, consent in self._consents.items() if consent.retention}

    def observe(self, event: Event) -> None:
        """Take in what a user agreed to. What is no consent changes nothing: the memory must open."""
        if event.kind is not EventKind.CONFIGURE or not event.user or event.target:
            return
        try:
            self._consents[event.user] = Consent(**json.loads(event.text))
        except (ValueError, TypeError, RecursionError) as error:
            logger.warning("event %s is no consent: %s", event.id, error)

    def kept(self, event: Event, *, unless_asked: bool) -> Event | None:
        """Return what of an event may be kept: all of it, what it says of the world, or nothing.

        `unless_asked`: whether what concerns a user who said nothing is kept.
        """
        if not event.user or self.agrees(event.user, unless_asked=unless_asked):
            return event
        return of_the_world(event, event.id)

    def snapshot(self) -> dict[str, Any]:
        """Return the state as JSON."""
        return {user: consent.to_json() for user, consent in self._consents.items()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        self._consents = {user: Consent(**item) for user, item in state.items()}


def consent_event(event_id: str, stamp: float, user: str, consent: Consent) -> Event:
    """Return the event by which a user's consent changes."""
    if not user:
        raise InvalidEventError("consent is a user's; name the user")
    return Event(event_id, EventKind.CONFIGURE, stamp, user=user, text=dumps(consent.to_json()))
