# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's three applications, for a home: questions, forms, reminders (section 4.4)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from karma_language.told.facts.extraction import Question
from karma_language.told.facts.moments import spoken
from karma_language.told.facts.relations import TO_DO, by_noun, stem_set, value_kind
from karma_language.zone import local_time, local_zone
from karma_memory.facts.answering import FactAnswer, answer, other_readings
from karma_memory.facts.encoder import LexicalEncoder
from karma_memory.facts.fact import USER_NODE, Fact
from karma_memory.facts.graph import EditableMemoryGraph
from karma_memory.facts.policy import ThresholdPolicy
from karma_memory.facts.traversal import Retriever, Traversal

DAY = 86_400.0


@dataclass(frozen=True)
class Reminder:
    """Something to come."""

    when: str
    """"2026-05-12 01:40" or a day; "" for what can be done at any time."""
    what: str
    """"dentist appointment", "Anna: birthday"."""
    due: float
    """Seconds, the start of the day or the time; infinity for any time."""
    fact: Fact


class FactAgent:
    """Answers from one user's graph."""

    def __init__(self, graph: EditableMemoryGraph) -> None:
        self.graph = graph
        self._encoder = LexicalEncoder()
        self._policy = ThresholdPolicy()
        self._retriever = Retriever(graph, self._encoder)

    def ask(self, text: str, now: float) -> FactAnswer:
        """Answer a question; empty where the memories don't say or the question isn't understood."""
        from karma_language.told.facts.agenda import asked_span, asked_task  # what reads English, 0.01 s
        from karma_language.told.facts.asking import MAX_TEXT, question

        if len(text) > MAX_TEXT:
            return FactAnswer(())
        span = asked_span(text, now)
        if span is not None:
            return self._agenda(*span)
        if (task := asked_task(text)) and (found := self._when(task)).entities:
            return found
        asked = question(text, now)
        if asked is None:
            return FactAnswer(())
        answered = self.answer(asked, text)
        for reading in () if answered.entities else other_readings(asked):
            other = self.answer(reading, text)
            if other.entities and stem_set(other.facts[-1].relation) == stem_set(reading.relation):
                return other
        return answered

    def answer(self, asked: Question, text: str) -> FactAnswer:
        """Answer a question that is understood already."""
        facts = Traversal(self._retriever, asked, text).run(self._policy).facts
        return answer(self.graph, asked, facts, self._encoder)

    def fill(self, fields: Sequence[str], now: float) -> Mapping[str, FactAnswer]:
        """Fill in a form: field → what is known. A field is a label ("Sister's phone number") or a question."""
        return {field: self.ask(_as_question(field), now) for field in fields}

    def reminders(self, now: float, days: float = 7.0) -> list[Reminder]:
        """Return what takes place, ends, is celebrated or to be done within some days, the next first."""
        return self._between(now - DAY, now + days * DAY)

    def _between(self, start: float, end: float) -> list[Reminder]:
        """Return what is after the time `start` and not after `end`, seconds, and what is to be done at any time."""
        found = []
        for fact in self.graph.facts():
            name = self.graph.entities.nodes[fact.tail].name
            if fact.relation == TO_DO and not any(value_kind(f.relation) for f in self.graph.of(fact.tail)):
                found.append(Reminder("", name, math.inf, fact))
                continue
            kind = value_kind(fact.relation)
            when = _next(name, start, yearly=kind == "day") if kind else None
            if when is not None and start < when.timestamp() <= end:
                text = when.date().isoformat() if not (when.hour or when.minute) else when.strftime("%Y-%m-%d %H:%M")
                found.append(Reminder(text, self._occasion(fact), when.timestamp(), fact))
        return sorted(found, key=lambda r: (r.due, r.what))

    def _when(self, task: str) -> FactAnswer:
        """Say when something has to be done."""
        asked, nodes = stem_set(task), self.graph.entities.nodes
        to_do = [f for f in self.graph.of(USER_NODE) if f.relation == TO_DO and stem_set(nodes[f.tail].name) == asked]
        times = [time for fact in to_do for time in self.graph.of(fact.tail) if value_kind(time.relation)]
        return FactAnswer(tuple(nodes[time.tail].name for time in times), tuple(times))

    def _agenda(self, start: float, end: float) -> FactAnswer:
        """Say what there is from `start` until before `end`, seconds."""
        found = self._between(start - 1.0, end - 1.0)
        said = [f"{r.what} on {spoken(r.when)}" if r.when else r.what for r in found]
        return FactAnswer(tuple(said) or ("nothing that I was told of",), tuple(r.fact for r in found))

    def shopping_list(self) -> list[str]:
        """Return what the user wants to buy."""
        relation = by_noun("shopping list")
        return [self.graph.entities.nodes[f.tail].name for f in self.graph.of(USER_NODE) if f.relation == relation]

    def _occasion(self, fact: Fact) -> str:
        name = self.graph.entities.nodes[fact.head].name
        if fact.head == USER_NODE:
            return fact.relation
        return name if fact.relation == "time" else f"{name}: {fact.relation}"


def _as_question(field: str) -> str:
    label = field.strip()
    return label if label.endswith("?") else f"What is my {label[:1].lower()}{label[1:].rstrip(':* ')}?"


def _next(text: str, after: float, *, yearly: bool) -> datetime | None:
    """Return when a time of the graph is, for what comes `yearly` its next return; None for what is no time."""
    day = text[1:] if text.startswith("--") else text[4:] if yearly else ""  # "-05-12"
    first = local_time(after).year
    for year in range(first, first + 9) if day.startswith("-") else ("",):
        try:
            value = datetime.fromisoformat(f"{year}{day}" if year else text).replace(tzinfo=local_zone())
        except ValueError:
            continue  # 29 February, or no time
        if not year or value.timestamp() > after:
            return value
    return None
