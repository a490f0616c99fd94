# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where things are: layers to show or hide, a search that flies there, and in a simulator, a person's hand."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from karma_perception.scene_graph import Layer, Node, SceneGraph
from karma_ros.client import GraphError
from karma_view.known import Known
from karma_view.panels.answer import AnswerBox
from karma_view.panels.search import found
from karma_view.panels.selection import Mark
from karma_view.scene.home import HIDDEN, LAYERS
from karma_view.text import distinct, render, short
from karma_view.wording import place_of, spoken, text_of

if TYPE_CHECKING:
    from karma_view.session import Session

LONGEST = 200
"""Characters of a result."""
MOST = 8
"""Results at once."""
MOST_PLACES = 300
LOOK_PERIOD_S = 3.0
"""Between two looks for a simulator."""
LABELS = "labels"
"""The layer that each viewer has of their own."""


class FindPanel:
    """Switches for layers, a search box with its results, and moving things in a simulator."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known = Known()
        gui = session.client.gui
        form = gui.add_form(None)  # so that Enter searches, too
        with form:
            self._query = gui.add_text("Find", "", hint="A thing, or a question: where is my mug?")
            gui.add_button("Search").on_click(lambda _: form.submit())
        form.on_submit(lambda _: self._search())
        self._told = gui.add_html("")
        self._answer = AnswerBox(session)
        self._results: Any = gui.add_folder("Seen", visible=False)
        self._buttons: list[Any] = []
        gui.add_button("Whole home", color="gray", hint="Look at all of it").on_click(lambda _: session.show_home())
        with gui.add_folder("Layers", expand_by_default=False):
            for layer in (*LAYERS, LABELS):
                box = gui.add_checkbox(layer.replace("_", " "), layer not in HIDDEN)
                box.on_update(partial(self._switch, layer))
        self._hand = gui.add_folder("Move as a person would", visible=False)
        with self._hand:
            self._thing = gui.add_html("")
            self._place: Any = gui.add_dropdown("Move to", ("",))
            self._move_it: Any = gui.add_button("Move", disabled=True)
        self._place.on_update(lambda _: self._allow())
        self._move_it.on_click(lambda _: self._move())
        self._there = Mark(session.client.scene, "/place", (0, 140, 90))
        self._marked: Node | None = None
        """The place that is chosen, as it is marked."""
        self._places: dict[str, str] = {}
        """By what is written in the list, the id of a place."""
        self._chosen: Node | None = None
        self._next = 0.0

    def update(self, known: Known) -> None:
        """Search and move in what is known; whether this is a simulator is looked up now and then."""
        changed = known.graph is not self._known.graph
        self._known = known
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LOOK_PERIOD_S
            simulated = self._session.robot.can_move()
            changed = changed or simulated != self._hand.visible
            if simulated != self._hand.visible:
                self._hand.visible = simulated
        if self._hand.visible:
            self._offer(known.graph if changed else None)

    def _offer(self, graph: SceneGraph | None) -> None:
        """Show which thing would be moved, and where to; of a new graph, to which places it can be."""
        if graph is not None:
            places = places_of(graph)
            if places != self._places:
                self._places = places
                self._place.options = ("", *places)
        chosen = self._session.selection.node
        if chosen is not self._chosen or not self._thing.content:
            self._chosen = chosen
            self._thing.content = render("thing", node=chosen, text="" if chosen is None else text_of(chosen))
        place = self._known.graph.nodes.get(self._places.get(self._place.value, ""))
        if place is not self._marked:
            self._marked = place
            self._there.show(place)
        self._allow()

    def _allow(self) -> None:
        """Let the thing be moved where it is clear what and where to."""
        thing = self._session.selection.node
        self._move_it.disabled = thing is None or not thing.movable or self._place.value not in self._places

    def _switch(self, layer: str, event: Any) -> None:
        visible = event.target.value
        if layer == LABELS:
            self._session.labels.visible = visible
        else:
            self._session.covers.show(f"{self._session.now}/{layer}", visible)

    def _search(self) -> None:
        query = self._query.value.strip()
        if not query:
            self._session.say("Find", "Say what is to be found.", failed=True)
            return
        self._session.attempt("Find", lambda: self._find(query), often=True)

    def _find(self, query: str) -> None:
        """Have the memory answer; list what is seen where that is no answer. GraphError where the memory is silent."""
        session = self._session
        seen = found(self._known.graph, query, MOST)
        try:
            asked = session.robot.ask(query, user=session.user, at=session.at)
        except GraphError:
            self._answer.show(())
            self._list(seen)
            raise
        self._answer.show(asked.evidence, asked.picture)
        self._list([] if asked.known else seen, asked)

    def _list(self, nodes: Sequence[Node], asked: Any = None) -> None:
        gui, graph = self._session.client.gui, self._known.graph
        # What was only named, as a thing by its category, is no question: it is there to be seen.
        told = asked is not None and (asked.known or not nodes)
        self._told.content = render(
            "found",
            answer=asked.answer if told else "",
            look=[spoken(category) for category in asked.look] if told else (),
            seen=bool(nodes),
        )
        for button in self._buttons:
            button.remove()
        self._buttons = []
        self._results.visible = bool(nodes)
        with self._results:
            for node in nodes:
                button = gui.add_button(short(result_of(graph, node), LONGEST), color="gray")
                button.on_click(partial(self._go_to, node.id))
                self._buttons.append(button)

    def _go_to(self, name: str, _: Any) -> None:
        self._session.go_to(name)

    def _move(self) -> None:
        session, thing = self._session, self._session.selection.node
        holder = self._known.graph.nodes.get(self._places.get(self._place.value, ""))
        if thing is None or not thing.movable or holder is None:
            session.say("Move", "Click on a thing in the 3D view, or find it, and choose a place.", failed=True)
            return
        if session.attempt("Move", lambda: session.robot.move(thing.id, holder.id)):
            place = place_of(self._known.graph, holder)
            where = f"{spoken(holder.category)} ({place})" if place else spoken(holder.category)
            session.say("Moved", f"The {spoken(thing.category)} is now at the {where}. The robot does not know.")


def result_of(graph: SceneGraph, node: Node) -> str:
    """Return an object with its states and its place, in words."""
    place = place_of(graph, node)
    return f"{text_of(node)}: {place}" if place else text_of(node)


def places_of(graph: SceneGraph) -> dict[str, str]:
    """Return ids of what holds things, at most MOST_PLACES, by a text that tells them apart, in its order."""
    used = {node.receptacle for node in graph.nodes.values() if node.receptacle}
    places: dict[str, str] = {}
    holders = [
        node
        for node in graph.layer(Layer.OBJECT)
        if not node.movable and (node.support_heights or node.id in used or "isOpen" in node.states)
    ]
    for node in sorted(holders, key=lambda node: (node.category, node.id))[:MOST_PLACES]:
        places[distinct(result_of(graph, node), LONGEST, places)] = node.id
    return places
