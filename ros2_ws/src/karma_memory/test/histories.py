# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Random events of all kinds, about few enough things that they meet again."""

from hypothesis import strategies as st

from karma_language.reading import Reading, Telling, Told
from karma_memory import Code, Edge, Event, EventKind, Layer, Node, PolicySettings, Relation, SkillTarget
from karma_memory.events import SkillCall, SkillOutcome
from karma_memory.short_term.memory import settings_to_json
from karma_memory.short_term.policy import POLICIES

scenes = st.sampled_from(["", "home1", "home2"])
users = st.sampled_from(["", "ann", "bob"])
places = st.sampled_from(["Fridge|1", "Table|1", "Bowl|1", "Apple|1"])
parents = st.sampled_from(["", "node_1", "node_2", "kitchen", "bedroom"])
points = st.sampled_from([(0.0, 0.0, 1.0), (1.0, 0.0, 1.0), (2.0, 0.0, 1.0), (8.0, 0.0, 1.0)])
object_ids = st.sampled_from(["Fridge|1", "Table|1", "Bowl|1", "Apple|1", "Apple|2", "RubberDuck|1"])
structure_ids = st.sampled_from(["floor", "kitchen", "bedroom", "node_1", "node_2"])

objects = st.builds(
    lambda node_id, category, position, movable, holder, relation, parent, states, confidence: Node(
        node_id,
        Layer.OBJECT,
        category or node_id.split("|")[0],
        position=position,
        movable=movable,
        receptacle=holder if relation != "held" else "",
        relation=relation,
        parent=parent,
        states=states,
        confidence=confidence,
    ),
    object_ids,
    st.sampled_from(["", "", "", "DeskLamp"]),
    points,
    st.booleans(),
    places | st.just(""),
    st.sampled_from(["", "on", "in", "held"]),
    parents,
    st.sampled_from([{}, {"isOpen": "true"}, {"isDirty": "false"}]),
    st.sampled_from([0.5, 1.0]),
)
structures = st.builds(
    lambda node_id, name, parent, position: Node(
        node_id,
        Layer.AREA if node_id.startswith("node") else Layer.FLOOR if node_id == "floor" else Layer.ROOM,
        node_id.split("_")[0].capitalize(),
        name=name,
        parent=parent,
        position=position,
    ),
    structure_ids,
    st.sampled_from(["", "one", "two"]),
    st.sampled_from(["", "floor", "kitchen", "bedroom"]),
    points,
)
nodes = st.lists(st.one_of(objects, structures), max_size=4, unique_by=lambda node: node.id).map(tuple)
edges = st.lists(
    st.builds(
        Edge,
        st.sampled_from(Relation),
        st.one_of(object_ids, structure_ids),
        st.one_of(object_ids, structure_ids),
        st.sampled_from([1.0, 2.0]),
    ),
    max_size=2,
).map(tuple)
goals = st.lists(
    st.sampled_from(["place(Apple, Fridge, in)", "place(Bowl, Fridge, in)", "clean(Apple)", "open(Fridge)"]), max_size=2
).map(tuple)
gone = st.lists(st.one_of(object_ids, structure_ids), max_size=2).map(tuple)
targets = st.builds(SkillTarget, object_ids | st.just(""), st.sampled_from(["", "Apple", "Bowl"]), points | st.none())
records = st.one_of(
    st.builds(lambda kind, scene, node: f"{kind}:{scene}/{node}", st.sampled_from(["long_term", "short_term"]), scenes,
              st.one_of(object_ids, structure_ids)),
    st.integers(0, 30).map(lambda number: f"told:event{number}"),
    st.builds(lambda kind, number: f"{kind}:event{number}#0", st.sampled_from(["facts", "profile"]), st.integers(0, 9)),
    st.integers(0, 9).map(lambda number: f"preferences:event{number}"),
    st.sampled_from(["episodic:e1", "episodic:e2"]),
    st.integers(0, 30).map(lambda number: f"guideline:event{number}#0"),
)  # fmt: skip
texts = st.sampled_from(
    [
        "the apple is in the bowl",
        "bring an apple",
        "ducks",
        "kitchen table",
        "no",
        "I live in Oslo.",
        "I moved to Bonn.",
        "I prefer tea when I am tired",
        "Put the bowl on the table. It is my favorite bowl.",
        "The bowl was a gift from my mother.",
    ]
)
readings = st.builds(
    lambda told: Reading(reader="model", items=tuple(told)).to_json(),
    st.lists(
        st.sampled_from(
            [
                Told(quote="", kind=Telling.FACT, relation="residence", value=("Rome",)),
                Told(quote="", kind=Telling.FACT, relation="likes", value=("me", "sister")),
                Told(quote="", kind=Telling.OVER, relation="residence"),
                Told(quote="", kind=Telling.PREFERENCE, value=("milk",), circumstance="when I am tired"),
                Told(quote="my bowl", kind=Telling.MEANING, name="my bowl", sort="ownership", things=("bowl",)),
                Told(quote="", kind=Telling.DENIAL, value=("bowl",), ended=True),
            ]
        ),
        max_size=3,
    ),
)
changes = st.one_of(
    st.fixed_dictionaries(
        {"kind": st.just(EventKind.OBSERVATION), "scene": scenes, "nodes": nodes, "edges": edges, "removed": gone,
         "removed_edges": edges, "episode": st.sampled_from(["", "e1"])}),
    st.fixed_dictionaries(
        {"kind": st.just(EventKind.SKILL_OUTCOME), "scene": scenes, "nodes": nodes, "removed": gone,
         "episode": st.sampled_from(["", "e1", "e2"]),
         "outcome": st.builds(
             SkillOutcome,
             st.builds(
                 SkillCall,
                 st.sampled_from(["GoToObject", "PickupObject", "PutObject", "Explore", "OpenObject", "ToggleOn"]),
                 targets,
                 targets),
             st.sampled_from([Code.SUCCESS, Code.SUCCESS, Code.NOT_FOUND, Code.EXECUTION_FAILURE]),
             st.sampled_from(["", "It is locked."]), seen=nodes)}),
    st.fixed_dictionaries(
        {"kind": st.just(EventKind.EPISODE_START), "scene": scenes, "user": users, "text": texts,
         "episode": st.sampled_from(["e1", "e2"]), "goals": goals, "retry_of": st.sampled_from(["", "e1", "e2"])}),
    st.fixed_dictionaries(
        {"kind": st.just(EventKind.EPISODE_END), "text": st.just("done"), "used": records.map(lambda name: (name,)),
         "code": st.sampled_from([Code.SUCCESS, Code.SUCCESS, Code.EXECUTION_FAILURE]),
         "episode": st.sampled_from(["e1", "e2"])}),
    st.fixed_dictionaries(
        {"kind": st.just(EventKind.TOLD), "scene": scenes, "user": users, "text": texts}),
    st.fixed_dictionaries(
        {"kind": st.just(EventKind.FEEDBACK), "scene": scenes, "user": users, "text": texts,
         "code": st.sampled_from([Code.UNSET, Code.SUCCESS, Code.EXECUTION_FAILURE]),
         "episode": st.sampled_from(["", "e1", "e2"])}),
    st.fixed_dictionaries(
        {"kind": st.just(EventKind.REFLECTION), "user": users, "episode": st.sampled_from(["e1", "e2"]),
         "text": st.sampled_from(['{"insights": ["look before you take"]}', "nonsense"])}),
    st.fixed_dictionaries(
        {"kind": st.just(EventKind.READING), "user": users, "episode": st.sampled_from(["", "e1", "e2"]),
         "target": st.sampled_from([f"event{number}" for number in range(6)]),
         "text": st.one_of(readings, st.just("nonsense"))}),
    st.fixed_dictionaries(
        {"kind": st.just(EventKind.EDIT), "target": records,
         "text": st.sampled_from(["", "", "edited apple", "I prefer ducks"]),
         "message": st.sampled_from(["", "", "profile:event3#0"])}),
    st.fixed_dictionaries(
        {"kind": st.just(EventKind.ACCESS), "accessed": st.lists(records, max_size=2).map(tuple)}),
    st.builds(
        lambda policy, capacity: {
            "kind": EventKind.CONFIGURE, "text": settings_to_json(PolicySettings(policy, capacity))},
        st.sampled_from(POLICIES), st.integers(1, 4)),
)  # fmt: skip
histories = st.lists(st.tuples(changes, st.sampled_from([0.0, 1.0, 30.0, -100.0])), max_size=30)


def events_of(history):
    """Yield the events of a history."""
    clock = 100.0
    for number, (fields, pause) in enumerate(history):
        clock = max(1.0, clock + pause)
        yield Event(id=f"event{number}", stamp=clock, **fields)
