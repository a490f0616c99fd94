# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The data structure: isolation, drift, replay. Lessons come in any order from several users."""

import json

import pytest
from heard import live
from hypothesis import given, settings
from hypothesis import strategies as st

from karma_language.told.reader import read_told
from karma_memory.encoding import dumps, loads
from karma_memory.events import Event, EventKind
from karma_memory.preferences import Lesson, Mode, PreferenceMemory, Request
from karma_memory.preferences.wire import lesson_event, lesson_of
from karma_memory.projection import EditError
from karma_memory.recall.index import HybridIndex

USERS = ("ada", "bo", "cy")
DRINKS = ("tea", "coffee", "milk")
PLACES = ("top shelf", "desk", "hall table")
TEXTS = (
    "I am tired. Bring me a drink.",
    "Something to drink, please.",
    "Put it where it belongs.",
    'Some "fruit": bring me it.',
)


@st.composite
def lessons(draw: st.DrawFn, events: int = 12) -> list[Event]:
    """Lessons that revise any earlier events, also those of others and ones that are not there."""
    drawn = []
    for number in range(draw(st.integers(1, events))):
        mode = draw(st.sampled_from(Mode))
        options = DRINKS if mode is Mode.FETCH else PLACES
        request = Request(draw(st.sampled_from(USERS)), draw(st.sampled_from(TEXTS)), mode, "", options)
        revises = draw(st.lists(st.integers(0, events).map("e{}".format), max_size=3))
        lesson = Lesson(request, draw(st.sampled_from(options)), tuple(revises))
        drawn.append(lesson_event(lesson, "so it is", event_id=f"e{number}", stamp=float(number + 1)))
    return drawn


def memory_of(events: list[Event]) -> PreferenceMemory:
    memory = PreferenceMemory(HybridIndex())
    for event in events:
        live(memory, event)
    return memory


@settings(max_examples=60, deadline=None)
@given(lessons())
def test_what_one_user_teaches_never_touches_what_is_known_of_another(events: list[Event]) -> None:
    memory = memory_of(events)
    for user in USERS:
        alone = memory_of([event for event in events if event.user == user])
        assert memory.history(user) == alone.history(user)
        assert all(preference.user == user for preference in memory.of(user))


@settings(max_examples=60, deadline=None)
@given(lessons())
def test_nothing_is_deleted_and_what_ended_says_when_and_for_what(events: list[Event]) -> None:
    memory = PreferenceMemory(HybridIndex())
    known: dict[str, str] = {}
    for event in events:
        live(memory, event)
        history = {p.id: p for user in USERS for p in memory.history(user)}
        assert known.keys() <= history.keys()
        known = {key: preference.chosen for key, preference in history.items()} | known
        for preference in history.values():
            assert known[preference.id] == preference.chosen
            if preference.valid_until is not None:
                assert preference.valid_until >= preference.valid_from
                assert preference.replaced_by in history or preference.replaced_by in {e.id for e in events}
        assert {p.id for user in USERS for p in memory.of(user)} == {
            key for key, preference in history.items() if preference.valid_until is None
        }


@settings(max_examples=60, deadline=None)
@given(lessons(), st.data())
def test_a_snapshot_and_the_rest_of_the_events_give_the_state_of_all_of_them(
    events: list[Event], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(events)))
    index = HybridIndex()
    restored = PreferenceMemory(index)
    restored.restore(loads(dumps(memory_of(events[:cut]).snapshot())))
    for event in events[cut:]:
        live(restored, event)
    lived = memory_of(events)
    assert dumps(restored.snapshot()) == dumps(lived.snapshot())
    assert {record.source for record in index.records.values()} == {p.id for user in USERS for p in lived.of(user)}
    assert all(record.user in USERS for record in index.records.values())


@settings(max_examples=40, deadline=None)
@given(lessons(events=3))
def test_a_lesson_survives_the_journal(events: list[Event]) -> None:
    for event in events:
        lesson = lesson_of(event)
        assert lesson is not None
        assert lesson_event(lesson, event.text, event_id=event.id, stamp=event.stamp) == event


