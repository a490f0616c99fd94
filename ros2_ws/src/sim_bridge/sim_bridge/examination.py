# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What of a backend works on this machine, and what is missing: `./karma doctor --backend NAME`.

Each backend's package answers for itself, in `sim_bridge/<backend>/doctor.py`, which is imported when it is asked:
`checks(options)` looks at what has to be there before a scene can be opened (packages, programs, a display, servers),
one `Finding` each, with what to do where something is missing. An essential one that does not work ends the
examination. Where an open backend can tell more than one look of its camera, there is also `opened(backend)`, with the
same kind of findings. What is declared for `sim_bridge.conformance` is in `simulation/conformance.py` and
`robot/conformance.py`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from itertools import chain

from sim_bridge.backend import Backend, BackendUnavailableError, RefusedError
from sim_bridge.conformance.check import Result
from sim_bridge.conformance.subject import Subject
from sim_bridge.conformance.suite import run_checks
from sim_bridge.factory import BackendOptions, open_backend, with_scene
from sim_bridge.findings import Finding, Verdict
from sim_bridge.scenes import BACKENDS

_PATIENCE = 3.0
"""Seconds for a publisher of /clock to be found."""
_LOOK_AGAIN = 0.1


def examine(options: BackendOptions, *, conformance: bool = False) -> Iterator[Finding]:
    """Look at all that the backend needs, open its scene (empty: the backend's own), read its sensors once.

    With `conformance`, run the checks of `sim_bridge.conformance`, too, which move everything that can be moved.
    """
    if options.backend not in BACKENDS:
        yield Finding(options.backend, "missing", f"choose one of {', '.join(BACKENDS)}", essential=True)
        return
    doctor = import_module(f"sim_bridge.{options.backend}.doctor")
    options = with_scene(options)
    for finding in chain(doctor.checks(options), _clock() if options.use_sim_time else ()):
        yield finding
        if finding.essential and finding.verdict != "works":
            return
    began = time.monotonic()
    try:
        backend = open_backend(replace(options, listen_only=True))
    except KeyError as error:
        yield Finding("scene", "missing", f"{error.args[0]}: choose another with --scene", essential=True)
        return
    except (BackendUnavailableError, ValueError) as error:
        yield Finding("scene", "missing", str(error), essential=True)
        return
    try:
        yield Finding("scene", "works", f"{backend.scene}, open in {time.monotonic() - began:.1f} s", essential=True)
        yield from doctor.opened(backend) if hasattr(doctor, "opened") else [_sensors(backend)]
    finally:
        backend.close()
    subject = subject_of(options) if conformance else None
    if subject is not None:
        yield from _conformance(subject)


def _clock() -> Iterator[Finding]:
    """Say whether a node with `use_sim_time` has a time: without one its timers never fire, and its stamps are 0."""
    if find_spec("rclpy") is None:
        text = "use_sim_time is for nodes of ROS, and rclpy is not installed: run ./karma setup"
        yield Finding("/clock", "missing", text, essential=True)
        return
    from karma_ros.client import GraphClient

    with GraphClient(name="clock_examination") as client:
        until = time.monotonic() + _PATIENCE
        while not (found := client.node.count_publishers("/clock")) and time.monotonic() < until:
            time.sleep(_LOOK_AGAIN)
    if found:
        yield Finding("/clock", "works", "is published: nodes with use_sim_time have a time", essential=True)
    else:
        text = (
            "use_sim_time is set, and nobody publishes /clock, so that no time passes: start the simulator (or its "
            "bridge to ROS) first, or leave use_sim_time out"
        )
        yield Finding("/clock", "missing", text, essential=True)


def subject_of(options: BackendOptions) -> Subject | None:
    """Return what a backend declares for the conformance suite; None for one that is not there."""
    if options.backend not in BACKENDS:
        return None
    kind = "robot" if options.backend == "robot" else "simulation"
    subject: Subject = import_module(f"sim_bridge.{kind}.conformance").subject(with_scene(options))
    return subject


def _sensors(backend: Backend) -> Finding:
    began = time.monotonic()
    try:
        seen = backend.observe()
    except (RefusedError, RuntimeError, OSError, ValueError) as error:
        return Finding("camera", "broken", str(error))
    k = seen.intrinsics
    text = f"{k.width} x {k.height} pixels in {1e3 * (time.monotonic() - began):.0f} ms"
    return Finding("camera", "works", f"{text}, {len(seen.labels)} objects in the picture")


def _conformance(subject: Subject) -> Iterator[Finding]:
    verdicts: dict[str, Verdict] = {"pass": "works", "fail": "broken", "not applicable": "missing"}
    for result in run_checks(subject):
        yield Finding(result.check.replace("_", " "), verdicts[result.verdict], _told(result), result.verdict == "fail")


def _told(result: Result) -> str:
    return f"conforms, in {result.seconds:.1f} s" if result.verdict == "pass" else result.text
