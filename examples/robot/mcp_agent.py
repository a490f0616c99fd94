# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An agent with a model of its own: it asks the memory by MCP, and has the robot act.

A graph has to run (./karma up), and a model that calls tools behind a server of OpenAI's protocol:

    ./karma shell python3 examples/robot/mcp_agent.py "Find the mug and bring it to me." \
        --url http://127.0.0.1:8080/v1 --model qwen2.5:7b --user ann

It prints each call and what came of it, last what the model says.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from pathlib import Path

from mcp import Client, StdioServerParameters
from openai import AsyncOpenAI

KARMA = str(Path(__file__).resolve().parents[2] / "karma")
TURNS = 8
ROLE = (
    "You look after a home with a robot. Find out with where_is where a thing is, then have the robot act with do. "
    "When it is done, say in a sentence what came of it."
)
NEXT = "If the task is done, say in a sentence what came of it. Else call the next tool."


async def run(task: str, url: str, model: str, user: str) -> str:
    """Let the model work at a task; return what it says at the end."""
    openai = AsyncOpenAI(base_url=url, api_key=os.environ.get("OPENAI_API_KEY", "none"))
    server = StdioServerParameters(command=KARMA, args=["mcp", "--act", "--user", user], env=dict(os.environ))
    async with Client(server) as karma:
        tools = [
            {
                "type": "function",
                "function": {"name": one.name, "description": one.description, "parameters": one.input_schema},
            }
            for one in (await karma.list_tools()).tools
        ]
        last, result = ("", ""), ""
        messages: list = [{"role": "system", "content": ROLE}, {"role": "user", "content": task}]
        for _ in range(TURNS):
            answer = await openai.chat.completions.create(model=model, messages=messages, tools=tools, temperature=0.0)
            said = answer.choices[0].message
            messages.append(said.model_dump(exclude_none=True))
            calls = [(one.id, one.function.name, one.function.arguments) for one in said.tool_calls or ()]
            if not calls and (written := call_in(said.content or "", {one["function"]["name"] for one in tools})):
                calls = [("", *written)]
            if not calls:
                return said.content or ""
            for call, name, arguments in calls:
                if (name, arguments) == last:
                    return result  # small models go round in circles when they are done
                last = name, arguments
                result = await called(karma, name, arguments)
                print(f"{name} {arguments}\n  {result}", flush=True)
                told = {"role": "tool", "tool_call_id": call} if call else {"role": "user"}
                messages.append({**told, "content": result if call else f"{name}: {result}. {NEXT}"})
    return f"I gave up after {TURNS} turns."


def call_in(text: str, names: set[str]) -> tuple[str, str] | None:
    """Return the first call that a small model wrote into its answer, as many do: {"name": …, "arguments": {…}}."""
    text = text.replace('{\n  "name"', '{"name"')
    try:
        found, _ = json.JSONDecoder().raw_decode(text, text.index('{"name"'))
    except ValueError:
        return None
    known = isinstance(found, dict) and found.get("name") in names
    return (found["name"], json.dumps(found.get("arguments") or {})) if known else None


async def called(karma: Client, name: str, arguments: str) -> str:
    """Call a tool; what the model gets wrong is told to it."""
    try:
        given = json.loads(arguments or "{}")
    except ValueError:
        return "the arguments are no JSON"
    result = await karma.call_tool(name, given if isinstance(given, dict) else {})
    return "".join(part.text for part in result.content if part.type == "text")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("task")
    options.add_argument(
        "--url", default="http://127.0.0.1:11434/v1", help="Of the model's server; Ollama's by default."
    )
    options.add_argument("--model", default="qwen2.5:7b")
    options.add_argument("--user", default="", help="Who the agent speaks for.")
    chosen = options.parse_args()
    print(asyncio.run(run(chosen.task, chosen.url, chosen.model, chosen.user)))
