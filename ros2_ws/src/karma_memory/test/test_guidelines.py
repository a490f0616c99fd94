# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is learned of failures and of what then worked. Numbers are hand calculations from BrainMem, appendix B.3."""

import json
from dataclasses import replace

import pytest
from attempts import FAILED, Life
from hypothesis import given
from hypothesis import strategies as st

from karma_memory import Code, EventKind, PolicySettings, SkillCall, SkillTarget
from karma_memory.encoding import dumps
from karma_memory.guideline import Advice, Guideline
from karma_memory.guidelines.scoring import DECAY, KEPT_EPISODES, MOST, Entry, Outcome, pruned
from karma_memory.projection import EditError
from karma_memory.state.state import MemoryState

STORE = ["place(Necklace, Safe, in)"]
LOCKED = ("OpenObject", "Safe|1", "", "The Safe is locked.")
BEFORE = ("before", "Before OpenObject on a Safe, do ToggleOn: otherwise it fails (The Safe is locked.).")


def safe(life, *, retry="e1", worked=Code.SUCCESS, **fields):
    """Fail to open a safe, and try again with its switch first."""
    life.attempt("e1", "store the necklace", STORE, [("PickupObject", "Necklace|1", ""), LOCKED], FAILED, **fields)
    steps = [("PickupObject", "Necklace|1", ""), ("ToggleOn", "Safe|1", ""), ("OpenObject", "Safe|1", "")]
    return life.attempt("e2", "store the necklace", STORE, steps, worked, retry_of=retry, **fields)


@pytest.mark.parametrize("retry", ["e1", ""])
def test_what_the_successful_attempt_did_before_is_learned(retry):
    """A kind of obstacle that no code knows of: from the retry, or from the same words said again."""
    life = Life()
    safe(life, retry=retry)
    guideline = life.learned()[BEFORE]
    assert replace(guideline, text="") == Guideline(
        Advice.BEFORE,
        category="Safe",
        skill="OpenObject",
        steps=(SkillCall("ToggleOn"),),
        message="The Safe is locked.",
        task_types=("place",),
        confidence=1.0,
        successes=1,
        uses=1,
        utility=pytest.approx(0.73),
    )


def test_nothing_is_learned_of_a_retry_that_fails_too_or_of_a_failure_that_says_nothing_of_the_thing():
    life = Life()
    safe(life, worked=FAILED)
    assert not life.learned()
    life = Life()
    life.start("e1", "store", *STORE)
    life.does("e1", "GoToObject", "Safe|1", code=Code.NOT_FOUND)
    life.end("e1", FAILED)
    life.attempt("e2", "store", STORE, [("ToggleOn", "Lamp|1", ""), ("GoToObject", "Safe|1", "")], retry_of="e1")
    assert not life.learned()


@pytest.mark.parametrize("again", [{"a": "a"}, {"a": "b", "b": "a"}, {"a": "c", "b": "a", "c": "b"}])
def test_attempts_that_say_they_try_each_other_again_are_followed_once(again):
    life = Life()
    for episode, retry in again.items():  # of another user: none of them is one to compare with
        life.attempt(episode, "store it", STORE, [LOCKED], FAILED, user="ann", retry_of=retry)
    safe(life, retry="a", user="bob")
    assert BEFORE in life.learned()


def test_what_failed_and_worked_after_other_steps_is_learned_within_an_attempt_however_that_ends():
    life = Life()
    steps = [LOCKED, ("PickupObject", "Key|1", ""), ("GoToObject", "Safe|1", ""), ("OpenObject", "Safe|2", "")]
    life.attempt("e1", "store", STORE, steps, FAILED)
    (guideline,) = life.learned().values()
    assert guideline.steps == (SkillCall("PickupObject", SkillTarget(category="Key")),)
    assert guideline.confidence == 1.0
    life.says("e1", FAILED)
    assert life.learned()[guideline.advice.value, guideline.text].confidence == 1.0


