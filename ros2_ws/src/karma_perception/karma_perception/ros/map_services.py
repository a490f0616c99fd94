# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The node's map in files: the services `scene_graph/save` and `scene_graph/load`, and saving from time to time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from karma_interfaces.msg import Result
from karma_interfaces.srv import LoadMap, SaveMap
from karma_perception.saved_map.file import MapFileError
from karma_perception.saved_map.keeper import MapKeeper, MapSummary, Run, at_once


class MapServices:
    """Serves the map of one pipeline while the node is configured."""

    def __init__(self, node: Any, keeper: MapKeeper, file: str) -> None:
        """`file`: where the map lies when nothing else is said; empty: nowhere."""
        self._node = node
        self._keeper = keeper
        self._file = file
        self._run: Run = at_once
        self._frames = 0
        self._services: list[Any] = []

    def begin(self) -> None:
        """Go on with the map in the file, if there is one, and serve. MapFileError where the file is wrong."""
        path = Path(self._file).expanduser()
        if self._file and path.exists():
            try:
                loaded = self._keeper.load(path)
            except (MapFileError, OSError) as error:
                raise MapFileError(f"the map cannot be loaded, and is left as it is: {error}") from error
            known = f"{loaded.objects} objects of scene {loaded.scene!r}"
            self._node.get_logger().info(f"going on with {known} from {path}")
        self._services = [
            self._node.create_service(SaveMap, "scene_graph/save", self._save),
            self._node.create_service(LoadMap, "scene_graph/load", self._load),
        ]

    def hand_over(self, run: Run) -> None:
        """Say how to get at the pipeline from now on: by a worker, or at once when none has it."""
        self._run, self._frames = run, 0

    def keep(self, frames: int) -> None:
        """Save to the file if something has come since the last time; `frames`: how many the worker has processed."""
        if not self._file or frames == self._frames:
            return
        try:
            self._keeper.save(Path(self._file).expanduser(), self._run)
            self._frames = frames
        except (MapFileError, OSError, RuntimeError) as error:
            self._node.get_logger().error(f"the map was not saved: {error}", throttle_duration_sec=60.0)

    def close(self) -> None:
        """Take the services down."""
        for service in self._services:
            self._node.destroy_service(service)

    def _save(self, request: SaveMap.Request, response: SaveMap.Response) -> SaveMap.Response:
        self._answer(request.path, response, self._keeper.save, Result.REFUSED)
        return response

    def _load(self, request: LoadMap.Request, response: LoadMap.Response) -> LoadMap.Response:
        self._answer(request.path, response, self._keeper.load, Result.INVALID_ARGUMENT)
        return response

    def _answer(self, path: str, response: Any, act: Any, refusal: int) -> None:
        """Do what a request asks for and fill the response in; `refusal`: the code where the file is not right."""
        result = response.result
        if not (path or self._file):
            result.code, result.message = Result.INVALID_ARGUMENT, "name a path, or set the parameter map_file"
            return
        try:
            done: MapSummary = act(Path(path or self._file).expanduser(), self._run)
        except MapFileError as error:
            result.code, result.message = refusal, str(error)
        except FileNotFoundError as error:
            result.code, result.message = Result.NOT_FOUND, f"{error.filename} does not exist"
        except (OSError, RuntimeError) as error:
            result.code, result.message = Result.UNAVAILABLE, str(error)
        else:
            result.code = Result.SUCCESS
            response.path, response.scene, response.objects = str(done.path), done.scene, done.objects
            if isinstance(response, SaveMap.Response):
                response.sequence = done.sequence
