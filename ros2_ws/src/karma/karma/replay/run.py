# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A trial, replayed to a memory server and a planner of this version, and how they differ from those of then."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import yaml

from karma.environment import share_folder
from karma.graph import MEMORY_NAMES, NodeDescription, manager_of
from karma.node_parameters import ParameterValue
from karma.replay.comparison import Difference, decision, differences, state_difference
from karma.replay.model import recorded_model
from karma.replay.people import People
from karma.replay.tape import Tape
from karma.replay.trial import SKILL, Instructed, Trial, TrialError, others_events, settings_then
from karma.replay.world import MEMORY, RecordedWorld
from karma.supervision import running_nodes
from karma_interfaces.msg import Result
from karma_interfaces.srv import ExportMemory, GetMemoryStats
from karma_memory.encoding import dumps, loads
from karma_memory.journal import PortableFile, import_journal, open_journal
from karma_memory.parameters import PARAMETERS as OF_MEMORY
from karma_memory.state.history import stored_state
from karma_ros.client import GraphClient, GraphError
from planner_node.parameters import OFFLINE
from planner_node.parameters import PARAMETERS as OF_PLANNER

EMBEDDING_S = 120.0
"""How long the memory may take to embed what it remembers, before the first question."""
UNANSWERED_S = 5.0
"""How long a question waits for an answer that was not recorded."""
PATIENT_S = 60.0
"""How long the planner waits for an answer."""
POLL_S = 0.2


