# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What there is to do: told ("Remind me to call Kim on Friday"), done, and asked for ("What do I have tomorrow?")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone

from karma_language.told.facts.clause import Clause
from karma_language.told.facts.clauses import Clauses
from karma_language.told.facts.english import word_set
from karma_language.told.facts.extraction import SPEAKER, Claim, Mention, Retraction
from karma_language.told.facts.relations import TO_DO
from karma_language.told.facts.times import Moment, SpokenTime, for_parsing, mark_times

DAYS_AHEAD = 7.0
"""What "what do I have to do?" without a time is about."""
_SPANNED = re.compile(r"\b(this|next|coming) (week|weekend|month|year)\b")
_TIME = re.compile(r"\s*@\d+\b\s*")
_LONGEST = 100
"""Characters of something to do."""

_CUE = (
    r"(?P<cue> (?:left )?to (?:do|remember|attend)| do| remember| planned| scheduled| booked| arranged| on| going on"
    r"| coming up| due| happening| up)?"
)
_THINGS = (
    r"(?:plans?|appointments?|meetings?|tasks?|to-?dos?|to-?do list|reminders?|schedule|calendar|agenda|diary|events?"
    r"|errands?|commitments?)"
)
_ASKED = tuple(
    re.compile(rf"(?:^|\W){pattern.format(cue=_CUE, things=_THINGS)}$")
    for pattern in (
        r"what(?: else)? (?:do|have|must|should|shall) (?:i|we)(?: (?:have|need|got))*{cue}",
        r"what(?: else)? (?:i|we) (?:have|need|must|should){cue}",
        r"what am i supposed(?P<cue> to do)",
        r"(?:what|which {things}) (?:is|are)(?: there)?{cue}(?: for (?:me|us))?",
        r"what (?:is|are)(?: all)?(?: on| in)?(?P<cue> (?:my|our|the)(?: next| upcoming)? {things})",
        r"(?:which|what)(?P<cue> {things}) (?:do|have) (?:i|we)(?: have| got)?",
        r"(?:do|have) (?:i|we)(?: have| got)? (?:anything|something|any {things}|an? {things}){cue}",
        r"(?:is|are) there (?:anything|something|any {things}|an? {things}){cue}(?: for (?:me|us))?",
        r"(?:am|are) (?:i|we) (?:busy|free)",
        r"any(?P<cue> {things}|thing planned|thing to do)",
    )
)


def task(clause: Clause) -> list[Claim]:
    """Return what a clause gives its speaker to do: with a time, or where they want to be reminded of it."""
    speaks = [word.lower() for word in clause.subject] in (["i"], ["we"])
    if not (clause.reminds or (clause.need and speaks and clause.times)) or clause.negated or clause.past or clause.wh:
        return []
    if clause.verb in word_set("buys") or len(clause.deed) > _LONGEST or " " not in clause.deed:
        return []  # that is the shopping list's
    when = next((time.moment for time in clause.times), None)
    to_do = [Claim(Mention(SPEAKER), TO_DO, Mention(clause.deed), until=when)]
    return to_do if when is None else [*to_do, Claim(Mention(clause.deed), "time", when)]


def done(clause: Clause) -> list[Retraction]:
    """Return what a clause says to be done, or not to be needed: "I have called Kim"."""
    speaks = [word.lower() for word in clause.subject] in (["i"], ["we"])
    over = clause.done and not (clause.negated or clause.ended or clause.hypothetical or clause.need)
    needless = clause.need and clause.negated
    if not speaks or clause.wh or not (over or needless) or " " not in clause.deed:
        return []
    return [Retraction(Mention(SPEAKER), TO_DO, clause.deed)]


def asked_task(text: str) -> str:
    """Return what a question asks the time of ("When do I have to call Kim?"), "" for another question."""
    text, times = for_parsing(text, 0.0)
    return next((c.deed for c in Clauses(text, times) if c.wh == "when" and c.subject[:1] in (["I"], ["we"])), "")


def asked_span(text: str, now: float) -> tuple[float, float] | None:
    """Return from when until when (seconds) a question asks for what there is to do, None for another question."""
    sentence = text.replace("’", "'").replace("'s ", " is ").rstrip(" ?.!").lower()
    marked, times = mark_times(sentence, now)
    rest = " ".join(_TIME.sub(" ", marked).split())
    match = next((match for pattern in _ASKED if (match := pattern.search(rest))), None)
    if match is None or not (times or match.groupdict().get("cue")):
        return None
    return _span(sentence, times, now)


def _span(sentence: str, times: Sequence[SpokenTime], now: float) -> tuple[float, float]:
    today = _start(Moment(datetime.fromtimestamp(now, tz=timezone.utc).date()))
    if not times:
        return today, now + timedelta(days=DAYS_AHEAD).total_seconds()
    time = times[0]
    end = _start(time.moment) + timedelta(days=1).total_seconds()
    spanned = _SPANNED.search(sentence)
    if spanned and spanned[1] == "next":
        days = {"week": 7, "weekend": 2, "month": time.moment.day.day, "year": 366}[spanned[2]]
        return end - timedelta(days=days).total_seconds(), end
    if spanned or time.is_end or time.lead in ("in", "within", "by", "before"):
        return today, end
    return _start(time.moment), end


def _start(moment: Moment) -> float:
    day = moment.day
    return datetime(day.year, day.month, day.day, tzinfo=timezone.utc).timestamp()
