# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A recorded trial: what the planner was told, asked and answered, in order, and the journal that its memory kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from rclpy.serialization import deserialize_message
from rosbags.typesys import TypesysError
from rosbags.typesys.store import Typestore

from karma_interfaces.msg import Result
from karma_memory.conversions import to_seconds
from karma_memory.events import OWN_KINDS, EventKind
from karma_memory.journal import JournalError, PortableFile
from karma_memory.ros.bag import typestore
from karma_memory.ros.message_versions import present, store_of
from karma_memory.short_term.memory import settings_from_json
from karma_memory.short_term.policy import PolicySettings
from karma_perception.recording.bag import Bag, BagError
from karma_perception.recording.findings import Findings
from planner_node.ros.exchanges import INSTRUCTION, JSON, TOPIC, definitions_before, interfaces

JOURNAL, PARAMETERS, DEFINITIONS = "journal.jsonl.gz", "parameters.yaml", "definitions.json"
"""Files that `./karma record --all` leaves in the bag's folder, beside the bag."""
TYPE = "karma_interfaces/msg/Exchange"

RECALL, ASK, REMEMBER, SCENE_GRAPH = "memory/recall", "memory/ask", "memory/remember", "memory/get_scene_graph"
CHOOSE, LEARN, SKILL = "memory/choose", "memory/learn_choice", "execute_skill"
OF_MEMORY = (RECALL, ASK, REMEMBER, SCENE_GRAPH, CHOOSE, LEARN)
CALLS = (*OF_MEMORY, "scene_graph/get_full", "scene_graph/get_frontiers", "list_skills", SKILL)
"""What a planner calls."""
_SETTINGS = tuple(field.name for field in fields(PolicySettings))
"""Parameters of the memory whose changes are in its journal, and replayed."""
_DAMAGE = (ValueError, KeyError, TypeError, AttributeError, AssertionError, RuntimeError, OSError, TypesysError)
"""What comes of reading exchanges, or their definitions, that are damaged."""
_PACKAGES = ("karma_interfaces", "geometry_msgs")
"""Whose messages exchanges are made of."""


class TrialError(RuntimeError):
    """A recording that can't be replayed; the message says why and what would help."""


@dataclass(frozen=True)
class Exchange:
    """One question of the planner, or to it, and the answer; see karma_interfaces/Exchange."""

    number: int
    name: str
    """One of CALLS, or what was asked of the planner."""
    instruction_id: str
    asked: float
    """Seconds, the planner's clock."""
    request: Any
    """A message; of a language model, the JSON."""
    response: Any
    """A message, JSON; None where there is none."""
    error: str = ""

    @property
    def position(self) -> int | None:
        """The journal's last event when it was answered; None where that is not known."""
        if self.response is None or (self.name in OF_MEMORY and self.response.result.code != Result.SUCCESS):
            return None
        if self.name in (RECALL, ASK):
            return int(self.response.sequence)
        if self.name == SCENE_GRAPH:
            return int(self.response.graph.sequence)
        if self.name == REMEMBER and any(self.response.sequences):
            return min(int(sequence) for sequence in self.response.sequences if sequence) - 1
        return None


@dataclass(frozen=True)
class Instructed:
    """One instruction of a trial, from its beginning to its end."""

    id: str
    goal: Any
    """ExecuteInstruction.Goal."""
    began: Exchange
    result: Any
    """ExecuteInstruction.Result."""
    ended: Exchange


@dataclass(frozen=True)
class Trial:
    """What is replayed."""

    exchanges: tuple[Exchange, ...]
    instructions: tuple[Instructed, ...]
    """Those that ended, in the order in which they began."""
    journal: Path
    """The portable file."""
    namespace: str = ""
    """Of the robot, without outer slashes."""
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Of the nodes planner and memory_server, by their names."""
    notes: tuple[str, ...] = ()
    """What is not as it should be, in sentences."""
    part: bool = False
    """Whether it is one instruction of a longer trial."""

    @property
    def start(self) -> int:
        """The journal's last event before the first exchange; all where no exchange tells."""
        known = (exchange.position for exchange in self.exchanges)
        return next((position for position in known if position is not None), self.events)

    @property
    def last(self) -> int:
        """The journal's last event that belongs to it: the last that the planner made, where it is a part."""
        if not self.part:
            return self.events
        made = (
            s for e in self.exchanges if e.name == REMEMBER and e.response is not None for s in e.response.sequences
        )
        return max(made, default=self.start)

    @property
    def events(self) -> int:
        """The number of events in the journal."""
        with PortableFile(self.journal) as file:
            return file.events

    @property
    def told(self) -> frozenset[str]:
        """The ids of the events that the planner made."""
        made = {event.id for e in self.exchanges if e.name == REMEMBER for event in e.request.events}
        return frozenset(made | {e.request.id for e in self.exchanges if e.name == LEARN})

    def only(self, number: int) -> Trial:
        """Return the trial with one of its instructions, counted from 1. TrialError where there are fewer."""
        if not 1 <= number <= len(self.instructions):
            raise TrialError(f"there is no instruction {number}: the recording has {len(self.instructions)}")
        chosen = self.instructions[number - 1]
        first, last = chosen.began.number - 1, chosen.ended.number  # where the robot was comes before it
        within = tuple(e for e in self.exchanges if first <= e.number <= last)
        notes = self.notes
        if any(o.began.number < last and o.ended.number > first for o in self.instructions if o is not chosen):
            notes += ("others ran at the same time as this instruction and are not replayed with it",)
        within = tuple(e for e in within if e.instruction_id in ("", chosen.id))
        return Trial(within, (chosen,), self.journal, self.namespace, self.parameters, notes, part=True)


