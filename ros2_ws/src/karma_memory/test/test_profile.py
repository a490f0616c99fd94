# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import json

import pytest
from heard import live
from hypothesis import given, settings
from hypothesis import strategies as st
from profile_life import event, lived, records, texts

from karma_language.reading import Telling, Told
from karma_language.told.habits.commands import moves
from karma_language.told.habits.contrast import contrast
from karma_language.told.habits.nouns import Relation, relation
from karma_language.told.habits.references import place, thing
from karma_language.told.reader import read_told
from karma_memory import Code, EditError, Event, EventKind, Query, SkillCall, SkillOutcome, SkillTarget
from karma_memory.encoding import dumps
from karma_memory.profile.graph import RELATIONS, EdgeType, NodeType, ProfileGraph, SchemaError
from karma_memory.profile.identity import MATCH, Identity
from karma_memory.profile.likeness import Lexicon
from karma_memory.profile.memory import Operation, UserProfiles
from karma_memory.profile.projected import ProfileMemory
from karma_memory.recall.embedder import MiniLmEmbedder
from karma_memory.recall.index import HybridIndex

EMBEDDER = MiniLmEmbedder()
IDENTITY = Identity(Lexicon(EMBEDDER))

SET = (
    "Put the saucer and the bowl on the sideboard. The saucer is blue with a scalloped edge, and the bowl is white. "
    "The saucer and the bowl are part of my tea set."
)
ROUTINE = (
    "First, move the guitar from the attic to the living room. Then, place it on the couch next to the lamp. "
    "I usually have it there for practising in the evening."
)


def hear(profiles, user, text, scene):
    return profiles.hear(user, read_told(text, 0.0), told_in=text, scene=scene)


def profiles_of(*told, user="ada", scene="flat"):
    profiles = UserProfiles(EMBEDDER)
    changes = [change for text in told for change in hear(profiles, user, text, scene)]
    return profiles, changes


def described(profiles, user="ada"):
    return [(n.name, n.description) for n in profiles.graph.of_user(user, NodeType.OBJECT)]


def test_object_semantics_become_knowledge_composed_of_objects():
    profiles, (change,) = profiles_of(SET)
    nodes, edges = profiles.graph.expand([change.node])
    assert nodes[0].to_json()["alias"] == "my tea set"
    assert (nodes[0].subtype, nodes[0].category) == ("object_semantics", "group")
    assert [(n.name, n.granularity) for n in nodes[1:]] == [("saucer", "instance"), ("bowl", "instance")]
    assert {(e.relation, e.type) for e in edges} == {("composed_of", EdgeType.HIERARCHICAL)}


def test_user_patterns_keep_their_order_in_time_and_their_places():
    profiles, (change,) = profiles_of(ROUTINE)
    assert profiles.graph.node(change.node).category == "routine"
    first, second = profiles.graph.patterns(change.node)
    assert first.args == ("guitar", "from the attic", "to the living room")
    assert second.args == ("guitar", "on the couch in the living room", "next to the lamp")
    _, edges = profiles.graph.expand([change.node])
    assert [e.to_json() for e in edges if e.type is EdgeType.TEMPORAL] == [
        {"source": first.id, "target": second.id, "type": "Temporal", "relation": "before"}
    ]
    shared = {n.id for n in profiles.graph.children(first.id)} & {n.id for n in profiles.graph.children(second.id)}
    assert [profiles.graph.node(node).name for node in shared] == ["guitar"]


def test_an_object_has_one_node_however_much_knowledge_is_about_it():
    profiles, _ = profiles_of(SET, "Carry the blue saucer to the attic. The saucer was a gift from my aunt.")
    assert len(described(profiles)) == 2
    (saucer,) = [n for n in profiles.graph.of_user("ada", NodeType.OBJECT) if n.name == "saucer"]
    assert len(profiles.graph.parents(saucer.id)) == 2


def test_a_thing_that_looks_otherwise_is_another_thing():
    profiles, _ = profiles_of(
        "Take the cup away. The cup is red with a handle. It's my lucky cup.",
        "Take the cup away. The cup is green with a handle. The cup was a gift from my uncle.",
    )
    assert [name for name, _ in described(profiles)] == ["cup", "cup"]


def test_what_is_told_again_updates_and_what_is_new_is_added():
    profiles, changes = profiles_of(
        SET, "Bring the saucer. The saucer and the bowl are part of my tea set.", ROUTINE, SET.replace("tea", "fishing")
    )
    assert [change.operation for change in changes] == [
        Operation.ADD,
        Operation.UPDATE,
        Operation.ADD,
        Operation.ADD,
    ]
    assert changes[1].replaced == changes[0].node
    assert changes[0].node not in profiles.graph


