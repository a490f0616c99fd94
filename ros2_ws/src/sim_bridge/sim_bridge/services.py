# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""list_skills, and the services that simulators only have: sim/reset, sim/move_object, sim/ground_truth."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from typing import Any

from rclpy.node import Node

from karma_interfaces.srv import GetSceneGraph, ListSkills, MoveObject, ResetScene
from sim_bridge.backend import Backend, BackendUnavailableError, Code, RefusedError
from sim_bridge.conversions import graph_to, result_to, skill_spec_to
from sim_bridge.session import Session
from sim_bridge.simulation.backend import SimulatedBackend
from sim_bridge.skills import SkillSpec


class Services:
    """The callbacks of a node's services; `offered` says which there are."""

    def __init__(
        self,
        node: Node,
        session: Session,
        *,
        seed: int,
        look: Callable[[], None],
        moved: Callable[[], None] = lambda: None,
        skills: Mapping[str, SkillSpec] | None,
        simulated: bool,
    ) -> None:
        """`seed`: of a scene that is begun anew without one; `look` is called after that, `moved` after a move.

        `skills`: what is advertised, None: no list_skills. `simulated`: whether to offer what only simulators have.
        """
        self._skills = skills
        self._simulated = simulated
        self._node = node
        self._session = session
        self._seed = seed
        self._look = look
        self._moved = moved

    def offered(self) -> tuple[tuple[Any, str, Callable[[Any, Any], Any]], ...]:
        """Return type, name and callback of each service."""
        skills = ((ListSkills, "list_skills", self._list_skills),)
        simulators = (
            (ResetScene, "sim/reset", self._reset),
            (MoveObject, "sim/move_object", self._move_object),
            (GetSceneGraph, "sim/ground_truth", self._ground_truth),
        )
        offered = (*(skills if self._skills is not None else ()), *(simulators if self._simulated else ()))
        return tuple((kind, name, self._answering(name, serve)) for kind, name, serve in offered)

    def _answering(self, name: str, serve: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """Return a service callback that answers an exception, which would end the node otherwise."""

        def answer(request: Any, response: Any) -> Any:
            try:
                return serve(request, response)
            except RefusedError as error:
                response.result = result_to(error.code, error.message)
            except BackendUnavailableError as error:
                self._node.get_logger().error(f"{name}: {error}")
                response.result = result_to(Code.UNAVAILABLE, str(error))
            except Exception as error:  # noqa: BLE001 - a defect of a backend must not take the node down
                self._node.get_logger().error(f"{name} failed:\n{traceback.format_exc()}")
                reason = f"{type(error).__name__}: {error}: see the log of {self._node.get_name()}"
                response.result = result_to(Code.INTERNAL_ERROR, f"{name} failed with {reason}")
            return response

        return answer

    def _list_skills(self, _: ListSkills.Request, response: ListSkills.Response) -> ListSkills.Response:
        response.skills = [skill_spec_to(spec) for spec in (self._skills or {}).values()]
        response.result = result_to(Code.SUCCESS)
        return response

    def _reset(self, request: ResetScene.Request, response: ResetScene.Response) -> ResetScene.Response:
        session = self._session
        if not session.take():
            busy = f"busy with {session.running}: cancel it or try again"
            response.result = result_to(Code.PRECONDITION_FAILURE, busy)
            return response
        try:
            session.reset(request.scene, request.seed if request.seed >= 0 else self._seed)
        except KeyError as error:
            response.result = result_to(Code.NOT_FOUND, message_of(error))
            return response
        finally:
            session.release()
        session.begin_pause()
        self._look()
        response.scene, response.result = session.scene, result_to(Code.SUCCESS)
        return response

    def _move_object(self, request: MoveObject.Request, response: MoveObject.Response) -> MoveObject.Response:
        def move(backend: Backend) -> tuple[str, str]:
            if not isinstance(backend, SimulatedBackend):
                raise RefusedError(Code.UNAVAILABLE, "people move things in simulators only")
            return backend.move_object(request.object, request.receptacle)

        if not request.object:
            response.result = result_to(Code.INVALID_ARGUMENT, "object is empty: give an id or a category")
            return response
        response.object, response.receptacle = self._session.use(move)
        self._moved()
        response.result = result_to(Code.SUCCESS)
        return response

    def _ground_truth(self, request: GetSceneGraph.Request, response: GetSceneGraph.Response) -> GetSceneGraph.Response:
        scene = self._session.scene
        if request.scene and request.scene != scene:
            response.result = result_to(Code.NOT_FOUND, f"{request.scene!r} is not loaded, {scene} is")
        elif request.at.sec or request.at.nanosec:
            response.result = result_to(Code.INVALID_ARGUMENT, "the simulator knows only now: leave `at` zero")
        else:
            objects = self._session.use(lambda backend: backend.ground_truth())
            response.graph = graph_to(objects, scene, self._node.get_clock().now().to_msg())
            response.result = result_to(Code.SUCCESS)
        return response


def message_of(error: Exception) -> str:
    """Return the message of an error; a KeyError's str would quote it."""
    return str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
