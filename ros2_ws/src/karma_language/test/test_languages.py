# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""In which language something is said."""

from __future__ import annotations

import subprocess
import sys

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
        ("Can Anna eat nuts?", "en"),
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


def test_on_a_full_disk_everything_is_english_until_there_is_room() -> None:
    """A limit on the size of files is a full disk to what writes one."""
    code = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "from karma_language.vocabulary.languages import language_of;"
        "none, most = resource.getrlimit(resource.RLIMIT_FSIZE);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, most)); print(language_of('Tengo hambre'));"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (none, most)); print(language_of('Tengo hambre'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["en", "es"]
    assert "taken for English" in done.stderr
