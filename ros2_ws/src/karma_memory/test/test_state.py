# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The state of all memories is a function of the events: lived through, replayed or restored, it is the same."""

import itertools
import json
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from world import AREAS, HOME, SCENE, furniture, home, outcome, seen, thing

from karma_memory import Code, Edge, Event, EventKind, Layer, Node, PolicySettings, Query, Relation, SkillTarget
from karma_memory.encoding import dumps
from karma_memory.events import SkillCall, SkillOutcome
from karma_memory.recall.prompt import estimate_tokens
from karma_memory.short_term.memory import settings_to_json
from karma_memory.short_term.policy import POLICIES
from karma_memory.state import MemoryState

SETTINGS = PolicySettings(capacity=3)

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
gone = st.lists(st.one_of(object_ids, structure_ids), max_size=2).map(tuple)
targets = st.builds(SkillTarget, object_ids | st.just(""), st.sampled_from(["", "Apple", "Bowl"]), points | st.none())
records = st.one_of(
    st.builds(lambda kind, scene, node: f"{kind}:{scene}/{node}", st.sampled_from(["long_term", "short_term"]), scenes,
              st.one_of(object_ids, structure_ids)),
    st.integers(0, 30).map(lambda number: f"told:event{number}"),
    st.sampled_from(["episodic:e1", "episodic:e2"]),
)  # fmt: skip
texts = st.sampled_from(["the apple is in the bowl", "bring an apple", "ducks", "kitchen table", "no"])
changes = st.one_of(
    st.fixed_dictionaries(
        {"kind": st.just(EventKind.OBSERVATION), "scene": scenes, "nodes": nodes, "edges": edges, "removed": gone,
         "removed_edges": edges, "episode": st.sampled_from(["", "e1"])}),
    st.fixed_dictionaries(
        {"kind": st.just(EventKind.SKILL_OUTCOME), "scene": scenes, "nodes": nodes, "removed": gone,
         "episode": st.sampled_from(["", "e1", "e2"]),
         "outcome": st.builds(
             SkillOutcome,
             st.builds(SkillCall, st.sampled_from(["GoToObject", "PutObject", "Explore", "OpenObject"]), targets),
             st.sampled_from([Code.SUCCESS, Code.NOT_FOUND]), seen=nodes)}),
    st.fixed_dictionaries(
        {"kind": st.just(EventKind.EPISODE_START), "scene": scenes, "user": users, "text": texts,
         "episode": st.sampled_from(["e1", "e2"])}),
    st.fixed_dictionaries(
        {"kind": st.just(EventKind.EPISODE_END), "text": st.just("done"), "code": st.just(Code.SUCCESS),
         "episode": st.sampled_from(["e1", "e2"])}),
    st.fixed_dictionaries(
        {"kind": st.sampled_from([EventKind.TOLD, EventKind.FEEDBACK]), "scene": scenes, "user": users, "text": texts}),
    st.fixed_dictionaries(
        {"kind": st.just(EventKind.EDIT), "target": records, "text": st.sampled_from(["", "", "edited apple"])}),
    st.fixed_dictionaries(
        {"kind": st.just(EventKind.ACCESS), "accessed": st.lists(records, max_size=2).map(tuple)}),
    st.builds(
        lambda policy, capacity: {
            "kind": EventKind.CONFIGURE, "text": settings_to_json(PolicySettings(policy, capacity))},
        st.sampled_from(POLICIES), st.integers(1, 4)),
)  # fmt: skip
histories = st.lists(st.tuples(changes, st.sampled_from([0.0, 1.0, 30.0, -100.0])), max_size=30)

QUESTIONS = [
    Query("where is the apple", user="ann", limit=50),
    Query("what is in the bowl on the table in the kitchen", limit=50, token_budget=120),
    Query("where are the rubber duck and the duck", user="ann", limit=50, since=101.0),
    Query("the bowl on the table", limit=3),
    Query("rubber ducks", scene="home1", limit=50),
    Query("apple", room="kitchen", limit=50),
    Query("apple", near=(1.0, 0.0, 1.0), radius=1.5, limit=50),
    Query("", limit=50),
    Query("apple", kinds=frozenset({"short_term", "told"}), user="bob", limit=50),
]


