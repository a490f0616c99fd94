# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The page in browsers, as people use it: with the whole graph, and what has come of it in the home."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from browser import DRAWN, HOSTS, PHONE, OpenPage, covered, drawn, screenshot, watched_pages
from person import Viewer

from karma.graph import GraphArguments
from karma.supervision import RunningGraph, running_graph
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import MemoryEvent
from karma_interfaces.srv import BrowseMemory, GetEvents, GetSceneGraph, Remember
from karma_ros.client import GraphClient
from karma_ros.result_codes import code_name
from karma_view.scene import layout

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.ros, pytest.mark.slow]

Eventually = Callable[..., bool]
Look = Callable[..., Viewer]

START_TIMEOUT_S = 180.0
EXPLORE = "Explore the home."
QUESTION = "Which would you like"
HOSTILE = (
    "<script>document.title='ran'</script> <img src='/ran.png' onerror=\"document.title='ran'\"> "
    "{{7*7}} {document.title='ran'} **bold** [here](http://example.org)"
)
TABS = ("Talk", "Plan", "Short-term", "People", "Find", "Export")
FINGER_PX = 32
"""Height of what a finger meets, as a rule."""
NOT_FOR_FINGERS = """finger => [...document.querySelectorAll("button, input, .karma *")].filter(
  one => one.checkVisibility() && one.getClientRects().length).map(one => [one, one.getBoundingClientRect()]).filter(
  ([one, at]) => at.left < 0 || at.right > innerWidth || (one.matches("button, input") && at.height < finger)).map(
  ([one, at]) => `${one.outerHTML.slice(0, 200)} at ${at.left} to ${at.right}, ${at.height} high`)"""
COVERED = """told => { const box = told.getBoundingClientRect(); return [0.01, 0.25, 0.5, 0.75, 0.99].flatMap(part =>
  document.elementsFromPoint(box.left + part * box.width, box.top + 2)).filter(
  one => !told.contains(one) && one.matches("button, input, label, .karma *")).map(one => one.outerHTML) }"""
"""What of the panels lies under something that is told."""
BORDER_PX, WHOLE = 4, 0.98
"""Of the picture, what a whole home doesn't reach; and the part of what is drawn that has to lie within."""
CAMERA_PICTURE = "img[src^='blob:']"
"""viser's own logo is an image, too."""
GIVEN_TO_NOBODY = 61000
"""The first port of those that the system gives to nobody who wants any (Linux: net.ipv4.ip_local_port_range)."""
WHEN_KILLED = ("WebSocket connection to", "Failed to load resource")
"""What a browser complains of while nobody serves its page."""


def instruct(client: GraphClient, text: str, **more: Any) -> Any:
    goal = ExecuteInstruction.Goal(instruction=text, **more)
    result = client.run_action(ExecuteInstruction, "execute_instruction", goal, timeout=300.0, connect_timeout=60.0)
    assert code_name(result.result) == "SUCCESS", result.result.message
    return result


def place_of(client: GraphClient, category: str) -> str:
    """Return the category of what a thing is in, on or held by, as it is in the simulator; empty: nothing."""
    nodes = client.call(GetSceneGraph, "sim/ground_truth", GetSceneGraph.Request()).graph.nodes
    (thing,) = (node for node in nodes if node.category == category)
    return next((node.category for node in nodes if node.id == thing.receptacle), thing.relation)


def facts(client: GraphClient, user: str) -> list[str]:
    """Return the facts that the memory holds of somebody."""
    request = BrowseMemory.Request(user=user, kinds=["facts"])
    return [record.text for record in client.call(BrowseMemory, "memory/browse", request).recollections]


def explored(client: GraphClient) -> tuple[int, int]:
    """Return the positions in the journal at which the first instruction, to explore, began and ended."""
    request = GetEvents.Request(kinds=[MemoryEvent.EPISODE_START, MemoryEvent.EPISODE_END], limit=2)
    told = client.call(GetEvents, "memory/get_events", request)
    assert told.events[0].text == EXPLORE
    begin, end = told.sequences
    return begin, end


