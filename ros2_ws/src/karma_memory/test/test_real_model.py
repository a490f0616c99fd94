# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The steps that a model in Ollama takes, with a real one that is too small for them: its answers are of the form."""

from typing import Literal

import pytest
from pydantic import BaseModel

from karma_memory.facts.offline import OfflineExtractor
from karma_memory.facts.ollama_extraction import OllamaExtractor
from karma_memory.ollama_chat import NoAnswerError, OllamaChat
from karma_memory.preferences.likeness import Likeness
from karma_memory.preferences.offline import OfflineLanguage
from karma_memory.preferences.ollama import OllamaLanguage

pytestmark = pytest.mark.slow
PATIENCE_S = 300.0


class Choice(BaseModel):
    fruit: Literal["apple", "pear"]


def test_an_answer_is_of_the_form(ollama_daemon):
    chat = OllamaChat(model=ollama_daemon.model, host=ollama_daemon.host, timeout=PATIENCE_S)
    assert chat.ask("Choose a fruit.", "apple or pear", Choice).fruit in ("apple", "pear")


def test_a_model_that_is_not_there_and_one_that_is_slow_are_no_answer(ollama_daemon):
    with pytest.raises(NoAnswerError, match=r"refused \(404\): model 'none' not found"):
        OllamaChat(model="none", host=ollama_daemon.host, timeout=PATIENCE_S).ask("x", "y", Choice)
    with pytest.raises(NoAnswerError, match="does not answer"):
        OllamaChat(model=ollama_daemon.model, host=ollama_daemon.host, timeout=0.01).ask("x", "y", Choice)


def test_what_it_reads_is_checked_against_what_there_is(ollama_daemon):
    at = {"model": ollama_daemon.model, "host": ollama_daemon.host, "timeout": PATIENCE_S}
    language = OllamaLanguage(OfflineLanguage(Likeness(None)), **at)
    request = language.read("ann", "Bring me a drink.", ["water", "juice"])
    assert set(request.options) <= {"water", "juice"}
    found = OllamaExtractor(OfflineExtractor(), **at).told("My sister's name is Ida.", 0.0)
    assert len(found.claims) <= 12