def test_an_order_that_tells_nothing_changes_nothing():
    profiles, changes = profiles_of("Put the saucer on the table.", "Move the bowl. The bowl is white.")
    assert changes == []
    assert len(profiles.graph) == 0


def test_retrieval_finds_what_an_instruction_needs_and_says_it_in_words():
    profiles, _ = profiles_of(SET, ROUTINE)
    (first, *_) = found(profiles, "ada", "Get everything ready for me to practise tonight")
    assert first.subtype == "user_pattern"
    assert "guitar" in profiles.text(first.id)
    assert "then" in profiles.text(first.id)
    assert found(profiles, "ada", "Where is my tea set?")[0].alias == "my tea set"


def test_profiles_of_users_are_apart():
    profiles, _ = profiles_of(SET)
    hear(profiles, "bob", ROUTINE, "flat")
    assert found(profiles, "bob", "my tea set")[0].subtype == "user_pattern"
    assert found(profiles, "ada", "my tea set")[0].alias == "my tea set"


def found(profiles, user, instruction):
    """Return the knowledge that an instruction may need."""
    return [profiles.graph.node(one.episode.id) for one in profiles.find(user, instruction, scene="flat")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mouse pad", "mouse mat"),
        ("couch", "sofa"),
        ("a dark green flask with a cork", "the dark-green bottle with a cork"),
        ("silver ring with a small star", "the ring in silver, with a little star"),
    ],
)
def test_a_thing_is_itself_in_other_words(one, other):
    assert IDENTITY.of_things(thing(one), thing(other)) >= MATCH


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cup", "plate"),
        ("laptop stand", "phone stand"),
        ("candle", "candle holder"),
        ("toy train", "toy airplane"),
        ("white cup with a handle", "blue cup with a handle"),
        ("black clock with a red display", "black clock with a blue display"),
        ("white lamp with a paper shade", "white lamp with a steel arm"),
    ],
)
def test_what_differs_is_not_the_same(one, other):
    assert IDENTITY.of_things(thing(one), thing(other)) < MATCH


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("countertop at kitchen", "kitchen counter", True),
        ("table in the living room", "living room table", True),
        ("another shelf", "a separate shelf", True),
        ("another shelf", "the shelf", False),
        ("bedroom table", "kitchen table", False),
        ("chest of drawers in the bedroom", "bedroom dresser", True),
        ("the office", "the study", True),
        ("office", "office table", False),
    ],
)
def test_places_are_told_apart_by_furniture_room_and_being_another(one, other, same):
    assert (IDENTITY.of_places(place(one), place(other)) >= MATCH) is same


def about(*things):
    return Told(quote="", kind=Telling.MEANING, things=things)


def test_a_clock_is_the_alarm_clock_only_where_no_other_clock_is_known():
    profiles, _ = profiles_of("Put the clock and the alarm clock on the shelf. I like to have the time in sight.")
    by_name = {n.name: n.id for n in profiles.graph.of_user("ada", NodeType.OBJECT)}
    assert len(by_name) == 2
    mentions = profiles.mentions("ada", about("alarm clock", "clock"), scene="flat")
    assert [mention.node for mention in mentions] == [by_name["alarm clock"], by_name["clock"]]
    alone, _ = profiles_of("Put the alarm clock on the shelf. I like to have the time in sight.")
    (mention,) = alone.mentions("ada", about("clock"), scene="flat")
    assert mention.node


def test_names_mean_several_things():
    assert relation("teakettle", "teapot") is relation("teakettle", "kettle") is Relation.SAME
    assert relation("teapot", "kettle") is Relation.DIFFERENT
    assert relation("wall clock", "clock") is Relation.KIND
    assert relation("zither", "oboe") is Relation.UNKNOWN


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=30), st.text(max_size=30))
def test_comparing_is_symmetric_and_never_fails(one, other):
    assert relation(one, other) is relation(other, one)
    assert bool(contrast(one, other)) == bool(contrast(other, one))
    without = Identity(Lexicon(None))
    assert without.of_things(thing(one), thing(other)) == without.of_things(thing(other), thing(one))
    assert without.of_places(place(one), place(other)) == without.of_places(place(other), place(one))
    assert isinstance(moves(one), tuple)


def test_moves_follow_pronouns_and_keep_places_whole():
    first, second = moves("Take the pen and the ruler from the desk in the attic, then lay them on the floor.")
    assert (first.things, first.source) == (("pen", "ruler"), "the desk in the attic")
    assert (second.things, second.goal, second.relation) == (("pen", "ruler"), "the floor", "on")


