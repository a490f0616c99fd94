# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The rules at work: before every skill, before anything is begun, while the robot is paused, and at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from karma_language.dialogue.utterances import agrees
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.word_meanings import senses_in
from planner_node.check.safety.rules import ANYTHING, At, Decision, Near, Rule, Rules, household_rules, say
from planner_node.check.safety.situation import Situation, asked_for, gap, of_call, of_goal
from planner_node.instruction import Instruction, Observer
from planner_node.printable import label
from planner_node.skills import Node, Outcome, Point, SkillCall, SkillTable, Target
from planner_node.understand.goals import Goal, Predicate
from planner_node.world import World

Ask = Callable[[str, Sequence[str]], str]
_SWITCHED_ON, _SWITCHED_OFF = ("ToggleOn", "SwitchOn"), ("ToggleOff", "SwitchOff")
_MOVING_ONLY = frozenset({Predicate.PLACE, Predicate.HOLD, Predicate.BRING, Predicate.PUT_DOWN, Predicate.EXAMINE})
_SAID = {"ThrowObject": ("throw", "discard"), "BreakObject": ("break",)}
"""What the instruction's own words have to ask for, whoever made goals of them."""
_NO_YES = "Nobody said yes, so I don't."


@dataclass(frozen=True)
class Safety:
    """The rules, and whether a person confirms what can't be undone."""

    rules: Rules = field(default_factory=household_rules)
    confirm_irreversible: bool = False

    def guard(
        self, instruction: Instruction, goals: Sequence[Goal], world: World, lexicon: Lexicon, observer: Observer
    ) -> Guard:
        """Return who watches over an instruction. In a dry run nobody is asked."""
        ask = None if instruction.dry_run else observer.ask
        return Guard(self, lexicon, world, goals, text=instruction.text, asker=instruction.person, ask=ask)


@dataclass(frozen=True)
class Verdict:
    """What the rules say to a skill."""

    refusal: str = ""
    """Why it must not be run, for a person; empty when it may."""
    first: tuple[SkillCall, ...] = ()
    """Skills that have to succeed before it."""


