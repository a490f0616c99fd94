# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Utilization episodes made harder, as in MEMENTO's appendix E.4: three memories, hints, another place this time.

The paper's tasks of this sort are not public. These are made by rule from the utilization episodes, so that nobody
chose them; hints (E.4.2) replace what people wrote by hand there.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from karma_eval.memento.house import FLAT
from karma_eval.memento.places import Places, kind
from karma_eval.memento.task_data import Episode, Instruction, Memento, Thing, Truth
from karma_language.arranging.places import PlaceWords
from planner_node.plan.arranging.requests import read_request

SEED = 0
LINKS = ("Then, ", "After that, ", "Additionally, ")
TRIPLES = 7
"""Of a scene; the paper has 41 in all."""
DRAWS = 200
"""Of three episodes, until there are so many that don't get into each other's way."""
PATTERN = "user_pattern"

_FRAME = re.compile(
    r"^(?:(?:can|could|would|will) you )?(?:please )?[a-z]+ (?:up )?(?P<rest>.*?)[.?!]*$", re.IGNORECASE
)
_AS_USUAL = re.compile(
    r",? (?:as (?:I )?usual(?:ly do)?|for me|where I usually .*|in (?:its|their) usual \w+)$", re.IGNORECASE
)
_FOR = re.compile(r"^(?P<what>.*?)\bfor (?P<occasion>.*)$")
SAID_OTHERWISE: Mapping[str, str] = {
    "gift": "present",
    "gifted": "presented",
    "friend": "pal",
    "grandmother": "grandma",
    "grandfather": "grandpa",
    "mother": "mom",
    "father": "dad",
    "favorite": "best-loved",
    "favourite": "best-loved",
    "preferred": "best-loved",
    "usual": "customary",
    "childhood": "early-years",
    "travel": "trip",
    "souvenir": "memento",
    "heirloom": "keepsake",
    "lucky": "good-luck",
    "cherished": "beloved",
    "special": "dear",
    "essentials": "basics",
    "collection": "ensemble",
    "work": "job",
    "cozy": "snug",
    "decorative": "ornamental",
}
"""Words for what things mean to people, and others for the same."""


def joined_text(texts: Sequence[str], draw: random.Random) -> str:
    """Return one instruction that asks for several things one after the other."""
    first, *others = texts
    return " ".join([first, *(draw.choice(LINKS) + text[:1].lower() + text[1:] for text in others)])


def three_memories(data: Memento) -> tuple[Episode, ...]:
    """Join three single-memory episodes of a scene, whose objects are different ones (E.4.1)."""
    draw = random.Random(SEED)  # noqa: S311 - a sample, no secret
    found: list[Episode] = []
    for scene in sorted(data.rooms):
        of_scene = [e for e in data.stages["single"] if e.instruction.scene == scene]
        made: dict[str, Episode] = {}
        for _ in range(DRAWS if len(of_scene) > 3 else 0):
            episode = _joined(draw.sample(of_scene, 3), draw)
            if episode is not None and len(made) < TRIPLES:
                made[episode.instruction.episode] = episode
        found += made.values()
    return tuple(found)


def hinted(data: Memento) -> tuple[Episode, ...]:
    """Say in single-memory instructions by hints what was said outright (E.4.2)."""
    return tuple(_told(e, hint(e.instruction.text, e.truth.kind), "hinted") for e in data.stages["single"])


def hint(text: str, sort: str) -> str:
    """Return an instruction with an occasion in place of the request, or with other words for what things mean."""
    match = _FRAME.match(text)
    if sort != PATTERN or match is None:
        return _said_otherwise(text)
    rest = _said_otherwise(_AS_USUAL.sub("", match["rest"]))
    if (told := _FOR.match(rest)) is not None:
        what = told["what"].strip() or "things"
        return f"It's time for {told['occasion']}. Could you get {what} ready the way I like it?"
    return f"I'm thinking of {rest}. Could you get things ready the way I like it?"


def _said_otherwise(text: str) -> str:
    return re.sub(r"[a-z]+", lambda word: SAID_OTHERWISE.get(word[0], word[0]), text)


def elsewhere(data: Memento, scenes: Mapping[str, Places]) -> tuple[Episode, ...]:
    """Ask for patterns of one place at another place of the house "this time" (E.4.3).

    Patterns whose things all end on the same furniture, and whose instruction names no place; the new place is the only
    one of its sort in its room, so that there is no doubt about it.
    """
    draw = random.Random(SEED)  # noqa: S311 - a sample, no secret
    found = []
    for episode in data.stages["single"]:
        places = scenes[episode.instruction.scene]
        goals = [p for p in episode.truth.propositions if p["function_name"] == "is_on_top"]
        handles = {frozenset(p["args"]["receptacle_handles"]) for p in goals}
        if episode.truth.kind != PATTERN or len(handles) != 1 or _names_place(episode.instruction.text, places):
            continue
        free = _clear_places(places, places.resolve(*handles))
        if not free or not _in_one_go(episode):
            continue
        room, furniture = draw.choice(free)
        text = f"{episode.instruction.text.rstrip('.?! ')}, on the {_said(furniture)} in the {_said(room)} this time?"
        propositions = tuple(_at(p, furniture) for p in episode.truth.propositions)
        truth = replace(episode.truth, propositions=propositions)
        found.append(replace(_told(episode, text, "elsewhere"), truth=truth))
    return tuple(found)


