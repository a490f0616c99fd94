# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Property: the state of all memories is a function of the journal, whatever way it came about."""

import gzip
from contextlib import suppress
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from journal_store import KINDS
from world import SCENE, event, furniture, home, outcome, seen, thing, told

from karma_memory import (
    Code,
    Edge,
    EventKind,
    Image,
    Layer,
    Node,
    PolicySettings,
    Query,
    Relation,
    SkillTarget,
)
from karma_memory import event_memory as memory_module
from karma_memory.journal import PortableFile, import_journal
from karma_memory.scene import InvalidEventError
from karma_memory.short_term.policy import POLICIES
from karma_memory.state import editing as editing_module
from karma_memory.state import live as live_module

SCENES = (SCENE, "home2")
CATEGORIES = ("Apple", "Mug", "Gizmo")  # the last is in no table of words: it is learnt
THINGS = tuple(f"{category}|{i}" for category in CATEGORIES for i in range(2))
FURNITURE = ("Fridge|1", "CounterTop|1")
PLACES = tuple((float(x), float(y), 0.0) for x in (0, 1, 4) for y in (0, 3))  # few: equal distances are frequent
QUESTIONS = ("the apple", "a mug and a gizmo", "what is in the fridge", "window", "")
PICTURES = (None, Image.of("jpeg", b"one"), Image.of("jpeg", b"two"))

stamps = st.sampled_from((0.0, 1.0, 5.0, 5.5, 90.0, 200.0))
places = st.sampled_from(PLACES)
codes = st.sampled_from((Code.SUCCESS, Code.NOT_FOUND, Code.EXECUTION_FAILURE))
parents = st.sampled_from(("", "node_1", "node_2", "kitchen"))

structure = st.one_of(
    st.builds(Node, st.sampled_from(("kitchen", "bedroom")), st.just(Layer.ROOM), name=st.sampled_from(("", "room 1"))),
    st.builds(
        Node,
        st.sampled_from(("node_1", "node_2")),
        st.just(Layer.AREA),
        parent=st.sampled_from(("kitchen", "bedroom", "")),
        position=places,
    ),
)
objects = st.one_of(
    st.builds(furniture, st.sampled_from(FURNITURE), places, parent=parents, seen=stamps),
    st.builds(
        thing,
        st.sampled_from(THINGS),
        places,
        parent=parents,
        seen=stamps,
        receptacle=st.sampled_from(("", *FURNITURE)),
        relation=st.sampled_from(("", "on", "in", "held")),
        confidence=st.sampled_from((0.4, 1.0)),
        states=st.sampled_from(({}, {"isDirty": "true"}, {"isOpen": "true", "isDirty": "false"})),
    ),
)
nodes = st.lists(st.one_of(structure, objects, objects), max_size=4, unique_by=lambda node: node.id).map(tuple)
edges = st.lists(
    st.builds(
        Edge,
        st.sampled_from(Relation),
        st.sampled_from(("node_1", "Apple|0", "Fridge|1")),
        st.sampled_from(("node_2", "CounterTop|1", "Mug|0")),
        st.sampled_from((1.0, 2.0)),
    ),
    max_size=2,
).map(tuple)
gone = st.lists(st.sampled_from((*THINGS, *FURNITURE, "node_1", "kitchen")), max_size=2).map(tuple)
targets = st.builds(
    SkillTarget,
    st.sampled_from(("", *THINGS)),
    st.sampled_from(("", *CATEGORIES)),
    st.one_of(st.none(), places),
)
common = {
    "stamp": stamps,
    "scene": st.sampled_from(SCENES),
    "episode": st.sampled_from(("", "e1", "e2")),
    "image": st.sampled_from(PICTURES),
}
users = st.sampled_from(("", "ann", "bob"))
texts = st.sampled_from(
    (
        "the window is broken",
        "mugs belong in the fridge",
        "öffne das Fenster",
        "My favorite cup is red.",
        "I live in Oslo.",
    )
)


@st.composite
def events(draw):
    """One event of any kind that comes from outside."""
    fields = {name: draw(strategy) for name, strategy in common.items()}
    match draw(st.sampled_from(("seen", "seen", "outcome", "outcome", "told", "feedback", "start", "end"))):
        case "seen":
            fields |= {"edges": draw(edges), "removed_edges": draw(edges), "removed": draw(gone)}
            return seen(*draw(nodes), **fields)
        case "outcome":
            skill = draw(st.sampled_from(("PickupObject", "PutObject", "GoToObject", "Explore", "OpenObject")))
            saw = draw(nodes)
            fields |= {"removed": draw(gone), "code": draw(codes), "target": draw(targets)}
            return outcome(skill, *draw(nodes), saw=saw, **fields)
        case "told":
            return told(draw(texts), user=draw(users), **fields)
        case "feedback":
            return event(EventKind.FEEDBACK, text=draw(texts), user=draw(users), **fields)
        case "start":
            return event(EventKind.EPISODE_START, text=draw(texts), user=draw(users), **fields | {"episode": "e1"})
        case _:
            return event(EventKind.EPISODE_END, text="done", code=draw(codes), **fields | {"episode": "e1"})