def test_steps_on_the_thing_itself_are_the_reason_and_emptying_the_hand_is_none():
    life = Life()
    put = ("PutObject", "", "Fridge|1")
    closed = (*put, "The Fridge is closed.")
    life.attempt(
        "e1", "put it there", ["place(Egg, Fridge, in)"],
        [("PickupObject", "Egg|1", ""), closed, ("PutObject", "", "Table|1"), ("OpenObject", "Fridge|1", ""),
         ("PickupObject", "Egg|1", ""), put],
    )  # fmt: skip
    (guideline,) = (g for g in life.learned().values() if g.advice is Advice.BEFORE)
    assert (guideline.skill, guideline.category, guideline.steps) == ("PutObject", "Fridge", (SkillCall("OpenObject"),))
    life = Life()
    life.attempt(
        "e1", "take the mug", ["hold(Mug)"],
        [("PickupObject", "Egg|1", ""), ("PickupObject", "Mug|1", "", "The hand is full."),
         ("PutObject", "", "Table|1"), ("PickupObject", "Mug|1", "")],
    )  # fmt: skip
    assert not life.learned()


def test_what_was_tried_and_undone_again_is_no_reason():
    life = Life()
    tries = [
        LOCKED, ("ToggleOn", "FloorLamp|1", ""), LOCKED, ("ToggleOff", "FloorLamp|1", ""),
        ("PickupObject", "Key|1", ""), LOCKED, ("PutObject", "", "Table|1"),
        ("ToggleOn", "DeskLamp|1", ""), ("OpenObject", "Safe|1", ""),
    ]  # fmt: skip
    life.attempt("e1", "open the safe", ["open(Safe)"], [LOCKED], FAILED)
    life.attempt("e2", "open the safe", ["open(Safe)"], tries, retry_of="e1")
    (guideline,) = (g for g in life.learned().values() if g.advice is Advice.BEFORE)
    assert guideline.steps == (SkillCall("ToggleOn", SkillTarget(category="DeskLamp")),)
    assert (guideline.successes, guideline.uses) == (1, 1)
    life = Life()
    away = [("PickupObject", "Mug|1", ""), ("PutObject", "", "Table|1"), ("OpenObject", "Safe|1", "")]
    life.attempt("e1", "open the safe", ["open(Safe)"], [LOCKED, *away])  # putting it away was the point
    (guideline,) = life.learned().values()
    assert [step.skill for step in guideline.steps] == ["PickupObject", "PutObject"]


def test_taking_what_is_to_be_put_down_is_no_reason_that_it_could_be():
    life = Life()
    full = ("PutObject", "", "Table|1", "There is no free spot.")
    life.attempt("e1", "put it down", ["place(Mug, Table, on)"], [("PickupObject", "Mug|1", ""), full], FAILED)
    steps = [("PickupObject", "Mug|1", ""), full, ("PutObject", "", "Shelf|1"), ("PickupObject", "Mug|2", "")]
    life.attempt(
        "e2", "put it down", ["place(Mug, Table, on)"], [*steps, ("PutObject", "", "Table|2")], retry_of="e1"
    )  # fmt: skip
    assert not [g for g in life.learned().values() if g.advice is Advice.BEFORE]


def test_what_was_taken_away_to_make_room_for_something_is_that_days_clutter():
    life = Life()
    full = ("PutObject", "Mug|1", "Table|1", "There is no free spot.")
    cleared = [("PickupObject", "Fork|1", ""), ("PutObject", "Fork|1", "Shelf|1")]
    life.attempt("e1", "put it down", ["place(Mug, Table, on)"], [full], FAILED)
    steps = [full, *cleared, ("PutObject", "Mug|1", "Table|1")]
    life.attempt("e2", "put it down", ["place(Mug, Table, on)"], steps, retry_of="e1")
    assert not [g for g in life.learned().values() if g.advice is Advice.BEFORE]


def test_what_has_to_be_done_to_another_thing_of_the_kind_is_not_taken_for_the_thing_itself():
    life = Life()
    locked = ("OpenObject", "Drawer|2", "", "Another drawer is open.")
    life.attempt("e1", "open it", ["open(Drawer)"], [locked], FAILED)
    life.attempt(
        "e2", "open it", ["open(Drawer)"], [("CloseObject", "Drawer|1", ""), ("OpenObject", "Drawer|2", "")],
        retry_of="e1",
    )  # fmt: skip
    (guideline,) = life.learned().values()
    assert guideline.steps == (SkillCall("CloseObject", SkillTarget(category="Drawer")),)
    assert guideline.text.startswith("Before OpenObject on a Drawer, do CloseObject another Drawer:")