def test_the_graph_holds_to_its_schema():
    graph = ProfileGraph()
    user, other = graph.add("ada", NodeType.USER, name="ada"), graph.add("bob", NodeType.KNOWLEDGE)
    mine = graph.add("ada", NodeType.OBJECT, name="cup")
    with pytest.raises(SchemaError, match="no edge"):
        graph.join(user.id, mine.id)
    with pytest.raises(SchemaError, match="different users"):
        graph.join(user.id, other.id)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(list(NodeType)), st.integers(0, 9), st.integers(0, 9), st.booleans())))
def test_a_graph_comes_back_from_its_snapshot_whatever_was_done(steps):
    graph = ProfileGraph()
    nodes = [graph.add("ada", node_type).id for node_type in NodeType for _ in range(2)]
    for _, one, other, removes in steps:
        a, b = nodes[one], nodes[other]
        if a not in graph or b not in graph:
            continue
        if removes and len(graph) > 3:
            graph.remove(a)
        elif (graph.node(a).type, graph.node(b).type) in RELATIONS:
            graph.join(a, b)
            assert graph.node(b) in graph.children(a)
            assert graph.node(a) in graph.parents(b)
    again = ProfileGraph()
    again.restore(json.loads(json.dumps(graph.snapshot(), default=str)))
    assert again.snapshot() == graph.snapshot()


EVENTS = [
    event(1, EventKind.EPISODE_START, SET),
    event(2, EventKind.TOLD, "The guitar was a present from my father."),
    event(3, EventKind.EPISODE_START, ROUTINE, user="bob"),
    event(4, EventKind.EPISODE_START, "Put the saucer on the table.", user="ada"),
    event(5, EventKind.TOLD, "I usually keep quiet.", user=""),
]


LIVED = texts(lived(*EVENTS))


def test_the_projection_is_the_same_when_lived_through_and_when_restored():
    memory = lived(*EVENTS)
    assert sorted(record.user for record in records(memory).values()) == ["ada", "ada", "bob"]
    again = ProfileMemory(HybridIndex())
    again.restore(json.loads(dumps(memory.snapshot())))
    assert records(again) == records(memory) == records(lived(*EVENTS))
    assert again.snapshot() == memory.snapshot()


def step(number, skill, category):
    outcome = SkillOutcome(SkillCall(skill, SkillTarget(f"{category}_{number}", category)), Code.SUCCESS)
    return Event(f"s{number}", EventKind.SKILL_OUTCOME, 1.5, user="ada", scene="flat", episode="t1", outcome=outcome)


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_noisy_shuffled_and_partial_episodes_tell_the_same(data):
    """Appendix E.2: steps of other episodes in between, another order, missing ones."""
    steps = [step(n, skill, "saucer") for n, skill in enumerate(("Explore", "Navigate", "Pick", "Place"))]
    foreign = [step(10 + n, skill, "anvil") for n, skill in enumerate(("Pick", "Place"))]
    kept = data.draw(st.lists(st.sampled_from(steps + foreign), unique=True))
    assert texts(lived(EVENTS[0], *kept, *EVENTS[1:])) == LIVED


def test_knowledge_can_be_edited_and_forgotten():
    memory = lived(*EVENTS)
    key = next(key for key, record in records(memory).items() if "tea set" in record.text)
    with pytest.raises(EditError, match="statement"):
        memory.check_told("Bring me the saucer!", read_told("Bring me the saucer!", 0.0))
    edit = event(6, EventKind.EDIT, "The saucer is part of my picnic set.", target=key)
    memory.check_told(edit.text, read_told(edit.text, 0.0))
    live(memory, edit)
    assert key not in records(memory)
    assert any("picnic set" in record.text for record in records(memory).values())
    for number, record in enumerate([r for r in records(memory).values() if r.user == "ada"]):
        live(memory, event(7 + number, EventKind.EDIT, "", target=record.id))
    assert {record.user for record in records(memory).values()} == {"bob"}
    assert "tea set" not in json.dumps(memory.snapshot())
    assert "picnic" not in json.dumps(memory.snapshot())


def test_recall_adds_what_the_query_speaks_of_for_its_user_only():
    memory = lived(*EVENTS)

    def found(user):
        query = Query("bring my tea set", user=user, scene="flat")
        accepted = memory._index.table.accepted(query, ["profile"])
        search = memory._index.search(query.text, None, accepted, query.limit)
        return list(memory.recall(query, search))

    assert "tea set" in max(found("ada"), key=lambda match: match.named).record.text
    assert found("bob") == []  # nothing that bob told shares a word with it
    assert found("") == []