def load_trial(
    bag: Path, *, journal: Path | None = None, parameters: Path | None = None, namespace: str | None = None
) -> Trial:
    """Return what a bag has recorded.

    `journal` and `parameters`: files in place of those in the bag's folder; `namespace`: of the robot, where the bag
    has several. TrialError.
    """
    findings = Findings()
    try:
        with Bag(bag, findings, typestore) as opened:
            topic = _topic(opened, namespace)
            messages = [received.message for received in opened.messages([topic])]
            changed = _changed(opened, topic.removesuffix(TOPIC))
    except BagError as error:
        raise TrialError(str(error)) from error
    beside = bag if bag.is_dir() else bag.parent
    exchanges = _exchanges(bag, messages, beside / DEFINITIONS)
    instructions, unfinished = _instructions(exchanges)
    if not instructions:
        raise TrialError(f"{bag} has no instruction from its beginning to its end; record before the first is given")
    notes = [str(finding) for finding in findings]
    notes += [f'"{text}" had not ended when the recording did, and is not replayed' for text in unfinished]
    notes += changed
    values, missing = _parameters(parameters or beside / PARAMETERS, given=parameters is not None)
    if exchanges[0].number > 1:
        notes.append("the planner had been at work before: what it knew of that by itself is not replayed")
    return Trial(
        exchanges,
        instructions,
        _journal(journal or beside / JOURNAL),
        topic.removesuffix(TOPIC).strip("/"),
        values,
        tuple(notes + missing),
    )


def others_events(trial: Trial) -> tuple[list[tuple[int, Any]], list[str]]:
    """Return the events that came to the memory from others than the planner, with their sequences.

    Changes of consent and of short-term memory's settings are among them. And what can't be given to a memory again, in
    sentences: it writes that by itself. TrialError.
    """
    told, start, last = trial.told, trial.start, trial.last
    try:
        with PortableFile(trial.journal) as file:
            entries = [
                (entry.sequence, entry.event)
                for entry in file.entries()
                if start < entry.sequence <= last and entry.event.id not in told
            ]
    except JournalError as error:
        raise TrialError(str(error)) from error
    thoughts = sum(event.kind is EventKind.REFLECTION for _, event in entries)
    notes = [f"{thoughts} thoughts of a model in the memory are not replayed"] if thoughts else []
    given = {*EventKind} - {*OWN_KINDS, EventKind.READING} | {EventKind.CONFIGURE}  # it reads words by itself
    return [(sequence, event) for sequence, event in entries if event.kind in given], notes


def settings_then(trial: Trial) -> PolicySettings | None:
    """Return the settings of short-term memory when a trial began; None where its journal says nothing of them."""
    with PortableFile(trial.journal) as file:
        said = [
            entry.event.text
            for entry in file.entries()
            if entry.sequence <= trial.start and entry.event.kind is EventKind.CONFIGURE and not entry.event.user
        ]
    return settings_from_json(said[-1]) if said else None


def _topic(bag: Bag, namespace: str | None) -> str:
    found = sorted(topic.name for topic in bag.topics if topic.type == TYPE)
    if not found:
        raise TrialError(
            f"{bag.path} has no topic {TOPIC} with {TYPE}: it was recorded without the planner, or by an older "
            "version. Record with ./karma record --all"
        )
    robots = {name.removesuffix(TOPIC).strip("/"): name for name in found}
    if namespace is None and len(found) == 1:
        return found[0]
    names = ", ".join(robot or '""' for robot in robots)
    if namespace is None:
        raise TrialError(f"{bag.path} has the planners of several robots ({names}); choose one with --namespace")
    if namespace.strip("/") not in robots:
        raise TrialError(f"{bag.path} has no planner of {namespace}; it has those of {names}")
    return robots[namespace.strip("/")]


