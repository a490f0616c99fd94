# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an instruction leaves open is chosen by what its user prefers: known, else asked, then learned (PAHF, 3.2)."""

from __future__ import annotations

import logging
import threading
import uuid
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from karma_language.told.wishes.phrases import named
from karma_language.vocabulary.lexicon import Lexicon
from planner_node.ground.alternatives import narrowed, open_things, places_for
from planner_node.ground.names import Grounding
from planner_node.ground.preferences import Advice, Learned, Preferences, Question, Words
from planner_node.memory import MemoryRefused, MemoryUnavailable, Recollection
from planner_node.understand.goals import Goal, ObjectRef, Predicate, placed
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.world import World

_LOG = logging.getLogger(__name__)
_INSTRUCTIONS_KEPT = 50
"""Instructions whose choices are kept for what their users say afterwards."""
_MOST_QUESTIONS = 3
"""That one instruction may lead to; what else is open is chosen as without a user."""
_MOST_UNSENT = 100

Ask = Callable[[str, Sequence[str]], str]
"""Asks the person and returns the answer, "" when there is none."""


@dataclass
class Asked:
    """An instruction of a user, and what comes of choosing for it."""

    user: str
    text: str
    instruction_id: str
    world: World
    ask: Ask | None
    """None: nobody may be asked, and nothing is learned."""
    notes: list[str] = field(default_factory=list)
    """What was chosen and why, in sentences."""
    grounds: dict[str, Recollection] = field(default_factory=dict)
    """Recollections that choices rest on, by id."""
    questions: int = 0
    answer: str = ""
    """To the last of them."""


@dataclass
class _Made:
    """A choice that was made, or was left to the planner because nobody answered."""

    question: Question
    acted_on: str = ""
    """Id of the recollection that knows what was done."""


@dataclass
class _Instruction:
    user: str
    made: list[_Made] = field(default_factory=list)
    heard: tuple[str, str] = ("", "")
    """What its user said of it last, and the id of these words: they may come twice."""


