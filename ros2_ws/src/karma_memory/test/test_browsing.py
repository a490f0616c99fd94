# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people who look on are shown: what the memories hold, now and then, of whom, and short-term memory's insides."""

import tempfile
from pathlib import Path

import pytest
from attempts import FAILED
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_erasure import BOBS, USER, WORDS, live, others
from world import APPLE, COUNTER, SCENE, event, home, outcome, seen, thing, told

from karma_memory import (
    Code,
    EventKind,
    InvalidEventError,
    Memory,
    PastUnknownError,
    PolicySettings,
    Query,
    SkillTarget,
)
from karma_memory.browsing.events import EventQuery
from karma_memory.journal import JournalError
from karma_memory.preferences.preference import Lesson, Mode, Request
from karma_memory.preferences.wire import lesson_event
from karma_memory.privacy.consent import Consent
from karma_memory.short_term import POLICIES
from karma_memory.users.erasure import forget_user

ALL = 1000
"""More than any of these memories holds."""


@pytest.fixture
def memory(file_store):
    with file_store.memory() as memory:
        yield memory


def shown(memory, user="", offset=0, **fields):
    return memory.browsing.records(Query("", user=user, **{"limit": ALL, **fields}), offset)


def ids(memory, *args, **fields):
    return [item.record.id for item in shown(memory, *args, **fields).recollections]


def texts(memory, *args, **fields):
    return {item.record.text for item in shown(memory, *args, **fields).recollections}


def household():
    """Return what gives every memory something of ann, of ben, and of nobody."""
    events = [home(), told("tea is in the cupboard", 2.0, id="tea")]
    for start, user in ((10.0, "ann"), (30.0, "ben"), (50.0, "")):
        episode = {"episode": f"episode-{user}", "user": user}
        tin, apple = SkillTarget("Tin|1", "Tin"), SkillTarget("Apple|1", "Apple")
        events += [
            event(EventKind.EPISODE_START, start, id=f"start-{user}", text=f"open the tin of {user}", **episode),
            outcome("OpenObject", stamp=start + 1, id=f"locked-{user}", code=FAILED, target=tin, **episode),
            outcome("ToggleOn", stamp=start + 2, id=f"unlocked-{user}", target=tin, **episode),
            outcome("OpenObject", stamp=start + 3, id=f"opened-{user}", target=tin, **episode),
            outcome("PickupObject", APPLE, stamp=start + 4, id=f"take-{user}", target=apple, **episode),
            event(EventKind.EPISODE_END, start + 5, id=f"end-{user}", code=Code.SUCCESS, **episode),
        ]
    for start, user in ((20.0, "ann"), (40.0, "ben")):
        request = Request(user, "bring me some fruit", Mode.FETCH, options=("kumquat", "persimmon"))
        events += [
            told(f"My sister is called Anna {user}.", start, id=f"sister-{user}", user=user),
            told(f"The blue cup is my favorite {user} cup.", start + 1, id=f"cup-{user}", user=user),
            told(f"Nobody uses {user}'s cup.", start + 1, id=f"never-{user}", user=user),
            told("That apple is mine.", start + 1, id=f"apple-{user}", user=user),
            lesson_event(Lesson(request, "persimmon"), "the persimmon", event_id=f"fruit-{user}", stamp=start + 2),
        ]
    return events


def test_everything_that_each_memory_holds_of_a_user_is_shown_beside_everybodys_and_nothing_of_others(memory):
    memory.remember(household())
    found = shown(memory, "ann")
    kinds = {item.record.kind for item in found.recollections}
    assert kinds == set(memory.with_state(lambda state: list(state.projections)))
    assert {item.record.user for item in found.recollections} == {"", "ann"}
    assert found.users == ("ann", "ben")
    assert {item.score for item in found.recollections} == {1.0}
    assert any("ann's own" in item.why for item in found.recollections)
    own = {item.record.id for item in found.recollections if item.record.user == "ann"}
    assert own == set(ids(memory, "ann")) - set(ids(memory))
    assert not [text for text in texts(memory, "ann") if "ben" in text]
    assert not [item for item in shown(memory, "nobody else").recollections if item.record.user]
    assert shown(memory).users == ("ann", "ben")  # so that one can be chosen


