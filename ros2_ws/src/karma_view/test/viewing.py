# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A viewer without a browser: a panel on a real viser server, and a robot that notes what it is asked."""

from __future__ import annotations

import asyncio
import inspect
import io
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import viser
from builtin_interfaces.msg import Time
from PIL import Image
from sensor_msgs.msg import CompressedImage
from std_msgs.msg import Header

from karma_interfaces.msg import InstructionStatus, PlannerState, Result, SkillCall, SkillOutcome, SkillTarget
from karma_ros.client import GraphError
from karma_view.asking import Asking
from karma_view.ros.transcript import Transcript


class Robot:
    """Has the methods of karma_view.ros.robot.Robot for talking."""

    def __init__(self) -> None:
        self.transcript = Transcript()
        self.asked: list[tuple[Any, ...]] = []
        self.users = ["Anna"]
        self.on_the_way: set[str] = set()
        self.error = ""
        """What the graph says to everything; empty: it does what is asked."""
        self.on_result: Callable[[Any], None] = lambda result: None

    def _do(self, *what: Any) -> None:
        self.asked.append(what)
        if self.error:
            raise GraphError(self.error)

    def instruct(self, text: str, *, on_result: Callable[[Any], None], **options: Any) -> str:
        self._do("instruct", text, {name: value for name, value in options.items() if value})
        self.on_result = on_result
        return "id"

    def answer(self, question_id: str, text: str, *, user: str = "") -> None:
        self._do("answer", question_id, text, user)

    def feedback(self, instruction_id: str, text: str, *, verdict: int = 0, user: str = "") -> str:
        self._do("feedback", instruction_id, text, verdict, user)
        return "I will remember: the shelf."

    def pause(self) -> str:
        self._do("pause")
        return "Paused."

    def resume(self) -> str:
        self._do("resume")
        return "I go on."

    def cancel(self, instruction_id: str) -> bool:
        self._do("cancel", instruction_id)
        return True

    def drop(self) -> set[str]:
        dropped, self.on_the_way = self.on_the_way, set()
        return dropped

    def stop(self) -> int:
        self._do("stop")
        return 2

    def browse(self, **_: Any) -> Any:
        if self.error:
            raise GraphError(self.error)
        return SimpleNamespace(users=self.users)


class AbsentRobot:
    """A robot whose graph isn't running."""

    def __init__(self) -> None:
        self.transcript = Transcript()

    def look(self) -> None:
        """There is nothing to be heard."""

    def look_away(self) -> None:
        """There was nothing to be heard."""

    def can_move(self) -> bool:
        return False

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def ask(*_: object, **__: object) -> Any:
            raise GraphError(f"nobody is there for {name}")

        return ask


class Viewer:
    """A viewer's session as a panel knows it; what they are told, and the elements of the page by label."""

    def __init__(self, server: viser.ViserServer) -> None:
        self.told: list[str] = []
        self.robot = Robot()
        self.user, self.at = "", 0.0
        self.client = SimpleNamespace(gui=server.gui)
        self._asking = Asking(self.say)
        self.sent: list[Any] = []
        """Messages to the browser."""
        queue = server.gui._websock_interface.queue_message
        server.gui._websock_interface.queue_message = lambda message: (self.sent.append(message), queue(message))[1]  # type: ignore[method-assign]

    def say(self, title: str, text: str, *, failed: bool = False) -> None:
        self.told.append(f"{title}: {text}")

    def attempt(self, what: str, do: Callable[[], object], *, often: bool = False) -> bool:
        return self._asking.attempt(what, do, often=often)

    def element(self, label: str) -> Any:
        """Return the newest element with a label that is still on the page."""
        handles = self.client.gui._gui_input_handle_from_uuid.values()
        return [handle for handle in handles if handle._impl.props.label == label][-1]

    def has(self, label: str) -> bool:
        return any(h._impl.props.label == label for h in self.client.gui._gui_input_handle_from_uuid.values())

    def press(self, label: str, option: str = "") -> None:
        """Press a button as a browser does; `option`: of a group of them."""
        button = self.element(label)
        button._impl.value = option or True
        for callback in button._impl.update_cb:
            done = callback(SimpleNamespace(target=button))
            if inspect.iscoroutine(done):
                asyncio.run(done)

    def html(self) -> str:
        """Return all HTML that was ever sent."""
        return "\n".join(self.html_sent())

    def html_sent(self) -> list[str]:
        """Return the HTML that was sent, a text for each message that holds some."""
        contents = [
            getattr(m, "updates", {}).get("content") or getattr(getattr(m, "props", None), "content", None)
            for m in self.sent
        ]
        return [content for content in contents if content]


def call(skill: str, thing: str = "", place: str = "") -> SkillCall:
    return SkillCall(skill=skill, target=SkillTarget(category=thing), receptacle=SkillTarget(category=place))


def outcome(done: SkillCall, code: int = Result.SUCCESS, message: str = "") -> SkillOutcome:
    return SkillOutcome(call=done, result=Result(code=code, message=message))


def running(text: str = "Bring me the mug.", **fields: Any) -> InstructionStatus:
    return InstructionStatus(**{"id": "i1", "instruction": text, "began": Time(sec=100), **fields})


def ended(text: str = "Bring me the mug.", code: int = Result.SUCCESS, message: str = "", **fields: Any) -> Any:
    return running(text, ended=True, result=Result(code=code, message=message), **fields)


def state(status: InstructionStatus | None = None, **fields: Any) -> PlannerState:
    return PlannerState(stamp=Time(sec=200), instruction=[status] if status else [], **fields)


def jpeg(width: int = 4) -> CompressedImage:
    """Return a picture, three high, that was taken at 8:12 of 1 January 1970."""
    file = io.BytesIO()
    Image.new("RGB", (width, 3), (200, 10, 10)).save(file, "JPEG")
    return CompressedImage(format="jpeg", data=file.getvalue(), header=Header(stamp=Time(sec=29_520)))
