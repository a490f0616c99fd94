# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Other names for the users, scenes and objects of a data set, the same throughout: what is known is not the names.

Names are renamed word by word, so that what two names have in common stays in common. A seed draws the new words: other
everyday nouns, or words that don't exist, of which nobody can know what they mean.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, TypeVar

import click

from karma_language.vocabulary.terms import singular

Function = TypeVar("Function", bound=Callable[..., object])

NOUNS = """
anvil harp kite parasol tambourine trombone banjo accordion helmet bandana mitten sandal poncho scooter
skateboard telescope microscope magnet marble globe easel thimble bobbin ukulele tripod satchel locket tiara
kimono tuba gong drone thermometer barometer walnut mango papaya melon turnip pumpkin avocado coconut
croissant bagel muffin pretzel waffle burrito paperweight tankard goblet amulet boomerang catapult chisel
crayon crowbar dartboard domino earmuff figurine funnel gauntlet harmonica hourglass javelin kazoo lasso loom
mandolin marionette medallion metronome oar pebble pendulum pinwheel puppet quilt rattle ribbon saxophone
sickle sled sombrero spade stethoscope suitcase tassel toolbox trowel trumpet tugboat turban typewriter velvet
wagon whistle yoyo zither acorn almond apricot artichoke beetroot biscuit blueberry broccoli
"""
"""Everyday nouns with a regular plural."""
_ONSETS = ("b", "d", "f", "g", "l", "m", "n", "p", "r", "t", "v", "z", "br", "dr", "gr", "pl", "tr")
_VOWELS, _CODAS = "aeiou", "bdglmnpt"
_MODAL = frozenset({"can", "will", "may", "might", "must"})
"""Nouns that are small words, too."""
_MODAL_BESIDE = re.compile(r"^\s+(?:you|we|i|be|it|they|also|please|help)\b", re.IGNORECASE)


def rename_options(function: Function) -> Function:
    """Make the options --rename and --invented of an evaluation."""
    seed = click.option("--rename", "rename", type=int, metavar="SEED", help="Give everything other names, drawn so.")
    made_up = click.option("--invented", is_flag=True, help="With --rename: names that don't exist, no other nouns.")
    return seed(made_up(function))


class Renaming:
    """Renames the words of names. The same seed, names and `kept` give the same words."""

    def __init__(self, names: Iterable[str], seed: int, *, kept: Iterable[str] = (), invented: bool = False) -> None:
        """Draw new words.

        `names`: of objects; `kept`: texts whose words stay what they are and are no new names either; `invented`: draw
        words that do not exist, and not only where there are not enough nouns.
        """
        draw = random.Random(seed)  # noqa: S311 - no secret
        stay = {singular(word) for text in kept for word in _words(text)}
        old = sorted({singular(word) for name in names for word in _words(name)} - stay)
        taken = stay | set(old)
        free: Iterator[str] = (word for word in _invented(draw) if word not in taken)
        if not invented:
            drawn = [word for word in NOUNS.split() if singular(word) not in taken]
            draw.shuffle(drawn)
            free = chain(drawn, free)
        self.words = {word: next(free) for word in old}
        """Old word → new word, in the singular."""
        self._seed = seed
        self.figures: dict[str, Any] = {"seed": seed, "invented": invented, "words": len(old)}
        """For the JSON."""
        self.note = (
            f"Renamed with seed {seed}: what has its name by chance (users, scenes, episodes), and {len(old)} words of "
            f"what objects are called, which are {'words that do not exist' if invented else 'other nouns'} now."
        )

    def text(self, text: str) -> str:
        """Return a text with the new words; plurals and capitals stay."""
        return re.sub(r"[^\W\d_]+", lambda match: self._word(match, text), text)

    def name(self, name: str) -> str:
        """Return a name with underscores, and maybe a number, with the new words."""
        return self.text(name.replace("_", " ")).replace(" ", "_")

    def id(self, name: str) -> str:
        """Return another name for what has no meaning by its name: a scene, an episode, a user."""
        return f"{random.Random(f'{self._seed} {name}').getrandbits(48):012x}"  # noqa: S311 - no secret

    def _word(self, match: re.Match[str], text: str) -> str:
        word = match[0]
        lower = word.lower()
        base = lower if lower in self.words else singular(lower)
        if base not in self.words or (lower in _MODAL and _is_modal(match, text)):
            return word
        new = self.words[base] + ("s" if base != lower else "")
        return new.capitalize() if word[0].isupper() else new


def _is_modal(match: re.Match[str], text: str) -> bool:
    before = text[: match.start()].rstrip().lower()
    return bool(_MODAL_BESIDE.match(text[match.end() :])) or before.endswith((" you", " i", " we", " that"))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.lower().replace("_", " "))


def _invented(draw: random.Random) -> Iterator[str]:
    """Draw words without end, each once, that look English and mean nothing."""
    seen: set[str] = set()
    while True:
        word = "".join(draw.choice(part) for part in (_ONSETS, _VOWELS, _ONSETS, _VOWELS, _CODAS))
        if word not in seen:
            seen.add(word)
            yield word