def test_a_guideline_is_shown_with_its_figures_and_a_preference_with_the_words_that_taught_it(memory):
    memory.remember(household())
    (learned,) = shown(memory, kinds=frozenset({"guideline"})).recollections
    assert learned.record.guideline.uses == 3
    assert any(line.startswith("worked 3 of 3 times") for line in learned.why)
    (preferred,) = shown(memory, "ann", kinds=frozenset({"preferences"})).recollections
    assert 'said: "the persimmon"' in preferred.why


def test_each_fact_of_a_sentence_is_shown_by_itself_with_the_sentence_that_told_it(memory):
    sentence = "I am allergic to nuts and my sister is called Eva."
    memory.remember([told(sentence, 1.0, user="ann"), told("She was born on 3 May.", 2.0, user="ann")])
    found = [item.record for item in shown(memory, "ann", kinds=frozenset({"facts"})).recollections]
    assert {record.knowledge.name for record in found} == {"Allergy: nuts", "Sister: Eva", "Eva's birthday: 3 May"}
    assert {record.knowledge.told for record in found} == {sentence, "She was born on 3 May."}


def test_the_memories_are_shown_as_they_were(memory):
    memory.remember(household())
    assert {item.record.kind for item in shown(memory, "ann", at=2.0).recollections} == {"long_term", "told"}
    assert shown(memory, "ann", at=2.0).users == ()
    assert shown(memory, "ann", at=15.0).users == ("ann",)
    assert "told:sister-ann" not in ids(memory, "ann", at=15.0)
    assert "told:sister-ann" in ids(memory, "ann", at=20.0)
    assert ids(memory, "ann", at=1000.0) == ids(memory, "ann")


def test_what_was_edited_or_forgotten_is_shown_at_earlier_times_only(memory):
    memory.remember([told("tea is in the cupboard", 1.0, id="tea"), told("the key is red", 2.0, id="key")])
    new = memory.edit("told:tea", "tea is in the drawer", stamp=10.0)
    memory.forget(["told:key"], stamp=20.0)
    assert ids(memory) == [new]
    assert texts(memory) == {"tea is in the drawer"}
    assert texts(memory, at=15.0) == {"tea is in the drawer", "the key is red"}
    assert texts(memory, at=5.0) == {"tea is in the cupboard", "the key is red"}


def test_every_id_that_is_shown_of_what_people_said_and_the_robot_saw_can_be_forgotten(memory):
    memory.remember(household())
    kinds = frozenset({"long_term", "short_term", "episodic", "told", "profile", "preferences", "facts", "guideline"})
    while found := ids(memory, "ann", kinds=kinds):
        memory.forget(found[:1], user="ann", stamp=100.0)
        assert found[0] not in ids(memory, "ann", kinds=kinds)


def test_a_fact_that_has_ended_by_itself_is_not_shown(memory):
    memory.remember([told("I have a dentist appointment on 2 January 1970 at 10:00.", 100.0, user="ann")])
    kinds = frozenset({"facts"})
    assert ids(memory, "ann", kinds=kinds, now=200.0)
    assert not ids(memory, "ann", kinds=kinds, now=3 * 86_400.0)


def test_what_is_kept_of_who_withdrew_their_consent_is_shown_to_nobody_neither_now_nor_of_the_past(memory):
    memory.remember(household())
    memory.users.set_consent("ann", Consent(keep=False), 60.0)
    for at in (None, 50.0):
        assert not [item for item in shown(memory, "ann", at=at).recollections if item.record.user]
    assert not [entry for entry in happened(memory) if entry.event.user == "ann"]
    assert not happened(memory, user="ann")
    assert shown(memory).users == ("ann", "ben")  # something is held, and can be erased


def test_a_change_without_a_name_of_what_somebody_said_is_theirs_whichever_memory_made_something_of_it(memory):
    memory.remember(household())
    own = [item.record.id for item in shown(memory, "ann").recollections if item.record.user == "ann"]
    own = [name for name in own if name.partition(":")[0] not in ("working", "trajectory", "episodic")]
    assert {name.partition(":")[0] for name in own} >= {"told", "profile", "preferences", "facts"}
    summed = event(EventKind.EDIT, 59.0, target="episodic:episode-ann", text="the sweets are for ann", id="summary")
    again = event(EventKind.EDIT, 60.0, target="told:sister-ann", text="My sister is called Eve.", id="again")
    memory._live.commit([summed, again], checked=False)  # as older versions took them
    for name in ("told:again", *own):
        if memory.record(name) is not None:  # who changes what was said changes all that was made of it
            memory._live.commit([event(EventKind.EDIT, 61.0, target=name, id=f"forget-{name}")], checked=False)
    changes = [entry.event.id for entry in happened(memory, kinds=frozenset({EventKind.EDIT}))]
    assert len(changes) > 4
    assert names(happened(memory, kinds=frozenset({EventKind.EDIT}), user="ann")) == changes
    assert not happened(memory, kinds=frozenset({EventKind.EDIT}), user="ben")
    memory.users.set_consent("ann", Consent(keep=False), 62.0)
    assert not happened(memory, kinds=frozenset({EventKind.EDIT}))


