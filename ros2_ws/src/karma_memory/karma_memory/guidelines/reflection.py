# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Reflection after an episode, without a language model: what failed is compared with what then worked.

Success patterns, causes of failure and insights (BrainMem, section 3.2.3) as guidelines that code can follow. A
function of attempts; what skills and things are called plays no part in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from karma_memory.episodic.attempts import Attempt, Transition
from karma_memory.episodic.goals import task_types
from karma_memory.events import Code, SkillCall, SkillTarget
from karma_memory.guideline import Advice, Guideline
from karma_memory.guidelines.meanings import meanings
from karma_memory.recall.prompt import one_line
from karma_memory.working.actions import Action, Effect, goes_there, toggles

OBSTACLES = frozenset({Code.PRECONDITION_FAILURE, Code.EXECUTION_FAILURE, Code.REFUSED})
"""Failures that say something of the thing; that it was not found, or that time was up, says nothing of it."""
MOST_STEPS = 4
"""Steps that a guideline advises to do before."""
MESSAGE_LENGTH = 160
"""Characters of what a skill said that a guideline keeps."""


@dataclass(frozen=True)
class Lesson:
    """A guideline that an episode teaches."""

    guideline: Guideline
    """Without figures."""
    personal: bool = False
    """Whether it holds words of the user."""
    known_only: bool = False
    """Whether it counts for a guideline that there is, and makes none."""
    shown: bool = False
    """Whether it worked within the episode, however that ended."""


def lessons_within(attempt: Attempt) -> Iterator[Lesson]:
    """Yield what an attempt teaches by itself: what failed, and then worked after other steps, or elsewhere.

    Where several things failed before one did, the first of them stands for all.
    """
    known: set[tuple[str, str, str]] = set()
    for place, step in enumerate(attempt.steps):
        if step.code not in OBSTACLES:
            continue
        later = attempt.steps[place + 1 :]
        again = next((i for i, other in enumerate(later) if other.done and _same_subject(step, other)), None)
        if again is not None:
            began = _first_failure(attempt, place)
            lasting = _lasting(attempt.steps[began : place + 1 + again])
            between = [other.action for other in lasting if any(other is since for since in later[:again])]
            worked = later[again]
            done = [other.action for other in later[:again] if _changed(other)]
            lesson = _other_object(attempt, step, worked)
            alike = not between or _same_as_before(attempt.steps[:place], done, step, worked)
            if lesson is not None and alike:
                if (what := (lesson.skill, lesson.category, lesson.instead)) not in known:
                    known.add(what)
                    yield Lesson(lesson, shown=True)
            elif steps := _relevant(step, worked.action, between, was_there=_was_there(attempt, place)):
                yield Lesson(_before(attempt, step, worked.action, steps), shown=True)
        elif (lesson := _elsewhere(attempt, step, later)) is not None:
            yield Lesson(lesson, shown=True)


def lessons_between(failed: Attempt, worked: Attempt) -> Iterator[Lesson]:
    """Yield what two attempts at the same task teach, the first of which failed and the second worked."""
    for place, step in enumerate(failed.steps):
        rest = failed.steps[place + 1 :]
        if step.code not in OBSTACLES or any(other.done and _same_subject(step, other) for other in rest):
            continue
        turn = next((i for i, other in enumerate(worked.steps) if other.done and _same_subject(step, other)), None)
        if turn is None:
            if (lesson := _elsewhere(failed, step, worked.steps)) is not None:
                yield Lesson(lesson)
            continue
        done = Counter(other.action.kind for other in failed.steps[:place] if _changed(other))
        new = []
        for other in _lasting(worked.steps[:turn]):
            done[other.action.kind] -= 1
            if done[other.action.kind] < 0:
                new.append(other.action)
        action = worked.steps[turn].action
        if steps := _relevant(step, action, new, was_there=_was_there(failed, place)):
            yield Lesson(_before(failed, step, action, steps))
        elif (lesson := _other_object(failed, step, worked.steps[turn])) is not None:
            yield Lesson(lesson)


