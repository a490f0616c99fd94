# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE))
sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.sqlite3"
