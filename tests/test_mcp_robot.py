# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma mcp --act` over a running graph: the memory asked over ROS, and a robot that an agent has do things."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

import mcp_types as types
from action_msgs.msg import GoalStatus, GoalStatusArray
from home_graph import PATIENCE_S, Home
from mcp import Client, StdioServerParameters
from ollama_server import MODEL, OllamaServer
from rclpy.qos import qos_profile_action_status_default

pytestmark = [pytest.mark.ros, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[1]
AGENT = ROOT / "examples" / "robot" / "mcp_agent.py"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A kitchen with a memory, a bridge and a planner; what is in it was seen."""
    from karma_ros.domain import claim_domain

    with claim_domain(None) as domain:
        pass
    home = Home(tmp_path_factory.mktemp("home"), domain)
    try:
        for name in ("memory_server", "sim_bridge"):
            home.start(name)
        home.start("planner", "question_timeout:=600.0")
        home.order("look around").result(PATIENCE_S)
        yield home
    finally:
        home.close()


def client(home: Home, *more: str, mode: str = "auto", **options: Any) -> Client:
    domain = str(home.client.node.context.get_domain_id())
    arguments = ["-m", "karma.command", "mcp", "--user", "ann", *more]
    server = StdioServerParameters(command=sys.executable, args=arguments, env={**os.environ, "ROS_DOMAIN_ID": domain})
    return Client(server, mode=mode, **options)  # type: ignore[arg-type]


def text(result: types.CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, types.TextContent)
    return f"error: {content.text}" if result.is_error else content.text


def place_of(home: Home, kind: str) -> str:
    """Return what the only thing of a kind is in or on, by the simulator's truth."""
    found = home.truth(kind)
    return str(found.receptacle) if found.relation != "held" else "held"


def test_the_running_memory_is_asked_and_told(home: Home) -> None:
    async def use() -> None:
        async with client(home) as karma:
            assert "do" not in {one.name for one in (await karma.list_tools()).tools}
            assert "counter" in text(await karma.call_tool("where_is", {"thing": "apple"})).lower()
            told = text(await karma.call_tool("remember", {"words": "My sister is called Lea."}))
            assert told.startswith("remembered as told:")
            answer = text(await karma.call_tool("ask", {"question": "What is my sister called?"}))
            assert answer.startswith("Lea")
            assert "look around" in text(await karma.call_tool("look_back", {"since": "today"}))
            assert "Apple" in (await karma.read_resource("karma://home")).contents[0].text  # type: ignore[union-attr]
            prompt = await karma.get_prompt("remembered", {"task": "bring me the apple"})
            assert "apple" in prompt.messages[0].content.text.lower()  # type: ignore[union-attr]

    asyncio.run(use())


def test_an_instruction_is_carried_out_with_progress(home: Home) -> None:
    heard: list[tuple[float, str]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message or ""))

    async def use() -> None:
        async with client(home, "--act") as karma:
            result = await karma.call_tool(
                "do", {"instruction": "Put the apple in the fridge."}, progress_callback=on_progress
            )
            assert not result.is_error, text(result)

    asyncio.run(use())
    assert "Fridge" in place_of(home, "Apple")
    assert [progress for progress, _ in heard] == sorted({progress for progress, _ in heard})
    assert any("pick up" in message for _, message in heard)
    assert not any("|" in message for _, message in heard), "ids are nothing for people"


@pytest.mark.parametrize(("mode", "thing"), [("auto", "egg"), ("legacy", "potato")])
def test_a_question_goes_back_to_the_clients_person(home: Home, mode: str, thing: str) -> None:
    asked: list[str] = []

    async def elicit(context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        assert set(params.requested_schema["properties"]) == {"answer"}
        return types.ElicitResult(action="accept", content={"answer": "on the counter"})

    async def use() -> None:
        async with client(home, "--act", mode=mode, elicitation_callback=elicit) as karma:
            result = await karma.call_tool("do", {"instruction": f"Put the {thing}."})
            assert not result.is_error, text(result)

    asyncio.run(use())
    assert [thing in question for question in asked] == [True], asked
    assert "CounterTop" in place_of(home, thing.capitalize())


def test_a_client_that_nobody_sits_at_gets_no_question(home: Home) -> None:
    async def use() -> str:
        async with client(home, "--act") as karma:
            return text(await karma.call_tool("do", {"instruction": "Put the tomato."}))

    said = asyncio.run(use())
    assert said.startswith("error: not done")
    assert "tomato" in said


def goes_on(home: Home) -> Callable[[], bool]:
    """Return whether the planner has an instruction under way; asking moves nothing and stops nothing."""
    newest: list[GoalStatusArray] = []
    topic = "execute_instruction/_action/status"
    home.client.node.create_subscription(GoalStatusArray, topic, newest.append, qos_profile_action_status_default)
    active = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING)
    return lambda: bool(newest) and any(goal.status in active for goal in newest[-1].status_list)


