# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The names of a network's classes: from a label file, from the model itself, or COCO's."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

import yaml

LONGEST = 64
"""Characters of a name."""

MOST_BYTES = 2**20

COCO = tuple(resources.files("karma_perception.detectors").joinpath("coco.txt").read_text("utf-8").splitlines())
"""The 80 classes of COCO's detection task, in the order in which detectors count them."""


class LabelError(ValueError):
    """A label file that cannot be used; the message says why."""


def read_labels(file: Path) -> tuple[str, ...]:
    """Read names: one a line, or a JSON or YAML list, or a mapping of numbers to names, alone or under `names`.

    `LabelError` when the file cannot be read or is none of these.
    """
    try:
        with file.open("rb") as opened:
            text = opened.read(MOST_BYTES).decode("utf-8")
        if file.suffix.lower() in (".json", ".yaml", ".yml"):
            content = yaml.load(text, yaml.CSafeLoader)
            return _names(content.get("names", content) if isinstance(content, dict) else content)
        return _names([line for line in text.splitlines() if line.strip()])
    except (OSError, yaml.YAMLError, ValueError, LookupError, RecursionError) as error:  # 30 February, `!!int ''`
        raise LabelError(f"{file} cannot be used as a label file: {error}") from error


def labels_of_model(metadata: str) -> tuple[str, ...]:
    """Return the names in a model's metadata, as Ultralytics writes them: "{0: 'person', 1: ...}"; none if it's not so.

    Both that and JSON are read as literals.
    """
    if not metadata or len(metadata) > MOST_BYTES:
        return ()
    try:
        return _names(ast.literal_eval(metadata))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pass
    try:
        return _names(json.loads(metadata))
    except (ValueError, RecursionError):
        return ()


def _names(content: object) -> tuple[str, ...]:
    if isinstance(content, dict):
        numbered = {int(k): v for k, v in content.items() if str(k).isdecimal()}
        if len(numbered) != len(content) or sorted(numbered) != list(range(len(numbered))):
            raise LabelError("the numbers of the labels must go from 0 on without a gap")
        content = [numbered[i] for i in range(len(numbered))]
    if not isinstance(content, list) or not content or not all(isinstance(name, (str, int)) for name in content):
        raise LabelError("labels are one name a line, a list of names, or a mapping of numbers to names")
    return tuple(_clean(map(str, content)))


def _clean(names: Iterable[str]) -> list[str]:
    """Return names that can be shown and spoken: no control characters, not too long."""
    result = []
    for name in names:
        shown = " ".join("".join(c if c.isprintable() else " " for c in name).split())[:LONGEST].strip()
        if not shown:
            raise LabelError("a label is empty")
        result.append(shown)
    return result
