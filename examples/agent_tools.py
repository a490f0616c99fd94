# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory as tools of a language model: function calling in OpenAI's form, by a model that follows a script here.

It prints:
    tools: ask, recall, where_is, …
    where_is(thin=mug) -> where_is: thing: Field required; there is no argument 'thin'
    where_is(thing=mug) -> The mug is on the desk, in the office. id: mug
    remember(words=The blue mug is mine.) -> remembered as told:…
    ask(question=Whose is the blue mug?) -> Yours. You told me just now: “The blue mug is mine.”
"""

import json
import tempfile
from pathlib import Path
from typing import Any

from karma_memory import Memory
from karma_memory.tools import ToolError


def called(name: str, **arguments: object) -> dict[str, Any]:
    """Return a message of the model that calls a tool, as OpenAI's servers send it."""
    return {"tool_calls": [{"id": "call_1", "function": {"name": name, "arguments": json.dumps(arguments)}}]}


SCRIPT = [
    called("where_is", thin="mug"),
    called("where_is", thing="mug"),
    called("remember", words="The blue mug is mine."),
    called("ask", question="Whose is the blue mug?"),
]
"""Put your model here: client.chat.completions.create(messages=…, tools=memory.tools(user="ann"))."""


with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "home.sqlite3") as memory:
    memory.see("mug", on="desk", room="office")
    print("tools:", ", ".join(tool["function"]["name"] for tool in memory.tools("openai", user="ann")))
    messages: list[dict[str, Any]] = []
    for message in SCRIPT:
        for call in message["tool_calls"]:
            function = call["function"]
            try:
                result = memory.call(function["name"], function["arguments"], user="ann")
            except ToolError as error:
                result = str(error)  # says what to do otherwise; the model reads it
            said = ", ".join(f"{name}={value}" for name, value in json.loads(function["arguments"]).items())
            print(f"{function['name']}({said}) -> {result}")
            messages += [message, {"role": "tool", "tool_call_id": call["id"], "content": result}]
