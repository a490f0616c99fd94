# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the memory says to a request: the best option, how sure that is, and why (Retrieve of PAHF, section 3.4).

The query is the request and what is there to choose from, as in the paper. A preference speaks for the option that is
what its chosen one was then, the more the situations are alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from karma_language.told.wishes.choice import Mode, Request, listed
from karma_language.told.wishes.circumstances import circumstances, favourite, opposed
from karma_language.told.wishes.phrases import fitting, same_words
from karma_language.vocabulary.terms import normalised
from karma_memory.preferences.analogy import Analogy
from karma_memory.preferences.likeness import Likeness
from karma_memory.preferences.preference import Preference
from karma_memory.preferences.steadiness import steadiness, turning_points

WORDS_WEIGHT, OPTIONS_WEIGHT = 1.0, 2.0
"""Of the likeness of the requests' words and of that of the options."""
CIRCUMSTANCES = 0.25
"""Share of what is said beside the asking in the likeness of words."""
ALIKE = 0.78
"""Likeness of situations at which a preference is as likely to apply as not; these values are fitted."""
ALIKE_WORDS = 0.55
"""The same for the words of the requests alone: where there is always the same to choose from, they decide."""
ALIKE_CIRCUMSTANCES = 0.53
"""The same for what is said beside the asking: tired and worn out are alike (0.54), tired and awake all night are not
(0.49), chosen by everyday sentences. Where more unlike ones pass, things are done unasked that nobody wants."""
SPREAD = 0.03
"""How fast that changes."""
SAME_WORDS = 0.97
"""Requests whose words are this much alike are the same request (PAHF's threshold for update or add)."""
SAME_CHOICE = 0.9
"""Situations this much alike, and requests at least ALIKE, in which the same is wanted are one."""
DOUBT = 0.1
"""What it costs a preference in likeness that it certainly holds no more."""
OTHERWISE = SPREAD
"""What it costs in likeness to be from other circumstances."""
STEADY_ENOUGH = 0.8
"""Steadiness below which the reasons say so."""
SURE = 0.5
"""Least confidence to act without asking."""


@dataclass(frozen=True)
class Support:
    """What one preference says to a request."""

    preference: Preference
    words: float
    """0..1, likeness of the requests' words."""
    options: float
    """0..1, likeness of what there was and is to choose from."""
    option: str
    """What it speaks for."""
    steadiness: float
    """0..1, that it still holds, by what became of the user's others since it was last confirmed."""
    applies: float = 1.0
    """0..1, that the circumstances are alike: 1 where there are none then and now, 0 where there are only once."""
    special: bool = False
    """It is about circumstances that the request speaks of, too."""
    settles: bool = False
    """The user told it so, for circumstances that hold now, and it names one option."""

    @property
    def weight(self) -> float:
        """Its place among the others: likeness, less for other circumstances and for what is in doubt."""
        return self.likeness - DOUBT * (1.0 - self.steadiness) - OTHERWISE * (1.0 - self.applies)

    @property
    def rank(self) -> tuple[bool, float]:
        """Greater for what is more specific, then for what was said or confirmed later."""
        return self.special, self.preference.confirmed_at

    @property
    def likeness(self) -> float:
        """0..1, of the situation then and now."""
        return (WORDS_WEIGHT * self.words + OPTIONS_WEIGHT * self.options) / (WORDS_WEIGHT + OPTIONS_WEIGHT)


@dataclass(frozen=True)
class Decision:
    """What the memory says to a request."""

    option: str
    """"" where it knows nothing."""
    confidence: float
    """0..1."""
    supports: tuple[Support, ...]
    """What speaks for or against it, weightiest first."""

    @property
    def sure(self) -> bool:
        """Whether the memory decides, so that nobody need be asked."""
        return bool(self.option) and self.confidence >= SURE

    @property
    def _best(self) -> Support | None:
        return next((support for support in self.supports if support.option == self.option), None)

    @property
    def because(self) -> str:
        """The reason in a few words, to the user; "" where nothing is known."""
        if self._best is None:
            return ""
        known = self._best.preference
        asked = f'asked "{known.wordings[0]}", ' if known.options else ""
        return f'{asked}you said "{known.words}"' if known.words else f"{asked}you wanted the {known.chosen}"

    @property
    def why(self) -> str:
        """The reasons, for people."""
        best = self._best
        if best is None:
            return "nothing is known about this"
        others = [f"{s.option} ({s.likeness:.2f})" for s in self.supports if s.option != self.option][:3]
        against = f"; less alike situations speak for {listed(others, 'and')}" if others else ""
        known = best.preference
        said = f', who said "{known.words}"' if known.words else ""
        again = f" and said so again {known.confirmed} times" if known.confirmed else ""
        changed = (
            "" if best.steadiness > STEADY_ENOUGH else "; the user has changed their mind about other things since"
        )
        return f"{known.text}{said}{again}; situation alike by {best.likeness:.2f}{against}{changed}"


