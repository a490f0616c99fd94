# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What one model says of an episode another one is told, with the real memory in between and a robot that acts."""

from __future__ import annotations

import json
import time
from pathlib import Path

from ollama_server import MODEL, OllamaServer
from simulated_home import SimulatedHome

from karma_language.models import Limits, Model
from karma_language.vocabulary import household
from karma_memory import Memory
from planner_node.memory import GUIDELINE
from planner_node.skills import Code
from planner_node.understand.hearing import Hearing

SAYS = "Books that are put away belong on the bed."
ON_BED = json.dumps({"english": ["Put the book away on the bed."]})


def test_an_insight_is_told_to_its_users_model_and_not_where_guidelines_are_switched_off(tmp_path: Path) -> None:
    server = OllamaServer(ON_BED)

    def asked(home: SimulatedHome, user: str) -> tuple[str, list[str]]:
        """Have a book put away; return what the model was asked, and the guidelines that counted."""
        home.start(Hearing(household(), Model(MODEL, url=server.host, limits=Limits(20.0, 20.0))))
        report = home.say("Put the book away.", user)
        assert report.code is Code.SUCCESS
        return server.requests[-1]["messages"][-1]["content"], [r.text for r in report.recalled if r.kind == GUIDELINE]

    says = iter([[SAYS]])
    with (
        Memory(tmp_path / "memory.sqlite3", embedder="lexical", think=lambda *attempts: next(says, [])) as memory,
        server.running(),
    ):
        home = SimulatedHome("FloorPlan301", memory)
        assert home.say("Put the book on the bed.", "ann").code is Code.SUCCESS
        until = time.monotonic() + 20.0
        while not memory.with_state(lambda state: state.guidelines.guidelines()) and time.monotonic() < until:
            time.sleep(0.05)
        prompt, counted = asked(home, "ann")
        assert f"\n- {SAYS}\n" in prompt
        assert counted == [SAYS]
        told_to_bob, counted = asked(home, "bob")
        assert (SAYS in told_to_bob, counted) == (False, [])
        told_without, counted = asked(SimulatedHome("FloorPlan301", memory, (GUIDELINE,)), "ann")
        assert (SAYS in told_without, counted) == (False, [])
