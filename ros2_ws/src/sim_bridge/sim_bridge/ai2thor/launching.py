# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Starts AI2-THOR's real client, and tells what to do when that is not possible.

What the client says of its own start is often misleading: "Invalid commit_id" where there is no network, a TypeError
where there is no display, and nothing at all, for ever, where the build ends at once. Only here is `ai2thor` imported.
"""

from __future__ import annotations

import ctypes.util
import difflib
import os
import re
import shlex
import threading
import time
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Full
from typing import Any

from sim_bridge.ai2thor.frames import vertical_fov
from sim_bridge.backend import BackendUnavailableError
from sim_bridge.factory import BackendOptions
from sim_bridge.simulation.senses import RANGE

PLATFORMS = ("auto", "CloudRendering", "Linux64")
SERVERS = ("fifo", "wsgi")
AGENTS = ("default", "arm")
GRID = 0.25
"""Metres between the positions that the agent can reach."""
START_TIMEOUT = 300.0
"""Seconds until the build must have answered."""
_TIMEOUT = 100.0
"""Seconds that an action may take."""

INSTALL = "AI2-THOR's client is not installed: run ./karma setup --backend ai2thor"
"""What to tell where `ai2thor` can't be imported."""

_LOG = "~/.ai2thor/log/unity.log"
_OPENING = 0.05
"""Seconds between looks at whether the client has opened the pipe of a build that is over."""


_SOME = 5
"""Scenes that are named to one who asks for what there is not."""


class EndedError(RuntimeError):
    """The build ended while its client was started."""


def launch(options: BackendOptions, scene: str | Mapping[str, Any]) -> Any:
    """Start AI2-THOR in a scene, or a ProcTHOR house; return its client, an `ai2thor.controller.Controller`.

    BackendUnavailableError says why not and what to do; KeyError for a scene that the build does not have, ValueError
    for an option that there is not.
    """
    for name, known in (("ai2thor_platform", PLATFORMS), ("ai2thor_server", SERVERS), ("ai2thor_agent", AGENTS)):
        value = getattr(options, name)
        if value not in known:
            raise ValueError(f"{name} is {value!r}: choose one of {', '.join(known)}")
    executable, platform = options.ai2thor_executable, options.ai2thor_platform
    if executable:
        require_program(executable)
    controller = _controller_class()
    if options.pictures:
        platform = drawing_platform(platform, local=bool(executable))
    from ai2thor.fifo_server import FifoServer
    from ai2thor.platform import STR_PLATFORM_MAP
    from ai2thor.wsgi_server import WsgiServer

    chosen: dict[str, Any] = {
        "scene": scene,
        "server_class": FifoServer if options.ai2thor_server == "fifo" else WsgiServer,
        "width": options.image_width,
        "height": options.image_height,
        "headless": not options.pictures,
        "server_start_timeout": START_TIMEOUT,
        "server_timeout": _TIMEOUT,
        "agentMode": options.ai2thor_agent,
        "gridSize": GRID,
        "snapToGrid": True,
        "visibilityDistance": RANGE,
        "fieldOfView": vertical_fov(options.hfov, options.image_width, options.image_height),
        "renderDepthImage": options.pictures,
        "renderInstanceSegmentation": options.pictures,
    }
    if executable:
        # The client puts the path into a command line, which it splits again.
        chosen["local_executable_path"] = shlex.quote(os.path.abspath(executable))
    elif platform != "auto":
        # Not by its name: the client stumbles over that when it has to say that there is no build.
        chosen["platform"] = STR_PLATFORM_MAP[platform]
    if not _has_display():
        # The client takes every local build for one that draws on a display, and fails without the name of one.
        chosen["x_display"] = ":0"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what it warns of is what we ask for: any display, a scene of RoboTHOR
            return controller(**chosen)
    except Exception as error:
        if "not contained in build" in str(error):
            raise _unknown_scene(str(scene), str(error).rpartition(":")[2].replace(",", " ").split()) from error
        raise BackendUnavailableError(why_not_started(error, executable)) from error


def require_program(path: str) -> None:
    """Refuse what can't be run; BackendUnavailableError says why."""
    program = Path(path)
    if not program.exists():
        raise BackendUnavailableError(f"ai2thor_executable: there is no {path}")
    if not program.is_file() or not os.access(program, os.X_OK):
        raise BackendUnavailableError(
            f"ai2thor_executable: {path} is no program that can be run: name the executable of the unpacked build, and "
            "make it executable (chmod +x)"
        )


def drawing_platform(platform: str, *, local: bool) -> str:
    """Return the platform on which to draw: without a display, `auto` is CloudRendering where there is Vulkan.

    BackendUnavailableError where there is no display for what draws on one; a `local` build may do without.
    """
    if _has_display() or platform == "CloudRendering" or (platform == "auto" and local):
        return platform
    if platform == "auto" and ctypes.util.find_library("vulkan"):
        return "CloudRendering"
    raise BackendUnavailableError(
        "AI2-THOR draws on an X11 display, and there is none: install Vulkan (apt install libvulkan1) and leave "
        "ai2thor_platform at auto, or start a display (sudo ai2thor-xorg start) and set DISPLAY"
    )


