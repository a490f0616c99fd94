# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.fixture
def viewer() -> Iterator[object]:
    import viser
    from viewing import Viewer

    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield Viewer(server)
    server.stop()
