# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Homes are explored, and "where is the X?" is asked of all that is remembered: the picture shows that very thing."""

from __future__ import annotations

import io
import itertools
from contextlib import ExitStack

import numpy as np
import pytest
from PIL import Image

from karma_eval.perception.stage import Options, Stage
from karma_language.vocabulary.lexicon import split_camel
from karma_memory import Edge, Event, EventKind, Layer, Memory, Node, Relation
from karma_memory import Image as Picture
from karma_memory.scene_graph.follower import GraphUpdate, SceneFollower
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.stream import GraphStream
from karma_perception.views.chooser import ViewChooser
from karma_perception.views.options import ViewOptions
from sim_bridge.backend import Skill

renderer = pytest.importorskip("sim_bridge.household.renderer")


class Eyes:
    """Perception in this process, whose graph and pictures go to a memory as the nodes would send them."""

    def __init__(self, memory, options):
        self.memory = memory
        self.views = ViewChooser(options)
        self.pipeline = PerceptionPipeline(views=self.views)
        self.stream, self.follower = GraphStream(), SceneFollower(5.0)
        self.sent, self.bytes = {}, 0

    def perceive(self, frame):
        self.pipeline.update(frame)
        if self.follow:
            self.tell()

    def graph(self):
        return self.pipeline.graph()

    def tell(self):
        update = self.stream.advance(self.pipeline.graph(), self.pipeline.epoch)
        if update is None:
            return
        delta = update.delta
        said = GraphUpdate(
            scene=update.scene,
            sequence=update.sequence,
            stamp=delta.stamp,
            full=update.full,
            nodes=tuple(map(node, delta.nodes)),
            removed=tuple(delta.removed_nodes),
            edges=tuple(Edge(Relation(int(e.type)), e.source, e.target, e.weight) for e in delta.edges),
            removed_edges=tuple(Edge(Relation(int(t)), a, b) for t, a, b in delta.removed_edges),
        )
        self.memory.observe_graph(said, self.follower)
        for view in self.pipeline.take_views(self.stream.graph):
            picture = Picture.of("jpeg", view.jpeg)
            self.sent[picture.sha256] = view
            self.bytes += len(view.jpeg)
            self.memory.remember(
                [
                    Event(
                        f"view-{len(self.sent)}-{picture.sha256[:8]}",
                        EventKind.OBSERVATION,
                        view.stamp,
                        scene=update.scene,
                        target=view.node.id,
                        nodes=(node(view.node),),
                        image=picture,
                    )
                ]
            )


def node(n):
    return Node(
        n.id,
        Layer(int(n.layer)),
        n.category,
        n.name,
        n.parent,
        n.center,
        size=n.size,
        movable=n.movable,
        receptacle=n.receptacle,
        relation=n.relation,
        support_heights=n.support_heights,
        states=dict(n.states),
        confidence=n.confidence,
        last_seen=n.last_seen,
    )


def shows(view, jpeg, exact):
    """Whether a picture is the part of the exact picture of its time that shows the instance it is said to show."""
    left, top, right, bottom = view.box
    value = next((v for v, label in exact.labels.items() if label.id == view.node.id), None)
    part = exact.instances[top:bottom, left:right]
    rows, columns = np.nonzero(exact.instances == value)
    if value is None or not len(rows):
        return False
    seen = (part == value).sum() / len(rows)  # how much of what can be seen of the thing is in the picture
    box = (rows.max() - rows.min() + 1) * (columns.max() - columns.min() + 1)
    decoded = Image.open(io.BytesIO(jpeg)).convert("RGB")
    cut = Image.fromarray(np.ascontiguousarray(exact.rgb[top:bottom, left:right])).resize(decoded.size)
    alike = np.abs(np.asarray(decoded, float) - np.asarray(cut, float)).mean() < 12.0
    large = box > 0.25 * part.size or min(part.shape) <= ViewOptions().context + 2
    middle = abs(columns.mean() - (left + right) / 2) < (right - left) / 2 and top <= rows.mean() < bottom
    return bool(alike and seen > 0.9 and large and middle)


def measure(scene, memory, options=ViewOptions()):  # noqa: B008 - immutable
    """Return how many things were asked for, how many answers had a picture, how many of these were right; bytes."""
    with ExitStack() as stack:
        renders = renderer.HouseholdRenderer(width=640, height=480)
        stack.callback(renders.close)
        eyes, exact = Eyes(memory, options), {}
        frames = itertools.count(1)

        def note():
            exact[stage.backend.robot.clock] = stage.backend.observe()

        stage = Stage(scene, Options(), {"": eyes}, renders, lambda: None)
        observe = stage.backend.observe

        def observed():
            picture = observe()
            exact[picture.stamp] = picture
            return picture

        stage.backend.observe = observed
        eyes.follow = False
        perceive = eyes.perceive

        def paced(frame):
            eyes.follow = next(frames) % 5 == 0
            perceive(frame)
            for stamp in [s for s in exact if s < frame.stamp - 60.0]:
                del exact[stamp]
            judge()

        right = {}

        def judge():
            for sha, view in eyes.sent.items():
                if sha not in right and view.stamp in exact:
                    right[sha] = shows(view, view.jpeg, exact[view.stamp])

        eyes.perceive = paced
        stage.run(Skill("Explore"))
        eyes.tell()
        judge()
    graph = memory.scene_graph(scene)
    now = eyes.pipeline.stamp + 60.0
    asked = pictured = good = 0
    without = []
    for category in sorted({n.category for n in graph.nodes(Layer.OBJECT)}):
        answer = memory.ask(f"where is the {split_camel(category).lower()}?", now=now, scene=scene)
        if not answer.answered.known or not answer.evidence:
            continue
        asked += 1
        if answer.picture is None:
            without.append(category)
            continue
        pictured += 1
        about = answer.evidence[0].record.node
        view = eyes.sent[answer.picture.sha256]
        held = memory.image(answer.picture.sha256) == view.jpeg
        good += held and view.node.id == about.id and about.category == category and right[answer.picture.sha256]
    return asked, pictured, good, len(eyes.sent), sum(right.values()), eyes.bytes, without


@pytest.mark.slow
@pytest.mark.parametrize("scene", ["home1"])
def test_the_picture_shows_what_is_asked_for(tmp_path, scene):
    with Memory(tmp_path / "memory.db", embedder="lexical") as memory:
        asked, pictured, good, *_ = measure(scene, memory)
    assert asked > 20
    assert pictured > 0.5 * asked
    assert good >= 0.95 * pictured
