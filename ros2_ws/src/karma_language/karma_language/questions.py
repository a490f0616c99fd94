# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions in English, by rules.

A sentence is made plain step by step, and then compared with few frames:

1. contractions, politeness and set phrases: "could you tell me where's the mug?" → "where is the mug"
2. the time that it names, and its noun phrases, are taken out: "where is <0>"
3. adverbs go, verbs get their base form, persons and prepositions become one word each
4. an indirect question gets the order of a direct one: "where <0> is" → "where is <0>"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timezone, tzinfo
from itertools import count

from karma_language.noun_phrases import Marked, Names, mark
from karma_language.question_parts import by_parts
from karma_language.reading import Kind, Question, Relation, Span, Thing, Where
from karma_language.time_expressions import take_clause, take_time
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.words import (
    ADVERBS,
    AUXILIARIES,
    BASES,
    ENDS,
    PARTICLES,
    PEOPLE,
    PERSONS,
    PLACED,
    STATES,
    base_form,
    each,
)

_LONGEST = 400
"""Characters of a sentence that are read."""


def _any(words: Iterable[str]) -> str:
    """Return a pattern for any of some words, the longest first."""
    return "(?:" + "|".join(sorted(map(re.escape, words), key=len, reverse=True)) + ")"


# --- 1. The words before noun phrases are looked for.