def test_of_a_forgotten_instruction_what_carries_no_name_is_not_shown_while_somebody_does_not_agree(memory):
    start = event(EventKind.EPISODE_START, 1.0, id="go", text="find my pills", user="ann", episode="e")
    memory.remember([start, outcome("GoToObject", thing("Pills|1"), stamp=2.0, id="step", episode="e")])
    memory.forget(["episodic:e"], user="ann", stamp=3.0)
    assert "step" in names(happened(memory))
    memory.users.set_consent("ann", Consent(keep=False), 4.0)
    assert not happened(memory)
    memory.users.set_consent("ann", Consent(keep=True), 5.0)
    assert "step" in names(happened(memory))


@pytest.mark.parametrize("compacted", [False, True])
def test_nothing_of_an_erased_user_is_shown_anywhere(store, compacted):
    live(store, compacted=compacted)
    with store.memory(capacity=1) as memory:
        assert USER in shown(memory).users
        assert any(USER in str(entry) for entry in happened(memory))
    forget_user(store.location, USER, folder=store.folder)
    with store.memory(capacity=1) as memory:
        everything = [shown(memory, user, at=at) for user in ("", "bob", USER) for at in (None, 26.0, 40.0)]
        everything += [memory.browsing.short_term(at) for at in (None, 26.0, 40.0)]
        everything += [happened(memory), happened(memory, user=USER), happened(memory, user="bob", whole=True)]
        assert not [word for word in WORDS if word.decode() in str(everything)]
        assert shown(memory).users == ("bob",)
        assert {entry.event.id for entry in happened(memory)} >= {"tea", "coffee", BOBS[0].id}


said = st.lists(
    st.tuples(st.sampled_from(["told", "seen", "feedback"]), st.integers(1, 4), st.sampled_from(["", "ann", "ben"])),
    max_size=25,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(what=said, limit=st.integers(1, 7), user=st.sampled_from(["", "ann", "eve"]))
def test_pages_put_together_are_everything_in_order(what, limit, user):
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "m.sqlite3", embedder="lexical") as memory:
        for number, (kind, stamp, whose) in enumerate(what):
            if kind == "seen":
                memory.remember([seen(thing(f"Cup|{number}"), stamp=float(stamp))])
            else:
                said_as = EventKind.TOLD if kind == "told" else EventKind.FEEDBACK
                memory.remember([event(said_as, float(stamp), text=f"tea {number}", user=whose, id=f"e{number}")])
        found = shown(memory, user)
        everything = [(item.record.kind, -item.record.valid_from, item.record.id) for item in found.recollections]
        assert everything == sorted(everything)
        assert len(everything) == found.total
        expected = sum(kind == "seen" or whose in ("", user) for kind, _, whose in what)
        assert found.total == expected
        pages = [shown(memory, user, offset, limit=limit) for offset in range(0, found.total + limit, limit)]
        assert [item for page in pages for item in page.recollections] == list(found.recollections)
        assert {page.total for page in pages} == {found.total}

        for newest in (False, True):
            everything = happened(memory, user=user, newest=newest)
            assert [entry.sequence for entry in everything] == sorted(entry.sequence for entry in everything)
        entries, after = [], 0
        while page := memory.browsing.events(EventQuery(user=user, after=after, limit=limit)).entries:
            entries += page
            after = memory.browsing.events(EventQuery(user=user, after=after, limit=limit)).last
        assert entries == list(everything)
        assert happened(memory, user=user, newest=True, limit=limit) == everything[-limit:]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"kinds": frozenset({"dreams"})}, "no memory of kind 'dreams'; kinds are episodic, facts"),
        ({"limit": 0}, "limit must be between 1 and 1000"),
        ({"limit": 1001}, "limit must be between 1 and 1000"),
        ({"offset": -1}, "offset"),
        ({"at": float("nan")}, "at must be finite"),
        ({"at": -1.0}, "at must be between 0"),
        ({"user": "a\nb"}, "printable"),
    ],
)
def test_a_senseless_page_is_refused_with_what_to_do(memory, fields, reason):
    with pytest.raises(InvalidEventError, match=reason):
        shown(memory, **fields)


