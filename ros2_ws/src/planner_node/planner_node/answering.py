# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions of a user that are no request: answered from what that user told, and nothing moves (EMG-RAG, section 4.4).

Whether the memory knows an answer is the memory's business; here it is told from a request, and put into words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone

from karma_language.questions import read_question
from karma_language.reading import Kind, Question, Thing, Where
from karma_language.social import SocialReader, friendly
from karma_language.vocabulary import Lexicon
from karma_language.wording import able
from planner_node.memory import MemoryClient, MemoryRefused, MemoryUnavailable, Recall, Recollection
from planner_node.skills import Code
from planner_node.understand.goals import NotUnderstood, ObjectRef, Statement, Understanding, Understood
from planner_node.understand.remarks import asks

FACTS = "facts"
"""The kind of memory that is asked whether words tell something."""
_QUOTED = 3
"""Most of a user's sentences that an answer quotes."""
_LEAD = r"\W*(?:(?:please|hey|hi|hello|ok|okay|karma|robot|so|and|well|now)\b\W*)*"
_ME = r"(?:tell|remind) (?:me|us)"
_INDIRECT = (
    rf"(?:(?:(?:can|could|would|will) you )?(?:please )?{_ME}|do you (?:happen to )?(?:know|remember)"
    r"|(?:i|we) (?:forgot|have forgotten|want to know|would like to know|need to know|wonder))(?: again)?\W+"
)
_WH = r"(?P<wh>what|when|whom?|whose|which|how|where)\b(?! (?:about|if|come|else)\b)"
_BE = r"(?:am|are|is|was|were|do|does|did|has|have|had)\b"
_INVERTED = rf"\s*(?:{_BE}|(?:must|should|shall|can|could|will|would|'s|'re|’s|’re)\b)"
_ASKS = tuple(
    re.compile(pattern, re.IGNORECASE) for pattern in (rf"{_LEAD}{_INDIRECT}{_WH}", rf"{_LEAD}{_WH}{_INVERTED}")
)
_ASKS_WITH_A_MARK = tuple(re.compile(_LEAD + first, re.IGNORECASE) for first in (_WH, rf"(?P<wh>{_BE})"))
_MORE = re.compile(r"[.?!;]\s+\w")
_SENTENCE = re.compile(r"(?<=[.!?;])[\"'”’)]*\s+|\s*\n+\s*")
_STOP = re.compile(
    _LEAD
    + r"(?:stop|halt|cancel|never ?mind)(?: (?:everything|all|what you(?:'re|’re| are) doing|right|now|please))*\W*",
    re.IGNORECASE,
)
_NO_REQUESTS = ("what", "when", "who", "whom", "whose", "which", "how")
""""When do I have to take out the trash?" is no request, though it names one."""
_UNKNOWN = (Code.NOT_UNDERSTOOD, Code.NOT_FOUND)


@dataclass(frozen=True)
class Reply:
    """What is said to a question."""

    code: Code
    message: str
    grounds: Mapping[str, Recollection] = field(default_factory=dict)
    """Id → what the user told that it rests on."""
    about: ObjectRef | None = None
    """What it is about, which "it" means from now on."""


STOPPING = Reply(
    Code.PRECONDITION_FAILURE,
    "No instruction stops another one: cancel the goals of execute_instruction. Nothing was done.",
)
"""What is said to who wants all to be stopped."""


def reply(text: str, understood: Understanding, recall: Recall | None) -> Reply | None:
    """Return what to say to a user's question, None for a request and for what only the robot's eyes can answer.

    `understood`: what was made of the text; `recall`: what the memory says to it, None where it was not asked.
    """
    if recall is None or (isinstance(understood, NotUnderstood) and understood.code not in _UNKNOWN):
        return None
    wh = _question(text)
    if not wh or (isinstance(understood, Understood) and (wh not in _NO_REQUESTS or _MORE.search(text))):
        return None  # "Where is my cup?", "Which cup is clean? Bring it."
    if recall.answer:
        return Reply(
            Code.SUCCESS,
            f"{recall.answer.rstrip('.')}. {_sources(recall.evidence)}".strip(),
            {found.id: found for found in recall.evidence},
        )
    return Reply(Code.NOT_FOUND, "I don't know: nothing that you have told me answers that.")


@dataclass(frozen=True)
class RobotState:
    """How the robot is, for questions about itself."""

    held: str
    """Id or category of what it holds, "" for nothing."""
    skills: Callable[[], Iterable[str]]
    """Asks the robot for the names of its skills."""
    recall: Callable[[str, Question], Recall | None]
    """Asks the memory what words ask for."""


def about_home(
    text: str,
    recall: Recall | None,
    lexicon: Lexicon,
    now: float,
    spoken_of: Sequence[ObjectRef],
    robot: RobotState,
) -> Reply | None:
    """Return what to say to a question about the home or the robot; None for all else.

    `recall`: what the memory says to the text, None where it was not asked. Where something is that was never seen, is
    for the robot to find out.
    """
    question = read_question(text, lexicon, now)
    if question is None or recall is None:
        return None
    named = with_thing(question, spoken_of)
    if named is not question:
        recall = robot.recall(text, named) or recall
    return said_to(named, recall, lexicon, robot)


