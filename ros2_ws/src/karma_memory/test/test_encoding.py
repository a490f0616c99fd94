# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karma_memory import (
    Code,
    Edge,
    Event,
    EventKind,
    Image,
    InvalidEventError,
    Layer,
    Node,
    Relation,
    SkillCall,
    SkillOutcome,
    SkillTarget,
)
from karma_memory.encoding import decode_event, dumps, encode_event, loads
from karma_memory.scene import MAX_COORDINATE, MAX_STAMP

printable = st.characters(exclude_categories=["C", "Z"])
names = st.text(printable, max_size=20)
ids = st.text(printable, min_size=1, max_size=20)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
numbers = st.floats(-MAX_COORDINATE, MAX_COORDINATE)
positive = st.floats(0, MAX_COORDINATE)
points = st.tuples(numbers, numbers, numbers)
nodes = st.builds(
    Node,
    id=ids,
    layer=st.sampled_from(Layer),
    category=names,
    name=names,
    parent=names,
    position=points,
    orientation=st.tuples(numbers, numbers, numbers, numbers),
    size=st.tuples(positive, positive, positive),
    movable=st.booleans(),
    receptacle=names,
    relation=st.sampled_from(["", "on", "in", "held"]),
    states=st.dictionaries(ids, names, max_size=4),
    confidence=st.floats(0, 1),
    last_seen=positive,
    support_heights=st.lists(numbers, max_size=3).map(sorted).map(tuple),
)
node_lists = st.lists(nodes, max_size=3, unique_by=lambda node: node.id).map(tuple)
edges = st.builds(Edge, type=st.sampled_from(Relation), source=ids, target=ids, weight=positive)
targets = st.builds(SkillTarget, id=names, category=names, position=st.none() | points)
outcomes = st.builds(
    SkillOutcome,
    call=st.builds(
        SkillCall,
        skill=ids,
        target=targets,
        receptacle=targets,
        relation=names,
        positions=st.lists(points, max_size=3).map(tuple),
        duration=positive,
    ),
    code=st.sampled_from(Code),
    message=texts,
    seen=node_lists,
    explore_steps=st.integers(0, 1000),
    duration=positive,
    distance=positive,
    stamp=positive,
    position=st.none() | points,
)
images = st.binary(min_size=1, max_size=40).map(lambda data: Image.of("jpeg", data))


NEEDS_TARGET = (EventKind.EDIT, EventKind.READING)


@st.composite
def events(draw):
    kind = draw(st.sampled_from(EventKind))
    needs_text = kind in (EventKind.EPISODE_START, EventKind.TOLD, EventKind.FEEDBACK, EventKind.READING)
    needs_episode = kind in (EventKind.EPISODE_START, EventKind.EPISODE_END)
    return Event(
        id=draw(ids),
        kind=kind,
        stamp=draw(positive),
        robot=draw(names),
        user=draw(names),
        scene=draw(names),
        episode=draw(ids if needs_episode else names),
        text=draw(texts.filter(str.strip) if needs_text else texts),
        target="" if kind is EventKind.OBSERVATION else draw(ids if kind in NEEDS_TARGET else names),
        nodes=draw(node_lists),
        removed=tuple(draw(st.lists(ids, max_size=3))),
        edges=tuple(draw(st.lists(edges, max_size=3))),
        removed_edges=tuple(draw(st.lists(edges, max_size=3))),
        outcome=draw(outcomes) if kind is EventKind.SKILL_OUTCOME else None,
        code=draw(st.sampled_from(Code)),
        message=draw(texts),
        image=draw(st.none() | images),
        accessed=tuple(draw(st.lists(ids, max_size=3))),
        goals=tuple(draw(st.lists(texts, max_size=2))),
        retry_of=draw(names),
        used=tuple(draw(st.lists(ids, max_size=2))),
    )


@given(events())
def test_decoding_gives_the_event_that_was_encoded_and_encoding_is_canonical(event):
    text = encode_event(event)
    decoded = decode_event(text)
    assert decoded == event
    assert encode_event(decoded) == text
    assert json.loads(text)["id"] == event.id


def test_equal_events_have_equal_encodings_whatever_the_sign_of_zero_and_the_order_of_states():
    first = Node("a", Layer.OBJECT, position=(0.0, 0, 1), states={"x": "1", "y": "2"})
    second = Node("a", Layer.OBJECT, position=(-0.0, 0.0, 1.0), states={"y": "2", "x": "1"})
    encoded = {encode_event(Event("e", EventKind.OBSERVATION, 1, nodes=(node,))) for node in (first, second)}
    assert len(encoded) == 1


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 2 * MAX_STAMP])
@pytest.mark.parametrize("field", ["position", "size", "confidence", "last_seen"])
def test_numbers_that_are_not_finite_or_too_large_are_refused(field, value):
    bad = (0.0, value, 0.0) if field in ("position", "size") else value
    with pytest.raises(InvalidEventError, match=r"finite|between"):
        Node("a", Layer.OBJECT, **{field: bad})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"id": ""}, "must not be empty"),
        ({"id": "a" * 257}, "257 characters"),
        ({"id": "a\nb"}, "printable"),
        ({"id": "\ud800"}, "Unicode"),
        ({"kind": 99}, "event kind must be one of"),
        ({"stamp": -1.0}, "stamp must be between"),
        ({"stamp": 2.0**31}, "stamp must be between"),
        ({"stamp": "now"}, "must be a number"),
        ({"text": "x" * 20_000}, "at most 16384"),
        ({"text": " ", "kind": EventKind.TOLD}, "needs a text"),
        ({"kind": EventKind.EDIT}, "needs the id of the recollection"),
        ({"kind": EventKind.READING, "text": "{}"}, "needs the id of what it reads"),
        ({"kind": EventKind.EPISODE_START, "text": "go"}, "id of its episode"),
        ({"kind": EventKind.SKILL_OUTCOME}, "outcome"),
        ({"nodes": (Node("a", Layer.OBJECT),) * 2}, "twice"),
        ({"nodes": ("a",)}, "must hold Node only"),
        ({"removed": "abc"}, "must be a sequence"),
    ],
)
def test_a_malformed_event_is_refused_with_a_reason(fields, message):
    with pytest.raises(InvalidEventError, match=message):
        Event(**{"id": "e", "kind": EventKind.OBSERVATION, "stamp": 1.0, **fields})


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "{", '{"id":"a","kind":"NOPE","stamp":1}', '{"id":1,"kind":"TOLD","stamp":1}']
)
def test_text_that_is_no_event_is_refused(text):
    with pytest.raises(InvalidEventError):
        decode_event(text)


def test_values_cannot_be_changed_from_outside():
    states = {"isOpen": "true"}
    node = Node("a", Layer.OBJECT, states=states)
    states["isOpen"] = "false"
    assert node.states == {"isOpen": "true"}
    with pytest.raises(TypeError):
        node.states["isOpen"] = "false"


def test_an_image_must_fit_its_checksum():
    image = Image.of("jpeg", b"abc")
    with pytest.raises(InvalidEventError, match="does not fit"):
        Image("jpeg", image.sha256, b"abd")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


@given(value=json_values)
def test_a_stored_state_is_read_as_it_was_written(value):
    assert loads(dumps(value)) == value


@pytest.mark.parametrize("text", ["", "[1", "[1,]", "[1;2]", '{"a":1', '{"a":[1}', "[1]x", '{"a":[[[[]]]'])
def test_what_is_no_json_is_no_stored_state(text):
    with pytest.raises(ValueError, match="char"):
        loads(text)