def word_lessons(attempt: Attempt, failed: Sequence[Attempt]) -> Iterator[Lesson]:
    """Yield what an attempt says of the meanings of words. `failed`: earlier attempts at the same that failed.

    A new meaning is only learned where a person said something: that this attempt was right, or one of those was wrong.
    That all skills did what they should says nothing of what was meant.
    """
    said = attempt.verdict is Code.SUCCESS or any(other.verdict is not Code.UNSET for other in failed)
    for meaning in meanings(attempt, failed):
        text = f'"{meaning.word}" means {meaning.category}'
        text += f" in a {attempt.room}" if attempt.room else ""
        yield Lesson(
            Guideline(
                Advice.MEANING,
                f"{text}, not {meaning.instead_of}." if meaning.instead_of else f"{text}.",
                word=meaning.word,
                category=meaning.category,
                instead_of=meaning.instead_of,
                task_types=task_types(attempt.parsed),
                room=attempt.room,
            ),
            personal=True,
            known_only=meaning.usual or not attempt.succeeded or not said,
        )


def _before(attempt: Attempt, failed: Transition, worked: Action, steps: Sequence[Action]) -> Guideline:
    action = failed.action
    calls = tuple(_call(step, worked) for step in steps)
    subject = action.subject
    done = ", then ".join(_said(step, worked) for step in steps)
    message = one_line(failed.message, MESSAGE_LENGTH)
    reason = f": otherwise it fails ({message})" if message else ""
    return Guideline(
        Advice.BEFORE,
        f"Before {action.skill} on a {subject}, do {done}{reason}.",
        category=subject,
        skill=action.skill,
        steps=calls,
        message=message,
        task_types=task_types(attempt.parsed),
    )


def _elsewhere(attempt: Attempt, failed: Transition, later: Sequence[Transition]) -> Guideline | None:
    """Return that a kind of destination is to be avoided where the same thing went to another one in the end."""
    action = failed.action
    if action.effect is not Effect.LETS_GO or not action.receptacle or not action.category:
        return None
    for step in reversed(later):
        other = step.action
        moved = step.done and other.effect is Effect.LETS_GO and other.category == action.category
        if moved and other.receptacle not in ("", action.receptacle):
            return _avoid(attempt, failed, receptacle=action.receptacle, instead=other.receptacle)
    return None


def _other_object(attempt: Attempt, failed: Transition, worked: Transition) -> Guideline | None:
    """Return that one thing is to be avoided where another one of its kind did."""
    one, other = failed.action.subject_id, worked.action.subject_id
    if not one or not other or one == other:
        return None
    return _avoid(attempt, failed, object=one, instead=other, scene=attempt.scene)


def _avoid(attempt: Attempt, failed: Transition, **fields: str) -> Guideline:
    action = failed.action
    message = one_line(failed.message, MESSAGE_LENGTH)
    where = fields.get("object") or fields.get("receptacle", "")
    what = f"{action.skill} {action.category}".strip()
    text = f"Avoid {what} {'with' if fields.get('object') else 'in/on'} {where}"
    text += f": it fails ({message})" if message else ""
    return Guideline(
        Advice.AVOID,
        f"{text}. {fields['instead']} worked instead.",
        category=action.category,
        skill=action.skill,
        message=message,
        task_types=task_types(attempt.parsed),
        **fields,  # type: ignore[arg-type]
    )


def _same_as_before(
    earlier: Sequence[Transition], between: Sequence[Action], failed: Transition, worked: Transition
) -> bool:
    """Whether nothing was done with the thing that worked but what had been done with the one that failed.

    Then it is the thing that matters: a drawer that is full was opened before, too. What was done in between with
    others of the kind, which failed like the first, doesn't count.
    """
    one, other, kind = failed.action.subject_id, worked.action.subject_id, failed.action.subject
    done = {step.action.skill for step in earlier if step.action.subject_id == one}
    return all(step.subject == kind and (step.subject_id != other or step.skill in done) for step in between)


def _same_subject(one: Transition, other: Transition) -> bool:
    """Whether two steps do the same to the same kind of thing."""
    a, b = one.action, other.action
    return (a.skill, a.subject) == (b.skill, b.subject) and (not a.category or a.category == b.category)