def said_to(question: Question, recall: Recall, lexicon: Lexicon, robot: RobotState) -> Reply | None:
    """Return what to say to a question; None where only what a user told says it, or the robot's eyes.

    `recall`: what the memory says to it.
    """
    if question.kind is Kind.ABLE:
        return Reply(Code.SUCCESS, able(robot.skills()))
    if question.kind is Kind.HOLDING:
        held = lexicon.kind(robot.held.split("|")[0]).noun if robot.held else ""
        return Reply(Code.SUCCESS, f"Yes, the {held}." if held else "No, I hold nothing.")
    told = any(found.kind == FACTS for found in recall.evidence)
    then = question.kind is Kind.WHERE and question.time is not None  # looking now tells nothing of then
    unseen = question.kind in (Kind.WHERE, Kind.TOLD) and not recall.evidence and not then
    if not recall.answer or told or unseen:
        return None
    code = Code.SUCCESS if recall.evidence else Code.NOT_FOUND
    thing = question.thing
    about = ObjectRef(thing.categories, thing.text, loosely=thing.loosely) if thing and thing.categories else None
    return Reply(code, recall.answer, {found.id: found for found in recall.evidence}, about)


def with_thing(question: Question, spoken_of: Sequence[ObjectRef]) -> Question:
    """Return a question with what was spoken of last in place of its pronouns; itself where it has none."""
    if not spoken_of:
        return question
    ref = spoken_of[-1]
    meant = Thing(text=ref.noun, categories=ref.categories, loosely=ref.loosely, definite=True)
    named: dict[str, Thing | Where] = {}
    if question.thing is not None and question.thing.pronoun:
        named["thing"] = meant
    elif question.place is not None and question.place.thing.pronoun:
        named["place"] = question.place.model_copy(update={"thing": meant})
    return question.model_copy(update=named) if named else question


def with_question(text: str) -> tuple[str, str]:
    """Return what a text asks for and the question behind it, such as "Bring me the mug." and "What must I buy?".

    The whole text and no question where nothing is asked for before it.
    """
    last = next(iter(reversed([found.span() for found in _SENTENCE.finditer(text)])), (0, 0))
    request, question = text[: last[0]], text[last[1] :].strip()
    if request and question.endswith("?") and _question(question) and asks(request):
        return request, question
    return text, ""


def stopping(text: str) -> Reply | None:
    """Return what to say to who wants all to be stopped, None for everybody else: instructions wait for each other."""
    return STOPPING if _STOP.fullmatch(text) else None


def tells(text: str, understood: Understanding, user: str, memory: MemoryClient) -> bool:
    """Whether words ask for nothing and tell something: "We need milk". `user`: "" where the memory is not asked."""
    if isinstance(understood, Statement):
        return True
    if not user or isinstance(understood, Understood) or understood.code not in _UNKNOWN or asks(text):
        return False
    return bool(told_beside([text], user, memory))


def small_talk(text: str, understood: Understanding, reader: SocialReader) -> Reply | None:
    """Return what to say to a greeting and the like, None for all else. Ask for what nothing else was made of."""
    if not isinstance(understood, NotUnderstood) or understood.code not in _UNKNOWN:
        return None
    social = reader.read(text)
    return Reply(Code.SUCCESS, friendly(social)) if social is not None else None


def told_beside(remarks: Sequence[str], user: str, memory: MemoryClient) -> list[str]:
    """Return the remarks of a user that tell facts; none where the memory does not answer."""
    try:
        return [remark for remark in remarks if memory.recall(remark, user, limit=1, kinds=(FACTS,)).tells]
    except (MemoryUnavailable, MemoryRefused):
        return []


def _question(text: str) -> str:
    """Return the first word of a question, "" for what is none."""
    marked = text.rstrip(" \t\r\n\"'”).!").endswith("?")
    for pattern in (*_ASKS, *(_ASKS_WITH_A_MARK if marked else ())):
        if match := pattern.match(text):
            return match["wh"].lower()
    return ""


def _sources(evidence: Sequence[Recollection]) -> str:
    """Quote what the user said, and when."""
    said = {recollection.text: recollection.valid_from for recollection in evidence}
    quoted = [f"“{text.strip()}” ({_day(stamp)})" for text, stamp in list(said.items())[:_QUOTED]]
    more = len(said) - len(quoted)
    if not quoted:
        return ""
    return f"You told me: {', '.join(quoted)}" + (f" and {more} more." if more > 0 else ".")


def _day(stamp: float) -> str:
    """Return the day of a stamp (seconds, UTC)."""
    day = datetime.fromtimestamp(stamp, tz=timezone.utc)
    return f"{day.day} {day:%B %Y}"