def test_a_destination_that_fails_is_avoided_for_one_that_worked():
    life = Life()
    picked = ("PickupObject", "Vase|1", "")
    tight = ("PutObject", "", "Drawer|1", "It does not fit.")
    life.attempt("e1", "put the vase away", ["place(Vase, Drawer, in)"], [picked, tight], FAILED)
    life.attempt(
        "e2", "put the vase away", ["place(Vase, Shelf, on)"], [picked, ("PutObject", "", "Shelf|1")], retry_of="e1"
    )
    guideline = next(g for g in life.learned().values() if g.advice is Advice.AVOID)
    assert (guideline.skill, guideline.category, guideline.receptacle, guideline.instead) == (
        "PutObject", "Vase", "Drawer", "Shelf",
    )  # fmt: skip
    assert guideline.text == "Avoid PutObject Vase in/on Drawer: it fails (It does not fit.). Shelf worked instead."
    assert [g.text for g in life.guidelines("place(Vase, Drawer, in)")] == [guideline.text]


def test_a_single_thing_that_fails_is_avoided_in_its_scene_for_another_of_its_kind():
    life = Life()
    stuck = ("PickupObject", "Mug|1", "", "It is stuck.")
    life.attempt("e1", "take a mug", ["hold(Mug)"], [stuck, ("PickupObject", "Mug|2", "")])
    (guideline,) = life.learned().values()
    assert (guideline.object, guideline.instead, guideline.scene) == ("Mug|1", "Mug|2", "home1")
    assert life.guidelines("hold(Mug)")
    assert not life.guidelines("hold(Mug)", scene="home2")


def test_of_many_things_that_fail_alike_one_is_told_with_the_one_that_worked():
    """Opening each of them is nothing that had to be done before: the first was open, too."""
    life = Life()
    steps = [("PickupObject", "Vase|1", "")]
    for number in (1, 2, 3):
        failed = ("It does not fit.",) if number < 3 else ()
        steps.append(("OpenObject", f"Drawer|{number}", ""))
        steps.append(("PutObject", "", f"Drawer|{number}", *failed))
        steps.append(("CloseObject", f"Drawer|{number}", ""))
    life.attempt("e1", "put the vase in a drawer", ["place(Vase, Drawer, in)"], steps)
    (guideline,) = life.learned().values()
    assert (guideline.advice, guideline.object, guideline.instead) == (Advice.AVOID, "Drawer|1", "Drawer|3")


def test_where_a_thing_went_on_the_way_is_not_what_worked_instead():
    life = Life()
    steps = [
        ("PickupObject", "Vase|1", ""),
        ("PutObject", "", "Drawer|1", "It does not fit."),
        ("PutObject", "", "Table|1"),
        ("PickupObject", "Vase|1", ""),
        ("PutObject", "", "Shelf|1"),
    ]
    life.attempt("e1", "put the vase away", ["place(Vase, Drawer, in)"], steps)
    (guideline,) = life.learned().values()
    assert (guideline.receptacle, guideline.instead) == ("Drawer", "Shelf")
    assert life.guidelines("place(Vase)") == life.guidelines("place(Vase, Drawer, in)")  # it was left open where to


def fruit(life, user, *, word="red fruit", wrong="Tomato", right="Apple", name="", scene="home1", retried=True):
    """Ask for the red fruit, which may be two things, until it is the right one."""
    text = f"bring the {word} to the bed"
    taken = [(wrong, FAILED), (right, Code.SUCCESS)] if retried else [(wrong, FAILED)]
    for number, (thing, verdict) in enumerate(taken, 1):
        life.attempt(
            f"{name}{number}",
            text,
            [f"place({word}=Tomato|Apple, bed=Bed, on)"],
            [("PickupObject", f"{thing}|1", "")],
            user=user,
            scene=scene,
            meant=[f"place({word}={thing}, bed=Bed, on)"],
            retry_of=f"{name}1" if number > 1 else "",
        )
        life.says(f"{name}{number}", verdict, user=user, scene=scene)


def meanings(life, user="ann", text="place(red fruit=Tomato|Apple, table=SideTable, on)", **fields):
    return [(g.word, g.category, g.confidence) for g in life.guidelines(text, user=user, **fields)]


def test_a_word_means_what_it_turned_out_to_mean_for_the_user_who_taught_it():
    life = Life()
    fruit(life, "ann", name="a")
    assert meanings(life) == [("red fruit", "Apple", 1.0)]
    (guideline,) = life.guidelines("Take the red fruits away", user="ann")
    assert guideline.instead_of == "Tomato"
    assert not meanings(life, "bob")
    assert not meanings(life, text="hold(fruit=Tomato|Apple)")
    fruit(life, "bob", name="b", scene="home2")
    (guideline,) = life.guidelines("the red fruit", user="eve")
    assert guideline.successes == 2  # of several users: everybody's