def events_of(history):
    clock = 100.0
    for number, (fields, pause) in enumerate(history):
        clock = max(1.0, clock + pause)
        yield Event(id=f"event{number}", stamp=clock, **fields)


def replayed(events, state=None):
    state = state or MemoryState(SETTINGS)
    for event in events:
        state.apply(event)
    return state


def restored(state):
    again = MemoryState(SETTINGS)
    again.restore(json.loads(dumps(state.snapshot())))
    return again


def ask(state, query):
    return state.answer(query, state.search(query, None))


def answers(state):
    return [ask(state, query) for query in QUESTIONS]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(histories, st.integers(0, 30))
def test_living_replaying_and_restoring_give_the_same_state_and_the_same_answers(history, cut):
    events = list(events_of(history))
    lived = MemoryState(SETTINGS)
    for event, query in zip(events, itertools.cycle(QUESTIONS), strict=False):
        lived.apply(event)
        answer = ask(lived, query)  # changes nothing
        assert estimate_tokens(answer.prompt) <= query.token_budget
        assert len({item.record.id for item in answer.recollections}) == len(answer.recollections)
        assert all(item.why and item.record.source and 0 <= item.score <= 1 for item in answer.recollections)
    for again in (replayed(events), replayed(events[cut:], restored(replayed(events[:cut]))), restored(lived)):
        assert dumps(again.snapshot()) == dumps(lived.snapshot())
        assert again.index.records == lived.index.records
        assert answers(again) == answers(lived)


def text_of(state, node_id, scene=SCENE):
    return state.index.records[f"long_term:{scene}/{node_id}"].text


def test_what_rests_on_a_thing_is_told_by_the_things_new_name():
    state = replayed([home(), seen(furniture("CounterTop|1", (2.0, 1.0, 1.0), parent="node_2"), stamp=2.0)])
    assert text_of(state, "Apple|1").startswith("Apple is on the CounterTop")
    renamed = replace(HOME[7], category="Sideboard", last_seen=3.0)
    state.apply(seen(renamed, stamp=3.0))
    assert text_of(state, "Apple|1").startswith("Apple is on the Sideboard")
    state.apply(seen(removed=("CounterTop|1",), stamp=4.0))
    assert text_of(state, "Apple|1").startswith("Apple is on the CounterTop|1")


def test_when_an_area_goes_or_a_room_changes_its_name_the_texts_of_what_is_there_follow():
    state = replayed([home(), seen(thing("Mug|1", (7.0, 0.0, 1.0)))])
    assert ", in bedroom 1," in text_of(state, "Mug|1")
    state.apply(seen(Node("bedroom", Layer.ROOM, "Bedroom", name="guest room", parent="floor"), stamp=2.0))
    assert ", in guest room," in text_of(state, "Mug|1")
    state.apply(seen(removed=("node_3",), stamp=3.0))
    assert ", in kitchen 1," in text_of(state, "Mug|1")  # the nearest area that is left
    state.apply(seen(AREAS[2], stamp=4.0))
    assert ", in guest room," in text_of(state, "Mug|1")


def test_names_and_movability_that_were_learned_outlive_the_objects_and_a_restart():
    state = replayed(
        [
            seen(thing("RubberDuck|1")),
            seen(thing("RubberDuck|2", movable=False), stamp=2.0),
            outcome("PutObject", thing("Chair|1"), stamp=3.0),
            seen(removed=("RubberDuck|1", "RubberDuck|2"), stamp=4.0),
        ]
    )
    for known in (state, restored(state)):
        assert [mention.phrase for mention in known.index.vocabulary.mentions("a duck")] == ["duck"]
        assert not known.index.vocabulary.is_movable("RubberDuck")
        assert known.index.vocabulary.is_movable("Chair")
