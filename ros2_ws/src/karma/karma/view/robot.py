# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The ROS graph as the page sees it: what it hears while somebody looks, and what it asks for people."""

from __future__ import annotations

import logging
import math
import threading
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from action_msgs.srv import CancelGoal
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import OccupancyGrid, Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, Image
from std_srvs.srv import Trigger
from unique_identifier_msgs.msg import UUID

from karma.client import GraphClient, GraphError
from karma.view.camera import CameraWatch
from karma.view.known import Live, Pose
from karma.view.text import seconds
from karma.view.transcript import Transcript
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import InstanceLabels, PlannerState, Result, ShortTermMemory
from karma_interfaces.msg import SceneGraph as SceneGraphMsg
from karma_interfaces.srv import (
    Answer,
    BrowseMemory,
    EditMemory,
    Feedback,
    Forget,
    GetEvents,
    GetSceneGraph,
    GetShortTermMemory,
    MoveObject,
    Recall,
)
from karma_perception.conversions import apply_message
from karma_perception.scene_graph import SceneGraph

logger = logging.getLogger(__name__)

TIMEOUT_S = 15.0
"""For a service to answer; a question about the past may need some of the journal read again."""
PAST_TIMEOUT_S = 60.0
PRESENCE_S = 1.0
"""Between two looks at who is there."""
PUBLISHERS = {"scene_graph": "perception", "planner/state": "planner", "memory/short_term": "memory server"}
"""Topics, and who says them."""
MOVE = "sim/move_object"
"""Service of simulators."""

_LAST = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# The last is told to whoever comes later; a gap is closed by asking for the whole graph.
_DELTAS = QoSProfile(depth=64, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# Only the newest counts, and a page that is slow must slow nobody else down.
_NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.VOLATILE)


