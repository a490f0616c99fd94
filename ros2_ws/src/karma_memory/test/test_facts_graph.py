# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Edits of the graph: insertion, expiry, replacement by comparing relations (EMG-RAG, section 4.2)."""

from datetime import datetime, timezone

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karma_language.reading import Telling, Told
from karma_language.told.facts.extraction import Mention
from karma_language.told.facts.relations import TYPES, relations, subclasses, takes_many
from karma_language.told.reader import read_told
from karma_memory.facts.edit import Operation
from karma_memory.facts.fact import USER_NODE
from karma_memory.facts.graph import EditableMemoryGraph

NOW = datetime(2026, 5, 6, 10, tzinfo=timezone.utc).timestamp()
DAY = 86_400.0


def tell(graph, *texts, start=NOW):
    edits = []
    for number, text in enumerate(texts):
        stamp = start + number
        edits = graph.edit(read_told(text, stamp), source=f"{start:.0f}-{number}", stamp=stamp)
    return edits


def holding(graph):
    names = graph.entities.nodes
    return {(names[f.head].name, f.relation, names[f.tail].name) for f in graph.facts()}


def test_the_papers_types_have_the_subclasses_of_table_7():
    kinds = [kind for kind, _ in subclasses().values()]
    assert set(kinds) == set(TYPES)
    assert {"spouse", "parents_children", "relatives", "colleagues_friends", "teachers_students"} <= set(subclasses())
    assert [kinds.count(kind) for kind in ("relationship", "preference", "event")] == [5, 6, 3]


def test_a_new_relation_is_inserted():
    graph = EditableMemoryGraph()
    (edit,) = tell(graph, "My phone number is 555 0100.")
    assert edit.operation is Operation.INSERTED
    assert holding(graph) == {("user", "phone number", "555 0100")}
    assert edit.fact.subclass == "contact"


def test_the_same_relation_in_other_words_replaces():
    graph = EditableMemoryGraph()
    tell(graph, "My sister Ada lives in Cork.", "My sister Ben lives in Bonn.")
    (edit,) = tell(graph, "Ada has moved to Graz.", start=NOW + 60)
    assert edit.operation is Operation.REPLACED
    assert ("Ada", "residence", "Graz") in holding(graph)
    assert ("Ben", "residence", "Bonn") in holding(graph)
    assert ("Ada", "residence", "Cork") not in holding(graph)
    (old,) = graph.closed
    assert (old.valid_until, old.replaced_by) == (NOW + 60, edit.fact.id)


def test_a_relation_that_nobody_listed_replaces_too():
    graph = EditableMemoryGraph()
    tell(graph, "Our alarm code is 1234.")
    (edit,) = tell(graph, "The new alarm code is 9876.", start=NOW + 60)
    assert edit.operation is Operation.REPLACED
    assert holding(graph) == {("user", "alarm code", "9876")}


def test_what_is_told_again_is_confirmed_not_doubled():
    graph = EditableMemoryGraph()
    tell(graph, "I work as a welder.")
    (edit,) = tell(graph, "I am a welder.", start=NOW + 60)
    assert edit.operation is Operation.CONFIRMED
    assert len(graph.facts()) == 1


def test_likes_are_many_and_a_dislike_replaces_the_like_of_the_same_thing():
    graph = EditableMemoryGraph()
    tell(graph, "I like squid.", "I like jazz.", "I hate squid.")
    assert holding(graph) == {("user", "likes", "jazz"), ("user", "dislikes", "squid")}


def test_what_a_sentence_says_it_takes_the_place_of_keeps_its_relation():
    graph = EditableMemoryGraph()
    tell(graph, "My car is a Lada.", "I have sold the Lada and bought a Fiat.")
    assert holding(graph) == {("user", "car", "Fiat")}


def test_an_event_is_over_with_everything_about_it():
    graph = EditableMemoryGraph()
    tell(graph, "I have a dentist appointment on Friday at 9 am.", "My dentist appointment is at the Harbour Clinic.")
    friday = datetime(2026, 5, 8, tzinfo=timezone.utc).timestamp()
    assert graph.expire(friday + 8 * 3600) == []
    assert len(graph.expire(friday + 10 * 3600)) == 2
    assert graph.facts() == []


def test_an_event_that_was_moved_ends_later():
    graph = EditableMemoryGraph()
    tell(graph, "I have a haircut on Friday at 9 am.", "The haircut has been moved to 20 May at 9 am.")
    assert graph.expire(NOW + 5 * DAY) == []
    assert ("haircut", "time", "2026-05-20 09:00") in holding(graph)


