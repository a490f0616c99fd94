# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The readers read any words: what means nothing is unread, and nothing raises."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karma_language.reader import Rules
from karma_language.requests.requests import Grammar
from karma_language.told.facts.times import mark_times
from karma_language.told.reader import read_told
from karma_language.vocabulary import household
from karma_language.vocabulary.descriptions import described
from karma_language.vocabulary.verbs import VERBS
from karma_language.vocabulary.words import ADVERBS, AUXILIARIES, DETERMINERS, PERSONS, PLACED, QUESTION_WORDS, STATES

NOW = 1_700_000_000.0
LEXICON = household()
RULES = Rules(Grammar(LEXICON, described(LEXICON).is_word))
SMALL = sorted({*ADVERBS, *AUXILIARIES, *DETERMINERS, *PERSONS, *PLACED, *QUESTION_WORDS})
LARGE = sorted({*VERBS, *STATES, *(" ".join(words) for words in LEXICON.nouns)})
TIMES = [
    "noon",
    "at midnight",
    "3 pm",
    "on Monday",
    "tomorrow",
    "14 May",
    "30 February",
    "o'clock",
    "by",
    "25:61",
    "every",
]
MARKS = [",", ".", "?", "!", ";", ":", "—", "'s", "“", "not", "and", "or", "if", "than", "Anna", "it", "there", "2"]
UTTERANCES = st.lists(st.sampled_from(SMALL) | st.sampled_from(LARGE) | st.sampled_from(TIMES + MARKS), max_size=12)


@settings(deadline=None, max_examples=200)
@given(UTTERANCES)
def test_any_words_are_read(words: list[str]) -> None:
    text = " ".join(words)
    reading = RULES.read(text, NOW, {})
    assert all(item.quote in text or not item.quote for item in reading.items)
    read_told(text, NOW, speaker="ann", before="put the mug in the sink")


@pytest.mark.parametrize("lead", ["by", "at", "from", "until", "for"])
@pytest.mark.parametrize("time", ["noon", "midnight", "noon on Monday", "3 o'clock", "midday on 3 May"])
def test_a_time_of_day_needs_no_number(lead: str, time: str) -> None:
    _, found = mark_times(f"the plumber is here {lead} {time}", NOW)
    assert [one.moment.hour for one in found] == [0 if time == "midnight" else 15 if "3 o'clock" in time else 12]
