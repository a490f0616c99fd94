# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions in English, by rules: frames of words around the noun phrases, states and times of a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timezone, tzinfo

from karma_language.noun_phrases import PREPOSITION, Marked, attached, mark, relation_of
from karma_language.reading import Kind, Question, Relation, Thing, Where
from karma_language.time_expressions import take_time
from karma_language.vocabulary.lexicon import Lexicon

_POLITE = re.compile(
    r"^\W*(?:(?:please|hey|hi|hello|ok|okay|karma|robot|so|and|well|now|oh|um|say|excuse me|sorry)\b\W*)*"
    r"(?:(?:(?:can|could|would|will) you (?:please )?)?(?:tell|remind|show) (?:me|us)(?: again)?"
    r"|do you (?:happen to )?(?:know|remember)|(?:any|have you (?:got )?any) idea"
    r"|(?:i|we) (?:forgot|have forgotten|want to know|would like to know|need to know|wonder|was wondering|am wondering"
    r"|can(?:no|['’])t (?:find|remember))(?: again)?|i['’](?:d like|ve forgotten|m wondering)(?: to know)?)?\W*",
    re.IGNORECASE,
)
_STATES: Mapping[str, str] = {
    **dict.fromkeys(("on", "switched on", "turned on", "running", "lit", "burning", "playing"), "on"),
    **dict.fromkeys(("off", "switched off", "turned off", "out"), "off"),
    **dict.fromkeys(("open", "opened", "ajar"), "open"),
    **dict.fromkeys(("closed", "shut"), "closed"),
    **dict.fromkeys(("clean", "cleaned", "washed", "spotless"), "clean"),
    **dict.fromkeys(("dirty", "soiled", "unwashed"), "dirty"),
    **dict.fromkeys(("full", "filled"), "full"),
    **dict.fromkeys(("empty", "emptied"), "empty"),
    **dict.fromkeys(("broken", "cracked", "smashed", "in pieces"), "broken"),
    **dict.fromkeys(("whole", "intact", "in one piece"), "whole"),
    **dict.fromkeys(("sliced", "cut", "cut up", "chopped"), "sliced"),
    **dict.fromkeys(("cooked", "done", "fried", "boiled", "toasted"), "cooked"),
    **dict.fromkeys(("hot", "warm"), "hot"),
    **dict.fromkeys(("cold", "cool", "chilled"), "cold"),
}
_STATE = "(?P<state>" + "|".join(sorted(map(re.escape, _STATES), key=len, reverse=True)) + ")"
_IRREGULAR = {
    **{
        "put": "put",
        "took": "take",
        "taken": "take",
        "brought": "bring",
        "got": "get",
        "gotten": "get",
        "gave": "give",
    },
    **{"given": "give", "threw": "throw", "thrown": "throw", "cut": "cut", "broke": "break", "broken": "break"},
    **{"went": "go", "gone": "go", "left": "leave", "saw": "see", "seen": "see", "found": "find", "made": "make"},
    **{"did": "do", "done": "do", "held": "hold", "shut": "close", "lit": "switch on", "said": "say", "told": "tell"},
    **{"wiped": "clean", "washed": "clean", "rinsed": "clean", "moved": "move", "closed": "close", "sliced": "slice"},
}
_N = r"<(?P<n>\d+)>"
_M = rf"{PREPOSITION} <(?P<m>\d+)>"
_BE = r"(?:['’]s|['’]re| is| are| was| were| am)"
_VERB = r"(?P<verb>[a-z]+(?: (?:on|off|up|away|out|down|over))?)"
_WHO = r"(?:you|i|we|he|she|they|somebody|someone|anybody|anyone|the robot)"
_EVER = r"(?:(?:ever|already|just|actually|last|recently) )?"


def _thing(match: re.Match[str], marked: Marked) -> dict[str, object]:
    """Return what a frame's parts mean: thing, place, state and deed, as far as they are in it."""
    group = match.groupdict()
    found: dict[str, object] = {}
    if group.get("n"):
        found["thing"] = marked.thing(group["n"])
    if group.get("m"):
        found["place"] = Where(relation=relation_of(group["relation"]), thing=marked.thing(group["m"]))
    if group.get("state"):
        found["state"] = _STATES[group["state"]]
    if group.get("verb"):
        found["deed"] = base_form(group["verb"])
    return found


def _frame(kind: Kind, pattern: str, **fixed: object) -> tuple[Kind, re.Pattern[str], Mapping[str, object]]:
    return kind, re.compile(pattern + r"\W*$"), fixed