@pytest.mark.parametrize("at", [-1.0, float("nan"), float("inf"), 1e12])
def test_short_term_memory_at_a_senseless_time_is_refused(memory, at):
    with pytest.raises(InvalidEventError, match="at must be"):
        memory.browsing.short_term(at)


def test_the_time_before_the_horizon_is_refused_as_everywhere(memory):
    memory.remember([told(f"statement {i}", 10.0 * i) for i in range(1, 11)])
    memory.upkeep.compact(50.5)
    for ask in (lambda at: shown(memory, at=at), memory.browsing.short_term):
        ask(60.0)
        with pytest.raises(PastUnknownError, match=r"since 50\.000 s"):
            ask(40.0)
    assert memory.browsing.span() == (50.0, 100.0)


def test_the_past_begins_when_the_first_thing_happened_that_is_still_known(file_store):
    with file_store.memory(capacity=2) as memory:
        assert memory.browsing.span() == (0.0, 0.0)
    with file_store.memory(capacity=3) as memory:  # the second note of the memory, of no time either
        memory.remember([told("quinces", 100.0, user="ann"), told("tea is in the drawer", 200.0)])
        assert memory.browsing.span() == (100.0, 200.0)
    forget_user(file_store.location, "ann", folder=file_store.folder)
    with file_store.memory(capacity=3) as memory:
        assert memory.browsing.span() == (200.0, 200.0)


# What happened.


def happened(memory, **fields):
    return memory.browsing.events(EventQuery(**fields)).entries


def names(entries):
    return [entry.event.id for entry in entries]


@pytest.fixture
def lived(store):
    """Of each kind of store, a memory in which something happens every second, and once the clock is wrong."""
    with store.memory() as memory:
        memory.remember([told(f"statement {i}", float(i), id=f"t{i}", user=("ann", "ben")[i % 2]) for i in range(1, 9)])
        memory.remember([told("of long ago", 2.5, id="wrong"), home(9.0)])
        yield memory


def test_events_are_those_of_a_time_whatever_their_order(lived):
    assert names(happened(lived, since=2.0, until=4.0)) == ["t2", "t3", "t4", "wrong"]
    assert names(happened(lived, since=2.0, until=4.0, limit=2)) == ["t2", "t3"]
    assert names(happened(lived, since=2.0, until=4.0, limit=2, newest=True)) == ["t4", "wrong"]
    assert names(happened(lived, kinds=frozenset({EventKind.TOLD}), user="ann")) == ["t2", "t4", "t6", "t8"]
    assert not happened(lived, since=100.0)


def test_events_go_on_after_those_that_were_looked_at(lived):
    first = lived.browsing.events(EventQuery(user="ben", limit=3))
    assert names(first.entries) == ["t1", "t3", "t5"]
    assert first.last == first.entries[-1].sequence
    rest = lived.browsing.events(EventQuery(user="ben", after=first.last))
    assert names(rest.entries) == ["t7"]
    assert rest.last == lived.last_sequence
    assert not happened(lived, after=rest.last)
    lived.remember([told("later", 20.0, id="later", user="ben")])
    assert names(happened(lived, after=rest.last)) == ["later"]
    assert lived.browsing.span() == (1.0, 20.0)


@pytest.mark.parametrize("looked_at", [1, 2, 7])
def test_events_are_found_however_few_are_looked_at_or_read_at_a_time(lived, monkeypatch, looked_at):
    asked = (
        {"user": "ann"},
        {"kinds": frozenset({EventKind.OBSERVATION})},
        {"since": 2.0, "until": 4.0, "limit": 3},
        {"after": 4, "limit": 2},
    )
    expected = [names(happened(lived, newest=newest, **fields)) for fields in asked for newest in (False, True)]
    assert expected[1] == ["t2", "t4", "t6", "t8"]
    monkeypatch.setattr("karma_memory.journal.store.LOOKED_AT", looked_at)
    monkeypatch.setattr("karma_memory.journal.store.READ_CHUNK", 2)
    assert [names(happened(lived, newest=new, **fields)) for fields in asked for new in (False, True)] == expected


