# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Every kind of small talk has its friendly line."""

from karma_language.dialogue.social import friendly
from karma_language.questions.sentence_classifier import SOCIAL
from karma_language.reading import Social


def test_every_kind_of_small_talk_has_a_line_of_its_own() -> None:
    lines = {friendly(Social.model_validate({"quote": "hi", "kind": kind})) for kind in SOCIAL}
    assert len(lines) == len(SOCIAL) == 8
