# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Run the demonstration against the real graph."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rich.console import Console
from rich.markup import escape

from karma.demo.judge import missing
from karma.demo.model_use import ModelUse
from karma.demo.pictures import draw_camera_frame, draw_short_term_memory
from karma.demo.recorder import Recorder
from karma.demo.report import Performance, as_json, as_table
from karma.demo.script import EXPLORE, Instruct, PersonMoves, Step, script_for
from karma.demo.under_way import under_way
from karma.graph import GraphArguments
from karma.supervision import RunningGraph
from karma_eval.command_line import write_json
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import Result
from karma_interfaces.srv import GetMemoryStats, GetSceneGraph, MoveObject, ResetScene
from karma_language.answers.plain_words import calls_in_words
from karma_ros.client import GraphClient, GraphError
from planner_node.parameters import OFFLINE

INSTRUCTION_TIMEOUT_S = 900.0


class Stage:
    """Where the demonstration plays: a client of the running graph, and a console to tell the audience."""

    def __init__(
        self,
        client: GraphClient,
        console: Console,
        *,
        recover: Callable[[], None],
        simulator: str = "sim_bridge",
        model: ModelUse | None = None,
    ) -> None:
        """Name with `simulator` the node that shows what the robot sees on its way; `model`: None without one."""
        self._model = model
        self._client = client
        self._simulator = simulator
        self._console = console
        self._recover = recover

    def play(self, steps: Sequence[Step], *, ignore_memory: bool, now: Callable[[], float]) -> list[Performance]:
        """Go through the steps in order and return what became of each instruction."""
        performances = []
        for step in steps:
            if isinstance(step, PersonMoves):
                self.move(step)
            else:
                performances.append(self.instruct(step, ignore_memory=ignore_memory, start=now()))
        return performances

    def instruct(self, step: Instruct, *, ignore_memory: bool = False, start: float = 0.0) -> Performance:
        """Have one instruction done; if a node dies meanwhile, once more when the graph has recovered."""
        asked = self._model.so_far() if self._model is not None else {}
        began = time.monotonic()
        try:
            result = self._send(step.text, ignore_memory)
            problem = result.result.message if result.result.code == Result.UNAVAILABLE else ""
        except GraphError as error:
            problem = str(error)
        if problem:
            self._console.print(f"[yellow]{escape(problem)}[/]; waiting for the graph to recover")
            self._recover()
            result = self._send(step.text, ignore_memory)
        truth = self._client.call(GetSceneGraph, "sim/ground_truth", GetSceneGraph.Request()).graph.nodes
        took = time.monotonic() - began
        spent = self._model.since(asked) if self._model is not None else {}
        wrong = tuple(missing(step.outcome, truth))
        performance = Performance(step.text, start, result, wrong, round(took, 1), spent)
        words = f", model: {spent['calls']:.0f} calls, {spent['seconds']:.1f} s" if spent else ""
        mark = "[green]✓[/]" if performance.success else "[red]✗[/]"
        self._console.print(
            f" {mark} {escape(step.text)}  [dim]{len(result.skills)} skills, explored {result.explore_steps}×, "
            f"{took:.0f} s, {result.duration:.0f} s of simulated time{words}[/]"
        )
        if not performance.success:
            self._console.print(f"   {calls_in_words(performance.message)}", markup=False)
        return performance

    def _send(self, text: str, ignore_memory: bool) -> Any:
        goal = ExecuteInstruction.Goal(instruction=text, ignore_memory=ignore_memory)
        with under_way(self._console, text) as at:
            return self._client.run_action(
                ExecuteInstruction,
                "execute_instruction",
                goal,
                on_feedback=lambda feedback: at(calls_in_words(feedback.step)),
                timeout=INSTRUCTION_TIMEOUT_S,
            )

    def move(self, step: PersonMoves) -> None:
        """Let a person move something behind the robot's back."""
        request = MoveObject.Request(object=step.category, receptacle=step.receptacle)
        response = self._client.call(MoveObject, "sim/move_object", request)
        if response.result.code != Result.SUCCESS:
            raise GraphError(f"a person cannot move the {step.category}: {response.result.message}")
        self._console.print(
            f" [blue]·[/] a person moves {response.object} to {response.receptacle}; the robot is not told"
        )

    def hurry(self) -> None:
        """Let the robot move as fast as the simulator can, without pictures on the way."""
        request = SetParameters.Request(parameters=[Parameter("frame_rate", value=0.0).to_parameter_msg()])
        response = self._client.call(SetParameters, f"{self._simulator}/set_parameters", request)
        if not response.results[0].successful:
            raise GraphError(f"the simulator cannot hurry: {response.results[0].reason}")

    def reset(self) -> None:
        """Put the scene back as it was at the start."""
        # Not again while a slow machine is still at it: the second time would come in the middle of what follows.
        response = self._client.call(ResetScene, "sim/reset", ResetScene.Request(seed=-1), timeout=90.0, repeat=30.0)
        if response.result.code != Result.SUCCESS:
            raise GraphError(f"the scene cannot be reset: {response.result.message}")


