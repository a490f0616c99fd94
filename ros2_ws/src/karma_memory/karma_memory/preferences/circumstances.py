# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""When a request or a wish holds: "I am worn out. Could you bring me a drink?", "No, tea when I am worn out"."""

from __future__ import annotations

import re

from karma_memory.preferences.english import WORDS

_SENTENCE = re.compile(r"[^.!?]+[.!?]*")
_ASKING = re.compile(r"\b(?:can|could|would|will) you\b|\bplease\b|\?\s*$", re.IGNORECASE)


def asking(text: str) -> list[str]:
    """Return the sentences that ask for something; all where none does."""
    sentences = [sentence.strip() for sentence in _SENTENCE.findall(text)]
    return [sentence for sentence in sentences if _ASKING.search(sentence)] or sentences


def circumstances(text: str) -> str:
    """Return the sentences that say why or when; the whole text where there are none."""
    sentences = [sentence.strip() for sentence in _SENTENCE.findall(text)]
    return " ".join(sentence for sentence in sentences if not _ASKING.search(sentence)) or text


_CONDITION = re.compile(
    r"\b(?:(?:when(?:ever)?|if|while)\s+(?P<state>(?:i|we|it|there|the)\b[^.,;!?]*?)"
    r"(?=\s*(?:[.,;!?]|$|\bi(?:'d|\s+would|\s+do)?\s+(?:prefer|like|want|need|rather|love)\b))"
    r"|(?P<time>(?:in|at|on|for|after|before|during)\s+(?:the\s+|an?\s+|my\s+)?"
    r"(?:(?:early|late)\s+)?(?:{times})s?\b))".replace("{times}", "|".join(sorted(WORDS["times"]))),
    re.IGNORECASE,
)


def without_condition(text: str) -> tuple[str, str]:
    """Return what a wish says but for its condition, and the condition as a sentence; "" where there is none."""
    found = _CONDITION.search(text)
    if found is None:
        return text, ""
    condition = (found["state"] or found["time"]).strip()
    rest = f"{text[: found.start()].rstrip()} {text[found.end() :].lstrip()}".strip()
    return rest, f"{condition[0].upper()}{condition[1:]}."
