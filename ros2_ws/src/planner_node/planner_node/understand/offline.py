# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Instructions in ordinary English to goals, by rules: no model, no network."""

from __future__ import annotations

import re
from dataclasses import replace

from rapidfuzz.distance import OSA

from karma_language.vocabulary.descriptions import described
from karma_language.vocabulary.lexicon import Lexicon
from planner_node.skills import Code
from planner_node.understand import words as en
from planner_node.understand.aid import NO_AID, Aid
from planner_node.understand.chunks import MAX_LENGTH, Chunk, chunk
from planner_node.understand.clause_parts import read_parts
from planner_node.understand.clauses import Clause, Clauses, split
from planner_node.understand.conditional import Conditional, UnclearCondition, part_conditions, read_condition
from planner_node.understand.correcting import corrected
from planner_node.understand.describing import gather
from planner_node.understand.either import either
from planner_node.understand.frames import without_waits
from planner_node.understand.goals import (
    Condition,
    Goal,
    NotUnderstood,
    ObjectRef,
    Place,
    Predicate,
    Statement,
    Understanding,
    Understood,
    complete,
)
from planner_node.understand.meaning import UnclearThing
from planner_node.understand.phrases import Discourse, UnknownThing, UnknownVerb, Unresolved, noun_phrase
from planner_node.understand.preface import without_prefaces
from planner_node.understand.requests import Requests, UnclearRequest
from planner_node.understand.rewriting import plain

_REMEMBER = re.compile(
    r"^\W*(?:please\W+)?(?:remember|note|keep in mind|don't forget|know|fyi|for your information)\b(?!\s+to\b)", re.I
)
_DECLARATIVE = re.compile(
    r"^\W*(?:actually\W+|by the way\W+)?[a-z']+\b[^?]*?\b(?:is|are|was|were|am|has|have|likes?|loves?|prefers?|"
    r"hates?|belongs?|always|usually|never|lives?|goes)\b",
    re.I,
)
_INDIRECT = re.compile(
    r"^\W*(?:(?:please|can you|could you|i)\W+)*(?:tell|let me know|inform|say|ask|wonder)\b.*"
    r"\b(?:whether|if|what|where|when|which|who|how|why)\b|^\W*(?:please\W+)?(?:(?:make|be) (?:sure|certain)|ensure)\b",
    re.I,
)
"""A request that is told nowhere: "tell me WHETHER the fridge is closed", "MAKE SURE there are no plates"."""
_HABIT = re.compile(r"^\W*(?:\w+\W+){1,3}(?:always|usually|never|often|sometimes|normally|typically)\b", re.I)
_WHERE = re.compile(
    r"(?:^\W*|(?<=[.!?;])\s+)(?:(?:do you know|can you tell me|tell me)\s+)?"
    r"where(?:'s|\s+is|\s+are|\s+did\s+\w+\s+(?:put|leave))\b",
    re.I,
)
_WHERE_IT_WAS = re.compile(
    r"\b(?:back )?(?:to )?where (?:it|they|that|those) (?:was|were|came from|belonged|stood|lay|had been)(?: before)?\b"
    r"|\b(?:back )?(?:to )?where you (?:got|took|found|had) (?:it|them|that|those)(?: from)?\b"
    r"|\b(?:back )?(?:to|in) (?:its|their) (?:old|former|previous|original) places?\b",
    re.I,
)
_QUESTIONS = ("how", "why", "what", "who", "which", "did", "have", "has", "is", "are", "was", "where", "when")
_LAMPS = ("DeskLamp", "FloorLamp")
_PUTTING = tuple(verb for verb, sense in en.VERBS.items() if sense == "put")
_SLIP, _BEGINS = 2, 3
"""Letters by which a verb may be mistaken, and by which it begins all the same."""


