# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Answers the bridge's requests over the socket whose number is the only argument, in the working folder."""

from __future__ import annotations

import faulthandler
import platform
import socket
import sys
import traceback
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

    name, arguments = str(request.fields.get("operation")), dict(request.fields.get("arguments", {}))
    if name not in _OPERATIONS:
        return _refusal("request", f"there is no operation {name!r}")
    try:
        result = getattr(simulation, name)(**arguments, **request.arrays)
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


_OPERATIONS = frozenset(
    (
        *("probe", "load", "objects", "rooms", "snap", "path", "stand"),
        *("render", "look", "move", "reform", "remove", "set_opened", "hold"),
    )
)
"""Methods of Simulation that the bridge may ask for."""


if __name__ == "__main__":
    sys.exit(main())
