# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Set phrases: what asks for nothing, says when or what for, points to a place, or begins a correction."""

from __future__ import annotations

import re

from karma_language.vocabulary.words import each

FILLERS = frozenset(
    each(
        "please now then too also again just already kindly thanks thank everywhere dear robot karma okay ok"
        " still round maybe perhaps all immediately anyway simply finally directly straight first quickly"
        " myself yourself so very much well yet though whenever someplace somewhere around over across along lol haha"
        " actually afterwards afterward later-on only completely properly exactly even instead neatly"
        " nicely cheers mate sorry"
    )
) - frozenset(each("you all right over"))
FORMULAS = re.compile(
    r"(?:while you are (?:at it|(?:in |over |up |down )?there|here(?! in\b| at\b| on\b))|excuse me"
    r"|if (?:you (?:would not mind|can|could|please|like|want|would|do not mind"
    r"|have (?:time|a minute|a moment))|possible|necessary"
    r"|(?:it|that) is (?:ok|okay|alright|possible|no trouble|not too (?:much|difficult|hard)(?: trouble| to ask)?))"
    r"|(?:would|will|can|could) you(?: please)?(?= [.?!,]|$)|or (?:so|something|whatever)(?= [.?!,]|$)"
    r"|(?:or )?(?:wherever|whichever|whatever|anywhere)(?: you (?:like|want|prefer))?(?= [.?!,]|$)|up to you"
    r"|thank you(?: so| very)?(?: much)?|be an? (?:[a-z]+ )?[a-z]+(?= and [a-z]+)"
    r"|thanks(?: a lot| so much)?"
    r"|i (?:mean|meant)(?= [.,!?;—]|$)|no matter (?:which|what|where)"
    r"|for (?:me|us|you|him|her|them|now|a change|good|sure|once|example|free)\b|as soon as (?:possible|you can)"
    r"|once (?:again|more)"
    r"|(?:when(?:ever)?|once) you are (?:done|finished|ready)(?: with (?:it|that|them))?"
    r"|when(?:ever)? you (?:have|get|find|are|can|like)(?: a| the| some)?(?: free)?(?: time| minute"
    r"| moment| second| chance"
    r"| ready| done| finished)?(?: to [a-z]+ (?:it|them))?|right (?:away|now|there|here)|at once"
    r"|at some point|at least|in any case|either way|out of the way|as well|after all"
    r"|no (?:rush|hurry|problem)|by the way|with(?:in)? (?:my |easy )?reach"
    r"|will do|would be (?:nice|great|good|lovely)|all right|one by one|all together|by hand|at all|of course"
    r"|(?:yes|ok|okay|right|alright|eh|no)(?= \?)|in total|a bit|a little"
    r"|(?:just )?(?:that|this) way(?= [.?!,]| and\b| in\b| on\b|$)|like that|and all(?= [.?!,]|$)"
    r"|where(?:ver)? (?:it|they|things) (?:is|are)(?: now)?(?= (?:[.?!,;]|and|right)|$)|over there|over here"
    r"|(?:how|what) about(?= [a-z]+ing\b)|after(?:wards| this|(?= [.?!,]|$))"
    r"|at least(?= [.?!,]|$)|before that|in the meantime|at the same time|with (?:it|them|that|both)"
    r"|(?:in|a?round|throughout) (?:the|this|our|my) (?:whole |entire )?(?:house|flat|apartment)"
    r"|(?:when|once|until|till) (?:it|that|they|this|all) (?:is|are|was|were) (?:all )?(?:done|ready"
    r"|finished|hot|warm|cold|cool|clean"
    r"|cooked)|straight away|up to date|so much|very much|on (?:your|the) way|in turn|and so on|to do so|for that)\b"
)
"""Set phrases that ask for nothing."""
GREETING = re.compile(
    r"(?:good )?(?:morning|afternoon|evening|night|day)(?: to you)?"
    r"(?: (?:there|everyone|everybody|all|both|my|dear|robot|karma|friend|buddy|child|love))*"
    r"(?= [.,!?]|$| (?:can|could|would|will|please)\b)"
)
"""What greets before a request: "GOOD MORNING MY DEAR, …"."""
IN_HAND = re.compile(
    r"(?:still |firmly |safely |tight(?:ly)? )?(?:in (?:your |one |both |the other )?(?:hands?|arms?)|with you)\b"
)
"""Where the robot has what it holds."""
PURPOSE = re.compile(
    r"(?:so that|so (?:i|we|it|they|he|she|you|nobody|no one|somebody|someone|everybody|everyone|the|that)\b"
    r"|because|since|as (?:i|we|it)\b|in order to|to (?:easily |quickly |better )?(?:keep|make|ensure"
    r"|avoid|help|prevent|save|free|let|have|be|see|use|check|stay|get ready)\b)"
)
"""What begins a reason, or what it is good for."""
LATER = re.compile(
    r"(?:tomorrow|tonight|later|in (?:an?|half an|one|\d+|[a-z-]+) (?:seconds?|minutes?|hours?|days?)"
    r"|at (?!(?:least|all|once|home|last|it|them|that|this|him|her|me|us|you)\b)(?:\d{1,2}(?::\d\d)?|[a-z]+)"
    r"(?: (?:o'clock|am|pm|thirty|fifteen))?"
    r"(?= [.,!?]|$)|at (?:noon"
    r"|midnight|night|lunchtime)"
    r"|(?:every|on|next|this) (?:day|morning|evening|afternoon|night|monday|tuesday|wednesday|thursday|friday|saturday"
    r"|sunday|week|hour)s?|in the (?:morning|evening|afternoon)|after (?:breakfast|lunch|dinner"
    r"|supper|work|school)|before (?:breakfast|lunch|dinner|bed)"
    r"|(?:when|once|as soon as|until|till) (?!you|again\b|more\b)(?:[^,.!?;]+))\b"
)
"""A time to come: it is not done now."""
EXCEPT = re.compile(
    r"(?:except(?: for)?|but(?: not)?(?! (?:only|also|just))|apart from"
    r"|other than|besides|aside from|excluding|save for)\b"
)
SAME_PLACE = re.compile(
    r"(?:(?:in|on|at|to) )?(?:the )?(?:very )?same (?:place|spot)\b|(?:in|on|over|up|down) (?:there|here)\b"
)
"""Where something else is, or was put."""
BACK = re.compile(
    r"(?:back )?(?:to )?(?:the (?:place|spot) )?where(?:ver)? (?:it|they|that|those|you) "
    r"(?:was|were|came from|belongs?|goes|go|stood|lay|had been|got|took|found|had|is kept|are kept|lives?)"
    r"(?: (?:it|them|that|those))?(?: from)?(?: before)?\b"
    r"|(?:back )?(?:to|in|into) (?:its|their) (?:old |former |previous |original |usual |own "
    r"|proper )?(?:places?|spots?)\b"
)
"""Where something goes that no word names: "where it was"."""
ITS_LIGHT = re.compile(r"(?:in|by|under) (?:its|the) light\b(?! of)")
TOGETHER = re.compile(r"(?:right )?(?:side by side|one (?:right )?(?:beside|next to|by|near) (?:the other|another))\b")
ALL_OF_THEM = re.compile(
    r"(?:all|both|each|every one|everything)(?: of (?:them|those|these|it))?"
    r"(?= (?:but|except|apart|save|bar|other than)\b| [.,;?!]|$)"
)
"""What takes up behind a place what goes there: "to the table, ALL OF THEM but the red one"."""
_SURE = r"(?:(?:make|be|making|being) (?:sure|certain)|ensure|see to it)"
MAKES_SURE = re.compile(rf"{_SURE}\b")
"""What asks for a state, whatever it is now: "MAKE SURE it is off"."""
WANTS_STATE = re.compile(
    rf"(?:(?:please )?(?:{_SURE}|see|check)|(?:i|we) (?:would (?:like|love|prefer)|want|need)(?= that\b))(?: that)?\b"
)
"""The same with what may as well ask whether it is so, before a thing and its state: "CHECK THAT it is off"."""
INSTEAD = re.compile(r"(?:instead of|rather than)(?: (?:on|in|at|to))?\b")
_AMOUNT = r"(?:sec(?:ond)?|min(?:ute)?|moment|hour)s?"
_WAITS = (
    rf"(?:for|until|till)\b|(?:(?:about|another|at least|some) )*(?!an? )\w+ (?:more )?{_AMOUNT}\b"
    rf"|an? (?:\w+ )?{_AMOUNT}(?= (?:, )?(?:and|then|before)\b| [.;]|$)"
)
"""What "wait" is said of to who is to wait: "wait ten seconds", "wait a minute and"."""
_WEAK = rf"wait(?! (?:{_WAITS}))(?: what| an? {_AMOUNT})?|(?:hang|hold) on(?! to)|oops|sorry|actually|well"
_STRONG = (
    r"no(?= \W| (?:wait|hang|sorry|no|stop|not|i|just|actually|rather|the|in|on|to|it)\b|$)|nope|nah"
    r"|(?:scratch|strike|cancel|ignore|skip) (?:that|it)"
    r"|not that(?: ones?)?|correction|or rather|rather(?! than)|make that|never mind|forget (?:it|that)"
    r"|i (?:mean|meant|wanted to say)|you know what|(?:on )?second thoughts?"
)
CORRECTION = re.compile(rf"(?:(?:or|oh|ah|er|erm|hm+|um+|uh|but) (?:, )?)*(?:(?:{_WEAK}|{_STRONG})\b(?: [,?])* ?)+")
"""What begins a correction, behind a pause."""
TAKES_BACK = re.compile(rf"(?:.* )?(?:{_STRONG})\b")
"""Of these, what takes back what was said whatever follows."""
MEANT = re.compile(r"(?:, )?(?:i (?:mean|meant)|rather|sorry|actually)(?= [.,!?;]|$)")
"""What shows behind a noun phrase that it takes the place of the one before it."""

CLAUSE_WORDS = FILLERS | {*re.findall("[a-z]+", FORMULAS.pattern + CORRECTION.pattern)}
"""Words of these, which are no slips."""


def later_in(text: str) -> str:
    """Return the time to come that a text says, "" for none: "tomorrow", "when I work"."""
    said = LATER.search(text.lower())
    return said[0] if said is not None else ""