_FRAMES = (
    # what the robot holds, where it is, what it can do
    _frame(Kind.HOLDING, r"what (?:are you|have you got) (?:holding|carrying|in your (?:hand|hands|gripper))"),
    _frame(Kind.HOLDING, r"what have you got (?:there|in <\d+>)"),
    _frame(
        Kind.HOLDING, rf"(?:are you|is the robot|do you) (?:holding|carrying|hold|carry)(?: anything| something| {_N})"
    ),
    _frame(Kind.HOLDING, rf"do you have (?:anything|something|{_N}) in (?:your hand|your gripper|<\d+>)"),
    _frame(Kind.ROBOT, r"where (?:are|were) you"),
    _frame(
        Kind.ROBOT, r"(?:which|what) (?:room|floor|storey|level|part of the house|<\d+>) (?:are|were) you (?:in|on|at)"
    ),
    _frame(Kind.ROBOT, r"(?:on|in) (?:which|what) (?:room|floor|storey|level) are you"),
    _frame(
        Kind.ABLE,
        r"what (?:can|could) you (?:do|help (?:me |us )?with)(?: for (?:me|us))?|what are you (?:able to do|good at|capable of)",
    ),
    _frame(Kind.ABLE, r"how can you help(?: me| us)?|what (?:skills|abilities) do you have|what do you do"),
    # routes and sizes
    _frame(
        Kind.ROUTE,
        rf"how (?:do|can|would) (?:i|you|we|one) (?:get|go|come|walk|find my way)(?: from <\d+>)? (?:to|into) {_N}",
    ),
    _frame(Kind.ROUTE, rf"(?:what is|what['’]s) the (?:way|route|path)(?: from <\d+>)? to {_N}"),
    _frame(Kind.SIZE, rf"how (?:big|large|small|tall|wide|high) (?:is|are) {_N}"),
    _frame(Kind.SIZE, rf"(?:which|what) {_N} is (?:the )?(?:biggest|largest|smallest|tallest)"),
    _frame(
        Kind.SIZE,
        r"(?:which|what) (?:room )?is the (?:biggest|largest|smallest) room|which room is (?:the )?(?:biggest|largest|smallest)",
    ),
    _frame(Kind.SIZE, rf"what(?:['’]s| is) the (?:biggest|largest|smallest) {_N}"),
    # what happened, and why
    _frame(
        Kind.WHY, r"why (?:did|do|have|were|are|was)(?:n['’]t| not)? you (?:not )?(?:do|done|doing)(?: that| this| it)?"
    ),
    _frame(
        Kind.WHY,
        rf"why (?:did|have|were|was|could)(?:n['’]t| not)? (?:you|it|that|the robot) (?:not )?{_VERB}(?: {_N})?(?: .*)?",
    ),
    _frame(Kind.WHY, r"(?:why|how come)(?: not)?|why (?:did|has) (?:it|that) (?:fail|failed|go wrong|gone wrong)"),
    _frame(
        Kind.WHY,
        r"what (?:went wrong|was the (?:problem|matter|reason)|happened there)|what['’]s the (?:problem|matter|reason)",
    ),
    _frame(Kind.WHO, rf"who (?:has |had )?{_EVER}{_VERB} {_N}(?: {_M})?(?: .*)?"),
    _frame(Kind.WHO, r"who (?:told|asked|said) .*"),
    _frame(
        Kind.ASKED,
        r"what (?:is|has)(?: still)? (?:not (?:been )?(?:done|finished)|undone|left to do|unfinished|open|to do)(?: yet)?",
        undone=True,
    ),
    _frame(
        Kind.ASKED,
        r"what (?:did|have) you not (?:do|done|finish|finished)(?: yet)?|what (?:do you|have you) still (?:have )?(?:to do|got to do)",
        undone=True,
    ),
    _frame(
        Kind.ASKED,
        r"(?:is|are) there (?:anything|something) (?:left|still) to do|did you (?:do|finish) everything(?: .*)?",
        undone=True,
    ),
    _frame(
        Kind.ASKED,
        r"what (?:did|have|had) (?:i|we|somebody|anybody|people) (?:ask|asked|tell|told|say|said|want|wanted)(?: you)? to (?:do|be done)",
    ),
    _frame(
        Kind.ASKED,
        r"what (?:did|have) (?:i|we) (?:ask|asked|want|wanted)(?: of| from)? you(?: for| to)?(?: do)?|what (?:was|were) (?:my|our|the) (?:last )?(?:request|requests|instruction|instructions|order|orders|task|tasks)",
    ),
    _frame(
        Kind.TOLD, rf"what (?:did|have) (?:i|we|<\d+>|[a-z]+) (?:tell|told|say|said)(?: to)?(?: you)?(?: about {_N}.*)?"
    ),
    _frame(
        Kind.LOOKED, r"(?:what|where) (?:did|have) you (?:look|looked|search|searched)(?: at| in| into| for| through)?"
    ),
    _frame(
        Kind.LOOKED,
        rf"(?:did|have) you {_EVER}(?:look|looked|check|checked|search|searched|been) ?(?:at|in|into|inside|to|under|behind)? {_N}",
    ),
    _frame(
        Kind.LOOKED,
        r"which (?:rooms|places|<\d+>) (?:did|have) you (?:look|looked|search|searched|visit|visited|see|seen|been)(?: at| in| into| to)?",
    ),
    _frame(
        Kind.CHANGED,
        rf"(?:did|has|have) (?:anything|something|things|a lot|much) (?:else )?(?:change|changed|move|moved|been moved|happened to change)(?: {_M})?",
    ),
    _frame(
        Kind.CHANGED,
        rf"what(?:['’]s| is| has| have|['’]ve)? (?:been )?(?:changed|different|new|moved|missing|otherwise)(?: {_M})?",
    ),
    _frame(Kind.CHANGED, rf"(?:is|was) (?:anything|something) (?:different|new|missing|moved)(?: {_M})?"),
    _frame(Kind.CHANGED, rf"(?:has|have|did) {_N} (?:changed?|moved?|been moved)"),
    _frame(Kind.CHANGED, rf"what (?:has )?(?:happened|changed) (?:to|with|about) {_N}"),
    _frame(
        Kind.CHANGED, rf"(?:did|has) (?:somebody|someone|anybody|anyone) (?:move|moved|take|taken|touch|touched) {_N}"
    ),
    _frame(
        Kind.HAPPENED,
        rf"what (?:has )?happened(?: {_M})?|what was going on|how was (?:your|the) day|what did i miss|anything new|what['’]s new|what['’]s up",
    ),
    _frame(
        Kind.DID,
        r"what (?:did|have|had) you (?:do|done|been doing|been up to|get done|gotten done|achieve|achieved|accomplish|accomplished|finish|finished)(?: for (?:me|us))?",
    ),
    _frame(Kind.DID, r"what were you doing|what are you doing|what have you been (?:doing|up to)"),
    _frame(Kind.DID, rf"what (?:did|have) you (?:do|done) (?:with|to) {_N}"),
    _frame(Kind.HOW_OFTEN, rf"how (?:often|many times) (?:did|have|do|has) {_WHO} {_EVER}{_VERB} {_N}(?: {_M})?"),
    _frame(Kind.HOW_OFTEN, rf"how (?:often|many times) (?:was|were|has|have) {_N} (?:been )?{_VERB}"),
    _frame(Kind.HOW_LONG, rf"how long (?:has|have|had|was|were|is) {_N} (?:been )?(?:{_STATE}|there|{_M})"),
    _frame(
        Kind.HOW_LONG, rf"(?:since when|for how long) (?:is|are|was|has|have) {_N} (?:been )?(?:{_STATE}|there|{_M})"
    ),
    # when
    _frame(Kind.WHEN, rf"when (?:did|have) {_WHO} first {_VERB} {_N}(?: {_M})?", first=True),
    _frame(Kind.WHEN, rf"when (?:did|have|had) {_WHO} {_EVER}{_VERB} {_N}(?: {_M})?(?: last| the last time)?"),
    _frame(Kind.WHEN, rf"when was the (?:last|most recent) time (?:that )?{_WHO} {_VERB} {_N}(?: {_M})?"),
    _frame(Kind.WHEN, rf"when was the first time (?:that )?{_WHO} {_VERB} {_N}(?: {_M})?", first=True),
    _frame(Kind.WHEN, rf"when (?:was|were) {_N} first {_VERB}", first=True),
    _frame(Kind.WHEN, rf"when (?:was|were|has|have) {_N} (?:been )?{_EVER}{_VERB}"),
    _frame(
        Kind.WHEN,
        rf"how long ago (?:did|was|were|have) (?:{_WHO} )?{_EVER}{_VERB}? ?{_N}(?: {_VERB.replace('verb', 'verb2')})?",
    ),
    # how many, which, whether there is any
    _frame(
        Kind.COUNT,
        rf"how many (?:of )?{_N}(?: (?:are|is|were|was|do|does|have|has|did|can) (?:there|we|i|you|they)?(?: ?(?:have|got|own|see|left|still))*)?(?: (?:are )?{_M})?(?: (?:are )?(?:there|left|still there|in total|at home))?(?: {_M.replace('relation', 'relation2').replace('<(?P<m>', '<(?P<m2>')})?",
    ),
    _frame(Kind.WHICH, rf"which (?:of )?(?:one of )?{_N} (?:is|are|was|were) {_STATE}"),
    _frame(Kind.WHICH, rf"which (?:of )?{_N} (?:is|are|was|were) {_M}"),
    _frame(
        Kind.EXISTS,
        rf"(?:is|are|was|were) there (?:still )?{_N}(?: left| still)?(?: {_M})?(?: left| anywhere| at home)?",
    ),
    _frame(
        Kind.EXISTS,
        rf"(?:do|does|did|have) (?:we|i|you|they) (?:still )?(?:have |got |see |find |own )?{_N}(?: left| still)?(?: {_M})?(?: left| anywhere| at home)?",
    ),
    # states
    _frame(Kind.STATE, rf"(?:did|have|has) {_WHO} (?:leave|left|turn|turned|switch|switched) {_N} {_STATE}"),
    _frame(
        Kind.STATE,
        rf"(?:is|are|was|were|has|have) {_N} (?:still |already |really |currently |been )*{_STATE}(?: or not)?",
    ),
    _frame(Kind.STATE, rf"(?:is|are) {_N} {_STATE} or {_STATE.replace('state', 'state2')}"),
    _frame(Kind.STATE, rf"did (?:you|i|we|somebody|someone) (?:turn|switch) {_STATE} {_N}"),
    # contents
    _frame(
        Kind.CONTENTS,
        rf"what(?:{_BE}| do we have| have we(?: got)?| do you (?:see|have|know)| can (?:you|i) (?:see|find)| else is)? (?:there |lying |standing |left |still |inside )*{_M}",
    ),
    _frame(Kind.CONTENTS, rf"what(?:{_BE}| is there) (?:left )?(?:inside|underneath|beneath|behind) <(?P<n>\d+)>"),
    _frame(Kind.CONTENTS, rf"(?:is|are|was|were) there (?:anything|something|things|stuff) (?:left |else )?{_M}"),
    _frame(Kind.CONTENTS, rf"(?:is|are) (?:anything|something) (?:left )?{_M}"),
    _frame(Kind.CONTENTS, rf"what (?:does|do) {_N} (?:contain|hold|have (?:in|on) (?:it|them))"),
    _frame(Kind.CONTENTS, rf"(?:list|name) (?:everything|all things|what is) {_M}"),
    _frame(Kind.CONTENTS, r"what (?:do|can) you see(?: here| there| around you| right now)?"),
    # where
    _frame(
        Kind.WHERE,
        rf"(?:in |on )?(?:which|what) (?:room|floor|place|drawer|cabinet|cupboard|shelf|<\d+>)(?:{_BE}) {_N}(?: in| on| at)?",
    ),
    _frame(
        Kind.WHERE,
        rf"where(?:{_BE}|['’]d| did| has| have| do| does| can| could| had| might| should)? (?:{_WHO} )?{_EVER}(?:see|seen|put|leave|left|find|found|place|placed|get|notice|keep|store|have|go|been)? ?{_N}(?: (?:last|now|right now|kept|go|gone|belong|end up|ended up|got to|gotten to|been|be|hiding|located|supposed to be|again|seen|at|lying|these days|usually|normally|last seen|gone to))*(?: {_M})?",
    ),
    _frame(
        Kind.WHERE,
        rf"(?:have|did) you {_EVER}(?:seen|see|spotted|noticed|found|come across) {_N}(?: anywhere| somewhere| lately)?(?: {_M})?",
    ),
    _frame(Kind.WHERE, rf"what(?:['’]s| is| was) the (?:location|place|position|whereabouts) of {_N}"),
    _frame(Kind.WHERE, rf"{_N}(?: is| are)? where(?: is it| are they)?"),
    _frame(Kind.WHERE, rf"any (?:sign|trace|idea where) (?:of )?{_N}(?: is| are)?"),
    # whether something is somewhere; whether the robot did something
    _frame(Kind.EXISTS, rf"(?:is|are|was|were) {_N} (?:still |really |already )*(?:{_M}|there|here|at home)"),
    _frame(Kind.DID, rf"(?:did|have|has) you {_EVER}{_VERB} {_N}(?: .*)?"),
    _frame(Kind.DID, rf"(?:was|were|has|have) {_N} (?:been )?{_EVER}{_VERB}(?: by you)?"),
    # what is known
    _frame(Kind.ABOUT, rf"what (?:do you know|can you tell (?:me|us)|can you say) about {_N}"),
    _frame(Kind.ABOUT, rf"(?:describe|tell me about|tell me more about|tell us about) {_N}"),
)
_QUESTION = re.compile(
    r"(?:what|when|who|whom|whose|which|how|where|why|is|are|was|were|am|do|does|did|has|have|had|can|could|will|would"
    r"|should|shall|must|since when|any)\b",
)
_PERSONAL = re.compile(
    r"(?:what|when|who|whom|whose|which|how|where|why)\b|(?:am|do|does|did|is|are|have|has|was|were) (?:i|we|my|our|<|[a-z])"
)


