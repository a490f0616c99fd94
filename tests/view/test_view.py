# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The page on the running graph, looked at without a browser."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("viser", reason="needs viser: run ./karma setup")

from raw_viewer import CAMERA, get, hear, send, viewing

pytestmark = [pytest.mark.ros, pytest.mark.slow]

Eventually = Callable[..., bool]
KARMA = [sys.executable, "-m", "karma.command"]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[object, Callable[[], int]]]:
    """A graph with the page in it, and the page's port, which is another after each start."""
    from karma.graph import GraphArguments
    from karma.supervision import running_graph

    folder = tmp_path_factory.mktemp("watched")
    arguments = GraphArguments(
        scene="FloorPlan1", database=str(folder / "memory.sqlite3"), view=True, parameters=("view.port=0",)
    )

    def port() -> int:
        found = re.findall(r"view: http://127\.0\.0\.1:(\d+)/", (folder / "log" / "view.log").read_text())
        return int(found[-1]) if found else 0

    with running_graph(arguments, log_folder=folder / "log") as graph:
        graph.wait_active(180.0)
        yield graph, port


def sees_the_home(port: int) -> None:
    with viewing(port) as connection:
        send(connection, CAMERA)
        hear(connection, lambda message: re.fullmatch(r"/now/things/\d+", message.get("name") or ""))


def test_the_page_shows_the_home_and_the_graph_does_without_it(
    watched: tuple[object, Callable[[], int]], eventually: Eventually
) -> None:
    from karma_interfaces.action import ExecuteInstruction
    from karma_interfaces.msg import Result
    from karma_ros.client import GraphClient

    graph, port = watched
    assert eventually(port)
    assert b" 200 " in get(port())[:20]
    with GraphClient(name="karma_test", domain_id=graph.domain_id) as client:

        def done(text: str) -> bool:
            goal = ExecuteInstruction.Goal(instruction=text)
            result = client.run_action(ExecuteInstruction, "execute_instruction", goal, connect_timeout=60.0)
            return bool(result.result.code == Result.SUCCESS)

        assert done("Explore the home.")
        sees_the_home(port())

        before, old = graph.pids["view"], port()
        os.kill(before, signal.SIGKILL)
        assert done("Open the fridge.")
        graph.check()
        assert eventually(lambda: graph.pids.get("view", before) != before and port() != old)
        assert eventually(lambda: b" 200 " in get(port())[:20])
        sees_the_home(port())


def test_the_command_attaches_waits_for_a_graph_and_ends_with_ctrl_c(
    watched: tuple[object, Callable[[], int]], tmp_path: Path, eventually: Eventually, free_domain: int
) -> None:
    graph, _ = watched
    for domain in (graph.domain_id, free_domain):
        log = tmp_path / f"{domain}.log"
        with log.open("wb") as output:
            view = subprocess.Popen(
                [*KARMA, "view", "--port", "0", "--no-open"],
                env=os.environ | {"ROS_DOMAIN_ID": str(domain)},
                stdout=output,
                start_new_session=True,
            )
        try:
            assert eventually(lambda log=log: log.read_text().endswith("\n"), 120)
            (port,) = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\n", log.read_text()).groups()
            assert b" 200 " in get(int(port))[:20]
            if domain == graph.domain_id:
                sees_the_home(int(port))
            else:
                with viewing(int(port)) as connection:
                    send(connection, CAMERA)
                    hear(connection, lambda message: "start it with ./karma up" in str(message))
            view.send_signal(signal.SIGINT)
            assert view.wait(60) == 130
        finally:
            view.kill()
            view.wait()
