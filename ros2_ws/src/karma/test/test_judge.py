# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

pytest.importorskip("karma_interfaces")

from diagnostic_msgs.msg import KeyValue

from karma.demo.judge import Fact, missing
from karma_interfaces.msg import SceneNode

NODES = [
    SceneNode(id="b", category="Bowl"),
    SceneNode(id="a", category="Apple", receptacle="b", states=[KeyValue(key="isDirty", value="false")]),
    SceneNode(id="m", category="Mug", relation="held"),
]


@pytest.mark.parametrize(
    "fact",
    [
        Fact(("Apple",)),
        Fact(("Pear", "Apple"), "Bowl", states={"isDirty": "false"}),
        Fact(("Mug",), held=True),
    ],
)
def test_what_is_so_is_not_missing(fact: Fact) -> None:
    assert missing([fact], NODES) == []


@pytest.mark.parametrize(
    "fact",
    [
        Fact(("Pear",)),
        Fact(("Apple",), "Plate"),
        Fact(("Apple",), held=True),
        Fact(("Apple",), states={"isDirty": "true"}),
        Fact(("Mug",), "Bowl"),
    ],
)
def test_what_is_not_so_is_missing_and_named(fact: Fact) -> None:
    assert missing([fact, Fact(("Bowl",))], NODES) == [fact]
    assert fact.categories[0] in str(fact)