_WH = r"(?:what|when|who|whom|whose|which|how|where|why)"
_ASKING = rf"(?=(?:in |on |at )?{_WH}|if |whether |about )"
_VOCATIVE = r"(?:please|hey|hi|hello|ok|okay|karma|robot|so|and|well|oh|um|uh|say|excuse me|sorry)\b[ ,.!:]*"
_TELL = r"(?:(?:tell|remind|show) (?:me|us)(?: again)?|check|see|find out|say|look)"
_KNOW = r"(?:do|would|did|have) you (?:by any chance )?(?:know|remember|recall|see|seen|notice|noticed|check|checked)"
_ABLE = r"(?:can|could|would|will) you (?:please |quickly )?(?:remember|recall|say)"
_IDEA = r"(?:any|have you (?:any|got any)|do you have any) (?:idea|clue)"
_WONDER = r"i(?: am| was)?(?: just)? (?:wonder(?:ing)?|forgot|have forgotten|need to know|want to know)"
_WOULD_KNOW = r"i (?:would|will) like to know"
_LOST = r"i (?:can ?not|do not|could not) (?:remember|recall|know)(?: again)?"
_TRY = (
    r"(?:(?:manage|try|tried|remember|forget|forgot|fail|get|got)(?:e?d)? to"
    r"|(?:finish|start|stop|stopp)(?:ed)?(?= \w+ing))"
)
_LEADS = (_KNOW, _ABLE, _IDEA, _WONDER, _WOULD_KNOW, _LOST)
_INDIRECT = re.compile(
    rf"(?:(?:can|could|would|will) you )?(?:please )?{_TELL}[ ,:]+{_ASKING}(?!if you can )"
    rf"|(?:{'|'.join(_LEADS)})[ ,:]+{_ASKING}",
    re.IGNORECASE,
)
_MISSED = re.compile(
    r"i (?:can ?not find|am looking for|have lost|lost|am missing) (?P<lost>[^,.;?!]{1,60})[,.;!] ?", re.IGNORECASE
)
_TAIL = r"[ ,]+(?:please|thanks|thank you|by any chance|do you know|or not|robot|karma|right|huh|at all|do you think)$"
_HOME = frozenset(each("house home flat apartment"))
"""Words for the whole of what the memory knows."""
_ROOMS = frozenset(each("room floor place spot part storey level"))
"""Words for any place."""
_NUMBER_TOO = re.compile(r",? (?:and )?(?:if so|if yes|if there (?:is|are)),? how (?:many|much)$", re.IGNORECASE)
_SHORT = {"re": "are", "ve": "have", "m": "am", "ll": "will", "d": "would"}
_PLAIN = tuple(
    (re.compile(pattern, re.IGNORECASE), plain)
    for pattern, plain in (
        (r"[’‘`]", "'"),
        (r"[<>\s]+", " "),
        (r" [-–—]+ |[:;]", ", "),
        (r"^[\W_]+|[\W_]+$", ""),
        (
            r"\b(what|where|when|how|why|who|it|that|there|here|he|she)'s\b|\b(what|where|when|how|why|who)s\b",
            r"\1\2 is",
        ),
        (r"\b(where|what|when|how|why|who)'d\b", r"\1 did"),
        (r"\bcan't\b|\bcannot\b|\bcant\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"\b(is|are|was|were|do|does|did|have|has|had|could|would|should|must)n'?t\b", r"\1 not"),
        *((rf"(?<=\w)'{short}\b", f" {full}") for short, full in _SHORT.items()),
        (rf"^(?:{_VOCATIVE})+(?=.)", ""),
        (rf"(?:{_TAIL})", ""),
        (r"\bat home\b|\b(?:lying )?around$|(?<=\byou )happen(?:ed)? to |\bthe (?:door|lid) of (?=the |my |our )", ""),
        (rf"\byou {_TRY} (?=\w)", "you "),
        (r"^(?:what|which) (?:skills|abilities|capabilities|functions) do you have$", "what can you do"),
        (
            r"^any(?=thing|one|body| )(?! idea| clue|(?:thing|one|body)? but )(?!.* (?:is|are|will|would|can)\b)",
            "is there any",
        ),
        (r"^(?:for )?how long ago\b|^(?:at|on|around) (?:what|which) (?:time|day)\b|^what time (?=did|was)", "when"),
        (r"^since when\b|^for how long\b", "how long"),
        (r"^how come\b|^for what reason\b|^what (?:is|was) the reason (?:that|why)\b|^what for$", "why"),
        (r"\bhow many times\b", "how often"),
        (r"^how (?:is|was) (?:your|the) day\b", "what did happen"),
        (r"^are you (?:sure|certain) (?:that )?", "tell me whether "),
        (rf"^({_WH}) (?:on earth|in the world|the hell|the heck) ", r"\1 "),
        (rf"^({_WH}) (?:do|did) you (?:think|reckon|suppose|say) ", r"tell me \1 "),
        (r" (?:the )?last time (?:that )?(?:you|i|we) \w+ (?:it|them)$", ""),
        (r"\bwhereabouts\b(?! of)", "where"),
        (r"^what (is|was) (?:the )?(?:current |exact )?(?:location|position|whereabouts|place) of\b", r"where \1"),
        (r"^what (?:is|was) the (?:number|amount) of (.*)", r"how many \1"),
        (r"^when (?:is|was) the (?:last|most recent) time (?:that )?(?=\S+ )", "when did "),
        (r"^when (?:is|was) the first time (?:that )?(\S+) ", r"when did \1 first "),
        (r"\b(?:in|with) (?:your|the robot's) (?:hands?|grippers?|arms?|grasp)\b", "held"),
        (r"\bthe (biggest|largest|smallest|tallest)\b", r"\1"),
        (r"\b(is|was|did|has|does) (?:the robot|karma)\b", r"\1 you"),
        (r"^what (?:is|was) the (?:best |quickest |shortest )?(?:way|route|path)\b", "how can i get"),
        (r"^what (?:is|was) the (?:problem|matter|reason)$", "what is wrong"),
        (r"\b(?:either|whether) or not\b", "whether"),
        (r"\bthe (?:last|most recent) time\b", "last"),
        (r"\bto (?=(?:upstairs|downstairs)\b)", "to the "),
    )
)

# --- 3. Words between noun phrases.

_RELATION = _any(relation.value for relation in Relation)
_PREPOSITIONS = re.compile(rf"\b{_any(PLACED)}(?= <\d+>)|\b{_any(PLACED)}$")
_STATED = frozenset(word for state in STATES for word in each(state)) | set(each("different new out biggest near"))
_HELD = frozenset(("hold", "carry", "miss", "lie", "sit", "stand", "hang", "hide"))
_SOMETHING = frozenset(each("anything something everything things stuff nothing"))
_PARTS = re.compile(r"(<\d+>) (?:door|doors|lid)\b")
_WORD = re.compile(r"<\d+>|[a-z_]+|,")

# --- 4. Clauses in which the verb comes last.

_AUX = r"(?:is|do|did|have|can|should|will)"
_SUBJECT = r"(?:<\d+>|you|one|anything|there)"
_HEAD = rf"(?P<head>(?:(?:in|on|near) )?{_WH}(?: often| long| big)?(?: (?:many )?<\d+>)?|whether)"
_VERB_LAST = re.compile(rf"{_HEAD} (?P<subject>{_SUBJECT})(?: (?P<aux>{_AUX})\b)?(?P<rest>.*)")
_WHERE_IN = re.compile(
    rf"(?:(?:{_RELATION}) (?:what|which) <\d+> (?P<a>{_AUX} .*)|(?:what|which) <\d+> (?P<b>{_AUX} .*) (?:{_RELATION})"
    r"|(?:what|which) (?P<n><\d+>) (?P<c>is <\d+>))"
)
_ATTACHED = re.compile(rf"(?P<thing><\d+>) (?:(?:that|which|who)(?: is)? )?(?P<relation>{_RELATION}) (?P<place><\d+>)")

_CONTAINS = re.compile(
    r"(?P<asked>.*?) ?\b(?:do|did) (?P<in><\d+>) (?:contain|hold|have)(?P<what> <\d+>)?(?: (?P<where>in|on) <\d+>)?"
)

# --- Frames.

_N = r"<(?P<n>\d+)>"
_M = rf"(?P<relation>{_RELATION}) <(?P<m>\d+)>"
_IN_M = rf"(?: {_M})?"
_STATE = rf"(?P<state>{_any(STATES)})"
_NO_DEED = "or|and|to|of|for|with|not|if|that|but|know|like|love|want|need|mean|think|believe|feel|live|enjoy|be|have"
_VERB = rf"(?P<verb>(?!(?:{_NO_DEED})\b)[a-z]+(?: (?:{PARTICLES}))?)"
_PARTICLE = rf"(?: (?P<particle>{PARTICLES}))?"
_ON_AND_ON = "to|for|from|with|and|that|out of"
_FROM = r"(?: (?:(?:to|from|of|for|with) )?<\d+>)?"
_WHO = r"(?:you|one|<\d+>|[a-z]+)"
_DO = r"(?:do|did|have)"
_LIE = (
    r"(?: (?:lie|sit|stand|hide|locate|hang|put|place|keep|store|leave|stay|go|get to|end up|belong|live|suppose"
    r"|to|there|here|anywhere|find|see|spend))*"
)
_SEE = r"(?:see|spot|notice|find|come across|run into)"
_PUT = rf"(?:{_SEE}|put|place|leave|set|keep|store|hide|take|bring|drop|lose|get|lay|stash)(?: (?:{PARTICLES}))?"
_MOVE = r"(?:move|take|touch|shift|remove|steal)"
_OTHERWISE = r"(?:change|different|new|miss|move|gone|go|otherwise|out of place)"
_BIG = r"(?:big|large|small|tall|wide|high|long|heavy)"
_BIGGEST = r"(?:biggest|largest|smallest|tallest)"
_SIZES = r"(?:the )?(?:biggest|largest|smallest|tallest|bigger|larger|smaller|taller)"
_HOLD = r"(?:hold|carry|grip|grasp)"
_GLANCE = r"(?:look|check|search|inspect|look around)"
_MANY = rf"(?:how (?:many|much)(?: of)? {_N})"
_OWN = r"(?:have|own|find|see|get|know of|contain|hold)"
_THERE = r"(?: (?:there|anywhere|here))?"


@dataclass(frozen=True)
class _Frame:
    kind: Kind
    pattern: re.Pattern[str]
    fixed: Mapping[str, object]


def _frame(kind: Kind, *patterns: str, **fixed: object) -> _Frame:
    """Return the frame of a kind. Its named parts are numbered, as a pattern may have each name but once."""
    number = count()
    parts = (re.sub(r"\(\?P<(\w+)>", lambda part: f"(?P<{part[1]}_{next(number)}>", each) for each in patterns)
    return _Frame(kind, re.compile("|".join(parts)), fixed)


_FRAMES = (
    _frame(
        Kind.HOLDING,
        rf"what (?:is|do|have) you(?: have)? {_HOLD}|what is(?: <\d+>)?(?: that)?(?: you is)? {_HOLD}",
        r"what (?:do|have) you have there",
        rf"(?:is|do) you {_HOLD} (?:anything|{_N})",
        rf"(?:is|do|have) (?:you )?(?:have )?(?:there )?(?:anything|{_N}) {_HOLD}",
    ),
    _frame(Kind.ROBOT, r"where (?:is|have|did) you(?: go)?", rf"is you {_M}"),
    _frame(
        Kind.ABLE,
        r"(?:what|how) can you (?:do|help)(?: (?:one|us|me))?(?: with| do)?(?: for (?:one|me|us))?",
        r"what (?:is you (?:able to do|good near|good at|capable of)|do you do)",
        rf"is you able to {_VERB}(?: {_N})?(?: .*)?|do you know how to (?:.*)",
    ),
    _frame(
        Kind.ROUTE,
        rf"how (?:can|do|should|will) {_WHO} (?:get|go|come|walk|reach|find .*)(?: .*)? (?:to|in) {_N}(?: from .*)?",
    ),
    _frame(
        Kind.SIZE,
        rf"how {_BIG} is {_N}",
        rf"(?:what|which)(?: one)?(?: of)? {_N} is {_SIZES}(?: <\d+>| one)?|(?:what|which) is {_BIGGEST}(?: one)?",
        rf"(?:what|which) is {_SIZES},? {_N}(?: or .*)?",
    ),
    _frame(
        Kind.WHY,
        r"why|why not|what (?:go|is) wrong|why (?:do|did|have|is) (?:you|<\d+>) (?:do|fail|stop)",
        rf"why {_AUX} you (?:have to |want to )?{_VERB}(?: {_N}{_PARTICLE})?(?: {_M})?(?: .*)?",
        rf"why {_AUX} (?:there )?{_N} (?:{_STATE}|{_M})",
        rf"why {_AUX} {_N} {_VERB}",
    ),
    _frame(Kind.WHO, rf"who (?:have |is |did )?{_VERB} {_N}(?: {_M}| {_STATE}|{_PARTICLE})(?: .*)?"),
    _frame(
        Kind.ASKED,
        r"what (?:is|have)(?: there)?(?: not)? (?:to do|undone|unfinished|unfinish|to be do)",
        rf"what {_DO} (?:you not|not you) (?:do|finish|manage)(?: to do)?",
        r"what (?:do|have) you (?:have |get )?to do",
        r"(?:is|have) there anything to do|(?:did|have) you (?:do|finish) everything(?: .*)?",
        undone=True,
    ),
    _frame(
        Kind.ASKED,
        r"what (?:did|do|have) (?:one|<\d+>) (?:ask|tell|want|order|say|give)(?: for| of)?(?: you)? to do",
        r"what (?:did|do|have) (?:one|<\d+>) (?:ask|want|order|request)(?: you)?(?: (?:for|of you|from you))?",
    ),
    _frame(
        Kind.LOOKED,
        rf"(?:what|where|which <\d+>) (?:did|have) you (?:{_GLANCE}|visit)(?: [a-z]+)?",
        rf"(?:did|have) you (?:{_GLANCE}|peek)(?: {_M}| {_N}| anywhere| everywhere)|have you {_M}",
    ),
    _frame(
        Kind.CHANGED,
        rf"{_AUX} (?:there )?anything {_OTHERWISE}(?: (?:change|move))?{_IN_M}",
        rf"what(?: {_AUX})? (?:it |<\d+> )?{_OTHERWISE}{_IN_M}",
        rf"(?:have|did) {_N} (?:change|move|be move)",
        rf"what (?:have |did )?(?:happen|go on|become|change)(?: (?:to|with|of|about)) {_N}",
        rf"(?:have|did) {_WHO} {_MOVE} {_N}",
    ),
    _frame(
        Kind.HAPPENED,
        rf"what {_AUX}? ?(?:happen|go on|take place){_THERE}{_IN_M}",
        r"what did one miss",
        rf"(?:did|have|do|is) (?:there )?anything (?:happen|go on|interesting happen){_IN_M}",
    ),
    _frame(
        Kind.DID,
        rf"what (?:did|have|is) you (?:do|up to|finish|achieve|manage)(?: (?:with|to|about) {_N})?{_IN_M}(?: for one)?",
    ),
    _frame(
        Kind.HOW_OFTEN,
        rf"how often {_DO} {_WHO} {_VERB} {_N}{_PARTICLE}{_FROM}{_IN_M}",
        rf"how often (?:is|have) {_N} {_VERB}{_IN_M}",
    ),
    _frame(Kind.HOW_LONG, rf"how long (?:have|is) {_N}(?: {_STATE}| there| here| miss| go|{_LIE} {_M})"),
    _frame(
        Kind.WHEN,
        rf"when (?:did|have|is) {_WHO} {_VERB} (?:to )?{_N}{_PARTICLE}{_FROM}{_IN_M}",
        rf"when (?:is|have|did) {_N} {_VERB}{_IN_M}",
    ),
    _frame(
        Kind.COUNT,
        rf"{_MANY}(?: {_AUX})?{_THERE} {_STATE}{_IN_M}",
        rf"{_MANY}(?: {_AUX} {_WHO}(?: {_OWN})*| is(?: there)?(?: in total)?)?{_THERE}{_LIE}{_IN_M}{_THERE}",
        rf"(?:count|number) {_N}{_IN_M}",
    ),
    _frame(
        Kind.WHICH,
        rf"(?:which|what)(?: one)?(?: of)? {_N} (?:is|have) {_STATE}{_IN_M}",
        rf"which(?: one)?(?: of)? {_N} (?:is|have){_LIE} {_M}",
        rf"which (?:is|have) {_STATE}{_IN_M}",
        rf"(?:which|what) {_N} (?:did|have) (?:you|one) {_VERB}{_IN_M}",
    ),
    _frame(Kind.EXISTS, rf"is there (?:only )?{_N}{_THERE}{_LIE}{_IN_M}{_THERE}"),
    _frame(
        Kind.EXISTS,
        rf"(?:do|did|have) (?:you|one)(?: (?:have|own|get|know of))* {_N}(?: {_M}|{_THERE})",
        rf"(?:do|did|can) you see {_N} {_M}",
    ),
    _frame(
        Kind.STATE,
        rf"(?:did|have) {_WHO} (?:leave|forget) {_N}{_LIE} {_STATE}{_IN_M}",
        rf"(?:did|have) (?!you\b){_WHO} (?:forget to )?(?:(?:turn|switch) {_N} {_STATE}|{_STATE} {_N})",
        rf"(?:is|have) {_N} {_STATE}(?: or (?:is it )?[a-z ]+| of <\d+>)?{_IN_M}",
    ),
    _frame(
        Kind.CONTENTS,
        rf"what(?: {_N})? is(?: there)?{_LIE} {_M}|what(?: {_N})? is (?:there|here)",
        rf"what(?: {_N})? (?:do|did|have|can) (?:you|one)(?: {_OWN}| keep| put| store)+{_THERE}{_LIE}{_IN_M}{_THERE}",
        rf"what(?: {_N})? have (?:you|one) {_M}",
        rf"(?:is|do|did|can|have) (?:there |you |one )?(?:have |see |find )?anything{_LIE} {_M}{_THERE}",
        rf"what(?: {_N})? (?:lie|sit|stand|hang|go|belong) {_M}|(?:list|name) (?:anything|what is) {_M}",
    ),
    _frame(
        Kind.WHERE,
        rf"where(?: {_AUX})?(?: {_WHO} {_PUT})? {_N}{_LIE}{_IN_M}",
        rf"is {_N} {_RELATION} <\d+> or .*",
        rf"(?:have|did|can|do) (?:you|one) {_SEE} {_N}{_THERE}{_IN_M}",
        rf"{_N},? where|(?:is there )?(?:sign|trace) of {_N}",
    ),
    _frame(Kind.EXISTS, rf"is {_N}{_LIE} (?:{_M}|there|here|anywhere)"),
    _frame(
        Kind.DID,
        rf"(?:did|have) you {_VERB}(?:(?: [a-z]{{2,}})? {_N}{_PARTICLE}{_IN_M}(?: (?:{_ON_AND_ON}) .*)?)?",
        rf"(?:did|have) you {_VERB}(?: to)? {_M}",
        rf"(?:is|have|did) {_N} (?![a-z]{{2,}}ing\b){_VERB}(?: {_M})?",
    ),
    _frame(Kind.ABOUT, rf"(?:what (?:do you know|can you (?:tell|say)(?: one| me| us)?) )?about {_N}|describe {_N}"),
)

# --- What is a question at all.

_REQUEST = re.compile(
    r"(?:can|could|may|will|would) (?:not )?(?:you|i|we|some(?:one|body)|any(?:one|body))\b(?! see)"
    r"|shall we|why do not (?:you|we) (?!do )",
    re.IGNORECASE,
)
_IMPERATIVE = re.compile(r"(?:do|have)\b(?! (?:i|you|we|they|people|all|any)\b)(?!.* been\b)", re.IGNORECASE)
_INVERTED = re.compile(
    rf"{_AUX} |(?:who|when|where|why) {_AUX} |(?:what|which|how)(?: [a-z]+)?(?: <\d+>)? {_AUX}\b|whose |who "
)
_TOPIC = re.compile(r"(?P<topic><\d+>) ?, (?P<rest>(?:what|when|how|where|why|which|is|did|have|do)\b.*)")


def read_question(
    text: str, lexicon: Lexicon, now: float, *, zone: tzinfo = timezone.utc, names: Names | None = None
) -> Question | None:
    """Return what a sentence asks for, None where it is no question.

    `now`: seconds, when it was said; `names`: what things of this home are called besides → categories.
    A question that no frame fits, and one about people, is of kind TOLD: only what people told may answer it.
    """
    plain, indirect = _plain(text[:_LONGEST])
    asked = text.rstrip("\"'”’).! ").endswith("?")
    if _REQUEST.match(plain) or (_IMPERATIVE.match(plain) and not asked):
        return None
    number_too = _NUMBER_TOO.search(plain)
    plain = plain[: number_too.start()] if number_too else plain
    first: tuple[Marked, Span | None] | None = None
    for said, time in _times(plain, now, zone):
        marked = mark(said, lexicon, names)
        marked = _direct(Marked(_bare(marked.text), marked.things), indirect, asked)
        first = first or (marked, time)
        for form in (marked, _attached(marked)):
            if (question := _framed(form, text)) is not None:
                counted = {"kind": Kind.COUNT} if number_too and question.kind is Kind.EXISTS else {}
                sooner = question.kind is Kind.WHEN and " first " in plain.casefold()
                return question.model_copy(update={"time": time, "first": sooner, **counted})
    if first is None or not _asks(first[0].text, asked or indirect):
        return None
    marked, time = first
    question = by_parts(marked, text)
    return question.model_copy(update={"time": time}) if question and not _personal(question) else _told(text, *first)


def _plain(text: str) -> tuple[str, bool]:
    """Return a text without contractions and politeness, and whether its question was an indirect one."""
    for pattern, plain in _PLAIN:
        text = pattern.sub(plain, text)
    text = " ".join(text.split())
    if (missed := _MISSED.match(text)) is not None:
        text = f"{missed['lost']}, {text[missed.end() :]}"
    direct = _INDIRECT.sub("", text, count=1) if _INDIRECT.match(text) else text
    return direct, direct != text


def _times(text: str, now: float, zone: tzinfo) -> Iterator[tuple[str, Span | None]]:
    """Yield the readings of the time: taken out, none (it may be part of a name), a clause."""
    said, time = take_time(text, now, zone)
    yield said, time
    if time is not None:
        yield text, None
    said, clause = take_clause(text)
    if clause is not None:
        yield said, clause


def _bare(text: str) -> str:
    """Return a text in which the words between the marks have one form each, and those that add nothing are gone."""
    text = _PARTS.sub(r"\1", " ".join(text.split()))
    text = _PREPOSITIONS.sub(lambda match: PLACED[match[0]].value, text)
    words: list[str] = []
    for word in _WORD.findall(text):
        after = words[-1] if words else ""
        if word in ADVERBS or (word in ("get", "got") and "have" in words):
            continue
        if word == "not" and words[:1] != ["what"]:
            continue
        if word == "left" and after not in ("one", "you", "who", "have"):
            continue
        if word in PERSONS:
            words.append("you" if word == "you" else "one")
        elif word in _SOMETHING:
            words.append("anything")
        elif word.isalpha() and after.startswith("<") and words[-2:-1] == ["is"] and not _participle(word):
            words.append(f"{word}_")
        elif word.endswith("ing") and after.startswith("<") and words[-2:-1] == ["is"]:
            words.append(base_form(word) if base_form(word) in STATES.keys() | _HELD else word)
        else:
            words.append(AUXILIARIES.get(word) or base_form(word))
    return " ".join(words).replace(" ,", ",").strip(" ,")


def _participle(word: str) -> bool:
    """Whether a word after "is <0>" can be a participle, or one of the words that frames name."""
    return base_form(word) != word or word in ENDS or word in _STATED or word in BASES.values() or word.endswith("er")


def _direct(marked: Marked, indirect: bool, asked: bool) -> Marked:
    """Return a question in the order of a direct one: "where <0> is", "<0>, where is <1>" → "where is <0>"."""
    text, things = marked.text, list(marked.things)
    if (topic := _TOPIC.fullmatch(text)) is not None:
        text = _named(topic["rest"], topic["topic"], things)
    elif (tail := re.fullmatch(r"(.*<\d+>.*), (<\d+>)", text)) is not None:
        text = _named(tail[1], tail[2], things)
    if asked and not indirect and re.match(r"<|you|one", text):
        text = f"whether {text}"
    if indirect and text.startswith("if "):
        text = f"whether {text[3:]}"
    if (last := _VERB_LAST.fullmatch(text)) is not None and (indirect or text.startswith(("whether", "why"))):
        verbless = "is" if re.match(rf" (?:{_RELATION} <|{_STATE}$)", last["rest"]) else "did"
        text = f"{last['head']} {last['aux'] or verbless} {last['subject']}{last['rest']}"
    text = text.removeprefix("whether ")
    where = _WHERE_IN.fullmatch(text)
    if where is not None and (where["n"] is None or _holds(marked.thing(where["n"]))):
        text = f"where {where['a'] or where['b'] or where['c']}"
    if (contains := _CONTAINS.fullmatch(text)) is not None and (contains["asked"] or contains["what"]):
        asked_for = f"{contains['asked']} is" if contains["asked"] else f"is there{contains['what']}"
        text = f"{asked_for} {contains['where'] or 'in'} {contains['in']}"
    return Marked(text, marked.things)


def _holds(thing: Thing) -> bool:
    """Whether a thing may be where others are: "room", "drawer", and not "colour", "time"."""
    return bool(thing.categories) or thing.text.casefold() in _ROOMS


def _named(text: str, topic: str, things: list[Thing]) -> str:
    """Return a text in which the topic stands for the first pronoun."""
    marks = (found[0] for found in re.finditer(r"<\d+>", text) if things[int(found[0][1:-1])].pronoun)
    return text.replace(next(marks, topic), topic, 1)


def _attached(marked: Marked) -> Marked:
    """Return a text in which "<0> in <1>" is one thing that is somewhere."""
    text, things = marked.text, list(marked.things)
    while (match := _ATTACHED.search(text)) is not None:
        thing, place = (int(match[part][1:-1]) for part in ("thing", "place"))
        where = Where(relation=Relation(match["relation"]), thing=things[place])
        things[thing] = things[thing].model_copy(update={"place": where})
        text = text[: match.start()] + match["thing"] + text[match.end() :]
    return Marked(text, tuple(things))


def _framed(marked: Marked, quote: str) -> Question | None:
    """Return the question of the first frame that fits, None for none."""
    for frame in _FRAMES:
        if (match := frame.pattern.fullmatch(marked.text)) is not None:
            question = _question(frame, match, marked, quote)
            return _told(quote, marked, None) if _personal(question) else question
    return None


def _question(frame: _Frame, match: re.Match[str], marked: Marked, quote: str) -> Question:
    part = {name.rpartition("_")[0]: value for name, value in match.groupdict().items() if value}
    thing = marked.thing(part["n"]) if "n" in part else None
    place = Where(relation=Relation(part["relation"]), thing=marked.thing(part["m"])) if "m" in part else None
    if thing is not None and thing.place is not None and place is None:
        thing, place = thing.model_copy(update={"place": None}), thing.place
    if place is not None and place.thing.text.casefold() in _HOME:
        place = None
    deed = " ".join(filter(None, (part.get("verb"), part.get("particle"))))
    said = {"thing": thing, "place": place, "state": STATES.get(part.get("state", ""), ""), "deed": deed}
    return Question.model_validate({"quote": quote, "kind": frame.kind, **said, **frame.fixed})


def _personal(question: Question) -> bool:
    """Whether a question is about people: only what was told can answer it."""
    things = (question.thing, question.place.thing if question.place else None)
    return any(thing is not None and thing.text.casefold().split()[-1] in PEOPLE for thing in things)


def _told(quote: str, marked: Marked, time: Span | None) -> Question:
    thing = marked.things[0] if marked.things else None
    return Question(quote=quote, kind=Kind.TOLD, thing=thing, time=time)


def _asks(text: str, asked: bool) -> bool:
    """Whether words that no frame fits are a question all the same. `asked`: it has a question mark, or is indirect."""
    return _INVERTED.match(text) is not None or (asked and re.match(_WH, text) is not None)
