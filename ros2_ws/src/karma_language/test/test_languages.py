# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""In which language something is said."""

from __future__ import annotations

import pytest

from karma_language.vocabulary.languages import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("put the mug on the shelf", "en"),
        ("The pen.", "en"),
        ("", "en"),
        ("12", "en"),
        ("Much obliged", "en"),
        ("her name's Lily, she turns two in October", "en"),
        ("I root for Leeds, Lea for Arsenal", "en"),
        ("Räum bitte das Brot in den Kühlschrank", "de"),
        ("Tengo hambre", "es"),
        ("Où est mon téléphone portable ?", "fr"),
        ("Porta il libro sul divano, per favore", "it"),
        ("テレビを消して", "ja"),
        ("שים את הספל על המדף", "he"),
    ],
)
def test_the_language_is_named(text: str, language: str) -> None:
    assert language_of(text) == language