def test_what_one_user_taught_does_not_become_everybodys_by_what_another_denies():
    life = Life()
    fruit(life, "ann", name="a")
    for name, code in (("b", Code.SUCCESS), ("c", FAILED)):
        goals = [["place(red fruit=Tomato|Apple, bed=Bed, on)"], [("PickupObject", "Apple|1", "")]]
        taken = ["place(red fruit=Apple, bed=Bed, on)"]
        life.attempt(name, "the red fruit", *goals, code, user="bob", meant=taken)
        life.says(name, FAILED, user="bob")
        assert not meanings(life, "bob")
        assert not meanings(life, "eve")
    assert [owner for _, owner, g in life.state.guidelines.guidelines() if g.category == "Apple"] == ["ann"]


def test_a_meaning_is_as_sure_as_it_was_often_right():
    life = Life()
    fruit(life, "ann", name="a")
    fruit(life, "ann", name="b", wrong="Apple", retried=False)
    assert meanings(life) == [("red fruit", "Apple", 0.5)]
    fruit(life, "ann", name="c", wrong="Apple", right="Tomato")
    assert sorted(meanings(life)) == [("red fruit", "Apple", pytest.approx(1 / 3)), ("red fruit", "Tomato", 1.0)]
    fruit(life, "ann", name="d", wrong="Tomato", retried=False)
    assert sorted(meanings(life))[1] == ("red fruit", "Tomato", 0.5)


@pytest.mark.parametrize(
    ("first", "second", "learned"),
    [
        (Code.UNSET, Code.UNSET, []),  # both just ended as they did
        (FAILED, Code.UNSET, ["Apple"]),
        (Code.UNSET, Code.SUCCESS, ["Apple"]),
        (FAILED, FAILED, []),
    ],
)
@pytest.mark.parametrize("retry_of", ["e1", ""])
def test_what_a_word_means_is_learned_from_what_a_person_says_and_not_from_skills_that_worked(
    first, second, learned, retry_of
):
    life = Life()
    goals, text = ["place(red fruit=Tomato|Apple, bed=Bed, on)"], "the red fruit"
    for name, thing, code, said, again in (
        ("e1", "Tomato", FAILED, first, ""),
        ("e2", "Apple", Code.SUCCESS, second, retry_of),
    ):
        taken = [f"place(red fruit={thing}, bed=Bed, on)"]
        life.attempt(name, text, goals, [("PickupObject", f"{thing}|1", "")], code, meant=taken, retry_of=again)
        if said is not Code.UNSET:
            life.says(name, said)
    assert [g.category for g in life.learned().values() if g.confidence > 0] == learned


def test_what_nobody_in_particular_taught_guides_nobody_who_is_named_until_they_taught_it_too():
    life = Life()
    fruit(life, "", name="a")
    assert meanings(life, "") == [("red fruit", "Apple", 1.0)]
    assert not meanings(life, "ann")
    fruit(life, "ann", name="b")
    assert meanings(life, "ann") == [("red fruit", "Apple", 1.0)]


def test_a_word_with_one_meaning_teaches_nothing():
    life = Life()
    goals = ["place(fork=Fork, sink=SinkBasin|Sink, in)"]
    life.attempt("e1", "x", goals, [("PickupObject", "Fork|1", "")], meant=["place(fork=Fork, sink=Sink, in)"])
    life.says("e1", Code.SUCCESS)
    assert [(g.word, g.category) for g in life.learned().values()] == [("sink", "Sink")]


@pytest.mark.parametrize(
    ("word", "could", "taken"), [("mug", "Mug|Cup", "Mug"), ("lamp", "DeskLamp|FloorLamp", "DeskLamp")]
)
def test_what_a_word_is_taken_for_anyway_is_nothing_to_learn(word: str, could: str, taken: str) -> None:
    life = Life()
    for number in (1, 2):
        life.attempt(
            f"e{number}",
            f"take the {word}",
            [f"hold({word}={could})"],
            [("PickupObject", f"{taken}|1", "")],
            meant=[f"hold({word}={taken})"],
        )
    assert not life.learned()


