# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A question that names who asks it is searched for in their own words."""

import pytest

from karma_language.syntax.own_words import in_own_words


@pytest.mark.parametrize(
    ("asker", "question", "own"),
    [
        ("petra", "What is Petra afraid of?", "What am I afraid of?"),
        ("petra", "When does Petra's course begin?", "When does my course begin?"),
        ("petra", "Who lent Petra the drill?", "Who lent me the drill?"),
        ("petra", "Has Petra paid, and where does she keep her bills?", "Have I paid, and where do I keep my bills?"),
        ("petra", "Does Petra know whom Ann calls on her birthday?", "Do I know whom Ann calls on her birthday?"),
        ("petra", "Who is Petra?", "Who am I?"),
        ("Aunt May", "What can't Aunt May eat?", "What can't I eat?"),
        ("may", "When does school end in May?", "When does school end in May?"),
        ("tom", "Where does Uncle Tom live?", "Where does Uncle Tom live?"),
        ("rose", "what does the rose need?", "what does the rose need?"),
        ("", "What is Petra afraid of?", "What is Petra afraid of?"),
    ],
)
def test_who_asks_is_i(asker, question, own):
    assert in_own_words(question, asker) == own
