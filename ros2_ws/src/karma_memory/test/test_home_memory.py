# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory by names: what is seen, told and done is there to be asked for, and nonsense is refused whole."""

import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karma_memory import Code, Event, EventKind, InvalidEventError, Layer, Memory, Node, Query
from karma_memory.state.live import UnknownRecordError

HOUR = 3600.0
NOW = 1_778_061_600.0
"""Noon, UTC."""


def where(memory, thing="mug", user="", scene=""):
    return memory.ask(f"Where is the {thing}?", user=user, scene=scene).text


# Seeing


def test_what_is_seen_is_where_it_was_seen(memory):
    assert memory.see("mug", on="kitchen table", room="kitchen", at=(1.0, 2.0, 0.9), size=(0.1, 0.1, 0.1)) == "mug"
    assert where(memory) == "The mug is on the kitchen table, in the kitchen."
    mug = memory.find("mug")
    assert (mug.position, mug.size, mug.receptacle) == ((1.0, 2.0, 0.9), (0.1, 0.1, 0.1), "kitchen table")
    assert memory.find("kitchen table").movable is False


def test_what_is_not_said_stays_as_it_was_known(memory):
    memory.see("mug", on="shelf", room="office", at=(1.0, 2.0, 0.9), state="dirty")
    memory.see("mug", state=["full"], confidence=0.5)
    mug = memory.find("mug")
    assert (mug.receptacle, mug.position, mug.confidence) == ("shelf", (1.0, 2.0, 0.9), 0.5)
    assert mug.states == {"isDirty": "true", "isFilledWithLiquid": "true"}
    assert where(memory) == "The mug is on the shelf, in the office."


def test_what_is_seen_elsewhere_in_the_open_rests_on_nothing_any_more(memory):
    memory.see("mug", on="shelf", room="office")
    memory.see("mug", room="kitchen")
    assert memory.find("mug").receptacle == ""
    assert where(memory) == "The mug is in the kitchen."


def test_names_are_one_whatever_their_case_and_spaces(memory):
    memory.see("Blue  Mug", on=" Shelf ")
    memory.see("blue mug", on="shelf", state="clean")
    assert sorted(node.id for node in memory.scene_graph().nodes(Layer.OBJECT)) == ["blue mug", "shelf"]


def test_several_things_of_a_name_are_told_apart_by_their_ids(memory):
    memory.see("mug", id="mug 1", on="shelf")
    memory.see("mug", id="mug 2", on="table")
    assert {node.id for node in memory.scene_graph().of_category("Mug")} == {"mug 1", "mug 2"}
    memory.see("mug", id="mug 1", inside="fridge")
    assert memory.find("mug 1").receptacle == "fridge"
    assert memory.find("mug 2").receptacle == "table"
    memory.gone("mug 2")
    assert memory.find("mug").id == "mug 1"


@pytest.fixture
def vases(memory):
    rooms = [Node(f"r{n}", Layer.ROOM, kind, name=kind.lower()) for n, kind in enumerate(("Kitchen", "Bedroom"), 1)]
    things = [Node("shelf 1", Layer.OBJECT, "Shelf", name="shelf", parent="r1", last_seen=NOW)]
    things += [Node(f"Vase_{n}", Layer.OBJECT, "Vase", name="vase", parent="r2", last_seen=NOW) for n in (2, 3)]
    things += [Node("Vase_1", Layer.OBJECT, "Vase", name="vase", receptacle="shelf 1", relation="on", last_seen=NOW)]
    memory.remember([Event("home", EventKind.OBSERVATION, NOW, scene="home", nodes=(*rooms, *things))])
    return memory


def test_of_several_things_of_a_name_no_arbitrary_one_is_meant(vases):
    before = vases.last_sequence
    for call in (
        lambda: vases.see("vase", on="table"),
        lambda: vases.see("vase", room="bedroom"),
        lambda: vases.gone("vase"),
        lambda: vases.did("pick up", "vase"),
    ):
        with pytest.raises(InvalidEventError, match=r"there are \d called 'vase'; give the id, one of: 'Vase_"):
            call()
    assert vases.last_sequence == before


