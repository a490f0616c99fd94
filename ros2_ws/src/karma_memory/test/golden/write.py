# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Write what test_golden.py reads, once, with the version whose files are to be read for ever:

    python3 write.py FOLDER    # ending in -adaptive: with the policy of that name

A small life: a compacted journal with a snapshot, the same exported, and what is known (known.json).
"""

import gzip
import json
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from world import APPLE, BED, HOME, ROADS, SCENE, event, outcome, thing, told

from karma_memory import Code, EventKind, Image, Memory, Query, SkillTarget
from karma_memory.preferences.preference import Lesson, Mode, Request
from karma_memory.preferences.wire import lesson_event

HORIZON = 30.0
ADAPTIVE = {"capacity": 3, "policy": "w_tinylfu_adaptive"}
FIXED = {"capacity": 3, "policy": "w_tinylfu_karma", "window": 0.5}


def live(memory):
    """Remember all kinds of events, and forget how it came to be known what was known at HORIZON."""
    start = {"episode": "e1", "user": "ann", "scene": SCENE}
    memory.remember(
        [
            event(EventKind.OBSERVATION, 1.0, id="home", scene=SCENE, nodes=HOME, edges=ROADS),
            event(EventKind.EPISODE_START, 2.0, id="start", text="put the apple on the bed", **start),
            outcome("PickupObject", thing(APPLE.id, relation="held", seen=3.0), stamp=3.0, id="pick", episode="e1"),
            outcome(
                "PutObject",
                thing(APPLE.id, BED.position, receptacle=BED.id, relation="on", seen=4.0),
                stamp=4.0,
                id="put",
                episode="e1",
                image=Image.of("jpeg", b"\xff\xd8picture"),
            ),
            event(EventKind.EPISODE_END, 5.0, id="end", text="done", code=Code.SUCCESS, episode="e1", scene=SCENE),
            told("ann is allergic to nuts", 6.0, id="nuts", user="ann"),
            told("the spare key is in the drawer", 7.0, id="key"),
            told("I live in Oslo.", 8.0, id="town", user="ann"),
            told("The red bowl was a gift from my mother.", 8.1, id="bowl", user="ann"),
            told("I prefer tea when I am tired", 8.2, id="tea", user="ann"),
            lesson_event(
                Lesson(Request("ann", "bring me some fruit", Mode.FETCH, options=("apple", "pear")), "pear"),
                "the pear, please",
                event_id="fruit",
                stamp=8.3,
            ),
        ]
    )
    for number, code in enumerate((Code.EXECUTION_FAILURE, Code.SUCCESS)):
        frame = {"episode": f"safe{number}", "user": "ann", "scene": SCENE, "robot": "robot1"}
        retry = {"goals": ("place(ring=Necklace, Safe, in)",), "retry_of": "safe0" * number}
        safe = SkillTarget("Safe|1", "Safe")
        events = [event(EventKind.EPISODE_START, 8.4, id=f"safe{number}-go", text="put my ring away", **frame, **retry)]
        if number:
            events.append(outcome("ToggleOn", stamp=8.5, id="safe-switch", target=safe, **frame))
        events.append(outcome("OpenObject", stamp=8.6, id=f"safe{number}-open", code=code, target=safe, **frame))
        events.append(event(EventKind.EPISODE_END, 8.7, id=f"safe{number}-end", code=code, **frame))
        memory.remember(events)
    for day in range(10, 30):
        memory.remember([outcome("GoToObject", thing("Mug|1", (day / 10, 0.0, 1.0), seen=day), stamp=day, id=f"{day}")])
        toy = thing(f"Teddy|{day % 5 % 4}", (day / 10, 1.0, 1.0), seen=day)
        seen = {"stamp": day + 0.5, "id": f"{day}-toy", "target": SkillTarget(toy.id, toy.category)}
        memory.remember([outcome("GoToObject", toy, **seen)])
    memory.recall(Query("mug"))
    memory.edit("told:key", "the spare key is under the mat", stamp=31.0)
    memory.remember([outcome("GoToObject", thing("Mug|1", (5.0, 0.0, 1.0), seen=32.0), stamp=32.0, id="late")])
    memory.upkeep.compact(HORIZON)


def settings(folder):
    """Return with what settings the memory of a folder was."""
    return ADAPTIVE if folder.name.endswith("-adaptive") else FIXED


def known(memory):
    """Return what a memory knows, however it is stored."""
    graph = memory.scene_graph(SCENE)
    return {
        "records": sorted(item.record.id for item in memory.recall(Query("", limit=100)).recollections),
        "told": sorted(item.record.text for item in memory.recall(Query("", kinds=("told",))).recollections),
        "attempts": [item.record.id for item in memory.recall(Query("apple bed", kinds=("episodic",))).recollections],
        "guidelines": sorted(
            item.record.text for item in memory.recall(Query("", user="ann", kinds=("guideline",))).recollections
        ),
        "ways": sorted(
            item.record.text for item in memory.recall(Query("", user="ann", kinds=("trajectory",))).recollections
        ),
        "units": sorted(unit.node.id for unit in memory.units()),
        "first to go": next(unit.node.id for unit in memory.units()),
        "nodes": {node.id: [node.parent, *node.position] for node in graph.nodes()},
        "mug at 31 s": list(memory.scene_graph(SCENE, at=31.0).node("Mug|1").position),
        "roads": sorted([edge.source, edge.target, edge.weight] for edge in graph.edges()),
        "capacity": memory.settings.capacity,
        "of ann": sorted(item.record.id for item in memory.recall(Query("", user="ann", limit=100)).recollections),
    }


def main(folder):
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "memory.sqlite3"
        with Memory(path, embedder="lexical", **settings(folder)) as memory:
            live(memory)
            _, snapshot = memory.upkeep.snapshot()
            memory.upkeep.export(folder / "export.jsonl.gz")
            (folder / "known.json").write_text(json.dumps(known(memory), indent=1, sort_keys=True) + "\n")
        shutil.copy(snapshot, folder)
        with gzip.GzipFile(folder / "memory.sqlite3.gz", "wb", mtime=0) as packed:
            packed.write(path.read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