class Robot:
    """Hears the graph's topics into `live` while it looks, and asks its services.

    Every call blocks for at most its time-out, and raises GraphError with what to do where nothing came of it.
    """

    def __init__(self, client: GraphClient, live: Live) -> None:
        self._client = client
        self._live = live
        self.transcript = Transcript()
        """What was said while somebody looked; all viewers share it."""
        self._changing = threading.Lock()
        self._taking = threading.Lock()
        """Held while an update of the scene graph is taken: it comes by topic and by service."""
        self._subscriptions: list[Any] = []
        self._sequence = 0
        """Of the newest delta of the scene graph; 0: the whole graph is needed first."""
        self._missing = threading.Event()
        self._closing = threading.Event()

    # What it hears

    def look(self) -> None:
        """Begin to hear. May be called again."""
        with self._changing:
            if self._subscriptions:
                return
            self._closing = threading.Event()
            self._missing = threading.Event()
            self._sequence = 0
            self._missing.set()
            camera = CameraWatch(lambda view: self._live.learn(camera=view))
            for kind, topic, callback, qos in (
                (SceneGraphMsg, "scene_graph", self._on_graph, _DELTAS),
                (PlannerState, "planner/state", self._on_planner, _LAST),
                (ShortTermMemory, "memory/short_term", lambda m: self._live.learn(short_term=m), _LAST),
                (OccupancyGrid, "scene_graph/floor_plan", lambda m: self._live.learn(floor_plan=m), _LAST),
                (Odometry, "odom", self._on_odom, _NEWEST),
                (Image, "camera/color/image_raw", partial(camera.take, "color"), _NEWEST),
                (Image, "camera/instances", partial(camera.take, "instances"), _NEWEST),
                (InstanceLabels, "camera/instance_labels", partial(camera.take, "labels"), _NEWEST),
                (CameraInfo, "camera/color/camera_info", partial(camera.take, "info"), _NEWEST),
                (PoseStamped, "camera/pose", partial(camera.take, "pose"), _NEWEST),
            ):
                subscription = self._client.node.create_subscription(kind, topic, callback, qos)
                self._subscriptions.append(subscription)
            following = (self._missing, self._closing)
            threading.Thread(target=self._follow, args=following, name="view_follow", daemon=True).start()

    def look_away(self) -> None:
        """Hear no more, and know nothing any more: what would be shown next is asked for anew. Waits for nobody."""
        with self._changing:
            with self._taking:
                self._closing.set()
                self._missing.set()
            for subscription in self._subscriptions:
                self._client.node.destroy_subscription(subscription)
            self._subscriptions.clear()
            self._live.clear()
            self.transcript.lose()

    def _on_graph(self, message: Any) -> None:
        with self._taking:
            self._take(message)

    def _take(self, message: Any) -> None:
        if message.full:
            graph = SceneGraph(scene=message.scene)
        elif self._sequence and message.sequence == self._sequence + 1:
            graph = self._live.known.graph
        else:
            # What is older comes after the whole graph; the first comes from a perception that was restarted.
            if message.sequence > self._sequence or message.sequence == 1:
                self._missing.set()
            return
        self._sequence = message.sequence
        self._live.learn(graph=apply_message(message, graph), stamp=seconds(message.header.stamp))

    def _follow(self, missing: threading.Event, closing: threading.Event) -> None:
        """Say who isn't there, and ask for the whole scene graph when some of it was missed (a thread of its own)."""
        while True:
            missing.wait(PRESENCE_S)
            if closing.is_set():
                return
            try:
                trouble, graph = self._absent(), None
                if missing.is_set() and self._publishers("scene_graph"):
                    missing.clear()
                    graph = self._client.call(
                        GetSceneGraph, "scene_graph/get_full", GetSceneGraph.Request(), timeout=TIMEOUT_S
                    )
                    if graph.result.code != Result.SUCCESS:  # there is none before the first frame
                        missing.set()
            except GraphError as error:
                trouble, graph = str(error), None
                missing.set()
            with self._taking:
                if closing.is_set():
                    return
                self._live.learn(trouble=trouble)
                if graph is not None and graph.result.code == Result.SUCCESS:
                    self._take(graph.graph)
            if missing.is_set():
                closing.wait(PRESENCE_S)

    def _absent(self) -> str:
        """Return who of the graph isn't there, in words; empty: all are."""
        absent = [name for topic, name in PUBLISHERS.items() if not self._publishers(topic)]
        if len(absent) == len(PUBLISHERS):
            return "The graph isn't running: start it with ./karma up. This page comes alive when it does."
        return f"Not running now: {', '.join(absent)}." if absent else ""

    def _publishers(self, topic: str) -> int:
        node = self._client.node
        return int(node.count_publishers(node.resolve_topic_name(topic)))

    def _on_planner(self, message: Any) -> None:
        self.transcript.hear(message)
        self._live.learn(planner=message)

    def _on_odom(self, message: Any) -> None:
        at, turned = message.pose.pose.position, message.pose.pose.orientation
        yaw = math.atan2(2 * (turned.w * turned.z + turned.x * turned.y), 1 - 2 * (turned.y**2 + turned.z**2))
        self._live.learn(pose=Pose((at.x, at.y, at.z), yaw))

    # What it asks

    def instruct(
        self,
        text: str,
        *,
        user: str = "",
        ignore_memory: bool = False,
        dry_run: bool = False,
        urgent: bool = False,
        retry_of: str = "",
        on_result: Callable[[Any], None],
    ) -> str:
        """Give an instruction and return its id.

        `on_result` gets ExecuteInstruction.Result when it has ended, or at once where the planner does not take it.
        """
        goal = ExecuteInstruction.Goal(
            instruction=text,
            user=user,
            ignore_memory=ignore_memory,
            dry_run=dry_run,
            retry_of=retry_of,
            priority=ExecuteInstruction.Goal.URGENT if urgent else ExecuteInstruction.Goal.NORMAL,
        )
        goal_id = uuid.uuid4()
        action = self._client.connected(ExecuteInstruction, "execute_instruction")
        sent = self._client.send_goal(action, goal, goal_id=UUID(uuid=list(goal_id.bytes)))

        def taken(future: Any) -> None:
            handle = future.result()
            if handle.accepted:
                handle.get_result_async().add_done_callback(lambda ended: on_result(ended.result().result))
            else:
                refused = Result(code=Result.UNAVAILABLE, message="The planner takes no instructions now. Try again.")
                on_result(ExecuteInstruction.Result(result=refused))

        sent.add_done_callback(taken)
        return str(goal_id)

    def answer(self, question_id: str, text: str, *, user: str = "") -> None:
        """Answer a question of the robot's; without a text, say that there will be no answer."""
        self._ask(Answer, "answer", Answer.Request(question_id=question_id, text=text, user=user))
        self.transcript.answered(question_id, text, user, self._now())

    def feedback(self, instruction_id: str, text: str, *, verdict: int = 0, user: str = "") -> str:
        """Say what somebody thinks of an instruction; return what the robot says to that.

        `verdict`: Feedback.Request.RIGHT, WRONG or UNSAID.
        """
        request = Feedback.Request(instruction_id=instruction_id, text=text, verdict=verdict, user=user)
        response = self._ask(Feedback, "feedback", request)
        said = {request.RIGHT: "That was right.", request.WRONG: "That was wrong."}.get(verdict, "")
        self.transcript.judged(instruction_id, f"{said} {text}".strip(), user, self._now())
        return str(response.result.message)

    def pause(self) -> str:
        """Pause before the next skill; return what the robot says."""
        return self._trigger("pause")

    def resume(self) -> str:
        """Go on; return what the robot says."""
        return self._trigger("resume")

    def cancel(self, instruction_id: str) -> bool:
        """Cancel one instruction, whoever gave it; return whether it had not ended."""
        try:
            goal_id = uuid.UUID(instruction_id)
        except ValueError as error:
            raise GraphError(f"{instruction_id!r} is not the id of an instruction") from error
        request = CancelGoal.Request()
        request.goal_info.goal_id = UUID(uuid=list(goal_id.bytes))
        return bool(self._cancel(request))

    def stop(self) -> int:
        """Cancel every instruction, the waiting ones, too; return how many there were."""
        return self._cancel(CancelGoal.Request())

    def browse(
        self, *, user: str = "", kinds: Sequence[str] = (), at: float = 0.0, offset: int = 0, limit: int = 0
    ) -> Any:
        """Return what the memories hold (BrowseMemory.Response); `at`: then, in seconds, 0 for now."""
        request = BrowseMemory.Request(user=user, kinds=list(kinds), at=to_time(at), offset=offset, limit=limit)
        return self._ask(BrowseMemory, "memory/browse", request, timeout=PAST_TIMEOUT_S if at else TIMEOUT_S)

    def recall(self, query: str, *, user: str = "", at: float = 0.0, limit: int = 10) -> Any:
        """Ask the memory (Recall.Response)."""
        request = Recall.Request(query=query, user=user, at=to_time(at), limit=limit)
        return self._ask(Recall, "memory/recall", request, timeout=PAST_TIMEOUT_S if at else TIMEOUT_S)

    def forget(self, record: str, *, user: str = "") -> None:
        """Have the memory forget one recollection, by its id."""
        self._ask(Forget, "memory/forget", Forget.Request(ids=[record], user=user))

    def edit(self, record: str, text: str, *, user: str = "") -> None:
        """Give a recollection another text."""
        self._ask(EditMemory, "memory/edit", EditMemory.Request(id=record, text=text, user=user))

    def can_move(self) -> bool:
        """Whether things can be moved as a person would: this is a simulator."""
        return bool(self._client.node.count_services(self._client.node.resolve_service_name(MOVE)))

    def move(self, thing: str, receptacle: str) -> Any:
        """Move a thing as a person would, behind the robot's back (MoveObject.Response); simulators only."""
        return self._ask(MoveObject, MOVE, MoveObject.Request(object=thing, receptacle=receptacle))

    def events(
        self, *, since: float = 0.0, until: float = 0.0, after: int = 0, newest: bool = False, limit: int = 0
    ) -> Any:
        """Return what happened (GetEvents.Response); times in seconds, 0 for no limit."""
        request = GetEvents.Request(since=to_time(since), until=to_time(until), after=after, newest=newest, limit=limit)
        return self._ask(GetEvents, "memory/get_events", request, timeout=PAST_TIMEOUT_S)

    def graph_at(self, at: float) -> SceneGraph:
        """Return the scene graph as the memory knew it then, seconds."""
        request = GetSceneGraph.Request(at=to_time(at))
        message = self._ask(GetSceneGraph, "memory/get_scene_graph", request, timeout=PAST_TIMEOUT_S).graph
        return apply_message(message, SceneGraph(scene=message.scene))

    def short_term_at(self, at: float) -> Any:
        """Return short-term memory as it was then, seconds (ShortTermMemory)."""
        request = GetShortTermMemory.Request(at=to_time(at))
        return self._ask(GetShortTermMemory, "memory/get_short_term", request, timeout=PAST_TIMEOUT_S).memory

    def _now(self) -> float:
        return float(self._client.node.get_clock().now().nanoseconds) * 1e-9

    def _ask(self, kind: Any, name: str, request: Any, timeout: float = TIMEOUT_S) -> Any:
        response = self._client.call(kind, name, request, timeout=timeout)
        if response.result.code != Result.SUCCESS:
            raise GraphError(response.result.message or f"{name} did not do that")
        return response

    def _trigger(self, name: str) -> str:
        response = self._client.call(Trigger, name, Trigger.Request(), timeout=TIMEOUT_S)
        if not response.success:
            raise GraphError(response.message)
        return str(response.message)

    def _cancel(self, request: Any) -> int:
        name = "execute_instruction/_action/cancel_goal"
        return len(self._client.call(CancelGoal, name, request, timeout=TIMEOUT_S).goals_canceling)


def to_time(value: float) -> Any:
    """Return seconds as builtin_interfaces/Time."""
    whole = math.floor(value)
    return Time(sec=whole, nanosec=min(round((value - whole) * 1e9), 999_999_999))