def test_of_several_things_of_a_name_the_one_there_is_meant(vases):
    assert vases.see("vase", on="shelf", state="full") == "Vase_1"
    assert vases.see("vase", room="kitchen") == "Vase_1"
    assert vases.see("vase", id="Vase_2", on="table") == "Vase_2"
    vases.did("pick up", "Vase_3")
    vases.did("put", "vase", "table")
    assert vases.find("Vase_3").receptacle == "table"
    vases.gone("Vase_3")
    assert {node.id for node in vases.find_all("vase")} == {"Vase_1", "Vase_2"}


def test_what_holds_something_is_in_the_room_that_is_said(vases):
    vases.see("shelf", id="shelf 2", room="bedroom")
    vases.see("mug", on="shelf", room="kitchen")
    assert vases.find("mug").receptacle == "shelf 1"
    with pytest.raises(InvalidEventError, match="there are 2 called 'shelf'"):
        vases.see("mug", on="shelf", room="attic")


def test_an_id_that_several_have_for_a_name_is_a_new_thing(vases):
    assert vases.see("vase", id="vase", on="table") == "vase"
    assert vases.see("vase", on="sofa") == "vase"  # the one that has no other name
    assert len(vases.find_all("Vase", at="sofa")) == 1


def test_things_of_one_kind_are_told_apart_by_their_names(memory):
    memory.see("red mug", on="desk")
    memory.see("blue mug", on="shelf")
    assert memory.see("mug", on="table") == "mug"
    assert {node.category for node in memory.find_all("Mug")} == {"Mug"}
    assert where(memory, "red mug") == "The red mug is on the desk."
    assert where(memory, "blue mug") == "The blue mug is on the shelf."
    memory.gone("mug")
    told = where(memory)
    assert "red mug is on the desk" in told
    assert "blue mug is on the shelf" in told
    assert memory.ask("How many mugs are there?").text.startswith("I know of two mugs")
    memory.did("put", "red mug", "kitchen table")
    assert where(memory, "red mug") == "The red mug is on the kitchen table."
    assert memory.see("iPhone charger", on="work bench") == "iphone charger"
    assert where(memory, "iPhone charger") == "The iPhone charger is on the work bench."


def test_an_id_means_no_other_thing_that_has_it_for_a_name(memory):
    memory.see("m1", on="desk", id="first")
    memory.see("mug", on="shelf", id="m1")
    assert memory.find("first").receptacle == "desk"
    assert memory.find("m1").receptacle == "shelf"


def test_a_room_is_not_taken_for_a_thing(memory):
    floor_plan = Event("plan", EventKind.OBSERVATION, NOW, scene="home", nodes=(Node("r1", Layer.ROOM, "kitchen"),))
    memory.remember([floor_plan])
    with pytest.raises(InvalidEventError, match="'r1' is the id of a room"):
        memory.see("r1")
    assert [node.id for node in memory.scene_graph().nodes(Layer.ROOM)] == ["r1"]


def test_arrays_are_points(memory):
    memory.see("mug", at=np.array([1.0, 2.0, 0.5], dtype=np.float32), size=np.array([1, 1, 1]))
    assert memory.find("mug").position == (1.0, 2.0, 0.5)


@pytest.mark.parametrize(
    "picture", [b"\xff\xd8\xff a mug \xff\xd9", b"\x89PNG\r\n\x1a\n a mug IEND\xaeB`\x82"], ids=["JPEG", "PNG"]
)
def test_a_picture_is_kept(memory, picture):
    memory.see("mug", on="shelf", picture=picture)
    assert memory.picture("mug") == picture


