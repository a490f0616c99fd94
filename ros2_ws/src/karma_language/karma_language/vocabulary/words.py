# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Closed classes of English words, and the base forms of its verbs."""

from __future__ import annotations

import re

from karma_language.things import Relation
from karma_language.vocabulary.terms import singular


def each(words: str, separator: str | None = None) -> tuple[str, ...]:
    """Return the words of a line."""
    return tuple(words.split(separator))


def _forms(table: str) -> dict[str, str]:
    """Return word → base of a table of lines such as "take: took taken"."""
    pairs = (line.partition(":") for line in table.strip().splitlines())
    return {word: base.strip() for base, _, words in pairs for word in words.split()}


PERSONS = frozenset(each("i we he she they you somebody someone anybody anyone nobody everybody everyone people"))
AUXILIARIES = {
    **dict.fromkeys(each("is are was were am"), "is"),
    **dict.fromkeys(each("do does"), "do"),
    **dict.fromkeys(each("has have had"), "have"),
    **dict.fromkeys(each("can could may might"), "can"),
    **dict.fromkeys(each("will would"), "will"),
    **dict.fromkeys(each("should shall must ought"), "should"),
    "did": "did",
}
"""Auxiliary verbs, without their person and mostly without their tense."""
ADVERBS = frozenset(
    each(
        "still already ever just actually currently really exactly again please recently lately usually normally always"
        " probably maybe perhaps properly completely yet too either then now else together also anyway though so"
        " anyhow anymore altogether last first be been being safely"
    )
)
"""What a question can do without, and "be", which no frame needs beside another verb."""
QUESTION_WORDS = frozenset(each("what when who whom whose which how where why whether"))
_LINKS = frozenset(
    each(
        "and or but if that there here to from of with off out up down into onto ago left anywhere somewhere anything"
        " something everything nothing not than as for about because while since until first it them bigger larger held"
    )
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
    each(
        "the a an any some all every each this that these those another other both enough more several few"
        " my our your his her their its no"
    )
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
    leave: left leaving
    feed: fed
    send: sent
    sweep: swept
    lay: laid
    set: set
    put: put
    hear: heard
    wake: woke woken
    feel: felt
    think: thought
    mean: meant
    come: came
    write: wrote written
    wear: wore worn
    drive: drove driven
    draw: drew drawn
    sleep: slept
    speak: spoke spoken
    stick: stuck
    ring: rang rung
    smell: smelt
    stink: stank stunk
    """
)
"""Irregular forms of verbs → base forms."""
STATES = {
    **dict.fromkeys(each("on|switch on|turn on|run|light|burn|play|plug in", "|"), "on"),
    **dict.fromkeys(each("off|switch off|turn off|out", "|"), "off"),
    **dict.fromkeys(each("open|ajar|open up|unlock|wide open", "|"), "open"),
    **dict.fromkeys(each("close|shut|lock", "|"), "closed"),
    **dict.fromkeys(each("clean|wash|wash up|rinse|wipe|spotless|tidy", "|"), "clean"),
    **dict.fromkeys(each("dirty|soil|unwashed|stain|filthy", "|"), "dirty"),
    **dict.fromkeys(each("full|fill|fill up", "|"), "full"),
    **dict.fromkeys(each("empty", "|"), "empty"),
    **dict.fromkeys(each("break|crack|smash|damage|in pieces", "|"), "broken"),
    **dict.fromkeys(each("whole|intact|in one piece|undamaged", "|"), "whole"),
    **dict.fromkeys(each("slice|cut|cut up|chop|chop up|slice up", "|"), "sliced"),
    **dict.fromkeys(each("cook|do|fry|boil|toast|bake|roast", "|"), "cooked"),
    **dict.fromkeys(each("hot|warm|heat|warm up|heat up", "|"), "hot"),
    **dict.fromkeys(each("cold|cool|chill|cool down", "|"), "cold"),
}
"""Adjectives, and base forms of verbs whose participle says so, → state."""
LIE = frozenset(
    each(
        "lie sit stand hide locate hang put place keep store leave stay go get end belong live suppose find see spend"
        " pile miss lose use gather remain"
    )
)
"""Verbs that say that something is somewhere."""
PARTICLES = "on|off|up|away|out|down|over|back"
PEOPLE = frozenset(
    each(
        "mother mum mom father dad brother sister wife husband son daughter child children kid kids friend partner boss"
        " grandmother grandma granny grandfather grandpa granddad grandad aunt uncle cousin niece nephew parents"
        " girlfriend boyfriend flatmate roommate neighbour neighbor dentist doctor"
    )
)
"""Words for people: what is known of them was told."""
HOME = frozenset(each("house home flat apartment"))
"""Words for the whole of what the memory knows."""
GENERIC = frozenset(each("anything everything something stuff thing things item items object objects tool tools"))
"""Nouns for anything."""
PLAIN_ADJECTIVES = frozenset(
    each(
        "big small large little tiny huge tall short long wide round square rectangular old new nice good wooden metal"
        " plastic glass fresh dry whole raw ripe extra spare favorite favourite usual own same proper closest nearest"
        " main entire several biggest largest smallest tallest heavy soft hard sharp transparent open empty full intact"
        " broken appropriate available convenient designated safe suitable few last first left right middle bottom top"
        " upper lower metallic nearby ordinary regular shallow deep flat"
    )
)
"""Adjectives that are common at home and name no thing."""
PARTS = frozenset(
    each(
        "back edge side top bottom corner middle center centre end front surface inside rest lid base foot head part"
        " door tank"
    )
)
"""Parts of a thing that stand for it: "the top of the fridge"."""
GROUPS = frozenset(
    each(
        "set sets pair pairs bunch group collection kind type sort bit stack pile bundle roll rolls bar bars amount"
        " couple lot head heads loaf rest"
    )
)
"""Words before "of" that say nothing of what it is: "a set of plates"."""
PORTIONS = frozenset(each("slice slices piece pieces chunk chunks wedge wedges section sections bit bits"))
LIQUIDS = frozenset(
    each("water coffee tea wine milk juice soup oil beer lemonade cocoa chocolate broth liquid sugar rice cereal")
)
"""What is poured into vessels."""
ENDS = PERSONS | QUESTION_WORDS | _LINKS | ADVERBS | set(AUXILIARIES) | {p.split()[0] for p in PLACED}
"""Words that no noun phrase goes beyond."""
TELLING = frozenset(
    each(
        "want need like love hate have had got feel think know said told changed mean guess hope live"
        " work go come went came"
        " stink look seem taste smell call died broke spilled bought gave made put took left lost found"
        " died hurt forgot hear"
    )
)
"""Verbs of what is told, also in their past."""
_MONOSYLLABLE = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")
_SILENT = re.compile(r".*(?:[cvuz]|[aeiou]s|[rn]s|[lr]g|[bcdgkpt]l|dg)")


def base_form(verb: str) -> str:
    """Return the base form of a verb, with its particle: "switched on" → "switch on"."""
    word, _, particle = verb.partition(" ")
    return f"{BASES.get(word) or _regular(word)} {particle}".strip()


_SAYS_NOTHING = ENDS | DETERMINERS


def content_words(text: str) -> frozenset[str]:
    """Return the words that say something, in base form: "When are the bins collected?" has bin and collect."""
    words = re.findall(r"[^\W_]+", re.sub(r"['’](?:s|re|ve|m|d|ll|t)\b", "", text.casefold()))
    return frozenset(singular(base_form(word)) for word in words if word not in _SAYS_NOTHING)


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


WEEKDAYS = each("monday tuesday wednesday thursday friday saturday sunday")
MONTHS = each("january february march april may june july august september october november december")
_ORDINALS = each(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth twentieth"
)
DAYS = {word: day for day, word in enumerate(_ORDINALS, 1)} | {"thirtieth": 30, "thirty-first": 31, "thirty first": 31}
DAYS |= {f"twenty{mark}{word}": 20 + DAYS[word] for word in _ORDINALS[:9] for mark in "- "}
"""The days of a month as words → numbers."""
TITLES = ["Dr", "Mr", "Mrs", "Ms", "Prof", "St"]
"""Abbreviations after which a full stop ends no sentence."""
SENTENCE_END = r"(?<=[.!?;])" + "".join(rf"(?<!\b{title}\.)" for title in TITLES) + r"\s+"
"""Pattern of what parts two sentences: "Mrs. Olsen" is in one."""


_MEANT = re.compile(r"^\[(?P<thing>[^\]]+)\] ")


def noted(text: str) -> tuple[str, str]:
    """Return what a pronoun of something told means, as it is noted before the words, "" for nothing; and the words."""
    meant = _MEANT.match(text)
    return (meant["thing"], text[meant.end() :]) if meant is not None else ("", text)
