# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Small utterances of a dialogue: again, the other one, undo it, any of them, yes; and remarks at their edges."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz, process

from karma_language.parser import OBJECTS, SUBJECTS, Node, parse
from karma_language.vocabulary import household
from karma_language.vocabulary.terms import singular
from karma_language.vocabulary.words import MONTHS, PEOPLE, SENTENCE_END, WEEKDAYS, base_form

_LEAD = r"\W*(?:(?:please|now|and|then|ok|okay|also|karma|robot|can you|could you)\b\W*)*"
_END = r"(?:\s*,?\s*(?:please|now|while you(?:'re| are) at it))*\W*"
_IT = r"(?:it|this|that|them|these|those|both)"
_BACK_ONLY = re.compile(
    rf"{_LEAD}(?:(?:put|bring|take) {_IT} back|return {_IT})(?: (?:to )?where (?:it|they) (?:was|were)(?: before)?"
    rf"| (?:in|to) (?:its|their) (?:old|former|previous|original) places?)?{_END}",
    re.IGNORECASE,
)
_UNDOING = (
    _LEAD
    + r"(?:(?:undo|revert|reverse|take back)(?: (?:it|that|this|your|the|my|last|thing|step|action|change|what you"
    r"|did|just|everything|all|of|again))*|take (?:that|it) back"
    r"|(?:put|make) (?:everything|it all|all of it|things?|that|it|them)(?: back)? (?:(?:just|exactly) )?"
    r"(?:as|how|the way|like) (?:it|they|things|everything) (?:was|were|had been))(?: before)?" + _END
)
_UNDO = re.compile(_UNDOING, re.IGNORECASE)
_GOES_ON = re.compile(
    r"\b(?:then|next|also|too|afterwards|after that|finally|and)\b[\s,]*(?:please )?$|^(?:then|also)\b", re.DOTALL
)
"""What says, before a clause or at its beginning, that it goes on from what was before."""
_SAME_WORDS = 90.0
"""Likeness, 0 to 100, of an answer that is one of several choices."""
NONE_OF_THESE = "none of these"
"""Offered beside choices."""
_BEFORE_IT = 20
"""Characters before a clause in which it is said that it goes on from what was before."""
_ANY = re.compile(
    r"\b(?:any|anyone|either|whichever|whatever|closest|nearest|you choose|up to you"
    r"|(?:does not|doesn't|don't) (?:matter|care|mind))\b",
    re.IGNORECASE,
)
_YES = frozenset(("yes", "y", "yeah", "yep", "sure", "ok", "okay", "confirm", "confirmed"))
_GO_ON = frozenset(("please", "do", "go", "it", "that", "so", "ahead", "on", "yes"))
"""Words of "please do", "go ahead", which say yes when nothing else is said."""
_NO = frozenset(("no", "not", "n't", "don't", "dont", "never", "stop", "wait", "nothing", "forget", "leave", "away"))
_ORDERED = re.compile(
    r"\b(then|after|afterwards|before|first|finally|lastly|last|next|once|when|until|till|later|now|while|again"
    r"|second|secondly|third|back|additionally)\b|\b[1-9][.)]\s",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\b(?:it|that|they|those)(?:['’](?:s|re)| (?:is|are|was|were))(?: \w+)? ?"
    r"(?:(?:on|in|under|at|by|behind|beside|near|inside|from) |(?:my|our|mine|ours)\b|\w+['’]s\b)",
    re.IGNORECASE,
)
_POINTING = frozenset(("that", "this", "those", "these", "the"))
_IMPERSONAL = frozenset(("rain", "snow", "seem", "look", "happen", "take", "hurt", "depend"))
"""Verbs whose "it" need not mean anything."""
_HE_OR_SHE = frozenset(("he", "she", "him", "her", "his", "hers"))
_NEGATIVE = re.compile(r"\b(?:never|not|nobody|no[ -]?one|none)\b|n['’]t\b", re.IGNORECASE)
_RULES_OUT = re.compile(
    r"^\W*(?:(?:\w+ ){0,3}(?:rule|reminder):\W*)?(?:(?:absolutely|please|and|so)\b\W*)*(?:no|nothing)\b", re.IGNORECASE
)
_NOTE = re.compile(
    r"^\W*(?:(?:from (?:now|today) on|for the future|remember|note|(?:do )?(?:keep|bear)(?: this| that)? in mind|fyi"
    r"|by the way|btw)\b[\s,:]*(?:that\b)?\s*)+",
    re.IGNORECASE,
)
_NOBODY = r"nobody|no[ -]?one|none of (?:you|us)"
_MAY = r"(?:is|are) (?:allowed |supposed )?to|may|can|should|must|shall|gets? to"
_ANYBODY = r"any(?: ?one|body)(?: else)?|people|the others"
_FORBIDS = re.compile(
    rf"^\W*(?:please,? )?(?:(?P<nobody>{_NOBODY}) (?:(?:ever )?(?:{_MAY}) )?(?:ever )?"
    r"|you (?:are|may|can|should|must|shall|ca|wo)(?:n['’]t| not) (?:(?:allowed |supposed )?to )?(?:ever )?"
    r"|(?!(?:maybe|perhaps|probably|if|since|because|who|what|which|why|when)\b)(?:i|(?:my )?\w+(?: \w+)?)"
    rf" (?:do|does)(?: not|n['’]?t) want (?:{_ANYBODY}|you|us) (?:to )?(?:ever )?"
    rf"|(?:do not|don['’]?t|never) (?:ever )?let (?:{_ANYBODY}) |we never "
    r"|(?:do not|don['’]?t) (?:you )?(?:ever|dare(?: to)?) )(?=[a-z])",
    re.IGNORECASE,
)
_SO_AGAIN = re.compile(r"\b(?:on|off)(?= again\b)|(?<=again )(?:on|off)(?=\W*$)|\b(?:open|close|shut)\b(?=.* again\b)")
_AS_BEFORE = {"on": "on", "off": "off", "open": "open", "close": "closed", "shut": "closed"}
_NOT_TO_DO = re.compile(
    rf"^\W*(?:please,? )?(?:(?:never|do not|don['’]?t) [a-z]|(?:{_NOBODY}) (?:{_MAY}) )", re.IGNORECASE
)
_LEFT_ALONE = re.compile(
    r"^\W*(?:please,? |only )?"
    r"(?:leave (?P<thing>.+?) (?:alone|where (?:it|they) (?:is|are)|as (?:it|they) (?:is|are))\b"
    r"|(?:keep )?(?:your |all )?hands off (?:of )?(?P<other>[^,.;!?]+)"
    r"|(?P<stays>(?:the|my|our|this|that) .+?) (?:(?:is|are) off[ -]limits\b"
    r"|stays? (?:where (?:it|they)|(?:there|put)(?! until| till))\b"
    r"|(?:must|has to|have to|should|is to|are to) stay (?:where (?:it|they)|on|in|at)\b))",
    re.IGNORECASE,
)
_STAYS_SO = re.compile(
    r"^\W*(?:please,? )?(?P<thing>(?:the|my|our) [\w']+(?: [\w']+)?) (?:stays?|remains?) (?P<state>off|closed|shut)"
    r"(?:(?P<time> today| tonight)(?=[^\w?]*$|,)|(?=, (?:whatever|whoever|no matter)\b))",
    re.IGNORECASE,
)
"""For a day, or whoever asks: "the lamp stays off" alone may be a complaint."""
_DOUBTS = re.compile(
    r"\?|\b(?:know|sure|maybe|perhaps|probably|think|guess|whichever|whatever|any|either)\b", re.IGNORECASE
)
_AWAY = {"away from": "near", "out of": "in", "off": "on"}
_KEPT_AWAY = re.compile(
    rf"^\W*(?:please,? )?keep (?P<thing>[^,.;!?]+?) (?P<away>{'|'.join(_AWAY)}) (?P<place>[^,.;!?]+)", re.IGNORECASE
)
_KEPT_OUT = re.compile(r"^\W*(?:please,? )?(?:stay|keep) (?:out of|away from) (?P<room>[^,.;!?]+)", re.IGNORECASE)
_ASKS_FIRST = re.compile(
    r"^\W*(?:(?:please|always) )*(?:ask|check with|tell) (?:me|us)(?: first)? before (?:you )?"
    r"(?P<verb>[a-z]+ [^,.;!?]+)",
    re.IGNORECASE,
)
"""What is not to be done without a yes."""
_WHAT = r"(?P<what>nothing|no (?!one\b)[\w' ]+?|(?:the|my|our|this|that|these|those) [\w' ]+?)"
_NOT_TO = (
    r"(?:(?:must|may|should|can|shall|do|does|is|are|ca|wo) ?(?:not|n['’]t|never) (?:to |ever )?|never "
    r"|(?<=nothing )|(?:(?:must|may|should|can|shall|(?:is|are) (?:ever )?to) )?(?:ever )?)"
)
_NEVER_THERE = re.compile(
    rf"^\W*(?:please,? )?{_WHAT} {_NOT_TO}(?:goes|go|belongs?|comes?|lies?|stands?|sits?|be(?: put| left)?) "
    r"(?P<place>(?:on|onto|in|into|under|near|next to|beside|by|to)\b.+)",
    re.IGNORECASE,
)
_NEVER_DONE = re.compile(
    rf"^\W*(?:please,? )?{_WHAT} {_NOT_TO}be (?P<done>[a-z]+(?:ed|en|t))\b(?P<rest>.*)", re.IGNORECASE
)
_CLAUSE_END = re.compile(r"(?<=[.!?;:])\s+|,\s+(?:so |and |but )?|\s+(?:so|and|but)\s+")
_LINK = re.compile(r"^(?:(?:because|since|and|but|so that|so|well|oh|also|as)\b[\s,]*)+", re.IGNORECASE)
_SO = re.compile(r"^(?:and )?so\b\s*", re.IGNORECASE)
_TAKES_BACK = re.compile(r"[,.;!?–—-]\s*(?:no|sorry|wait|i mean|rather|actually)\b|\b(?:but|except)\b", re.IGNORECASE)
_I_MEAN = re.compile(r"[\s,]+i mean\W*$", re.IGNORECASE)
_WORD = re.compile(r"[^\W_][\w'-]*")
_SUPERLATIVE = re.compile(
    r"(?:bigg|larg|small|tall|long|short|heavi|light|clean|old|new|hott|cold|fresh|sharp|thick|thinn|wid|high|low|nic)est"
)
_PARTICLES = {
    **dict.fromkeys(("turn", "switch", "flip", "power", "toggle"), ("on", "off")),
    **dict.fromkeys(("toss", "chuck"), ("away", "up")),
}


# What was asked for before


def puts_back(text: str) -> bool:
    """Whether a text only says to put something back where it was."""
    return _BACK_ONLY.fullmatch(text) is not None


def undoes(text: str) -> bool:
    """Whether a text only says to undo what was done."""
    return _UNDO.fullmatch(text) is not None


def goes_on(before: str, said: str) -> bool:
    """Whether words come after what was said before, or beside it: "THEN bring me an apple"."""
    return _GOES_ON.search(before[-_BEFORE_IT:].lower()) is not None or _GOES_ON.match(said.lower()) is not None


# Answers


def takes_any(answer: str) -> bool:
    """Whether an answer leaves the choice to the robot."""
    return _ANY.search(answer) is not None


def agrees(answer: str) -> bool:
    """Whether an answer says yes, and nothing in it says no."""
    said = answer.lower().replace(",", " ").replace(".", " ").split()
    words = [word.strip("!") for word in said]
    return bool(words) and (words[0] in _YES or {*words} <= _GO_ON) and not _NO & {*words}


def corrects(answer: str) -> bool:
    """Whether an answer takes back what it began with, or says what is not meant: "the red one, no, the blue one"."""
    return _TAKES_BACK.search(answer) is not None


def is_clause(answer: str) -> bool:
    """Whether an answer says what is to be done, and does not only describe: "the one on the chair by the window"."""
    several = len(re.split(SENTENCE_END, answer.strip())) > 1  # "The one up there. Onto the table with it."
    return several or any(node.dep_ == "ROOT" and node.pos_ in ("VERB", "AUX") for node in parse(answer) or ())


def corrected(answer: str) -> str:
    """Return an answer without "I mean" at its end."""
    return _I_MEAN.sub("", answer)


def closest(answer: str, choices: Sequence[str]) -> str:
    """Return the choice that an answer is, but for a slip or two; "" for none."""
    said, known = answer.strip().lower(), [one.lower() for one in choices]
    found = process.extractOne(said, known, scorer=fuzz.ratio, score_cutoff=_SAME_WORDS)
    return choices[found[2]] if found is not None else ""


# How something is said


def says_order(text: str) -> bool:
    """Whether a text says in which order things are to be done: by words of time, or as a numbered list."""
    return _ORDERED.search(text) is not None


def pronoun_told_of(text: str) -> int | None:
    """Return where a pronoun begins of which something is told, None where there is none."""
    match = _POINTS.search(text)
    if match is not None:
        return match.start()
    return next((node.idx for node in parse(text) or () if _points(node)), None)


def _points(node: Node) -> bool:
    """Whether a word means what was spoken of: "brought THAT ONE", "nobody may take IT", "THE ONE here is mine"."""
    pointed = node.lower_ in ("one", "ones") and any(c.lower_ in _POINTING for c in node.children)
    pointed = pointed and not any(c.dep_ == "relcl" for c in node.children)  # "Tom is THE ONE who cooks"
    if not pointed and (node.lower_ not in ("it", "them") or node.dep_ == "expl"):
        return False
    acts = node.dep_ in SUBJECTS and node.head.pos_ == "VERB" and base_form(node.head.lower_) not in _IMPERSONAL
    return node.dep_ in OBJECTS | {"pobj"} or acts or (pointed and node.dep_ in SUBJECTS)


def doubts(answer: str) -> bool:
    """Whether an answer is unsure: "maybe the one on the desk?"."""
    return _DOUBTS.search(answer) is not None


def person_told_of(text: str, before: Sequence[str]) -> str:
    """Return who is meant by "he" or "she", where a text names nobody before: whom the last words before it name.

    Where these name nobody, what of the speaker's the last ones are about: "where's MY TEDDY?".
    """
    doc = parse(text) or ()
    at = next((node.i for node in doc if node.lower_ in _HE_OR_SHE), None)
    if at is None or any(node.i < at for node in doc if _names_person(node)):
        return ""
    found = (node for said in reversed(before) for node in reversed(parse(said) or ()) if _names_person(node))
    about = thing_told_of(before[-1]) if before else ""
    return next((_name(node) for node in found), about if about.lower().startswith(("my ", "our ")) else "")


def with_name(text: str, meant: str) -> str:
    """Return a text with a name in place of its first "he" or "she": "her birthday" as "my wife Elsa's birthday".

    `meant`: what a pronoun in the text means; that may be "it".
    """
    if not meant or pronoun_told_of(text) is not None:
        return text
    node = next((node for node in parse(text) or () if node.lower_ in _HE_OR_SHE), None)
    if node is None:
        return text
    name = f"{meant}'s" if node.dep_ == "poss" else meant
    return f"{text[: node.idx]}{name}{text[node.idx + len(node.text) :]}"


def thing_told_of(said: str) -> str:
    """Return the thing that a text is about, as it names it: "my passport" of "where is MY PASSPORT?"; "" for none."""
    nouns = [node for node in parse(said) or () if node.pos_ == "NOUN" and node.lower_ not in PEOPLE]
    roles = (("dobj",), SUBJECTS, ("attr",))
    found = next((node for role in roles for node in nouns if node.dep_ in role), None)
    lead = [c.text for c in found.children if c.i < found.i and c.dep_ in ("poss", "compound", "det")] if found else []
    return " ".join((*lead, found.text)) if found is not None and lead else ""


def _names_person(node: Node) -> bool:
    acts = node.dep_ in SUBJECTS | {"dobj", "poss", "attr", "npadvmod"} and node.head.pos_ != "ADP"
    named = node.pos_ == "PROPN" and acts and node.lower_ not in {*WEEKDAYS, *MONTHS}
    named = named and (node.lower_,) not in household().nouns  # "that CD"
    return named or (node.lower_ in PEOPLE and any(c.dep_ == "poss" for c in node.children))


def _name(node: Node) -> str:
    lead = [c.text for c in node.children if c.dep_ in ("compound", "poss") and c.i < node.i]
    name = [c.text for c in node.children if c.dep_ == "appos" and c.pos_ == "PROPN"][:1]  # "my wife ELSA"
    return " ".join([*lead, node.text, *name])


def is_negative(text: str) -> bool:
    """Whether a sentence denies or forbids something."""
    return _NEGATIVE.search(text) is not None


def without_link(text: str) -> str:
    """Return a remark without what joins it to a request: "because we need milk"."""
    return _LINK.sub("", text)


def forbidding(text: str) -> tuple[str, ...]:
    """Return what is told as commands not to do something: "don't touch the vase"; nothing where it forbids nothing.

    As a whole, and each clause by itself, without what says that it is to be kept: "from now on", "remember that".
    """
    said = _NOTE.sub("", text.strip())
    found = (prohibition_of(_NOTE.sub("", part.strip())) for part in (said, *_CLAUSE_END.split(said)))
    return tuple(dict.fromkeys(filter(None, found)))


def so_again(text: str) -> tuple[str, ...]:
    """Return how things are to be AGAIN, by what a text says: on, off, open, closed; nothing for other texts."""
    return tuple(_AS_BEFORE[word] for word in _SO_AGAIN.findall(text.lower()))


def means_several(text: str) -> bool:
    """Whether a text speaks of several things without naming them: "put THEM all back"."""
    return "them" in words_of(text)


def orders_not_to(text: str) -> bool:
    """Whether a text begins as an order not to do something, whatever that is."""
    return _NOT_TO_DO.match(_NOTE.sub("", text.strip())) is not None


def prohibition_of(said: str) -> str:
    """Return a clause that forbids something as a command not to do it; "" for others."""
    if (kept := _LEFT_ALONE.match(said)) is not None:
        return f"don't touch {kept['thing'] or kept['other'] or kept['stays'].lower()}"
    if (so := _STAYS_SO.match(said)) is not None:
        verb = "switch on" if so["state"].lower() == "off" else "open"
        return f"don't {verb} {so['thing'].lower()}{so['time'] or ''}"
    if (asks := _ASKS_FIRST.match(said)) is not None:
        return f"don't {asks['verb'].lower()}"
    if (out := _KEPT_OUT.match(said)) is not None:
        return f"don't go into {out['room']}"
    if (away := _KEPT_AWAY.match(said)) is not None:
        return f"don't put {away['thing']} {_AWAY[away['away'].lower()]} {away['place']}"
    if (match := _FORBIDS.match(said)) is not None:
        verb, _, rest = said[match.end() :].partition(" ")
        return f"don't {singular(verb) if match['nobody'] else base_form(verb.lower())} {rest}"
    negative = is_negative(said) or _RULES_OUT.match(said) is not None
    if negative and (where := _NEVER_THERE.match(said)) is not None:
        return f"don't put {_any(where['what'])} {where['place']}"
    if negative and (done := _NEVER_DONE.match(said)) is not None:
        return f"don't {base_form(done['done'].lower())} {_any(done['what'])}{done['rest']}"
    return said if negative else ""


def _any(what: str) -> str:
    """Return what a prohibition is about, as the object of "don't": "anything" for "nothing", "cups" for "no cups"."""
    return re.sub(r"^no ", "", re.sub(r"^nothing$", "anything", what.lower()))


def without_so(text: str) -> str:
    """Return a request without the "so" that joins it to a remark before it."""
    return _SO.sub("", text)


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text, in lower case."""
    return tuple(_WORD.findall(text.lower()))


def is_superlative(word: str) -> bool:
    """Whether a word compares a thing with all others of its kind: "biggest"."""
    return _SUPERLATIVE.fullmatch(word) is not None


def particles(verb: str) -> tuple[str, str] | None:
    """Return the two particles of which a verb needs one to say what is to be done: "turn" it "on" or "off"."""
    return _PARTICLES.get(verb)
