# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A small kitchen, and short ways to say what happens in it."""

from itertools import count

from karma_memory import Code, Edge, Event, EventKind, Layer, Node, Relation, SkillCall, SkillOutcome, SkillTarget

_ids = count()
SCENE = "home1"

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
