# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory by names: what was seen, told and done, as calls that say no more than they have to."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from karma_language.vocabulary import household
from karma_language.vocabulary.skill_words import GIVEN, PUT, THERE, Deed, deed_called, in_words, is_person
from karma_memory.event_memory import Remembered
from karma_memory.events import Code, Event, EventKind, Image, SkillCall, SkillOutcome
from karma_memory.recall.query import Answer, Query
from karma_memory.scene import (
    NO_STATES,
    ORIGIN,
    InvalidEventError,
    Layer,
    Node,
    Point,
    check_id,
    check_range,
    check_stamp,
)
from karma_memory.scene_graph.called import all_called, one_of, so_called
from karma_memory.scene_graph.graph import SceneGraph
from karma_memory.state.live import new_id
from karma_memory.told.terms import after, check_apart, name_in, point, seconds, states, target

if TYPE_CHECKING:
    from karma_language.reading import Question
    from karma_memory.ask import Asked
    from karma_memory.tools import Schema

HOME = "home"
"""The scene, where no other is named."""


@dataclass
class _Task:
    """A task that is going on."""

    memory: HomeMemory
    id: str
    user: str
    scene: str
    came_at: float
    """When the last was done in it, seconds."""
    came_to: tuple[Code, str] = (Code.SUCCESS, "")
    """What came of the last that was done in it."""


_TASKS: ContextVar[tuple[_Task, ...]] = ContextVar("tasks", default=())
"""What this thread, or coroutine, is about: others have tasks of their own, for other people."""


