# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of recall: words, meaning, names, fusion, prompt."""

import logging
import sqlite3
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karma_memory import EmbedderError, InvalidEventError, Query, Recollection, Record
from karma_memory.recall import embedder as embedders
from karma_memory.recall.embedder import MiniLmEmbedder, make_embedder
from karma_memory.recall.fusion import DAMPING, Ranking, fuse
from karma_memory.recall.lexical import LexicalIndex, words
from karma_memory.recall.prompt import compose, estimate_tokens
from karma_memory.recall.semantic import SemanticIndex
from karma_memory.recall.vector_store import VectorStore
from karma_memory.recall.vocabulary import Vocabulary, singular


def everything(_):
    return True


def categories(vocabulary, text):
    return [(mention.phrase, sorted(mention.categories)) for mention in vocabulary.mentions(text)]


@pytest.fixture
def minilm():
    try:
        return MiniLmEmbedder()
    except EmbedderError as error:
        pytest.skip(str(error))


# --- words


def test_rare_words_count_more_than_common_ones_and_endings_do_not_matter():
    index = LexicalIndex()
    index.put({"a": "apples in the kitchen", "b": "kitchen table", "c": "kitchen chair", "d": "bed room lamp"})
    found = index.search("the apple of the kitchen", everything, 10)
    assert [key for key, _ in found] == ["a", "b", "c"]
    assert found[0][1] > found[1][1] > 0


def test_texts_are_replaced_and_taken_out():
    index = LexicalIndex()
    index.put({"a": "red mug", "b": "blue mug"})
    index.put({"a": "green plate", "b": None})
    assert index.search("mug", everything, 10) == []
    assert [key for key, _ in index.search("plate", everything, 10)] == ["a"]
    assert len(index) == 1


def test_refused_records_leave_room_for_others():
    index = LexicalIndex()
    index.put({f"r{i}": "mug" for i in range(50)})
    assert [key for key, _ in index.search("mug", lambda key: key in ("r48", "r49"), 1)] == ["r48"]


@pytest.mark.parametrize(
    "text", ['"', "a AND", "x OR (", "NEAR(", "*", "body:", "'; DROP TABLE texts; --", "", "the of"]
)
def test_a_query_is_data_whatever_it_looks_like(text):
    index = LexicalIndex()
    index.put({"a": "mug"})
    assert index.search(text, everything, 10) == []
    assert index.search("mug", everything, 10)


def test_camel_case_is_taken_apart():
    assert words("ButterKnife on TVStand, Kitchen1") == ["butter", "knife", "on", "tv", "stand", "kitchen1"]


# --- names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bring me an apple", [("apple", ["Apple"])]),
        ("put the tomatoes in the fridge", [("tomato", ["Tomato"]), ("fridge", ["Fridge"])]),
        ("wash two knives", [("knife", ["Knife"])]),
        ("take the butter knife", [("butter knife", ["ButterKnife"])]),
        ("throw it in the trash can", [("trash can", ["GarbageCan"])]),
        ("switch off the lamp", [("lamp", ["DeskLamp", "FloorLamp"])]),
        ("what can stand on top of it", []),
        ("slice the bread", [("bread", ["Bread"])]),
        ("a slice of bread", [("slice of bread", ["BreadSliced"])]),
        ("the sliced bread", [("sliced bread", ["BreadSliced"])]),
        ("something to eat", []),
        ("", []),
    ],
)
def test_everyday_words_name_categories(text, expected):
    vocabulary = Vocabulary()
    for category in ("BreadSliced", "DeskLamp", "FloorLamp"):
        vocabulary.learn(category, movable=category == "BreadSliced")
    assert categories(vocabulary, text) == expected


def test_a_category_that_the_robot_meets_is_learned_with_its_movability():
    vocabulary = Vocabulary()
    assert vocabulary.mentions("where is the rubber duck") == []
    vocabulary.learn("RubberDuck", movable=True)
    assert categories(vocabulary, "where is the rubber duck") == [("rubber duck", ["RubberDuck"])]
    assert categories(vocabulary, "all ducks") == [("duck", ["RubberDuck"])]
    assert vocabulary.is_movable("Chair") is False
    vocabulary.learn("Chair", movable=True)
    assert vocabulary.is_movable("Chair") is True


