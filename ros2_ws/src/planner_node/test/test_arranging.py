# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karma_language.arranging.places import PlaceRef, PlaceWords
from planner_node.plan.arranging.grounding import NAMED, furniture_for, looks_like, names_category, usual_rooms
from planner_node.plan.arranging.moves import Move, ThingRef, things_of
from planner_node.plan.arranging.remembered import Past, combine
from planner_node.plan.arranging.requests import read_request

ROOMS = {
    "living_room_1": ("floor_living_room_1", "couch_1", "table_2", "table_3", "shelves_1", "stand_4"),
    "bedroom_1": ("floor_bedroom_1", "bed_5", "chest_of_drawers_6", "table_6", "wardrobe_3"),
    "kitchen_1": ("floor_kitchen_1", "cabinet_7", "counter_8", "fridge_9"),
    "laundryroom_1": ("floor_laundryroom_1", "washer_dryer_10"),
    "office_1": ("floor_office_1", "table_11", "chair_12"),
    "tv_1": ("floor_tv_1", "couch_13", "shelves_13"),
}
PLACES = PlaceWords(ROOMS)

REQUESTS = {
    "Carry the jug and tray from the kitchen counter over to the table in the living room.": [
        "jug, tray: counter@kitchen -> on table@living_room"
    ],
    "Put the candle, the bowl and the statue back on the bedroom table.": ["candle, bowl, statue: on table@bedroom"],
    "Fetch the globe from the living room to the bedroom and leave it on the dresser.": [
        "globe: @living_room -> on chest_of_drawers@bedroom"
    ],
    "First, move the hat to the chair. Then, place it on the tv room shelves.": [
        "hat: on chair@",
        "then hat: on shelves@tv",
    ],
    "First move the hat to the chair, then to the bed.": ["hat: on chair@", "then hat: on bed@"],
    "Take the vase and clock from the table and put them in the cupboard, placing them next to each other.": [
        "vase, clock: table@ -> within cabinet@ together"
    ],
    "First, set a radio next to the globe. Then, move both to the sofa.": [
        "radio: beside globe",
        "then radio, globe: on couch@",
    ],
    "Leave the slippers on the floor beside the bed in the bedroom.": ["slippers: on floor@ beside bed@bedroom"],
    "Move the music stand to the TV couch and the globe to the kitchen counter.": [
        "music stand: on couch@tv",
        "globe: on counter@kitchen",
    ],
    "Move the basket to a different table in the living room.": ["basket: on another table@living_room"],
    "Could you help me clear up by moving the red and yellow scarf and my cap to the stand?": [
        "red and yellow scarf, my cap: on stand@"
    ],
    "Move the short candle with a brass holder and the jug with a round, flat lid to the office desk.": [
        "short candle with brass holder, jug with round, flat lid: on table@office"
    ],
    "Help me carry some toys and a tray to the living room. Take the toy boat, toy tractor and tray from the kitchen. "
    "Set them side by side on the table in the living room.": [
        "toy boat, toy tractor, tray: @kitchen -> on table@living_room together"
    ],
    "Move the kettle from the laundry room/mudroom washer dryer to the counter.": [
        "kettle: washer_dryer@laundryroom -> on counter@"
    ],
    "The kettle should go on the kitchen counter.": ["kettle: on counter@kitchen"],
    "I'd like the vase on the table in the living room.": ["vase: on table@living_room"],
    "Relocate the frame from the stand to the office table, and set the statue next to it.": [
        "frame: stand@ -> on table@office",
        "statue: beside frame",
    ],
    "Please clear the living room table: move the plate and the fork to the kitchen counter.": [
        "plate, fork: on counter@kitchen"
    ],
    "move one cushion to the chair and another cushion to the couch.": ["cushion: on chair@", "cushion: on couch@"],
    "I want you to put the glorp in the refrigerator, please.": ["glorp: within fridge@"],
}

WISHES = [
    "Can you prepare my knitting nook?",
    "Could you arrange the pantry as I usually do?",
    "Swap the vase and the lamp.",
]


def place(ref: PlaceRef) -> str:
    return f"{'another ' if ref.other else ''}{'/'.join(ref.furniture[:1])}@{'/'.join(ref.rooms)}"


def shown(move: Move) -> str:
    things = ", ".join(thing.phrase for thing in move.things)
    source = f"{place(move.source)} -> " if move.source else ""
    to = f"{move.relation} {place(move.to)}" if move.to else ""
    beside = move.beside.phrase if isinstance(move.beside, ThingRef) else place(move.beside) if move.beside else ""
    parts = [f"{'then ' if move.sequel else ''}{things}:", f"{source}{to}", "together" * move.together]
    return " ".join(part for part in (*parts, f"beside {beside}" if beside else "") if part)


@pytest.mark.parametrize("text", REQUESTS)
def test_reads_requests(text: str) -> None:
    assert [shown(move) for move in read_request(text, PLACES).moves] == REQUESTS[text]


@pytest.mark.parametrize("text", [text.lower() for text in REQUESTS])
def test_capitals_do_not_matter(text: str) -> None:
    expected = next(moves for said, moves in REQUESTS.items() if said.lower() == text)
    assert [shown(move) for move in read_request(text, PLACES).moves] == expected


@pytest.mark.parametrize("text", WISHES)
def test_what_says_no_place_is_a_wish(text: str) -> None:
    request = read_request(text, PLACES)
    assert (request.moves, len(request.wishes)) == ((), 1)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([*" ,.:;!?/'", *(word for text in REQUESTS for word in text.split())]), max_size=25))