@contextmanager
def killed(graph: RunningGraph, name: str) -> Iterator[None]:
    """Kill a node; its supervisor sees it at the end of the block, and starts it again."""
    node = graph.pids[name]
    supervisor = int(Path(f"/proc/{node}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(supervisor, signal.SIGSTOP)
    try:
        os.kill(node, signal.SIGKILL)
        yield
    finally:
        os.kill(supervisor, signal.SIGCONT)


@pytest.fixture(scope="module")
def address() -> str:
    """Where the page is: an address that is free, and stays so until the page takes it, again and again."""
    for port in range(GIVEN_TO_NOBODY + os.getpid() % 2000, 65536):
        with suppress(OSError), socket.create_server((HOSTS[0], port)):
            return f"http://{HOSTS[0]}:{port}/"
    pytest.fail("no port is free")


@pytest.fixture(scope="module")
def graph(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningGraph]:
    """The whole graph with its page, in a kitchen that the robot has looked at."""
    folder = tmp_path_factory.mktemp("graph")
    port = address.rpartition(":")[2].strip("/")
    arguments = GraphArguments(
        scene="FloorPlan1",
        database=str(folder / "memory.sqlite3"),
        view=True,
        parameters=(f"view.port={port}", "planner.question_timeout=600.0"),
    )
    with running_graph(arguments, log_folder=folder / "log") as running:
        running.wait_active(START_TIMEOUT_S)
        with GraphClient(name="karma_test_explorer", domain_id=running.domain_id) as client:
            instruct(client, EXPLORE)
        yield running


@pytest.fixture
def look(address: str, graph: RunningGraph, open_large_page: OpenPage) -> Look:
    """Open the page in another tab of the browser: `look(allowed=())`."""
    return lambda **options: Viewer(open_large_page(address, **options))


def whole_home_is_free(page: Page) -> bool:
    """Whether there is a home, and it lies in what panels leave free of the picture, but for a window's frame."""
    seen = drawn(page)
    height, width = seen.shape
    right, below = layout.covered(width, height, folded=False)
    free = seen[BORDER_PX : int(height * (1 - below)), BORDER_PX : int(width * (1 - right))]
    return bool(seen.mean() > DRAWN and np.count_nonzero(free) > WHOLE * np.count_nonzero(seen))


def test_the_whole_home_is_shown_in_3d(look: Look, eventually: Eventually) -> None:
    viewer = look()
    assert eventually(lambda: whole_home_is_free(viewer.page)), screenshot(viewer.page, "not-whole")


def test_what_is_typed_is_done(look: Look, client: GraphClient) -> None:
    viewer = look()
    viewer.says("Put the apple in the fridge.")
    viewer.hears("Put the apple in the fridge.", "Done: ")
    viewer.tab("Plan")
    viewer.sees("place apple in fridge")
    viewer.sees("PutObject")
    assert place_of(client, "Apple") == "Fridge"


def test_the_robots_questions_are_answered_by_a_button_and_in_words(look: Look, client: GraphClient) -> None:
    viewer = look()
    for user, fruit in (("dora", "Tomato"), ("dan", "Apple")):
        viewer.is_(user)
        viewer.says("Bring me some fruit.")
        viewer.hears(user, QUESTION)
        if user == "dora":
            viewer.press("tomato")
        else:
            viewer.enter("In words", "The apple, please.")
        viewer.hears(QUESTION, fruit.lower())
        viewer.tab("Plan")
        viewer.sees("Done.")
        assert place_of(client, fruit) == "held"


def test_what_is_forgotten_on_the_page_is_gone_from_memory(look: Look, client: GraphClient) -> None:
    viewer = look()
    viewer.is_("cleo")
    viewer.says("My mother's birthday is on 12 May.")
    viewer.hears("My mother's birthday", "I will remember that.")
    assert ["12 May" in text for text in facts(client, "cleo")] == [True]
    viewer.tab("People")
    viewer.choose("Show", "Facts")
    viewer.sees("1 to 1 of 1")
    viewer.opens("Mother's birthday: 12 May")
    viewer.confirm("Forget")
    viewer.no_longer_sees("12 May")
    assert not facts(client, "cleo")


def test_the_past_is_shown_and_then_the_present(look: Look, client: GraphClient, eventually: Eventually) -> None:
    instruct(client, "Put the mug in the sink.")
    begin, end = explored(client)
    viewer = look()
    # Not what there is of it while it is being drawn.
    assert eventually(lambda: whole_home_is_free(viewer.page)), screenshot(viewer.page, "not-whole-again")
    now = covered(viewer.page)
    viewer.tick("Look back")
    viewer.enter("Event", str(begin))
    assert eventually(lambda: covered(viewer.page) < now / 2)  # little of the home had been seen then
    viewer.enter("Event", str(end))
    viewer.sees("ended")
    viewer.tab("Plan")
    viewer.sees("As it was at")
    viewer.sees(EXPLORE)
    viewer.no_longer_sees("Put the mug in the sink.")
    viewer.tab("Short-term")
    viewer.sees("As it was at")
    assert eventually(lambda: covered(viewer.page) > now / 2)
    screenshot(viewer.page, "past")
    viewer.press("Now")
    viewer.no_longer_sees("As it was at")
    viewer.tab("Plan")
    viewer.sees("Put the mug in the sink.")
    viewer.no_longer_sees("As it was at")


def test_what_a_resting_pointer_is_told_covers_nothing(look: Look) -> None:
    viewer = look()
    viewer.field("Instruction").hover()
    told = viewer.page.get_by_role("tooltip")
    told.wait_for()
    assert not told.evaluate(COVERED)


def test_two_viewers_have_a_user_and_a_time_each_and_hear_the_same(look: Look, client: GraphClient) -> None:
    ann, bob = look(), look()
    ann.is_("ann")
    bob.is_("bob")
    bob.tick("Look back")
    bob.enter("Event", str(explored(client)[1]))
    bob.sees("What you say happens now.")
    ann.says("Find the toaster.")
    for viewer in (ann, bob):
        viewer.hears("Find the toaster.", "The toaster is on")
        viewer.tab("Plan")
    ann.sees("Find the toaster.")
    ann.no_longer_sees("As it was at")
    bob.sees("As it was at")
    bob.sees(EXPLORE)
    bob.no_longer_sees("Find the toaster.")
    for viewer, user in ((ann, "ann"), (bob, "bob")):
        viewer.tab("People")
        viewer.chosen("Whose").and_(viewer.page.locator(f'[value="{user}"]')).wait_for()


def test_what_people_say_is_shown_as_they_said_it(look: Look, client: GraphClient) -> None:
    event = MemoryEvent(kind=MemoryEvent.TOLD, user="eve", text=HOSTILE)
    assert code_name(client.call(Remember, "memory/remember", Remember.Request(events=[event])).result) == "SUCCESS"
    viewer = look()
    asked: list[str] = []
    viewer.page.on("request", lambda request: asked.append(request.url))
    viewer.is_("eve <b>**x**</b>")
    viewer.says(HOSTILE)
    viewer.sees(HOSTILE)
    for tab in ("Plan", "People"):
        viewer.tab(tab)
        if tab == "People":
            viewer.choose("Whose", "eve")
        viewer.sees(HOSTILE)
    viewer.tick("Look back")
    viewer.tab("Events")
    viewer.choose("Kind", "told")
    viewer.sees("<script>")
    assert viewer.page.title() != "ran"
    assert not [url for url in asked if "ran.png" in url]
    assert viewer.page.locator("script:has-text('ran'), img[src*=ran], a[href*=example]").count() == 0


def test_a_node_that_dies_is_told_of_and_the_page_goes_on(look: Look, graph: RunningGraph) -> None:
    viewer = look()
    with killed(graph, "memory_server"):
        viewer.sees("Not running now: memory server")
    graph.wait_active(START_TIMEOUT_S)
    viewer.no_longer_sees("Not running now")
    viewer.says("Find the pan.")
    viewer.hears("Find the pan.", "The pan is on")
    viewer.tab("Short-term")
    viewer.sees("slots are used")
    viewer.tab("People")
    viewer.choose("Show", "Episodes")
    viewer.sees("Find the pan.")


def test_the_robot_works_without_its_page_and_the_browser_finds_it_again(
    look: Look, graph: RunningGraph, client: GraphClient
) -> None:
    viewer = look(allowed=WHEN_KILLED)
    with killed(graph, "view"):
        instruct(client, "Find the kettle.")
    viewer.hears("Find the kettle.", "The kettle is on")
    viewer.says("Find the pot.")
    viewer.hears("Find the pot.", "The pot is on")


def test_a_phone_is_enough(address: str, graph: RunningGraph, browser: Browser, eventually: Eventually) -> None:
    def not_for_fingers() -> list[str]:
        return viewer.page.evaluate(NOT_FOR_FINGERS, FINGER_PX)

    with watched_pages(browser, **PHONE) as open_page:
        viewer = Viewer(open_page(address))
        viewer.field("Instruction").fill("Find the bowl.")
        viewer.page.get_by_role("button", name="Do it").tap()
        viewer.hears("Find the bowl.", "The bowl is on")
        for tab in TABS:
            viewer.tab(tab)
            assert eventually(lambda: not not_for_fingers()), (tab, not_for_fingers())
        screenshot(viewer.page, "phone")
        viewer.page.get_by_label("Expand panel Time").tap()
        viewer.tick("Look back")
        viewer.sees("What was known can be shown from")
        viewer.page.get_by_label("Expand panel Camera").tap()
        viewer.page.locator(CAMERA_PICTURE).scroll_into_view_if_needed()
        upright = PHONE["viewport"]
        viewer.page.set_viewport_size({"width": upright["height"], "height": upright["width"]})
        viewer.tab("Talk")
        viewer.page.locator(CAMERA_PICTURE).wait_for(state="hidden")
        screenshot(viewer.page, "phone-landscape")


def test_screenshots(look: Look, client: GraphClient) -> None:
    instruct(client, "My sister is called Eva.", user="ann")
    instruct(client, "Slice the bread.", user="ann")
    viewer = look()
    viewer.is_("ann")
    viewer.hears("Slice the bread.", "Done: ")
    for tab in TABS:
        viewer.tab(tab)
        assert screenshot(viewer.page, tab.lower()).stat().st_size > 1000