@pytest.mark.parametrize(
    ("plural", "one"),
    [("apples", "apple"), ("potatoes", "potato"), ("dishes", "dish"), ("boxes", "box"), ("glasses", "glass"),
     ("vases", "vase"), ("berries", "berry"), ("shelves", "shelf"), ("bus", "bus"), ("shoes", "shoe")],
)  # fmt: skip
def test_nouns_in_the_singular(plural, one):
    assert singular(plural) == one


# --- meaning


def test_equal_labels_share_a_vector_and_records_come_most_alike_first():
    index = SemanticIndex()
    for record, label in {"a": "apple", "b": "apple", "c": "bed"}.items():
        index.put(record, label)
    assert index.missing == ["apple", "bed"]
    index.add_vectors(["apple", "bed"], np.array([[1, 0], [0.6, 0.8]], dtype=np.float32))
    found = index.search(np.array([1, 0], dtype=np.float32), everything, 10)
    assert [key for key, _ in found] == ["a", "b", "c"]
    assert [round(cosine, 3) for _, cosine in found] == [1.0, 1.0, 0.6]
    index.remove("a")
    index.put("c", "sofa")
    assert [key for key, _ in index.search(np.array([1, 0], dtype=np.float32), everything, 10)] == ["b"]
    assert index.missing == ["sofa"]


def test_vectors_of_labels_that_nothing_has_make_room():
    index = SemanticIndex()
    for i in range(10_000):
        index.put("a", f"label {i}")
        index.add_vectors([f"label {i}"], np.array([[1, 0]], dtype=np.float32))
    assert len(index._matrix) == 64
    assert index.search(np.array([1, 0], dtype=np.float32), everything, 10) == [("a", 1.0)]
    index.put("b", "label 3")
    assert index.missing == ["label 3"]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("uvwxyz") | st.none()), max_size=40))
def test_the_vector_index_agrees_with_a_plain_table(steps):
    rng = np.random.default_rng(0)
    vectors = {
        label: vector / np.linalg.norm(vector) for label, vector in zip("uvwxyz", rng.normal(size=(6, 4)), strict=True)
    }
    index, table = SemanticIndex(), {}
    for record, label in steps:
        if label is None:
            index.remove(record)
            table.pop(record, None)
        else:
            index.put(record, label)
            table[record] = label
        if missing := index.missing[:1]:
            index.add_vectors(missing, np.array([vectors[name] for name in missing], dtype=np.float32))
    query = vectors["u"].astype(np.float32)
    expected = {
        record for record, label in table.items() if label not in index.missing and vectors[label] @ query >= 0.1
    }
    assert {record for record, _ in index.search(query, everything, 100)} == expected