def test_what_was_called_off_is_gone():
    graph = EditableMemoryGraph()
    tell(graph, "My haircut is on 20 May at 9 am.", "My exam is on 20 May at 9 am.", "The haircut has been cancelled.")
    assert holding(graph) == {("exam", "time", "2026-05-20 09:00")}


def test_she_is_who_was_spoken_of_last():
    graph = EditableMemoryGraph()
    tell(graph, "My aunt Ida lives in Oslo.", "My uncle Per lives in Bergen.", "She is a judge.", "He is a cook.")
    assert {("Ida", "occupation", "judge"), ("Per", "occupation", "cook")} <= holding(graph)


def test_somebody_known_by_a_role_gets_a_name_later():
    graph = EditableMemoryGraph()
    tell(graph, "My neighbour works as a baker.", "My neighbour is called Olu.", "Olu lives in Leeds.")
    assert graph.node_of(Mention("", ("neighbour",))) == graph.entities.named("Olu")
    assert {("Olu", "occupation", "baker"), ("Olu", "residence", "Leeds")} <= holding(graph)


def test_a_new_boss_takes_the_place_of_the_old_and_a_second_sister_does_not():
    graph = EditableMemoryGraph()
    tell(graph, "My boss is Kim.", "My boss is Lou.", "My sister is Eva.", "My sister is Mia.")
    assert {("user", "boss", "Lou"), ("user", "sister", "Eva"), ("user", "sister", "Mia")} == holding(graph)


def test_without_editing_everything_is_kept():
    graph = EditableMemoryGraph(editing=False)
    tell(graph, "I live in Cork.", "I have moved to Graz.", "I have a haircut on Friday at 9 am.")
    graph.expire(NOW + 30 * DAY)
    assert len(graph.facts()) == 3
    assert graph.closed == []


@pytest.mark.parametrize("relation", sorted(relations()))
def test_every_relation_has_a_partition(relation):
    assert relations()[relation].subclass in {"", *subclasses()}


NAMES = st.sampled_from(["ada", "ben", "cy", "dot"])
CLAIMS = st.builds(
    lambda who, relation, value: Told(quote="", kind=Telling.FACT, of=(who,), relation=relation, value=(value,)),
    st.sampled_from(["me", "ada", "ben"]),
    st.sampled_from(["residence", "employer", "likes", "dislikes", "boss", "sister", "~repair", "locker code"]),
    st.sampled_from(["york", "leeds", "ada", "ben", "bob"]),
)


@settings(deadline=None, max_examples=120)
@given(st.lists(st.tuples(CLAIMS, st.booleans(), st.integers(0, 3)), max_size=25))
def test_after_any_edits_the_graph_is_whole(steps):
    """Partitions and nodes hold the facts; a relation that has one object has one; nothing is lost."""
    graph = EditableMemoryGraph()
    inserted = 0
    for number, (claim, expires, pause) in enumerate(steps):
        edits = graph.edit([claim], source=f"e{number}", stamp=NOW + number)
        inserted += sum(edit.operation in (Operation.INSERTED, Operation.REPLACED) for edit in edits)
        if expires:
            graph.expire(NOW + number + pause)
    facts = graph.facts()
    for fact in facts:
        assert fact in graph.latest(fact.subclass, len(facts))
        assert fact in list(graph.around(fact.head))
        assert fact in list(graph.around(fact.tail))
        assert fact.valid_until is None
    single = [(f.head, f.relation) for f in facts if not takes_many(f.relation) and f.relation != "sister"]
    assert len(single) == len(set(single))
    opposed = [(f.head, f.tail) for f in facts if f.relation in ("likes", "dislikes")]
    assert len(opposed) == len(set(opposed))
    assert len(facts) + len(graph.closed) == inserted
    assert len({f.id for f in [*facts, *graph.closed]}) == inserted


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.floats(0, 100), st.booleans()), max_size=12), st.floats(0, 100))
def test_exactly_what_has_ended_expires(ends, now):
    graph = EditableMemoryGraph()
    for number, (_, lasting) in enumerate(ends):
        liked = Told(quote="", kind=Telling.FACT, relation="likes", value=(f"thing{number}",))
        graph.edit([liked], source=f"e{number}", stamp=0.0)
        if not lasting:
            fact = graph.facts()[-1]
            graph._facts[fact.id] = type(fact)(**{**vars(fact), "expires": ends[number][0]})
    gone = {edit.fact.id for edit in graph.expire(now)}
    assert gone == {f"e{i}#0" for i, (end, lasting) in enumerate(ends) if not lasting and end <= now}
    assert graph.next_expiry() == min((e for e, lasting in ends if not lasting and e > now), default=np.inf)


def test_the_user_is_the_root():
    graph = EditableMemoryGraph()
    tell(graph, "I live in Cork.")
    assert graph.of(USER_NODE) == graph.facts()