def known_by_name(places: Places) -> Places:
    """Return the same places, whose furniture is a handle, too: that of `elsewhere`."""
    names = {name: name for names in places.rooms.values() for name in names}
    return replace(places, furniture={**places.furniture, **names})


def _told(episode: Episode, text: str, stage: str) -> Episode:
    return replace(episode, instruction=replace(episode.instruction, text=text, stage=stage))


def _said(name: str) -> str:
    return kind(name).replace("_", " ")


def _at(proposition: Mapping[str, Any], furniture: str) -> Mapping[str, Any]:
    if proposition["function_name"] != "is_on_top":
        return proposition
    return {**proposition, "args": {**proposition["args"], "receptacle_handles": [furniture]}}


def _names_place(text: str, places: Places) -> bool:
    words = PlaceWords(places.rooms)
    request = read_request(text, words, lambda one, other: float(one == other))
    return bool(request.topics) or any(move.to or move.source for move in request.moves)


def _in_one_go(episode: Episode) -> bool:
    """Whether things only have to be put somewhere, next to each other or not, in any order."""
    things = {thing.handle for thing in episode.things}
    simple = all(
        p["function_name"] == "is_on_top"
        or (p["function_name"] == "is_next_to" and set(p["args"]["entity_handles_b"]) <= things)
        for p in episode.truth.propositions
    )
    return simple and not any(constraint["args"].get("dag_edges") for constraint in episode.truth.constraints)


def _clear_places(places: Places, now: frozenset[str]) -> list[tuple[str, str]]:
    """Return (room, furniture) that "the FURNITURE in the ROOM" means without doubt, and where nothing is now."""
    sorts = [(kind(room), kind(name)) for room, names in places.rooms.items() for name in names]
    return [
        (room, name)
        for room, names in places.rooms.items()
        for name in names
        if kind(name) in FLAT and name not in now and sorts.count((kind(room), kind(name))) == 1
    ]


def _joined(parts: Sequence[Episode], draw: random.Random) -> Episode | None:
    """Return several episodes as one; None where they are about the same objects or differ in where these are."""
    goals = [_handles(part.truth.propositions) for part in parts]
    if len(frozenset.union(*goals)) < sum(map(len, goals)):
        return None
    things: dict[str, Thing] = {}
    for part, mine in zip(parts, goals, strict=True):
        for thing in part.things:
            known = things.get(thing.handle)
            if known is None:
                name = f"{thing.category}_{len(things)}"
                things[thing.handle] = replace(thing, name=name)
            elif known.receptacle != thing.receptacle and thing.handle in frozenset.union(*goals):
                return None
            elif not known.caption or thing.handle in mine:
                things[thing.handle] = replace(known, caption=thing.caption or known.caption)
    told = parts[0].instruction
    text = joined_text([part.instruction.text for part in parts], draw)
    name = "+".join(sorted(part.instruction.episode for part in parts))
    return Episode(Instruction(name, told.scene, "three", text), tuple(things.values()), _truths(parts))


def _handles(propositions: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    keys = ("object_handles", "entity_handles_a", "entity_handles_b")
    return frozenset(handle for p in propositions for key in keys for handle in p["args"].get(key) or ())


def _truths(parts: Sequence[Episode]) -> Truth:
    """Return what all parts ask for, one part after the other, as upstream joins two."""
    propositions: list[Mapping[str, Any]] = []
    dependencies: list[Mapping[str, Any]] = []
    constraints: list[Mapping[str, Any]] = []
    edges: list[list[int]] = []
    for part in parts:
        start = len(propositions)

        def moved(indices: Sequence[int], start: int = start) -> list[int]:
            return [start + index for index in indices]

        edges += [[before, start] for before in range(start)]
        propositions += part.truth.propositions
        for dependency in part.truth.dependencies:
            shifted = {key: moved(dependency[key]) for key in ("proposition_indices", "depends_on")}
            dependencies.append({**dependency, **shifted})
        for constraint in part.truth.constraints:
            args = dict(constraint["args"])
            if "dag_edges" in args:
                edges += [moved(edge) for edge in args["dag_edges"]]
                continue
            args["proposition_indices"] = moved(args["proposition_indices"])
            constraints.append({**constraint, "args": args})
    constraints.insert(0, {"type": "TemporalConstraint", "args": {"dag_edges": edges}})
    gold = tuple(episode for part in parts for episode in part.truth.gold)
    kinds = "+".join(sorted({part.truth.kind for part in parts}))
    return Truth(tuple(propositions), tuple(dependencies), tuple(constraints), kinds, gold)
