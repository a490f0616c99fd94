# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people say that they lack or suffer from, and what may help: it is offered, not done."""

from __future__ import annotations

import re

from karma_language.reading import Deed, Goal, Need
from karma_language.things import Thing

_LAMP = Thing(text="lamp", categories=("FloorLamp", "DeskLamp", "LightSwitch"))
_WINDOW = Thing(text="window", categories=("Window",), definite=True)
_FOOD = Thing(text="something to eat")
_DRINK = Thing(text="something to drink")
_HEDGE = r"(?:(?:i (?:am afraid|think|find|must (?:say|admit)|have to say)|to be honest|honestly)(?: that)? )?"
_SUBJECT = r"(?:i|we|it|there|this (?:place|room)|the (?:room|air|light|place)|my [a-z]+(?= (?:are|feel)\b))"
_VERB = (
    r"(?:(?:am|are|is|can|has|have)(?: got| been)? )?(?:am|are|is|feels?|feeling|gets?|getting|becoming|growing|have"
    r"|has|got|looks?|seems?|can not|can hardly|can barely)"
)
_MUCH = (
    r"(?:(?:[a-z]+ly|so|very|too|a bit|a little|quite|pretty|rather|pitch|all|just|such a|a|such|still|far|way|it) )*"
)
_SAID = rf"{_HEDGE}{_SUBJECT} (?:{_VERB}) {_MUCH}"
_HELP = (
    (r"(?:dark|gloomy|dim|black|see(?: (?:anything|a thing|much|my [a-z ]+))?)", ((Deed.SWITCH_ON, _LAMP),)),
    (r"(?:bright|dazzling|glaring)", ((Deed.SWITCH_OFF, _LAMP),)),
    (r"(?:hungry|starving|peckish|famished|starved)", ((Deed.BRING, _FOOD),)),
    (r"(?:thirsty|parched|dying of thirst)", ((Deed.BRING, _DRINK),)),
    (r"(?:cold|chilly|freezing|draughts?|drafts?|draughty|drafty)", ((Deed.CLOSE, _WINDOW),)),
    (r"(?:hot|warm|stuffy|stifling|boiling|sweltering|sweating)", ((Deed.OPEN, _WINDOW),)),
    (r"(?:loud|noisy|noise)", ((Deed.SWITCH_OFF, Thing(text="television", categories=("Television",))),)),
    (r"(?:bored)", ((Deed.BRING, Thing(text="book", categories=("Book",))),)),
)  # fmt: skip
_END = (
    r"(?: (?:(?:in|out) )?(?:here|there)| for me| now| today| again| at the moment)*(?: ,)?(?: is (?:not it|it not))?"
    r"(?= (?:and|but|so|the|a|my|yes|no|please)\b|[ .,!?;]*$| [.,!?;])"
)
_NEEDS = tuple((re.compile(f"{_SAID}{words}{_END}"), help_) for words, help_ in _HELP)


def read_need(words: str, quote: str) -> tuple[Need, int] | None:
    """Return the need that words in lower case begin with, and how many words it takes; None for none."""
    for pattern, help_ in _NEEDS:
        if (match := pattern.match(words)) is not None:
            person = {Deed.BRING: "me"}
            offers = tuple(Goal(quote=quote, do=do, thing=thing, person=person.get(do, "")) for do, thing in help_)
            return Need(quote=quote, offers=offers), len(match[0].split())
    return None
