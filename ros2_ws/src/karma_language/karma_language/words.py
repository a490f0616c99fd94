# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Closed classes of English words, and the base forms of its verbs."""

from __future__ import annotations

import re

from karma_language.reading import Relation


def _forms(table: str) -> dict[str, str]:
    """Return word → base of a table of lines such as "take: took taken"."""
    pairs = (line.partition(":") for line in table.strip().splitlines())
    return {word: base.strip() for base, _, words in pairs for word in words.split()}


PERSONS = frozenset("i we he she they you somebody someone anybody anyone nobody everybody everyone people".split())
AUXILIARIES = {
    **dict.fromkeys("is are was were am".split(), "is"),
    **dict.fromkeys("do does".split(), "do"),
    **dict.fromkeys("has have had".split(), "have"),
    **dict.fromkeys("can could may might".split(), "can"),
    **dict.fromkeys("will would".split(), "will"),
    **dict.fromkeys("should shall must ought".split(), "should"),
    "did": "did",
}
"""Auxiliary verbs, without their person and mostly without their tense."""
ADVERBS = frozenset(
    "still already ever just actually currently really exactly again please recently lately usually normally always"
    " probably maybe perhaps properly completely yet too either then now else together also anyway though so"
    " last first be been being safely".split()
)
"""What a question can do without, and "be", which no frame needs beside another verb."""
QUESTION_WORDS = frozenset("what when who whom whose which how where why whether".split())
_LINKS = frozenset(
    "and or but if that there here to from of with off out up down into onto ago left anywhere somewhere anything"
    " something everything nothing not than as for about because while since until first it them bigger larger".split()
)
PLACED = {
    **dict.fromkeys(("on", "on top of", "upon", "onto", "atop"), Relation.ON),
    **dict.fromkeys(("in", "inside", "inside of", "into", "within"), Relation.IN),
    **dict.fromkeys(("under", "underneath", "below", "beneath"), Relation.UNDER),
    **dict.fromkeys(("near", "next to", "beside", "by", "close to", "around", "at", "near to"), Relation.NEAR),
    **dict.fromkeys(("left of", "to the left of", "on the left of"), Relation.LEFT_OF),
    **dict.fromkeys(("right of", "to the right of", "on the right of"), Relation.RIGHT_OF),
    **dict.fromkeys(("behind", "in back of"), Relation.BEHIND),
    **dict.fromkeys(("in front of",), Relation.IN_FRONT_OF),
}
"""Prepositions of place."""
DETERMINERS = frozenset(
    "the a an any some all every each this that these those another other both my our your his her their its no".split()
)
BASES = _forms(
    """
    take: took taken
    bring: brought
    get: got gotten
    give: gave given
    throw: threw thrown
    break: broke broken
    go: went gone
    see: saw seen
    find: found
    make: made
    do: done
    hold: held
    hide: hidden hid
    shut: shut
    light: lit
    say: said
    tell: told
    eat: ate eaten
    drink: drank drunk
    keep: kept
    lie: lay lying
    sit: sat
    stand: stood
    hang: hung
    run: ran
    know: knew known
    have: having
    lose: lost
    use: used
    fall: fell fallen
    steal: stole stolen
    forget: forgot forgotten
    spill: spilt
    burn: burnt
    begin: began begun
    meet: met
    buy: bought
    change: changed changing
    leave: leaving
    """
)
"""Irregular forms of verbs → base forms."""
STATES = {
    **dict.fromkeys("on|switch on|turn on|run|light|burn|play|plug in".split("|"), "on"),
    **dict.fromkeys("off|switch off|turn off|out".split("|"), "off"),
    **dict.fromkeys("open|ajar|open up|unlock|wide open".split("|"), "open"),
    **dict.fromkeys("close|shut|lock".split("|"), "closed"),
    **dict.fromkeys("clean|wash|wash up|rinse|wipe|spotless|tidy".split("|"), "clean"),
    **dict.fromkeys("dirty|soil|unwashed|stain|filthy".split("|"), "dirty"),
    **dict.fromkeys("full|fill|fill up".split("|"), "full"),
    **dict.fromkeys("empty".split("|"), "empty"),
    **dict.fromkeys("break|crack|smash|damage|in pieces".split("|"), "broken"),
    **dict.fromkeys("whole|intact|in one piece|undamaged".split("|"), "whole"),
    **dict.fromkeys("slice|cut|cut up|chop|chop up|slice up".split("|"), "sliced"),
    **dict.fromkeys("cook|do|fry|boil|toast|bake|roast".split("|"), "cooked"),
    **dict.fromkeys("hot|warm|heat|warm up|heat up".split("|"), "hot"),
    **dict.fromkeys("cold|cool|chill|cool down".split("|"), "cold"),
}
"""Adjectives, and base forms of verbs whose participle says so, → state."""
PARTICLES = "on|off|up|away|out|down|over|back"
PEOPLE = frozenset(
    "mother mum mom father dad brother sister wife husband son daughter child children kid kids friend partner boss"
    " grandmother grandma grandfather grandpa aunt uncle cousin neighbour neighbor parents dentist doctor".split()
)
"""Words for people: what is known of them was told."""
ENDS = PERSONS | QUESTION_WORDS | _LINKS | ADVERBS | {w for w in AUXILIARIES} | {p.split()[0] for p in PLACED}
"""Words that no noun phrase goes beyond."""
_MONOSYLLABLE = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")
_SILENT = re.compile(r".*(?:[cvuz]|[aeiou]s|[rn]s|[lr]g|[bcdgkpt]l|dg)")


def base_form(verb: str) -> str:
    """Return the base form of a verb, with its particle: "switched on" → "switch on"."""
    word, _, particle = verb.partition(" ")
    return f"{BASES.get(word) or _regular(word)} {particle}".strip()


def _regular(word: str) -> str:
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < 2 or not re.search("[aeiouy]", stem):
            continue
        if stem.endswith("i"):
            return stem[:-1] + "y"
        if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "sl":
            return stem[:-1]
        return stem + "e" if _MONOSYLLABLE.fullmatch(stem) or _SILENT.fullmatch(stem) else stem
    return word