class OfflineUnderstanding:
    """Understands the household instructions of the paper in ordinary English."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._requests = Requests(lexicon)
        self._descriptions = described(lexicon)

    def understand(self, text: str, spoken_of: tuple[ObjectRef, ...] = (), aid: Aid = NO_AID) -> Understanding:
        """Return the goals of `text`, or why there are none. Never raises on any text.

        `spoken_of`: what the previous instruction was about, for "it". Of `aid` rules use the places only.
        """
        if len(text) > MAX_LENGTH:
            return NotUnderstood(
                Code.INVALID_ARGUMENT,
                f"the instruction is {len(text)} characters long; {MAX_LENGTH} is the limit. Say it in parts.",
            )
        if not text.strip():
            return NotUnderstood(
                Code.INVALID_ARGUMENT,
                "the instruction is empty. Say what to do, for instance: put the apple in the fridge.",
            )
        if _REMEMBER.match(text) or _HABIT.match(text):
            return Statement(text.strip())
        said = corrected(text, lambda part: self.understand(part, spoken_of, aid), self._lexicon)
        if isinstance(said, NotUnderstood):
            return said
        if isinstance(said, Understood):
            note = f"You corrected yourself; I took it as {'; '.join(map(str, said.goals))}."
            return replace(said, notes=(note, *said.notes))
        if said != text:
            again = self.understand(said, spoken_of, aid)
            note = f"You corrected yourself; I took it as {said.strip()!r}."
            return replace(again, notes=(note, *again.notes)) if isinstance(again, Understood) else again
        text, preface = without_prefaces(text, lambda part: isinstance(self.understand(part), Understood))
        spoken_of = self._named(preface) or spoken_of
        text, waited = without_waits(_WHERE_IT_WAS.sub("back", text))
        chunks, notes = chunk(_WHERE.sub(" find ", text), self._lexicon, self._descriptions.is_word)
        chunks, conditions = part_conditions(gather(chunks, self._lexicon))
        chunks = plain(chunks)
        found = split(chunks)
        if found.clauses and found.negated:
            return NotUnderstood(Code.NOT_UNDERSTOOD, "I can't follow what not to do yet. Say only what to do.")
        if found.clauses and found.conditional:
            return NotUnderstood(
                Code.NOT_UNDERSTOOD, "I can't wait for something to happen (until, when). Say what to do now."
            )
        if found.clauses and (unheard := _verbless(found.leftovers)):
            return NotUnderstood(Code.AMBIGUOUS, f"What shall I do about {unheard!r}?", phrase=unheard)
        if found.clauses and (choice := either(chunks, self._lexicon)) is not None:
            return choice
        turned = next((c.word for c in chunks if c.preposition == "turned"), "")
        if found.clauses and turned:
            return NotUnderstood(
                Code.NOT_UNDERSTOOD, f"I can't turn things {turned}: I put them in, on or next to other things."
            )
        if found.clauses and _asks(found.leftovers):
            found.clauses.clear()
        if found.clauses and found.narrated:
            told = self._without_request(text, chunks) if len(found.clauses) == 1 else None
            said_only = NotUnderstood(Code.NOT_UNDERSTOOD, "You tell me what somebody does. Say what I am to do.")
            return told if isinstance(told, Statement) else said_only
        strange = _strange_request(found.leftovers)
        if strange and (meant := self._with_verb_for(strange, text, spoken_of)) is not None:
            return meant
        if strange:
            return NotUnderstood(Code.NOT_UNDERSTOOD, f"I don't know how to {strange!r} something. {_WHAT_I_KNOW}")
        if not found.clauses:
            return self._without_request(text, chunks)
        try:
            goals = self._goals(found, spoken_of, aid.places, conditions)
        except UnknownThing as thing:
            return self._unknown(thing.words)
        except UnclearThing as thing:
            return NotUnderstood(
                Code.AMBIGUOUS,
                f"I am not sure what {thing.words!r} is. Do you mean: {', '.join(thing.choices)}?",
                thing.choices,
                phrase=thing.words,
            )
        except UnclearCondition as condition:
            return NotUnderstood(
                Code.NOT_UNDERSTOOD,
                f"I can't tell whether {condition.words!r}. I can check whether something is there, open, closed, on, "
                "off, clean, dirty, hot, cold, sliced or filled.",
            )
        except UnknownVerb as verb:
            return NotUnderstood(Code.NOT_UNDERSTOOD, f"I don't know how to {verb.words!r} something. {_WHAT_I_KNOW}")
        except Unresolved as pronoun:
            return NotUnderstood(
                Code.NOT_UNDERSTOOD,
                f"I don't know what {pronoun} refers to. Name the object.",
                phrase=pronoun.words,
            )
        except UnclearRequest as unclear:
            return NotUnderstood(unclear.code, str(unclear), unclear.choices)
        if not goals:
            return NotUnderstood(Code.NOT_UNDERSTOOD, _WHAT_I_KNOW)
        joined = tuple(_with_light(goals))
        waits = ("I don't wait between one thing and the next.",) if waited else ()
        return complete(joined, (*notes, *waits, *self._taken_for(joined)))

    def _with_verb_for(self, slip: str, text: str, spoken_of: tuple[ObjectRef, ...]) -> Understood | None:
        """Return what a request means whose verb is a slip that happens to be a word: "PLAN the cup on the shelf".

        Only for something to be put somewhere, where all the rest is understood.
        """
        for verb in sorted(_PUTTING, key=lambda verb: OSA.distance(slip, verb)):
            if OSA.distance(slip, verb) > _SLIP or verb[:_BEGINS] != slip[:_BEGINS]:
                continue
            found = self.understand(re.sub(rf"\b{re.escape(slip)}\b", verb, text, count=1, flags=re.I), spoken_of)
            if isinstance(found, Understood) and all(g.predicate is Predicate.PLACE for g in found.goals):
                return replace(found, notes=(f"I took {slip!r} for {verb!r}.", *found.notes))
        return None

    def _taken_for(self, goals: tuple[Goal, ...]) -> list[str]:
        """Return what descriptions were taken for, in sentences."""
        described = [ref for goal in goals for ref in (goal.object, goal.destination) if ref and ref.margin < 1.0]
        names = {ref.noun: self._lexicon.kind(ref.categories[0]).noun for ref in described if ref.categories}
        return [f"I took {noun!r} for the {name}." for noun, name in names.items() if name not in noun]

    def reference(self, phrase: str) -> ObjectRef | None:
        """Return what a noun phrase on its own refers to, None when nothing that is known."""
        chunks, _ = chunk(phrase, self._lexicon, self._descriptions.is_word)
        try:
            read = noun_phrase(gather(chunks, self._lexicon), 0, Discourse(self._lexicon, self._descriptions))
        except (UnknownThing, UnclearThing, UnknownVerb, Unresolved):
            return None
        return read[0][0] if read else None

    def _portable(self, ref: ObjectRef) -> bool:
        return any(self._lexicon.can(c, "pickup") for c in ref.categories)

    def _named(self, preface: str) -> tuple[ObjectRef, ...]:
        """Return the things that a preface speaks of, for "it" behind the colon."""
        chunks, _ = chunk(f"the {preface}", self._lexicon, self._descriptions.is_word)
        chunks = gather(chunks, self._lexicon)
        return tuple(self._speak_of(chunks, Discourse(self._lexicon, self._descriptions)))

    def _without_request(self, text: str, chunks: list[Chunk]) -> Understanding:
        question = text.strip().endswith("?") or _INDIRECT.match(text)
        if not question and _DECLARATIVE.match(text) and not (chunks and chunks[0].verb):
            return Statement(text.strip())
        return NotUnderstood(Code.NOT_UNDERSTOOD, _WHAT_I_KNOW)

    def _unknown(self, words: str) -> NotUnderstood:
        close = self._lexicon.closest(words)
        hint = f" The closest things I know: {', '.join(close)}." if close else " Name something that is in a home."
        return NotUnderstood(Code.NOT_FOUND, f"I know of no {words!r}.{hint}")

    def _goals(
        self,
        found: Clauses,
        spoken_of: tuple[ObjectRef, ...],
        places: tuple[Place, ...],
        conditions: dict[int, Conditional],
    ) -> list[Goal]:
        """Return the goals of the clauses in the order of doing."""
        order = _order_of_doing(found.clauses)
        try:
            read = self._read(found, list(range(len(found.clauses))), spoken_of, places, conditions)
        except Unresolved:
            try:
                read = self._read(found, order, spoken_of, places, conditions)  # "before putting it away, wash the cup"
            except Unresolved:
                if not found.leftovers:
                    raise
                told = [c for rest in found.leftovers for c in rest]  # "THE LAMP IS ON, switch it off"
                found = replace(found, background=[*told, *found.background], leftovers=[])
                read = self._read(found, order, spoken_of, places, conditions)
        return [goal for index in order for goal in read[index]]

    def _read(
        self,
        found: Clauses,
        order: list[int],
        spoken_of: tuple[ObjectRef, ...],
        places: tuple[Place, ...],
        conditions: dict[int, Conditional],
    ) -> dict[int, list[Goal]]:
        """Read the clauses in this order; pronouns mean what was read before."""
        discourse = Discourse(self._lexicon, self._descriptions)
        for relation, ref in places:
            discourse.there = (relation, replace(ref, entity=discourse.new_entity()))
            discourse.places.append(discourse.there[1])
        if spoken_of:
            discourse.themes.append([replace(ref, entity=discourse.new_entity()) for ref in spoken_of])
        self._speak_of(found.background, discourse)
        read: dict[int, list[Goal]] = {}
        known: dict[int, Condition] = {}
        for index, following in zip(order, [*order[1:], None], strict=True):
            clause = found.clauses[index]
            aside = clause.aside and len(found.clauses) > 1
            conditional = conditions.get(clause.sentence)
            if conditional is not None and conditional.first and clause.sentence not in known:
                known[clause.sentence] = condition = read_condition(conditional, discourse)
                discourse.themes.append([condition.object])
            try:
                parts = read_parts(clause, discourse, self._lexicon)
                read[index] = self._requests.goals(clause, parts, discourse)
            except (UnknownThing, UnclearThing, UnknownVerb, Unresolved, UnclearRequest):
                if not aside:
                    raise
                read[index] = []
            named = clause.lead == "after" and any(c.word == "away" for c in clause.args)  # "after putting it AWAY"
            if (
                aside
                and not named
                and any(g.predicate is Predicate.PLACE and g.destination is None for g in read[index])
            ):
                read[index] = []
            ends = following is None or found.clauses[following].sentence != clause.sentence
            if conditional is not None and ends and clause.sentence not in known:
                known[clause.sentence] = read_condition(conditional, discourse)
        for index, goals in read.items():
            condition_here = known.get(found.clauses[index].sentence)
            read[index] = [replace(goal, condition=condition_here) for goal in goals]
        return read

    def _speak_of(self, background: list[Chunk], discourse: Discourse) -> list[ObjectRef]:
        """Let the discourse be about what comes before a request: "since MY KEYS are on THE BED". Return all of it.

        Where two things or an unknown one are spoken of, it isn't clear which is meant: "I spilled COFFEE on THE BOOK".
        """
        found: list[ObjectRef] = []
        themes: list[list[ObjectRef]] = []
        places: list[ObjectRef] = []
        there: Place | None = None
        clear = True
        relation = ""
        at = 0
        while at < len(background):
            try:
                read = noun_phrase(background, at, discourse) if background[at].word not in en.PRONOUNS else None
            except (UnknownThing, UnclearThing, UnknownVerb, Unresolved):
                read = None
                clear = clear and background[at].word not in en.DETERMINERS  # "THE MILK is in the cabinet, put it ..."
            if read is not None:
                found.extend(read[0])
                if relation:
                    places.extend(read[0])
                    there = (relation, read[0][-1]) if relation in ("on", "in", "to") else there
                else:
                    themes.append(read[0])
            c = background[at]
            relation = c.preposition or (relation if read is None and (c.small or c.word in en.SAFE_ADJECTIVES) else "")
            at = read[1] if read is not None else at + 1
        meant = {ref.entity for group in themes for ref in group} | {r.entity for r in places if self._portable(r)}
        if clear and len(meant) <= 1:
            discourse.themes.extend(themes)
            discourse.places.extend(places)
            discourse.there = there or discourse.there
        return found


_WHAT_I_KNOW = (
    "I understand requests to put, bring, get, wash, heat, cool, slice, open, close, switch on or off, fill, break, "
    "throw away, look at and find things; for instance: wash the apple and put it in the bowl."
)


def _order_of_doing(clauses: list[Clause]) -> list[int]:
    """Return the indices of the clauses in the order in which they are to be done.

    "Before B, A" and "B after A" are done A, B; "after A, B" and "A before B" as they are said.
    """
    order: list[int] = []
    for index, clause in enumerate(clauses):
        opens = index == 0 or clauses[index - 1].sentence != clause.sentence
        previous = clauses[index - 1] if index else None
        opened_before = (
            previous is not None
            and previous.lead == "before"
            and not opens
            and (index == 1 or clauses[index - 2].sentence != clause.sentence)
        )
        if (clause.lead == "after" and not opens) or opened_before:
            order.insert(len(order) - 1, index)
        else:
            order.append(index)
    return order


def _asks(leftovers: list[list[Chunk]]) -> bool:
    """Whether the text asks how, why or what rather than to do something. "What a day" does not."""
    return any(
        rest[0].word in _QUESTIONS and not (len(rest) > 1 and rest[0].word == "what" and rest[1].word in ("a", "an"))
        for rest in leftovers
    )


def _strange_request(leftovers: list[list[Chunk]]) -> str:
    """Return the verb of a sentence that asks for something unknown: "polish the table"; empty when there is none."""
    for rest in leftovers:
        first = rest[0]
        remark = (
            first.known or first.word in _QUESTIONS or first.word.endswith(("ing", "ly")) or not first.word.isalpha()
        )
        if not remark and len(rest) > 1 and (rest[1].word in en.DETERMINERS or rest[1].noun is not None):
            return first.word
    return ""


def _verbless(leftovers: list[list[Chunk]]) -> str:
    """Return what names a thing and a place for it and no verb: "fork into the microwave"; empty where nothing does."""
    for rest in leftovers:
        place = next((i for i, c in enumerate(rest) if c.preposition in ("on", "in", "to", "near")), len(rest))
        told = any(c.word in en.TELLING | en.BEING | en.REMARKS or (c.verb and c.noun is None) for c in rest)
        named = [any(c.noun is not None or c.described for c in part) for part in (rest[:place], rest[place:])]
        if all(named) and not told:
            return " ".join(c.word for c in rest if c.word != ",")
    return ""


def _with_light(goals: list[Goal]) -> list[Goal]:
    """Join "turn on the lamp" and "look at the book", in either order, to one goal."""
    joined: list[Goal] = []
    for goal in goals:
        last = joined[-1] if joined else None
        if last is not None and {last.predicate, goal.predicate} == {Predicate.SWITCH_ON, Predicate.EXAMINE}:
            switch, look = (last, goal) if last.predicate is Predicate.SWITCH_ON else (goal, last)
            lamps = tuple(c for c in switch.object.categories if c in _LAMPS) if switch.object else ()
            if look.destination is None and lamps and switch.object is not None:
                joined[-1] = replace(look, destination=replace(switch.object, categories=lamps))
                continue
        joined.append(goal)
    return joined
