# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""BrainMem's spatial graph is the long-term memory: no second one is built."""

from world import AREAS, COUNTER, FLOOR, FRIDGE, KITCHEN, SCENE, home, seen, thing

from karma_memory import Edge, PolicySettings, Query, Relation
from karma_memory.state.state import MemoryState


def test_the_spatial_graph_answers_what_is_in_a_room_and_on_in_or_near_what_across_scenes():
    """BrainMem, section 3.2.2: rooms contain objects, objects are near, on or in others; asked in a new scene."""
    state = MemoryState(PolicySettings())
    knife = thing("Knife|1", (2.0, 1.0, 1.1), receptacle="CounterTop|1", relation="on", parent="node_2")
    for event in (home(), seen(knife, edges=(Edge(Relation.NEAR, "Knife|1", "Apple|1"),))):
        state.apply(event)
    state.apply(seen(FLOOR, KITCHEN, *AREAS[:2], COUNTER, FRIDGE, scene="home2", stamp=9.0))

    def ask(text, **fields):
        query = Query(text, kinds=frozenset({"long_term"}), **fields)
        return [item.record for item in state.answer(query, state.search(query, None)).recollections]

    in_kitchen = {record.node.id for record in ask("", room="kitchen", scene=SCENE)}
    assert {"Apple|1", "Knife|1", "Fridge|1"} <= in_kitchen
    assert "Bed|1" not in in_kitchen
    assert "on the CounterTop" in ask("knife", scene=SCENE)[0].text
    near = [edge for edge in state.long_term.graph(SCENE).edges() if edge.type is Relation.NEAR]
    assert [{edge.source, edge.target} for edge in near] == [{"Knife|1", "Apple|1"}]
    likely = ask("where are knives?", scene="home2")[0]
    assert likely.scene == "home2"
    assert "CounterTop" in likely.text
