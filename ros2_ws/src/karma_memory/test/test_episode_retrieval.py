# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karma_language.instructions import requests
from karma_language.told.habits.wording import KnowledgeType, asked_type, told_type
from karma_memory.profile.retrieval import EpisodeRetriever, PastEpisode, combine
from karma_memory.recall.embedder import MiniLmEmbedder

TOLD = {
    "mug": "Take the mug to the desk. The mug is white with a fancy handle. That mug is my coffee mug.",
    "flute": "Put the flute and the score on the piano. The flute is silver. My uncle left me the flute.",
    "desk": "Take the mug to the desk. I like a coffee on the desk when I begin to work.",
    "supper": "Carry the cutlery and the napkins from the drawer to the terrace. I usually have supper out there.",
    "practice": "Put the flute and the score on the piano. I always lay them out for practising on Sundays.",
}


@pytest.fixture(scope="module")
def retriever() -> EpisodeRetriever:
    retriever = EpisodeRetriever(MiniLmEmbedder())
    for name, instruction in TOLD.items():
        retriever.add(PastEpisode(name, instruction, "ada", "flat"))
    return retriever


def ids(retriever: EpisodeRetriever, instruction: str, **where: str) -> list[str]:
    return [found.episode.id for found in retriever.retrieve(instruction, **({"user": "ada", "scene": "flat"} | where))]


@pytest.mark.parametrize(
    ("instruction", "episode"),
    [
        ("Move my coffee mug to the desk.", "mug"),
        ("Could you get things ready for work, with my coffee?", "desk"),
        ("Bring the flute that my uncle left me to the piano.", "flute"),
        ("Can you set up everything for practice on Sunday?", "practice"),
        ("Lay the table outside for dinner, please.", "supper"),
        # indirect, or for another place (MEMENTO, appendices E.4.2 and E.4.3)
        ("I'm about to have supper. Could you set things up as I like them?", "supper"),
        ("The lesson is on Sunday. Can you prepare what I need for it?", "practice"),
        ("Move what I drink my coffee from to the sofa this time.", "mug"),
        ("could you lay things out for practising, on the sofa this time?", "practice"),
    ],
)
def test_finds_what_told_it_though_another_episode_was_the_same_task(retriever, instruction, episode):
    assert ids(retriever, instruction)[0] == episode


def test_an_instruction_with_several_references_gets_an_episode_for_each_first(retriever):
    instruction = (
        "Move my coffee mug to the desk. After that, can you set up for supper? Then lay out what I need to practise."
    )
    assert set(ids(retriever, instruction)[:3]) == {"mug", "supper", "practice"}


def test_nothing_of_another_user_or_scene_is_found(retriever):
    assert ids(retriever, "my coffee mug", user="bob") == []
    assert ids(retriever, "my coffee mug", scene="cabin") == []


def test_a_forgotten_episode_is_not_found():
    retriever = EpisodeRetriever(None)
    retriever.add(PastEpisode("mug", TOLD["mug"]))
    retriever.discard("mug")
    assert retriever.retrieve("my coffee mug") == []
    assert len(retriever) == 0


def test_without_an_embedder_it_goes_by_words_alone():
    retriever = EpisodeRetriever(None)
    for name, instruction in TOLD.items():
        retriever.add(PastEpisode(name, instruction))
    (first, *_) = retriever.retrieve("Move my coffee mug to the desk.")
    assert first.episode.id == "mug"
    assert any("mug" in reason for reason in first.why)


@pytest.mark.parametrize("instruction", ["", "  ", "?!", "a the of"])
def test_an_instruction_that_says_nothing_finds_something_or_nothing_but_does_not_fail(retriever, instruction):
    assert len(ids(retriever, instruction)) <= 5


@pytest.mark.parametrize(
    ("instruction", "kind"),
    [
        ("Take the cup away. The cup is red. The cup was my mother's.", KnowledgeType.OBJECT_SEMANTICS),
        ("Take the cup away. It's my favourite.", KnowledgeType.OBJECT_SEMANTICS),
        ("Take the cup away. I usually keep it in the cupboard.", KnowledgeType.USER_PATTERN),
        ("Take the cup and the plate to the terrace. That's my dinner setup.", KnowledgeType.USER_PATTERN),
        ("Take the cup to the terrace. In the evening, we like to sit there.", KnowledgeType.USER_PATTERN),
        ("Take the cup to the terrace. I got the cup from my aunt.", KnowledgeType.OBJECT_SEMANTICS),
        ("Take the cup to the terrace. I love this cup.", KnowledgeType.OBJECT_SEMANTICS),
        ("Take the cup to the terrace. My aunt gave me the cup.", KnowledgeType.OBJECT_SEMANTICS),
        ("Take the cup to the terrace. I like the cup to be there for tea.", KnowledgeType.USER_PATTERN),
        ("Take the cup to the terrace. This is how I like it in summer.", KnowledgeType.USER_PATTERN),
        ("Take the cup to the terrace.", None),
        ("take the 7 oz. cup away. the cup was my mother's.", KnowledgeType.OBJECT_SEMANTICS),
    ],
)
def test_what_is_told_is_of_one_of_two_kinds(instruction, kind):
    assert told_type(instruction) is kind


def test_a_request_speaks_of_things_or_of_an_arrangement():
    assert asked_type("Carry my lucky coin to the desk.") > 0
    assert asked_type("Arrange the desk as usual.") < 0


def test_a_sentence_with_them_goes_on_with_the_request_before():
    assert requests("Bring my mug and my book. Then, put them on the desk. After that, lay the table.") == (
        "Bring my mug and my book. Then, put them on the desk.",
        "After that, lay the table.",
    )
    assert len(requests("bring my mug. then, put it down. after that, lay the table.")) == 2
    assert requests("I'm going to bed. Could you dim the lamp?") == ("I'm going to bed. Could you dim the lamp?",)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 4), st.integers(1, 8), st.randoms(use_true_random=False))
def test_requests_take_turns_and_every_episode_is_there_once(number, episodes, random):
    scores = np.array([[random.random() for _ in range(episodes)] for _ in range(number)])
    order = combine(scores, episodes)
    assert combine(scores, number) == order[:number]
    assert sorted(order) == list(range(episodes))
    assert scores[:, order[0]].max() == scores.max()
    assert set(scores.argmax(axis=1)) <= set(order[:number])
