# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Verbs of requests: base form → sense, which says which roles the verb has; what it asks for: phrases/frames.py."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from karma_language.vocabulary.words import base_form, each

_SENSES = {
    "put": "put, place, set, lay, pop, shove, stash, dump, plop, plonk, plunk, stuff, cram, mount, lodge, perch, drape,"
    " settle, stow, store, position, stick, rest, deposit, arrange, insert, load, relocate, hang, stack, tuck, slide,"
    " shift, prop, situate, organize, organise, align, lean, transfer, move, drop, sit, stand, replace, add, pile, tip,"
    " dunk, leave, keep, hide, display, push, roll, file, swap, change the position of, change the positions of,"
    " change the place of, change the places of, change the location of, change the locations of",
    "return": "return",
    "tidy": "tidy, pack, clear, sort",
    "bring": "bring, carry, deliver, haul, lug, tote, transport, serve",
    "take": "take",
    "get": "get, fetch, grab, retrieve, collect, hold, obtain, lift, remove, acquire, seize, gather, snatch, grasp,"
    " grip, clutch, pluck, nab, pick, raise, fish, dig, pull,"
    " take hold of, get hold of, keep hold of, keep a firm hold of, hold on to, hang on to, hold onto,"
    " maintain a grip on, keep a grip on, keep holding",
    "give": "give, hand, pass, lend, reach, show",
    "clean": "clean, wash, rinse, scrub, wipe, scour, sanitize, sanitise, disinfect, launder, cleanse, soap",
    "heat": "heat, warm, cook, microwave, reheat, boil, bake, defrost, thaw, nuke, zap, fry, roast",
    "toast": "toast",
    "cool": "cool, chill, refrigerate, freeze",
    "slice": "slice, cut, chop, dice, carve, halve, mince",
    "break": "break, smash, shatter, crack",
    "open": "open, unlock",
    "close": "close, shut, lower",
    "switch": "turn, switch, flip, flick, power, toggle",
    "start": "start, activate, ignite, illuminate, light, run",
    "stop": "deactivate, extinguish, kill, douse, blow, snuff, stop",
    "look": "examine, inspect, view, read, observe, study, scrutinize, look, peek, glance, gaze, peer, watch",
    "explore": "explore, scan, learn, get to know, learn your way",
    "check": "check, try",
    "find": "find, locate, seek, track",
    "search": "search, hunt, rummage",
    "go": "go, walk, drive, navigate, head, come, travel, approach, make your way, position yourself, place yourself,"
    " move yourself",
    "throw": "throw, toss, hurl, fling, lob, chuck",
    "discard": "discard, dispose, trash, bin, ditch, junk, get rid of",
    "fill": "fill, refill, top",
    "pour": "pour",
    "empty": "empty, drain",
    "wait": "wait, pause",
    "use": "use",
}
VERBS: dict[str, str] = {verb: sense for sense, verbs in _SENSES.items() for verb in each(verbs, ", ")}
"""Base form → sense."""
UNSKILLED = frozenset(
    each(
        "sing dance play tell water vacuum sweep dust polish iron fold mop lock knock ring call phone text write draw"
        " paint buy order drive fly jump run swim lick kiss hug feed walk brush comb shave make prepare brew bake"
        " build fix repair mend sew knit kill hit kick punch shoot stab burn spray scratch massage teach"
        " translate calculate count remind record film flush lie sleep wake dress undress stir mix peel grate blend"
        " whisk season butter spread book hoover plug unplug charge swap exchange measure weigh guard follow"
    )
)
"""Verbs that people use of a robot at home and that no skill does, beside those that a sentence shows to be one."""
_LONGEST = max(len(verb.split()) for verb in VERBS)
_FIRST = {verb.split()[0] for verb in VERBS}


@dataclass(frozen=True)
class Verb:
    """A verb in a text."""

    base: str
    sense: str
    """"" for a verb that no skill does."""
    form: str
    """base, ing or past."""
    length: int
    """Words."""


def verb_at(words: Sequence[str], at: int) -> Verb | None:
    """Return the verb that begins at a word, the longest one; None for none."""
    if at >= len(words):
        return None
    base = base_form(words[at])
    form = "base" if base == words[at] or words[at] in _FIRST else "ing" if words[at].endswith("ing") else "past"
    first = words[at] if form == "base" else base
    if first in ("have", "take") and list(words[at + 1 : at + 2]) == ["a"]:  # "have a good LOOK"
        nouns = (n for n in (3, 4) if VERBS.get("".join(words[at + n - 1 : at + n])) in ("look", "search"))
        length = next(nouns, 0)
        if length:
            return Verb(" ".join(words[at : at + length]), VERBS[words[at + length - 1]], form, length)
    for length in range(min(_LONGEST, len(words) - at), 0, -1):
        verb = " ".join((first, *words[at + 1 : at + length]))
        if verb in VERBS:
            return Verb(verb, VERBS[verb], form, length)
    return Verb(first, "", form, 1) if first in UNSKILLED else None


def verb_form(word: str) -> tuple[str, str] | None:
    """Return the base form of a verb that a skill serves, and its form; None for other words."""
    verb = verb_at((word,), 0)
    return (verb.base, verb.form) if verb is not None and verb.sense else None


def is_known(phrase: str) -> bool:
    """Whether a phrase begins with a verb that is known, whether or not a skill serves it; "" is."""
    first = phrase.partition(" ")[0]
    return first in UNSKILLED | _FIRST | {""}


def sense_of_first(text: str) -> str:
    """Return the sense of the verb that a text begins with, "" where it begins with none that a skill serves."""
    verb = verb_at(re.findall(r"[a-z]+", text.casefold()), 0)
    return verb.sense if verb is not None else ""
