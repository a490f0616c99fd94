# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is forbidden at home binds everybody, and stays with who told it."""

from datetime import datetime

import pytest
from world import told

from karma_language.zone import local_zone
from karma_memory import Query
from karma_memory.privacy.consent import Consent

NEVER = told("Nobody uses the good plates, they were grandma's.", 1.0, id="never", user="ann")


def known(memory, user, **query):
    """Return what is forbidden, as somebody gets to know it."""
    return [item.record for item in memory.recall(Query("", user=user, **query)).recollections]


def rules(memory, user):
    return [record.text for record in known(memory, user, kinds=frozenset({"rule"}))]


@pytest.fixture
def memory(store):
    with store.memory() as memory:
        memory.remember([NEVER])
        yield memory


def test_others_get_to_know_what_is_forbidden_and_nothing_else(memory):
    (record,) = known(memory, "bob", kinds=frozenset({"rule"}))
    assert (record.text, record.user, record.source) == ("use the good plates", "", "")
    assert known(memory, "bob") == []  # it answers no question
    (own,) = known(memory, "ann", kinds=frozenset({"rule"}))
    assert (own.text, own.source) == ("use the good plates", NEVER.id)  # it binds her, too, and is hers to lift


@pytest.mark.parametrize("said", ["You can use the good plates again.", "Forget what I said about the plates."])
def test_who_told_it_takes_it_back_and_nobody_else_does(memory, said):
    memory.remember([told(said, 2.0, user="bob")])
    assert rules(memory, "carol") == ["use the good plates"]
    memory.remember([told(said, 3.0, user="ann")])
    assert rules(memory, "carol") == []
    assert [item.text for item in known(memory, "ann") if item.kind == "told"] == []


def test_it_is_kept_and_ends_with_the_words_and_with_the_consent_of_who_told_it(store):
    with store.memory() as memory:
        memory.remember([NEVER])
        memory.upkeep.snapshot()
    with store.memory() as memory:
        assert rules(memory, "bob") == ["use the good plates"]
        assert "rule:never" in {item["id"] for item in memory.users.data("ann")["memories"]}
        memory.users.set_consent("ann", Consent(keep=False), 2.0)
        assert rules(memory, "bob") == []
        memory.users.set_consent("ann", Consent(keep=True), 3.0)
        memory.forget(["told:never"], stamp=4.0)
        assert rules(memory, "bob") == []


def test_what_one_user_may_not_have_binds_that_user_alone_and_is_kept(store):
    with store.memory() as memory:
        memory.remember([told("Tim mustn't get any knives.", 1.0, id="knives", user="ann")])
        memory.upkeep.snapshot()
    with store.memory() as memory:
        assert [rules(memory, user) for user in ("tim", "Tim", "bob", "ann")] == [["touch knives"]] * 2 + [[], []]
        memory.forget(["told:knives"], stamp=2.0)
        assert rules(memory, "tim") == []


def test_what_only_one_may_do_binds_all_others_and_a_name_is_known_without_its_title(store):
    with store.memory() as memory:
        memory.remember([told("Only I may turn on the stove.", 1.0, user="Ann")])
        memory.remember([told("Never bring Mrs Okafor the salt.", 2.0, user="ann")])
        memory.upkeep.snapshot()
    with store.memory() as memory:
        assert [rules(memory, user) for user in ("ann", "tim")] == [[], ["turn on the stove"]]
        assert {*rules(memory, "okafor")} == {*rules(memory, "Mrs Okafor")} == {"turn on the stove", "touch the salt"}


def test_each_of_several_rules_in_one_text_binds_whom_it_binds(store):
    text = "Never touch the vase. Only Anna may use the laptop. Never give Anna and Mrs. Berg the wine."
    with store.memory() as memory:
        memory.remember([told(text, 1.0, id="all", user="ann")])
        memory.upkeep.snapshot()
    with store.memory() as memory:
        assert {*rules(memory, "anna")} == {"touch the vase", "touch the wine"}
        assert {*rules(memory, "mrs_berg")} == {"touch the vase", "use the laptop", "touch the wine"}
        assert {*rules(memory, "tim")} == {"touch the vase", "use the laptop"}
        memory.forget(["told:all"], stamp=2.0)
        assert rules(memory, "anna") == []


def test_what_is_forbidden_for_today_ends_with_the_day_and_is_kept_until_then(store):
    noon = datetime(2026, 5, 4, 12, tzinfo=local_zone()).timestamp()
    with store.memory() as memory:
        memory.remember([told("The television stays off today.", noon, user="ann")])
        memory.upkeep.snapshot()
    with store.memory() as memory:
        bound = [
            [item.record.text for item in memory.recall(query).recollections]
            for hours in (1.0, 11.9, 12.0, 20.0)
            for query in [Query("", user="tim", kinds=frozenset({"rule"}), now=noon + 3600.0 * hours)]
        ]
    assert bound == [["switch on the television"]] * 2 + [[]] * 2
