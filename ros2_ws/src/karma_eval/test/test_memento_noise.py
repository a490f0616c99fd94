# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Tables 24 to 27 of MEMENTO (appendix E.4.4), from the paper's text."""

import pytest

from karma_eval.embedding import CachedEmbedder
from karma_eval.memento.noise import knowledge_updates, node_references, score, tables
from karma_language.told.habits.references import place, thing
from karma_memory.profile.identity import MATCH, Identity
from karma_memory.profile.likeness import Lexicon
from karma_memory.recall.embedder import MiniLmEmbedder

EMBEDDER = CachedEmbedder(MiniLmEmbedder())


def test_table_24_every_paraphrase_updates_the_knowledge_that_it_words_anew():
    references = knowledge_updates(EMBEDDER)
    assert len(references) == 10
    assert [one for one in references if not one.right] == []


def test_tables_25_and_26_things_and_places_are_recognized_in_other_words():
    references = node_references(EMBEDDER)
    assert score(references) >= 95.0  # the paper: 75 (table 26)
    wrong = [(one.original, one.modified) for one in references if not one.right]
    # table 25 speaks of an alarm clock of its own (row 3), so the alarm clock of row 7 is that one, not the clock
    assert wrong in ([], [("clock", "alarm clock")])


@pytest.mark.parametrize(("existing", "added"), tables()["failures_of_the_paper"])
def test_table_27_what_the_paper_added_as_new_is_known(existing, added):
    identity = Identity(Lexicon(EMBEDDER))
    things = identity.of_things(thing(existing), thing(added))
    places = identity.of_places(place(existing), place(added))
    assert max(things, places) >= MATCH
