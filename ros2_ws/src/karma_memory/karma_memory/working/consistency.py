# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What in the last steps makes no sense (BrainMem, appendix C.1: consistency warnings)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from karma_memory.recall.prompt import one_line
from karma_memory.working.actions import Effect, toggles
from karma_memory.working.steps import Step

REPEATED = 2
"""Failures of the same call without a success between them that are worth a warning."""
TO_AND_FRO = 3
"""Times that the same thing was switched back and forth."""
LOOKED_IN_VAIN = 3
"""Looks in a row that showed the same things."""
MESSAGE_LENGTH = 120
"""Characters of a skill's message in a warning."""


def warnings(steps: Sequence[Step], failures: Mapping[str, int]) -> list[str]:
    """Return warnings for people and prompts.

    `steps`: the window, oldest first; `failures`: text of an action → how often it failed since it last succeeded.
    """
    return [
        *_repeated(steps, failures),
        *_against_the_hand(steps),
        *_to_and_fro(steps),
        *_back_and_forth(steps),
        *_nothing_new(steps),
    ]


def _repeated(steps: Sequence[Step], failures: Mapping[str, int]) -> Iterator[str]:
    said = {step.action.text: step.message for step in steps if not step.done}
    for action, message in said.items():
        if (times := failures.get(action, 0)) >= REPEATED:
            reason = f" ({one_line(message, MESSAGE_LENGTH)})" if message else ""
            yield f"{action} failed {times} times{reason}. Don't repeat it; do something else first."


def _against_the_hand(steps: Sequence[Step]) -> Iterator[str]:
    """Warn of a last step that failed while the hand was full, or empty, where it has to be the other way."""
    last = steps[-1] if steps else None
    if last is None or last.done:
        return
    if last.action.effect is Effect.TAKES and last.before:
        yield f"Cannot {last.action.text}: the robot holds the {last.before}. Put it down first."
    elif last.action.effect is Effect.LETS_GO and not last.before:
        yield f"Cannot {last.action.text}: the robot holds nothing. Pick something up first."


def _to_and_fro(steps: Sequence[Step]) -> Iterator[str]:
    switched: dict[tuple[str, str], list[bool]] = {}
    for step in steps:
        if step.done and (change := toggles(step.action.skill)) is not None:
            thing = step.action.object or step.action.category
            values = switched.setdefault((change[0], thing), [])
            if not values or values[-1] != change[1]:
                values.append(change[1])
    for (quality, thing), values in switched.items():
        if len(values) >= TO_AND_FRO:
            ways = "opened and closed" if quality == "open" else "switched on and off"
            yield f"{thing} is {ways} again and again."


def _back_and_forth(steps: Sequence[Step]) -> Iterator[str]:
    places = [step.location for step in steps if step.location]
    places = [place for i, place in enumerate(places) if i == 0 or places[i - 1] != place]
    changed = any(step.done and step.action.effect is not Effect.LOOKS for step in steps)
    if len(places) >= 4 and not changed and places[-4] == places[-2] and places[-3] == places[-1]:
        yield f"The robot goes back and forth between {places[-2]} and {places[-1]}. Go elsewhere."


def _nothing_new(steps: Sequence[Step]) -> Iterator[str]:
    last = steps[-LOOKED_IN_VAIN:]
    looking = all(step.action.effect is Effect.LOOKS and step.seen for step in last)
    if len(last) == LOOKED_IN_VAIN and looking and len({step.seen for step in last}) == 1:
        yield "The last looks showed the same things. Look in another room."
