# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The same days for the memory and for eMEM (PyPI: emem), and what the tools of both answer."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from karma_eval.emem_peer import Vectors, open_emem
from karma_eval.tools.day import THINGS, Day, Did, Heard, Patrol, Place, Saw, make_day
from karma_eval.tools.questions import Question, holds, is_outdated, questions
from karma_memory import Memory
from karma_memory.recall.embedder import Embedder, make_embedder
from karma_memory.recall.prompt import estimate_tokens

START = {
    "karma": """\
from karma_memory import Memory
with Memory("home.sqlite3") as memory:
    memory.see("mug", on="kitchen table", at=(1.0, 2.0, 0.9))
    print(memory.ask("Where is the mug?").text)
""",
    "emem": """\
from emem import SpatioTemporalMemory
with SpatioTemporalMemory(db_path="robot_memory.db") as mem:
    mem.add("mug on the kitchen table", x=1.0, y=2.0, z=0.9)
    print(mem.semantic_search("Where is the mug?"))
""",
    "emem with a model": """\
from emem import SpatioTemporalMemory
from emem.embeddings import CallableEmbeddingProvider
from karma_memory.recall.embedder import make_embedder
provider = CallableEmbeddingProvider(make_embedder("minilm")[0].embed, dim=384)
with SpatioTemporalMemory(db_path="robot_memory.db", embedding_provider=provider) as mem:
    mem.add("mug on the kitchen table", x=1.0, y=2.0, z=0.9)
    print(mem.semantic_search("Where is the mug?"))
""",
}
"""The quick start of each, as far as it takes to store one observation and ask one question.

emem's page calls semantic_search without a model of meaning. With its extra `embeddings` a model takes two lines, one
of them an import; here the memory's own stands in for it, in three.
"""


@dataclass(frozen=True)
class Start:
    """What the quick start takes."""

    lines: int
    right: bool
    seconds: float
    """From the start of Python to its end."""


@dataclass(frozen=True)
class Answer:
    """What one memory answered to one question."""

    job: str
    tool: str
    """Of the memory that answered."""
    right: bool
    """Whether its first lines hold the answer."""
    anywhere: bool
    """Whether any of its lines do."""
    outdated: bool
    """Whether what is not so any more is named in its first lines, too."""
    tokens: int
    seconds: float
    text: str


