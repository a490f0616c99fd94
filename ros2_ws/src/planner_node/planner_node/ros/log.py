# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the library logs, in the node's log."""

from __future__ import annotations

import logging
from typing import Any

from planner_node.printable import printable


class RosLog(logging.Handler):
    """Passes what the library logs on to the node's logger."""

    def __init__(self, logger: Any) -> None:
        super().__init__(logging.INFO)
        self._logger = logger

    def emit(self, record: logging.LogRecord) -> None:
        """Log one record."""
        text = printable(record.getMessage())
        if record.levelno >= logging.ERROR:
            self._logger.error(text)
        elif record.levelno >= logging.WARNING:
            self._logger.warning(text)
        else:
            self._logger.info(text)
