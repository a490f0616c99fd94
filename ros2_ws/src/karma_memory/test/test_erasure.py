# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Erasing a user: no byte of theirs is left, and all else is as if they had never been."""

import hashlib
import random
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from heard import wait_until_read
from test_kill import Victims, victims  # noqa: F401 - a fixture
from world import APPLE, COUNTER, FRIDGE, SCENE, event, home, outcome, seen, thing, told

from karma_memory import Code, EventKind, Image, Query, SkillTarget
from karma_memory.encoding import dumps
from karma_memory.journal import JournalError, JournalLockedError
from karma_memory.preferences.preference import Lesson, Mode, Request
from karma_memory.preferences.wire import lesson_event
from karma_memory.privacy.consent import Consent
from karma_memory.users import erasure
from karma_memory.users.erasure import Erased, forget_user

USER = "annabella"
PICTURE = Image.of("jpeg", random.Random(1).randbytes(3000))
TIN = SkillTarget("Tin|1", "Tin")
FAILED = Code.EXECUTION_FAILURE
UNDERSTOOD = ("get(marzipan=Sweets|Pie)",)
"""The robot first brings what is not the likeliest: only that is learned, and then denied."""
BOBS = [
    event(EventKind.EPISODE_END, 31.0, id="bob-end", user="bob", episode="e2", code=Code.SUCCESS,
          used=("told:tea", "guideline:annabella-end#0", "told:annabella-1")),
    event(EventKind.EPISODE_START, 32.0, text="find a mug", id="bob-again", user="bob", episode="e3",
          retry_of="secret-episode"),
]  # fmt: skip
"""What he did with what was learned of her."""
OTHERS_PICTURE = Image.of("jpeg", random.Random(2).randbytes(3000))
WORDS = (
    b"annabella", b"chamomile", b"zanzibar", b"marzipan", b"secret-episode", b"porridge", b"quince", b"uppsala",
    b"Uppsala", b"teapot", b"kumquat", b"persimmon", b"Sweets", b"Tin|",
)  # fmt: skip
"""What is in no file afterwards: her name, and words that only she used."""


def annabellas(start):
    """Return all sorts of events of one user, a second apart."""
    own = {"user": USER}
    instruction, second = ({**own, "episode": f"secret-episode{number}"} for number in ("", "-2"))
    return [
        told("she drinks chamomile tea", start, id="annabella-1", **own),
        told("zanzibar " * 500, start + 1, id="long", **own),
        event(EventKind.EPISODE_START, start + 2, text="bring me marzipan", id="go", goals=UNDERSTOOD,
              **instruction),
        outcome(
            "PutObject", replace(APPLE, position=(0.0, 1.0, 1.1), receptacle="Fridge|1", last_seen=start + 3),
            stamp=start + 3, id="annabella-put", text="marzipan to the fridge", image=PICTURE, **instruction,
        ),
        seen(FRIDGE, stamp=start + 4, id="look", image=OTHERS_PICTURE, **instruction),
        event(EventKind.FEEDBACK, start + 5, text="that was porridge", id="no", episode="secret-episode"),
        event(EventKind.EPISODE_END, start + 6, text="took marzipan", code=Code.SUCCESS, id="done",
              goals=("get(marzipan=Pie)",), **instruction),
        event(EventKind.FEEDBACK, start + 6.1, text="wrong", id="wrong", code=FAILED, **instruction),
        event(EventKind.EPISODE_START, start + 6.2, text="bring me marzipan", id="again", goals=UNDERSTOOD,
              retry_of="secret-episode", **second),
        outcome("OpenObject", stamp=start + 6.3, code=FAILED, target=TIN, id="locked", **second),
        outcome("ToggleOn", stamp=start + 6.4, target=TIN, id="unlocked", **second),
        outcome("OpenObject", stamp=start + 6.5, target=TIN, id="opened", **second),
        event(EventKind.EPISODE_END, start + 6.6, code=Code.SUCCESS, id="annabella-end",
              goals=("get(marzipan=Sweets)",), **second),
        event(EventKind.EDIT, start + 7, id="new", target="told:annabella-1", text="she drinks quince juice"),
        event(EventKind.EDIT, start + 8, id="shared", target="told:tea", text="annabella brews it with quince", **own),
        told("I live in Uppsala.", start + 8.1, id="home-town", **own),
        told("My favorite teapot was a gift from my aunt.", start + 8.2, id="pot", **own),
        told("I prefer kumquat jam when I am ill", start + 8.3, id="jam", **own),
        lesson_event(
            Lesson(Request(USER, "bring me some fruit", Mode.FETCH, options=("kumquat", "persimmon")), "persimmon"),
            "the persimmon, please", event_id="lesson", stamp=start + 8.4, episode="secret-episode",
        ),
        event(EventKind.EDIT, start + 8.5, id="moved", target="facts:home-town#0", text="I live in uppsala county."),
    ]  # fmt: skip


