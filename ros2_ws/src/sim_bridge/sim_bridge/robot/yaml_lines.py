# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where in a YAML file a field is, and what is given there twice."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

Place = tuple[int | str, ...]
"""Keys and indices that lead to a field."""


def line_of(node: yaml.Node | None, place: Place) -> int:
    """Return the line of a field, or of what surrounds it where the field is missing."""
    line = 1
    for key in place:
        if isinstance(node, yaml.MappingNode):
            found = next(((k, v) for k, v in node.value if k.value == str(key)), None)
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            node = node.value[key]
            line = node.start_mark.line + 1
        else:
            break
    return line


def given_twice(root: yaml.Node | None) -> Iterator[tuple[int, str]]:
    """Return line and name of each key that its mapping has already: YAML itself takes the last one silently."""
    waiting, visited = [root], set()
    while waiting:
        node = waiting.pop()
        if id(node) in visited:  # an alias
            continue
        visited.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting.extend(node.value)
        elif isinstance(node, yaml.MappingNode):
            keys = set()
            for key, value in node.value:
                if (key.tag, str(key.value)) in keys:
                    yield key.start_mark.line + 1, str(key.value)
                keys.add((key.tag, str(key.value)))
                waiting.append(value)