@pytest.mark.parametrize(
    "message",
    ["", "{", "{}", "[]", '{"preference": 1}', '{"preference": {"mode": "eat"}}', json.dumps({"preference": {}})],
)
def test_feedback_without_a_well_formed_lesson_is_none(message: str) -> None:
    memory = memory_of([Event("x", EventKind.FEEDBACK, 1.0, user="ada", text="well done", message=message)])
    assert memory.history("ada") == []


def told(number: int, user: str, text: str) -> Event:
    return Event(f"t{number}", EventKind.TOLD, float(number), user=user, text=text)


def test_what_users_just_say_is_a_preference_and_the_newest_of_a_condition_holds() -> None:
    memory = memory_of(
        [
            told(1, "ada", "I prefer tea when I am tired."),
            told(2, "ada", "When I am tired, I like coffee best."),
            told(3, "ada", "The keys are on the shelf."),
            told(4, "bo", "My favourite drink is milk."),
            told(5, "", "I prefer tea when I am tired."),
        ]
    )
    assert [p.chosen for p in memory.of("ada")] in (["coffee"], ["tea", "coffee"], ["coffee best"])
    assert [(p.chosen, p.wordings) for p in memory.of("bo")] == [("milk", ("favourite drink",))]
    assert memory.of("") == []


def test_forgetting_closes_and_an_edit_replaces() -> None:
    memory = memory_of([told(1, "ada", "I prefer tea when I am tired.")])
    memory.check_told("", read_told("I prefer milk when I am tired", 0.0))
    with pytest.raises(EditError, match="say it like"):
        memory.check_told("blue", read_told("blue", 0.0))
    live(memory, Event("edit", EventKind.EDIT, 5.0, target="preferences:t1", text="I prefer milk when I am tired"))
    assert [(p.id, p.chosen, p.valid_until) for p in memory.history("ada")] == [
        ("t1", "tea", 5.0),
        ("edit", "milk", None),
    ]
    live(memory, Event("gone", EventKind.EDIT, 6.0, target="preferences:edit"))
    assert memory.of("ada") == []
    assert memory.history("ada")[-1].valid_until == 6.0


@pytest.mark.parametrize(
    ("mode", "thing", "edited", "chosen", "when"),
    [
        (Mode.FETCH, "", 'ada prefers, asked "Some "fruit": bring me it.": apple, not tomato', "apple", TEXTS[3]),
        (Mode.FETCH, "", 'Ada prefers, asked "A snack!": apple, not tomato', "apple", "A snack!"),
        (Mode.FETCH, "", "ada prefers apple.", "apple", TEXTS[3]),
        (Mode.FETCH, "", "ada prefers the apple, not tomato", "apple", TEXTS[3]),
        (Mode.FETCH, "", "I prefer an apple", "apple", TEXTS[3]),
        (Mode.PUT, "pan", f'ada prefers, asked "{TEXTS[2]}": the pan on or in: shelf, not desk', "shelf", TEXTS[2]),
    ],
)
def test_a_preference_is_edited_as_it_is_told_and_keeps_what_was_asked(
    mode: Mode, thing: str, edited: str, chosen: str, when: str
) -> None:
    options = ("tomato", "apple") if mode is Mode.FETCH else ("desk", "shelf")
    request = Request("ada", TEXTS[3] if mode is Mode.FETCH else TEXTS[2], mode, thing, options)
    memory = memory_of([lesson_event(Lesson(request, options[0]), "that one", event_id="e1", stamp=1.0)])
    for text in (edited, memory.of("ada")[0].text):
        memory.check_told(text, read_told(text, 0.0, speaker="ada"))
    other = edited.replace("da ", "va ").replace("I ", "Eva ")
    with pytest.raises(EditError, match="say it like"):
        memory.check_told(other, read_told(other, 0.0, speaker="ada"))
    live(memory, Event("edit", EventKind.EDIT, 5.0, user="ada", target="preferences:e1", text=edited))
    (now,) = memory.of("ada")
    assert (now.chosen, now.wordings, now.options, now.thing, now.mode) == (chosen, (when,), options, thing, mode)


def test_nobody_gets_the_preference_of_another_by_its_id() -> None:
    memory = memory_of([told(1, "ada", "I prefer tea when I am tired.")])
    assert memory.get("ada", "t1") is not None
    assert memory.get("bo", "t1") is None
