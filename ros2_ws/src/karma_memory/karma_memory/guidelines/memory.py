# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Semantic memory as a projection: guidelines, learned from attempts, counted, pruned, retrieved (BrainMem, 3.2.3)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from karma_memory.episodic.attempts import Attempt, judges
from karma_memory.episodic.goals import task_types
from karma_memory.episodic.trajectories import TrajectoryMemory
from karma_memory.events import Code, Event, EventKind
from karma_memory.guideline import Advice, Guideline
from karma_memory.guidelines.reflection import Lesson, lessons_between, lessons_within, word_lessons
from karma_memory.guidelines.relevance import best_for, with_figures
from karma_memory.guidelines.scoring import Entry, Outcome, pruned
from karma_memory.privacy.household import Household
from karma_memory.projection import EditError
from karma_memory.recall.index import HybridIndex, Match, Search
from karma_memory.recall.query import Query, Record
from karma_memory.scene import InvalidEventError, check_text

KIND = "guideline"
COMPARED = 5
"""Failed attempts at a task that one that worked is compared with: the last ones."""
MOST_INSIGHTS = 5
"""Texts that one reflection of a language model adds."""


class GuidelineMemory:
    """What was learned of how to do things. What holds a user's words is that user's own, unless several taught it.

    What guests teach is theirs, and what they do says nothing of what others learned.
    """

    kind = KIND

    def __init__(self, index: HybridIndex, trajectories: TrajectoryMemory, household: Household) -> None:
        """`trajectories` and `household` observe each event before this memory does."""
        self._household = household
        self._index = index
        self._trajectories = trajectories
        self._entries: dict[str, Entry] = {}
        self._by_key: dict[tuple[object, ...], str] = {}
        self._episodes = 0
        """Episodes that ended: what decay goes by."""

    def guidelines(self) -> list[tuple[str, str, Guideline]]:
        """Return record id, owner ("" for everybody) and guideline with its figures, the most useful first."""
        ranked = sorted(self._entries.values(), key=lambda entry: (-entry.utility(self._episodes), entry.id))
        return [(record_id(entry.id), entry.owner, entry.stated(self._episodes)) for entry in ranked]

    def observe(self, event: Event) -> None:
        """Take in ends of episodes, what people and language models say of them, and edits."""
        if event.kind is EventKind.EDIT:
            self._edit(event)
            return
        attempt = self._trajectories.attempt(event.episode) if event.episode else None
        if attempt is None:
            return
        if event.kind is EventKind.EPISODE_END:
            self._episodes += 1
            self._count(attempt, event)
            self._reflect(attempt, event)
        elif event.kind is EventKind.FEEDBACK and judges(event, attempt.user):
            self._judge(attempt, event)
        elif event.kind is EventKind.REFLECTION:
            for number, text in enumerate(insights_in(event.text)[:MOST_INSIGHTS]):
                types = task_types(attempt.parsed)
                insight = Guideline(Advice.INSIGHT, text, task_types=types, room=attempt.room)
                self._learn(Lesson(insight, personal=True), number, attempt, event)
        else:
            return
        self._prune()

    def recall(self, query: Query, search: Search) -> Iterable[Match]:
        """Return the best guidelines for the types of task, the kinds of things and the words of a query."""
        known = [
            (self._index.records[record_id(entry.id)], entry.stated(self._episodes))
            for entry in self._entries.values()
            if not (entry.nobodys and query.user)
        ]
        return best_for(known, query, search, self._trajectories.room_kinds(query.scene))

    def records(self) -> list[Record]:
        """Return all that is kept, with its figures."""
        return [
            with_figures(self._index.records[record_id(entry.id)], entry.stated(self._episodes))
            for entry in self._entries.values()
        ]

    def check_edit(self, record_id: str, text: str) -> None:
        """Allow forgetting; a guideline is what was seen to work, not what somebody says."""
        if text:
            raise EditError("a guideline can be forgotten, not rewritten: tell the robot what it is to know instead")

    def snapshot(self) -> dict[str, Any]:
        """Return the state; see Projection."""
        return {"episodes": self._episodes, "guidelines": list(self._entries.values())}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        self._episodes = state["episodes"]
        for entry in map(Entry.from_json, state["guidelines"]):
            if entry.personal or entry.guideline.advice is not Advice.INSIGHT:  # rules made insights once; see the docs
                self._put(entry)

    def _count(self, attempt: Attempt, event: Event) -> None:
        """Count an episode for the guidelines that guided it."""
        if attempt.succeeded is None:
            return
        outcome = Outcome.SUCCEEDED if attempt.succeeded else Outcome.FAILED
        for used in dict.fromkeys(event.used):
            entry = self._entries.get(used.partition(":")[2])
            if used.startswith(f"{KIND}:") and entry is not None and self._may_count(attempt, entry):
                self._put(entry.counted(attempt.id, outcome, self._episodes))

    def _judge(self, attempt: Attempt, event: Event) -> None:
        """Let what a person said of an episode count more than its code."""
        outcome = Outcome.SUCCEEDED if attempt.succeeded else Outcome.FAILED
        guided = {used.partition(":")[2] for used in attempt.used if used.startswith(f"{KIND}:")}
        for entry in list(self._entries.values()):
            if attempt.id in entry.episodes or (entry.id in guided and self._may_count(attempt, entry)):
                self._put(self._taught(entry.counted(attempt.id, outcome, entry.last), attempt.user))
        self._reflect(attempt, event)

    def _may_count(self, attempt: Attempt, entry: Entry) -> bool:
        """Whether an attempt says something of a guideline."""
        return self._household.counts(attempt.user) or (entry.guest and attempt.user in entry.teachers)

    def _taught(self, entry: Entry, user: str) -> Entry:
        """Return an entry without `user` among its teachers, where none of their episodes that count for it went well.

        Else what one user taught would become everybody's by what another one denied.
        """
        well = (episode for episode, outcome in entry.episodes.items() if outcome is not Outcome.FAILED)
        attempts = (self._trajectories.attempt(episode) for episode in well)
        if len(entry.teachers) < 2 or any(attempt is not None and attempt.user == user for attempt in attempts):
            return entry
        return replace(entry, teachers=tuple(teacher for teacher in entry.teachers if teacher != user))

    def _reflect(self, attempt: Attempt, event: Event) -> None:
        """Learn what an attempt that has ended teaches."""
        if attempt.code is Code.UNSET:
            return
        lessons = list(lessons_within(attempt))
        before = self._failed_before(attempt)
        if attempt.succeeded is not None:
            lessons.extend(word_lessons(attempt, before))
        if attempt.succeeded:
            for failed in before:
                lessons.extend(lessons_between(failed, attempt))
        for number, lesson in enumerate(lessons):
            self._learn(lesson, number, attempt, event)

    def _failed_before(self, attempt: Attempt) -> list[Attempt]:
        """Return the attempts at the same task that did not do: those that it tries again, and those of the same words.

        What was tried again did not do, whatever its code, unless a person said that it was right.
        """
        chain: list[Attempt] = []
        followed = {attempt.id}  # what events say to be tried again may go in circles
        known = self._trajectories.attempt(attempt.retry_of)
        while known is not None and known.id not in followed and len(chain) < COMPARED:
            followed.add(known.id)
            if known.verdict is not Code.SUCCESS and (known.user, known.scene) == (attempt.user, attempt.scene):
                chain.append(known)
            known = self._trajectories.attempt(known.retry_of)
        alike = [other for other in self._trajectories.attempts() if other.instruction == attempt.instruction]
        for other in reversed(alike):
            if len(chain) >= COMPARED:
                break
            same = (other.user, other.scene) == (attempt.user, attempt.scene)
            if same and other.succeeded is False and other not in chain:
                chain.append(other)
        return chain

    def _learn(self, lesson: Lesson, number: int, attempt: Attempt, event: Event) -> None:
        """Make a guideline, the `number`th of an event, or let the one that says the same count."""
        guest = not self._household.counts(attempt.user)
        key = (attempt.user if guest else None, *_key(lesson.guideline))
        outcome = Outcome.SHOWN if lesson.shown else Outcome.SUCCEEDED if attempt.succeeded else Outcome.FAILED
        if outcome is Outcome.FAILED and lesson.guideline.advice is Advice.INSIGHT:
            outcome = Outcome.TAUGHT
        known = self._entries.get(self._by_key.get(key, ""))
        if lesson.known_only and (known is None or known.owner not in ("", attempt.user)):
            return  # nobody's failure makes a user's word everybody's, or speaks against it
        if known is None:
            known = Entry(
                f"{event.id}#{number}",
                lesson.guideline,
                lesson.personal or guest,
                (attempt.user,),
                event.id,
                event.stamp,
                guest=guest,
            )
        else:
            said = replace(lesson.guideline, task_types=_with(known.guideline.task_types, lesson.guideline.task_types))
            teachers = known.teachers if lesson.known_only else tuple(sorted({*known.teachers, attempt.user}))
            known = replace(known, guideline=said, teachers=teachers)
        self._put(known.counted(attempt.id, outcome, self._episodes))

    def _edit(self, event: Event) -> None:
        """Forget a guideline, or what a forgotten episode taught."""
        kind, _, target = event.target.partition(":")
        if event.text:
            return
        if kind == KIND and target in self._entries:
            self._drop(target)
        elif kind == "episodic":
            for entry in list(self._entries.values()):
                if target in entry.episodes:
                    left = {episode: outcome for episode, outcome in entry.episodes.items() if episode != target}
                    if left or entry.older_uses:
                        self._put(replace(entry, episodes=left))
                    else:
                        self._drop(entry.id)

    def _prune(self) -> None:
        owned: dict[tuple[str, bool], list[Entry]] = {}
        for entry in self._entries.values():
            owned.setdefault((entry.owner, entry.guideline.advice is Advice.MEANING), []).append(entry)
        for entries in owned.values():
            for entry_id in pruned(entries, self._episodes):
                self._drop(entry_id)

    def _put(self, entry: Entry) -> None:
        self._entries[entry.id] = entry
        self._by_key[_slot(entry)] = entry.id
        self._index.put(
            Record(
                id=record_id(entry.id),
                kind=KIND,
                text=entry.guideline.text,
                label=entry.guideline.text,
                source=entry.source,
                valid_from=entry.since,
                user=entry.owner,
                scene=entry.guideline.scene,
            )
        )

    def _drop(self, entry_id: str) -> None:
        entry = self._entries.pop(entry_id)
        del self._by_key[_slot(entry)]
        self._index.discard(record_id(entry_id))


def record_id(entry_id: str) -> str:
    """Return the id of the recollection of a guideline."""
    return f"{KIND}:{entry_id}"


def insights_in(text: str) -> list[str]:
    """Return the texts in an event of kind REFLECTION; none where it is not of its form."""
    try:
        found = json.loads(text)
        items = found["insights"] if isinstance(found, dict) else []
        return [check_text("insight", item) for item in items if isinstance(item, str) and item.strip()]
    except (ValueError, KeyError, TypeError, RecursionError, InvalidEventError):
        return []


def _slot(entry: Entry) -> tuple[object, ...]:
    """Return what there is one guideline for: a guest's is another than everybody else's."""
    return (entry.teachers[0] if entry.guest else None, *_key(entry.guideline))


def _key(guideline: Guideline) -> tuple[object, ...]:
    """Return what makes two guidelines the same, whatever they say of the reason and of what worked instead."""
    g = guideline
    text = g.text if g.advice is Advice.INSIGHT else ""
    return (g.advice, g.word, g.category, g.room, g.skill, g.steps, g.receptacle, g.object, text)


def _with(one: Sequence[str], other: Iterator[str] | Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))
