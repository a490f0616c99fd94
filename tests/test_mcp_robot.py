# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma mcp --act` over a running graph: the memory asked over ROS, and a robot that an agent has do things."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

import mcp_types as types
from home_graph import PATIENCE_S, Home
from mcp import Client, StdioServerParameters
from ollama_server import MODEL, OllamaServer

pytestmark = [pytest.mark.ros, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[1]
AGENT = ROOT / "examples" / "robot" / "mcp_agent.py"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A kitchen with a memory, a bridge and a planner; what is in it was seen."""
    from karma.supervision.domain import claim_domain

    with claim_domain(None) as domain:
        pass
    home = Home(tmp_path_factory.mktemp("home"), domain)
    try:
        for name in ("memory_server", "sim_bridge"):
            home.start(name)
        home.start("planner", "question_timeout:=60.0")
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


def test_what_is_canceled_stops_the_robot_and_so_does_stop(home: Home) -> None:
    async def use() -> None:
        async with client(home, "--act") as karma:
            with anyio.move_on_after(1.5):
                await karma.call_tool("do", {"instruction": "Look around in every room."})
            with anyio.fail_after(PATIENCE_S):
                while text(await karma.call_tool("stop", {})) != "Nothing was running.":
                    await anyio.sleep(0.2)
            assert "error" not in text(await karma.call_tool("pause", {}))
            assert "error" not in text(await karma.call_tool("resume", {}))

    asyncio.run(use())


def test_a_client_that_dies_leaves_nothing_running(home: Home) -> None:
    domain = str(home.client.node.context.get_domain_id())
    client_of_its_own = subprocess.Popen(
        [sys.executable, "-c", _DIES], env={**os.environ, "ROS_DOMAIN_ID": domain}, stdout=subprocess.PIPE, text=True
    )
    assert client_of_its_own.stdout is not None
    assert client_of_its_own.stdout.readline().strip() == "moving"
    client_of_its_own.kill()

    async def use() -> None:
        async with client(home, "--act") as karma:
            with anyio.fail_after(PATIENCE_S):
                while text(await karma.call_tool("stop", {})) != "Nothing was running.":
                    await anyio.sleep(0.5)

    asyncio.run(use())


_DIES = """
import asyncio, os, sys
from mcp import Client, StdioServerParameters

async def use():
    async def progress(*said):
        print("moving", flush=True)
    arguments = ["-m", "karma.command", "mcp", "--act"]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    async with Client(server) as client:
        await client.call_tool("do", {"instruction": "Look around."}, progress_callback=progress)

asyncio.run(use())
"""


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
