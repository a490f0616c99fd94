# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from collections import deque
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karma_perception.saved_map.archive import ArchiveError, Codec


@dataclass(frozen=True)
class Pair:
    first: object
    second: object


class Counter:
    def __init__(self, options="given"):
        self._options = options
        self.count = 0
        self.rows = np.zeros((0, 3))


def codec(options="given"):
    return Codec([Counter(options)], values=(Pair,))


plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
keys = st.text() | st.integers() | st.tuples(st.integers(), st.text())
values = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(keys, inner, max_size=3)
        | st.builds(Pair, inner, inner)
        | st.frozensets(st.integers(), max_size=3)
        | st.builds(lambda items: deque(items, maxlen=5), st.lists(inner, max_size=3))
    ),
    max_leaves=20,
)


@given(values)
def test_values_come_back_as_they_were(value):
    data, arrays = codec().encode(value)
    back = codec().decode(data, arrays)
    assert back == value
    assert type(back) is type(value)


def test_an_object_comes_back_with_its_arrays_and_todays_options():
    counter = Counter()
    counter.count, counter.rows = 3, np.ones((2, 3))
    back = codec("other").decode(*codec().encode([counter]))[0]
    assert (back.count, back._options) == (3, "other")
    assert np.array_equal(back.rows, counter.rows)


def test_numpy_numbers_become_plain_ones():
    assert codec().decode(*codec().encode((np.float64(0.5), np.int32(2), np.bool_(True)))) == (0.5, 2, True)


def test_what_has_no_form_is_an_error_when_it_is_written():
    with pytest.raises(TypeError, match="object, for which there is no form"):
        codec().encode({"a": object()})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda has: has.pop("count"), "another version of KARMA: Counter differs in count"),
        (lambda has: has.update(more=1), "differs in more"),
        (lambda has: has.update(count="three"), r"Counter\.count is a str"),
        (lambda has: has.update(rows=[1]), "malformed"),
        (lambda has: has.update(rows={"array": 7}), "malformed"),
        (lambda has: has.update(rows={"list": []}), r"Counter\.rows is a list"),
    ],
)
def test_an_object_of_another_form_is_refused(change, message):
    data, arrays = codec().encode(Counter())
    change(data["has"])
    with pytest.raises(ArchiveError, match=message):
        codec().decode(data, arrays)


def test_no_class_but_the_known_ones_is_made():
    with pytest.raises(ArchiveError, match="Popen"):
        codec().decode({"class": "Popen", "has": {"args": "true"}}, [])
