# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory over ROS."""

from __future__ import annotations

from collections.abc import Sequence

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node as RosNode

from karma_interfaces.srv import Ask, GetSceneGraph, Recall, Remember
from karma_language.reading import Question
from planner_node import conversions
from planner_node.memory import WORKING, Answer, Event, SceneGraph
from planner_node.memory import Recall as RecallAnswer
from planner_node.ros.calling import MemoryCalls, NoAnswer, call
from planner_node.ros.exchanges import Exchanges


class RosMemory:
    """The memory behind `memory/*`; the scene graph of perception where the memory has none."""

    def __init__(
        self, node: RosNode, group: CallbackGroup, *, timeout: float, exchanges: Exchanges | None = None
    ) -> None:
        """Seconds that a service may take; `exchanges` hears of every call."""
        self._exchanges = exchanges
        self._timeout = timeout
        self._call = MemoryCalls(timeout, exchanges)
        self._robot = node.get_namespace().strip("/")
        self._recall = node.create_client(Recall, "memory/recall", callback_group=group)
        self._asking = node.create_client(Ask, "memory/ask", callback_group=group)
        self._remember = node.create_client(Remember, "memory/remember", callback_group=group)
        self._graph = node.create_client(GetSceneGraph, "memory/get_scene_graph", callback_group=group)
        self._perceived = node.create_client(GetSceneGraph, "scene_graph/get_full", callback_group=group)

    def destroy(self, node: RosNode) -> None:
        """Give the clients back."""
        for client in (self._recall, self._asking, self._remember, self._graph, self._perceived):
            node.destroy_client(client)

    def recall(
        self,
        query: str,
        user: str = "",
        scene: str = "",
        limit: int = 0,
        kinds: Sequence[str] = (),
    ) -> RecallAnswer:
        """Ask every memory, or those of some kinds."""
        request = Recall.Request(query=query, user=user, scene=scene, limit=limit, kinds=list(kinds))
        response = self._call(self._recall, request)
        recollections = map(conversions.recollection_from, response.recollections)
        own = (r for r in recollections if r.kind != WORKING or r.handled is None or r.handled.robot == self._robot)
        return RecallAnswer(tuple(own), response.prompt)  # what other robots of this memory hold does not matter here

    def ask(self, words: str, user: str = "", scene: str = "", question: Question | None = None) -> Answer:
        """Have the memory answer a person's question."""
        read = question.model_dump_json(exclude_defaults=True) if question is not None else ""
        response = self._call(self._asking, Ask.Request(question=words, reading=read, user=user, scene=scene))
        evidence = tuple(map(conversions.recollection_from, response.evidence))
        picture = response.picture[0] if response.picture else None
        return Answer(response.answer, response.known, tuple(response.look), evidence, picture)

    def scene_graph(self) -> SceneGraph:
        """Return long-term memory's scene graph; what perception has now where memory has nothing."""
        response = self._call(self._graph, GetSceneGraph.Request())
        graph = conversions.graph_from(response.graph)
        if graph.nodes or not self._perceived.service_is_ready():
            return graph
        try:
            seen = call(self._perceived, GetSceneGraph.Request(), self._timeout, 0.0, self._exchanges)
        except NoAnswer:
            return graph  # perception is optional here: the robot explores instead
        return conversions.graph_from(seen.graph)

    def remember(self, events: Sequence[Event]) -> bool:
        """Commit events; return whether the last is kept."""
        messages = [conversions.event_to(event, self._robot) for event in events]
        sequences = self._call(self._remember, Remember.Request(events=messages)).sequences
        return not len(sequences) or bool(sequences[-1])