def test_but_it_counts_for_a_meaning_that_was_learned():
    life = Life()
    fruit(life, "ann", name="a", wrong="Apple", right="Tomato")
    fruit(life, "ann", name="b", wrong="Tomato", retried=False)
    assert meanings(life) == [("red fruit", "Tomato", 0.5)]
    usual = ["place(red fruit=Tomato|Apple, bed=Bed, on)"], [("PickupObject", "Tomato|1", "")]
    life.attempt("c", "the red fruit", *usual, user="ann", meant=["place(red fruit=Tomato, bed=Bed, on)"])
    assert meanings(life) == [("red fruit", "Tomato", pytest.approx(2 / 3))]


def test_what_was_not_reached_is_not_known_to_be_meant():
    life = Life()
    goals = ["hold(lamp=DeskLamp|FloorLamp)"]
    life.attempt("e1", "x", goals, [("PickupObject", "Fork|1", "")], meant=goals)
    assert not life.learned()


def test_who_says_that_the_retry_was_wrong_too_takes_the_meaning_back():
    life = Life()
    fruit(life, "ann", name="a")
    life.says("a2", FAILED, user="ann")
    assert {g.category: g.confidence for g in life.learned().values()} == {"Apple": 0.0}
    assert not life.guidelines("the red fruit", user="ann")
    life.says("a2", Code.SUCCESS, user="ann")
    assert {g.category: g.confidence for g in life.learned().values()} == {"Apple": 1.0}


@pytest.mark.parametrize(
    ("successes", "uses", "expected"),
    [(0, 1, 0.0), (1, 1, 0.73), (1, 2, 0.38), (5, 5, 0.85), (8, 10, 0.8), (10, 10, 1.0), (23, 25, 0.944)],
)
def test_utility_is_that_of_the_paper(successes, uses, expected):
    """0.7 · successes / uses + 0.3 · min(successes / 10, 1): section B.3.1; 23 times, 92 % is C.3's first guideline."""
    assert entry(0, good=successes, bad=uses - successes).utility(0) == pytest.approx(expected)


def test_episodes_that_it_guided_count_and_what_is_not_used_decays():
    life = Life()
    safe(life)
    ((name, _, _),) = life.state.guidelines.guidelines()
    life.attempt("e3", "store", STORE, [("ToggleOn", "Safe|1", "")], used=[name, "told:tea", "guideline:unknown#0"])
    life.attempt("e4", "store", STORE, [("ToggleOn", "Safe|1", "")], FAILED, used=[name])
    life.attempt("e5", "store", STORE, [("ToggleOn", "Safe|1", "")], Code.CANCELED, used=[name])
    guideline = life.learned()[BEFORE]
    assert (guideline.successes, guideline.uses) == (2, 3)
    assert guideline.utility == pytest.approx((0.7 * 2 / 3 + 0.3 * 0.2) * DECAY)  # e5 did not count
    life.says("e4", Code.SUCCESS)  # the person who was there knows better
    assert (life.learned()[BEFORE].successes, life.learned()[BEFORE].uses) == (3, 3)
    life.says("e3", FAILED)
    assert (life.learned()[BEFORE].successes, life.learned()[BEFORE].uses) == (2, 3)


def entry(number, *, good=1, bad=0, last=0, teachers=("",), personal=False):
    episodes = {f"g{i}": Outcome.SUCCEEDED for i in range(good)} | {f"b{i}": Outcome.FAILED for i in range(bad)}
    return Entry(
        f"e{number}#0", Guideline(Advice.INSIGHT, f"text {number}"), personal, teachers, "e", 1.0, episodes, last=last
    )


def test_above_one_and_a_half_times_m_the_least_useful_go_until_m_are_left():
    """Section B.3.2, M = 20."""
    thirty = [entry(i, good=1 + i % 4, bad=1) for i in range(30)]
    assert not pruned(thirty, 0)
    gone = pruned([*thirty, entry(30, good=0, bad=1)], 0)
    assert len(gone) == 31 - MOST == 11
    assert "e30#0" in gone
    left = [e for e in thirty if e.id not in gone]
    assert min(e.utility(0) for e in left) >= max(e.utility(0) for e in thirty if e.id in gone)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 300)), max_size=60))