def read_question(
    text: str,
    lexicon: Lexicon,
    now: float,
    *,
    zone: tzinfo = timezone.utc,
    names: dict[str, tuple[str, ...]] | None = None,
) -> Question | None:
    """Return what a sentence asks for, None where it asks for nothing that can be known.

    `now`: seconds, when it was said; `names`: what things of this home are called besides → categories.
    """
    quote = " ".join(text.split())
    asked = _POLITE.sub("", quote, count=1).strip()
    if not asked:
        return None
    asked = asked[0].lower() + asked[1:]
    plain, time = take_time(asked, now, zone)
    # A time can be part of a name, and a place be mistaken for one: then the whole is tried.
    for said, span in ((plain, time), (asked, None)) if time is not None else ((asked, None),):
        marked = mark(said, lexicon, names)
        for form in (marked, attached(marked)):
            text_marked = " ".join(form.text.split()).strip(" ?!.,")
            for kind, pattern, fixed in _FRAMES:
                if (match := pattern.fullmatch(text_marked)) is not None:
                    return _question(kind, match, form, quote, fixed).model_copy(update={"time": span})
    marked = mark(plain, lexicon, names)
    if (quote.rstrip("\"'”).! ").endswith("?") and _QUESTION.match(asked)) or (
        _PERSONAL.match(marked.text) and _inverted(asked)
    ):
        thing = marked.things[0] if marked.things else None
        return Question(quote=quote, kind=Kind.TOLD, thing=thing, time=time)
    return None