def _has_display() -> bool:
    return "DISPLAY" in os.environ or any(Path("/tmp/.X11-unix").glob("X[0-9]*"))  # noqa: S108 - X11's own folder


def why_not_started(error: Exception, executable: str) -> str:
    """Return what the client's error at its start means, and what to do."""
    said = " ".join(str(error).split())
    what = executable or "AI2-THOR's build"
    if re.search(r"no build exists|No build exists|HTTPSConnectionPool|ConnectionError|NewConnectionError", said):
        return (
            "AI2-THOR's build is not on this machine, and could not be downloaded: let the machine reach the internet "
            "for the first start, or unpack a build and name its executable in ai2thor_executable"
        )
    if re.search(r"missing dependencies|X11 server|valid X display|Invalid display|GLX", said):
        return f"AI2-THOR can't draw here: {said[:300]}"
    if re.search(r"[Vv]ulkan|nvidia-smi", said):
        return (
            "AI2-THOR's CloudRendering needs a working Vulkan driver (apt install libvulkan1 vulkan-tools; vulkaninfo "
            f"must list the graphics card): {said[:300]}"
        )
    if isinstance(error, TimeoutError):
        return f"{what} did not answer within {START_TIMEOUT:.0f} s: see {_LOG}; a first start may take longer"
    if isinstance(error, OSError):
        return f"{what} could not be run: {said[:300]}"
    if isinstance(error, EndedError):
        return f"{what} ended before it could be used ({said}): see {_LOG}"
    return f"{what} could not be started: {type(error).__name__}: {said[:300]}; see {_LOG}"


def _controller_class() -> Any:
    try:
        from ai2thor.controller import Controller
    except ImportError as error:
        raise BackendUnavailableError(f"{INSTALL} ({error})") from error

    class Watched(Controller):  # type: ignore[misc]
        """A client that notices when its build ends, and leaves none behind that it could not use."""

        def __init__(self, **options: Any) -> None:
            try:
                super().__init__(**options)
            except BaseException as error:
                process = self.server.unity_proc if self.server is not None else None
                status = process.poll() if process is not None else None
                end(self)
                if status is not None:
                    raise EndedError(f"it ended with status {status}") from error
                raise

        def _start_unity_thread(self, *arguments: Any) -> None:
            super()._start_unity_thread(*arguments)
            threading.Thread(target=_wake_when_over, args=(self.server,), daemon=True).start()

    return Watched


def _wake_when_over(server: Any) -> None:
    """Wake a client that reads from the pipe of a build that has ended: it would wait, or spin, until its timeout."""
    server.unity_proc.wait()
    pipe = getattr(server, "server_pipe_path", "")
    while pipe and os.path.exists(pipe):  # until the client is done with it
        try:
            writing = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(_OPENING)
            continue
        try:
            os.write(writing, bytes(server.header_size))  # a message of a type that there is not
        finally:
            os.close(writing)
        return


def end(controller: Any) -> None:
    """End a client and its build, in whatever state they are."""
    server = controller.server
    if server is None:
        return
    process = server.unity_proc
    if process is not None:
        process.kill()
        process.wait()
    if hasattr(server, "wsgi_server"):
        with suppress(Full):
            server.response_queue.put_nowait({})  # for a request that waits for the next action
        if server.started:
            server.wsgi_server.shutdown()
        server.wsgi_server.server_close()
        server.stopped = True
    else:
        for opened in (server.client_pipe, server.server_pipe):
            if opened is not None:
                with suppress(OSError):  # what was not yet written can't be any more
                    opened.close()
        server.tmp_dir.cleanup()


def is_alive(controller: Any) -> bool:
    """Whether the build behind a client still runs."""
    process = controller.server.unity_proc if controller.server is not None else None
    return process is not None and process.poll() is None


def require_scene(controller: Any, scene: str) -> None:
    """KeyError, with the closest names, unless the build has the scene."""
    there = controller.scenes_in_build
    if there and controller.normalize_scene(scene) not in there:
        raise _unknown_scene(scene, there)


def _unknown_scene(scene: str, there: Iterable[str]) -> KeyError:
    names = sorted((name.removesuffix("_physics") for name in there), key=lambda name: (len(name), name))
    close = difflib.get_close_matches(scene, names, n=3)
    some = ", ".join(names[:: max(1, len(names) // _SOME)][:_SOME])
    hint = f"did you mean {' or '.join(close)}?" if close else f"it has {len(names)} scenes, such as {some}"
    return KeyError(f"no scene {scene!r} in this build of AI2-THOR: {hint}")
