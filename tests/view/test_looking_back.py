# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Two viewers in browsers: one looks at another time than the other, on the same server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser import DRAWN, HOSTS, OpenPage, covered

pytest.importorskip("viser", reason="needs viser: run ./karma setup")

import viser

from karma_perception.scene_graph import Layer, Node, SceneGraph
from karma_view.scene.home import HomeDrawing
from karma_view.scene.viewer_scene import Covers, ViewerScene

if TYPE_CHECKING:
    from viser import ClientHandle, ViserServer

pytestmark = pytest.mark.slow

NOTHING = SceneGraph()
ROOM = Node("kitchen", Layer.ROOM, "Kitchen", "kitchen 1", "floor", (0.0, 0.0, 1.0), (4.0, 4.0, 2.0))
TABLE = Node("Table|1", Layer.OBJECT, "Table", "table", "kitchen", (0.0, 0.0, 0.5), (1.0, 1.0, 1.0))
HOME = SceneGraph(nodes={node.id: node for node in (ROOM, TABLE)})


@pytest.fixture
def server() -> Iterator[ViserServer]:
    server = viser.ViserServer(host=HOSTS[0], port=0, verbose=False)
    yield server
    server.stop()


def test_what_all_share_is_hidden_for_the_one_who_looks_back_and_for_nobody_else(
    server: ViserServer, open_page: OpenPage, eventually: Callable[..., bool]
) -> None:
    clients: list[ClientHandle] = []
    server.on_client_connect(clients.append)
    shared = HomeDrawing(server.scene, "/now")
    shared.update(HOME)
    pages = []
    for count in (1, 2):
        pages.append(open_page(f"http://{HOSTS[0]}:{server.get_port()}"))
        assert eventually(lambda count=count: len(clients) == count)
        assert eventually(lambda: covered(pages[-1]) > DRAWN)
    mine, other = pages
    view = ViewerScene(clients[0].scene, "/now", Covers(clients[0].scene))
    view.update(HOME, NOTHING)
    assert eventually(lambda: covered(mine) < DRAWN)
    assert covered(other) > DRAWN
    shared.update(NOTHING)
    shared.update(HOME)  # what is drawn anew stays hidden, too
    assert eventually(lambda: covered(other) > DRAWN)
    assert covered(mine) < DRAWN
    view.update(HOME, None)
    assert eventually(lambda: covered(mine) > DRAWN)
    shared.update(NOTHING)
    view.update(NOTHING, HOME)
    assert eventually(lambda: covered(mine) > DRAWN)
    assert eventually(lambda: covered(other) < DRAWN)
