# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the pieces of an utterance begin with: politeness, conditions, wishes, what is told."""

from __future__ import annotations

import re

from karma_language.verbs import Verb
from karma_language.words import each

LEADS = re.compile(
    r"(?:(?:would|do) you mind(?: to)?|please|kindly|now|then|and|so|well|ok|okay|oh|ah|hey|hi|hello"
    r"|right|alright|great|good|perfect|yes|yeah|yep|sure"
    r"|robot|karma|dear|honey|mate|buddy|just|also|plus|actually|maybe|perhaps|next|finally|lastly|afterwards|again|but|oops"
    r"|ugh|um|uh|hmm?|mm|on second thoughts?|too much|enough|(?:hold|hang|crack|carry) on|(?:wait"
    r"|listen)(?= ,)|look here|thanks|thank you|sorry|excuse me|good (?:morning|evening|afternoon)"
    r"|to|at last|at the end|in the end"
    r"|first(?:ly)?(?: of all)?|second(?:ly)?|third(?:ly)?|after that|to begin(?: with)?"
    r"|once (?:that is|you are)? ?done|when you are done"
    r"|whenever you (?:have|are|get|can|like)(?: a| the)?(?: time| minute| moment| ready)?(?: to [a-z]+ (?:it|them))?"
    r"|when(?: that is)? (?:done|finished)(?= ,)|this way|that way|as a (?:first|second|last"
    r"|next) step|in addition|additionally"
    r"|(?:can|could|will|would|might) (?:you|u|someone|we)(?: all)?(?: be able to)?|are you able to"
    r"|(?:can|could|may|might) (?:i|we) (?:trouble|ask|bother|get|have) you to"
    r"|(?:is it|would it be) possible to|mind(?= [a-z]+ing\b)"
    r"|i would be (?:so |very )?(?:glad|happy|grateful|delighted|pleased) if you (?:could|would)?"
    r"|(?:i|we) (?:was wondering|were wondering|wonder) (?:if|whether) (?:you|someone) (?:can|could|might|would)"
    r"|you (?:can|could|should|must|need to"
    r"|have to|may|might want to|ought to|are to|will)|(?:we|i) (?:need|have|ought|had better)? ?to(?! be)"
    r"|we (?:should|must|could|can)|go(?= (?:get|fetch|find|put|take|grab|bring|check|look|pick|open|switch|turn"
    r"|close)\b)|do the following|(?:and )?(?:one|another)(?: more)? thing|i (?:would"
    r"|should) (?:like|love|want|appreciate)(?: it)?(?: if you (?:could|would|can))?(?: for)?"
    r"(?: you)? to|i (?:would )?(?:want|need|like|expect|ask)(?: for)? (?:you to|that you)"
    r"|i would (?:be grateful|appreciate it) if you"
    r"(?: could| would)?|i (?:would )?(?:want|like) you|i said|i (?:would )?say"
    r"|i (?:think|guess|suppose|suggest) you (?:could|can|should)|it would be (?:nice|great|good"
    r"|lovely|kind) if you (?:could|would)"
    r"|would you be so (?:good|kind)(?: as)?(?: to| and)?|(?:please )?be (?:so |an? )?(?:kind|good|angel"
    r"|dear|love|darling|sweetheart|star|pet|sport)"
    r"(?: enough)?(?: as)?(?: to| and)|let us|go ahead and|go and|come and|(?:try|be sure|make sure"
    r"|remember|take care|proceed|continue|get)"
    r" to(?= [a-z])|do not forget to|help me(?: to| with)?|do me a favou?r(?: and|,)?|(?:your"
    r"|the) task is(?: to)?|take (?:a moment|some time"
    r"|time|a minute) to|(?:begin|start|finish|end) by|it is time to|time to|for the (?:next"
    r"|last) thing|come on|go on|quick(?:ly)?|hurry(?: up)?"
    r"|whenever you (?:have|are|get|can|like)(?: a| the)?(?: time| minute| moment| ready)?|all right"
    r"|no problem|if you (?:can|could|please|like"
    r"|want|do not mind|would not mind|have time|have a minute)|if possible|by the way|at some point|no rush"
    r"|no hurry|as soon as possible|right away|carefully"
    r"|gently|as well as|do)\b(?! is\b)"
)
"""What leads to a request and asks for nothing itself."""
GERUND = re.compile(r"(?:(?:(?:would|do) you )?mind|by|begin by|start by)$")
IF = re.compile(
    r"(?:(?:only |even )?if|in case|provided(?: that)?|assuming(?: that)?|should"
    r"|when(?= (?:the|my|our) [^,.!?;]{1,40} (?:is|are) [a-z]+ ?,))\b|(unless)\b"
)
LEFT = re.compile(r"(?:you|i|we|somebody|someone) (?:have )?(?:left|forgot(?:ten)?)\b")
ELSE = re.compile(r"(?:otherwise|or else|else|if not|if there is (?:not any|none|not)|failing that)\b")
NOT = re.compile(r"(?:do not|never|please do not|you (?:must|should|may|can) not|no need to|avoid|stop)\b")
WAIVED = re.compile(r"(?:bother|worry|mind|need|have)\b")
BACKGROUND = re.compile(
    r"(?:although|though|even (?:though|with|if)|as|because|since|despite|in spite of|instead of"
    r"|rather than|regardless of|during"
    r"|throughout|while|whilst|when(?:ever)?|now that|whereas|unlike|besides|given|considering|for|with|after"
    r"|before|once|upon|to (?:ensure|avoid|make sure|keep))\b"
)
"""What begins what is said before a request, up to a comma."""
ORDER = re.compile(r"(after|before|once|while|when|as soon as)\b")
WANT = re.compile(
    r"(?:i|we) (?:would (?:really |also |just )*(?:like|love|prefer|want|need)|(?:really |also "
    r"|just )*(?:want|need|require|could use"
    r"|fancy|am after))"
    r"(?: to (?:have|get|see))?\b|(?:can|could|may|might) (?:i|we) (?:please )?"
    r"(?:have|get|see)\b|i will (?:have|take)\b|let (?:me|us) have\b|how about\b|what about\b"
)
BECAUSE = re.compile(r"(?:and )?(?:so that|because|in order to|since|even (?:if|though))\b")
NOTE = re.compile(
    r"(?:when(?:ever)? (?:i|we) say\b|by [^,.]{1,40} (?:i|we) mean|for the future|from (?:now"
    r"|today) on|remember|note|(?:keep|bear)(?: it| that| this)? in mind|do not forget"
    r"|remind (?:me|us) (?:to|that|about|when|on|at|in|tomorrow)|fyi|for your information)\b"
    r"(?! to (?:put|turn|close|bring|switch)\b)"
)
LASTING = re.compile(
    r"\W*(?:i|we) (?!(?:want|need|would like|expect|ask) you\b)[^?]*\b(?:every|each) [a-z]+"
    r"|\W*any(?:thing|one) (?:but|except)\b"
    r"|\W*(?:got|had|saw|met|bought|lost|broke) (?:a|an|the|my|our|some|new)\b[^?]*$"
    r"|(?!\W*mine\b)[^?]*\bfor (?:the )?(?:next time|future)\W*$"
    r"|\W*(?:(?:you (?:may|can|should)|just|please|everyone|everybody|people|and|but)\b\W*)*calls? me"
    r" (?!later\b|back\b|again\b|now\b|tomorrow\b|tonight\b)[^\W\d_]+\W*$",
    re.IGNORECASE,
)
"""What holds from now on, or again and again, and asks for nothing now."""
REPORT = re.compile(
    r"(?:(?:do you|can you|could you|i) (?:know|remember|tell me|tell|wonder)|tell (?:me|us)"
    r"|let (?:me|us) know|say|report|look|see|check|show me)(?: (?:afterwards?|then|later|please))?\b"
)
SURE = re.compile(r"(?:(?:please )?(?:make|be) (?:sure|certain)|ensure|see to it|see|check)(?: that)?\b")
TO_BE = re.compile(
    r"(?:(?:should|must|shall|ought to|has to|have to|needs? to|is to|are to|is supposed to"
    r"|are supposed to|can|could|may)"
    r"(?: now| also| please)? (?:be|go|stay|get|stand|sit|lie|come)|needs? to|should|must)\b"
)
GOES = re.compile(r"(?:goes|go|should go)\b(?: over)?")
NEEDS = re.compile(r"(?:needs?|wants|requires?)\b")
BE = frozenset(each("is are was were be"))
FOR_GOOD = re.compile(r"\b(?:ever|never|any ?more|again|without|unless|until|before|after|when|while|let|always)\b")
"""What shows that something is forbidden for more than the moment."""
PUT = Verb("put", "put", "base", 0)
SWITCH = Verb("switch", "switch", "base", 0)
CAUSES = {
    **{"on": SWITCH, "off": SWITCH},
    **{
        state: Verb(verb, verb, "base", 0)
        for state, verb in {
            **{"open": "open", "closed": "close", "clean": "clean", "full": "fill", "empty": "empty"},
            **{"broken": "break", "sliced": "slice", "cooked": "heat", "hot": "heat", "cold": "cool"},
        }.items()
    },
}
"""State that is wanted → what brings it about; on and off are its particles, too."""
BRING = Verb("bring", "bring", "base", 0)
REASON = re.compile(
    r"(?:so that|so|because|since|as|in order to|to (?:keep|make|ensure|avoid|help|prevent|save|free"
    r"|let|have|be|see))\b"
)
TELLING = frozenset(
    each(
        "want need like love hate have had got feel think know said told changed mean guess hope live"
        " work go come went came"
        " stink look seem taste smell call died broke spilled bought gave made put took left lost found"
        " died hurt forgot hear"
    )
)
