# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The judge of `./karma eval ask`: the same answer in other words is judged alike, and a wrong one is found."""

from __future__ import annotations

import pytest

from karma_eval.ask.judge import Judge, Spot, Truth, Verdict

NOW = 1_778_094_600.0
"""2026-05-06 19:10 UTC."""
HOUR = 3600.0
ROOMS = {"kitchen": "Kitchen", "living_room": "LivingRoom", "bedroom": "Bedroom", "guest_room": "Bedroom"}
SOFA = Spot("Sofa", "living_room")
SHELF = Spot("Shelf", "kitchen", room_too=True)
HERE = frozenset({"Shelf"})
TWO = {"Mug": 1, "Apple": 2}
MUG = frozenset({"Mug"})
LEFT = ("bring me the mug",)


@pytest.fixture
def judge() -> Judge:
    return Judge(["Sofa", "Shelf", "Mug", "Apple", "Plate", "SinkBasin", "ArmChair", "Chair", "Fridge"], ROOMS)


def truth(**what) -> Truth:
    return Truth(NOW, **what)


@pytest.mark.parametrize(
    ("expected", "text", "known", "verdict"),
    [
        (truth(spots=(SOFA,), others=MUG), "The mug is on the sofa, in the living room, since 8:12.", True, "right"),
        (truth(spots=(SOFA,)), "I last saw it lying on your couch.", True, "right"),
        (truth(spots=(SOFA,)), "On the sofa, in the kitchen.", True, "false"),
        (truth(spots=(SOFA,)), "It is on the chair.", True, "false"),
        (truth(spots=(SOFA,)), "On the sofa or on the chair.", True, "false"),
        (truth(spots=(SOFA,)), "I don't know.", False, "unknown"),
        (truth(spots=(SHELF,)), "On the shelf in the kitchen.", True, "right"),
        (truth(spots=(SHELF,)), "On the shelf.", True, "false"),
        (truth(spots=(Spot("", "guest_room"),)), "That's in the guest room.", True, "right"),
        (truth(spots=(Spot("", "bedroom"),)), "In the guest room.", True, "false"),
        (truth(spots=(SOFA, SHELF)), "One is on the sofa, the other on the shelf, in the kitchen.", True, "right"),
        (truth(spots=(SOFA, SHELF)), "On the sofa, in the living room.", True, "false"),
        (truth(number=2), "I know of two plates: on the shelf; on the sofa.", True, "right"),
        (truth(number=2), "There are 3 plates, I saw them 2 hours ago.", True, "false"),
        (truth(number=2), "Both are on the shelf.", True, "right"),
        (truth(number=0), "No plates that I know of on the sofa.", True, "right"),
        (truth(number=0), "Never that I know of.", True, "right"),
        (truth(yes=True), "Yes, it is open.", True, "right"),
        (truth(yes=True), "It is open; I saw it at 8:12.", True, "right"),
        (truth(yes=True), "It isn't open.", True, "false"),
        (truth(yes=False), "No, the fridge is closed.", True, "right"),
        (truth(yes=False), "It was not open when I saw it.", True, "right"),
        (truth(yes=False), "I don't know whether it is open.", False, "unknown"),
        (truth(yes=False, may_admit=True), "I don't know whether it is open.", False, "right"),
        (truth(yes=False), "No, not that I know of: I have seen none there.", True, "right"),
        (truth(yes=True, told="I put it on the shelf"), "You told me: “I put it on the shelf”.", True, "right"),
        (truth(yes=True, told="I put it on the shelf"), "No, it is on the sofa.", True, "false"),
        (truth(spots=(SOFA,)), "On the sofa. I have not looked into the fridge.", True, "right"),
        (truth(things=TWO), "A mug and two apples are on the shelf.", True, "false"),
        (truth(things=TWO, others=HERE), "A mug and two apples are on the shelf.", True,
         "right"),
        (truth(things=TWO), "Two apples, one mug and a plate.", True, "false"),
        (truth(things=TWO), "A mug and an apple.", True, "false"),
        (truth(nothing=True, others=HERE), "Nothing that I know of is on the shelf.", True, "right"),
        (truth(nothing=True), "A mug.", True, "false"),
        (truth(times=(NOW - 4 * HOUR,)), "At 15:12: the mug was on the sofa.", True, "right"),
        (truth(times=(NOW - 4 * HOUR,)), "About four hours ago.", True, "right"),
        (truth(times=(NOW - 4 * HOUR,)), "Yesterday at 15:10.", True, "false"),
        (truth(times=(NOW - 4 * HOUR,)), "Two hours ago.", True, "false"),
        (truth(times=(NOW - 28 * HOUR,)), "yesterday at 15:00", True, "right"),
        (truth(sentences=("I found no boots. I looked around.",)), "It failed: I found no boots.", True, "right"),
        (truth(sentences=("I found no boots. I looked around.",)), "It failed: bring(boots).", True, "false"),
        (truth(sentences=LEFT), "“bring me the mug”, which failed.", True, "right"),
        (truth(sentences=LEFT, never=("wash the plate",)), "“bring me the mug” and “wash the plate”.", True, "false"),
        (truth(persons=("Ben",)), "Because Ben asked me.", True, "right"),
        (truth(persons=("Ben",)), "Because Ann asked me.", True, "false"),
        (truth(persons=("I",)), "I did, at 8:10.", True, "right"),
        (truth(persons=("I",)), "I don't know who: I did not see it.", True, "unknown"),
        (truth(admits=True), "I don't know: I have never seen a kettle.", False, "right"),
        (truth(admits=True), "I did not see who took it.", True, "right"),
        (truth(admits=True), "No, I know of no mug.", True, "right"),
        (truth(admits=True), "A mug is on the sofa; I can't tell whether it is green.", True, "right"),
        (truth(admits=True, never=("nothing called mug",)), "I have seen nothing called mug.", False, "false"),
        (truth(admits=True), "It is on the sofa.", True, "false"),
        (truth(admits=True), "I'm not sure, but it is on the sofa.", True, "false"),
    ],
)  # fmt: skip
def test_an_answer_is_judged_by_what_it_says(
    judge: Judge, expected: Truth, text: str, known: bool, verdict: str
) -> None:
    assert judge.judge(expected, text, known=known) is Verdict(verdict)
