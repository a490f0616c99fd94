# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The English that instructions are made of, apart from the names of things: english.yaml as tables."""

from __future__ import annotations

from importlib.resources import files

import yaml

_DATA = yaml.safe_load(files("planner_node.understand").joinpath("english.yaml").read_text(encoding="utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_DATA["lists"][name])


VERBS: dict[str, str] = {verb: sense for sense, verbs in _DATA["verbs"].items() for verb in verbs}
"""Base form → what it asks for."""

PHRASAL: dict[tuple[str, ...], tuple[str, ...]] = {}
"""Further words of a verb of several words → the base forms that it may begin with."""
for _verb in VERBS:
    _first, *_further = _verb.split()
    if _further:
        PHRASAL[tuple(_further)] = (*PHRASAL.get(tuple(_further), ()), _first)

PAST: dict[str, str] = _DATA["participles"]
"""Irregular participle → base form, for "once you have ..."."""

PREPOSITIONS: dict[str, str] = {word: relation for relation, words in _DATA["prepositions"].items() for word in words}
"""Words → relation: on, in, to, near, behind, under, turned, from, with, for, of."""

NUMBERS: dict[str, int] = _DATA["numbers"]
DETERMINERS = _words("determiners")
PRONOUNS = _words("pronouns")
EVERY = _words("every")
OTHER = _words("other")
GENERIC = _words("generic")
PARTS = _words("parts")
LOCATIONS = _words("locations")
BEING = _words("being")
GROUPS = _words("groups")
PORTIONS = _words("portions")
PARTICLES = _words("particles")
CONJUNCTIONS = _words("conjunctions")
SEQUENCE = _words("sequence")
PRELUDES = _words("preludes")
"""Words that begin a remark before the request, up to a comma."""

FINITE = _words("finite")
"""Verbs with which something is said of a gerund: "putting them there HELPS"."""

REMARKS = _words("remarks")
"""Words with which a sentence begins that asks for nothing."""

POLITE = _words("polite")
IGNORED = _words("ignored")
"""Words that change nothing where they stand alone."""

ADDITIVES = _words("additives")
"""Words that say that something is asked for beside something else: "the plate, TOO"."""

ADDING = _words("adding")
"""Conjunctions that say so: "ALONG WITH the plate"."""

TELLING = _words("telling")
"""Words with which something is told of a thing: "the milk IS sour"."""

SAFE_ADJECTIVES = _words("safe_adjectives")
"""Adjectives that do not tell one category from another."""

NEGATIONS = _words("negations")
"""Words that deny, besides further ones that end in -n't."""

CONDITIONS = _words("conditions")
