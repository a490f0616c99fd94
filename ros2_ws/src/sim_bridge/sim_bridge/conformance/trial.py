# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A backend under test: runs skills, and examines everything that comes back from them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from sim_bridge.backend import Backend, Code, Observation, Outcome, Point, Pose2D, Progress, SeenObject, Skill, Target
from sim_bridge.conformance.check import NonConformityError, NotApplicableError, require
from sim_bridge.conformance.subject import Feature, Subject
from sim_bridge.skills import SKILLS

SEED = 7

_EXTENT = 100.0
"""Metres from the origin of the map within which a home is."""

_HIGHEST = 10.0
"""Metres above the origin of the map that a home's objects are, at most."""


class Trial:
    """One backend, opened when it is first needed, in its scene as that begins."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.succeeded: set[str] = set()
        """Skills that succeeded since `begin`."""
        self.driven: list[Progress] = []
        """What the last skill gave out on its way."""
        self._backend: Backend | None = None
        self._survey: dict[str, list[SeenObject]] | None = None

    @property
    def backend(self) -> Backend:
        """The open backend."""
        if self._backend is None:
            self._backend = self.subject.open()
        return self._backend

    def begin(self) -> None:
        """Give the scene its start back."""
        self.succeeded.clear()
        if self._backend is None:
            return
        if Feature.RESET in self.subject.lacks:
            self.close()
        else:
            self._backend.reset(self.subject.scene if Feature.SCENES not in self.subject.lacks else "", SEED)

    def close(self) -> None:
        """Close the backend if it is open; the next use opens another."""
        closed, self._backend = self._backend, None
        if closed is not None:
            closed.close()

    # Skills

    def do(self, name: str, target: Target | None = None, receptacle: Target | None = None, **more: object) -> Outcome:
        """Run a skill to its end and return its outcome, having examined what came on the way."""
        if name == "Explore":
            more.setdefault("positions", self.subject.viewpoints)
        skill = Skill(name, target or Target(), receptacle or Target(), **more)  # type: ignore[arg-type]
        if name in self.subject.lacks:
            raise NotApplicableError(f"no {name}: {self.subject.lacks[name]}")
        items = list(self.backend.run(skill))
        outcome = items[-1] if items else None
        if not isinstance(outcome, Outcome):
            raise NonConformityError(f"expected {name} to end with an Outcome; got {outcome!r}")
        self.driven = [item for item in items[:-1] if isinstance(item, Progress)]
        require(len(self.driven) == len(items) - 1, f"one Outcome, the last thing that {name} gives out", items)
        self._examine(name, outcome)
        if outcome.code == Code.SUCCESS:
            self.succeeded.add(name)
        return outcome

    def expect(
        self,
        code: Code | tuple[Code, ...],
        name: str,
        target: Target | None = None,
        receptacle: Target | None = None,
        **more: object,
    ) -> Outcome:
        """Run a skill, which must end with this code, or one of these."""
        codes = (code,) if isinstance(code, Code) else code
        outcome = self.do(name, target, receptacle, **more)
        what = " ".join(str(part) for part in (name, target, receptacle, more or "") if part)
        wanted = " or ".join(c.name for c in codes)
        require(outcome.code in codes, f"{wanted} of {what}", f"{outcome.code.name}: {outcome.message}")
        return outcome

    def _examine(self, name: str, outcome: Outcome) -> None:
        require(isinstance(outcome.code, Code), f"a code of the table from {name}", repr(outcome.code))
        require(outcome.code != Code.INTERNAL_ERROR, f"{name} not to break the backend", outcome.message)
        told = outcome.code == Code.SUCCESS or outcome.message.strip()
        require(told, f"a message with the {outcome.code.name} of {name}", "none")
        elapsed = [item.elapsed for item in self.driven]
        require(elapsed == sorted(elapsed), f"elapsed of {name} to grow", elapsed)
        last = max(elapsed, default=0.0)
        require(
            math.isfinite(outcome.duration) and outcome.duration >= last - 1e-3 and last >= 0.0,
            f"the duration of {name} to be its {last:.2f} s elapsed or more",
            outcome.duration,
        )
        require(math.isfinite(outcome.distance) and outcome.distance >= 0.0, "a distance in metres", outcome.distance)
        slack = self.subject.tolerances
        longest = slack.pause * (1 + outcome.explore_steps) + outcome.distance / slack.slowest
        plausible = name == "Wait" or outcome.duration <= longest
        require(plausible, f"at most {longest:.0f} s for {name} over {outcome.distance:.2f} m", f"{outcome.duration} s")
        for item in self.driven:
            require(item.step.strip(), f"every step of {name} to be named", repr(item.step))
            examine_pose(item.robot)
        if name != "FindRoom":
            examine_objects(outcome.seen)

    def go(self, target: Target) -> Outcome:
        """Drive to something, which must work."""
        return self.expect(Code.SUCCESS, "GoToObject", target)

    def take(self, target: Target) -> Outcome:
        """Drive to something and take it, which must work."""
        self.go(target)
        return self.expect(Code.SUCCESS, "PickupObject", target)

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Require that what is done inside changes nothing in the world; where the truth is not known, go on."""
        if Feature.GROUND_TRUTH in self.subject.lacks:
            yield
            return
        before = self.backend.ground_truth()
        yield
        self.compare(before, self.backend.ground_truth(), "nothing to have changed")

    def compare(self, before: Iterable[SeenObject], after: Iterable[SeenObject], expected: str) -> None:
        """Require the same objects in the same places and states."""
        old, new = ({o.id: o for o in objects} for objects in (before, after))
        require(old.keys() == new.keys(), expected, f"other objects: {sorted(old.keys() ^ new.keys())}")
        for name, was in old.items():
            now = new[name]
            told = (was.category, dict(was.states), was.receptacle, was.relation)
            tells = (now.category, dict(now.states), now.receptacle, now.relation)
            require(told == tells, expected, f"{name} is {tells} after {told}")
            if "held" not in (was.relation, now.relation):
                moved = math.dist(was.center, now.center)
                require(moved <= self.subject.tolerances.box, expected, f"{name} moved by {moved:.2f} m")

    # Things

    def need(self, *features: Feature) -> None:
        """Leave a check that the backend declares not to be able to pass."""
        for feature in features:
            if feature in self.subject.lacks:
                raise NotApplicableError(f"not so that {feature.value}: {self.subject.lacks[feature]}")

    def find(self, categories: tuple[str, ...], *, but: Target | None = None) -> Target:
        """Return where something of one of these categories is as the scene begins, other than `but`."""
        if not categories:
            raise NotApplicableError("the scene has nothing for this part, as its props declare")
        for category in categories:
            for target in self._targets(category):
                if but is None or target.id != but.id:
                    return target
        raise NonConformityError(
            f"expected one of {', '.join(categories)} in view in {self.subject.scene}; got none: choose a scene"
            " that has one, or name what it has instead in the props of the subject"
        )

    def _targets(self, category: str) -> list[Target]:
        if (known := self.subject.known(self.backend).get(category)) is not None:
            return [known]
        found = self.survey().get(category, [])
        return [Target(s.id, s.category, s.center) for s in found if s.states.get("isToggled") != "true"]

    def things(self) -> list[Target]:
        """Return everything whose place is known as the scene begins."""
        known = list(self.subject.known(self.backend).values())
        return known or [Target(s.id, s.category, s.center) for found in self.survey().values() for s in found]

    def survey(self) -> dict[str, list[SeenObject]]:
        """Return what the robot sees as the scene begins when it looks everywhere, by category."""
        if self._survey is None:
            self._survey = {}
            if Feature.RECOGNITION not in self.subject.lacks and "Explore" not in self.subject.lacks:
                for seen in self.expect(Code.SUCCESS, "Explore").seen:
                    self._survey.setdefault(seen.category, []).append(seen)
                self.begin()
        return self._survey

    def observe(self) -> Observation:
        """Read the camera."""
        self.need(Feature.PICTURES)
        return self.backend.observe()