def test_the_protected_are_never_pruned_and_the_others_by_their_utility(counts):
    entries = [entry(number, good=good, bad=bad, last=last) for number, (good, bad, last) in enumerate(counts)]
    gone = set(pruned(entries, 300))
    assert not gone if len(entries) <= 1.5 * MOST else True
    assert not any(e.confidence >= 0.8 and e.successes >= 5 for e in entries if e.id in gone)
    free = [e for e in entries if not e.protected]
    left = [e.utility(300) for e in free if e.id not in gone]
    assert all(e.utility(300) <= min(left, default=1.0) for e in free if e.id in gone)
    if gone:
        assert len(entries) - len(gone) == max(MOST, len(entries) - len(free))


@given(st.lists(st.tuples(st.integers(0, 70), st.sampled_from(Outcome)), max_size=150))
def test_an_episode_counts_once_and_what_was_shown_or_taught_stays_so(counts):
    known = entry(0, good=0)
    said = {}
    for number, outcome in counts:
        known = known.counted(f"e{number}", outcome, number)
        before = said.get(number)
        stays = before in (Outcome.SHOWN, Outcome.TAUGHT) or (before is not None and outcome is Outcome.TAUGHT)
        said[number] = before if stays else outcome
    assert len(known.episodes) <= KEPT_EPISODES
    if len(said) <= KEPT_EPISODES:
        outcomes = list(said.values())
        assert known.uses == len(outcomes) - outcomes.count(Outcome.TAUGHT)
        assert known.successes == outcomes.count(Outcome.SHOWN) + outcomes.count(Outcome.SUCCEEDED)
    assert 0 <= known.successes <= known.uses
    assert Entry.from_json(json.loads(dumps(known))) == known


def insight(life, text, user="ann", code=Code.SUCCESS, name="e1"):
    """Let a language model think about an episode; return the name of what it makes of it."""
    life.attempt(name, "wash the mug", ["clean(Mug)"], [("CleanObject", "Mug|1", "")], code, user=user)
    thought = life.happens(EventKind.REFLECTION, episode=name, user=user, text=json.dumps({"insights": [text]}))
    return f"guideline:{thought.id}#0"


def test_insights_are_recalled_by_the_words_of_an_instruction_the_best_two_for_whom_they_belong_to():
    life = Life()
    told = ["Mugs are washed before they are put away.", "Mugs belong in the cupboard.", "Chairs are heavy.", "Mugs."]
    for number, text in enumerate(told):
        insight(life, text, name=f"e{number}", code=FAILED)  # what a failure taught is told, too
    insight(life, "Bob's mugs go in the cupboard, too.", user="bob", name="b")

    def recalled(text, user="ann"):
        return [g.text for g in life.guidelines(text, user=user)]

    assert recalled("put the mug in the cupboard", "") == []
    assert recalled("put the mug in the cupboard") == ["Mugs belong in the cupboard.", told[0]]
    assert recalled("bring me the apple") == recalled("place(Apple, Fridge, in)") == []
    assert recalled("place(Mug, Cupboard, in)") == []  # they are told to who finds the goals


def test_an_insight_is_told_of_an_instruction_of_which_it_has_half_the_words():
    life = Life()
    insight(life, "Books are heavy.")
    insight(life, "Books belong on the shelf.", name="e2")

    def recalled(text):
        return [g.text for g in life.guidelines(text, user="ann")]

    assert recalled("put the red book on the shelf") == ["Books belong on the shelf."]
    assert recalled("bring me a book and a glass of water") == []
    assert len(recalled("find the book")) == 2


def test_what_a_failure_taught_counts_only_when_something_came_of_it():
    life = Life()
    name = insight(life, "Mugs belong in the cupboard.", code=FAILED)

    def counted():
        ((_, owner, known),) = life.state.guidelines.guidelines()
        return owner, known.successes, known.uses, known.utility

    assert counted() == ("ann", 0, 0, 0.0)
    assert life.guidelines("get a mug", user="ann")  # nothing speaks against it yet
    life.says("e1", FAILED, user="ann")
    life.says("e1", Code.SUCCESS, user="ann")
    assert counted() == ("ann", 0, 0, 0.0)
    life.attempt("good", "get a mug", ["get(Mug)"], [], used=[name], user="ann")
    assert counted()[:3] == ("ann", 1, 1)
    life.attempt("bad", "get a mug", ["get(Mug)"], [], FAILED, used=[name], user="ann")
    life.happens(
        EventKind.REFLECTION, episode="bad", user="ann", text=json.dumps({"insights": ["Mugs belong in the cupboard."]})
    )
    assert counted()[:3] == ("ann", 1, 2)  # that it says the same again takes nothing back


