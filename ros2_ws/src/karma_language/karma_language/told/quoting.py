# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How well a person's own words answer a question, and which part of them does."""

from __future__ import annotations

import re

from karma_language.answers.speech import sentence, whose
from karma_language.parser import other_in
from karma_language.phrases.times import NUMBERS, ORDINAL
from karma_language.questions.deeds import asks_whose
from karma_language.requests.requests import household_grammar
from karma_language.things import Thing
from karma_language.told.facts.relations import by_noun
from karma_language.told.wishes.phrases import same_words
from karma_language.vocabulary import household
from karma_language.vocabulary.english import lemma
from karma_language.vocabulary.word_meanings import other_owner
from karma_language.vocabulary.words import (
    MONTHS,
    PEOPLE,
    PLACED,
    QUESTION_WORDS,
    SENTENCE_END,
    WEEKDAYS,
    content_words,
)

LIKE = 0.42
"""Cosine of question and words from which these may answer it (all-MiniLM-L6-v2)."""
BY_WORDS = 0.25
"""What it adds to the cosine that the words have all content words of the question."""
ENOUGH = 0.45
"""Cosine and common words together from which the words may answer it."""
_SURE = 0.7
"""Cosine from which words that have all of a question say yes or no to it."""
_NEGATIVE = re.compile(r"\b(?:not|no|never|nobody|nothing|none|cannot|without|hardly)\b|n['’]t\b", re.IGNORECASE)
_DISLIKES = re.compile(
    r"\b(?:hates?|dislikes?|detests?|loathes?|(?:can(?:not|['’]?t| not)) (?:stand|bear|abide)|anything but"
    r"|not (?:a fan|keen|fond)|(?:do|does|did|would)(?:n['’]?t| not) (?:\w+ )??(?:like|love|enjoy|want)"
    r"|(?:do|does|did|would)(?:n['’]t)? \w+ (?:not )?(?<=not )(?:like|love|enjoy|want)|\w+n['’]t \w+ like)\b",
    re.IGNORECASE,
)
_LIKES = re.compile(r"\b(?:likes?|loves?|enjoys?|prefers?|adores?|(?:fond|fan) of|keen on|favou?rite)\b", re.IGNORECASE)
_PERMITS = re.compile(r"\W*(?:\w+\W+)?(?:may|might|can|could|should|shall|must|will|would)\b", re.IGNORECASE)
"""What asks whether something is allowed or good: words that name it do not say so."""
_CLAUSE = re.compile(r",|\b(?:because|so|but|although|though|since|while|and)\b", re.IGNORECASE)
_MAY_BE = re.compile(
    r"\b(?:remind|wants?|wish|hope|might|may|maybe|perhaps|probably|possibly|could|would|should|think|believe|guess"
    r"|suppose|used to|almost|nearly|forgot|going to|if|unless|asked?|told|(?:have|has|needs?|trie[sd]|try) to)\b",
    re.IGNORECASE,
)
"""What shows that words are about what may be, is to be, or was once."""
_HAVING = re.compile(r"\W*(?:do|does|did)\b[^?]*\bha(?:ve|d)\b(?! to\b)|\W*(?:have|has)\b[^?]*\bgot\b", re.IGNORECASE)
_HAS = re.compile(r"\b(?:ha(?:ve|s|d)|got|owns?)\b|['’]ve\b", re.IGNORECASE)
_KIN = frozenset(map(by_noun, PEOPLE))
"""Whom a noun names, and no name."""
_DATE = rf"(?:{'|'.join((*WEEKDAYS, *MONTHS))})s?"
_SUBJECT = (
    r"(?:(?:the|my|our|your|his|her|their|this|that|these|those|i|we|he|she|it|they|there)\b"
    rf"|(?!{_DATE}\b)(?-i:[A-Z])[\w'’]+ )"
)
_ELSE = r"(?:otherwise|or else|if not)\b"
_CONDITION = re.compile(r"^\W*(?:if|unless|when|whenever|before|after|until|once)\b", re.IGNORECASE)
"""How a clause begins that says nothing without the other."""
_PART = re.compile(
    rf"{SENTENCE_END}|,\s+(?={_SUBJECT})|(?<!one)(?<!body)(?<!thing)(?<!\ball),?\s+(?:and|but)\s+(?={_SUBJECT})"
    rf"|,?\s+(?={_ELSE})",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"^(?:i|we|you|he|she|it|they)\b|\b(?:am|is|are|was|were|has|have|had|do|does|did|can|will|must|should|may|not)\b"
    r"|['’](?:s|re|m|ve|d|ll)\b",
    re.IGNORECASE,
)
"""What shows that words are a clause, and not one more thing of a list."""
_LEANS = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs|ones?|that|this|there|then|so|mine)\b", re.IGNORECASE
)
"""Words that mean what was said just before."""
_PERSON = re.compile(r"\b(?:he|she|they|him|her|them|his|hers|their|theirs)\b", re.IGNORECASE)
_NAMED = re.compile(
    rf"(?<=[\w,;] )[A-Z][a-z]+|^[A-Z][a-z]+(?= (?:is|was|has)\b|['’]s)|\b(?:{'|'.join(sorted(PEOPLE))})\b"
)
_MEASURED = re.compile(
    r"^\W*(?:(?:and|but|so|then|at|on|by|until|since|from|in)\W+)*"
    r"(?:when|(?:what|which) (?:time|day|date|year|month)|how (?:many|much|old|long|often|far|big))\b",
    re.IGNORECASE,
)
"""Questions that a number or a time answers."""
_MEASURE = re.compile(
    rf"\d|\b(?:{'|'.join((*NUMBERS, *WEEKDAYS, *MONTHS))}|every|always|never|daily|noon|midnight|today|tomorrow"
    r"|morning|afternoon|evening|night|weekend|hour|week|month|year|minute|while|when|until|till|after|before|soon)s?\b"
    rf"|{ORDINAL}|\b(?:first|second|third|\w+(?:teen|ie|[fxnu]|igh)th)\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:because|since|as|so|due|cause|for|to|otherwise|reason)\b|[,;.–-]\s+\w", re.IGNORECASE)