def examine_pose(pose: Pose2D) -> None:
    """Require a pose in metres and radians in a home."""
    require(
        all(math.isfinite(v) for v in (pose.x, pose.y, pose.yaw, pose.z))
        and max(abs(pose.x), abs(pose.y)) <= _EXTENT
        and abs(pose.yaw) <= math.tau + 1e-6,
        "a finite pose in metres and radians",
        pose,
    )


def examine_objects(objects: Iterable[SeenObject]) -> None:
    """Require sane objects: ids that differ, centres in a home, sizes above 0, states and relations in words."""
    names: set[str] = set()
    for seen in objects:
        require(seen.id and seen.category, "an object with an id and a category", seen)
        require(seen.id not in names, "every object once", f"{seen.id} twice")
        names.add(seen.id)
        require(_in_home(seen.center), "the centre of an object in metres in the map frame", seen)
        require(all(math.isfinite(v) and 0.0 < v <= _EXTENT for v in seen.size), "sizes in metres above 0", seen)
        words = all(isinstance(k, str) and isinstance(v, str) for k, v in seen.states.items())
        require(words, "states in words", seen.states)
        require(seen.relation in ("", "on", "in", "held"), "a relation of the table", seen)
        require((seen.relation in ("on", "in")) <= bool(seen.receptacle), "a receptacle with on and in", seen)


def _in_home(point: Point) -> bool:
    x, y, z = point
    return all(map(math.isfinite, point)) and max(abs(x), abs(y)) <= _EXTENT and -1.0 <= z <= _HIGHEST


def well_formed(name: str) -> Skill:
    """Return a call of a skill with all that it needs, of apples."""
    needed = {parameter.name for parameter in SKILLS[name].parameters}
    thing = Target(category="Apple")
    return Skill(
        name,
        thing if "target" in needed else Target(),
        thing if "receptacle" in needed else Target(),
        duration=1.0,
    )