def others(start):
    """Return what is not hers."""
    return [
        home(stamp=start),
        told("tea is in the cupboard", start + 1, id="tea"),
        told("bob likes coffee", start + 2, id="coffee", user="bob"),
        seen(COUNTER, stamp=start + 3, id="view", image=OTHERS_PICTURE),
        event(EventKind.EPISODE_START, start + 4, text="find a mug", id="bob-go", user="bob", episode="e2"),
        outcome("GoToObject", thing("Mug|1", seen=start + 5), stamp=start + 5, id="bob-mug", user="bob", episode="e2"),
    ]


class Embedder:
    """Numbers that only one text gives."""

    name = "digest"

    def embed(self, texts):
        return np.stack([vector(text) for text in texts])


def vector(text):
    numbers = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype="<u2").astype("<f4")
    return numbers / np.linalg.norm(numbers)


VECTORS = [vector(text).tobytes() for text in ("she drinks chamomile tea", "bring me marzipan")]


def live(store, *, compacted=False):
    """Let both live with the robot, and leave all the files that a memory makes."""
    with store.memory() as memory:
        memory.remember(others(1.0))
        for item in annabellas(10.0):
            nameless = item.kind is EventKind.EDIT and not item.user  # as older versions took them
            memory._live.commit([item], checked=False) if nameless else memory.remember([item])
            wait_until_read(memory)  # every life leaves the same events
        memory.upkeep.snapshot()
        for query in ("tea", "marzipan"):
            memory.recall(Query(query, user=USER))
        memory.remember([seen(thing("Apple|1", (2.0, 1.0, 1.1), seen=30.0), stamp=30.0, id="apple back"), *BOBS])
        learned = {guideline.text for _, _, guideline in memory._state.guidelines.guidelines()}
        assert learned == {
            '"marzipan" means Sweets, not Pie.',
            "Before OpenObject on a Tin, do ToggleOn.",
        }
        if compacted:
            memory.upkeep.compact(25.0)
        memory.upkeep.snapshot()


def contents(store):
    """Return the bytes of every file of the memory, by name: those of a database's tables and indexes, too."""
    paths = list(store.folder.rglob("*"))
    if not store.is_file:
        store.execute("CHECKPOINT")
        relations = store.execute(
            "SELECT current_setting('data_directory') || '/' || pg_relation_filepath(oid) FROM pg_class "
            "WHERE relnamespace = 'karma_journal'::regnamespace OR relnamespace = 'pg_toast'::regnamespace"
        )
        paths += [Path(path) for (path,) in relations]
    found = {path.name: path.read_bytes() for path in paths if path.is_file()}
    for name, data in list(found.items()):
        if ".snapshot-" in name:
            found[f"{name}, inflated"] = zlib.decompress(data.split(b"\n", 1)[1])
    states = store.execute("SELECT state FROM base")
    return {**found, **{f"state {i}, inflated": zlib.decompress(state) for i, (state,) in enumerate(states)}}


def traces(store):
    """Return what is hers in which file."""
    images = (PICTURE.data[:64], PICTURE.data[-64:], PICTURE.sha256.encode())
    return {
        (name, wanted[:12])
        for name, data in contents(store).items()
        for wanted in (*WORDS, *images, *VECTORS)
        if wanted in data
    }


def known(store, **options):
    with store.memory(**options) as memory:
        memory.flush()
        return memory._state.snapshot()


@pytest.fixture
def embedding(monkeypatch):
    monkeypatch.setattr("karma_memory.event_memory.make_embedder", lambda name: (Embedder(), ""))


