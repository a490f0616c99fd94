# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of recall: words, meaning, names, fusion, prompt."""

import logging
import math
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from world import thing

from karma_language.vocabulary.categories import Vocabulary
from karma_language.vocabulary.terms import singular, stems, words
from karma_memory import EmbedderError, InvalidEventError, Query, Recollection, Record
from karma_memory.recall import embedder as embedders
from karma_memory.recall.approximate import is_installed
from karma_memory.recall.embedder import MiniLmEmbedder, make_embedder
from karma_memory.recall.fusion import DAMPING, Ranking, fuse
from karma_memory.recall.lexical import LexicalIndex
from karma_memory.recall.prompt import compose, estimate_tokens
from karma_memory.recall.query import visible
from karma_memory.recall.semantic import SemanticIndex
from karma_memory.recall.table import RecordTable
from karma_memory.recall.vector_store import VectorStore

PACKAGE = Path(__file__).resolve().parents[1]


def found(index, text, size=100):
    """Rows that share a word with a text, best first."""
    scores = index.scores(text, size)
    return [row for row in np.argsort(-scores, kind="stable").tolist() if scores[row] > 0]


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
    for row, text in enumerate(["apples in the kitchen", "kitchen table", "kitchen chair", "bed room lamp"]):
        index.put(row, text)
    assert found(index, "the apple of the kitchen") == [0, 1, 2]
    scores = index.scores("the apple of the kitchen", 4)
    assert scores[0] > scores[1] == scores[2] > scores[3] == 0


def test_texts_are_replaced_and_taken_out():
    index = LexicalIndex()
    index.put(0, "red mug")
    index.put(1, "blue mug")
    index.put(0, "green plate")
    index.put(1, None)
    assert found(index, "mug") == []
    assert found(index, "plate") == [0]
    assert len(index) == 1


WORDS = ["apple", "apples", "kitchen", "café", "watered", "watering", "2", "ÜBER", "naïve", "日本語", "mug"]


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.none() | st.lists(st.sampled_from(WORDS), max_size=6)), max_size=30),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True),
)
def test_scores_are_those_of_sqlites_fts5(steps, query):
    index, texts = LexicalIndex(), {}
    for row, text in steps:
        texts[row] = " ".join(text or ())
        index.put(row, texts[row] if text is not None else None)
        if text is None:
            del texts[row]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(b, tokenize = 'porter unicode61 remove_diacritics 2')")
        connection.executemany("INSERT INTO t (rowid, b) VALUES (?, ?)", [(row + 1, texts[row]) for row in texts])
        expected = np.zeros(6)
        for row, word in {stems(word.lower()): word for word in query}.items():
            for row, score in connection.execute("SELECT rowid, -bm25(t) FROM t WHERE t MATCH ?", (f'"{word}"',)):
                expected[row - 1] += score
    assert index.scores(" ".join(query), 6) == pytest.approx(expected, abs=1e-9)


def test_texts_that_change_often_take_no_more_room():
    index = LexicalIndex()
    for i in range(1000):
        index.put(0, f"text number {i}")
        index.put(1, "a mug")
    assert len(index._row_of) <= 65
    assert set(index._postings) <= {"text", "number", "a", "mug", *(str(i) for i in range(900, 1000))}
    assert sorted(found(index, "999 mug")) == [0, 1]
    assert found(index, "998") == []


@pytest.mark.parametrize(
    "text", ['"', "a AND", "x OR (", "NEAR(", "*", "body:", "'; DROP TABLE texts; --", "", "the of"]
)
def test_a_query_is_data_whatever_it_looks_like(text):
    index = LexicalIndex()
    index.put(0, "mug")
    assert found(index, text) == []
    assert found(index, "mug") == [0]


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


needs_usearch = pytest.mark.skipif(not is_installed(), reason="usearch is not installed")


def rows(number):
    return np.ones(number, dtype=bool)


def test_equal_labels_share_a_vector_and_records_come_most_alike_first():
    index = SemanticIndex()
    for row, label in enumerate(["apple", "apple", "bed"]):
        index.put(row, label)
    assert index.missing == ["apple", "bed"]
    index.add_vectors(["apple", "bed"], np.array([[1, 0], [0.6, 0.8]], dtype=np.float32))
    query = np.array([1, 0], dtype=np.float32)
    assert index.cosines(query, rows(4)) == pytest.approx([1.0, 1.0, 0.6, -1.0])
    index.remove(0)
    index.put(2, "sofa")
    assert index.cosines(query, rows(3)) == pytest.approx([-1.0, 1.0, -1.0])
    assert index.missing == ["sofa"]


