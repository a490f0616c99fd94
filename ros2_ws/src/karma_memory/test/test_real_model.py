# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The steps that a model takes, with a real one that is too small for them: its answers are of the form."""

import pytest

from karma_language.models import Limits, Model
from karma_memory.facts.model_extraction import ModelExtractor
from karma_memory.facts.offline import OfflineExtractor
from karma_memory.preferences.likeness import Likeness
from karma_memory.preferences.model_language import ModelLanguage
from karma_memory.preferences.offline import OfflineLanguage

pytestmark = pytest.mark.slow
PATIENCE_S = 300.0


def test_what_it_reads_is_checked_against_what_there_is(ollama_daemon):
    model = Model(ollama_daemon.model, url=ollama_daemon.host, limits=Limits(first=PATIENCE_S, total=PATIENCE_S))
    language = ModelLanguage(OfflineLanguage(Likeness(None)), model)
    request = language.read("ann", "Bring me a drink.", ["water", "juice"])
    assert set(request.options) <= {"water", "juice"}
    found = ModelExtractor(OfflineExtractor(), model).told("My sister's name is Ida.", 0.0)
    assert len(found.claims) <= 12