_FROM = rf"from(?! (?:my|our|his|her|their) (?:{'|'.join(sorted(PEOPLE))})\b)"
"""From a place: "a present from my grandmother" says of no place."""
_AT = re.compile(
    rf"\b(?:{'|'.join((*PLACED, 'at', _FROM, 'with', 'by', 'to (?:the|my|our|a)', '(?-i:to(?= [A-Z]))'))})\b"
    rf"(?! (?:{'|'.join((*NUMBERS, *WEEKDAYS, *MONTHS))}|\d|my own)s?\b)|\b(?:here|home|abroad|\w+stairs|out|away)\b",
    re.IGNORECASE,
)
_SELF = re.compile(r"\b(?:i|we|me|us|my|our|mine|ours|you|your|yours|he|she|they|his|her|their)\b", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:i|me|my|mine)\b", re.IGNORECASE)
_WITH_ME = re.compile(r"\b(?:(?:i|me) and \w+|\w+ and (?:i|me))\b", re.IGNORECASE)
_OF_ME = re.compile(r"\b(?:am|do|did|was|have|can|should) i\b", re.IGNORECASE)
_OF_PERSON = 0.6
"""Cosine from which words may say what is asked of a person, where they share no more with it than the person."""
_WHOLE = frozenset(("why", "about"))
"""Words of questions that are answered by more than the clause that they name."""


def likeness(asked: frozenset[str], text: str, cosine: float) -> float:
    """Return how well words answer a question, 0 where they do not.

    `asked`: its sense; `cosine`: likeness in meaning, 0 where unknown.
    """
    share = _share(asked, text)
    like = cosine + BY_WORDS * share
    return like if cosine >= LIKE or like >= ENOUGH or (not cosine and share >= 0.5) else 0.0


def nearness(question: str, text: str, cosine: float) -> float:
    """Return how near words are to a question that they may help with, though they need not answer it."""
    return 0.0 if _of_speaker(question, text) else cosine + BY_WORDS * _share(sense(question), text)


