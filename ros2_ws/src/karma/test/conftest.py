# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from karma_ros.domain import claim_domain

sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.fixture
def domain() -> Iterator[int]:
    """Give a ROS domain that nobody uses."""
    with claim_domain(None) as claimed:
        yield claimed
