# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Ways of asking that come to the same, in the words that questions.py reads."""

from __future__ import annotations

import re

_WH = "(?:what|when|who|whom|whose|which|how|where|why)"
_LEAD = "(?:(?:please|can|could|would|will|you|mind|kindly|be so kind as to) )*"
_NOMINAL = (
    r"(?:(?:what (?:is|was|are)|(?:tell|give|show) me|list|name|state) )?(?:(?:the|my|its) )?"
    r"(?:current |exact |total |last known )*"
)
"""What leads on to a noun that asks: "give me THE NUMBER OF plates", "STATUS OF the fridge?"."""
_REWORDED = tuple(
    (re.compile(pattern, re.IGNORECASE), plain)
    for pattern, plain in (
        (
            r"^(?:did you (?:notice|see) |(?:were|are) there |have there been )any (?:changes|differences)\b",
            "has anything changed",
        ),
        (r"^(?:of|among) (?:(?:all|the|my|our) )+(\w+(?: \w+)?) ?, which(?: ones?)?\b", r"which \1"),
        (r"^for (?:what|which) purpose\b", "why"),
        (r"\b(?:were|are) you (?:unable|not able) to\b", "could you not"),
        (
            r"^what have you (?:yet|still) to do$|^what (?:still )?(?:remains|needs|has) to be done$"
            r"|^do you (?:still )?have anything (?:left )?to do$|^is there (?:still )?\w+thing (?:left )?to do$",
            "what have you not done",
        ),
        (r"^how many (.+) exist\b", r"how many \1 are there"),
        (r"\bwould i find\b", "are there"),
        (
            r"^(?:which|what) (?:jobs|tasks|orders) did i give you\b|^did i give you any (?:jobs|tasks|orders)\b",
            "what did i ask you to do",
        ),
        (r"^who gave you the (?:order|task|job) to\b", "who asked you to"),
        (r"^(?:which|what) person\b", "who"),
        (r"\bwho was asking\b", "who asked"),
        (r"^(?:have you done|did you do) anything with\b", "have you moved"),
        (r"^(?:what (?:is|was) )(.+?)(?:'s| is) (?:location|position|whereabouts)$", r"where is \1"),
        (r"^where abouts\b", "where"),
        (r"^where (?:should|could|can|do|would|must) i (?:look|search|go|check) (?:for|to find|to get)\b", "where is"),
        (r"\b(?:tell|show) me the \w+ (?:where|in which)\b", "tell me where"),
        (r"^(?:what|which) (?:of (?:the|our) )?rooms? has (.+) in it$", r"which room is \1 in"),
        (r"\bmost recently\b", "last"),
        (r"^how long (?:has it been|is it) since (?=you\b)", "tell me when "),
        (r"^which (.+) did you (?:see|find|notice) (\w+)$", r"which \1 are \2"),
        (r"\bdid you count$", "did you see"),
        (r"^what all\b", "what"),
        (r"\bdid you (?:need|have) to (?=\w)", "did you "),
        (r"^on how many occasions\b", "how often"),
        (r"^(has|have|is) (.+) (?:for )?(?:a )?(?:very )?long(?: time)?$", r"how long \1 \2"),
        (r"^what made you (?=\w)", "why did you "),
        (r"^what (?:stopped|kept|prevented) you\b.*", "why did you fail"),
        (r"^(?:on|by|at) whose (?:orders?|request|command) did you\b", "who asked you to"),
        (r"^(?:is there )?anything (?:that )?you have not (?:yet )?(?:done|finished)$", "what have you not done"),
        (
            r"^did you forget anything\b.*|^what (?:else )?is (?:still )?on your (?:to-?do )?list$",
            "what have you not done",
        ),
        (r"^what (?:are|were) you (?:supposed|meant|told|asked) to do\b", "what did i ask you to do"),
        (r"^repeat\b", "tell me"),
        (r"\bwhat (?:do|can) you (?:remember|recall) (?:of )?me (?:saying|telling you)\b", "what did i tell you"),
        (r"\bwhat have you (?:heard|been told|learned|learnt) (?=about\b)", "what did i tell you "),
        (
            r"^(?:would|do) you (?:say|think) (?:that |if |whether )?(?=(?:the|my|our)\b)",
            "tell me whether ",
        ),
        (r"^(?:can|could) i (?:find|get) (?=(?:an?|any|some)\b)", "is there "),
        (r"\bsuch a thing as\b", ""),
        (r"^is everything (?:still )?(?:as|the way|where) it was\b", "has anything changed"),
        (r"^(?:was|were) ((?:the|my|our) .+) (moved|taken away|shifted)\b", r"has \1 been \2"),
        (
            r"^(?:did|have|has) (?:i|we|you|somebody|someone|anybody|anyone) (?:leave|left) ((?:the|my|our) .+)"
            r" (closed|shut|locked)$",
            r"is \1 \2",
        ),
        (r"^were you the one (?:who|that)\b", "did you"),
        (r"^how did you spend\b", "what did you do"),
        (r" ?,? ?\b(?:may i ask|if i may ask)\b ?,?| ?,? please\b ?,?", " "),
        (r"^would you be so kind as to\b", "can you"),
        (r"\bany (?:notion|inkling)\b", "any idea"),
        (r"^(?:is there )?any chance (?:that )?", "tell me whether "),
        (r"\b(?:regarding|concerning|abt)\b", "about"),
        (r"\bwhat i (?:have )?(?:asked|told|wanted|ordered) you (?:to do|for)\b", "what did i ask you to do"),
        (
            r"\b(?:which|what)(?: of)?(?: the| my)? (?:things|requests|tasks|jobs)"
            r"(?: (?:that )?i \w+(?: you)?(?: for| to do)?)? are not (?:yet )?(?:done|finished)\b",
            "what have you not done",
        ),
        (r"\bwhether i (?:have )?(?:ever )?mention(?:ed)? (.+?)(?: to you)?$", r"what i told you about \1"),
        (r"\byou (?:have )?(?:heard?|learn(?:ed|t)?) from me (?=about\b)", "i told you "),
        (
            r"^when it was (?:the )?(last|first) time (?:that )?|^(?:the )?(last|first) time (?=you\b)",
            r"tell me when \1\2 ",
        ),
        (r"^(?:has it been|is it) (?:a )?long(?: time)?(?: ago)? since\b", "tell me when"),
        (r"^how many (?:minutes|hours|days|weeks) (?=(?:has|have|is)\b)", "how long "),
        (r"^what (?:is|was) the reason for (?=\w+ing\b)", "why did you "),
        (r"\bhow often (?:you have|have you|you)(?: \w+)? (?:had )?to (?=\w)", "how often did you "),
        (r"\bhave you (?:ever )?seen any\b", "are there any"),
        (r"^(?:are there )?any changes? (?:with|to|about) (?=(?:the|my|our)\b)(.+)$", r"has \1 changed"),
        (
            r"^(?:is there|has) (?:any|some)thing (?:been )?(?:changed|different|moved) (?:about|with) (.+)$",
            r"has \1 changed",
        ),
        (r"\bwhich (.+) (?:it is|is it) that is\b", r"which \1 is"),
        (r"^(?:the )?(\w+(?: \w+)?) that is (\w+) ?, which (?:one )?is it$", r"which \1 is \2"),
        (r"\bhow (?:frequently|regularly|much times|many times)\b|^(?:the )?number of times\b", "how often"),
        (r"\b(?:quite|surely|roughly|even) (?=\w)", ""),
        (r"\bwhether you (?:know|recall|remember|can tell(?: me)?) (?=(?:where|what|when|who|why|how|which|if)\b)", ""),
        (r"^i (?:am|was) trying to (?:work|find|figure) out\b", "i wonder"),
        (r"\b(?:say|repeat to|remind|explain to) me\b|\bexplain\b", "tell me"),
        (
            r"^(?:\w+ )?(tell|show|name)(?: me)? the (\w+) (?=(?:the|my|our) (?:\w+ )+(?:is|was) (?:in|on)$)",
            r"tell me which \2 ",
        ),
        (r"\btell me everything (?:that )?(?=you )|^(?:list|name) what\b", "tell me what "),
        (r"\bwhat you (?:just )?did$", "that"),
        (r"\bnot the same(?: as (?:before|it was))?\b", "different"),
        (r"\b(shifted|moved|pushed) (?:about|around)\b", r"\1"),
        (r"^(?:is|was) it you or (?:one of us|me|somebody|someone|anybody)(?: else)? (?:who|that)\b", "who"),
        (r"^(?:is|was) it you (?:who|that)\b|\b(?<=whether )you were the one (?:who|that)\b", "did you"),
        (r"^who (?:had|made|got|sent) you (?:to )?(?=\w+ (?:the|my|our|your|a|an) )", "who asked you to "),
        (r"^what (did|have) you (.+) for$", r"why \1 you \2"),
        (
            r"^(?:is there )?(?:any|the|what (?:is|was) the)(?: particular| special)? reason (?:why |that )?(?=you )",
            "tell me why ",
        ),
        (
            r"^(?:did|have) i (?:ever )?(?:tell|told|say|said|mention(?:ed)?)(?: to)?(?: you)? \w+thing about\b",
            "what did i tell you about",
        ),
        (r"^(?:did|have) i (ask|want)(?:ed)? (?:you )?(?:for |to do )?any ?thing\b", r"what did i ask you to do"),
        (r"^what (?:are|were) my (?:instructions|orders|requests|wishes|tasks)\b", "what did i ask you to do"),
        (r"^(did|have) you (.+) more than (?:once|twice)\b", r"how often \1 you \2"),
        (r"^(has|have|is) (.+) (there|here) (?:for )?(?:very )?long$", r"how long \1 \2 \3"),
        (r"\bwhere (?:it is|they are)(?: (?:now|right now))?$|\bin (?:that|the same|this) (?:place|spot)$", "there"),
        (r"\b(?:at )?what (?:time|hour) (?:was it|it was) (?:when|that)\b", "tell me when"),
        (r"\bat what (?:time|hour|point)\b", "when"),
        (rf"(?<=you )say (?={_WH}\b)", "tell me "),
        (r"\b(?:come|run) across\b", "notice"),
        (r"\b(?:came|ran) across\b", "noticed"),
        (r"\bkeep (?:count|track) of\b", "know"),
        (r"\bwhich things (?=did|have)", "what "),
        (r"^who (?:was|is) it (?:who|that)\b", "who"),
        (r"^anything you (?:got|have|had) done\b", "what have you done"),
        (r"^(?:what (?:is|was) )?(?:the |any )?reason for the last thing you did$", "why did you do that"),
        (r"^(?:any )?(?:open|pending|unfinished|outstanding) (?:tasks|jobs|requests)$", "what have you not done"),
        (r"^anything (?:left|still open) on your list$", "what have you not done"),
        (r"\b(was|were) last (?:around|here|there)$", r"\1 last seen"),
        (r"\bwho (?:has |have )?had (.+) last$", r"who moved \1"),
        (r"^(.+) (is|are) (in|on) (which|what) (\w+)$", r"\4 \5 \2 \1 \3"),
        (r"^why (did|has|have) (?:that|this|it) fail(?:ed)?\b", r"why \1 you fail"),
        (
            r"^(?:what|which) (?:room|place) (?:should i|must i|do i (?:have|need) to) (?:go to|look in|search|check)"
            r" (?:for|to find|to get)\b",
            "where is",
        ),
        (r"\bat home\b|\b(?:lying )?around$|(?<=you )happen(?:ed)? to\b|\bthe (?:door|lid) of (?=the |my |our )", ""),
        (r" (?:that|which|as far as) (?:you|u) (?:know|can tell|remember|saw)(?: of)?$", ""),
        (r" (?:on earth|in the world|the hell|the heck)\b|\bat first\b|\bin total\b| by any chance\b", ""),
        (r"\b(?:whole|entire) (?=house\b|home\b|flat\b|apartment\b)", ""),
        (r"\b(?:in|around|over|up|out) here\b", "here"),
        (r"\b(?:out|over|up|down) (?=there|somewhere)\b", ""),
        (r"\b(?:all )?(?:that|this|the) stuff\b", "anything"),
        (r"\b(?:apart|aside) from\b|\bother than\b|\bexcept(?: for)?\b", "besides"),
        (r"\bor (?=(?:is|are) )", ", "),
        (rf"^({_WH}) (?:is|was) it that\b", r"\1"),
        (
            r"^any(?=thing|one|body| )(?!(?:thing)? (?:idea|clue|but)\b)(?!.* (?:is|are|will|would|can)\b)",
            "is there any",
        ),
        (r"^(?:for )?how long ago\b|^(?:at|on|around) (?:what|which) (?:time|day)\b|^what time (?=did|was)", "when"),
        (r"^since when\b|^for how long\b", "how long"),
        (r"^how come\b|^for what reason\b|^what (?:is|was) the reason (?:that|why)\b", "tell me why"),
        (r"\bhow many times\b", "how often"),
        (r"\b(?:would|might|could) there be\b|\bdoes (?:that|this|it) leave(?: us| me)?(?: with)?\b", "is there"),
        (r"\b(?:when and where|where and when)\b", "where"),
        (r"\b(?:lay|set|clap) eyes on\b", "noticed"),
        (r"\bnice and (?=\w)", ""),
        (r"(?<!\bit )\binside$", "in it"),
        (rf"\b({_WH}(?: \w+){{0,2}}) (?:do|did|would) you (?:think|reckon|suppose|say) ", r"\1 "),
        (r"^whereabouts\b", "where"),
        (rf"^{_NOMINAL}(?:location|position|whereabouts) of\b", "where is"),
        (rf"^(?:{_NOMINAL}(?:number|amount|count|total) of|{_LEAD}count(?: all)?)(?: the| my| our)?\b", "how many"),
        (rf"^{_NOMINAL}(?:contents?|inside) of\b", "what is in"),
        (rf"^{_NOMINAL}(?:its|their|the) contents?\b", "what is in it"),
        (rf"^{_NOMINAL}(?:status|state|condition) of\b|^(?:in )?what (?:state|condition) is\b", "how is"),
        (rf"^{_LEAD}(?:list|name|enumerate) (?=all|every|the|what|any)(?:all )?", "what is "),
        (r"^(?:is|was|can|could|may|might) (?:it|i) (?:be )?(?:\w+ )?that (?=\w+ \w)", "tell me whether "),
        (r"\b(?:the )?(last|most recent|first) time\b(?: that\b)?", r"\1"),
        (r"\bthe (biggest|largest|smallest|tallest)\b", r"\1"),
        (r"^what (?:is|was) the (?:best |quickest |shortest )?(?:way|route|path)\b", "how can i get"),
        (r"^are you (?:sure|certain) (?:that )?", "tell me whether "),
        (r"\b(?:what|how) about (?=the |my |our |your |his |her )", "about "),
    )
)

_SEARCHING = re.compile(
    r"^\s*(?:i(?:[’']m| am|[’']ve been| have been) (?:looking|searching|hunting) for"
    r"|i (?:can[’']t|cannot|can not|couldn[’']t|could not) find|i (?:seem to )?(?:have )?(?:misplaced|lost)"
    r"|(?:(?:can|could|would) you )?(?:please )?(?:help me (?:to )?find|point me to|show me))\b",
    re.IGNORECASE,
)


def reworded(text: str) -> str:
    """Return a question in plainer words."""
    for pattern, plain in _REWORDED:
        text = pattern.sub(plain, text)
    return " ".join(text.split())


def as_question(text: str) -> str:
    """Return what somebody says who looks for something, as a question: "I can't find my keys"."""
    return _SEARCHING.sub("where is ", text, count=1)