def _changed(bag: Bag, namespace: str) -> list[str]:
    """Return which parameters were changed while it was recorded and are not set again, in sentences."""
    names: set[str] = set()
    topics = [topic.name for topic in bag.topics if topic.type == "rcl_interfaces/msg/ParameterEvent"]
    for received in bag.messages(topics):
        node = received.message.node.removeprefix(namespace)
        if node in ("planner", "memory_server"):
            set_again = _SETTINGS if node == "memory_server" else ()
            names |= {f"{node}'s {p.name}" for p in received.message.changed_parameters if p.name not in set_again}
    if not names:
        return []
    return [f"{', '.join(sorted(names))} changed meanwhile: the replay has the last values from the beginning"]


def _exchanges(bag: Path, messages: Sequence[Any], definitions: Path) -> tuple[Exchange, ...]:
    messages = sorted(messages, key=lambda message: int(message.sequence))
    for before, after in pairwise(messages):
        if after.sequence != before.sequence + 1:
            raise TrialError(
                f"{bag} lacks what the planner did between its exchanges {before.sequence} and {after.sequence}: "
                "messages were lost, or the planner was restarted meanwhile; record each run by itself"
            )
    try:
        stores = {digest: _store(bag, digest, definitions) for digest in {message.interfaces for message in messages}}
        return tuple(_exchange(message, stores[message.interfaces]) for message in messages)
    except (*_DAMAGE, ImportError) as error:
        raise TrialError(f"{bag} is damaged: an exchange can't be read ({error})") from error


def _store(bag: Path, digest: str, file: Path) -> Typestore | None:
    """Return the types with this digest, by the definitions in a file or those of 0.1.0; None for those of here."""
    if digest == interfaces():
        return None
    known = definitions_before()
    if file.exists():
        recorded = json.loads(file.read_text(encoding="utf-8"))
        known[recorded["digest"]] = recorded["definitions"]
    if digest not in known:
        raise TrialError(
            f"{bag} was recorded with other message definitions (digest {digest}, here {interfaces()}), and {file} "
            "does not have them: use the karma_interfaces of that version"
        )
    return store_of(known[digest])


def _exchange(message: Any, store: Typestore | None) -> Exchange:
    name = next((call for call in CALLS if message.name.strip("/").endswith(call)), message.name.strip("/"))
    return Exchange(
        int(message.sequence),
        name,
        message.instruction_id,
        to_seconds(message.asked),
        _content(message.request_type, bytes(message.request), store),
        _content(message.response_type, bytes(message.response), store),
        message.error,
    )


def _content(kind: str, data: bytes, store: Typestore | None) -> Any:
    if not kind:
        return None
    if kind == JSON:
        return json.loads(data)
    package, folder, name = kind.split("/")
    if package not in _PACKAGES or folder not in ("msg", "srv", "action"):
        raise ValueError(f"unknown type {kind}")
    cls: Any = import_module(f"{package}.{folder}")
    for part in name.split("_"):  # Recall_Request is Recall.Request
        cls = getattr(cls, part)
    if store is None:
        return deserialize_message(data, cls)
    return present(store.deserialize_cdr(data, f"{package}/msg/{name}"), cls)


def _instructions(exchanges: Sequence[Exchange]) -> tuple[tuple[Instructed, ...], list[str]]:
    """Return the instructions that ended, and the texts of those that didn't."""
    began: dict[str, Exchange] = {}
    whole: list[Instructed] = []
    for exchange in exchanges:
        if exchange.name != INSTRUCTION:
            continue
        if exchange.response is None:
            began[exchange.instruction_id] = exchange
        elif (first := began.pop(exchange.instruction_id, None)) is not None:
            whole.append(Instructed(exchange.instruction_id, first.request, first, exchange.response, exchange))
    whole.sort(key=lambda instructed: instructed.began.number)
    return tuple(whole), [exchange.request.instruction for exchange in began.values()]


def _journal(path: Path) -> Path:
    try:
        with PortableFile(path) as file:
            file.verify()
    except JournalError as error:
        raise TrialError(
            f"the memory's journal is missing: {error}. ./karma record --all puts it there; else give the one that "
            "python3 -m karma_memory.command export wrote after the trial, with --journal"
        ) from error
    return path


def _parameters(path: Path, *, given: bool) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Return the parameters of both nodes from a file as `ros2 param dump` writes it, and what is wrong with it."""
    if not path.exists() and not given:
        return {}, [f"there is no {PARAMETERS} beside the bag: the nodes have the parameters of this checkout"]
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        return {
            node.rpartition("/")[2]: dict(section["ros__parameters"])
            for node, section in content.items()
            if node.rpartition("/")[2] in ("planner", "memory_server")
        }, []
    except (OSError, yaml.YAMLError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise TrialError(f"{path} can't be read as parameters, such as ros2 param dump writes: {error}") from error
