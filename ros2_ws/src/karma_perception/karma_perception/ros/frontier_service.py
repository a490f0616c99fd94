# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The service `scene_graph/get_frontiers` of the perception node."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rclpy.node import Node
from std_msgs.msg import Header

from karma_interfaces.msg import Result
from karma_interfaces.srv import GetFrontiers
from karma_perception import conversions
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.places.frontiers import Frontier
from karma_perception.worker import PerceptionWorker

_PATIENCE = 2.0
"""Seconds that the worker may take to come to a question: it is asked between two frames."""


class FrontierService:
    """Answers where exploring can go on, as far as frames have been taken into account."""

    def __init__(
        self, node: Node, pipeline: PerceptionPipeline, worker: Callable[[], PerceptionWorker | None], map_frame: str
    ) -> None:
        """`worker`: gives the worker of the pipeline, None while the node is not active."""
        self._node = node
        self._pipeline = pipeline
        self._worker = worker
        self._map_frame = map_frame
        self._service = node.create_service(GetFrontiers, "scene_graph/get_frontiers", self._answer)

    def destroy(self) -> None:
        """Withdraw the service."""
        self._node.destroy_service(self._service)

    def _answer(self, request: GetFrontiers.Request, response: GetFrontiers.Response) -> GetFrontiers.Response:
        worker = self._worker()
        response.result.code = Result.UNAVAILABLE
        if worker is None:
            response.result.message = "perception is not active: activate it"
            return response
        try:
            scene, stamp, frontiers = worker.call(partial(_explored, self._pipeline), _PATIENCE)
        except (TimeoutError, RuntimeError) as error:
            response.result.message = str(error) or "perception is busy: ask again"
            return response
        if not stamp:
            response.result.message = "nothing has been perceived yet; are the camera topics published?"
        elif request.scene and request.scene != scene:
            why = f"only the current scene {scene!r} can be explored"
            response.result = Result(code=Result.NOT_FOUND, message=why)
        else:
            response.result.code = Result.SUCCESS
            response.header = Header(stamp=conversions.to_time(stamp), frame_id=self._map_frame)
            response.scene = scene
            response.waiting = worker.statistics().waiting
            nearest = frontiers[: request.limit or None]
            response.frontiers = [conversions.from_frontier(f) for f in nearest]
        return response


def _explored(pipeline: PerceptionPipeline) -> tuple[str, float, tuple[Frontier, ...]]:
    """Return the scene, the stamp of its newest frame in seconds, 0 before the first, and its frontiers."""
    return pipeline.scene, pipeline.stamp, pipeline.frontiers() if pipeline.epoch else ()
