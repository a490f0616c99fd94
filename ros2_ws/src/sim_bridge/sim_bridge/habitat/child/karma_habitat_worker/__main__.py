# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Answers the bridge's requests over the socket whose number is the only argument, in the working folder."""

from __future__ import annotations

import faulthandler
import platform
import socket
import sys
import traceback
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from . import wire


def main() -> int:
    """Serve until the bridge goes; return the exit status."""
    faulthandler.enable()
    connection = socket.socket(fileno=int(sys.argv[1]))
    try:
        from .simulation import Simulation
    except Exception as error:  # noqa: BLE001 - whatever a package raises while it is imported, the bridge must be told
        traceback.print_exc()
        missing = getattr(error, "name", None) or type(error).__name__
        wire.send(connection, _refusal("import", f"{missing}: {error}"))
        return 1
    simulation = Simulation(Path.cwd())
    wire.send(connection, wire.Message(_versions()))
    while True:
        try:
            request = wire.receive(connection)
        except wire.WireError:
            simulation.close()
            return 0
        wire.send(connection, _answer(simulation, request))


def _versions() -> dict[str, Any]:
    import habitat
    import habitat_sim

    from . import compatibility

    return {
        "protocol": wire.VERSION,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "habitat_sim": habitat_sim.__version__,
        "public_sensors": not compatibility.PRIVATE_SENSORS,
        "habitat_lab": _installed("habitat-lab") or habitat.__version__,
        "bullet": bool(habitat_sim.built_with_bullet),
        "cuda": bool(habitat_sim.cuda_enabled),
    }


def _installed(distribution: str) -> str:
    """Return the version as which a package was installed, empty where it was not."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


def _answer(simulation: Any, request: wire.Message) -> wire.Message:
    from .transforms import RequestError

    name, arguments = request.fields.get("operation"), dict(request.fields.get("arguments", {}))
    operation = _OPERATIONS.get(str(name))
    if operation is None:
        return _refusal("request", f"there is no operation {name!r}")
    try:
        result = operation(simulation)(**arguments, **request.arrays)
    except RequestError as error:
        return _refusal("request", str(error))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - whatever habitat raises, the bridge must be told
        traceback.print_exc()
        return _refusal("habitat", f"{type(error).__name__}: {error}")
    if isinstance(result, tuple):
        return wire.Message(result[0], result[1])
    if isinstance(result, np.ndarray):
        return wire.Message({}, {"result": result})
    return wire.Message(result or {})


def _refusal(kind: str, message: str) -> wire.Message:
    return wire.Message({"error": kind, "message": message})


_OPERATIONS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "probe": lambda s: s.probe,
    "load": lambda s: s.load,
    "objects": lambda s: s.objects,
    "rooms": lambda s: s.rooms,
    "snap": lambda s: s.snap,
    "path": lambda s: s.path,
    "stand": lambda s: s.stand,
    "render": lambda s: s.render,
    "look": lambda s: s.look,
    "move": lambda s: s.move,
    "reform": lambda s: s.reform,
    "remove": lambda s: s.remove,
    "set_opened": lambda s: s.set_opened,
    "hold": lambda s: s.hold,
}


if __name__ == "__main__":
    sys.exit(main())