@pytest.mark.parametrize(
    "said",
    [
        {"on": "table", "inside": "fridge"},
        {"on": "mug"},
        {"state": "wet"},
        {"state": ["open", 3]},
        {"state": None},
        {"at": (math.nan, 0.0, 0.0)},
        {"at": (math.inf, 0.0, 0.0)},
        {"at": (1.0, 2.0)},
        {"at": "abc"},
        {"size": (-1.0, 0.0, 0.0)},
        {"confidence": math.nan},
        {"confidence": 2.0},
        {"confidence": 0},
        {"confidence": "sure"},
        {"stamp": math.nan},
        {"stamp": "now"},
        {"picture": b"no picture"},
        {"picture": "no bytes"},
        {"room": 3},
        {"on": " "},
        {"id": "x" * 300},
        {"scene": "\x00"},
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused_whole(memory, said):
    memory.see("mug", on="shelf")
    before = memory.last_sequence
    with pytest.raises(InvalidEventError):
        memory.see("mug", **{"on": "", **said})
    assert memory.last_sequence == before
    assert where(memory) == "The mug is on the shelf."


def test_what_two_things_hold_of_each_other_ends_no_question(memory):
    memory.see("box", inside="drawer")
    memory.see("drawer", inside="box")
    assert "box" in where(memory, "drawer")
    assert "drawer" in memory.call("nearby", {"place": "box"})


def test_what_is_gone_is_told_so_and_the_unknown_cannot_go(memory):
    memory.see("keys", on="sofa")
    memory.gone("keys")
    assert memory.find("keys") is None
    assert where(memory, "keys") == "I don't know. The keys were on the sofa until just now."
    with pytest.raises(InvalidEventError, match="nothing called 'keys' is known"):
        memory.gone("keys")


def test_each_home_has_its_own_things(memory):
    memory.see("mug", on="shelf", scene="cabin")
    memory.see("mug", on="desk", scene="flat")
    assert memory.find("mug", "cabin").receptacle == "shelf"
    assert memory.ask("Where is the mug?", scene="cabin").text == "The mug is on the shelf."
    assert memory.scene_graph().scene == "flat"  # the one that was seen last


@given(st.text(max_size=300), st.text(max_size=40), st.text(max_size=40))
def test_any_name_is_taken_or_refused(tmp_path_factory, name, place, room):
    with Memory(tmp_path_factory.mktemp("any") / "home.sqlite3", embedder="lexical") as memory:
        try:
            node_id = memory.see(name, on=place, room=room)
        except InvalidEventError:
            assert memory.last_sequence == 1  # the settings
            return
        assert memory.find(name.strip()).id == node_id
        memory.did("put", name, "shelf")
        assert memory.find(node_id).receptacle == "shelf"
        assert isinstance(where(memory, name[:200]), str)


def test_the_home_that_is_meant_is_asked(store):
    with store.memory(scene="flat") as memory:
        memory.see("mug", on="desk", room="office", at=(1.0, 1.0, 1.0))
        memory.see("mug", on="sofa", room="lounge", scene="cabin")
        assert where(memory) == "The mug is on the desk, in the office."
        assert memory.scene_graph().scene == "flat"
        assert {
            one.record.scene for one in memory.recall(Query("mug", kinds=frozenset({"long_term"}))).recollections
        } == {"flat"}
        assert memory.call("where_is", {"thing": "mug"}).startswith("The mug is on the desk")
        assert "office" in memory.call("nearby", {})
        assert "lounge" not in memory.call("nearby", {})
        assert where(memory, scene="cabin") == "The mug is on the sofa, in the lounge."


def test_what_was_seen_before_overrides_nothing_newer(memory):
    now = time.time()
    memory.see("glasses", on="bed", room="bedroom", stamp=now)
    before = memory.scene_graph()
    assert memory.see("glasses", on="desk", room="office", stamp=now - 10 * HOUR) == "glasses"
    memory.see("phone", on="bed", room="attic", stamp=now - HOUR)
    memory.gone("glasses", stamp=now - HOUR)
    assert where(memory, "glasses") == "The glasses are on the bed, in the bedroom."
    assert memory.find("bed") == before.node("bed")
    memory.see("glasses", on="desk", stamp=now + 1.0)
    assert memory.find("glasses").receptacle == "desk"


def test_what_was_seen_before_it_was_gone_brings_nothing_back(memory):
    now = time.time()
    memory.see("keys", on="sofa", stamp=now - 3 * HOUR)
    memory.gone("keys", stamp=now - HOUR)
    memory.see("keys", on="shelf", stamp=now - 2 * HOUR)
    assert memory.find("keys") is None
    memory.see("keys", on="shelf", stamp=now)
    assert memory.find("keys").receptacle == "shelf"


def test_what_was_done_before_is_told_and_overrides_nothing_newer(memory):
    now = time.time()
    memory.see("mug", on="desk", stamp=now)
    memory.did("put", "mug", "sink", stamp=now - HOUR)
    assert where(memory) == "The mug is on the desk."
    assert memory.ask("Did you put the mug in the sink?").text.startswith("Yes")


# Telling


def test_what_one_tells_of_themselves_is_theirs(memory):
    assert memory.tell("My sister lives in Oslo.", user="ann").startswith("told:")
    assert memory.ask("Where does my sister live?", user="ann").text.startswith("Oslo.")
    for user in ("bob", ""):
        assert "Oslo" not in memory.ask("Where does Ann's sister live?", user=user).text


def test_nothing_is_kept_of_who_does_not_agree(store):
    with store.memory(assume_consent=False) as memory:
        assert memory.tell("My sister lives in Oslo.", user="ann") == ""
        assert "Oslo" not in memory.ask("Where does my sister live?", user="ann").text


@pytest.mark.parametrize("words", ["", " ", 3, None, "x" * 100_000, "\ud800"])
def test_what_is_no_speech_is_not_remembered(memory, words):
    with pytest.raises(InvalidEventError):
        memory.tell(words, user="ann")
    with pytest.raises(InvalidEventError):
        memory.ask(words, user="ann")


# Doing


def test_what_was_done_is_told_and_has_changed_things(memory):
    memory.see("mug", on="kitchen table", room="kitchen")
    memory.did("put", "mug", "sink", user="ann")
    assert where(memory) == "The mug is in the sink."
    assert memory.ask("Did you put the mug in the sink?").text.startswith("Yes, just now")
    memory.did("pick up", "mug")
    assert memory.ask("What are you holding?").text == "A mug."
    memory.did("open", "fridge")
    assert memory.ask("Is the fridge open?").text.startswith("Yes")
    memory.did("switch on", "floor lamp")
    assert memory.ask("Is the floor lamp on?").text.startswith("Yes")


@pytest.mark.parametrize("stamps", [(None, None), (NOW - 5 * HOUR, NOW)], ids=["now", "stamped"])
def test_where_it_was_before_is_told(memory, stamps):
    first, second = stamps
    memory.see("mug", on="kitchen table", stamp=first)
    memory.did("put", "mug", "fridge", stamp=second)
    told = memory.ask("Where was the mug before you moved it?").text
    assert told.startswith("The mug was on the kitchen table, before I moved it; now it is in the fridge")


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ("take grab grasp lift", ("", "held", {})),
        ("drop place set", ("", "", {})),
        ("clean wash", ("desk", "on", {"isDirty": "false"})),
        ("fill", ("desk", "on", {"isDirty": "true", "isFilledWithLiquid": "true"})),
        ("break", ("desk", "on", {"isDirty": "true", "isBroken": "true"})),
        ("heat", ("desk", "on", {"isDirty": "true", "temperature": "Hot"})),
        ("PolishObject scan", ("desk", "on", {"isDirty": "true"})),
    ],
)
def test_what_was_done_with_a_thing_changes_it(memory, actions, expected):
    for action in actions.split():
        memory.see("mug", on="desk", state="dirty")
        memory.did(action, "mug")
        mug = memory.find("mug")
        assert (mug.receptacle, mug.relation) == expected[:2]
        assert mug.states == (expected[2] or {"isDirty": "true"})
        memory.gone("mug")