def _share(asked: frozenset[str], text: str) -> float:
    """Return which share of what a question asks words speak of, 0 to 1."""
    said = sense(text)
    pointed = asked - said and re.search(r"\b(?:the|that|this|which) ones?\b", text, re.IGNORECASE)  # "the one there"
    return min((len(asked & said) + bool(pointed)) / len(asked), 1.0) if asked else 0.0


def takes_back(text: str, before: str) -> bool:
    """Whether words deny what was told before in the same words: "we need milk", "we do NOT need milk ANY MORE"."""
    denies = _NEGATIVE.search(text) is not None and _NEGATIVE.search(before) is None
    return denies and sense(before) <= sense(text)


def same_owner(one: str, other: str) -> bool:
    """Whether two owners are one: "mum" is the mother, "sister Lian" the sister, and Lian; not "Ann's sister"."""
    if "'s " in one + other:
        return one.casefold() == other.casefold()
    named = [{*map(by_noun, owner.casefold().split())} for owner in (one, other)]
    return all(named) and (named[0] <= named[1] or named[1] <= named[0])


def may_be_one(one: str, other: str) -> bool:
    """Whether two owners may be one for all that is known: the sister may be Eva."""
    kin = [by_noun(name.casefold()) in _KIN for name in (one, other)]
    return same_owner(one, other) or ("me" not in (one, other) and kin[0] is not kin[1])


def of_who_says_it(said: str) -> bool:
    """Whether words are about who says them: "my password is …"."""
    return _FIRST.search(said) is not None


def of_another(thing: Thing, said: str) -> bool:
    """Whether words don't name the other person whose thing is asked about: they are about the speaker's own."""
    owner = other_owner(thing.owner)
    return bool(owner) and owner.casefold() not in said.casefold()


def names(thing: Thing, said: str) -> bool:
    """Whether words name a thing: "the toilet paper" is not the paper towel."""
    named = " ".join(word for word in thing.text.split() if word.casefold() not in thing.attributes)
    return same_words(named, re.sub(r"['’]s\b", "", said))  # "my mother's birthday"


def _does_something(name: str, said: str) -> bool:
    """Whether words say of somebody what they do, or where they are, and not of what is theirs."""
    return (
        re.search(rf"(?<!\b(?:to|of|by) )(?<!\bfor )(?<!\bwith )(?<!\bfrom )\b{name}\b(?!['’]s \w)", said) is not None
    )


def _of_other(question: str, text: str) -> bool:
    """Whether somebody asks of themselves, and words are about another whom the question doesn't name."""
    other = other_in(text) if _OF_ME.search(question) is not None else ""
    return bool(other) and other not in question.casefold()


def _of_speaker(question: str, text: str) -> bool:
    """Whether words are about who says them, and a question is about somebody whom they don't name."""
    named = [name.casefold() for name in re.findall(rf"(?<=\w )(?!(?i:{_DATE})\b)[A-Z][a-z]+", question)]
    if not named or not _FIRST.search(text) or _PERSON.search(text) or _WITH_ME.search(question):
        return False
    return not any(name in text.casefold() for name in named)


def may_answer(question: str, text: str, cosine: float) -> bool:
    """Whether words have what a question asks for: a time, a place, a reason, somebody, or more than whom it is of."""
    if _of_speaker(question, text) or _of_other(question, text):
        return False
    for asks, has in ((_MEASURED.pattern, _MEASURE), (r"\bwhy\b", _REASON), (r"\bwhere\b", _AT)):
        if re.search(asks, question.casefold()):
            of_people = re.findall(r"(?<=\w )[A-Z]\w+(?![\w'’])", question) if has is _AT else ()
            return has.search(text) is not None and all(_does_something(name, text) for name in of_people)
    people = {word.casefold() for word in re.findall(r"(?<=\w )[A-Z]\w+", question)} | PEOPLE
    asked, said = sense(question), sense(text)
    if re.search(r"\bwho", question, re.IGNORECASE):
        found = {word.casefold() for word in re.findall(r"\b[A-Z]\w+", text)} | {*re.findall(r"\w+", text)} & PEOPLE
        if len(asked) == 1 and household().noun(*asked) is not None and not asks_whose(question):
            return False  # "who has the keys?": keys are in much that is told
        named = bool(found - asked) or _SELF.search(text) is not None or bool(owner(question, text))
        return named or (asked <= said and not asks_whose(question))
    if asked & said and asked - said and asked & said <= people:
        return cosine >= _OF_PERSON or not cosine
    return True


