# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A small kitchen, and short ways to say what happens in it."""

from itertools import count

from karma_memory import (
    Code,
    Edge,
    Event,
    EventKind,
    Image,
    Layer,
    Node,
    Query,
    Relation,
    SkillCall,
    SkillOutcome,
    SkillTarget,
)
from karma_memory.encoding import dumps

_ids = count()
SCENE = "home1"
PICTURE = Image.of("jpeg", b"\xff\xd8apple")
MOVES = 30
"""How often the apple is moved while a memory lives."""

FLOOR = Node("floor", Layer.FLOOR, "Floor")
KITCHEN = Node("kitchen", Layer.ROOM, "Kitchen", name="kitchen 1", parent="floor")
BEDROOM = Node("bedroom", Layer.ROOM, "Bedroom", name="bedroom 1", parent="floor")
AREAS = (
    Node("node_1", Layer.AREA, "Area", name="node_1", parent="kitchen", position=(0.0, 0.0, 0.0)),
    Node("node_2", Layer.AREA, "Area", name="node_2", parent="kitchen", position=(2.0, 0.0, 0.0)),
    Node("node_3", Layer.AREA, "Area", name="node_3", parent="bedroom", position=(8.0, 0.0, 0.0)),
)
ROADS = (Edge(Relation.REACHABLE, "node_1", "node_2", 2.0), Edge(Relation.REACHABLE, "node_2", "node_3", 6.0))


def thing(node_id, position=(0.0, 0.0, 1.0), *, seen=1.0, movable=True, **fields):
    return Node(
        node_id, Layer.OBJECT, node_id.split("|")[0], position=position, last_seen=seen, movable=movable, **fields
    )


def furniture(node_id, position=(0.0, 0.0, 0.5), **fields):
    return thing(node_id, position, movable=False, **fields)


FRIDGE = furniture("Fridge|1", (0.0, 1.0, 1.0), parent="node_1", states={"isOpen": "false"})
COUNTER = furniture("CounterTop|1", (2.0, 1.0, 1.0), parent="node_2")
BED = furniture("Bed|1", (8.0, 1.0, 0.5), parent="node_3")
APPLE = thing("Apple|1", (2.0, 1.0, 1.1), receptacle="CounterTop|1", relation="on", parent="node_2")
HOME = (FLOOR, KITCHEN, BEDROOM, *AREAS, FRIDGE, COUNTER, BED, APPLE)


def event(kind, stamp, **fields):
    fields.setdefault("id", f"event-{next(_ids)}")
    return Event(kind=kind, stamp=stamp, **fields)


def seen(*nodes, stamp=1.0, scene=SCENE, **fields):
    return event(EventKind.OBSERVATION, stamp, scene=scene, nodes=nodes, **fields)


def home(stamp=1.0, scene=SCENE):
    return seen(*HOME, stamp=stamp, scene=scene, edges=ROADS)


def outcome(skill, *nodes, stamp=2.0, scene=SCENE, code=Code.SUCCESS, target=SkillTarget(), saw=(), **fields):  # noqa: B008
    done = SkillOutcome(SkillCall(skill, target=target), code, seen=tuple(saw), stamp=stamp)
    return event(EventKind.SKILL_OUTCOME, stamp, scene=scene, nodes=nodes, outcome=done, **fields)


def told(text, stamp=1.0, **fields):
    return event(EventKind.TOLD, stamp, text=text, **fields)


def statements(count, prefix="e", text="something was said"):
    return [told(f"{text} {i}", float(i), id=f"{prefix}{i}") for i in range(count)]


def move(i):
    """See the apple somewhere else, every ten seconds."""
    return seen(thing("Apple|1", (float(i), 0.0, 1.0), seen=10.0 * i), stamp=10.0 * i, id=f"move{i}")


def live(memory):
    """Live through an episode, and then see the apple move."""
    memory.remember([home(), told("ann likes tea", 2.0, id="tea", user="ann")])
    memory.remember([outcome("PutObject", APPLE, stamp=3.0, id="put", image=PICTURE)])
    memory.remember(
        [
            event(EventKind.EPISODE_START, 4.0, id="start", episode="e1", text="find a mug"),
            outcome("GoToObject", thing("Mug|1", seen=5.0), stamp=5.0, id="step", episode="e1"),
            event(EventKind.EPISODE_END, 6.0, id="end", episode="e1", code=Code.SUCCESS),
        ]
    )
    for i in range(1, MOVES):
        memory.remember([move(i)])
        memory.recall(Query("the apple"))
    memory.flush()


def state(memory):
    """Return all that a memory knows, as text."""
    return dumps(memory._state.snapshot())
