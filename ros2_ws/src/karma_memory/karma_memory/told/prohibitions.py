# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is forbidden at home, as a projection: it binds everybody, and does not say who told it, nor in which words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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
    said = _parts(user)
    return bool(said) and any(said <= _parts(name) or _parts(name) <= said for name in names)


def _texts(rules: Iterable[Rule]) -> Iterator[tuple[Rule, int, str]]:
    """Yield each thing that is not to be done, with its rule and its number in the words that said it."""
    numbers: Counter[str] = Counter()
    for rule in rules:
        for text in rule.never:
            yield rule, numbers[rule.id], text
            numbers[rule.id] += 1


def _parts(name: str) -> set[str]:
    return {*"".join(letter if letter.isalpha() else " " for letter in name.casefold()).split()}


class RuleMemory(Understanding):
    """Prohibitions of all users. They end with the words that told them; those of a guest bind nobody else."""

    kind = KIND

    def __init__(self, consents: Consents, household: Household) -> None:
        self._consents = consents
        self._household = household
        self._rules: dict[str, tuple[Rule, ...]] = {}
        """Id of the event with the words → what they forbid, each for whom it binds."""

    def observe(self, event: Event) -> None:
        """Take in what is forgotten or said otherwise."""
        kind, _, source = event.target.partition(":")
        if event.kind is EventKind.EDIT and kind == KIND:
            self._rules.pop(source, None)

    def hear(self, words: Event, told: Sequence[Told]) -> None:
        """Take in what words forbid."""
        rules: dict[tuple[tuple[str, ...], tuple[str, ...]], Rule] = {}
        for one in (one for one in told if one.kind is Telling.PROHIBITION):
            whom = () if one.of == ("me",) else one.of
            but = tuple(words.user.casefold() if name == "me" else name for name in one.but)
            rule = rules.get(
                (whom, but), Rule(words.id, words.user, (), words.stamp, whom, but, end_of(one.until) or 0.0)
            )
            rules[whom, but] = replace(rule, never=(*rule.never, *one.value))
        if rules:
            self._rules[words.id] = tuple(rules.values())

    def unhear(self, words: Event) -> None:
        """Take back what words forbid: they are read anew."""
        self._rules.pop(words.id, None)

    def recall(self, query: Query, search: Search) -> Iterable[Match]:
        """Return what is forbidden: by who asks, with its source; by others, as nobody's: what they told is theirs."""
        by_user: dict[str, list[Rule]] = {}
        for rules in self._rules.values():
            by_user.setdefault(rules[0].user, []).extend(rules)
        binding = {
            user: rules
            for user, rules in by_user.items()
            if user == query.user or (self._household.counts(user) and self._consents.agrees(user, unless_asked=True))
        }
        return [
            Match(Record(f"{record_id(rule.id)}#{number}", KIND, text, text, source, rule.since), 1.0, _WHY)
            for user, rules in binding.items()
            for rule, number, text in _texts(rules[-MOST_OF_ONE:])
            if rule.binds(query.user, query.at or query.now or 0.0)
            for source in [rule.id if user == query.user else ""]
        ]

    def records(self) -> list[Record]:
        """Return all that is kept, each as its user's."""
        return [
            Record(record_id(name), KIND, text, text, name, rules[0].since, user=rules[0].user)
            for name, rules in self._rules.items()
            for text in ["; ".join(never for rule in rules for never in rule.never)]
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
        return {"rules": [rule for rules in self._rules.values() for rule in rules]}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        for item in state["rules"]:
            several = {name: tuple(value) for name, value in item.items() if isinstance(value, list)}
            self._rules[item["id"]] = (*self._rules.get(item["id"], ()), Rule(**{**item, **several}))


def record_id(source: str) -> str:
    """Return the id of the recollection of what words forbid."""
    return f"{KIND}:{source}"
