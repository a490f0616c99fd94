# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The one client of language models: servers that speak Ollama's protocol or OpenAI's."""

from karma_language.models.answers import Answers, Newest
from karma_language.models.client import Form, Heard, Limits, Model, Usage, Waiting
from karma_language.models.errors import (
    CanceledError,
    ModelError,
    ModelLateError,
    ModelMissingError,
    NonsenseError,
    ServerError,
)
from karma_language.models.servers import OLLAMA_URL, server_url
from karma_language.models.turns import Urgency

__all__ = [
    "OLLAMA_URL",
    "Answers",
    "CanceledError",
    "Form",
    "Heard",
    "Limits",
    "Model",
    "ModelError",
    "ModelLateError",
    "ModelMissingError",
    "Newest",
    "NonsenseError",
    "ServerError",
    "Urgency",
    "Usage",
    "Waiting",
    "server_url",
]
