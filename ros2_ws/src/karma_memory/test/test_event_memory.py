# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import contextlib
import json
import random
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from waiting import eventually
from world import APPLE, BED, FRIDGE, HOME, SCENE, event, furniture, home, outcome, seen, state, thing, told

from karma_memory import (
    BusyError,
    Code,
    EditError,
    EmbedderError,
    EventKind,
    Image,
    InvalidEventError,
    JournalError,
    JournalFullError,
    Memory,
    PolicySettings,
    Query,
    SkillTarget,
    UnknownRecordError,
)
from karma_memory import event_memory as memory_module
from karma_memory.encoding import dumps
from karma_memory.recall import embedding_worker
from karma_memory.scene_graph import GraphUpdate, SceneFollower
from karma_memory.scene_graph.follower import GapError
from karma_memory.state.history import PAST_CALLERS
from karma_memory.state.recalling import EMBEDDED_AT_RECALL
from karma_memory.told.statements import Statement


class WordEmbedder:
    """A stand-in model: one dimension per known word, so that what is alike can be said in a test."""

    name = "words"
    meanings = ("fruit apple pear", "seat chair sofa", "drink tea coffee mug")

    def __init__(self):
        self.embedded = []

    def embed(self, texts):
        self.embedded += texts
        rows = [
            [1e-6 + sum(word in meaning.split() for word in text.lower().split()) for meaning in self.meanings]
            for text in texts
        ]
        vectors = np.array(rows, dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def word_embedder(monkeypatch):
    embedder = WordEmbedder()
    monkeypatch.setattr(memory_module, "make_embedder", lambda _: (embedder, ""))
    return embedder


def ids(memory, text, **fields):
    return [item.record.id for item in memory.recall(Query(text, **fields)).recollections]


# --- the paper's example (KARMA, section 3.4)


def test_a_washed_apple_in_a_bowl_is_recalled_for_bring_an_apple(memory):
    memory.remember([home()])
    bowl = thing("Bowl|1", (0.5, 0.5, 1.0), seen=5.0)
    clean = replace(
        APPLE, position=(0.5, 0.5, 1.05), receptacle="Bowl|1", relation="in", states={"isDirty": "false"}, last_seen=5.0
    )
    memory.remember(
        [
            event(EventKind.EPISODE_START, 2.0, episode="e1", text="wash an apple and place it in a bowl"),
            outcome("PutObject", clean, bowl, stamp=5.0, episode="e1"),
            event(EventKind.EPISODE_END, 6.0, episode="e1", code=Code.SUCCESS, text="done"),
        ]
    )
    answer = memory.recall(Query("bring an apple"))
    first = answer.recollections[0]
    assert first.record.kind == "short_term"
    assert first.record.node.position == (0.5, 0.5, 1.05)
    assert first.record.text == "Apple is in the Bowl, in kitchen 1, clean, at [0.50, 0.50, 1.05]"
    assert first.record.text in answer.prompt
    assert "named in the query, confidence 1.00" in first.why
    unit = memory.units()[0]
    assert (unit.node.id, unit.node.states, unit.text) == ("Apple|1", {"isDirty": "false"}, first.record.text)
    assert (unit.segment, unit.time, unit.scene) == ("window", 5.0, SCENE)


# --- short-term memory


def test_short_term_memory_holds_what_was_used_or_sought_not_what_perception_sees(memory):
    pear, mug, cup = thing("Pear|1"), thing("Mug|1"), thing("Cup|1")
    memory.remember([home(), seen(thing("Fork|1"))])
    assert memory.units() == []
    memory.remember([outcome("OpenObject", furniture("Fridge|1"))])
    memory.remember([outcome("Explore", target=SkillTarget(category="Pear"), saw=[pear, mug])])
    memory.remember([outcome("PickupObject", cup)])
    memory.remember([seen(thing("Egg|1"), episode="e1")])
    assert [unit.node.id for unit in memory.units()] == ["Pear|1", "Cup|1", "Egg|1"]


def test_what_only_came_into_view_is_not_used(memory):
    memory.remember([home()])
    egg, mugs = thing("Egg|1", receptacle="Fridge|1", relation="in"), [thing(f"Mug|{i}") for i in range(3)]
    memory.remember([outcome("OpenObject", FRIDGE, egg, target=SkillTarget(id="Fridge|1"))])
    memory.remember([outcome("GoToObject", *mugs, target=SkillTarget(category="Plate"))])
    memory.remember([outcome("Explore", *mugs, APPLE, target=SkillTarget(category="Mug"))])
    assert [unit.node.id for unit in memory.units()] == ["Mug|0"]


def test_what_a_skill_changes_is_used_though_the_call_does_not_name_it(memory):
    memory.remember([home(), seen(thing("Mug|1", states={"isDirty": "true"}))])
    memory.remember(
        [outcome("ToggleOn", thing("Mug|1", states={"isDirty": "false"}), target=SkillTarget(category="Faucet"))]
    )
    memory.remember(
        [outcome("SliceObject", thing("AppleSliced|1"), removed=("Apple|1",), target=SkillTarget(id="Apple|1"))]
    )
    assert [unit.node.id for unit in memory.units()] == ["Mug|1", "AppleSliced|1"]
    assert memory.scene_graph().node("Apple|1") is None


def test_a_question_without_words_lists_what_there_is_newest_first(memory):
    memory.remember([home(), *(outcome("PutObject", thing(f"Mug|{i}", seen=i + 2.0), stamp=i + 2.0) for i in range(3))])
    found = memory.recall(Query("", kinds=frozenset({"short_term"}))).recollections
    assert [item.record.node.id for item in found] == ["Mug|2", "Mug|1", "Mug|0"]
    assert found[0].why == ("newest, rank 1",)
    assert memory.stats().lookups == 0


def test_of_equal_answers_the_current_scene_comes_first(memory):
    memory.remember([seen(thing("Apple|1"), scene="a", stamp=1.0), seen(thing("Apple|1"), scene="b", stamp=2.0)])
    assert ids(memory, "apple") == ["long_term:b/Apple|1", "long_term:a/Apple|1"]
    memory.remember([seen(thing("Mug|1"), scene="a", stamp=3.0)])
    assert ids(memory, "apple") == ["long_term:a/Apple|1", "long_term:b/Apple|1"]


def test_beliefs_about_a_used_object_follow_the_newest_event(memory):
    memory.remember(
        [home(), outcome("PickupObject", replace(APPLE, relation="held", receptacle="", last_seen=3.0), stamp=3.0)]
    )
    assert "held by the robot" in memory.units()[0].text
    moved = replace(APPLE, position=(8.0, 1.0, 0.6), receptacle="Bed|1", relation="on", last_seen=9.0)
    memory.remember([seen(moved, stamp=9.0)])
    assert memory.units()[0].node == moved
    memory.remember([seen(replace(moved, position=(0.0, 0.0, 0.0), last_seen=8.0), stamp=10.0)])
    assert memory.units()[0].node == moved
    memory.remember([seen(stamp=11.0, removed=("Apple|1",))])
    assert memory.units() == []


@pytest.mark.parametrize(
    "target", [SkillTarget(id="Apple|1"), SkillTarget(category="Apple", position=(2.1, 1.0, 1.1))], ids=["id", "place"]
)
def test_an_object_that_is_not_found_where_it_should_be_is_no_longer_believed_there(memory, target):
    memory.remember([home(), outcome("PutObject", APPLE)])
    memory.remember([outcome("Explore", code=Code.NOT_FOUND, target=target, stamp=3.0)])
    assert ids(memory, "apple") == ["short_term:home1/Apple|1", "long_term:home1/Apple|1"]
    memory.remember([outcome("GoToObject", code=Code.NOT_FOUND, target=target, stamp=4.0)])
    assert ids(memory, "apple") == []
    assert [belief.valid_until for belief in memory.scene_graph().history("Apple|1")] == [4.0]


def test_an_object_that_may_be_hidden_inside_something_is_only_doubted(memory):
    inside = replace(APPLE, position=(0.0, 1.0, 1.0), receptacle="Fridge|1", relation="in", last_seen=2.0)
    memory.remember([home(), outcome("PutObject", inside)])
    memory.remember([outcome("GoToObject", code=Code.NOT_FOUND, target=SkillTarget(id="Apple|1"), stamp=3.0)])
    assert memory.scene_graph().node("Apple|1").confidence == 0.5


def test_a_lookup_is_a_movable_object_in_the_question_and_a_hit_a_unit_of_it(memory):
    memory.remember([home(), outcome("PutObject", APPLE)])
    for question in ("put the apple in the fridge", "an apple and a pear tree", "bring me a mug", "hello there"):
        memory.recall(Query(question))
    stats = memory.stats()
    assert (stats.lookups, stats.hits) == (3, 2)  # apple, apple, mug; a fridge is furniture
    assert stats.hit_rate == pytest.approx(2 / 3)
    memory.recall(Query("apple", kinds=frozenset({"long_term"})))
    memory.recall(Query("apple", scene="elsewhere"))
    assert (memory.stats().lookups, memory.stats().hits) == (4, 2)


def test_capacity_and_policy_change_while_running_without_losing_what_fits(memory):
    memory.remember([outcome("PutObject", thing(f"Mug|{i}"), stamp=float(i + 1)) for i in range(8)])
    memory.configure(PolicySettings("fifo_merge", 20))
    assert [unit.node.id for unit in memory.units()] == [f"Mug|{i}" for i in range(8)]
    memory.configure(PolicySettings("w_tinylfu", 20, 0.1, 0.2))
    assert len(memory.units()) == 8
    memory.configure(PolicySettings("w_tinylfu", 20, 0.1, 0.9))
    assert len(memory.units()) == 8
    memory.configure(PolicySettings("w_tinylfu", 3, 0.5))
    assert sorted(unit.node.id for unit in memory.units()) == ["Mug|5", "Mug|6", "Mug|7"]
    stats = memory.stats()
    assert (stats.policy, stats.capacity, stats.occupancy, stats.evictions) == ("w_tinylfu", 3, 3, 5)


def test_a_unit_that_recalls_use_outlives_one_that_they_do_not(store):
    with store.memory(capacity=2, policy="w_tinylfu_karma", window=1.0) as memory:
        memory.remember([outcome("PutObject", thing("Apple|1")), outcome("PutObject", thing("Mug|1"))])
        for _ in range(3):
            memory.recall(Query("apple"))
        memory.remember([outcome("PutObject", thing("Cup|1"))])
        assert {unit.node.id for unit in memory.units()} == {"Apple|1", "Cup|1"}


# --- the journal behind it


def life(memory, seed=0, steps=120):
    """Live through random events, questions and changes."""
    rng = random.Random(seed)
    things = [thing(f"{name}|{i}") for name in ("Apple", "Mug", "Book") for i in range(3)]
    memory.remember([home()])
    for step in range(steps):
        stamp = 10.0 + step
        item = replace(rng.choice(things), position=(rng.uniform(0, 8), rng.uniform(0, 2), 1.0), last_seen=stamp)
        match rng.randrange(8):
            case 0 | 1:
                memory.remember([outcome("PutObject", item, stamp=stamp)])
            case 2:
                memory.remember(
                    [seen(item, stamp=stamp), told(f"statement {step}", stamp, user=rng.choice(["", "ann"]))]
                )
            case 3:
                memory.recall(Query(rng.choice(["the apple", "a mug and a book", "statement"])))
            case 4:
                memory.remember(
                    [outcome("GoToObject", code=Code.NOT_FOUND, target=SkillTarget(id=item.id), stamp=stamp)]
                )
            case 5:
                known = list(memory._state.index.records)
                memory.forget([rng.choice(known)], stamp=stamp)
            case 6:
                episode = f"episode {step}"
                memory.remember([event(EventKind.EPISODE_START, stamp, episode=episode, text="find a mug", user="bob")])
                memory.remember([event(EventKind.EPISODE_END, stamp, episode=episode, code=Code.NOT_FOUND)])
            case 7:
                memory.configure(
                    PolicySettings(rng.choice(["fifo", "w_tinylfu", "w_tinylfu_karma"]), rng.randrange(2, 6))
                )
    memory.flush()


@pytest.mark.parametrize("seed", range(5))
def test_replaying_the_journal_gives_the_state_of_having_lived_through_it(store, seed):
    with store.memory() as memory:
        life(memory, seed)
        lived, settings = state(memory), memory.settings
    again = vars(settings)
    with store.memory(**again) as memory:
        assert state(memory) == lived
        memory.upkeep.snapshot()
    with store.memory(**again) as memory:
        assert state(memory) == lived


def test_an_event_that_comes_twice_in_a_batch_is_observed_as_the_journal_has_it(store):
    with store.memory() as memory:
        memory.remember([told("hello", 1.0, id="t1"), told("hello", 2.0, id="t1", scene="filled in at the second try")])
        lived = state(memory)
    with store.memory() as memory:
        assert state(memory) == lived


def test_a_start_from_a_snapshot_and_the_rest_of_the_journal_recalls_the_same(store):
    with store.memory() as memory:
        life(memory, 3)
        sequence, file = memory.upkeep.snapshot()
        assert sequence == memory.stats().events
        memory.configure(PolicySettings())
        memory.remember([outcome("PutObject", APPLE, stamp=500.0), told("the apples are for ann", 501.0)])
        before = memory.recall(Query("apples", user="ann", limit=50))
        memory.flush()
        lived = state(memory)
    assert file.exists()
    with store.memory() as memory:
        assert state(memory) == lived
        assert memory.recall(Query("apples", user="ann", limit=50)) == before


@pytest.mark.parametrize("damage", ["flip", "cut", "foreign"])
def test_a_damaged_snapshot_is_passed_over(store, damage, caplog):
    with store.memory() as memory:
        memory.remember([home(), told("hello", id="t1")])
        _, file = memory.upkeep.snapshot()
        lived = state(memory)
    data = file.read_bytes()
    if damage == "flip":
        file.write_bytes(data[:-10] + bytes([data[-10] ^ 1]) + data[-9:])
    elif damage == "cut":
        file.write_bytes(data[: len(data) // 2])
    else:
        file.write_bytes(data.replace(b'"event_id":"t1"', b'"event_id":"t2"'))
    with store.memory() as memory:
        assert state(memory) == lived
    assert str(file) in caplog.text


def test_while_a_snapshot_is_written_the_memory_goes_on(store, monkeypatch):
    def meanwhile(statement):
        memory.recall(Query("tea"))
        memory.remember([told("later", id="later")])
        return vars(statement)

    def in_another_thread(statement):
        return other.submit(meanwhile, statement).result(timeout=60.0)

    with ThreadPoolExecutor(1) as other, store.memory() as memory:
        memory.remember([told("ann likes tea", id="tea")])
        lived = state(memory)
        with monkeypatch.context() as slow:
            slow.setattr(Statement, "to_json", in_another_thread, raising=False)
            sequence, file = memory.upkeep.snapshot()
        assert memory.last_sequence == sequence + 1
        assert dumps(json.loads(zlib.decompress(file.read_bytes().split(b"\n", 1)[1]))) == lived


def test_snapshots_that_are_asked_for_at_the_same_time_are_all_written(memory):
    memory.remember([told(f"statement {i} " * 100) for i in range(200)])
    written = []
    askers = [
        threading.Thread(target=lambda: written.extend(memory.upkeep.snapshot() for _ in range(5))) for _ in range(3)
    ]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert len(written) == 15


def fill_up(journal, monkeypatch):
    """Let the disk of a journal be full."""

    @contextlib.contextmanager
    def full():
        with transaction() as begun:
            yield begun
            raise JournalFullError("no room")

    transaction = journal.transaction
    monkeypatch.setattr(journal, "transaction", full)


def test_when_the_disk_is_full_nothing_is_remembered_and_nothing_lost(memory, monkeypatch):
    memory.remember([home(), outcome("PutObject", APPLE)])
    before = state(memory)
    memory.recall(Query("apple"))
    with monkeypatch.context() as disk:
        fill_up(memory._journal, disk)
        with pytest.raises(JournalFullError):
            memory.remember([told("x" * 10_000)])
    assert state(memory) == before
    memory.remember([told("short")])
    assert memory._state.short_term._policy.sketch.estimate("short_term:home1/Apple|1") == 2  # used, and recalled


def test_a_scene_graph_that_a_full_disk_refused_is_asked_for_again(memory, monkeypatch):
    follower = SceneFollower(60.0)
    memory.observe_graph(GraphUpdate(SCENE, 1, 1.0, nodes=HOME), follower)

    with monkeypatch.context() as disk:
        fill_up(memory._journal, disk)
        with pytest.raises(JournalFullError):
            memory.observe_graph(GraphUpdate(SCENE, 2, 2.0, nodes=(thing("Mug|1"),), removed=(APPLE.id,)), follower)
    with pytest.raises(GapError):
        memory.observe_graph(GraphUpdate(SCENE, 3, 3.0, nodes=(thing("Pan|1"),)), follower)
    now = (*(node for node in HOME if node != APPLE), thing("Mug|1"), thing("Pan|1"))
    memory.observe_graph(GraphUpdate(SCENE, 3, 3.0, full=True, nodes=now), follower)
    assert {node.id for node in memory.scene_graph(SCENE).nodes()} == {node.id for node in now}


def test_the_database_opens_with_other_settings_than_it_was_written_with(store):
    with store.memory(capacity=8) as memory:
        memory.remember([outcome("PutObject", thing(f"Mug|{i}"), stamp=float(i + 1)) for i in range(8)])
    with store.memory(capacity=3, policy="fifo") as memory:
        assert [unit.node.id for unit in memory.units()] == ["Mug|5", "Mug|6", "Mug|7"]


# --- recall


def test_users_do_not_see_each_others_memories(memory):
    memory.remember([told("my pills are in the drawer", user="ann"), told("pills are white")])
    memory.remember([event(EventKind.EPISODE_START, 2.0, episode="e", text="fetch my pills", user="bob")])
    seen_by = {
        user: {item.record.text for item in memory.recall(Query("pills", user=user)).recollections}
        for user in ("ann", "bob")
    }
    assert seen_by["ann"] == {"my pills are in the drawer", "pills are white"}
    assert seen_by["bob"] == {'"fetch my pills": not finished', "pills are white"}
    assert [item.record.text for item in memory.recall(Query("pills")).recollections] == ["pills are white"]


def test_filters_by_scene_kind_room_and_place(memory):
    memory.remember(
        [home(), outcome("PutObject", APPLE), seen(thing("Apple|9"), scene="home2"), told("apples are red")]
    )
    memory.remember([seen(thing("Apple|2", (8.0, 1.0, 0.7), receptacle="Bed|1", relation="on"))])
    assert ids(memory, "apple", scene="home2", kinds=frozenset({"long_term"})) == ["long_term:home2/Apple|9"]
    assert "apples are red" in {r.record.text for r in memory.recall(Query("apple", scene="home2")).recollections}
    assert ids(memory, "apple", kinds=frozenset({"told"})) == [ids(memory, "red")[0]]
    for room in ("bedroom", "Bedroom 1", "BEDROOM"):
        assert ids(memory, "apple", room=room) == ["long_term:home1/Apple|2"]
    assert ids(memory, "apple", near=(8.0, 1.0, 0.0), radius=1.0) == ["long_term:home1/Apple|2"]
    assert ids(memory, "apple", near=(50.0, 1.0, 0.0), radius=1.0) == []
    assert len(ids(memory, "apple", limit=2)) == 2


def test_what_was_seen_or_said_in_a_period(memory):
    mugs = thing("Mug|1", seen=10.0), thing("Mug|2", seen=20.0)
    memory.remember([seen(*mugs, stamp=20.0), told("a mug", 15.0, id="t")])
    assert sorted(ids(memory, "mug", since=12.0)) == ["long_term:home1/Mug|2", "told:t"]
    assert sorted(ids(memory, "mug", until=15.0)) == ["long_term:home1/Mug|1", "told:t"]
    assert ids(memory, "mug", since=16.0, until=19.0) == []


def test_the_object_that_is_named_comes_before_texts_that_only_sound_like_it(memory):
    memory.remember([home(), *(told(f"apple pie recipe number {i}") for i in range(20))])
    assert ids(memory, "the apple")[0] == "long_term:home1/Apple|1"


def test_what_means_the_same_is_found_without_a_common_word(store, word_embedder):
    with store.memory(embedder="auto") as memory:
        memory.remember([seen(thing("Pear|1"), furniture("Sofa|1"))])
        answer = memory.recall(Query("some fruit"))
        assert [item.record.node.category for item in answer.recollections] == ["Pear"]
        assert answer.recollections[0].why[0].startswith("embedding 1.00")
        assert memory.stats().embedder == "words"
    with store.memory(embedder="auto") as memory:
        word_embedder.embedded.clear()
        memory.recall(Query("some fruit"))
        assert "pear" not in word_embedder.embedded  # its vector was kept on disk


def test_a_question_about_the_past_computes_few_of_the_vectors_that_are_not_stored(store, monkeypatch):
    with store.memory() as memory:
        memory.remember([told(f"statement {i}", 1.0, id=f"t{i}") for i in range(100)])
        memory.forget(everything=True, stamp=2.0)
    embedder = WordEmbedder()
    monkeypatch.setattr(memory_module, "make_embedder", lambda _: (embedder, ""))
    with store.memory(embedder="auto") as memory:
        assert len(ids(memory, "statement", at=1.5, limit=200)) == 100
        assert len({text for text in embedder.embedded if text.startswith("statement ")}) == EMBEDDED_AT_RECALL


def test_remembering_does_not_wait_for_the_embedder(store, word_embedder, monkeypatch):
    release = threading.Event()
    embed = word_embedder.embed
    monkeypatch.setattr(word_embedder, "embed", lambda texts: (release.wait(), embed(texts))[1])
    with store.memory(embedder="auto") as memory:
        memory.remember([seen(thing("Pear|1"))])
        assert memory.stats().events == 2
        assert memory.stats().waiting_for_embedding == 1
        release.set()
        assert ids(memory, "fruit") == ["long_term:home1/Pear|1"]


@pytest.mark.parametrize("error", [EmbedderError("the model file is gone"), RuntimeError("allocation failed")])
def test_an_embedder_that_fails_leaves_lexical_recall_and_says_so(store, word_embedder, monkeypatch, error):
    def fail(texts):
        if texts != [""]:  # it could be loaded
            raise error

    monkeypatch.setattr(word_embedder, "embed", fail)
    with store.memory(embedder="auto") as memory:
        memory.remember([seen(thing("Pear|1"))])
        assert ids(memory, "where is the pear") == ["long_term:home1/Pear|1"]
        assert memory.stats().embedder == "lexical"
        assert str(error) in memory.stats().remark
        assert memory._worker._thread.is_alive()


def test_an_embedder_that_failed_is_tried_again_for_texts_and_for_the_same_question(store, word_embedder, monkeypatch):
    embed, broken = word_embedder.embed, threading.Event()
    broken.set()

    def fail(texts):
        if broken.is_set() and texts != [""]:
            raise MemoryError
        return embed(texts)

    monkeypatch.setattr(word_embedder, "embed", fail)
    monkeypatch.setattr(embedding_worker, "REST", 0.01)
    with store.memory(embedder="auto") as memory:
        memory.remember([seen(thing("Pear|1"))])
        eventually(lambda: memory.stats().embedder == "lexical")
        assert ids(memory, "some fruit") == []
        broken.clear()
        eventually(lambda: memory.stats().embedder == "words" and not memory.stats().waiting_for_embedding)
        assert ids(memory, "some fruit") == ["long_term:home1/Pear|1"]
        assert memory.stats().remark == ""


def test_recall_and_prompt_stay_within_limits_and_are_repeatable(memory):
    memory.remember([home(), *(seen(thing(f"Mug|{i}", (i * 0.1, 0.0, 1.0))) for i in range(100))])
    query = Query("a mug", limit=7, token_budget=120)
    first = memory.recall(query)
    assert len(first.recollections) == 7
    assert memory.recall(query) == first
    assert all(0.0 < item.score <= 1.0 for item in first.recollections)
    assert [item.score for item in first.recollections] == sorted(
        (item.score for item in first.recollections), reverse=True
    )


# --- editing, forgetting, the past


def test_an_edited_statement_replaces_the_old_one_and_the_past_still_knows_it(memory):
    memory.remember([told("tea is in the drawer", 10.0, id="t1", user="ann")])
    new_id = memory.edit("told:t1", "tea is in the cabinet", user="ann", stamp=20.0)
    assert ids(memory, "tea", user="ann") == [new_id]
    assert ids(memory, "tea", user="ann", at=15.0) == ["told:t1"]
    assert ids(memory, "tea", user="ann", at=25.0) == [new_id]
    assert ids(memory, "tea", user="ann", at=5.0) == []
    assert ids(memory, "tea", user="bob") == []
    old, _ = memory._state.told.statements()
    assert (old.valid_from, old.valid_until, f"told:{old.replaced_by}") == (10.0, 20.0, new_id)


def test_the_past_answers_as_it_would_have_then(memory):
    memory.remember([home(1.0)])
    answers = [memory.recall(Query("where is the apple", token_budget=400))]
    memory.remember(
        [
            outcome(
                "PutObject",
                replace(APPLE, position=(0.0, 1.0, 1.0), receptacle="Fridge|1", relation="in", last_seen=5.0),
                stamp=5.0,
            )
        ]
    )
    answers.append(memory.recall(Query("where is the apple", token_budget=400)))
    memory.remember(
        [outcome("PutObject", replace(APPLE, position=(8.0, 1.0, 1.0), receptacle="Bed|1", last_seen=9.0), stamp=9.0)]
    )
    assert [memory.recall(Query("where is the apple", token_budget=400, at=at)) for at in (3.0, 7.0)] == answers
    graph = memory.scene_graph(at=7.0)
    assert graph.node("Apple|1").receptacle == "Fridge|1"
    assert memory.scene_graph(at=0.5) is None
    assert memory.scene_graph().node("Apple|1").receptacle == "Bed|1"


def test_the_past_is_replayed_from_the_newest_snapshot_before_it(store, monkeypatch):
    with store.memory() as memory:
        life(memory, 3)
        middle = memory._live.clock
        memory.upkeep.snapshot()
        memory.remember([seen(thing("Mug|9"), stamp=middle + 1.0), seen(thing("Cup|9"), stamp=middle + 5.0)])
        memory.upkeep.snapshot()
        question = Query("mug cup apple", user="ann", limit=50, at=middle + 2.0)
        reads = []
        read = memory._journal.read
        monkeypatch.setattr(memory._journal, "read", lambda *args, **at: reads.append(args) or read(*args, **at))
        from_snapshot = memory.recall(question)
    assert reads[0][0] == memory.last_sequence - 2
    for file in store.folder.glob("*.snapshot-*"):
        file.unlink()
    with store.memory() as memory:
        assert memory.recall(question) == from_snapshot
    assert "long_term:home1/Mug|9" in [item.record.id for item in from_snapshot.recollections]


def test_asking_about_the_same_time_again_looks_only_at_what_was_remembered_since(memory):
    memory.remember([told("tea is in the drawer", 1.0, id="a"), told("tea is in the cabinet", 9.0)])
    assert ids(memory, "tea", at=5.0) == ["told:a"]
    memory.remember([told("tea is green", 2.0, id="late"), told("tea is hot", 10.0)])
    assert sorted(ids(memory, "tea", at=5.0)) == ["told:a", "told:late"]


def test_questions_about_the_past_are_served_one_by_one_and_too_many_are_refused(memory):
    memory.remember([told("tea is in the drawer", 1.0, id="a")])
    answers = []
    askers = [threading.Thread(target=lambda: answers.append(ids(memory, "tea", at=5.0))) for _ in range(PAST_CALLERS)]
    with memory._history._lock:
        for asker in askers:
            asker.start()
        while memory._history._callers._value:
            time.sleep(0.001)
        with pytest.raises(BusyError, match="ask again"):
            memory.scene_graph(at=5.0)
        memory.remember([told("coffee too", 2.0)])  # waits for no question
    for asker in askers:
        asker.join()
    assert answers == [["told:a"]] * PAST_CALLERS
    assert memory.scene_graph(at=5.0) is None


def test_forgetting_selects_by_id_kind_user_and_object(memory):
    memory.remember([home(), outcome("PutObject", APPLE), told("a", user="ann", id="a"), told("b", user="bob", id="b")])
    assert memory.forget(user="ann", stamp=3.0) == 1
    assert memory.forget(object_id="Apple|1", stamp=3.0) == 2
    assert memory.units() == []
    assert memory.forget(["told:b"], stamp=3.0) == 1
    with pytest.raises(UnknownRecordError, match="told:b"):
        memory.forget(["told:b"], stamp=3.0)
    with pytest.raises(EditError, match="nothing selects"):
        memory.forget(stamp=3.0)
    assert memory.forget(kind="long_term", stamp=4.0) == 5  # two rooms, three pieces of furniture
    memory.remember([told("c")])
    assert memory.forget(everything=True, stamp=5.0) == 1
    assert memory.stats().records == 0


@pytest.mark.parametrize(
    "selection",
    [
        {"ids": ["told:a"], "kind": "told"},
        {"ids": ["told:a"], "object_id": "Apple|1"},
        {"ids": ["told:a"], "everything": True},
        {"everything": True, "user": "bob"},
        {"everything": True, "kind": "told"},
        {"everything": True, "object_id": "Apple|1"},
    ],
)
def test_what_to_forget_must_not_be_said_in_two_ways(memory, selection):
    memory.remember([home(), told("a", user="ann", id="a"), told("b", user="bob", id="b")])
    before = memory.last_sequence
    with pytest.raises(EditError, match="use one"):
        memory.forget(stamp=3.0, **selection)
    assert memory.last_sequence == before


def test_edits_that_make_no_sense_are_refused_and_not_journaled(memory):
    memory.remember([home(), told("mine", id="t1", user="ann")])
    events = memory.stats().events
    with pytest.raises(EditError, match="what the robot sees"):
        memory.edit("long_term:home1/Apple|1", "Apple is on the moon", stamp=2.0)
    with pytest.raises(EditError, match="belongs to 'ann'"):
        memory.edit("told:t1", "yours", user="bob", stamp=2.0)
    with pytest.raises(EditError, match="empty"):
        memory.edit("told:t1", " ", stamp=2.0)
    with pytest.raises(EditError, match="belongs to 'ann'"):
        memory.remember([event(EventKind.EDIT, 2.0, target="told:t1", user="bob")])
    with pytest.raises(UnknownRecordError):
        memory.remember([event(EventKind.EDIT, 2.0, target="told:unknown", text="x")])
    assert memory.stats().events == events


@pytest.mark.parametrize("own", [{"kind": EventKind.CONFIGURE, "text": "nope"}, {"kind": EventKind.ACCESS}])
def test_events_of_the_memorys_own_kinds_are_refused_and_not_journaled(memory, own):
    events = memory.stats().events
    with pytest.raises(InvalidEventError, match="made by the memory itself"):
        memory.remember([told("x"), event(stamp=1.0, **own)])
    assert memory.stats().events == events


@pytest.mark.parametrize("text", ["", "nope", "[]", "{}", '{"policy":"best","capacity":5,"window":0.5}', "[" * 10_000])
def test_a_journal_with_settings_that_cannot_be_used_opens_with_those_before(store, text):
    with store.memory(capacity=3) as memory:
        before = memory.settings
    with store.journal() as journal:
        journal.append([event(EventKind.CONFIGURE, 1.0, text=text), told("hello", id="t1")])
    with store.memory(capacity=3) as memory:
        assert memory.settings == before
        assert memory.record("told:t1")


def test_settings_of_versions_without_the_protected_share_stay_as_they_were(store):
    with store.journal() as journal:
        journal.append([event(EventKind.CONFIGURE, 1.0, text='{"capacity":5,"policy":"w_tinylfu","window":0.5}')])
    with store.memory(capacity=5, policy="w_tinylfu", window=0.5) as memory:
        assert memory.settings == PolicySettings("w_tinylfu", 5, 0.5, 0.8)
        assert memory.last_sequence == 1  # nothing had to be changed
        memory.configure(PolicySettings("w_tinylfu", 5, 0.5, 0.4))
    with store.memory(capacity=5, policy="w_tinylfu", window=0.5, protected=0.4) as memory:
        assert memory.settings.protected == 0.4
        assert memory.last_sequence == 2


def test_a_memory_whose_last_commit_fails_is_closed_all_the_same(store, monkeypatch):
    memory = store.memory()
    with monkeypatch.context() as patch:
        patch.setattr(memory, "flush", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            memory.close()
    with pytest.raises(JournalError, match="closed"):
        memory._journal.append([told("x")])
    with store.memory():  # it is not locked any more
        pass


def test_an_episode_tells_how_it_ended_and_can_be_given_another_summary(memory):
    memory.remember([event(EventKind.EPISODE_START, 1.0, episode="e1", text="water the plant")])
    assert memory.record("episodic:e1").text == '"water the plant": not finished'
    memory.remember(
        [outcome("PickupObject", thing("WateringCan|1"), episode="e1", target=SkillTarget(category="WateringCan"))]
    )
    memory.remember(
        [event(EventKind.EPISODE_END, 9.0, episode="e1", code=Code.EXECUTION_FAILURE, text="the can was empty")]
    )
    assert memory.record("episodic:e1").text == '"water the plant": execution failure, the can was empty'
    episode = memory._state.episodic.episode("e1")
    assert [(step.skill, step.target, step.code) for step in episode.steps] == [
        ("PickupObject", "WateringCan", Code.SUCCESS)
    ]
    memory.edit("episodic:e1", "fill the can first", stamp=10.0)
    assert memory.record("episodic:e1").text.endswith("fill the can first")
    memory.forget(["episodic:e1"], stamp=11.0)
    assert ids(memory, "plant") == []


def test_a_picture_comes_with_the_unit_and_from_the_journal(memory):
    image = Image.of("jpeg", b"\xff\xd8bread")
    memory.remember([outcome("PutObject", thing("Bread|1"), image=image)])
    (unit,) = memory.units()
    assert (unit.image.sha256, unit.image.format) == (image.sha256, "jpeg")
    assert memory.image(unit.image.sha256) == b"\xff\xd8bread"


def test_recalls_go_on_while_a_commit_is_slow(memory, monkeypatch):
    memory.remember([home()])
    inside, release = threading.Event(), threading.Event()
    transaction = memory._journal.transaction

    @contextlib.contextmanager
    def slow():
        with transaction() as begun:
            yield begun
            inside.set()
            assert release.wait(30)

    monkeypatch.setattr(memory._journal, "transaction", slow)
    writer = threading.Thread(target=memory.remember, args=([told("slow")],))
    writer.start()
    assert inside.wait(30)
    assert ids(memory, "apple")
    release.set()
    writer.join()


def test_a_closed_memory_says_so(store):
    memory = store.memory()
    memory.close()
    memory.close()
    with pytest.raises(JournalError, match="closed"):
        memory.recall(Query("x"))
    with pytest.raises(JournalError, match="closed"):
        memory.remember([told("x")])


def test_closing_while_others_remember_and_recall_ends_their_calls_with_an_error(store):
    memory = store.memory()
    acknowledged, errors = [], []

    def work(name):
        try:
            for i in range(100_000):
                acknowledged.extend(memory.remember([told("x" * 2000, id=f"{name}{i}")]).ids)
                with contextlib.suppress(BusyError):
                    memory.scene_graph(at=1.0)
        except JournalError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    while len(acknowledged) < 20:
        time.sleep(0.001)
    memory.close()
    for thread in threads:
        thread.join()
    assert len(errors) == 3
    assert all("is closed" in error for error in errors)
    with store.memory() as again:
        assert all(again.record(f"told:{event_id}") for event_id in acknowledged)


def test_several_scenes_are_kept_apart(memory):
    memory.remember([home(), seen(*HOME[:3], replace(BED, position=(1.0, 1.0, 1.0)), scene="home2", stamp=2.0)])
    assert memory.scenes == ["home1", "home2"]
    assert memory.current_scene == "home2"
    assert memory.scene_graph("home1").node("Bed|1").position == (8.0, 1.0, 0.5)
    assert memory.scene_graph().node("Bed|1").position == (1.0, 1.0, 1.0)
    assert memory.scene_graph("nowhere") is None


@pytest.mark.parametrize("fields", [{"capacity": 0}, {"policy": "best"}, {"window": 0.0}, {"protected": 1.5}])
def test_bad_settings_make_no_file(path, fields):
    with pytest.raises(ValueError, match=next(iter(fields))):
        Memory(path, **fields)
    assert not path.exists()


def test_malformed_events_change_nothing(memory):
    before = state(memory)
    with pytest.raises(InvalidEventError):
        memory.remember([told("fine"), seen(thing("Apple|1", (float("nan"), 0.0, 0.0)))])
    assert state(memory) == before
