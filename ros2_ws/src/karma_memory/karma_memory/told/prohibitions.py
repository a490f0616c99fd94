# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is forbidden at home, as a projection: it binds everybody, and does not say who told it, nor in which words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from karma_language.reading import Telling, Told
from karma_memory.events import Event, EventKind
from karma_memory.facts.moments import end_of
from karma_memory.privacy.consent import Consents
from karma_memory.privacy.household import Household
from karma_memory.projection import EditError, Understanding
from karma_memory.recall.index import Match, Search
from karma_memory.recall.query import Query, Record

KIND = "rule"
_WHY = "forbidden"
MOST_OF_ONE = 50
"""Of one user's prohibitions, those that bind others: the last ones."""


@dataclass(frozen=True)
class Rule:
    """What somebody's words forbid."""

    id: str
    """Id of the event that said them."""
    user: str
    never: tuple[str, ...]
    """What is not to be done, in plain words: "use the good plates"."""
    since: float
    """Seconds, the robot's clock."""
    whom: tuple[str, ...] = ()
    """The users whom alone it binds, by name in lower case; empty: everybody."""
    but: tuple[str, ...] = ()
    """The users whom it does not bind."""
    until: float = 0.0
    """When it ends by itself, seconds; 0: never."""

    def binds(self, user: str, now: float) -> bool:
        """Whether it binds a user, and not only did until then (seconds)."""
        bound = not _is_one_of(user, self.but) and (not self.whom or _is_one_of(user, self.whom))
        return bound and not 0.0 < self.until <= now


def _is_one_of(user: str, names: Iterable[str]) -> bool:
    """Whether a user is one of those with some names: "okafor" is "mrs okafor"."""
    said = {*user.casefold().split()}
    return bool(said) and any(said <= {*name.split()} or {*name.split()} <= said for name in names)


class RuleMemory(Understanding):
    """Prohibitions of all users. They end with the words that told them; those of a guest bind nobody else."""

    kind = KIND

    def __init__(self, consents: Consents, household: Household) -> None:
        self._consents = consents
        self._household = household
        self._rules: dict[str, Rule] = {}

    def observe(self, event: Event) -> None:
        """Take in what is forgotten or said otherwise."""
        kind, _, source = event.target.partition(":")
        if event.kind is EventKind.EDIT and kind == KIND:
            self._rules.pop(source, None)

    def hear(self, words: Event, told: Sequence[Told]) -> None:
        """Take in what words forbid."""
        forbidden = [one for one in told if one.kind is Telling.PROHIBITION]
        never = tuple(value for one in forbidden for value in one.value)
        everybody = any(one.of == ("me",) for one in forbidden)
        whom = () if everybody else tuple(dict.fromkeys(name for one in forbidden for name in one.of))
        if never:
            but = tuple(words.user.casefold() if name == "me" else name for one in forbidden for name in one.but)
            ends = (end_of(one.until) for one in forbidden)
            until = next(filter(None, ends), 0.0)
            self._rules[words.id] = Rule(words.id, words.user, never, words.stamp, whom, but, until)

    def unhear(self, words: Event) -> None:
        """Take back what words forbid: they are read anew."""
        self._rules.pop(words.id, None)

    def recall(self, query: Query, search: Search) -> Iterable[Match]:
        """Return what is forbidden: by who asks, with its source; by others, as nobody's: what they told is theirs."""
        by_user: dict[str, list[Rule]] = {}
        for rule in self._rules.values():
            by_user.setdefault(rule.user, []).append(rule)
        binding = {
            user: rules
            for user, rules in by_user.items()
            if user == query.user or (self._household.counts(user) and self._consents.agrees(user, unless_asked=True))
        }
        return [
            Match(Record(f"{record_id(rule.id)}#{number}", KIND, text, text, source, rule.since), 1.0, _WHY)
            for user, rules in binding.items()
            for rule in rules[-MOST_OF_ONE:]
            if rule.binds(query.user, query.at or query.now or 0.0)
            for source in [rule.id if user == query.user else ""]
            for number, text in enumerate(rule.never)
        ]

    def records(self) -> list[Record]:
        """Return all that is kept, each as its user's."""
        return [
            Record(record_id(rule.id), KIND, (text := "; ".join(rule.never)), text, rule.id, rule.since, user=rule.user)
            for rule in self._rules.values()
        ]

    def check_told(self, text: str, told: Sequence[Told]) -> None:
        """Refuse a text that forbids nothing. EditError."""
        if not any(one.kind is Telling.PROHIBITION for one in told):
            raise EditError(f"{text!r} forbids nothing; say it like 'nobody uses the good plates'")

    def resting_on(self, source: str) -> list[str]:
        """Return the ids of the records that rest on an event; see Personal."""
        return [record_id(source)] if source in self._rules else []

    def snapshot(self) -> dict[str, Any]:
        """Return the state; see Projection."""
        return {"rules": list(self._rules.values())}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        for item in state["rules"]:
            several = {name: tuple(value) for name, value in item.items() if isinstance(value, list)}
            self._rules[item["id"]] = Rule(**{**item, **several})


def record_id(source: str) -> str:
    """Return the id of the recollection of what words forbid."""
    return f"{KIND}:{source}"
