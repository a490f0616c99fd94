# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def nanodet_file(pytestconfig: pytest.Config) -> Path:
    """Return a real network as an ONNX file; fetched once, skipped with a reason where it cannot be."""
    from nanodet_package import nanodet

    return nanodet(Path(pytestconfig.cache.mkdir("nanodet")))