class Guard:
    """Watches over one instruction."""

    def __init__(
        self,
        safety: Safety,
        lexicon: Lexicon,
        world: World,
        goals: Sequence[Goal],
        *,
        text: str = "",
        asker: Point | None = None,
        ask: Ask | None = None,
    ) -> None:
        """`text`: the user's own words; `asker`: where they are, metres, map frame.

        `ask`: asks a person, "" where there is no answer; None in a dry run, which notes what would be asked.
        """
        self._rules = safety.rules
        self._confirm = safety.confirm_irreversible
        self._lexicon = lexicon
        self._world = world
        self._goals = goals
        self._text = text
        self._asker = asker
        self._ask = ask
        self._answers: dict[tuple[str, str], bool] = {}
        self.notes: dict[str, None] = {}
        """What a person should hear of at the end."""

    def objection(self) -> str:
        """Return why the instruction is refused before anything is begun, empty when it is not.

        A goal is refused where every kind of thing that it may speak of is. What depends on where things are, and
        what a person may confirm, is looked at when the time comes.
        """
        for number, goal in enumerate(self._goals):
            before = self._goals[:number]
            ways = of_goal(goal, before, self._goals[number + 1 :])
            found = [
                next(filter(None, (self._refuses(self._as_known(one, before)) for one in way)), "") for way in ways
            ]
            if found and all(found):
                return found[0]
        return ""

    def unconfirmed(self, number: int) -> str:
        """Ask about a goal whose turn it is, before anything moves for it; return why it is refused, "" where it isn't.

        Asked is what every kind of thing that it may speak of leads to, once for all kinds. A dry run asks nothing.
        """
        ways = of_goal(self._goals[number], self._goals[:number], self._goals[number + 1 :])
        found = [
            [doubt for one in way for doubt in self._doubts(self._as_known(one, ()))]
            for way in (ways if self._ask is not None else ())
        ]
        for rule, question in found[0] if found and all(found) else ():
            said = self._confirmed(rule, question, question)
            self._answers.update(dict.fromkeys((doubt for way in found for doubt in way if doubt[0] == rule), said))
            if not said:
                return f"{question} {_NO_YES}"
        return ""

    def _doubts(self, situation: Situation) -> list[tuple[str, str]]:
        """Return the rules by which a person is asked, with the question."""
        rules = [rule for rule in self._applying(At.SKILL, situation) if rule.decision is Decision.CONFIRM]
        return [(rule.name, self._message(rule, situation)) for rule in rules]

    def _as_known(self, situation: Situation, before: Iterable[Goal]) -> Situation:
        """Return a situation with the states of all known things of a kind, where no goal before changes any."""
        if any(goal.predicate not in _MOVING_ONLY for goal in before):
            return situation

        def known(nodes: Sequence[Node]) -> tuple[Node, ...]:
            return tuple(replace(node, states={**self._common(node.category), **node.states}) for node in nodes)

        held, target, beside = map(known, (situation.held, situation.target, situation.beside))
        return replace(situation, held=held, target=target, beside=beside)

    def _common(self, category: str) -> dict[str, str]:
        """Return the states that all known things of a category are in."""
        found = [{*belief.node.states.items()} for belief in self._world.of([category])]
        return dict(set.intersection(*found)) if found else {}

    def judge(self, call: SkillCall, table: SkillTable) -> Verdict:
        """Return what the rules say to a call, as things stand. May ask a person, and wait for the answer."""
        situation = of_call(call, self._world, self._rules, self._asker)
        first: list[SkillCall] = []
        for rule in self._applying(At.SKILL, situation):
            message = self._message(rule, situation)
            if rule.decision is Decision.REFUSE:
                return Verdict(message)
            if rule.decision is Decision.CONFIRM and not self._confirmed(rule.name, message, message):
                return Verdict(f"{message} {_NO_YES}")
            if rule.decision is Decision.WARN:
                self.notes[message] = None
            if rule.decision is Decision.PUT_RIGHT and situation.target:
                thing = situation.target[0]
                first.append(SkillCall(rule.skill, Target(thing.id, thing.category)))
                self.notes[message] = None
        if self._confirm and call.skill in table and table[call.skill].irreversible:
            concerned = situation.target or situation.held
            noun = self._noun(concerned[0]) if concerned else "thing"
            question = f"{call.skill} with the {noun} can't be undone. Shall I?"
            if not self._confirmed("", str(call), question):
                return Verdict(f"{question} {_NO_YES}")
        return Verdict("", tuple(first))

    def agrees(self, question: str) -> bool:
        """Whether a person says yes to a question about the whole instruction; in a dry run it is noted."""
        return self._confirmed("", question, question)

    def left_on(self, outcomes: Iterable[Outcome]) -> list[tuple[Rule, str]]:
        """Return what this instruction has switched on and not off again, by id, with the rule at the end for it."""
        on: dict[str, None] = {}
        for outcome in outcomes:
            target = outcome.call.target.id or (outcome.seen[0].id if outcome.seen else "")
            if outcome.ok and target and outcome.call.skill in _SWITCHED_ON:
                on[target] = None
            elif outcome.ok and outcome.call.skill in _SWITCHED_OFF:
                on.pop(target, None)
        found = []
        for name in on:
            belief = self._world.get(name)
            if belief is not None and belief.node.states.get("isToggled") != "false":
                situation = Situation("ToggleOn", target=(belief.node,), where=belief.node)
                found += [(rule, name) for rule in self._applying(At.END, situation)]
        return found

    def left_on_note(self, rule: Rule, name: str) -> str:
        """Return what to say of something that is on."""
        belief = self._world.get(name)
        return self._message(rule, Situation("ToggleOn", target=(belief.node,) if belief else ()))

    def noun(self, name: str) -> str:
        """Return what a person calls the thing with this id."""
        belief = self._world.get(name)
        return self._noun(belief.node if belief is not None else Node(name, ""))

    def held_notes(self, at: At) -> list[str]:
        """Return what to say of what is in the gripper, when the instruction ends or the robot is paused."""
        if not self._world.held:
            return []
        situation = of_call(SkillCall(""), self._world, self._rules)
        return [self._message(rule, situation) for rule in self._applying(at, situation) if not rule.when.target]

    # Rules

    def _refuses(self, situation: Situation) -> str:
        for rule in self._applying(At.SKILL, situation):
            if rule.decision is Decision.REFUSE:
                return self._message(rule, situation)
        return ""

    def _applying(self, at: At, situation: Situation) -> list[Rule]:
        return [rule for rule in self._rules.rules if rule.when.at is at and self._things(rule, situation) is not None]

    def _things(self, rule: Rule, situation: Situation) -> Mapping[str, Node] | None:
        """Return the things that make a rule apply, by their part in it; None when it does not."""
        when = rule.when
        if when.skills and situation.skill not in when.skills:
            return None
        things: dict[str, Node] = {}
        for part, nodes, names, but, states, elsewhere in (
            ("held", situation.held, when.held, when.held_is_not, when.held_states, when.held_not_in),
            ("target", situation.target, when.target, when.target_is_not, when.target_states, ()),
            ("contents", situation.contents, when.contents, when.contents_are_not, {}, when.contents_not_in),
            ("beside", situation.beside, when.beside, (), when.beside_states, ()),
        ):
            if names:
                left = [node for node in nodes if not self._is_in(node, elsewhere, situation)]
                found = self._first(left, names, but, states)
                if found is None:
                    return None
                things[part] = found
            elif nodes:
                things[part] = nodes[0]
        if when.target_in and self._first(situation.around, when.target_in, (), {}) is None:
            return None
        if when.near is not None:
            about = (*situation.held, *(situation.target if when.target else ()))
            close = self._close(situation, when.near, {node.id for node in about if node.id})
            if close is None and not (when.near.asker and situation.to_asker):
                return None
            if close is not None:
                things["near"] = close
        if when.asked is not None and self._asked(situation) is not when.asked:
            return None
        return things

    def _first(
        self, nodes: Sequence[Node], names: Sequence[str], but: Sequence[str], states: Mapping[str, str]
    ) -> Node | None:
        for node in nodes:
            fits = self._is(node, names) and not (but and self._is(node, but))
            if fits and all(node.states.get(key) == value for key, value in states.items()):
                return node
        return None

    def _is(self, node: Node, names: Iterable[str]) -> bool:
        """Whether a thing is of one of these categories, classes or groups."""
        for name in names:
            if name in (ANYTHING, node.category):
                return True
            if name in self._rules.groups:
                if self._is(node, self._rules.groups[name]):
                    return True
            elif name in self._lexicon.kind(node.category).classes:
                return True
        return False

    def _is_in(self, node: Node, names: Sequence[str], situation: Situation) -> bool:
        """Whether a thing is, or goes, right in or on one of these."""
        goes = node.id in ("", self._world.held)
        holder = None if goes else self._world.get(node.receptacle)
        around = (holder.node,) if holder is not None else situation.target[:1] if goes else ()
        return any(self._is(one, names) for one in around)

    def _close(self, situation: Situation, near: Near, about: set[str]) -> Node | None:
        """Return what is near where a skill takes place, other than what the rule is about (ids)."""
        if situation.where is None:
            return None
        for belief in self._world:
            counts = belief.id not in about and self._is(belief.node, near.things)
            if counts and gap(situation.where, belief.node) <= near.within:
                return belief.node
        return None

    def _asked(self, situation: Situation) -> bool:
        """Whether the instruction asks for a skill: by its goals, and for what does harm by its own words, too."""
        concerned = situation.held if situation.skill == "ThrowObject" else situation.target
        category = concerned[0].category if concerned else ""
        if not asked_for(situation.skill, category, self._goals, self._lexicon):
            return False
        senses = _SAID.get(situation.skill)
        if senses is None or not self._text or situation.skill.lower() in self._text.lower():
            return True
        return not senses_in(self._text).isdisjoint(senses)

    def _confirmed(self, rule: str, what: str, question: str) -> bool:
        """Whether a person said yes. One answer counts for all that is about the same: a call, or a rule's question."""
        if self._ask is None:
            self.notes[f"I would ask first: {question}"] = None
            return True
        key = (rule, what)
        if key not in self._answers:
            self._answers[key] = agrees(self._ask(question, ("yes", "no")))
        return self._answers[key]

    # Words

    def _message(self, rule: Rule, situation: Situation) -> str:
        things = self._things(rule, situation) or {}
        return say(rule.message, {part: self._noun(node) for part, node in things.items()})

    def _noun(self, node: Node) -> str:
        return label(self._lexicon.kind(node.category).noun if node.category else node.id)