def test_vectors_of_labels_that_nothing_has_make_room():
    index = SemanticIndex()
    for i in range(10_000):
        index.put(0, f"label {i}")
        index.add_vectors([f"label {i}"], np.array([[1, 0]], dtype=np.float32))
    assert len(index._matrix) == 64
    assert index.cosines(np.array([1, 0], dtype=np.float32), rows(1)).tolist() == [1.0]
    index.put(1, "label 3")
    assert index.missing == ["label 3"]


def test_a_cosine_does_not_depend_on_the_order_in_which_vectors_came():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(301, 384)).astype(np.float32)
    query = rng.normal(size=384).astype(np.float32)
    cosines = []
    for order in (np.arange(301), rng.permutation(301)):
        index = SemanticIndex()
        for row in range(301):
            index.put(row, f"label {row}")
        index.add_vectors([f"label {row}" for row in order], vectors[order])
        cosines.append(index.cosines(query, rows(301)))
    assert np.array_equal(*cosines)


@needs_usearch
def test_a_large_memory_finds_nearly_what_comparing_all_would():
    rng = np.random.default_rng(0)
    topics = rng.normal(size=(40, 48))
    vectors = topics[rng.integers(40, size=6000)] + 0.7 * rng.normal(size=(6000, 48))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    exact, large = SemanticIndex(), SemanticIndex(exact_labels=1000)
    for index in (exact, large):
        for row in range(6000):
            index.put(row, f"label {row}")
        for start in range(0, 6000, 16):
            index.add_vectors([f"label {row}" for row in range(start, start + 16)], vectors[start : start + 16])
    assert len(large._graph) == 6000
    shares = []
    for query in vectors[:20] + 0.1 * rng.normal(size=(20, 48)).astype(np.float32):
        expected, found = exact.cosines(query, rows(6000)), large.cosines(query, rows(6000))
        assert np.array_equal(found[found > -1], expected[found > -1])
        best = np.argsort(-expected)[:256]
        shares.append(np.mean(found[best] > -1))
    assert np.mean(shares) > 0.95
    few = np.arange(6000) % 10 == 0  # a user's own: all of these are compared
    assert np.array_equal(large.cosines(query, few)[few], exact.cosines(query, few)[few])


@needs_usearch
@pytest.mark.parametrize("order", [("approximate", "embedder"), ("embedder", "approximate")])
def test_the_graph_and_the_model_get_along_in_one_process(minilm, order):
    load = {
        "approximate": "from karma_memory.recall.approximate import ApproximateIndex as A; A(8)",
        "embedder": "from karma_memory.recall.embedder import MiniLmEmbedder as M; M().embed(['apple'])",
    }
    subprocess.run([sys.executable, "-c", "\n".join(load[part] for part in order)], check=True, cwd=PACKAGE)


@needs_usearch
def test_vectors_that_the_graph_does_not_have_yet_are_compared():
    vectors = np.random.default_rng(0).uniform(0.1, 1.0, size=(3000, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index = SemanticIndex(exact_labels=2990)
    for row in range(3000):
        index.put(row, f"label {row}")
        index.add_vectors([f"label {row}"], vectors[row : row + 1])
    assert 0 < len(index._graph) < 100
    assert (index.cosines(vectors[0], rows(3000)) > -1).all()
    for row in range(2000):
        index.remove(row)
    for row in range(3000, 5000):
        index.put(row, f"label {row}")
        index.add_vectors([f"label {row}"], vectors[:1])
    found = index.cosines(vectors[0], rows(5000))
    assert (found[:2000] == -1).all()
    assert (found[2000:] > -1).all()


@given(st.lists(st.tuples(st.integers(0, 99), st.sampled_from("uvwxyz") | st.none()), max_size=40))
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
    expected = np.full(100, -1.0)
    for row, label in table.items():
        if label not in index.missing:
            expected[row] = vectors[label] @ query
    assert index.cosines(query, rows(100)) == pytest.approx(expected, abs=1e-6)


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


def test_a_vector_cache_that_cannot_be_used_now_is_left_as_it_is(tmp_path, caplog, monkeypatch):
    store = VectorStore(tmp_path / "v", "one")
    store.save(["a"], np.ones((1, 2), dtype=np.float32))
    store.close()
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, timeout=0.01))
    with closing(sqlite3.connect(tmp_path / "v")) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        meanwhile = VectorStore(tmp_path / "v", "one")
        assert "database is locked" in caplog.text
        meanwhile.save(["b"], np.ones((1, 2), dtype=np.float32))
        assert list(meanwhile.load(["a", "b"])) == ["b"]
        meanwhile.close()
    again = VectorStore(tmp_path / "v", "one")
    assert list(again.load(["a", "b"])) == ["a"]
    again.close()


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


