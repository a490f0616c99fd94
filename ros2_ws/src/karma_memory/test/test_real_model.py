# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The steps that a model takes, with a real one that is too small for them: its answers are of the form."""

import pytest

from karma_language.models import Limits, Model
from karma_language.told.wishes.offline import OfflineLanguage
from karma_memory.preferences.likeness import Likeness
from karma_memory.preferences.model_language import ModelLanguage

pytestmark = pytest.mark.slow
PATIENCE_S = 300.0


def test_what_it_reads_is_checked_against_what_there_is(ollama_daemon):
    model = Model(ollama_daemon.model, url=ollama_daemon.host, limits=Limits(first=PATIENCE_S, total=PATIENCE_S))
    language = ModelLanguage(OfflineLanguage(Likeness(None)), model)
    request = language.read("ann", "Bring me a drink.", ["water", "juice"])
    assert set(request.options) <= {"water", "juice"}