policies = st.builds(
    PolicySettings,
    st.sampled_from(POLICIES),
    st.integers(1, 5),
    st.sampled_from((0.2, 0.5, 0.9, 1.0)),
    st.sampled_from((0.5, 0.8)),
)
steps = st.one_of(
    st.tuples(st.just("remember"), st.lists(events(), min_size=1, max_size=3)),
    st.tuples(st.just("remember"), st.lists(events(), min_size=1, max_size=3)),
    st.tuples(st.just("recall"), st.sampled_from(QUESTIONS)),
    st.tuples(st.just("recall"), st.sampled_from(QUESTIONS)),
    st.tuples(st.just("edit"), st.integers(0, 100)),
    st.tuples(st.just("forget"), st.integers(0, 100)),
    st.tuples(st.just("configure"), policies),
    st.tuples(st.just("snapshot"), st.none()),
    st.tuples(st.just("compact"), stamps),
    st.tuples(st.just("restart"), st.sampled_from(("", "after a snapshot", "without snapshots"))),
)


def opened(store, settings):
    return store.memory(**vars(settings))


def live(store, life):
    """Live through the steps in a memory, restarts included, and return it, open."""
    memory = opened(store, PolicySettings())
    memory.remember([replace(home(), id="home")])
    ids = count()
    for what, how in life:
        match what:
            case "remember":
                with suppress(InvalidEventError):  # a part of somebody else's episode
                    memory.remember([replace(event, id=f"event {next(ids)}") for event in how])
            case "recall":
                memory.recall(Query(how))
            case "edit" | "forget":
                records = sorted(
                    key
                    for key, record in memory._state.index.records.items()
                    if what == "forget" or record.kind != "long_term"
                )
                if records and what == "edit":
                    memory.edit(records[how % len(records)], "I prefer tea", stamp=6.0)
                elif records:
                    memory.forget([records[how % len(records)]], stamp=6.0)
            case "configure":
                memory.configure(how)
            case "compact":
                memory.upkeep.compact(how)
            case "snapshot":
                memory.upkeep.snapshot()
            case "restart":
                now = memory.settings
                if how == "after a snapshot":
                    memory.upkeep.snapshot()
                memory.close()
                if how == "without snapshots":
                    for snapshot in store.folder.glob("*.snapshot-*"):
                        snapshot.unlink()
                memory = opened(store, now)
    return memory


def lives(number):
    """Try a property with a number of lives."""
    chosen = settings(
        max_examples=number,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.function_scoped_fixture],  # every example begins with new stores
    )
    return lambda test: chosen(given(life=st.lists(steps, min_size=5, max_size=25))(test))


@lives(40)
def test_what_only_replays_the_journal_exports_the_same_bytes_and_answers_the_same_as_what_lived_through_it(
    stores, life
):
    lived, copy = stores.new("lived"), stores.new("copy")
    exported, replayed = (store.folder / "exported" for store in (lived, copy))
    with live(lived, life) as memory:
        memory.upkeep.export(exported)
        now = memory.settings
        answers = [memory.recall(Query(question, user="ann", limit=100)) for question in QUESTIONS]
        records = memory._state.index.records
    with PortableFile(exported) as file, copy.journal() as journal:
        import_journal(file, journal)
    with opened(copy, now) as memory:
        memory.upkeep.export(replayed)
        assert replayed.read_bytes() == exported.read_bytes()
        assert memory._state.index.records == records
        assert [memory.recall(Query(question, user="ann", limit=100)) for question in QUESTIONS] == answers


@lives(15)
def test_the_same_life_exports_the_same_bytes_from_every_kind_of_store_but_for_the_journals_name(stores_of, life):
    exported = []
    for kind in KINDS:
        store, ids = stores_of(kind).new("lived"), count()
        with pytest.MonkeyPatch.context() as patch:
            for module in (memory_module, editing_module, live_module):
                patch.setattr(module, "new_id", lambda ids=ids: f"own {next(ids)}")
            with live(store, life) as memory:
                memory.upkeep.export(store.folder / "exported")
        _, *lines, _ = gzip.decompress((store.folder / "exported").read_bytes()).splitlines()
        exported.append(lines)
    assert exported[0] == exported[1]