@pytest.mark.parametrize("compacted", [False, True])
def test_no_byte_of_a_user_is_left_and_the_rest_stays(store, embedding, compacted):
    live(store, compacted=compacted)
    assert {wanted for _, wanted in traces(store)} >= {
        *(word[:12] for word in WORDS),
        VECTORS[1][:12],
        PICTURE.data[:12],
    }
    erased = forget_user(store.location, USER, folder=store.folder)
    # Which pictures events name that lost their content, nobody knows: what she names, and no other event, goes.
    assert erased == Erased(events=31, observations=2, pictures=2 if compacted else 1, mentions=0)
    assert not traces(store)
    with store.memory() as memory:
        said = {item.record.text for item in memory.recall(Query("", user="bob", limit=100)).recollections}
        assert {"tea is in the cupboard", "bob likes coffee"} <= said
        assert memory.image(OTHERS_PICTURE.sha256) == (None if compacted else OTHERS_PICTURE.data)
        assert memory.image(PICTURE.sha256) is None
        assert USER not in dumps(memory._state.snapshot())
        assert not memory._state.guidelines.guidelines()
        assert memory.event("bob-end").used == ("told:tea",)
        assert memory.event("bob-again").retry_of == ""
        known_places = memory.scene_graph(SCENE).history("Apple|1")
        assert [belief.node.receptacle for belief in known_places][:2] == ["CounterTop|1", "Fridge|1"]  # seen for her
        later = {"user": USER, "episode": "secret-episode"}
        last = memory.remember(  # the robot was at it when it was told to forget her
            [
                outcome("PutObject", replace(APPLE, last_seen=40.0), stamp=40.0, text="marzipan to the bed", **later),
                event(EventKind.EPISODE_END, 41.0, text="took marzipan", code=Code.SUCCESS, **later),
            ]
        )
        assert [sequence > 0 for sequence in last.sequences] == [True, False]
        assert len(last.ids) == len(last.sequences), "of what is not kept, too: the lists go together"
    assert not traces(store)
    assert not list(store.folder.glob("*.erasing"))  # all is done
    with store.journal() as journal:  # verified
        assert [entry.sequence for entry in journal.read(skip_compacted=True)][-1] == journal.last_sequence


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_an_erasure_killed_at_any_step_had_not_begun_or_is_finished_by_the_next_that_opens(stores, victims, seed):  # noqa: F811
    def lived():
        store = stores.new()
        live(store, compacted=seed > 0)
        return store

    store = lived()
    told, killed = victims.run(store, "erase", user=USER, end=0)
    calls = told["erased"]
    assert not killed
    assert not traces(store)
    rng = random.Random(seed)
    outcomes = set()
    for end in (*rng.sample(range(1, calls - 40), 2), *rng.sample(range(calls - 40, calls + 1), 4)):
        store = lived()
        told, killed = victims.run(store, "erase", user=USER, end=end)
        assert killed
        assert not told
        store.settle()
        with store.journal() as journal:
            left = sum(USER in row.body for row in journal.rows())
        assert left or not traces(store)
        outcomes.add(bool(left))
        if left:
            assert victims.run(store, "erase", user=USER, end=0)[0]
            assert not traces(store)
    assert outcomes == {True, False}


def test_others_who_have_the_file_open_come_first(file_store):
    live(file_store)
    with file_store.memory(), pytest.raises(JournalLockedError):
        forget_user(file_store.location, USER)
    forget_user(file_store.location, USER)
    assert not traces(file_store)


def test_what_could_not_be_purged_is_purged_when_the_journal_is_opened_again(store, monkeypatch):
    live(store)

    def fail(journal):
        raise JournalError("no room")

    monkeypatch.setattr(erasure, "purge", fail)
    with pytest.raises(JournalError, match="no room"):
        forget_user(store.location, USER, folder=store.folder)
    assert traces(store)
    store.journal(read_only=True).close()
    assert traces(store)
    store.journal().close()
    assert not traces(store)


def test_what_is_older_than_a_user_wants_goes_and_what_rests_on_it(store):
    live(store)
    with store.memory() as memory:
        memory.users.set_consent(USER, Consent(keep=True, retention=60.0), 5.0)
        memory.remember([told("she drinks mint tea", 40.0, user=USER)])
        assert memory.users.retentions() == {USER: 60.0}
    erased = forget_user(store.location, USER, before=39.0, folder=store.folder)
    assert erased == Erased(events=31, observations=2, pictures=1)
    assert {wanted for _, wanted in traces(store)} == {USER.encode()}
    with store.memory() as memory:
        assert [item["text"] for item in memory.users.data(USER)["memories"]] == ["she drinks mint tea"]
        assert memory.users.retentions() == {USER: 60.0}
    assert forget_user(store.location, USER, before=39.0, folder=store.folder) == Erased()
