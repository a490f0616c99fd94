# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory unit of the short-term memory (KARMA, appendix B, listing 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karma_language.vocabulary.terms import split_camel_case
from karma_memory.encoding import Json, from_json, to_json
from karma_memory.events import Image
from karma_memory.scene import Node
from karma_memory.scene_graph.text import point_text


@dataclass(frozen=True)
class MemoryUnit:
    """What is remembered of one object that was just used: the listing's fields, and vector, time and segment.

    Type, id, position and states are those of `node`.
    """

    node: Node
    scene: str
    text: str
    time: float
    """When the object was last used or seen, seconds, the robot's clock."""
    source: str
    """Id of the newest event about it."""
    image: Image | None = None
    segment: str = ""
    """Segment of the replacement policy that it is in."""
    frequency: int = 0
    """Uses that the replacement policy counts."""
    vector: NDArray[np.float32] | None = None
    """Embedding of what `meaning` says; None without an embedder, or before it was computed."""

    @property
    def meaning(self) -> str:
        """What its vector is made of: what it is, where and in which state, without numbers (KARMA, section 3.4)."""
        return split_camel_case(self.text.removesuffix(f", at {point_text(self.node.position)}")).lower()

    def to_json(self) -> Json:
        """Return the unit as a JSON object, without segment, frequency and vector, which others know."""
        data = {
            "node": to_json(self.node),
            "scene": self.scene,
            "text": self.text,
            "time": self.time,
            "source": self.source,
        }
        if self.image is not None:
            data["image"] = to_json(self.image)
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> MemoryUnit:
        """Return the unit of a JSON object. KeyError or TypeError where it is none."""
        image = Image(**data["image"]) if "image" in data else None
        return cls(from_json(Node, data["node"]), data["scene"], data["text"], data["time"], data["source"], image)