def run_demo(
    graph: RunningGraph, arguments: GraphArguments, *, folder: Path, json_file: Path | None, console: Console
) -> bool:
    """Play the script on a graph that was started with `arguments`, from an empty memory; write report and pictures.

    Return whether everything succeeded.

    The script is played twice: with memory, and again from the same start without. GraphError when the graph does not
    come up, or does not recover from the death of a node.
    """
    script = script_for(arguments.scene)
    wait_active(graph, console)
    start_s = time.monotonic() - graph.began
    with GraphClient(name="karma_demo", namespace=arguments.namespace, domain_id=graph.domain_id) as client:
        simulator = "simulated_robot" if arguments.backend == "robot" else "sim_bridge"
        model = ModelUse(client) if arguments.llm != OFFLINE else None
        stage = Stage(client, console, recover=lambda: wait_active(graph, console), simulator=simulator, model=model)
        with Recorder(client) as recorder:
            console.rule("with memory")
            played = stage.play((EXPLORE, *script), ignore_memory=False, now=lambda: recorder.now)
        stats = client.call(GetMemoryStats, "memory/stats", GetMemoryStats.Request()).stats
        known = client.call(GetSceneGraph, "memory/get_scene_graph", GetSceneGraph.Request()).graph
        console.rule("the same without memory")
        with under_way(console, "putting the home back as it was"):
            stage.hurry()
            stage.reset()
        baseline = stage.play(script, ignore_memory=True, now=lambda: recorder.now)
    # The exploration at the start has no counterpart.
    without = {one.text: int(one.result.explore_steps) for one in baseline if one.success}
    console.print(as_table(played, without))
    summary = {
        "explore_steps_to_know_the_home": int(played[0].result.explore_steps),
        "graph_start_s": round(start_s, 1),
        "total_s": round(time.monotonic() - graph.began, 1),
        "backend": arguments.backend,
        "scene": arguments.scene,
        "planner": arguments.llm,
        "memory": {
            "events": stats.events,
            "policy": stats.policy,
            "capacity": stats.capacity,
            "occupancy": stats.occupancy,
            "hit_rate": round(stats.hit_rate, 3),
            "rooms": stats.rooms,
            "areas": stats.areas,
            "objects": stats.objects,
            "embedder": stats.embedder,
        },
    }
    report = as_json(played, without, **summary)
    write_json(folder / "report.json", report)
    write_json(json_file, report)
    with under_way(console, "drawing the pictures"):
        pictures = draw(folder, recorder, known, played, stats.capacity)
    for picture in pictures:
        console.print(f"picture: {picture}", markup=False, soft_wrap=True)
    return all(one.success for one in played)


def wait_active(graph: RunningGraph, console: Console) -> None:
    """Wait until every node of the graph is active, and say how long it took."""
    began = time.monotonic()
    with under_way(console, f"starting the graph: {', '.join(graph.names)}", every_step=True) as at:
        graph.wait_active(on_progress=at)
    console.print(f"the graph is active after {time.monotonic() - began:.1f} s")


def draw(folder: Path, recorder: Recorder, known: Any, played: Sequence[Performance], capacity: int) -> list[Path]:
    """Write the pictures that there is material for, and return their paths."""
    from karma_perception.conversions import apply_message
    from karma_perception.export.plot import plot_scene_graph
    from karma_perception.scene_graph import SceneGraph

    pictures = []
    if known.nodes:
        graph = apply_message(known, SceneGraph(scene=known.scene))
        used = {outcome.call.target.id for performance in played for outcome in performance.result.skills}
        pictures.append(
            plot_scene_graph(
                graph, folder / "scene_graph.png", highlight=used, title="What the robot remembers (red: what it used)"
            )
        )
    if recorder.frame is not None:
        pictures.append(draw_camera_frame(recorder.frame, folder / "camera.png"))
    if recorder.samples:
        starts = [(performance.start, performance.text) for performance in played]
        pictures.append(draw_short_term_memory(recorder.samples, starts, capacity, folder / "short_term_memory.png"))
    return pictures