def test_of_a_large_journal_only_what_is_wanted_is_read(lived, monkeypatch):
    monkeypatch.setattr("karma_memory.journal.store.READ_CHUNK", 3)
    read, rows = [], lived._journal._rows_within
    monkeypatch.setattr(
        lived._journal, "_rows_within", lambda *args, **fields: read.append(found := rows(*args, **fields)) or found
    )
    assert names(happened(lived, limit=2, newest=True, kinds=frozenset({EventKind.TOLD}))) == ["t8", "wrong"]
    assert len(read) == 1
    after = lived._journal.sequence_of("t2")
    assert names(happened(lived, after=after, limit=2)) == ["t3", "t4"]
    assert len(read) == 3  # two more chunks: readings are between the words
    assert names(happened(lived, user="ann")) == ["t2", "t4", "t6", "t8"]


def test_an_event_is_shown_bare_or_whole_with_its_picture_as_long_as_there_is_one(lived):
    picture = others(1.0)[3].image
    lived.remember([outcome("OpenObject", COUNTER, saw=(APPLE,), stamp=30.0, id="look", image=picture)])
    ((bare,), (whole,)) = (happened(lived, since=30.0, whole=whole) for whole in (False, True))
    assert (bare.event.nodes, bare.event.outcome.seen, bare.event.image) == ((), (), None)
    assert (whole.event.nodes, whole.event.outcome.seen) == ((COUNTER,), (APPLE,))
    assert whole.event.image.data == picture.data
    with lived._journal.transaction() as transaction:
        transaction.bound_images(0, set)
    ((dropped,),) = (happened(lived, since=30.0, whole=True),)
    assert dropped.event.image is None
    assert dropped.event.nodes == (COUNTER,)


def test_a_page_is_no_larger_than_its_bytes_may_be(lived, monkeypatch):
    monkeypatch.setattr("karma_memory.browsing.events.MOST_BYTES", 300)
    page = lived.browsing.events(EventQuery())
    assert 1 <= len(page.entries) < 8
    assert page.last == page.entries[-1].sequence
    (newest,) = happened(lived, newest=True)
    assert newest.event.kind is EventKind.OBSERVATION  # the whole home, larger than a page by itself


def test_the_events_of_an_instruction_are_its_users_though_they_carry_no_name(lived):
    lived.remember(
        [
            event(EventKind.EPISODE_START, 30.0, id="go", text="find a mug", user="ann", episode="e"),
            outcome("GoToObject", thing("Mug|1"), stamp=31.0, id="step", episode="e"),
            outcome("GoToObject", thing("Mug|1"), stamp=32.0, id="other"),
        ]
    )
    assert names(happened(lived, user="ann", since=30.0)) == ["go", "step"]


def test_what_lost_its_content_and_the_memorys_own_notes_are_left_out(lived):
    lived.recall(Query("the apple"))
    lived.flush()
    lived.remember([seen(thing("Mug|1", seen=float(i)), stamp=float(i), id=f"mug{i}") for i in range(40, 60)])
    lived.upkeep.compact(55.5)
    entries = happened(lived)
    assert {entry.event.kind for entry in entries} <= {EventKind.TOLD, EventKind.OBSERVATION}
    assert names(entries)[-1] == "mug59"
    assert "mug45" not in names(entries)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"limit": 0}, "limit must be between 1 and 5000"),
        ({"limit": 5001}, "limit must be between 1 and 5000"),
        ({"since": -1.0}, "since must be between 0"),
        ({"until": float("nan")}, "until must be finite"),
        ({"since": 5.0, "until": 4.0}, "until .* is before since .* exchange"),
        ({"after": -1}, "after"),
        ({"kinds": frozenset({7})}, r"kind 7 .*; ask for 0 \(OBSERVATION\), .*, 6 \(EDIT\)$"),
        ({"kinds": frozenset({64})}, r"notes; ask for 0 \(OBSERVATION\), .*, 6 \(EDIT\)$"),
        ({"user": "a\nb"}, "printable"),
    ],
)
def test_a_senseless_question_for_events_is_refused_with_what_to_do(fields, reason):
    with pytest.raises(InvalidEventError, match=reason):
        EventQuery(**fields)


