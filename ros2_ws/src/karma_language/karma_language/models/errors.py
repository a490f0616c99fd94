# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Why a model gave no usable answer. Each message is a sentence for a person, and says what to do."""

from __future__ import annotations


class ModelError(Exception):
    """There is no usable answer."""


class CanceledError(ModelError):
    """Nobody waits for the answer any more."""


class ModelMissingError(ModelError):
    """The server has no such model."""


class ModelLateError(ModelError):
    """The model took too long."""

    def __init__(self, message: str, limit: str) -> None:
        """`limit`: the field of Limits that allows more time."""
        super().__init__(message)
        self.limit = limit


class ServerError(ModelError):
    """The server is away, refuses, breaks off, or is no server of models."""


class NonsenseError(ModelError):
    """The model answered, and the answer is not of the form that was asked for."""