class Decider:
    """Weighs what holds for a user against a request."""

    def __init__(self, likeness: Likeness) -> None:
        self._likeness = likeness
        self._analogy = Analogy(likeness)

    def decide(self, request: Request, preferences: Sequence[Preference]) -> Decision:
        """Return what the preferences of the request's user say: those that hold; closed ones tell how steady they are.

        Those of other users say nothing.
        """
        of_user = [preference for preference in preferences if preference.user == request.user]
        points = turning_points(of_user)
        supports = sorted(
            (
                self._support(request, preference, steadiness(preference, points))
                for preference in of_user
                if preference.mode is request.mode
                and preference.valid_until is None
                and (request.options or preference.mode is Mode.PUT)
            ),
            key=lambda support: (-support.weight, -support.preference.valid_from, support.preference.id),
        )
        told = max((support for support in supports if support.settles), key=lambda s: s.rank, default=None)
        learned = self._weighed([support for support in supports if not support.settles])
        if told is None or (learned.sure and learned.supports[0].rank > told.rank):
            return learned
        return Decision(told.option, told.applies * told.steadiness, (told, *(s for s in supports if s is not told)))

    @staticmethod
    def _weighed(supports: Sequence[Support]) -> Decision:
        """Return what supports come to, given weightiest first."""
        if not supports:
            return Decision("", 0.0, ())
        best = supports[0]
        applies = min(best.applies, _probability(best.likeness, ALIKE), _probability(best.words, ALIKE_WORDS))
        weights = [math.exp((support.weight - best.weight) / SPREAD) for support in supports]
        agreeing = sum(w for w, support in zip(weights, supports, strict=True) if support.option == best.option)
        return Decision(best.option, applies * agreeing / sum(weights) * best.steadiness, tuple(supports))

    def revised(self, request: Request, decision: Decision, chosen: str) -> tuple[str, ...]:
        """Return the ids of the preferences that `chosen` confirms or contradicts.

        The same request is answered anew: what was wanted then could be had now, or there is the same to choose from.
        Where it could not be had, the old preference still holds. A request that is put otherwise confirms, but does
        not contradict: it may be another situation.
        """
        there = {normalised(option) for option in request.options}
        found = []
        for support in decision.supports:
            old = normalised(support.preference.chosen)
            if old == normalised(chosen):
                same = support.likeness >= SAME_CHOICE and support.words >= ALIKE
            else:
                same = (
                    not support.settles
                    and support.words >= SAME_WORDS
                    and (old in there or support.options >= SAME_CHOICE)
                )
            if same:
                found.append(support.preference.id)
        return tuple(found)

    def guess(self, request: Request) -> str:
        """Return the option that the request's words alone speak for."""
        return max(request.options, key=lambda option: self._likeness.of(request.text, option), default="")

    def _support(self, request: Request, preference: Preference, steady: float) -> Support:
        if preference.mode is Mode.FETCH and not preference.options:
            return self._told(request, preference, steady)
        words = max(self._words(request.text, wording) for wording in preference.wordings)
        now = circumstances(request.text)
        applies, special = max(self._alike(now, circumstances(wording)) for wording in preference.wordings)
        if not preference.options:
            option = self._most_alike(request, preference.chosen)
            there = self._likeness.of(preference.chosen, option) if option else 0.0
            return Support(preference, words, there, option, steady, applies, special)
        pairing = self._analogy.pair(preference.options, request.options)
        option = self._option(request, preference)
        return Support(preference, words, pairing.likeness, option, steady, applies, special)

    def _told(self, request: Request, preference: Preference, steady: float) -> Support:
        """Return what a statement says; it decides where its condition holds and one option is what it names."""
        chosen, condition = preference.chosen, preference.wordings[0]
        if kind := favourite(condition):
            applies, special = float(same_words(kind, request.text)), False
        elif condition:
            applies, special = self._alike(circumstances(request.text), circumstances(condition))
        else:
            applies, special = 1.0, False
        option = fitting(chosen, request.options)
        if option and applies >= SURE:
            return Support(preference, applies, 1.0, option, steady, applies, special, settles=True)
        option = option or self._most_alike(request, chosen)
        words = self._words(request.text, condition)
        return Support(preference, words, self._likeness.of(chosen, option), option, steady, 0.0, special)

    def _alike(self, one: str, other: str) -> tuple[float, bool]:
        """Return the probability that circumstances are alike, and whether there are any."""
        if not one or not other or opposed(one, other):
            return float(one == other), False
        alike = self._likeness.of(one.rstrip(" .!?"), other.rstrip(" .!?"))
        return _probability(alike, ALIKE_CIRCUMSTANCES), True

    def _most_alike(self, request: Request, name: str) -> str:
        return max(request.options, key=lambda option: self._likeness.of(name, option), default="")

    def _words(self, one: str, other: str) -> float:
        """Return the likeness of two requests: of all their words, and of what is said beside the asking."""
        whole = self._likeness.of(one, other)
        then, now = circumstances(other), circumstances(one)
        beside = self._likeness.of(now, then) if now or then else whole
        return whole + CIRCUMSTANCES * (beside - whole)

    def _option(self, request: Request, preference: Preference) -> str:
        """Return what the chosen one is now. Places stay: one that was asked for though it was not listed still is."""
        unlisted = preference.chosen not in preference.options
        if not request.options or (unlisted and request.mode is Mode.PUT):
            return preference.chosen
        return self._analogy.transfer(preference.chosen, preference.options, request.options)


def _probability(likeness: float, even: float) -> float:
    """Return the probability that a preference applies; 1/2 at `even`."""
    return 1.0 / (1.0 + math.exp((even - likeness) / SPREAD))
