# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The instruction that is carried out: what was understood, what it rests on, what was done and what is to come."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from karma_interfaces.msg import Result
from karma_perception.scene_graph import Layer, SceneGraph
from karma_view.known import Known
from karma_view.text import render

if TYPE_CHECKING:
    from karma_view.session import Session

PARTS = ("understood", "result", "step", "done", "ahead", "recalled", "waiting")
"""Of the panel, from top to bottom, each with a template of its own: one that is as before is not sent again."""
STAGES = ("understand", "ground", "plan", "check", "act", "learn")
"""Names of the values of InstructionStatus.stage."""
PICKS_UP = frozenset({"PickupObject"})
PUTS_DOWN = frozenset({"PutObject", "Place", "ThrowObject"})
"""Skills after which there is something in the hand, and nothing."""
MOST = 40
"""Of skills, recollections and so on that are shown."""


class PlanPanel:
    """The instruction that runs, or the last one; at another time, the one of then."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shown: Any = ()
        self._parts = {part: session.client.gui.add_html("") for part in PARTS}

    def update(self, known: Known) -> None:
        """Show the planner's state."""
        state = known.planner
        at = known.stamp if self._session.at else 0.0
        if self._shown and self._shown[0] is state and self._shown[1] == at:
            return
        self._shown = (state, at)
        status = state.instruction[0] if state is not None and state.instruction else None
        values: dict[str, Any] = {"state": state, "status": status, "at": at, "stages": STAGES, "most": MOST}
        if status is not None:
            values.update(_calls(status), categories=_categories(status, known.graph))
        for part, shown in self._parts.items():
            shown.content = render(f"plan_{part}", **values)


def _calls(status: Any) -> dict[str, list[tuple[Any, str]]]:
    """Return what was done, is done and is to come, each with the category of what is in the hand and is put down."""
    held = ""
    calls: dict[str, list[tuple[Any, str]]] = {}
    for part, ones in (("done", status.done), ("current", status.current), ("ahead", status.plan)):
        calls[part] = []
        for one in ones:
            call, done = (one.call, one.result.code == Result.SUCCESS) if part == "done" else (one, True)
            puts_down = call.skill in PUTS_DOWN
            calls[part].append((one, held if puts_down and not call.target.id and not call.target.category else ""))
            if done and (puts_down or call.skill in PICKS_UP):
                held = call.target.category if call.skill in PICKS_UP else ""
    return calls


def _categories(status: Any, graph: SceneGraph) -> Mapping[str, str]:
    """Return the categories of what messages of skills may name, by id."""
    calls = (*(outcome.call for outcome in status.done), *status.current, *status.plan)
    targets = (target for call in calls for target in (call.target, call.receptacle) if target.category)
    return ChainMap(
        {target.id: target.category for target in targets},
        {node.id: node.category for node in graph.layer(Layer.OBJECT)},
    )