def with_noun(text: str, question: Question, noun: str) -> str:
    """Return a question with a noun for the pronoun that it is about; as it is where it names what it is about."""
    things = (question.thing, question.place.thing if question.place is not None else None)
    if not any(thing is not None and thing.pronoun for thing in things):
        return text
    return re.sub(
        r"\b(?:it|they|them|this|that|those|these|there)\b", f"the {noun}", text, count=1, flags=re.IGNORECASE
    )


def _inverted(text: str) -> bool:
    """Whether a sentence has a question's order of words: "when does …", "what must I …"."""
    return (
        re.match(
            r"(?:what|when|whom?|whose|which|how|where|why)(?:\s+[\w'’]+){0,3}?\s*(?:am|are|is|was|were|do|does|did|has|have|had"
            r"|must|should|shall|can|could|will|would|['’]s|['’]re)\b",
            text,
        )
        is not None
    )


def _question(kind: Kind, match: re.Match[str], marked: Marked, quote: str, fixed: Mapping[str, object]) -> Question:
    parts = _thing(match, marked)
    if kind is Kind.CONTENTS and "thing" in parts:
        parts["place"] = Where(relation=Relation.IN, thing=parts.pop("thing"))
    thing = parts.get("thing")
    if isinstance(thing, Thing) and thing.place is not None and "place" not in parts:
        parts["place"] = thing.place
        parts["thing"] = thing.model_copy(update={"place": None})
    if kind is Kind.COUNT and (second := match.groupdict().get("m2")) and "place" not in parts:
        parts["place"] = Where(relation=relation_of(match["relation2"]), thing=marked.thing(second))
    return Question.model_validate({"quote": quote, "kind": kind, **parts, **fixed})


def base_form(verb: str) -> str:
    """Return the base form of a verb, with its particle: "switched on" → "switch on"."""
    word, _, particle = verb.partition(" ")
    base = _IRREGULAR.get(word)
    if base is None:
        base = word
        for ending, instead in (("ied", "y"), ("ing", ""), ("ed", "")):
            if word.endswith(ending) and len(word) > len(ending) + 2:
                base = word[: -len(ending)] + instead
                if len(base) > 2 and base[-1] == base[-2] and base[-1] not in "sl":
                    base = base[:-1]
                break
    return f"{base} {particle}".strip()
