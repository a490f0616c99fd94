# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A small set of scenarios in PAHF's layout, made up for the tests: two users, eight situations, with drift."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FETCHED = "pick-up"
_SITUATIONS: list[tuple[str, str, str, str, list[str], list[str], int, int]] = [
    # context, mode, request to learn from, to test with, options then, options later, wanted, wanted after drift
    ("usual", FETCHED, "Could you bring me my usual breakfast?", "I'd like my usual breakfast, please.",
     ["porridge", "scrambled eggs", "waffles"], ["porridge", "scrambled eggs", "pancakes"], 0, 1),
    ("rain", FETCHED, "It is pouring outside. Could you bring me something to wear?",
     "The forecast says heavy rain. Could you bring me something to put on?",
     ["woollen coat", "rubber poncho", "porridge"], ["tweed coat", "rubber poncho", "porridge"], 0, 1),
    ("headache", FETCHED, "My head hurts. Could you bring me something that helps?",
     "I have a terrible headache. Could you bring me something for it?",
     ["ice pack", "hot water bottle", "waffles"], ["cooling pack", "hot water bottle", "waffles"], 1, 0),
    ("music", FETCHED, "Some music would be good. Could you bring me an instrument?",
     "Time to unwind and play a little. Could you bring me an instrument?",
     ["wooden flute", "snare drum", "porridge"], ["bamboo flute", "bass drum", "porridge"], 1, 0),
    ("cold", FETCHED, "I caught a cold. Could you bring me a blanket?",
     "I am shivering and sneezing. Could you bring me a blanket?",
     ["thin cotton blanket", "thick fleece blanket"], ["light linen blanket", "thick wool blanket"], 0, 1),
    ("read", "lamp", "This magazine is read. Could you put it in the right place?",
     "Enough of this comic. Could you put it in the right place?",
     ["window bench", "writing desk"], ["window bench", "writing desk"], 0, 1),
    ("garden", "shears", "I come from the garden. Could you put these shears away?",
     "The hedge is cut. Could you put the secateurs away?",
     ["garage shelf", "hall closet", "back porch"], ["garage shelf", "hall closet", "back porch"], 2, 0),
    ("guests", "cake", "Guests are coming for coffee. Could you put the cake in the right place?",
     "We expect visitors this afternoon. Could you put the tart in the right place?",
     ["garden table", "sideboard", "kitchen counter"], ["garden table", "sideboard", "kitchen counter"], 1, 2),
]  # fmt: skip
_THINGS = {"lamp": ("magazine", "comic"), "shears": ("shears", "secateurs"), "cake": ("cake", "tart")}


def write_home(folder: Path, renamed: Mapping[str, str] | None = None) -> Path:
    """Write the four files; `renamed`: words of users, objects and places → other words. Return the folder."""
    data = folder / "data" / "embodied" / "scenarios"
    data.mkdir(parents=True)
    for persona, evolved in (("original", False), ("evolved", True)):
        for name, later in (("A", False), ("B", True)):
            text = json.dumps(_scenarios(evolved=evolved, later=later))
            for word, other in (renamed or {}).items():
                text = re.sub(rf"\b{re.escape(word)}", f"\0{other}", text)
            (data / f"{persona}_scenarios_{name}.json").write_text(text.replace("\\u0000", "").replace("\0", ""))
    return folder


def _scenarios(*, evolved: bool, later: bool) -> list[dict[str, Any]]:
    """Return the scenarios of both users; the second one wants what the first one does not."""
    items = []
    for number, user in enumerate(("Ada", "Bo")):
        for context, kind, first, second, then, now, wanted, wanted_later in _SITUATIONS:
            options = now if later else then
            place = (wanted_later if evolved else wanted, wanted if evolved else wanted_later)[number]
            thing = "" if kind == FETCHED else _THINGS[kind][later]
            items.append(
                {
                    "index": len(items),
                    "scene": ", ".join(options),
                    "task": second if later else first,
                    "context": context,
                    "user": user,
                    "user_intent_object": thing or options[place],
                    "user_intent_location": options[place] if thing else FETCHED,
                    "scene_objects": [thing, *options] if thing else options,
                }
            )
    return items