def test_only_what_puts_a_thing_somewhere_moves_it(memory):
    memory.see("mug", on="desk")
    memory.did("pick up", "mug", "desk")
    assert memory.find("mug").relation == "held"
    memory.did("put into", "mug", "closet")
    assert (memory.find("mug").receptacle, memory.find("mug").relation) == ("closet", "in")
    memory.did("PointAt", "mug", "sofa")
    assert memory.find("mug").receptacle == "closet"
    assert where(memory) == "The mug is in the closet."


@pytest.mark.parametrize("said", [("hand", "Ann"), ("bring", "ann"), ("give", "my mother"), ("give", "Zoe")])
def test_what_is_given_to_somebody_is_in_no_place(memory, said):
    memory.tell("I like tea.", user="ann")
    memory.see("mug", on="desk")
    memory.did("take", "mug")
    memory.did(said[0], "mug", said[1])
    assert (memory.find("mug").receptacle, memory.find("mug").relation) == ("", "")
    assert memory.find(said[1]) is None
    assert memory.episodes("", "home")[-1].instruction == f"{said[0]} the mug to {said[1]}"


def test_where_the_robot_went_is_no_thing(memory):
    memory.did("go to", "kitchen")
    assert memory.find("kitchen") is None
    assert memory.find("kitchen", layer=Layer.ROOM).category == "Kitchen"


