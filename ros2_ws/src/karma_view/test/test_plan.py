# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The panel that shows what the robot does and is about to do."""

from __future__ import annotations

import pytest
from viewing import Viewer, call, ended, outcome, running, state

from karma_interfaces.msg import Recollection, Result
from karma_perception.scene_graph import Layer, Node, SceneGraph
from karma_view.known import Known
from karma_view.panels.plan import MOST, PlanPanel

STATUS = {
    "user": "Anna",
    "stage": 4,
    "step": "going to the sink",
    "goals": ["the mug is held", "the mug is near Anna"],
    "goal": 1,
    "recalled": [
        Recollection(
            kind="long_term",
            text="The mug is by the sink.",
            why=["named in the query, confidence 1.00", "embedding 0.71, rank 1"],
        )
    ],
    "done": [outcome(call("Explore"), Result.NOT_FOUND, "There is none."), outcome(call("PickupObject", "Mug"))],
    "current": [call("GoTo", "Sink")],
    "plan": [call("PutObject", "Mug", "DiningTable")],
}


def plan(viewer: Viewer) -> PlanPanel:
    return PlanPanel(viewer)  # type: ignore[arg-type]


def test_it_tells_what_was_understood_what_it_goes_by_what_was_done_and_what_comes(viewer: Viewer) -> None:
    plan(viewer).update(Known(planner=state(running(**STATUS), waiting=["Water the plant."])))
    shown = viewer.html()
    for text in (
        "Bring me the mug.",
        "the mug is held",
        "The mug is by the sink.",
        'title="named in the query, confidence 1.00, embedding 0.71, rank 1">long term: <bdi>named in the query</bdi>',
        '<span class="now">act</span>',
        "<b>GoTo</b>",
        "going to the sink",
        "NOT_FOUND",
        "There is none.",
        "DiningTable",
        "Water the plant.",
    ):
        assert text in shown
    assert '<li><span class="mark good">✓</span><bdi>the mug is held' in shown
    assert '<li class="now"><span class="mark">▸</span><bdi>the mug is near Anna' in shown
    assert '<li><span class="mark bad">✗</span><b>Explore</b>' in shown
    assert '<li><span class="mark good">✓</span><b>PickupObject</b>' in shown


def test_the_result_has_its_code_s_name_and_its_message(viewer: Viewer) -> None:
    panel = plan(viewer)
    panel.update(Known(planner=state(ended(code=Result.REFUSED, message="A rule forbids it.", stage=3))))
    assert "REFUSED" in viewer.html()
    assert "A rule forbids it." in viewer.html()
    assert "stages" not in viewer.html()


def test_what_went_well_without_a_message_is_done(viewer: Viewer) -> None:
    plan(viewer).update(Known(planner=state(ended())))
    assert '<p><span class="good">Done.</span></p>' in viewer.html()


def test_what_is_put_down_is_what_was_picked_up_and_things_are_called_by_their_category(viewer: Viewer) -> None:
    knife = call("PickupObject", "ButterKnife")
    knife.target.id = "ButterKnife|-00.41|+01.11"
    table = Node("Table|1", Layer.OBJECT, "DiningTable", "", "", (0, 0, 0), (1, 1, 1))
    done = [
        outcome(call("PickupObject", "Apple"), Result.NOT_FOUND),
        outcome(knife),
        outcome(call("PutObject", "", "DiningTable"), message="ButterKnife|-00.41|+01.11 is at Table|1."),
    ]
    plan_ahead = [call("PutObject", "", "Sink"), call("PickupObject", "Mug"), call("PutObject", "", "Shelf")]
    graph = SceneGraph(nodes={table.id: table})
    plan(viewer).update(Known(planner=state(running(done=done, plan=plan_ahead)), graph=graph))
    shown = viewer.html()
    assert '<b>PutObject</b> <bdi>ButterKnife</bdi> → <bdi title="">DiningTable' in shown
    assert "<bdi>ButterKnife is at DiningTable.</bdi>" in shown
    assert '<b>PutObject</b> → <bdi title="">Sink' in shown, "nothing is in the hand"
    assert '<b>PutObject</b> <bdi>Mug</bdi> → <bdi title="">Shelf' in shown


