# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Services of the memory server about all that it has: recall, questions, forgetting, figures, copies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from builtin_interfaces.msg import Time

from karma_interfaces.srv import (
    Ask,
    EditMemory,
    ExportMemory,
    Forget,
    GetMemoryStats,
    GetSceneGraph,
    GetUserData,
    Recall,
    SetConsent,
)
from karma_memory import answer_conversions, conversions
from karma_memory.encoding import dumps
from karma_memory.events import Code
from karma_memory.memory import Memory
from karma_memory.privacy.consent import Consent
from karma_memory.ros.answer_markers import AnswerMarkers
from karma_memory.ros.serving import Serve
from karma_memory.scene import InvalidEventError
from karma_ros.lifecycle import ManagedNode


class MemoryServices:
    """Answers from whatever memory is open when it is asked."""

    def __init__(self, serve: Serve, node: ManagedNode, now: Callable[[], float], here: Callable[[], str]) -> None:
        """`now`: the time in seconds, the robot's clock; `here`: the scene that the robot is in, "" for unknown."""
        self._node, self._now, self._here = node, now, here
        self._markers = AnswerMarkers(node)
        node.until_cleanup.callback(self._markers.destroy)
        serve(Recall, "memory/recall", self._recall)
        serve(Ask, "memory/ask", self._ask)
        serve(Forget, "memory/forget", self._forget)
        serve(EditMemory, "memory/edit", self._edit)
        serve(GetMemoryStats, "memory/stats", self._stats)
        serve(ExportMemory, "memory/export", self._export)
        serve(GetSceneGraph, "memory/get_scene_graph", self._get_scene_graph)
        serve(GetUserData, "memory/get_user_data", self._get_user_data)
        serve(SetConsent, "memory/set_consent", self._set_consent)

    def _recall(self, memory: Memory, request: Any, response: Any) -> None:
        query = answer_conversions.to_query(
            request,
            limit=self._node.value("limit"),
            token_budget=self._node.value("token_budget"),
            now=self._now(),
        )
        answer = memory.recall(query)
        response.recollections = answer_conversions.from_recollections(answer.recollections)
        response.prompt = answer.prompt
        response.sequence = answer.sequence

    def _ask(self, memory: Memory, request: Any, response: Any) -> None:
        asked = memory.ask(
            request.question,
            user=request.user,
            scene=request.scene,
            now=self._now(),
            at=conversions.to_seconds(request.at) or None,
            question=answer_conversions.to_question(request.reading),
        )
        data = memory.image(asked.picture.sha256) if asked.picture is not None else None
        answer_conversions.fill_answer(response, asked, data)
        now = request.at == Time()  # the home of then is not what rviz shows
        stamp = self._node.get_clock().now().to_msg()
        self._markers.show(asked.evidence if now else (), self._here() or memory.current_scene, stamp)

    def _forget(self, memory: Memory, request: Any, response: Any) -> None:
        response.forgotten = memory.forget(
            list(request.ids),
            kind=request.kind,
            user=request.user,
            object_id=request.object,
            everything=request.all,
            stamp=self._now(),
        )

    def _edit(self, memory: Memory, request: Any, response: Any) -> None:
        response.new_id = memory.edit(request.id, request.text, user=request.user, stamp=self._now())

    def _stats(self, memory: Memory, request: Any, response: Any) -> None:
        response.stats = answer_conversions.from_stats(memory.stats())

    def _export(self, memory: Memory, request: Any, response: Any) -> None:
        if not Path(request.path).is_absolute():
            raise InvalidEventError(f"the path {request.path!r} is not absolute; name a new file on this machine")
        response.events, response.path = memory.upkeep.export(request.path), request.path

    def _get_scene_graph(self, memory: Memory, request: Any, response: Any) -> None:
        graph = memory.scene_graph(request.scene, at=conversions.to_seconds(request.at) or None)
        if graph is None:
            known = ", ".join(memory.scenes) or "none yet"
            message = f"no scene {request.scene!r} is known; known scenes: {known}"
            response.result = conversions.result(Code.NOT_FOUND, message)
            return
        response.graph = conversions.from_graph(graph, memory.last_sequence)

    def _get_user_data(self, memory: Memory, request: Any, response: Any) -> None:
        response.location = memory.location
        response.data = dumps(memory.users.data(named(request.user), pictures=request.pictures))

    def _set_consent(self, memory: Memory, request: Any, response: Any) -> None:
        memory.users.set_consent(named(request.user), Consent(request.keep, request.retention), self._now())


def named(user: str) -> str:
    """Return a user's name. InvalidEventError where it is empty."""
    if not user:
        raise InvalidEventError("the user is empty; name the user")
    return user
