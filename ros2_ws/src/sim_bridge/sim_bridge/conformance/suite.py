# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""All checks, in the order in which they are run, and their running."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from sim_bridge.conformance import appliances, driving, handling, images, looking, requests, scenes
from sim_bridge.conformance.check import Check, NonConformityError, NotApplicableError, Result
from sim_bridge.conformance.subject import Feature, Subject
from sim_bridge.conformance.trial import Trial

CHECKS: tuple[Check, ...] = tuple(
    value
    for module in (requests, looking, driving, handling, appliances, images, scenes)
    for value in vars(module).values()
    if isinstance(value, Check)
)


def run_check(check: Check, trial: Trial) -> Result:
    """Run one check from the scene's start. What the backend raises is not caught: that is a defect, not a verdict."""
    began = time.monotonic()

    def ended(verdict: str, text: str = "") -> Result:
        return Result(check.name, verdict, text, time.monotonic() - began)  # type: ignore[arg-type]

    lacks = trial.subject.lacks
    needs: tuple[str | Feature, ...] = (*check.skills, *check.features)
    for need in needs:
        if need in lacks:
            return ended("not applicable", f"no {need.name if isinstance(need, Feature) else need}: {lacks[need]}")
    try:
        trial.begin()
        check.run(trial)
    except NotApplicableError as error:
        return ended("not applicable", str(error))
    except NonConformityError as error:
        return ended("fail", str(error))
    missing = set(check.skills) - trial.succeeded
    if missing:
        return ended("fail", f"expected {', '.join(sorted(missing))} to succeed; never did")
    return ended("pass")


def run_checks(subject: Subject, checks: tuple[Check, ...] = CHECKS) -> Iterator[Result]:
    """Open a backend, run the checks one after the other, and close it; a check in which it raises is a failed one."""
    with closing(Trial(subject)) as trial:
        for check in checks:
            try:
                yield run_check(check, trial)
            except Exception as error:  # noqa: BLE001 - the other checks are run all the same
                where = traceback.extract_tb(error.__traceback__)[-1]
                text = f"{type(error).__name__}: {error} ({Path(where.filename).name}, line {where.lineno})"
                yield Result(check.name, "fail", text)