class Choosing:
    """Chooses for users. What they say of it may come from another thread."""

    def __init__(self, preferences: Preferences, lexicon: Lexicon) -> None:
        self._preferences = preferences
        self._lexicon = lexicon
        self._nouns = OfflineUnderstanding(lexicon)
        self._instructions: OrderedDict[str, _Instruction] = OrderedDict()
        self._unsent: deque[tuple[Question, Words]] = deque(maxlen=_MOST_UNSENT)
        self._lock = threading.RLock()

    def things(self, goals: Sequence[Goal], asked: Asked) -> tuple[Goal, ...]:
        """Return the goals with what their words leave open chosen: "some fruit" becomes an apple.

        What nobody decides stays as it is.
        """
        settled = tuple(goals)
        grounding = Grounding(asked.world, self._lexicon)
        for ref, options in open_things(goals, grounding, asked.world, self._lexicon):
            name = self._choose(Question(asked.user, asked.text, tuple(options)), asked)
            chosen = self._meant(name, options, "pickup")
            if chosen is not None:
                settled = narrowed(settled, ref, chosen)
            elif name:
                asked.notes.append(f"I know of no {name}.")
        return settled

    def places(self, goals: Sequence[Goal], asked: Asked) -> tuple[Goal, ...]:
        """Return the goals with places chosen for what is to be put away. What nobody decides stays without."""
        settled: list[Goal] = []
        for goal in goals:
            if goal.predicate is Predicate.PLACE and goal.object is not None and goal.destination is None:
                options = places_for(goal.object, asked.world, self._lexicon)
                question = Question(asked.user, asked.text, tuple(options), goal.object.noun)
                chosen = self._meant(self._choose(question, asked), options, "hold")
                if chosen is not None:
                    relation = self._lexicon.kind(chosen.categories[0]).relation
                    goal = placed(goal, chosen, [*goals, *settled], relation)
            settled.append(goal)
        return tuple(settled)

    def heard(self, instruction_id: str, user: str, text: str) -> Learned | None:
        """Take in what a user says of an instruction of theirs; None where it teaches nothing about its choices."""
        with self._lock:
            instruction = self._instructions.get(instruction_id)
            if instruction is None or not user or instruction.user != user:
                return None
            if instruction.heard[0] != text:
                instruction.heard = (text, str(uuid.uuid4()))
            found: Learned | None = None
            for number, made in enumerate(instruction.made):
                words = Words(
                    str(uuid.uuid5(uuid.UUID(instruction.heard[1]), str(number))),
                    text,
                    others=len(instruction.made) > 1,
                    acted_on=made.acted_on,
                    instruction_id=instruction_id,
                )
                learned = self._learn(made, words)
                if learned is not None and (learned.option or learned.kept):
                    found = learned if found is None or learned.option else found
            return found

    def catch_up(self) -> None:
        """Let the memory learn what it could not be told when it was said."""
        with self._lock:
            for _ in range(len(self._unsent)):
                question, words = self._unsent.popleft()
                self._learn(_Made(question), words)
                if self._unsent and self._unsent[-1][1] is words:
                    return  # it is still away

    def _choose(self, question: Question, asked: Asked) -> str:
        """Return what was chosen, "" where nothing decides. Afterwards its user may say what they think of it."""
        if len(question.options) < 2:
            return ""
        try:
            advice = self._preferences.choose(question)
        except (MemoryUnavailable, MemoryRefused) as error:
            _LOG.warning("nobody knows what a user would choose: %s", error)
            return ""
        made = _Made(question)
        chosen = self._known(advice, made, asked) if advice.sure else self._asked(advice, made, asked)
        if asked.ask is not None:
            self._keep(asked, made)
        return chosen

    def _known(self, advice: Advice, made: _Made, asked: Asked) -> str:
        """Return what the memory decides, and say why."""
        if advice.recollections:
            made.acted_on = advice.recollections[0].id
        asked.grounds.update((r.id, r) for r in advice.recollections[:1])
        asked.notes.append(f"I chose the {advice.option}: {advice.because}.")
        return advice.option

    def _asked(self, advice: Advice, made: _Made, asked: Asked) -> str:
        """Return what the user answers, "" where that decides nothing; the memory learns it."""
        if asked.ask is None or asked.questions >= _MOST_QUESTIONS:
            return ""
        asked.questions += 1
        asked.answer = answer = asked.ask(advice.question, advice.candidates).strip()
        if not answer:
            asked.notes.append("I was not told which, so I chose.")
            return ""
        words = Words(str(uuid.uuid4()), answer, answering=True, instruction_id=asked.instruction_id)
        learned = self._learn(made, words)
        if learned is None:  # it decides all the same
            said = named(answer, made.question.options)
            return said if said in made.question.options else ""
        if learned.remark:
            asked.notes.append(f"I will not remember that: {learned.remark}.")
        return learned.option

    def _learn(self, made: _Made, words: Words) -> Learned | None:
        """Pass words on to the memory; None where it can't be told now (it will be) or refuses them."""
        try:
            learned = self._preferences.learn(made.question, words)
        except MemoryUnavailable as error:
            _LOG.warning("what a user said is learned when the memory answers again: %s", error)
            self._unsent.append((made.question, words))
            return None
        except MemoryRefused as error:
            _LOG.error("the memory refuses what a user said (%s)", type(error).__name__)
            return None
        made.acted_on = learned.record or made.acted_on
        return learned

    def _keep(self, asked: Asked, made: _Made) -> None:
        with self._lock:
            self._instructions.setdefault(asked.instruction_id, _Instruction(asked.user)).made.append(made)
            while len(self._instructions) > _INSTRUCTIONS_KEPT:
                self._instructions.popitem(last=False)

    def _meant(self, name: str, options: Mapping[str, ObjectRef], affordance: str) -> ObjectRef | None:
        """Return what a chosen name means: an option, else something of the right sort that is called so."""
        for option, ref in options.items():
            if option.lower() == name.lower():
                return ref
        other = self._nouns.reference(name) if name else None
        fits = other is not None and self._lexicon.any_can(other.categories, affordance)
        return other if fits else None
