# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""No phrase, name or id of the evaluation data is in what the packages ship: code, comments and resources.

EB-ALFRED's instructions are in no test and no page either: rules that are tested with them would be made for them. Five
words are what a household's instructions share by chance ("and put it in the"), unless two of them are said of few
things only; six hardly ever: of 1,059 runs of six words four were in this repository when this was written.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import karma_eval
from karma_language.vocabulary.terms import STOP_WORDS

DATA = Path(os.environ.get("KARMA_DATA", "nowhere"))
SOURCES = Path(karma_eval.__file__).parents[2]
LENGTH = 4
"""Words of a phrase."""
INSTRUCTED = 5
"""Words of a phrase of an instruction, which names few things."""
LEAST = 2
"""Of them, that say something which isn't said in every home."""
GENERAL = """
next each other together side back up down table tables chest drawers bed counter couch shelf shelves cabinet chair
kitchen room living dining bedroom office place put move bring set part drink eat object semantics user pattern
"""
"""Words of every home, and of the papers."""
TEXTS = {".py", ".md", ".json", ".yaml", ".txt"}
OF_THE_PAPER = {"noise_tables.json"}
"""Tables 24, 25 and 27, which the evaluation asks about."""

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="KARMA_DATA does not name the folder with memento/, pahf/ and eb_alfred/"
)


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9']+", text.lower())


def phrases(text: str, length: int = LENGTH, least: int = LEAST) -> Iterator[tuple[str, ...]]:
    said, general = words(text), GENERAL.split()
    for at in range(len(said) - length + 1):
        phrase = tuple(said[at : at + length])
        if sum(word not in STOP_WORDS and word not in general for word in phrase) >= least:
            yield phrase


def instructed(text: str) -> Iterator[tuple[str, ...]]:
    """Return five words of which two say something, and six whatever they say."""
    yield from phrases(text, INSTRUCTED)
    yield from phrases(text, INSTRUCTED + 1, least=0)


@pytest.fixture(scope="module")
def memento() -> list[dict]:
    files = sorted((DATA / "memento/data/datasets").glob("*.json"))
    return [episode for file in files for episode in json.loads(file.read_text())["episodes"]]


@pytest.fixture(scope="module")
def pahf() -> list[dict]:
    return [scenario for file in sorted((DATA / "pahf").rglob("*.json")) for scenario in json.loads(file.read_text())]


@pytest.fixture(scope="module")
def eb_alfred() -> list[str]:
    files = sorted((DATA / "eb_alfred/splits").glob("*.json"))
    return [task["task description"] for file in files for task in json.loads(file.read_text())]


@pytest.fixture(scope="module")
def written(shipped) -> dict[str, str]:
    """Return path → text of what is shipped, of all tests and of all pages."""
    root = SOURCES.parents[1]
    files = [*SOURCES.glob("*/test/**/*"), *root.glob("tests/**/*"), *root.glob("docs/**/*.md"), *root.glob("*.md")]
    texts = {str(f.relative_to(root)): f.read_text("utf-8") for f in files if f.suffix in TEXTS}
    assert len(texts) > 150
    return shipped | texts


@pytest.fixture(scope="module")
def shipped() -> dict[str, str]:
    """Return path → text of all that is shipped, and shown by no test."""
    found = {}
    for file in sorted(SOURCES.glob("*/*/**/*")):
        if file.is_file() and not {"test", "__pycache__"} & set(file.parts) and file.name not in OF_THE_PAPER:
            found[str(file.relative_to(SOURCES))] = file.read_bytes().decode("utf-8", "ignore")
    assert len(found) > 300
    return found


def of_metadata(episode: dict) -> Iterator[str]:
    """Return captions and what is to be remembered."""
    told = episode["metadata"]
    memories = told.get("memory") or ()
    yield from [memories] if isinstance(memories, str) else memories
    for key in ("target_objects", "distractors"):
        for item in told.get(key) or ():
            yield from (str(one.get("caption") or "") for one in (item if isinstance(item, list) else [item]))


def test_no_phrase(memento, pahf, shipped):
    known = {phrase for e in memento for text in (e["instruction"], *of_metadata(e)) for phrase in phrases(text)}
    known |= {
        phrase for s in pahf for text in (s["task"], s["context"], *s["scene_objects"]) for phrase in phrases(text)
    }
    assert len(known) > 1000
    found = {
        f"{name}: {' '.join(phrase)}"
        for name, text in shipped.items()
        for line in text.splitlines()
        for phrase in phrases(line)
        if phrase in known
    }
    assert found == set()


def test_no_phrase_of_an_instruction(eb_alfred, written):
    known = {phrase for text in eb_alfred for phrase in instructed(text)}
    assert len(known) > 1000
    found = {
        f"{name}: {' '.join(phrase)}"
        for name, text in written.items()
        for line in text.splitlines()
        for phrase in instructed(line)
        if phrase in known
    }
    assert found == set()


def test_no_id_of_scenes_and_models_and_no_name_of_a_user(memento, pahf, shipped):
    ids = {e["scene_id"] for e in memento} | {
        handle.split("_:")[0] for e in memento for handle in e["name_to_receptacle"]
    }
    ids = {name for name in ids if re.search(r"\d", name) and len(name) > 5} | {s["user"] for s in pahf}
    assert len(ids) > 200
    found = {f"{name}: {word}" for name, text in shipped.items() for word in set(re.findall(r"[\w-]+", text)) & ids}
    assert found == set()