def follows(question: str, text: str) -> bool:
    """Whether a question goes on about what was told just before, and that can answer it: "and where is she from?"."""
    shared = sense(question) & sense(text)
    person = _PERSON.search(question) is not None and _NAMED.search(text) is not None
    if not (person or (shared and _LEANS.search(question))):
        return False
    if _MEASURED.search(question):
        return _MEASURE.search(text) is not None
    if re.search(r"\b(?:names?|called)\b", question, re.IGNORECASE):
        return _NAMED.search(text) is not None
    if re.search(r"\bwhere\b", question, re.IGNORECASE):
        return re.search(r"\b(?:in|at|from|to|near|on) [A-Z]", text) is not None
    return bool(shared)


def wh(question: str) -> bool:
    """Whether a question asks for more than yes or no."""
    return bool(QUESTION_WORDS & {*re.findall(r"\w+", question.casefold())})


def whether(question: str, text: str, cosine: float) -> str:
    """Return "Yes" or "No" where words say so; "" where they leave it open, or are about what may be."""
    asked, open_ = sense(question), _PERMITS.match(question) or _NEGATIVE.search(question)
    for part in _PART.split(text) if cosine >= _SURE and not open_ else ():
        said = sense(part)
        if asked <= said:
            return _says(question, part, asked)
        if "like" in asked and asked - {"like"} <= said and "dislike" in said:
            return "No"
    return ""


def _says(question: str, part: str, asked: frozenset[str]) -> str:
    """Return "Yes" or "No" for a part of what was told that has all that is asked; "" where it may mean others."""
    clause = next((one for one in _CLAUSE.split(part) if asked <= sense(one)), "")
    asks, says = ({lemma(may.split()[0].lower()) for may in _MAY_BE.findall(one)} for one in (question, clause or part))
    if says - asks or (_HAVING.match(question) and not _HAS.search(part)):
        return ""
    if not _NEGATIVE.search(clause or part):
        return "Yes"
    return "No" if clause else ""  # "Tom is NOT coming because he is ill"


def owner(question: str, text: str) -> str:
    """Return whose something is, said to who told the words, where the question asks for that; "" else."""
    if not asks_whose(question):
        return ""
    asked = sense(question)
    told = [one for one in household_grammar().belongings(text) if one.owner and not one.not_so]
    shared = [len(asked & sense(one.thing.text)) + 0.5 * one.thing.pronoun for one in told]
    about = next((one for one, number in zip(told, shared, strict=True) if number == max(shared)), None)
    return sentence(whose(about.owner)) if about is not None else ""


def excerpt(question: str, text: str) -> str:
    """Return the clauses of a person's words that a question is about: all but those about something else."""
    parts, asked = [part.strip() for part in _PART.split(text) if part and part.strip()], sense(question)
    if len(parts) < 2 or _WHOLE & {*question.casefold().split()}:
        return text
    shared = [asked & sense(part) for part in parts]
    best = max(shared, key=len)
    if not best or any(map(_CONDITION.match, parts)):
        return text
    kept: list[int] = []
    for index, (part, words) in enumerate(zip(parts, shared, strict=True)):
        leans = index > 0 and _LEANS.search(part) is not None
        goes_on = leans or not (_STATES.search(part) or re.match(_ELSE, part, re.IGNORECASE))
        if len(words) == len(best) or words - best or (goes_on and index - 1 in kept):
            kept += [index - 1, index] if leans and index - 1 not in kept else [index]
    said = " … ".join(parts[index].rstrip(",;") for index in kept)
    lacks_measure = _MEASURED.search(question) is not None and _MEASURE.search(said) is None
    return text if len(kept) == len(parts) or sense(said) <= asked or lacks_measure else said


def sense(text: str) -> frozenset[str]:
    """Return the content words of a text, with one word for all that says what somebody likes, or does not."""
    liking = {"dislike"} if _DISLIKES.search(text) else {"like"} if _LIKES.search(text) else set()
    return content_words(_LIKES.sub(" ", _DISLIKES.sub(" ", text))) | liking
