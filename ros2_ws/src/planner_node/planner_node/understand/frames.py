# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Frames around a request, and steps that the robot takes by itself, left out of a text before it is read.

"I'd be grateful if you washed the cup" is "please wash the cup"; in "turn left, walk to the fridge and open it" the
first step tells only how to get there.
"""

from __future__ import annotations

import re

from planner_node.understand.chunks import verb_form

_GLAD = r"(?:grateful|thankful|glad|happy|pleased|obliged|delighted)"
_GOOD = r"(?:great|nice|good|lovely|helpful|kind|wonderful|fantastic|awesome|perfect|best|a (?:\w+ )?help)"
_FRAME = re.compile(
    rf"\b(?:(?:i|we)(?:'d| would) (?:\w+ )?(?:be (?:\w+ )?{_GLAD}|(?:appreciate|love|like) it)"
    rf"|(?:it|that)(?:'d| would) (?:\w+ )?be (?:\w+ )?{_GOOD}|i (?:was|am) wondering|i'm wondering)"
    r"(?: of you)? (?:if|whether|when) (?:(?P<you>you|u)(?: could| would| can| might)?(?: please)? (?P<verb>[a-z]+)"
    r"|(?P<thing>[\w' ]+?) (?:could|would|can|were|was|got|gets|is|are)(?: to)?(?: be)? (?P<done>[a-z]+))",
    re.IGNORECASE,
)
_POSSIBLE = re.compile(
    r"\b(?:would|is) it (?:be )?(?:possible|okay|ok|alright|all right) (?:for you )?to\b"
    r"|\bdo you think you (?:could|can)\b"
    r"|\bany chance (?:that )?you (?:could|can)\b",
    re.IGNORECASE,
)
_WHAT_I_WANT = re.compile(
    r"\b(?:what|all) (?:i|we)(?:'d| would)? (?:like|want|need) is (?:for )?(?=the|my|a|an|some|two)\b", re.I
)
_IN_HAND = re.compile(
    r"\b(?P<how>with|have|having) (?P<thing>(?:the|a|an|your|that|my) (?:\w+ ){1,3}?)in (?:your |one )?hands?\b",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"(?:(?<=^)|(?<=[.,;] )|(?<=and )|(?<=then ))"
    r"(?:(?:turn|face|look)(?: to)?(?: the| your)? (?:left|right|around|back)"
    r"|(?:walk|go|move|step|head) (?:straight|forwards?|ahead|backwards?|left|right|to (?:the|your) (?:left|right)))"
    r"(?: again)?(?:\s*[,.;]\s*(?:and |then )*|\s+(?:and )?then\s+|\s+and\s+)(?=\w)",
    re.IGNORECASE,
)
_AT_LEISURE = re.compile(
    r"\b(?:once|when|if|whenever|as soon as) you(?:'ve| have|'re| are)?(?: can| get| got)?(?: (?:a|some|the))?"
    r"(?: free| spare)? (?:moment|minute|second|sec|chance|time|free)\b,?",
    re.IGNORECASE,
)
_WAIT = re.compile(
    r"[,;]?\s*(?:and |then )*\bwait (?:for )?(?:\w+ )?(?:bit|while|moment|minutes?|seconds?|secs?)\b"
    r"(?=\s*(?:[,.;]|and|then|$))",
    re.IGNORECASE,
)
"""Waiting between two things: what they bring about is there at once, as far as the robot can tell."""


def without_waits(text: str) -> tuple[str, bool]:
    """Return a text without "wait for a minute", and whether there was such a thing in it."""
    plain = _WAIT.sub("", text)
    return plain, plain != text


def without_frames(text: str) -> str:
    """Return a text as plain requests where its frames are known ones; anything else stays as it was."""
    text = _AT_LEISURE.sub("", text.replace("’", "'"))
    text = _WHAT_I_WANT.sub("I want ", _POSSIBLE.sub("please", _FRAME.sub(_request, text)))
    text = _IN_HAND.sub(lambda m: ("hold " if m["how"].lower() == "have" else "holding ") + m["thing"].strip(), text)
    return _STEP.sub("", text)


def _request(frame: re.Match[str]) -> str:
    """Return "please wash" for "... if you washed", "the cup should be washed" for "... if the cup was washed"."""
    word = frame["verb"] or frame["done"]
    form = verb_form(word.lower())
    if form is None:
        return frame[0]
    return f"please {form[0]}" if frame["verb"] else f"{frame['thing']} should be {word}"