def test_what_failed_changes_nothing_and_says_why(memory):
    memory.see("mug", on="shelf")
    memory.did("put", "mug", "sink", succeeded=False, message="the sink is full")
    assert where(memory) == "The mug is on the shelf."
    assert "the sink is full" in memory.ask("Why did you not put the mug in the sink?").text


def test_an_action_that_makes_no_sense_leaves_no_task(memory):
    before = memory.last_sequence
    for said in ({"action": ""}, {"action": 3}, {"action": "put", "thing": "mug", "place": "mug"}):
        with pytest.raises(InvalidEventError):
            memory.did(**said)
    with pytest.raises(InvalidEventError):
        memory.did("put", "mug", "sink", stamp=math.nan)
    assert memory.last_sequence == before
    memory.did("put", "mug", "sink")  # and the next goes on


def test_a_task_is_one_and_whose_it_is(memory):
    memory.see("mug", on="desk")
    with memory.task("Bring me the mug.", user="ann") as task:
        memory.did("pick up", "mug")
        memory.did("put", "mug", "coffee table")
        with pytest.raises(InvalidEventError, match="going on"), memory.task("Another."):
            pass
    (episode,) = memory.episodes("ann", "home")
    assert (episode.id, episode.code, [step.skill for step in episode.steps]) == (
        task,
        Code.SUCCESS,
        ["PickupObject", "PutObject"],
    )
    assert "Bring me the mug" in memory.ask("What did I ask you for?", user="ann").text


def test_a_task_that_raises_has_failed_and_the_error_goes_on(memory):
    with pytest.raises(RuntimeError, match="no water"), memory.task("Wash the mug.", user="ann"):
        raise RuntimeError("no water")
    (episode,) = memory.episodes("ann", "home")
    assert (episode.code, episode.message) == (Code.EXECUTION_FAILURE, "no water")
    memory.did("open", "fridge")  # a task of its own again


def test_a_task_ends_as_what_was_done_last(memory):
    with memory.task("Wash the mug.", user="ann", stamp=NOW):
        memory.did("clean", "mug", stamp=NOW + 60.0)
        memory.did("put", "mug", "shelf", succeeded=False, message="it fell", stamp=NOW + 90.0)
    (episode,) = memory.episodes("ann", "home")
    assert (episode.code, episode.message, episode.end) == (Code.EXECUTION_FAILURE, "it fell", NOW + 90.0)


def test_what_threads_do_is_of_whom_each_does_it_for(memory):
    def work(user):
        for number in range(10):
            memory.did("open", f"{user} box {number}", user=user)

    users = ("ann", "bob", "cem", "dee")
    with ThreadPoolExecutor(len(users)) as threads:
        list(threads.map(work, users))
    for user in users:
        handled = [step.object for one in memory.episodes(user, "home") for step in one.steps]
        assert handled == [f"{user} box {number}" for number in range(10)]


def test_a_task_is_of_the_thread_that_began_it(memory):
    with memory.task("Tidy up.", user="ann"):
        other = threading.Thread(target=memory.did, args=("put", "secret", "safe"), kwargs={"user": "bob"})
        other.start()
        other.join()
        memory.did("open", "drawer")
    assert [[step.object for step in one.steps] for one in memory.episodes("ann", "home")] == [["drawer"]]
    assert [[step.object for step in one.steps] for one in memory.episodes("bob", "home")] == [["secret"]]


