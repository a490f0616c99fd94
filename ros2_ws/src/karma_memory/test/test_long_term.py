# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the long-term memory adds to recall: contents, likely places, what is gone."""

from dataclasses import replace

import pytest
from world import APPLE, AREAS, COUNTER, SCENE, furniture, home, outcome, seen, thing

from karma_memory import Code, Edge, PolicySettings, Query, Relation, SkillTarget
from karma_memory.state.state import MemoryState


@pytest.fixture
def state():
    state = MemoryState(PolicySettings())
    state.apply(home())
    return state


def ask(state, text, **fields):
    query = Query(text, **fields)
    return state.answer(query, state.search(query, None)).recollections


def test_where_something_is_that_is_known_is_answered_by_what_is_known(state):
    assert [item.record.id for item in ask(state, "where is the apple")] == ["long_term:home1/Apple|1"]


def test_where_something_was_that_is_gone_and_where_it_may_be(state):
    state.apply(seen(thing("Pen|1", receptacle="Bed|1", relation="on", parent="node_3"), stamp=2.0))
    state.apply(outcome("GoToObject", code=Code.NOT_FOUND, target=SkillTarget(id="Apple|1"), stamp=50.0))
    places, gone = ask(state, "where is my apple")[:2], ask(state, "where is my apple")[-1]
    assert [item.record.node.id for item in places] == ["CounterTop|1", "Bed|1"]
    # p0: counter 1/3, bed 2/3 (a pen is on it); a sighting that ended in vain counts 1/2:
    # p1(counter) = (1/2 + 1/3) / (3/2) = 5/9, p2 = (1/2 + 5/9) / (3/2) = 19/27 = 0.70
    assert places[0].record.text == (
        "apple is probably on the CounterTop, in kitchen 1, at [2.00, 1.00, 1.00] (probability 0.70)"
    )
    assert places[0].why[0] == "likely place, probability 0.70: seen there 1×"
    assert (places[0].record.valid_from, places[0].record.valid_until) == (1.0, 50.0)
    assert places[1].why[0] == "likely place, probability 0.30: other things are, here or elsewhere"
    assert gone.record.id == "long_term:home1/Apple|1"
    assert gone.record.text.endswith("at [2.00, 1.00, 1.10], until 50 s; gone since then")
    assert (gone.record.valid_until, gone.why) == (50.0, ("named in the query, gone since 50 s",))
    assert ask(state, "bring the apple") == ()  # an instruction is no question


@pytest.mark.parametrize("said", ["node", "edge"])
def test_only_objects_are_in_the_fridge_whatever_is_said_of_a_place(state, said):
    place = AREAS[1]
    if said == "node":
        state.apply(seen(replace(place, receptacle="Fridge|1", relation="in"), stamp=2.0))
    else:
        state.apply(seen(edges=(Edge(Relation.IN, place.id, "Fridge|1"),), stamp=2.0))
    state.apply(seen(thing("Egg|1", receptacle="Fridge|1", relation="in"), stamp=3.0))
    told = [item.record.id for item in ask(state, "what is in the fridge?", kinds=frozenset({"long_term"}))]
    assert "long_term:home1/Egg|1" in told
    graph = state.long_term.graph(SCENE)
    assert [(node.id, relation) for node, relation in graph.supported("Fridge|1")] == [("Egg|1", "in")]


def test_likely_places_say_how_likely_they_are_and_on_what_that_rests(state):
    state.apply(seen(thing("Pen|1", receptacle="Bed|1", relation="on", parent="node_3"), stamp=2.0))
    state.apply(seen(removed=("Apple|1",), stamp=3.0))
    found = [item.record for item in ask(state, "where is the apple", kinds=frozenset({"long_term"}), limit=20)]
    likely = [record.likely for record in found if record.likely is not None]
    assert sum(place.probability for place in likely) == pytest.approx(1.0)  # this memory alone gives all of them
    assert {place.sightings for place in likely} == {0.5}  # one, which counts half, as it was looked for in vain
    assert next(record for record in found if record.node.id == "Apple|1").likely is None


def test_likely_places_answer_within_the_filters_of_the_query(state):
    state.apply(seen(thing("Pen|1", receptacle="Bed|1", relation="on", parent="node_3"), stamp=2.0))
    state.apply(seen(removed=("Apple|1",), stamp=3.0))

    def places(**fields):
        return [item.record.node.id for item in ask(state, "where is the apple", **fields)]

    assert places(room="bedroom 1") == ["Bed|1"]
    assert places(near=(2.0, 1.0, 1.0), radius=1.0) == ["CounterTop|1", "Apple|1"]
    assert places(kinds=frozenset({"told"})) == []
    assert places(scene="elsewhere") == []


def test_what_is_doubted_is_still_told_and_so_is_where_else_it_may_be(state):
    inside = replace(APPLE, position=(0.0, 1.0, 1.0), receptacle="Fridge|1", relation="in", last_seen=2.0)
    state.apply(outcome("PutObject", inside))
    state.apply(outcome("GoToObject", code=Code.NOT_FOUND, target=SkillTarget(id="Apple|1"), stamp=3.0))
    found = ask(state, "where is the apple", kinds=frozenset({"long_term"}))
    assert [item.record.node.id for item in found][:1] == ["Apple|1"]
    assert {item.record.node.id for item in found[1:]} == {"Fridge|1", "CounterTop|1"}
    assert "named in the query, confidence 0.50" in found[0].why


def test_where_to_look_in_a_home_that_never_had_one_is_learned_from_another(state):
    state.apply(
        seen(furniture("Bed|9"), thing("Umbrella|1", receptacle="Bed|9", relation="on"), scene="home2", stamp=2.0)
    )
    state.apply(seen(COUNTER, stamp=3.0))
    first = ask(state, "where is an umbrella", scene="home1")[0]
    assert (first.record.node.id, first.record.scene) == ("Bed|1", "home1")


def test_what_is_in_something_comes_with_it(state):
    state.apply(
        seen(*(thing(f"Egg|{i}", receptacle="Fridge|1", relation="in", parent="node_1") for i in (1, 2)), stamp=2.0)
    )
    found = ask(state, "what is in the fridge")
    assert {item.record.node.id for item in found[:3]} == {"Fridge|1", "Egg|1", "Egg|2"}
    eggs = [item for item in found if item.record.node.category == "Egg"]
    assert all("in the Fridge, which the query names, confidence 1.00" in item.why for item in eggs)
    assert "Egg|1" not in {item.record.node.id for item in ask(state, "what is in the fridge", room="bedroom")}