@contextmanager
def asking(home: Home, transport: str) -> Iterator[subprocess.Popen[str]]:
    """A client whose robot asks something and whose person never answers: the planner would wait for minutes."""
    domain = str(home.client.node.context.get_domain_id())
    environment = {**os.environ, "ROS_DOMAIN_ID": domain}
    command = [sys.executable, "-m", "karma.command", "mcp", "--act", "--user", "ann"]
    with ExitStack() as stack:
        url = ""
        if transport == "http":
            server = subprocess.Popen(
                [*command, "--http", "--port", "0"], env=environment, stderr=subprocess.PIPE, text=True
            )
            stack.callback(server.wait, 60)
            stack.callback(server.send_signal, signal.SIGINT)
            assert server.stderr is not None
            url = next(line.strip() for line in server.stderr if line.startswith("http"))
        person = subprocess.Popen(
            [sys.executable, "-c", _ASKED, url], env=environment, stdout=subprocess.PIPE, text=True
        )
        stack.callback(person.wait, 60)
        stack.callback(person.kill)
        assert person.stdout is not None
        assert person.stdout.readline().strip() == "asked"
        yield person


_ASKED = """
import asyncio, os, sys
import anyio
from mcp import Client, StdioServerParameters

async def ask(*_):
    print("asked", flush=True)
    await anyio.sleep_forever()

async def use():
    arguments = ["-m", "karma.command", "mcp", "--act", "--user", "ann"]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    async with Client(sys.argv[1] or server, mode="legacy", elicitation_callback=ask) as client:
        await client.call_tool("do", {"instruction": "Put the lettuce."})

asyncio.run(use())
"""


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_client_that_dies_cancels_what_it_asked_for(
    home: Home, transport: str, eventually: Callable[..., bool]
) -> None:
    under_way = goes_on(home)
    with asking(home, transport) as person:
        assert eventually(under_way)
        person.kill()
        assert eventually(lambda: not under_way(), 60.0), "the robot would have waited ten minutes for an answer"


def test_a_call_that_is_canceled_cancels_the_instruction(home: Home, eventually: Callable[..., bool]) -> None:
    under_way = goes_on(home)

    async def never(context: Any, params: Any) -> types.ElicitResult:
        await anyio.sleep_forever()

    async def use() -> None:
        async with client(home, "--act", mode="legacy", elicitation_callback=never) as karma:
            with anyio.move_on_after(3.0):
                await karma.call_tool("do", {"instruction": "Put the lettuce."})
            assert await asyncio.to_thread(eventually, lambda: not under_way(), 60.0)

    asyncio.run(use())


def test_the_robot_is_paused_and_stopped(home: Home) -> None:
    async def use() -> None:
        async with client(home, "--act") as karma:
            assert "error" not in text(await karma.call_tool("pause", {}))
            assert "error" not in text(await karma.call_tool("resume", {}))
            assert text(await karma.call_tool("stop", {})) == "Nothing was running."

    asyncio.run(use())


def test_an_agent_with_a_model_of_its_own_finds_and_fetches(home: Home) -> None:
    """The model is scripted: it takes the place that where_is tells into what it has the robot do."""

    def call(name: str, **arguments: str) -> str:
        return json.dumps({"name": name, "arguments": arguments})

    def fetch(request: dict[str, Any]) -> str:
        told = request["messages"][-1]["content"]
        assert told.startswith("where_is: "), told
        return call("do", instruction=f"Bring me the mug from the {'sink' if 'sink' in told else 'counter'}.")

    model = OllamaServer(call("where_is", thing="mug"), fetch, "I have brought you the mug.")
    with model.running():
        domain = str(home.client.node.context.get_domain_id())
        command = [sys.executable, str(AGENT), "Fetch my mug.", "--url", f"{model.host}/v1", "--model", MODEL]
        said = subprocess.run(
            [*command, "--user", "ann"],
            env={**os.environ, "ROS_DOMAIN_ID": domain, "OPENAI_API_KEY": "none"},
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines()[-1] == "I have brought you the mug."
    assert place_of(home, "Mug") == "held"