@dataclass
class Replayed:
    """What came of a replay."""

    trial: Trial
    results: list[tuple[Instructed, Any]] = field(default_factory=list)
    """In the order of the trial's instructions; the ExecuteInstruction.Result of now."""
    differences: list[Difference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    memory: str = ""
    """Where the memory is not as it was; "" where it is the same."""
    events: int = 0
    """In the journal of now."""
    complete: bool = False
    """Whether all was replayed and compared."""

    @property
    def same(self) -> bool:
        """Whether everything was decided as then, and the memory is the same."""
        return self.complete and not self.differences

    def as_values(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "same": self.same,
            "complete": self.complete,
            "instructions": [
                {
                    "number": self.trial.instructions.index(instructed) + 1,
                    "id": instructed.id,
                    "instruction": instructed.goal.instruction,
                    "recorded": decision(instructed.result),
                    "replayed": decision(result),
                }
                for instructed, result in self.results
            ],
            "differences": [asdict(difference) for difference in self.differences],
            "memory": {
                "same": self.complete and not self.memory,
                "first_difference": self.memory,
                "events": self.events,
            },
            "notes": [*self.trial.notes, *self.notes],
        }


def replay(
    trial: Trial,
    folder: Path,
    replayed: Replayed,
    *,
    llm: str = "",
    on_progress: Callable[[str], None] = lambda what: None,
    on_result: Callable[[Instructed, Any], None] = lambda instructed, result: None,
) -> None:
    """Replay a trial in `folder`, into `replayed`. Call it from the main thread.

    `llm`: the model that is asked anew; "" for the recorded answers. TrialError, JournalError, GraphError,
    DomainInUseError.
    """
    folder = folder.absolute()  # nodes look for their files from a folder of their own
    on_progress("the memory as it was")
    database = folder / "memory.sqlite3"
    _cut(trial, database, trial.start)
    tape = Tape(trial.exchanges)
    events, unreplayed = others_events(trial)
    replayed.notes += unreplayed
    with ExitStack() as stack:
        host = "" if llm else stack.enter_context(recorded_model(trial.exchanges))
        nodes = _nodes(trial, folder, database, llm=llm, host=host)
        graph = stack.enter_context(running_nodes(nodes, namespace=trial.namespace, log_folder=folder / "log"))
        world = stack.enter_context(
            RecordedWorld(
                tape,
                events,
                began=trial.exchanges[0].asked,
                namespace=trial.namespace,
                domain_id=graph.domain_id,
            )
        )
        graph.wait_active(on_progress=on_progress)
        client = stack.enter_context(
            GraphClient(name="karma_replay", namespace=trial.namespace, domain_id=graph.domain_id)
        )
        _embedded(client)
        people = People(trial, client, world)

        def take(instructed: Instructed, result: Any) -> None:
            number = trial.instructions.index(instructed) + 1
            replayed.results.append((instructed, result))
            replayed.results.sort(key=lambda one: one[0].began.number)
            replayed.differences += differences(number, instructed.result, result)
            on_result(instructed, result)

        on_progress("the instructions")
        people.act(take)
        on_progress("the memory afterwards")
        world.feed(trial.last)
        _compare_memories(trial, folder, client, replayed)
        replayed.notes += [*people.notes, *world.notes]
    undone = [exchange for exchange in tape.left() if exchange.name == SKILL]
    if undone:
        replayed.notes.append(f"{len(undone)} skills of the recording were not done again")
    replayed.complete = True


def _cut(trial: Trial, database: Path, until: int) -> None:
    """Make a journal of the trial's events up to one of them."""
    with PortableFile(trial.journal) as file, open_journal(database) as journal:
        import_journal(file, journal, until=until)


def _nodes(trial: Trial, folder: Path, database: Path, *, llm: str, host: str) -> list[NodeDescription]:
    """Return the memory server and the planner with the parameters of then, and what manages them."""
    shared = share_folder() / "config"
    names = tuple((name, f"{MEMORY}/{name}") for name in MEMORY_NAMES)
    of_memory: dict[str, ParameterValue] = {
        **{"database": str(database), "folder": "", "robots": "", "llm": OFFLINE, "verify": False},
        **{"snapshot_period": 0.0, "past_period": 0.0, "use_sim_time": True},
    }
    then = trial.parameters.get("planner", {})
    # What did not answer then is said to be unavailable; what is only slow now must not look like that.
    of_planner: dict[str, ParameterValue] = {"use_sim_time": True, "service_timeout": PATIENT_S}
    if then.get("question_timeout", 0.0) > UNANSWERED_S:
        of_planner["question_timeout"] = UNANSWERED_S
    if llm:
        of_planner["llm"] = llm
    elif then.get("llm", OFFLINE) != OFFLINE:
        of_planner["llm_url"] = host
    if (settings := settings_then(trial)) is not None:
        of_memory |= vars(settings)
    nodes = []
    for name, package, executable, known, own, remappings in (
        ("memory_server", "karma_memory", "memory_node", OF_MEMORY, of_memory, names),
        ("planner", "planner_node", "planner_node", OF_PLANNER, of_planner, ()),
    ):
        file = shared / f"{name}.yaml"
        if name in trial.parameters:
            file = folder / f"{name}.yaml"
            values = {p.name: trial.parameters[name][p.name] for p in known if p.name in trial.parameters[name]}
            file.write_text(yaml.safe_dump({"/**": {"ros__parameters": values}}), encoding="utf-8")
        nodes.append(
            NodeDescription(
                name=name,
                package=package,
                executable=executable,
                parameter_file=file,
                parameters=own,
                namespace=trial.namespace,
                remappings=remappings,
            )
        )
    return [*nodes, manager_of(nodes, shared, trial.namespace)]


def _embedded(client: GraphClient) -> None:
    """Wait until the memory knows the meaning of all it remembers, as it did then."""
    until = time.monotonic() + EMBEDDING_S
    while time.monotonic() < until:
        stats = client.call(GetMemoryStats, f"{MEMORY}/memory/stats", GetMemoryStats.Request()).stats
        if not stats.waiting_for_embedding:
            return
        time.sleep(POLL_S)


def _compare_memories(trial: Trial, folder: Path, client: GraphClient, replayed: Replayed) -> None:
    """Compare what the memories make of both journals."""
    path = folder / "replayed.jsonl.gz"
    request = ExportMemory.Request(path=str(path))
    answer = client.call(ExportMemory, f"{MEMORY}/memory/export", request, timeout=300.0, repeat=300.0)
    if answer.result.code != Result.SUCCESS:
        raise GraphError(f"the memory can't be compared: {answer.result.message}")
    recorded = folder / "recorded.sqlite3"
    _cut(trial, recorded, trial.last)
    with open_journal(recorded) as journal:
        was = stored_state(journal).snapshot()
    with PortableFile(path) as file:
        replayed.events, now = file.events, file.state()[0]
    replayed.memory = state_difference(loads(dumps(was)), now)
    if replayed.memory:
        replayed.differences.append(Difference(0, "memory", "another", replayed.memory))


def room_for(trial: Trial, folder: Path) -> None:
    """Raise TrialError where the disk has no room for two copies of the journal."""
    needed = 40 * trial.journal.stat().st_size
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise TrialError(f"{folder} has {free >> 20} MiB left, and the replay may need {needed >> 20} MiB: free some")
