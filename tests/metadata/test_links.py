# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the pages link to within the repository is there: files, and titles in pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives the titles of a page."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_leads_somewhere(page: Path) -> None:
    for name, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        target = page.parent / name if name else page
        assert target.exists(), f"{page.name}: {name}"
        assert not anchor or anchor in anchors(target), f"{page.name}: {name}#{anchor}"


def test_every_page_and_picture_is_linked_to() -> None:
    linked = {(page.parent / name).resolve() for page in PAGES for name, _ in LINK.findall(page.read_text("utf-8"))}
    assert {*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "images").iterdir()} <= linked


def test_the_map_of_the_code_names_what_is_there() -> None:
    text = (ROOT / "docs" / "code.md").read_text(encoding="utf-8")
    packages = [folder.parent for folder in (ROOT / "ros2_ws" / "src").glob("*/package.xml")]
    named = re.findall(rf"`((?:{'|'.join(p.name for p in packages)}|tests)/[^`*]*)`", text)
    assert len(named) > 80
    sources = ROOT / "ros2_ws" / "src"
    assert [n for n in named if not any((d / n).exists() for d in (ROOT, sources, sources / n.split("/")[0]))] == []