def test_what_is_done_for_another_is_not_done_in_a_task(memory):
    with memory.task("Tidy up.", user="ann"):
        before = memory.last_sequence
        with pytest.raises(InvalidEventError, match="for 'ann', not for 'bob'"):
            memory.did("put", "secret", "safe", user="bob")
        assert memory.last_sequence == before
        memory.did("put", "mug", "shelf", user="ann")


def test_an_action_by_itself_is_committed_at_once(memory, monkeypatch):
    batches = []
    remember = memory.remember
    monkeypatch.setattr(memory, "remember", lambda events: batches.append(len(events)) or remember(events))
    memory.did("put", "mug", "sink")
    assert batches == [3]


@pytest.mark.parametrize("succeeded", ["no", "", None, 2])
def test_what_is_neither_success_nor_failure_is_refused(memory, succeeded):
    with pytest.raises(InvalidEventError, match="succeeded must be True or False"):
        memory.did("put", "mug", "sink", succeeded=succeeded)


# All of it


def test_text_is_recalled_and_one_id_forgotten(memory):
    told = memory.tell("My sister lives in Oslo.", user="ann")
    memory.see("mug", on="desk")
    assert "Mug" in memory.recall("mug").recollections[0].record.text
    assert len(memory.recall("Oslo mug desk", user="ann", limit=1).recollections) == 1
    assert not any("Oslo" in one.record.text for one in memory.recall("Oslo").recollections)
    with pytest.raises(UnknownRecordError, match="'told:xyz'"):
        memory.forget("told:xyz", user="ann")
    assert memory.forget(told, user="ann") == 1
    with pytest.raises(InvalidEventError, match="query must be text"):
        memory.recall(3)


@pytest.mark.parametrize(
    "events", ["The mug is mine.", [3], None, Event("e", EventKind.OBSERVATION, NOW, scene="home")]
)
def test_what_is_no_list_of_events_is_not_remembered(memory, events):
    with pytest.raises(InvalidEventError, match="a list of events"):
        memory.remember(events)


def test_times_may_be_datetimes(memory):
    noon = datetime.fromtimestamp(NOW, UTC)
    memory.see("mug", on="desk", stamp=noon)
    assert memory.find("mug").last_seen == NOW
    later = noon + timedelta(hours=2)
    memory.did("put", "mug", "sink", stamp=later)
    assert memory.ask("Where is the mug?", at=noon + timedelta(hours=1), now=later).text.startswith(
        "The mug is on the desk"
    )
    assert memory.scene_graph(at=noon + timedelta(hours=1)).node("mug").receptacle == "desk"
    with pytest.raises(InvalidEventError, match="at must be a number"):
        memory.ask("Where is the mug?", at="yesterday")


@pytest.mark.parametrize("location", ["", " ", ":memory:"])
def test_a_memory_has_a_file(location, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="give the name of one"):
        Memory(location)
    assert not [*tmp_path.iterdir()]


def test_the_past_is_asked_as_it_was_known(memory):
    memory.see("mug", on="desk", stamp=NOW - 9 * HOUR)
    memory.did("put", "mug", "fridge", stamp=NOW - HOUR)
    assert memory.ask("Where is the mug?", at=NOW - 2 * HOUR, now=NOW).text.startswith("The mug is on the desk")
    then = memory.recall(Query("mug", at=NOW - 2 * HOUR, kinds=frozenset({"long_term"})))
    assert "Desk" in then.recollections[0].record.text


def test_it_is_all_there_when_it_is_opened_again(store):
    with store.memory(robot="tidy", scene="flat") as memory:
        memory.see("mug", on="desk")
        memory.tell("The blue mug is mine.", user="ann")
        memory.did("put", "mug", "sink")
    with store.memory() as memory:
        assert memory.current_scene == "flat"
        assert where(memory, user="ann").startswith("The mug is in the sink.")
        assert "mine" in memory.ask("Whose is the blue mug?", user="ann").text


def test_what_has_no_time_is_of_now(memory):
    before = time.time()
    memory.see("mug", on="desk")
    assert before <= memory.find("mug").last_seen <= time.time()