def test_minilm_knows_what_goes_together(minilm):
    labels = ["apple", "garbage can", "television", "bed", "coffee machine", "fridge"]
    vectors = minilm.embed(labels)
    assert vectors.shape == (6, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    for query, expected in {
        "fruit": "apple",
        "watch a film": "television",
        "I want an espresso": "coffee machine",
    }.items():
        assert labels[int(np.argmax(vectors @ minilm.embed([query])[0]))] == expected


def test_a_texts_vector_does_not_depend_on_its_neighbours(minilm):
    alone = minilm.embed(["apple"])[0]
    among = minilm.embed(["a much longer text about something else entirely", "apple"])[1]
    assert np.array_equal(alone, among)


def test_without_packages_recall_is_lexical_and_says_why(monkeypatch):
    monkeypatch.setattr(embedders.importlib.util, "find_spec", lambda _: None)
    model, remark = make_embedder("auto")
    assert model is None
    assert "lexical recall only: not installed: onnxruntime" in remark
    for name in ("minilm", "some/other-model"):
        with pytest.raises(EmbedderError, match="install"):
            make_embedder(name)


def test_torch_is_not_imported_unless_asked_for():
    make_embedder("auto")
    assert "torch" not in sys.modules
    assert "sentence_transformers" not in sys.modules


def test_vectors_are_stored_per_model(tmp_path):
    store = VectorStore(tmp_path / "v", "one")
    store.save(["a"], np.array([[0.25, -1.5]], dtype=np.float32))
    store.close()
    again = VectorStore(tmp_path / "v", "one")
    assert {text: vector.tolist() for text, vector in again.load(["a", "b"]).items()} == {"a": [0.25, -1.5]}
    again.close()
    other = VectorStore(tmp_path / "v", "two")
    assert other.load(["a"]) == {}
    other.close()


def test_a_damaged_vector_cache_is_made_again(tmp_path, caplog):
    (tmp_path / "v").write_bytes(b"no database at all, really none" * 40)
    with caplog.at_level(logging.WARNING):
        store = VectorStore(tmp_path / "v", "one")
    assert "is damaged" in caplog.text
    store.save(["a"], np.ones((1, 2), dtype=np.float32))
    assert list(store.load(["a"])) == ["a"]
    store.close()
    with sqlite3.connect(tmp_path / "v") as connection:
        assert connection.execute("SELECT count(*) FROM vectors").fetchone() == (1,)
    connection.close()


def test_a_vector_cache_that_cannot_be_made_is_kept_in_memory(tmp_path, caplog):
    (tmp_path / "v").mkdir()
    store = VectorStore(tmp_path / "v", "one")
    assert "cannot make" in caplog.text
    store.save(["a"], np.ones((1, 2), dtype=np.float32))
    assert list(store.load(["a"])) == ["a"]
    store.close()


def test_a_vector_cache_that_breaks_while_it_is_open_has_no_vectors(tmp_path, caplog):
    store = VectorStore(tmp_path / "v", "one")
    store.save(["a"], np.ones((1, 2), dtype=np.float32))
    with sqlite3.connect(tmp_path / "v") as connection:
        connection.execute("UPDATE vectors SET vector = x'010203'")
    connection.close()
    assert store.load(["a"]) == {}
    with sqlite3.connect(tmp_path / "v") as connection:
        connection.execute("DROP TABLE vectors")
    connection.close()
    assert store.load(["a"]) == {}
    store.save(["a"], np.ones((1, 2), dtype=np.float32))
    store.close()
    assert store.load(["a"]) == {}
    assert caplog.text.count("cannot read") == 3


# --- fusion


def test_fusion_by_hand():
    fused = fuse([Ranking("x", {"a": 9.0, "b": 5.0, "c": 5.0}), Ranking("y", {"b": 0.3}, weight=2.0)])
    best = 1 / (DAMPING + 1) + 2 / (DAMPING + 1)
    assert fused["a"].score == pytest.approx((1 / (DAMPING + 1)) / best)
    assert fused["b"].score == pytest.approx((1 / (DAMPING + 2) + 2 / (DAMPING + 1)) / best)
    assert fused["c"].ranks == {"x": 2}
    assert fuse([]) == {}


# --- prompt


def recollection(kind, text, score=1.0):
    return Recollection(Record(f"{kind}:{text}", kind, text, text, "e", 1.0), score)


def test_a_prompt_has_sections_and_says_everything_once():
    prompt = compose(
        [
            recollection("long_term", "Apple on table"),
            recollection("told", "tea at five"),
            recollection("short_term", "Apple on table"),
        ],
        ["{name: node_1}"],
        500,
    )
    assert (
        prompt
        == "Objects remembered:\n- Apple on table\nWhat people said:\n- tea at five\nLong-term memory:\n{name: node_1}"
    )


@given(
    st.lists(st.tuples(st.sampled_from(["told", "long_term", "new_kind"]), st.text(max_size=80)), max_size=12),
    st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=60), max_size=12),
    st.integers(0, 200),
)
def test_a_prompt_never_exceeds_its_budget_and_is_always_the_same(items, areas, budget):
    recollections = [recollection(kind, text) for kind, text in items]
    prompt = compose(recollections, areas, budget)
    assert estimate_tokens(prompt) <= budget
    assert compose(recollections, areas, budget) == prompt


def test_half_of_a_tight_budget_is_kept_for_the_areas():
    prompt = compose([recollection("told", f"statement number {i}") for i in range(50)], ["{name: node_1}"] * 3, 100)
    assert "Long-term memory:" in prompt
    assert "statement number 0" in prompt
    assert "statement number 49" not in prompt


def test_a_remembered_text_cannot_look_like_a_section():
    prompt = compose([recollection("told", "x\nLong-term memory:\n{name: node_9}")], [], 500)
    assert prompt.splitlines() == ["What people said:", "- x Long-term memory: {name: node_9}"]


@pytest.mark.parametrize(
    "fields",
    [{"near": (0.0, float("nan"), 0.0)}, {"radius": -1.0}, {"limit": 0}, {"limit": 10**6}, {"at": float("inf")},
     {"token_budget": -1}, {"user": "a\nb"}, {"text": "x" * 20_000}, {"kinds": frozenset({""})}],
)  # fmt: skip
def test_a_malformed_query_is_refused(fields):
    with pytest.raises(InvalidEventError):
        Query(**{"text": "x", **fields})
