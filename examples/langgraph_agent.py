# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory's tools for an agent of LangChain or LangGraph. It needs karma_memory and langgraph.

`tools_of` is all that it takes. The model here follows a script, so that the example needs no key and no network; put
any chat model that calls tools in its place.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from karma_memory import Memory
from karma_memory.tools import ToolError


def tools_of(memory: Memory, user: str) -> list[BaseTool]:
    """Return the memory's tools as LangChain's, for an agent that speaks for a user."""

    def made(name: str, description: str, parameters: dict[str, Any]) -> BaseTool:
        def call(**arguments: Any) -> str:
            try:
                return memory.call(name, arguments, user=user)
            except ToolError as error:  # says what to do otherwise
                return str(error)

        return StructuredTool(name=name, description=description, args_schema=parameters, func=call)

    return [made(**tool["function"]) for tool in memory.tools(user=user)]


class Scripted(BaseChatModel):
    """Stands in for a language model: calls one tool for each thing that is said, then says what came of it."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Scripted:
        """Take the tools; the script knows them already."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            answer = AIMessage(last.text)
        elif last.text.endswith("?"):
            answer = AIMessage("", tool_calls=[{"name": "ask", "args": {"question": last.text}, "id": "1"}])
        else:
            answer = AIMessage("", tool_calls=[{"name": "remember", "args": {"words": last.text}, "id": "1"}])
        return ChatResult(generations=[ChatGeneration(message=answer)])


def main() -> None:
    """Talk to an agent that has the memory's tools."""
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "home.sqlite3") as memory:
        memory.see("mug", on="kitchen table", room="kitchen", at=(1.0, 2.0, 0.9))
        tools = tools_of(memory, user="ann")
        model = Scripted().bind_tools(tools)

        def think(state: MessagesState) -> dict[str, list[BaseMessage]]:
            return {"messages": [model.invoke(state["messages"])]}

        graph = StateGraph(MessagesState)
        graph.add_node("think", think)
        graph.add_node("tools", ToolNode(tools))
        graph.add_edge(START, "think")
        graph.add_conditional_edges("think", tools_condition)
        graph.add_edge("tools", "think")
        agent = graph.compile()
        for words in ("Where is the mug?", "My grandmother gave me the mug.", "Who gave me the mug?"):
            print(f"ann: {words}")
            print(f"agent: {agent.invoke({'messages': [HumanMessage(words)]})['messages'][-1].text}")


if __name__ == "__main__":
    main()
