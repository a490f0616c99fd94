# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import contextlib
import gc

import pytest

from karma_memory.state.collector import collector_kept_away


@pytest.fixture
def enabled():
    was = gc.isenabled()
    yield
    (gc.enable if was else gc.disable)()


@pytest.mark.parametrize("before", [True, False])
def test_the_collector_is_away_while_something_is_built_and_then_as_it_was(before, enabled):
    (gc.enable if before else gc.disable)()
    with contextlib.suppress(ValueError), collector_kept_away():
        assert not gc.isenabled()
        raise ValueError("half built")
    assert gc.isenabled() == before


def test_the_collector_does_not_see_what_was_built():
    frozen = gc.get_freeze_count()
    with collector_kept_away():
        built = [[] for _ in range(1000)]
    assert gc.get_freeze_count() >= frozen + len(built)
