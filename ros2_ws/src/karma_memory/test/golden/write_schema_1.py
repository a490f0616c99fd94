# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Write schema-1.sqlite3.gz with the code of the first commit: see README.md; test_golden.py asks what is in it."""

import gzip
import sys
import tempfile
from pathlib import Path

from world import APPLE, BED, HOME, ROADS, SCENE, event, outcome, thing, told

from karma_memory import Code, EventKind, Image, Memory


def main(path):
    with tempfile.TemporaryDirectory() as temporary:
        journal = Path(temporary) / "memory.sqlite3"
        with Memory(journal, embedder="lexical") as memory:
            start = {"episode": "e1", "user": "ann", "scene": SCENE}
            moved = thing(APPLE.id, BED.position, receptacle=BED.id, relation="on", seen=4.0)
            picture = Image.of("jpeg", b"\xff\xd8picture")
            memory.remember(
                [
                    event(EventKind.OBSERVATION, 1.0, id="home", scene=SCENE, nodes=HOME, edges=ROADS),
                    event(EventKind.EPISODE_START, 2.0, id="start", text="put the apple on the bed", **start),
                    outcome("PutObject", moved, stamp=4.0, id="put", episode="e1", image=picture),
                    event(EventKind.EPISODE_END, 5.0, id="end", code=Code.SUCCESS, episode="e1", scene=SCENE),
                    told("ann is allergic to nuts", 6.0, id="nuts", user="ann"),
                    told("the spare key is in the drawer", 7.0, id="key"),
                ]
            )
            memory.edit("told:key", "the spare key is under the mat", stamp=8.0)
        path.write_bytes(gzip.compress(journal.read_bytes(), mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
