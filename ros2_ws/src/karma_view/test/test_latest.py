# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from looking_back import until

from karma_view.panels.latest import Latest


def test_a_wish_that_fails_does_not_stop_the_next(caplog):
    latest, done = Latest(), []
    latest.ask("one", lambda: 1 / 0)
    latest.ask("two", lambda: done.append(2))
    until(lambda: done == [2])
    assert "one could not be done" in caplog.text