def test_reads_anything(words: list[str]) -> None:
    text = " ".join(words)
    request = read_request(text, PLACES)
    assert all(move.things for move in request.moves)
    assert all(thing.head for thing in things_of(request.moves))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80))
def test_no_text_is_an_error(text: str) -> None:
    read_request(text, PLACES)


def test_gives_each_thing_what_is_told_of_it() -> None:
    request = read_request(
        "Move the candle holder and candle to the couch. The candle holder is brass with three arms, and the candle is "
        "blue. They are part of my set. It's a gift from Anna.",
        PLACES,
    )
    assert [thing.told for thing in things_of(request.moves)] == [
        ("The candle holder is brass with three arms", "They are part of my set"),
        ("the candle is blue", "They are part of my set", "It's a gift from Anna"),
    ]


def words_alike(one: str, other: str) -> float:
    a, b = set(one.lower().split()), set(other.lower().split())
    return len(a & b) / max(1, len(a | b))


@pytest.mark.parametrize(
    ("phrase", "category"),
    [
        ("red mug", "cup"),
        ("plates", "plate"),
        ("saucer", "plant_saucer"),
        ("toy train", "toy_train"),
        ("sofa", "couch"),
    ],
)
def test_names_of_a_category(phrase: str, category: str) -> None:
    assert names_category(ThingRef(phrase, phrase), category, words_alike) >= NAMED
    assert names_category(ThingRef("moon", "moon"), category, words_alike) < NAMED


def test_what_was_told_tells_things_apart() -> None:
    told = ["jar is green with a wooden lid"]
    right, wrong = "A green jar with a tight wooden lid.", "A brown jar with a cork."
    assert looks_like(told, right, words_alike) > looks_like(told, wrong, words_alike) + 0.2


def test_furniture_that_nobody_knows_is_what_comes_nearest() -> None:
    def near(one: str, other: str) -> float:
        return 0.6 if (one, other) == ("credenza", "cabinet") else 0.1

    text = "Put the vase with a lid on the credenza."
    assert [shown(move) for move in read_request(text, PLACES, near).moves] == ["vase with lid: on cabinet@"]
    assert read_request(text, PLACES).moves == ()
    assert read_request("Put the vase where I usually have it.", PLACES, near).moves == ()


def test_another_table_is_not_where_it_is_now() -> None:
    ref = PlaceRef("a different table", ("table",), ("living_room",), other=True)
    assert furniture_for(ref, ROOMS, exclude=["table_2"]) == ["table_3"]
    assert furniture_for(PlaceRef("another stand", ("stand",), other=True), ROOMS, exclude=["stand_4"]) == ["stand_4"]


def test_a_dining_table_is_where_they_usually_are() -> None:
    ref = read_request("Put the cup on the dining table.", PLACES).moves[0].to
    assert ref is not None
    assert furniture_for(ref, ROOMS, usual_rooms(ref, ROOMS))[0] == "table_2"


class TestRemembered:
    past = Past(
        "Move the cup and plate to the kitchen counter. The cup is red. The cup and plate are part of my picnic set.",
        (("cup", "A red cup."), ("plate", "A flat plate.")),
    )

    def combined(self, text: str) -> list[tuple[str, list[str]]]:
        moves, known, _ = combine(read_request(text, PLACES), self.past, PLACES, words_alike)[0]
        return [(shown(move), [k.description for t in move.things for k in known.get(t, ())]) for move in moves]

    def test_as_usual_is_as_it_was(self) -> None:
        assert self.combined("Can you get everything ready as usual?") == [
            ("cup, plate: on counter@kitchen", ["A red cup.", "A flat plate."])
        ]

    def test_a_set_is_what_was_told_to_be_one(self) -> None:
        assert self.combined("Move my picnic set to the couch.") == [
            ("my picnic set: on couch@", ["A red cup.", "A flat plate."])
        ]

    def test_what_is_said_holds(self) -> None:
        assert self.combined("Put my picnic cup on the bed.") == [("my picnic cup: on bed@", ["A red cup."])]

    @pytest.mark.parametrize(
        "text", ["Could you set up my picnic, on the bed this time?", "Put my picnic on the bed instead, please."]
    )
    def test_a_habit_at_another_place_this_time(self, text: str) -> None:
        past = Past(self.past.instruction.replace("counter.", "counter, next to each other."), self.past.objects)
        moves, known, _ = combine(read_request(text, PLACES), past, PLACES, words_alike)[0]
        assert [shown(move) for move in moves] == ["cup, plate: on bed@ together"]
        assert [k.description for t in moves[0].things for k in known[t]] == ["A red cup.", "A flat plate."]

    def test_only_the_last_place_of_a_habit_is_another_one(self) -> None:
        past = Past("First move the cup to the couch, then to the shelves.", (("cup", "A red cup."),))
        for text, last in (("on the bed", "bed@"), ("in the tv room", "shelves@tv")):
            request = read_request(f"Can you put my cup in its usual spot, {text} this time?", PLACES)
            moves, _, _ = combine(request, past, PLACES, words_alike)[0]
            assert [shown(move) for move in moves] == ["cup: on couch@", f"then cup: on {last}"]

    def test_what_has_nothing_to_do_with_it_stays_as_said(self) -> None:
        assert self.combined("Put the hammer on the bed.") == [("hammer: on bed@", [])]