def ranking(name, values, weight=1.0):
    rows = sorted(values)
    return Ranking(name, np.array(rows, dtype=np.intp), np.array([values[row] for row in rows]), weight)


def test_fusion_by_hand():
    x, y = ranking("x", {3: 9.0, 5: 5.0, 8: 5.0}), ranking("y", {5: 0.3}, weight=2.0)
    scores = fuse([x, y], 10)
    best = 1 / (DAMPING + 1) + 2 / (DAMPING + 1)
    assert np.flatnonzero(scores).tolist() == [3, 5, 8]
    assert scores[[3, 5, 8]] == pytest.approx(
        [1 / (DAMPING + 1) / best, (1 / (DAMPING + 2) + 2 / (DAMPING + 1)) / best, 1 / (DAMPING + 2) / best]
    )
    assert (x.of(8), x.of(4), x.of(9)) == ((5.0, 2), None, None)
    assert fuse([], 2).tolist() == [0.0, 0.0]


@given(st.dictionaries(st.integers(0, 50), st.sampled_from([0.0, 0.5, 1.0, 2.0])), st.integers(1, 20))
def test_a_ranking_is_cut_between_values_never_among_equal_ones(values, depth):
    whole = ranking("x", values)
    cut = whole.cut(depth)
    ordered = sorted(values.values(), reverse=True)
    assert {row: cut.of(row) for row in cut.rows.tolist()} == {
        row: (value, 1 + sum(other > value for other in values.values()))
        for row, value in values.items()
        if value >= ordered[min(depth, len(ordered)) - 1]
    }


# --- the table of records


record_values = st.builds(
    lambda number, kind, user, scene, node, valid_from, rooms: Record(
        f"r{number}", kind, "text", "label", "e", valid_from, user=user, scene=scene, node=node, rooms=rooms
    ),
    st.integers(0, 12),
    st.sampled_from(["told", "long_term", "short_term"]),
    st.sampled_from(["", "ann", "bob"]),
    st.sampled_from(["", "home1", "home2"]),
    st.none()
    | st.builds(
        lambda category, x, seen: thing(f"{category}|1", (x, 0.0, 0.0), seen=seen),
        st.sampled_from(["Apple", "Mug"]),
        st.sampled_from([0.0, 1.0, 3.0]),
        st.sampled_from([1.0, 5.0]),
    ),
    st.sampled_from([1.0, 2.0]),
    st.sampled_from([(), ("kitchen", "kitchen 1"), ("bedroom",)]),
)
queries = st.builds(
    Query,
    st.just("x"),
    user=st.sampled_from(["", "ann", "eve"]),
    scene=st.sampled_from(["", "home1", "home9"]),
    near=st.none() | st.just((0.0, 0.0, 0.0)),
    radius=st.sampled_from([2.0, math.inf]),
    since=st.none() | st.just(2.0),
    until=st.none() | st.just(2.0),
)


def table_of(steps):
    table, plain = RecordTable(), {}
    for record in steps:
        if isinstance(record, int):
            table.discard(f"r{record}")
            plain.pop(f"r{record}", None)
        else:
            table.put(record)
            plain[record.id] = record
    return table, plain


@given(st.lists(record_values | st.integers(0, 12), max_size=30), queries, st.sets(st.sampled_from(["told", "x"])))
def test_the_table_filters_as_one_would_record_by_record(steps, query, kinds):
    table, plain = table_of(steps)
    assert table.records == plain
    accepted = {table.record(row).id for row in np.flatnonzero(table.accepted(query, kinds))}
    assert accepted == {record.id for record in plain.values() if record.kind in kinds and visible(record, query)}
    used = table.among("kind", ["told", "long_term", "short_term"])
    in_kitchen = {table.record(row).id for row in np.flatnonzero(table.in_room("Kitchen") & used)}
    assert in_kitchen == {record.id for record in plain.values() if "kitchen" in record.rooms}


@given(st.lists(record_values, max_size=30), st.integers(1, 12))
def test_the_leading_records_are_the_first_of_all_when_sorted(steps, limit):
    table, plain = table_of(steps)
    rows = np.array(sorted(table.row(key) for key in plain), dtype=np.intp)
    users = np.array([len(table.record(row).user) for row in rows])
    times = table.column("valid_from")[rows]
    first = sorted(plain.values(), key=lambda record: (len(record.user), record.valid_from, record.id))[:limit]
    assert {record.id for record in table.leading(rows, [users, times], limit)} == {record.id for record in first}


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