class HomeMemory(ABC):
    """What a robot sees, hears and does, by the names of things; its events go to whatever keeps them.

    Things go by their names: there is one "mug" in a scene. Give `id` where there are several of a name. Times are
    seconds since 1970, or datetimes, and it is what this machine's clock says unless `stamp` says another. What is not
    well formed raises InvalidEventError, a ValueError. Each call is on disk when it returns.
    """

    home = ""
    """The scene that is meant where a call names none; empty: the one that was seen last."""
    robot = ""
    """Who remembers."""

    @abstractmethod
    def remember(self, events: Sequence[Event]) -> Remembered:
        """Commit events, all or none."""

    @abstractmethod
    def ask(
        self, words: str, *, user: str = "", scene: str = "", at: float | None = None, question: Question | None = None
    ) -> Asked:
        """Answer a person's question."""

    @abstractmethod
    def recall(self, query: Query) -> Answer:
        """Ask every memory the same question."""

    @abstractmethod
    def forget(self, ids: Sequence[str] = (), *, user: str = "") -> int:
        """Close the validity of records and return how many."""

    @abstractmethod
    def scene_graph(self, scene: str = "") -> SceneGraph | None:
        """Return the graph of a scene, None where it is not known."""

    def find(self, name: str, scene: str = "", layer: Layer = Layer.OBJECT) -> Node | None:
        """Return the node that has this id, else the one seen last that has this name; None where there is none."""
        return next(iter(self.find_all(name, scene, layer)), None)

    def find_all(self, name: str, scene: str = "", layer: Layer = Layer.OBJECT, *, at: str = "") -> list[Node]:
        """Return the nodes that have this id, else this name, else are of this category, seen last first.

        `at`: only those at the place, or in the room, of this id.
        """
        return all_called(self.scene_graph(scene), name, layer, at)

    @abstractmethod
    def picture(self, thing: str, *, user: str = "") -> bytes | None:
        """Return the newest picture of a thing where it is now, a JPEG or PNG; None where there is none."""

    @property
    @abstractmethod
    def current_scene(self) -> str:
        """Scene of the newest observation."""

    def tools(
        self, form: str = "openai", *, user: str | None = None, names: Collection[str] | None = None
    ) -> list[Schema]:
        """Return tool definitions for a language model, in the form of "openai" or "anthropic".

        `user`: for whom the model speaks; None: it says so itself, in an argument. `names`: only these; None: all.
        """
        from karma_memory.tools import definitions  # most memories are asked by programs: 0.02 s

        return definitions(form, user=user, names=names)

    def call(self, name: str, arguments: Mapping[str, object] | str, *, user: str | None = None) -> str:
        """Do what a language model calls and return its result, as text for the model.

        `arguments`: an object, or its JSON; `user`: as for `tools`. ToolError, whose text says what to do otherwise.
        """
        from karma_memory.tools import run  # as above

        return run(self, name, arguments, user=user)

    def see(
        self,
        name: str,
        *,
        on: str = "",
        inside: str = "",
        room: str = "",
        at: Sequence[float] | None = None,
        size: Sequence[float] | None = None,
        state: str | Iterable[str] = (),
        id: str = "",  # noqa: A002 - what everybody calls it
        picture: bytes | None = None,
        confidence: float = 1.0,
        scene: str = "",
        stamp: float | datetime | None = None,
    ) -> str:
        """Remember that a thing is there, and return its id.

        `on`, `inside`: the name or id of what holds it; `room`: where it is; `at`, `size`: metres, map frame, the
        middle of its box and the box's extents; `state`: "open", "on", "dirty", …; `picture`:
        a JPEG or PNG of it; `confidence`: above 0, to 1. What is not said stays as it was known. What was seen before
        what is known of the thing (`stamp`) changes nothing, and is not remembered.
        """
        if not check_range("confidence", confidence, 0.0, 1.0):
            raise InvalidEventError(f"confidence 0 says that {name!r} is not there: use gone for that")
        if on and inside:
            raise InvalidEventError(f"{name!r} is on {on!r} or inside {inside!r}, not both")
        stamp, scene = self._now(stamp), self._where(scene)
        around: dict[str, Node] = {}
        where = self._room(around, room, scene, stamp).id if room else ""
        spot = point("at", at) if at is not None else None
        holder = self._holder(around, on or inside, scene, stamp, where, spot) if on or inside else None
        thing = self._thing(name, scene, stamp, id, at=holder.id if holder is not None else where, other=True)
        if stamp < thing.last_seen:
            return thing.id
        if holder is not None:
            check_apart(thing, holder)
            spot = spot or holder.position
            thing = replace(thing, receptacle=holder.id, relation="on" if on else "in", parent=where or holder.parent)
        elif where or at is not None:
            thing = replace(thing, receptacle="", relation="", parent=where or thing.parent)
        thing = replace(
            thing,
            position=thing.position if spot is None else spot,
            size=thing.size if size is None else point("size", size),
            states={**thing.states, **states(state)} or NO_STATES,
            confidence=confidence,
        )
        events = [self._event(EventKind.OBSERVATION, stamp, scene, nodes=(*around.values(), thing))]
        if picture is not None:
            if not isinstance(picture, bytes):
                raise InvalidEventError(f"picture must be the bytes of a JPEG or PNG, not {type(picture).__name__}")
            image = Image.of("png" if picture.startswith(b"\x89PNG") else "jpeg", picture)
            events.append(
                self._event(EventKind.OBSERVATION, stamp, scene, nodes=(thing,), target=thing.id, image=image)
            )
        self.remember(events)
        return thing.id

    def gone(self, name: str, *, scene: str = "", stamp: float | datetime | None = None) -> None:
        """Remember that a thing, by its name or id, is not there any more. InvalidEventError where it isn't known.

        A thing that was seen after `stamp` stays.
        """
        name, scene, stamp = name_in("name", name), self._where(scene), self._now(stamp)
        known = one_of(self.find_all(name, scene), name)
        if known is None:
            raise InvalidEventError(f"nothing called {name!r} is known in {scene!r}")
        if stamp >= known.last_seen:
            self.remember([self._event(EventKind.OBSERVATION, stamp, scene, removed=(known.id,))])

    def tell(self, words: str, *, user: str = "", scene: str = "", stamp: float | datetime | None = None) -> str:
        """Remember what a person said, and return the id of the recollection; "" where they don't agree to that.

        `user`: who said it. What they tell of themselves is theirs: others are not told.
        """
        said = self._event(EventKind.TOLD, self._now(stamp), self._where(scene), user=user, text=words)
        return f"told:{said.id}" if any(self.remember([said]).sequences) else ""

    @contextmanager
    def task(
        self, instruction: str, *, user: str = "", scene: str = "", stamp: float | datetime | None = None
    ) -> Iterator[str]:
        """Remember what is done within the block as one task, for somebody; the value is its id.

        The task has failed where the block raises, or where the last that was done in it failed; else it succeeded. It
        is this thread's, or coroutine's: what others do meanwhile is not done in it.
        """
        if self._task() is not None:
            raise InvalidEventError("a task is going on already; end it first")
        begun = self._now(stamp)
        task = _Task(self, new_id(), user, self._where(scene), begun)
        about: dict[str, Any] = {"user": user, "episode": task.id}
        self.remember([self._event(EventKind.EPISODE_START, begun, task.scene, text=instruction, **about)])
        _TASKS.set((*_TASKS.get(), task))
        try:
            yield task.id
        except BaseException as error:
            task.came_to = Code.EXECUTION_FAILURE, str(error) or type(error).__name__
            raise
        finally:
            _TASKS.set(tuple(one for one in _TASKS.get() if one is not task))
            over = max(begun if stamp is not None else self._now(None), task.came_at)
            code, message = task.came_to
            self.remember([self._event(EventKind.EPISODE_END, over, task.scene, code=code, message=message, **about)])

    def did(
        self,
        action: str,
        thing: str = "",
        place: str = "",
        *,
        succeeded: bool = True,
        message: str = "",
        user: str = "",
        scene: str = "",
        stamp: float | datetime | None = None,
    ) -> None:
        """Remember an action of the robot and what came of it: "put", "mug", "sink" says that it put the mug there.

        `action`: a verb ("put", "pick up", "open", "switch on"), or the name of a skill; `thing`, `place`: names or
        ids; `message`: what came of it, such as why it failed. What changed by it is remembered, too: the mug is in
        the sink, unless it was seen after that (`stamp`). Outside `task` it is a task of its own, for `user`; within,
        for whom the task is.
        """
        task = self._task()
        if task is not None and user not in ("", task.user):
            raise InvalidEventError(f"the task that is going on is for {task.user!r}, not for {user!r}; end it first")
        if succeeded not in (True, False):
            raise InvalidEventError(f"succeeded must be True or False, got {succeeded!r}")
        came_to = (Code.SUCCESS if succeeded else Code.EXECUTION_FAILURE), message
        act = deed_called(check_id("action", action), bool(place))
        if act.after == THERE and not place:
            thing, place = "", thing  # "go to", "kitchen"
        scene = self._where(scene or (task.scene if task is not None else ""))
        person = bool(place) and (place == (task.user if task else user) or self._is_person(place, act, scene))
        deed = self._deed(act, thing, "" if person else place, came_to, scene, stamp)  # makes sense, or no task
        if task is not None:
            self.remember([replace(deed, episode=task.id)])
            task.came_to, task.came_at = came_to, deed.stamp
            return
        when, where, about = deed.stamp, deed.scene, {"user": user, "episode": new_id()}
        start = self._event(EventKind.EPISODE_START, when, where, text=in_words(action, thing, place, person), **about)
        end = self._event(EventKind.EPISODE_END, when, where, code=came_to[0], message=message, **about)
        self.remember([start, replace(deed, episode=about["episode"]), end])

    def _task(self) -> _Task | None:
        """Return the task that is going on, of this thread or coroutine."""
        return next((one for one in _TASKS.get() if one.memory is self), None)

    def _deed(
        self, act: Deed, thing: str, place: str, came_to: tuple[Code, str], scene: str, stamp: float | datetime | None
    ) -> Event:
        """Return the event of an action, with what changes by it."""
        stamp, around = self._now(stamp), dict[str, Node]()
        holder = self._place(around, place, scene, stamp) if place else None
        at = "" if holder is None or act.after in (PUT, GIVEN) else holder.id
        node = self._thing(thing, scene, stamp, at=at, held=act.after in (PUT, GIVEN)) if thing else None
        if node is not None and holder is not None:
            check_apart(node, holder)
        if came_to[0] is Code.SUCCESS and node is not None and stamp >= node.last_seen:
            around[node.id] = after(act, node, holder)
        outcome = SkillOutcome(SkillCall(act.skill, target(node), target(holder)), *came_to, stamp=stamp)
        return self._event(EventKind.SKILL_OUTCOME, stamp, scene, nodes=tuple(around.values()), outcome=outcome)

    def _is_person(self, name: str, act: Deed, scene: str) -> bool:
        """Whether a place is somebody: to whom something is given, or who is known as a user."""
        if is_person(name) or self._is_user(name):
            return True
        return (
            act.after == GIVEN
            and not household().room(name)
            and not any(self.find(name, scene, layer) for layer in (Layer.OBJECT, Layer.ROOM))
        )

    def _gone_at(self, node_id: str, scene: str) -> float:
        """Return when a thing that is not there any more was found gone, seconds; 0.0 where that is not known."""
        return 0.0

    def _is_user(self, name: str) -> bool:
        """Whether something is known of a user of this name."""
        return False

    def _now(self, stamp: float | datetime | None) -> float:
        return time.time() if stamp is None else check_stamp("stamp", seconds(stamp))

    def _where(self, scene: str) -> str:
        return scene or self.home or self.current_scene or HOME

    def _event(self, kind: EventKind, stamp: float, scene: str, **said: Any) -> Event:
        return Event(new_id(), kind, stamp, robot=self.robot, scene=scene, **said)

    def _place(self, around: dict[str, Node], name: str, scene: str, stamp: float) -> Node:
        """Return a thing that holds others, or a room."""
        is_room = self.find(name, scene, Layer.ROOM) is not None or household().room(name)
        if is_room and self.find(name, scene) is None:
            return self._room(around, name, scene, stamp)
        return self._holder(around, name, scene, stamp)

    def _room(self, around: dict[str, Node], name: str, scene: str, stamp: float) -> Node:
        """Return a room; one that isn't known yet is added to what is seen."""
        name = name_in("room", name)
        known = self.find(name, scene, Layer.ROOM)
        if known is None:
            kind = household().room(name)
            known = Node(f"room:{name.casefold()}", Layer.ROOM, kind or name, name=name, last_seen=stamp)
            around[known.id] = known
        return known

    def _holder(
        self, around: dict[str, Node], name: str, scene: str, stamp: float, room: str = "", at: Point | None = None
    ) -> Node:
        """Return what holds something; what isn't known yet is added to what is seen, in the room and at the place."""
        name = name_in("place", name)
        there = so_called(self.find_all(name, scene, at=room), name)  # without a room: anywhere, seen last first
        known = there[0] if there else one_of(so_called(self.find_all(name, scene), name), name)
        if known is None:
            known = replace(self._thing(name, scene, stamp), movable=False, parent=room, position=at or ORIGIN)
            around[known.id] = known
        elif room and known.parent != room and stamp >= known.last_seen:
            known = replace(known, parent=room)
            around[known.id] = known
        return known

    def _thing(
        self,
        name: str,
        scene: str,
        stamp: float,
        node_id: str = "",
        *,
        at: str = "",
        held: bool = False,
        other: bool = False,
    ) -> Node:
        """Return a thing as it is known, seen now unless it was seen since; a new one of that name where it isn't.

        Of several of that name the one `at` a place or room, by its id, or the one `held`; InvalidEventError where that
        is not one. `other`: a thing that was given another name is another, even if it is of that kind.
        """
        name = name_in("name", name)
        found = self.find_all(node_id or name, scene, at=at) or self.find_all(node_id or name, scene)
        if node_id:
            found = [one for one in found if one.id == node_id]  # who gives an id means no other
        elif other:
            found = so_called(found, name)
        elif held:
            found = [one for one in found if one.relation == "held"] or found
        known = one_of(found, name)
        if known is not None:
            return replace(known, last_seen=max(stamp, known.last_seen))
        new = node_id or name.casefold()
        for layer in set(Layer) - {Layer.OBJECT}:
            if (taken := self.find(new, scene, layer)) is not None and taken.id == new:
                raise InvalidEventError(f"{new!r} is the id of a {layer.name.lower()}, not of a thing; give another")
        kind = household().kind(household().category_of(name) or name)
        own = household().noun(name) is not None and kind.noun != name.casefold()  # a "couch" stays one in answers
        category = name if own else kind.category
        can = household().can(kind.category, "pickup")
        seen = max(stamp, self._gone_at(new, scene))
        return Node(new, Layer.OBJECT, category, name=name, movable=can, last_seen=seen)
