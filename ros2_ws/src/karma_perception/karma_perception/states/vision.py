# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""States told by a vision-language model, in the background: mapping never waits for it."""

from __future__ import annotations

import io
import logging
import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from PIL import Image

from karma_language.models import CanceledError, Limits, Model, ModelError, Newest, Urgency, Waiting
from karma_perception.class_table import ClassTable
from karma_perception.frames.camera import Frame
from karma_perception.states.appearance import Crop, Histogram, cut_out, difference, histogram
from karma_perception.states.estimator import EstimatorReport, SeenInstance, States
from karma_perception.states.options import VisionOptions
from karma_perception.states.question import NonsenseError, messages, read_answer, schema

_LOG = logging.getLogger(__name__)
_MOST_OBJECTS = 4096
_NONSENSE = "nonsense from the model"


@dataclass
class _Look:
    """One appearance of an object, and the states it told; None while the question is open or was in vain."""

    appearance: Histogram
    states: States | None = None


@dataclass
class _Known:
    looks: list[_Look] = field(default_factory=list)
    shown: _Look | None = None
    """How it looked last."""
    current: States = field(default_factory=dict)
    stamp: float = -math.inf


@dataclass(frozen=True, eq=False)
class _Question:
    object_id: str
    category: str
    possible: tuple[str, ...]
    crop: Crop
    look: _Look


class VisionStates:
    """Asks a vision-language model for the states of objects, once for each of their appearances.

    An object's states change only when the model has answered sensibly; until then, and when it answers nonsense or not
    at all, they stay what they were.
    """

    def __init__(self, table: ClassTable, options: VisionOptions | None = None) -> None:
        """Start the worker. ValueError for a bad URL."""
        self._table = table
        self._options = options or VisionOptions()
        limits = Limits(first=self._options.timeout, total=self._options.timeout, answer=512)
        # No answer is kept here: what an appearance told is kept with the object.
        self._model = Model(self._options.model, url=self._options.url, limits=limits, answers=Newest(0))
        self._wake = threading.Condition()
        self._known: dict[str, _Known] = {}
        self._questions: dict[str, _Question] = {}
        self._open: _Look | None = None
        """What the model is being asked about."""
        self._counts = {"asked": 0, "answered": 0, "failed": 0}
        self._problem = ""
        self._closed = False
        # A daemon: it may be in the middle of a question when the process ends.
        self._thread = threading.Thread(target=self._run, name="states", daemon=True)
        self._thread.start()

    def observe(self, frame: Frame, seen: Sequence[SeenInstance]) -> None:
        """Queue a question for what looks different from what was asked before."""
        for s in seen:
            possible = self._table.states_of(s.category)
            if not possible:
                continue
            if s.id not in self._known and len(self._known) >= _MOST_OBJECTS:
                self._known.pop(next(iter(self._known)))
            known = self._known.setdefault(s.id, _Known())
            if 0.0 <= frame.stamp - known.stamp < self._options.period:
                continue
            known.stamp = frame.stamp
            crop = cut_out(frame, s, margin=self._options.margin, least=self._options.least_pixels)
            if crop is not None:
                self._look(known, s, possible, crop)

    def states(self, object_id: str, told: States) -> States:
        """Return what the model said; the source's states are not used."""
        known = self._known.get(object_id)
        if known is None:
            return {}
        with self._wake:
            return known.current

    def reset(self) -> None:
        """Forget all objects; answers that are still to come are lost."""
        with self._wake:
            self._known.clear()
            self._questions.clear()

    def report(self) -> EstimatorReport:
        """Return how many questions were asked, and why the last one was in vain."""
        with self._wake:
            return EstimatorReport(**self._counts, waiting=len(self._questions), problem=self._problem)

    def close(self) -> None:
        """Ask nothing more. A question that is open is not waited for."""
        with self._wake:
            self._closed = True
            self._questions.clear()
            self._wake.notify_all()

    def _look(self, known: _Known, s: SeenInstance, possible: tuple[str, ...], crop: Crop) -> None:
        appearance = histogram(crop)
        with self._wake:
            near = min(known.looks, key=lambda look: difference(look.appearance, appearance), default=None)
            if near is not None and difference(near.appearance, appearance) <= self._options.change:
                known.shown = near
                if near.states is not None:
                    known.current = near.states
                    self._questions.pop(s.id, None)  # it has changed back before it was asked about
                    return
                waiting = self._questions.get(s.id)
                if near is self._open or (waiting is not None and waiting.look is near):
                    return
                look = near
            else:
                look = known.shown = _Look(appearance)
                known.looks = [*known.looks[1 - self._options.looks :], look]
            if len(self._questions) >= self._options.queue and s.id not in self._questions:
                self._questions.pop(next(iter(self._questions)))
            self._questions[s.id] = _Question(s.id, s.category, possible, crop, look)
            self._wake.notify_all()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._closed or self._questions)
                if self._closed:
                    return
                question = self._questions.pop(next(iter(self._questions)))
                self._counts["asked"] += 1
                self._open = question.look
            problem = self._ask(question)
            with self._wake:
                self._open = None
                self._counts["failed"] += bool(problem)
                self._problem = problem
            if problem:
                _LOG.warning("the state of %s stays as it was: %s", question.object_id, problem)
                if not problem.startswith(_NONSENSE):
                    self._rest()

    def _ask(self, q: _Question) -> str:
        """Ask, and keep the answer; return why there is none, "" when there is."""
        waiting = Waiting(Urgency.NOBODY, cancelled=lambda: self._closed)
        chat = messages(q.category, q.possible, self._encoded(q.crop))
        try:
            states = read_answer(self._model.ask(chat, schema(q.possible), waiting), q.possible)
        except NonsenseError as error:
            self._keep(q, None)
            return f"{_NONSENSE} {self._options.model}: {error}"
        except CanceledError:
            return ""
        except ModelError as error:
            return str(error)
        self._keep(q, states)
        return ""

    def _keep(self, q: _Question, states: States | None) -> None:
        """Keep an answer for this appearance; nonsense (None) is kept too, as "as before", so as not to ask again."""
        with self._wake:
            known = self._known.get(q.object_id)
            if known is None or all(look is not q.look for look in known.looks):
                return  # a new map has begun, or it has looked otherwise too often since
            q.look.states = known.current if states is None else states
            if known.shown is q.look:
                known.current = q.look.states
            if states is not None:
                self._counts["answered"] += 1

    def _rest(self) -> None:
        """Leave a server alone for a while that did not answer."""
        end = time.monotonic() + self._options.pause
        with self._wake:
            self._wake.wait_for(lambda: self._closed, timeout=max(0.0, end - time.monotonic()))

    def _encoded(self, crop: Crop) -> bytes:
        picture = Image.fromarray(crop)
        picture.thumbnail((self._options.most_pixels, self._options.most_pixels))
        data = io.BytesIO()
        picture.save(data, format="PNG")
        return data.getvalue()
