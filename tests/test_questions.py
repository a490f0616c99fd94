# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What users tell of themselves and ask for, through a real memory server and a real planner. No robot is needed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from click.testing import CliRunner
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState

from karma.client import GraphClient
from karma.command.memory import command
from karma.result_codes import code_name
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.srv import FillForm, Forget, ForgetUser, GetReminders, SetConsent

pytestmark = [pytest.mark.ros, pytest.mark.slow]

PATIENCE_S = 60.0
NODES = {
    "memory_server": ("karma_memory.memory_node", "database:={file}", "embedder:=lexical"),
    "planner": ("planner_node.planner_node", "llm:=offline"),
}


class Nodes:
    """The two processes, and a client of theirs."""

    def __init__(self, folder: Path, domain: int) -> None:
        self.folder = folder
        self.file = folder / "memory.sqlite3"
        self._environment = {**os.environ, "ROS_DOMAIN_ID": str(domain), "ROS_LOG_DIR": str(folder / "log")}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.client = GraphClient(name="karma_test", domain_id=domain)

    def start(self, name: str) -> None:
        module, *parameters = NODES[name]
        ros = [part for text in parameters for part in ("-p", text.format(file=self.file))]
        with (self.folder / f"{name}.output").open("ab") as output:
            self._processes[name] = subprocess.Popen(
                [sys.executable, "-m", module, "--ros-args", *ros],
                env=self._environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        for transition in (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE):
            request = ChangeState.Request(transition=Transition(id=transition))
            assert self.client.call(ChangeState, f"{name}/change_state", request, timeout=PATIENCE_S).success

    def stop(self, name: str, number: int) -> None:
        self._processes[name].send_signal(number)
        self._processes.pop(name).wait(PATIENCE_S)

    def close(self) -> None:
        for name in list(self._processes):
            self.stop(name, signal.SIGINT)
        self.client.close()

    def says(self, user: str, text: str, **more: bool) -> Any:
        goal = ExecuteInstruction.Goal(instruction=text, user=user, **more)
        result = self.client.run_action(
            ExecuteInstruction, "execute_instruction", goal, timeout=PATIENCE_S, connect_timeout=PATIENCE_S
        )
        assert not result.skills
        return result

    def ask(self, kind: Any, name: str, **request: Any) -> Any:
        return self.client.call(kind, f"memory/{name}", kind.Request(**request), timeout=PATIENCE_S)


@pytest.fixture
def nodes(tmp_path: Path, free_domain: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Nodes]:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(free_domain))
    nodes = Nodes(tmp_path, free_domain)
    try:
        for name in NODES:
            nodes.start(name)
        yield nodes
    finally:
        nodes.close()


def test_a_user_tells_and_asks_and_nobody_else_is_answered(nodes: Nodes) -> None:
    for text in ("My mother's birthday is on 12 May.", "We need milk.", "Remind me to call the plumber tomorrow."):
        told = nodes.says("ann", text)
        assert (code_name(told.result), told.result.message) == ("SUCCESS", "I will remember that.")
    nodes.says("bob", "My mother's birthday is on 3 March.")

    nodes.stop("memory_server", signal.SIGKILL)
    nodes.start("memory_server")
    for user, question, answer in (
        ("ann", "When is my mother's birthday?", "12 May"),
        ("bob", "When is my mother's birthday?", "3 March"),
        ("ann", "What must I buy?", "milk"),
        ("ann", "What do I have to do tomorrow?", "call the plumber on "),
    ):
        result = nodes.says(user, question)
        assert (code_name(result.result), result.result.message.startswith(answer)) == ("SUCCESS", True), result.result
        assert {found.kind for found in result.recalled} == {"facts"}
        assert all(found.source and f"“{found.text}”" in result.result.message for found in result.recalled)
    for user, question in (("bob", "What must I buy?"), ("ann", "Where does my sister live?")):
        result = nodes.says(user, question)
        assert (code_name(result.result), list(result.recalled)) == ("NOT_FOUND", [])
    for user, more in (("", {}), ("ann", {"ignore_memory": True})):
        assert "milk" not in nodes.says(user, "What must I buy?", **more).result.message

    reminders = nodes.ask(GetReminders, "get_reminders", user="ann", days=2.0)
    assert [reminder.what for reminder in reminders.reminders] == ["call the plumber"]
    assert reminders.reminders[0].due.sec > 0
    assert list(reminders.shopping) == ["milk"]
    form = nodes.ask(FillForm, "fill_form", user="ann", fields=["Mother's birthday", "Phone number"])
    assert list(form.values) == ["12 May", ""]
    assert [found.text for found in form.evidence] == ["My mother's birthday is on 12 May."]
    for wrong in ({"user": ""}, {"user": "ann", "days": -1.0}):
        refused = nodes.ask(GetReminders, "get_reminders", **wrong)
        assert (code_name(refused.result), bool(refused.result.message)) == ("INVALID_ARGUMENT", True)
    refused = nodes.ask(FillForm, "fill_form", user="ann", fields=["x" * 100_000])
    assert code_name(refused.result) == "INVALID_ARGUMENT"

    for named in ([], ["--database", str(nodes.file)]):
        asked = ["ask", "--user", "ann", *named, "What must I buy?"]
        said = CliRunner().invoke(command, asked, env={"HOME": str(nodes.folder)})
        # By the server, which has the file open.
        assert said.output == f"asking the running graph for {nodes.file}\nmilk\n  told: We need milk.\n"

    assert code_name(nodes.ask(SetConsent, "set_consent", user="ann", keep=False).result) == "SUCCESS"
    assert code_name(nodes.says("ann", "What must I buy?").result) == "NOT_FOUND"
    assert code_name(nodes.says("ann", "My sister lives in Prague.").result) == "REFUSED"
    assert code_name(nodes.ask(SetConsent, "set_consent", user="ann", keep=True).result) == "SUCCESS"
    assert code_name(nodes.says("ann", "Where does my sister live?").result) == "NOT_FOUND"
    assert nodes.ask(Forget, "forget", user="ann", ids=[form.evidence[0].id]).forgotten == 1
    assert code_name(nodes.says("ann", "When is my mother's birthday?").result) == "NOT_FOUND"
    assert code_name(nodes.says("ann", "What must I buy?").result) == "SUCCESS"
    assert nodes.ask(ForgetUser, "forget_user", user="ann").events > 0
    assert code_name(nodes.says("ann", "What must I buy?").result) == "NOT_FOUND"
    assert nodes.says("bob", "When is my mother's birthday?").result.message.startswith("3 March")

    words = (b"milk", b"plumber", b"12 May")
    files = [path for path in nodes.folder.rglob("*") if path.is_file()]
    assert {path.parent.name for path in files} >= {"log", nodes.folder.name}
    assert [(path.name, word) for path in files for word in words if word in path.read_bytes()] == []