def _changed(step: Transition) -> bool:
    return step.done and step.action.effect is not Effect.LOOKS


def _was_there(attempt: Attempt, place: int) -> bool:
    """Whether the robot was at what the step at `place` is about; one that was not may have failed for that alone."""
    subject = attempt.steps[place].action.subject_id
    for step in reversed(attempt.steps[:place]):
        if step.done and step.action.effect is Effect.LOOKS and goes_there(step.action.skill):
            return not subject or step.action.subject_id in ("", subject)
    return True


def _relevant(failed: Transition, worked: Action, steps: Sequence[Action], *, was_there: bool) -> list[Action]:
    """Return the steps that made what failed possible: those on the thing itself, where there are any.

    Emptying a full hand is no lesson: a robot knows what it holds. Nor is taking what is to be put down, or that what
    is open has to be closed before it can be opened. `worked`: the same when it was possible; `was_there`: whether the
    robot was at the thing when it failed.
    """
    failing = failed.action.kind
    switched = toggles(failed.action.skill)
    steps = [step for step in dict.fromkeys(steps) if step.kind != failing]
    own = [step for step in steps if _on_itself(step, worked)]
    if switched is not None and any((other := toggles(step.skill)) and other[0] == switched[0] for step in own):
        return []
    if own:
        return own[-MOST_STEPS:]
    if not was_there:
        return []
    others = [step for step in steps if not (step.effect is Effect.LETS_GO and failed.held)]
    if failed.action.effect is Effect.TAKES and failed.held:
        return []
    if failed.action.effect is Effect.LETS_GO:
        others = [step for step in others if step.category != failed.action.category or step.effect is Effect.CHANGES]
        if any(step.effect is Effect.TAKES for step in others):
            return []  # what was taken away to make room: that day's clutter
    return others[-MOST_STEPS:]


def _first_failure(attempt: Attempt, place: int) -> int:
    """Return where what failed at `place` failed first since it last worked."""
    step, first = attempt.steps[place], place
    for number in range(place - 1, -1, -1):
        if _same_subject(step, attempt.steps[number]):
            if attempt.steps[number].done:
                break
            first = number
    return first


def _lasting(steps: Sequence[Transition]) -> list[Transition]:
    """Return the steps that changed something, without those that were undone again: such were no reason.

    Where nothing is left, what was taken and put down is: it was in the way.
    """
    changes = [step for step in steps if _changed(step)]
    left: list[Transition] = []
    for step in changes:
        undone = next((other for other in reversed(left) if _undoes(step.action, other.action)), None)
        if undone is None:
            left.append(step)
        else:
            left.remove(undone)
    return left or [step for step in changes if step.action.effect in (Effect.TAKES, Effect.LETS_GO)]


def _undoes(step: Action, other: Action) -> bool:
    if not step.object or step.object != other.object:
        return False
    if step.effect is Effect.LETS_GO:
        return other.effect is Effect.TAKES
    one, two = toggles(step.skill), toggles(other.skill)
    return one is not None and two is not None and one[0] == two[0] and one[1] is not two[1]


def _on_itself(step: Action, worked: Action) -> bool:
    """Whether a step is on what was then possible, and not on another thing of its kind."""
    one, other = step.subject_id, worked.subject_id
    return step.subject == worked.subject and (one == other or not one or not other)


def _said(step: Action, worked: Action) -> str:
    if _on_itself(step, worked):
        return step.skill
    return step.text if step.subject != worked.subject else f"{step.skill} another {step.subject}"


def _call(step: Action, worked: Action) -> SkillCall:
    """Return a step as a call with categories; a target that says nothing is the subject of what then worked."""
    lets_go = step.effect is Effect.LETS_GO
    same = bool(step.subject) and _on_itself(step, worked)
    receptacle = SkillTarget(category=step.receptacle) if step.receptacle and not (same and lets_go) else SkillTarget()
    target = SkillTarget() if (same and not lets_go) else SkillTarget(category=step.category)
    return SkillCall(step.skill, target, receptacle, step.relation)