# Short-term memory.


def use(name, stamp, **fields):
    return outcome("PickupObject", thing(f"{name}|1", seen=stamp), stamp=stamp, **fields)


def test_the_insides_of_short_term_memory_are_what_its_policy_goes_by(file_store):
    with file_store.memory(capacity=3, policy="w_tinylfu", window=0.34) as memory:
        memory.remember([use(name, float(i)) for i, name in enumerate(("Apple", "Mug", "Apple", "Pan", "Apple"), 1)])
        contents = memory.browsing.short_term()
        assert contents.settings == PolicySettings("w_tinylfu", 3, 0.34)
        assert contents.window == 1
        assert [unit.node.id for unit in contents.units] == [unit.node.id for unit in memory.units()]
        assert {unit.node.category: (unit.segment, unit.frequency) for unit in contents.units} == {
            "Apple": ("protected", 3),
            "Mug": ("probation", 1),
            "Pan": ("window", 1),
        }
        assert {unit.node.category: unit.time for unit in contents.units} == {"Apple": 5.0, "Mug": 2.0, "Pan": 4.0}


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_says_how_often_it_counts_a_key_as_used(file_store, policy):
    with file_store.memory(capacity=4, policy=policy) as memory:
        memory.remember([use("Apple", 1.0), use("Apple", 2.0), use("Mug", 3.0)])
        contents = memory.browsing.short_term()
        counted = {unit.node.category: unit.frequency for unit in contents.units}
        assert counted == ({"Apple": 2, "Mug": 1} if "lfu" in policy else {"Apple": 0, "Mug": 0})
        assert (contents.window > 0) == ("w_" in policy)


def test_the_last_evictions_are_known_with_the_time_of_what_took_their_place_until_the_next_start(file_store):
    with file_store.memory(capacity=1, policy="fifo_merge") as memory:
        memory.remember([use(f"Cup{i}", float(i)) for i in range(1, 20)])
        contents = memory.browsing.short_term()
        assert contents.evictions == 18
        assert [(item.category, item.stamp) for item in contents.evicted] == [
            (f"Cup{i}", i + 1.0) for i in range(18, 2, -1)
        ]
        assert contents.evicted[0].id == f"short_term:{SCENE}/Cup18|1"
        memory.recall(Query("the cup19"))
        assert memory.browsing.short_term_version()[1] == 1
        then = memory.browsing.short_term(5.0)
        assert [unit.node.category for unit in then.units] == ["Cup5"]
        assert (then.lookups, then.hits, then.evictions, then.evicted) == (0, 0, 0, ())
        assert memory.browsing.short_term(0.5).units == ()
    with file_store.memory(capacity=1, policy="fifo_merge") as memory:
        assert (memory.browsing.short_term().evictions, memory.browsing.short_term().evicted) == (0, ())


def test_a_smaller_memory_evicts_at_the_time_of_the_newest_event(file_store):
    with file_store.memory(capacity=3, policy="lru") as memory:
        memory.remember([use(name, stamp) for name, stamp in (("Apple", 1.0), ("Mug", 2.0), ("Pan", 3.0))])
        memory.configure(PolicySettings("lru", 1))
        assert [(item.category, item.stamp) for item in memory.browsing.short_term().evicted] == [
            ("Mug", 3.0),
            ("Apple", 3.0),
        ]


@pytest.mark.parametrize("kind", ["short_term", "long_term"])
def test_what_is_forgotten_is_in_no_list_of_evictions_either(file_store, kind):
    with file_store.memory(capacity=1, policy="lru") as memory:
        memory.remember([use(name, stamp) for name, stamp in (("Apple", 1.0), ("Mug", 2.0), ("Apple", 3.0))])
        assert [item.category for item in memory.browsing.short_term().evicted] == ["Mug", "Apple"]
        memory.forget([f"{kind}:{SCENE}/Apple|1"], stamp=4.0)
        assert [item.category for item in memory.browsing.short_term().evicted] == ["Mug"]


def test_a_memory_that_is_closed_tells_no_past(file_store):
    with file_store.memory() as memory:
        memory.remember(household())
    for ask in (lambda: shown(memory, at=5.0), lambda: happened(memory), lambda: memory.browsing.short_term(5.0)):
        with pytest.raises(JournalError):
            ask()