def start(memory: str) -> Start:
    """Run a quick start in a folder of its own."""
    code = START[memory]
    with TemporaryDirectory(prefix="karma-bench-") as folder:
        began = time.perf_counter()
        done = subprocess.run(  # noqa: S603 - the code above
            [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
        )
        seconds = time.perf_counter() - began
    return Start(len([line for line in code.splitlines() if line.strip()]), "kitchen table" in done.stdout, seconds)


def ask(days: int, seed: int, embedder: str, *, peer: bool) -> dict[str, list[Answer]]:
    """Return what the memory, and emem where `peer` is set, answered about as many days, by its name."""
    model, _ = make_embedder(embedder)
    answers: dict[str, list[Answer]] = {"karma": [], "emem": []} if peer else {"karma": []}
    for number in range(days):
        day = make_day(time.time(), random.Random(f"{seed} {number}"))  # noqa: S311 - to be the same every time
        asked = [*questions(day)]
        with _karma(day, embedder) as memory:
            memory.call("recall", {"query": "anything"})  # the first one loads the model of meaning
            answers["karma"] += [_karma_says(memory, one) for one in asked]
        if peer:
            with _emem(day, model) as beside:
                beside.dispatch_tool_call("recall", {"query": "anything"})
                answers["emem"] += [_emem_says(beside, one) for one in asked]
    return answers


def definitions(*, peer: bool) -> dict[str, int]:
    """Return the tokens of the definitions of all tools, which every question to a model carries."""
    with (
        TemporaryDirectory(prefix="karma-bench-") as folder,
        Memory(Path(folder) / "home", embedder="lexical") as memory,
    ):
        defined = {"karma": estimate_tokens(json.dumps(memory.tools(user="ann")))}
    if peer:
        from emem.tools import TOOL_SCHEMAS

        tools = [{"type": "function", "function": schema} for schema in TOOL_SCHEMAS.values()]
        defined["emem"] = estimate_tokens(json.dumps(tools))
    return defined


@contextmanager
def _karma(day: Day, embedder: str) -> Iterator[Memory]:
    with (
        TemporaryDirectory(prefix="karma-bench-") as folder,
        Memory(Path(folder) / "home", embedder=embedder) as memory,
    ):
        for entry in day.entries:
            if isinstance(entry, Patrol):
                with memory.task(entry.name, stamp=entry.stamp):
                    for one in entry.seen:
                        _see(memory, one)
            elif isinstance(entry, Saw):
                _see(memory, entry)
            elif isinstance(entry, Heard):
                memory.tell(entry.saying.words, user=entry.user, stamp=entry.stamp)
            elif isinstance(entry, Did):
                memory.did(
                    "put",
                    entry.thing,
                    entry.place.name,
                    succeeded=not entry.reason,
                    message=entry.reason,
                    user=entry.user,
                    stamp=entry.stamp,
                )
            else:  # there is no tool for the robot's own state; what was told last is asked for
                memory.tell(entry.words, stamp=entry.stamp)
        yield memory


def _see(memory: Memory, one: Saw) -> None:
    memory.see(one.thing, on=one.place.name, room=one.place.room, at=one.place.at, stamp=one.stamp)


def _karma_says(memory: Memory, question: Question) -> Answer:
    name, arguments = question.karma
    given = arguments if name == "nearby" else {**arguments, "user": question.user}
    began = time.perf_counter()
    text = memory.call(name, given)
    return _answer(question, name, text, time.perf_counter() - began)


@contextmanager
def _emem(day: Day, model: Embedder | None) -> Iterator[Any]:
    """Give emem the day as its page says: layers, an episode for each task, body states.

    Its entities take a language model: here one that never errs (Reader), asked about each observation by itself, which
    is what its counts and positions are exact for.
    """
    from emem.consolidation import ConcatenationSummarizer

    class Reader(ConcatenationSummarizer):  # type: ignore[misc] # emem is not typed
        def extract_entities(self, texts: list[str]) -> list[dict[str, Any]]:
            named = [thing for thing in THINGS if any(text.startswith((thing, f"put the {thing}")) for text in texts)]
            return [{"name": name, "entity_type": "object", "confidence": 1.0} for name in named]

    clock = [day.entries[0].stamp]
    config = {"flush_batch_size": 1, "entity_extract_flush_interval": 1}
    options = {"llm_client": Reader(), "get_current_time": lambda: clock[0]}
    with (
        TemporaryDirectory(prefix="karma-bench-") as folder,
        open_emem(Path(folder) / "emem.db", Vectors(model), config=config, options=options) as memory,
    ):

        def add(stamp: float, text: str, place: Place, layer: str) -> None:
            clock[0] = stamp
            memory.add(text, *place.at, timestamp=stamp, layer_name=layer)

        for entry in day.entries:
            clock[0] = entry.stamp
            if isinstance(entry, Patrol):
                memory.start_episode(entry.name)
                for one in entry.seen:
                    add(one.stamp, _seen(one), one.place, "detections")
                memory.end_episode()
            elif isinstance(entry, Saw):
                add(entry.stamp, _seen(entry), entry.place, "detections")
            elif isinstance(entry, Heard):
                add(entry.stamp, f"{entry.user} said: {entry.saying.words}", entry.place, "speech")
            elif isinstance(entry, Did):
                memory.start_episode(entry.task)
                came = f"failed, {entry.reason}" if entry.reason else "done"
                add(entry.stamp, f"{entry.task}: {came}", entry.place, "actions")
                memory.end_episode()
            else:
                memory.add_body_state(entry.words, "battery", *entry.place.at, timestamp=entry.stamp)
        clock[0] = time.time()
        yield memory


def _seen(one: Saw) -> str:
    return f"{one.thing} on the {one.place.name} in the {one.place.room}"


def _emem_says(memory: Any, question: Question) -> Answer:
    name, arguments = question.emem
    began = time.perf_counter()
    text: str = memory.dispatch_tool_call(name, arguments)
    return _answer(question, name, text, time.perf_counter() - began)


def _answer(question: Question, tool: str, text: str, seconds: float) -> Answer:
    truth = question.truth
    anywhere = holds(text, truth, len(text))
    outdated = is_outdated(text, truth)
    return Answer(question.job, tool, holds(text, truth), anywhere, outdated, estimate_tokens(text), seconds, text)
