# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A vision-language model with scripted answers, behind a local server that speaks Ollama's HTTP API."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import numpy as np
from ollama_server import Content, OllamaServer
from PIL import Image

MODEL = "looker:1b"


class VisionServer(OllamaServer):
    """Answers by a function of the request, keeps the requests and decodes their pictures."""

    def __init__(self, answer: Content, **options: Any) -> None:
        super().__init__(answer, model=MODEL, **options)

    def pictures(self) -> list[np.ndarray]:
        """Return the picture of every request, (h, w, 3)."""
        encoded = [r["messages"][-1]["images"][0] for r in self.requests]
        return [np.asarray(Image.open(io.BytesIO(base64.b64decode(e, validate=True)))) for e in encoded]


def says(*states: str) -> Content:
    """Make an answer of the schema that tells some states."""
    text = json.dumps({"description": "a kitchen", "relevant": "the object", "states": list(states)})
    return lambda request: text