def test_a_thing_of_which_only_the_id_is_said_is_called_by_its_category_where_that_is_known(viewer: Viewer) -> None:
    apple = Node("kitchen/Apple|-00.47", Layer.OBJECT, "Apple", "", "", (0, 0, 0), (1, 1, 1))
    described, unknown = call("DescribeObject"), call("GoToObject")
    described.target.id, unknown.target.id = apple.id, "Mug|1"
    status = running(done=[outcome(described)], current=[described], plan=[unknown])
    plan(viewer).update(Known(planner=state(status), graph=SceneGraph(nodes={apple.id: apple})))
    shown = viewer.html()
    assert '<b>DescribeObject</b> <bdi title="kitchen/Apple|-00.47">Apple</bdi>' in shown
    assert ">kitchen/Apple|" not in shown
    assert '<b>GoToObject</b> <bdi title="Mug|1">Mug|1</bdi>' in shown


def test_one_that_waits_or_is_paused_says_so(viewer: Viewer) -> None:
    panel = plan(viewer)
    panel.update(Known(planner=state(running(waits=True, step="something urgent comes first"))))
    assert "WAITS" in viewer.html_sent()[-1]
    panel.update(Known(planner=state(running(step="until somebody resumes"), paused=True)))
    assert "PAUSED" in viewer.html_sent()[-1]


def test_when_only_the_step_changed_only_the_step_is_sent(viewer: Viewer) -> None:
    panel = plan(viewer)
    panel.update(Known(planner=state(running(**STATUS))))
    viewer.sent.clear()
    panel.update(Known(planner=state(running(**{**STATUS, "step": "at the sink"}))))
    (sent,) = viewer.html_sent()
    assert "at the sink" in sent
    assert "the mug is held" not in sent


def test_nothing_is_sent_when_nothing_changed(viewer: Viewer) -> None:
    panel, known = plan(viewer), Known(planner=state(running(**STATUS)))
    panel.update(known)
    viewer.sent.clear()
    panel.update(known)
    panel.update(Known(planner=state(running(**STATUS))))
    assert viewer.sent == []


def test_at_another_time_it_is_the_plan_of_then(viewer: Viewer) -> None:
    panel = plan(viewer)
    panel.update(Known(planner=state(running("Now this."))))
    viewer.at = 43_200.0
    panel.update(Known(planner=state(running("Then that.")), stamp=43_200.0))
    assert "As it was at 1970-01-01 12:00:00." in viewer.html_sent()[-1]
    assert "Then that." in viewer.html_sent()[-1]
    panel.update(Known(stamp=43_300.0))
    assert "Nothing is known of the robot’s plans." in viewer.html_sent()[-1]


def test_a_long_history_is_cut(viewer: Viewer) -> None:
    many = {"done": [outcome(call(f"Skill{n}")) for n in range(500)], "plan": [call("GoTo", "Sink")] * 500}
    plan(viewer).update(Known(planner=state(running(**many), waiting=["w"] * 500)))
    assert f"{500 - MOST} before" in viewer.html()
    assert "<b>Skill499</b>" in viewer.html()
    assert len(viewer.html()) < 60_000


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "{{ 7 * 7 }}", "</style></div>", "\u202e\x1b", "x" * 99_999]
)
def test_whatever_is_planned_is_shown_and_not_interpreted(viewer: Viewer, text: str) -> None:
    status = {
        "user": text,
        "step": text,
        "goals": [text],
        "recalled": [Recollection(kind=text, text=text, why=[text])],
        "done": [outcome(call(text, text, text), Result.NOT_FOUND, text)],
        "current": [call(text, text, text)],
        "plan": [call(text, text, text)],
        "question_id": "q",
        "question": text,
    }
    plan(viewer).update(Known(planner=state(running(text, **status), waiting=[text])))
    plan(viewer).update(Known(planner=state(ended(text, Result.NOT_FOUND, text))))
    assert viewer.html_sent()
    for sent in viewer.html_sent():
        for tag in ("<script", "49", "</style>", "\u202e", "\x1b"):
            assert tag not in sent
        assert len(sent) < 10_000
