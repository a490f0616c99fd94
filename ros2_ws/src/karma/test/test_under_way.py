# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import io

from rich.console import Console

from karma.demo.under_way import under_way


def test_without_a_terminal_every_stage_is_a_line_before_it_is_over() -> None:
    console = Console(file=io.StringIO(), width=80)
    with under_way(console, "starting [the] graph", every_step=True) as at:
        assert said(console) == [" … starting [the] graph"]
        at("perception waits for sim_bridge")
        at("perception waits for sim_bridge")
        at("planner waits")
        assert [line.partition(" s: ")[2] for line in said(console)[1:]] == [
            "perception waits for sim_bridge",
            "planner waits",
        ]


def test_steps_are_left_out_where_they_are_many() -> None:
    console = Console(file=io.StringIO(), width=80)
    with under_way(console, "Explore the home.") as at:
        at("looking around")
    assert said(console) == [" … Explore the home."]


def test_a_terminal_shows_what_it_is_at() -> None:
    console = Console(file=io.StringIO(), width=80, force_terminal=True)
    with under_way(console, "Explore the home.") as at:
        at("[looking] around")
    assert "[looking] around" in "".join(said(console))


def said(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()
