# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What there is to do: told ("Remind me to call Kim on Friday"), done, and asked for ("What do I have tomorrow?")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from karma_language.told.facts.clauses import strip_lead_in
from karma_language.told.facts.english import expand
from karma_language.told.facts.extraction import SPEAKER, Claim, Mention, Retraction
from karma_language.told.facts.moments import Moment
from karma_language.told.facts.relations import TO_DO
from karma_language.told.facts.times import SpokenTime, mark_times
from karma_language.vocabulary.english import is_verb, lemma, word_set
from karma_language.zone import local_time, local_zone

DAYS_AHEAD = 7.0
"""What "what do I have to do?" without a time is about."""
_SPANNED = re.compile(r"\b(this|next|coming) (week|weekend|month|year)\b")
_TIME = re.compile(r"\s*@\d+\b\s*")
_LONGEST = 100
"""Characters of something to do."""

_REMIND = r"(?:please )?(?:(?:do not forget to |remember to )?remind (?:me|us)|do not let (?:me|us) forget) to"
_MUST = r"(?:i|we) (?:have(?: got)? to|must|need to|should|ought to|am supposed to|are supposed to) (?:remember to )?"
_ALSO = r"(?:and|also|then) (?:also )?to"
"""Behind a reminder: "AND at nine TO water the plants"."""
_TOLD = re.compile(
    rf"^(?:(?:[^?]*, )?(?P<remind>{_REMIND})|{_MUST}|{_ALSO})\s*(?P<task>[a-z][^?]*?)"
    r"(?: ?, (?:would|will|can|could) you)?$",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"\b(?:every|each|daily|nightly|weekly)\b", re.IGNORECASE)
"""What shows that something is to be done again and again: no time ends that."""
_DONE = re.compile(r"^(?:i|we) (?:have )?(?:already |just )?(?P<verb>[a-z]+) (?P<rest>[^?]+)$", re.IGNORECASE)

_WHEN = re.compile(
    r"when (?:do|must|should|shall|am) (?:i|we) (?:have to |need to |supposed to )?(?P<task>\w+ .+)", re.IGNORECASE
)
_CUE = (
    r"(?P<cue> (?:left )?to (?:do|remember|attend)| do| remember| planned| scheduled| booked| arranged| on| going on"
    r"| coming up| due| happening| up)?"
)
_THINGS = (
    r"(?:plans?|appointments?|meetings?|tasks?|to-?dos?|to-?do list|reminders?|schedule|calendar|agenda|diary|events?"
    r"|errands?|commitments?)"
)
_ASKED = tuple(
    re.compile(pattern.format(cue=_CUE, things=_THINGS))
    for pattern in (
        r"what(?: else)? (?:do|have|must|should|shall) (?:i|we)(?: (?:still|have|need|got))*{cue}",
        r"what(?: else)? (?:i|we) (?:have|need|must|should){cue}",
        r"what am i supposed(?P<cue> to do)",
        r"(?:what|which {things}) (?:is|are)(?: there)?{cue}(?: for (?:me|us))?",
        r"what (?:is|are)(?: all)?(?: on| in)?(?P<cue> (?:my|our|the)(?: next| upcoming)? {things})",
        r"(?:which|what)(?P<cue> {things}) (?:do|have) (?:i|we)(?: still)?(?: have| got)?",
        r"(?:do|have) (?:i|we)(?: have| got)? (?:anything|something|any {things}|an? {things}){cue}",
        r"(?:is|are) there (?:anything|something|any {things}|an? {things}){cue}(?: for (?:me|us))?",
        r"(?:am|are) (?:i|we) (?:busy|free)",
        r"any(?P<cue> {things}|thing planned|thing to do)",
    )
)


def task(sentence: str, now: float) -> list[Claim]:
    """Return what a sentence gives its speaker to do: with a time, or where they want to be reminded of it."""
    plain = sentence.rstrip(" .!;")
    again = _AGAIN.search(plain) is not None
    marked, times = (plain, []) if again else mark_times(plain, now, to_come=True)
    match = _TOLD.match(_TIME.sub(" ", marked).strip(" ,"))
    if match is None or not (times or again or match["remind"]):
        return []
    what = " ".join(match["task"].split())
    if what.split(" ", 1)[0].lower() in word_set("buys") or len(what) > _LONGEST:
        return []  # that is the shopping list's
    what = what[0].lower() + what[1:]
    when = next((time.moment for time in times), None)
    to_do = [Claim(Mention(SPEAKER), TO_DO, Mention(what), until=when)]
    return to_do if when is None else [*to_do, Claim(Mention(what), "time", when)]


def done(sentence: str) -> list[Retraction]:
    """Return what a sentence says to be done, or not to be needed: "I have called Kim"."""
    match = _DONE.match(sentence.rstrip(" .!;"))
    if match is None or not is_verb(match["verb"]) or lemma(match["verb"]) == match["verb"].lower():
        return []
    if match["rest"].split(" ", 1)[0].lower() in ("not", "never"):
        return []
    return [Retraction(Mention(SPEAKER), TO_DO, f"{lemma(match['verb'])} {match['rest']}")]


def asked_task(text: str) -> str:
    """Return what a question asks the time of ("When do I have to call Kim?"), "" for another question."""
    match = _WHEN.fullmatch(strip_lead_in(strip_lead_in(expand(text).strip()), "asking").rstrip(" ?.!"))
    return match["task"] if match else ""


def asked_span(text: str, now: float) -> tuple[float, float] | None:
    """Return from when until when (seconds) a question asks for what there is to do, None for another question."""
    sentence = strip_lead_in(strip_lead_in(expand(text).strip()), "asking").rstrip(" ?.!").lower()
    marked, times = mark_times(sentence, now)
    rest = " ".join(_TIME.sub(" ", marked).split())
    match = next((match for pattern in _ASKED if (match := pattern.fullmatch(rest))), None)
    if match is None or not (times or match.groupdict().get("cue")):
        return None
    return _span(sentence, times, now)


def _span(sentence: str, times: Sequence[SpokenTime], now: float) -> tuple[float, float]:
    today = _start(Moment(local_time(now).date()))
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
    return datetime(day.year, day.month, day.day, tzinfo=local_zone()).timestamp()
