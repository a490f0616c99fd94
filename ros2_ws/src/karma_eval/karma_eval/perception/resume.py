# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An unfinished report goes on where it was: what its scenes were judged by lies in it until the last one is done."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from karma_eval.perception.scenario import SceneResult

UNFINISHED = "unfinished"
"""Key of what a report holds to be gone on with."""

_RESULTS = TypeAdapter(list[SceneResult])


class OtherRunError(ValueError):
    """A file holds an unfinished report that can't be gone on with; the message says why and what to do."""


def unfinished(run: Mapping[str, Any], results: Sequence[SceneResult]) -> dict[str, Any]:
    """Return what to keep in a report: what is run (its options and scenes, as JSON values), and what is done of it."""
    done = _RESULTS.dump_python(list(results), mode="json")
    return {UNFINISHED: {"run": dict(run), "done": done}}


def done_before(file: Path, run: Mapping[str, Any]) -> list[SceneResult]:
    """Return the scenes that an unfinished report in `file` has; none when there is no such report.

    OtherRunError when it is one of other options or scenes, or damaged.
    """
    if not file.exists():
        return []
    advice = "finish it with the same, or name another file or delete this one"
    try:
        report = json.loads(file.read_text(encoding="utf-8"))
        kept = report.get(UNFINISHED) if isinstance(report, dict) else None
        if kept is None:
            return []
        before, done = kept["run"], _RESULTS.validate_python(kept["done"])
    except (OSError, UnicodeError, json.JSONDecodeError, KeyError, TypeError, ValidationError) as error:
        raise OtherRunError(f"{file} can't be read as a report: name another file or delete this one") from error
    other = sorted(k for k in before.keys() | run.keys() if before.get(k) != run.get(k))
    if other:
        raise OtherRunError(f"{file} holds an unfinished report with another choice of {', '.join(other)}: {advice}")
    return done
