# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from karma_eval.perception.scoring import Counts, areas_in_right_room, indistinguishable, kept, match, rooms_f1
from karma_eval.perception.truth import Target
from karma_perception.scene_graph import Layer, Node


def node(name: str, x: float, category: str = "Mug") -> Node:
    return Node(name, Layer.OBJECT, category, category.lower(), "area_1", (x, 0.0, 0.0), (0.1, 0.1, 0.1))


def target(name: str, x: float, category: str = "Mug", *, size: float = 0.1, visible: bool = True) -> Target:
    center = np.array([x, 0.0, 0.0])
    return Target(name, category, center - size / 2, center + size / 2, visible)


def test_nodes_are_paired_with_the_nearest_targets_of_their_class() -> None:
    found = match(
        [node("a", 0.02), node("b", 1.0), node("c", 0.0, "Cup")],
        [target("Mug|1", 0.97), target("Mug|2", 0.0), target("Mug|3", 5.0)],
    )
    assert dict(found.nodes) == {"Mug|2": "a", "Mug|1": "b"}
    assert found.counts == Counts(found=2, invented=1, overlooked=1)
    assert (found.invented, found.overlooked) == (("c",), ("Mug|3",))
    assert sorted(found.errors) == pytest.approx([0.02, 0.03])


def test_two_nodes_for_one_thing_are_one_too_many() -> None:
    assert match([node("a", 0.0), node("b", 0.01)], [target("Mug|1", 0.0)]).counts == Counts(1, 1, 0)


def test_what_was_only_glimpsed_counts_neither_way() -> None:
    glimpsed = target("Mug|1", 0.0, visible=False)
    assert match([node("a", 0.0)], [glimpsed]).counts == Counts(0, 0, 0)
    assert match([], [glimpsed]).counts == Counts(0, 0, 0)
    # One node, near a thing that must be found and nearer to one that need not be: it is the former.
    assert match([node("a", 0.04)], [glimpsed, target("Mug|2", 0.1)]).counts == Counts(1, 0, 0)


def test_large_things_may_be_off_by_a_quarter_of_their_diagonal_and_small_ones_by_ten_centimetres() -> None:
    assert match([node("a", 0.11)], [target("Mug|1", 0.0)]).counts.found == 0
    sofa = [target("Sofa|1", 0.0, "Sofa", size=1.0)]
    assert match([node("a", 0.43, "Sofa")], sofa).counts.found == 1
    assert match([node("a", 0.44, "Sofa")], sofa).counts.found == 0


def test_precision_recall_and_f1_by_hand() -> None:
    counts = Counts(found=6, invented=2, overlooked=4)
    assert (counts.precision, counts.recall) == (0.75, 0.6)
    assert counts.f1 == pytest.approx(2 * 0.75 * 0.6 / 1.35)


def test_an_identity_is_kept_when_the_same_node_stands_for_the_target() -> None:
    before = match([node("a", 0.0), node("b", 1.0)], [target("Mug|1", 0.0), target("Mug|2", 1.0)])
    after = match([node("a", 3.0), node("c", 1.0)], [target("Mug|1", 3.0), target("Mug|2", 1.0)])
    assert kept(["Mug|1", "Mug|2", "Mug|3"], before, after) == ("Mug|1",)


def test_of_things_that_nothing_tells_apart_either_will_do_and_of_others_not() -> None:
    boxes = {"Mug|1": ("Mug", (0.1, 0.1, 0.12)), "Mug|2": ("Mug", (0.12, 0.1, 0.1)), "Mug|3": ("Mug", (0.1, 0.1, 0.2))}
    looks = indistinguishable(boxes | {"Cup|1": ("Cup", (0.1, 0.1, 0.12))})
    assert looks == {"Mug|1": ("Mug|2",), "Mug|2": ("Mug|1",), "Mug|3": (), "Cup|1": ()}
    nodes = [node("a", 0.0), node("b", 1.0), node("c", 2.0)]
    before = match(nodes, [target("Mug|1", 0.0), target("Mug|2", 1.0), target("Mug|3", 2.0)])
    swapped = match(nodes, [target("Mug|1", 1.0), target("Mug|2", 0.0), target("Mug|3", 2.0)])
    assert kept(boxes, before, swapped, looks) == ("Mug|1", "Mug|2", "Mug|3")
    assert kept(boxes, before, swapped) == ("Mug|3",)
    turned = match(nodes, [target("Mug|1", 2.0), target("Mug|2", 1.0), target("Mug|3", 0.0)])
    assert kept(boxes, before, turned, looks) == ("Mug|2",)


def test_rooms_that_are_divided_rightly_score_one_whatever_they_are_called() -> None:
    areas = [("room_1", "kitchen"), ("room_1", "kitchen"), ("room_2", "bedroom")]
    assert rooms_f1(areas) == 1.0
    assert areas_in_right_room(areas) == 3


def test_merged_rooms_cost_the_one_that_is_not_there() -> None:
    areas = [("room_1", "kitchen")] * 3 + [("room_1", "bedroom")]
    # Kitchen: precision 3/4, recall 1, F1 6/7; bedroom: no room left for it, 0.
    assert rooms_f1(areas) == pytest.approx((6 / 7) / 2)
    assert areas_in_right_room(areas) == 3


def test_a_room_that_was_not_found_counts() -> None:
    areas = [("room_1", "kitchen")] * 7
    assert rooms_f1(areas, ["kitchen", "bedroom", "bathroom"]) == pytest.approx(1 / 3)


def test_without_areas_there_are_no_rooms() -> None:
    assert rooms_f1([]) == 0.0
    assert areas_in_right_room([]) == 0
