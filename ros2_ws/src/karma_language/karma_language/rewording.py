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
        (r"\b(?:lay|set|clap) eyes on\b", "see"),
        (r"\bnice and (?=\w)", ""),
        (r"(?<!\bit )\binside$", "in it"),
        (rf"\b({_WH}(?: \w+)?) (?:do|did) you (?:think|reckon|suppose|say) ", r"\1 "),
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


def reworded(text: str) -> str:
    """Return a question in plainer words."""
    for pattern, plain in _REWORDED:
        text = pattern.sub(plain, text)
    return " ".join(text.split())