def test_what_is_forgotten_taught_nothing_however_it_ended():
    life = Life()
    insight(life, "Mugs belong in the cupboard.", code=FAILED)
    life.happens(EventKind.EDIT, target="episodic:e1")
    assert not life.state.guidelines.guidelines()


def test_what_was_thought_of_an_episode_that_a_person_calls_wrong_is_not_told():
    life = Life()
    insight(life, "Mugs belong in the cupboard.")
    assert life.guidelines("get a mug", user="ann")
    life.says("e1", FAILED, user="ann")
    assert not life.guidelines("get a mug", user="ann")


def test_an_insight_with_which_instructions_fail_is_not_told_any_more():
    life = Life()
    name = insight(life, "Mugs belong in the cupboard.")
    for number in range(3):
        assert life.guidelines("get a mug", user="ann")
        life.attempt(f"bad{number}", "get a mug", ["get(Mug)"], [], FAILED, used=[name], user="ann")
    assert not life.guidelines("get a mug", user="ann")


def test_patterns_that_a_state_of_before_has_are_left_out():
    life = Life()
    insight(life, "Mugs belong in the cupboard.")
    state = json.loads(dumps(life.state.snapshot()))
    (known,) = state["guideline"]["guidelines"]
    pattern = {**known, "id": "p#0", "personal": False, "guideline": {"advice": "insight", "text": "To clean: ..."}}
    state["guideline"]["guidelines"].append(pattern)
    again = MemoryState(PolicySettings())
    again.restore(state)
    assert [g.text for _, _, g in again.guidelines.guidelines()] == ["Mugs belong in the cupboard."]


def test_one_user_does_not_push_out_what_another_or_all_have_learned():
    life = Life()
    safe(life)
    for number in range(40):
        fruit(life, "ann", name=f"a{number}-", word=f"blob{number}")
    owners = [owner for _, owner, _ in life.state.guidelines.guidelines()]
    assert owners.count("ann") <= 1.5 * MOST
    assert BEFORE in life.learned()


def test_the_best_two_for_each_goal_are_recalled_by_kind_of_thing_and_of_task():
    life = Life()
    for number, skill in enumerate(["ToggleOn", "SwitchOn", "BreakObject"]):
        life.attempt(f"f{number}", "store", STORE, [LOCKED], FAILED)
        steps = [("PickupObject", "Necklace|1", ""), (skill, "Safe|1", ""), ("OpenObject", "Safe|1", "")]
        steps.append(("PutObject", "", "Safe|1"))
        for again in range(number + 1):
            life.attempt(f"w{number}-{again}", "store", STORE, steps, retry_of=f"f{number}")
    texts = [g.text for g in life.guidelines("store the ring in it, place(Ring, Safe, in); clean(Fork)")]
    assert [text.partition("do ")[2].partition(":")[0] for text in texts] == ["BreakObject", "SwitchOn"]
    assert life.guidelines("OpenObject(Safe)")  # a call of a skill asks, too
    assert not life.guidelines("clean(Fork)")
    assert len(life.guidelines()) == len(life.learned()) == 3  # without a question: all


def test_one_that_mostly_fails_is_not_advised_any_more():
    life = Life()
    safe(life)
    ((name, _, _),) = life.state.guidelines.guidelines()
    for number in range(3):
        assert life.guidelines("place(Ring, Safe, in)")
        life.attempt(f"bad{number}", "store it", STORE, [("ToggleOn", "Safe|1", "")], FAILED, used=[name])
    assert not life.guidelines("place(Ring, Safe, in)")


def test_a_guideline_can_be_forgotten_but_not_rewritten_and_goes_with_the_episode_that_taught_it():
    life = Life()
    safe(life)
    ((name, _, _),) = life.state.guidelines.guidelines()
    with pytest.raises(EditError, match="forgotten, not rewritten"):
        life.state.guidelines.check_edit(name, "never")
    life.happens(EventKind.EDIT, target=name)
    assert not life.learned()
    life = Life()
    safe(life)
    life.happens(EventKind.EDIT, target="episodic:e1")
    assert life.learned()
    life.happens(EventKind.EDIT, target="episodic:e2")
    assert not life.learned()


def test_the_prompt_tells_the_guidelines():
    """Appendix C.3."""
    life = Life()
    safe(life)
    prompt = life.ask("guideline", "place(Ring, Safe, in)").prompt
    assert prompt == f"Valuable guidelines, proven by what was done before:\n- {BEFORE[1]}"
