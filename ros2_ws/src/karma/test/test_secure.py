# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Policies of the graph as it runs, and the keys that hold it to them; OpenSSL checks what DDS would."""

from __future__ import annotations

import stat
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner

from karma.graph import NodeDescription
from karma.secure.keystore import Keystore, permissions
from karma.secure.policy import Use, differences, from_xml, merged, to_xml

POLICY = {
    "/planner": frozenset(
        {
            Use("topic", "subscribe", "/scene_graph"),
            Use("service", "request", "/memory/ask"),
            Use("action", "reply", "/do"),
        }
    ),
    "/robot2/memory_server": frozenset({Use("service", "reply", "/robot2/memory/ask")}),
}


def openssl(*arguments: str | Path) -> str:
    return subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def store(tmp_path: Path) -> Keystore:
    made = Keystore(tmp_path / "keys")
    made.write(POLICY)
    return made


def test_a_policy_comes_back_from_xml_as_sros2_writes_it() -> None:
    text = to_xml(POLICY)
    assert from_xml(text) == POLICY
    profile = ET.fromstring(text).find("enclaves/enclave[@path='/robot2/memory_server']/profiles/profile")
    assert profile is not None
    assert profile.attrib == {"ns": "/robot2", "node": "memory_server"}
    assert [one.text for one in profile.findall("services[@reply='ALLOW']/service")] == ["/robot2/memory/ask"]
    assert "<actions execute=" in text


@pytest.mark.parametrize("text", ["", "<policy", "<policy version='0.1.0'/>", "<dds/>"])
def test_what_is_no_policy_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="it is no"):
        from_xml(text)


def test_what_is_used_and_not_allowed_is_told_and_so_is_what_is_allowed_and_not_used() -> None:
    seen = {"/planner": frozenset({Use("topic", "publish", "/cmd_vel")})}
    forbidden, idle = differences(POLICY, seen)
    assert forbidden == ["/planner publishes topic /cmd_vel"]
    assert len(idle) == 4
    assert differences(merged(POLICY, seen), seen)[0] == []


def test_permissions_are_the_dds_topics_of_what_is_used_and_no_others() -> None:
    root = ET.fromstring(permissions("/planner", POLICY["/planner"]))
    assert root.findtext("permissions/grant/subject_name") == "CN=/planner"
    assert root.findtext("permissions/grant/default") == "DENY"
    own = {"ros_discovery_info", "rt/rosout", "rt/parameter_events"}
    published = {one.text for one in root.findall(".//publish/topics/topic")} - own
    heard = {one.text for one in root.findall(".//subscribe/topics/topic")} - own - {"rt/clock"}
    parts = ("send_goal", "cancel_goal", "get_result")
    assert published == {
        "rq/memory/askRequest",
        *(f"rr/do/_action/{part}Reply" for part in parts),
        *(f"rt/do/_action/{name}" for name in ("feedback", "status")),
    }
    assert heard == {"rt/scene_graph", "rr/memory/askReply", *(f"rq/do/_action/{part}Request" for part in parts)}


def test_openssl_accepts_the_certificates_and_the_signatures_and_no_changed_file(store: Keystore) -> None:
    authority = store.folder / "public" / "ca.cert.pem"
    for name in POLICY:
        place = store.folder / "enclaves" / name.strip("/")
        assert "OK" in openssl("verify", "-CAfile", place / "identity_ca.cert.pem", place / "cert.pem")
        assert f"CN = {name}" in openssl("x509", "-in", place / "cert.pem", "-noout", "-subject").replace(
            "CN=", "CN = "
        )
        for document in ("permissions", "governance"):
            signed = place / f"{document}.p7s"
            content = openssl("smime", "-verify", "-text", "-in", signed, "-CAfile", authority, "-purpose", "any")
            assert ET.fromstring(content).tag == "dds"
        changed = store.folder / "changed.p7s"
        changed.write_text((place / "permissions.p7s").read_text().replace("DENY", "ALLOW"))
        with pytest.raises(subprocess.CalledProcessError):
            openssl("smime", "-verify", "-text", "-in", changed, "-CAfile", authority, "-purpose", "any")


def test_only_the_owner_reads_keys_and_what_is_there_stays(store: Keystore) -> None:
    keys = [store.folder / "private" / "ca.key.pem", store.folder / "enclaves" / "planner" / "key.pem"]
    before = [key.read_bytes() for key in keys]
    assert {stat.S_IMODE(key.stat().st_mode) for key in keys} == {0o600}
    store.write(POLICY)
    assert [key.read_bytes() for key in keys] == before


def test_with_security_each_node_is_started_in_its_enclave(monkeypatch: pytest.MonkeyPatch) -> None:
    node = NodeDescription(name="planner", package="planner_node", executable="planner", namespace="robot2")
    assert "--enclave" not in node.command_line([])
    monkeypatch.setenv("ROS_SECURITY_ENABLE", "true")
    line = node.command_line([])
    assert line[line.index("--enclave") + 1] == "/robot2/planner"


def test_what_is_no_keystore_is_not_checked(tmp_path: Path) -> None:
    from karma.command.secure import command

    result = CliRunner().invoke(command, [str(tmp_path), "--check"], standalone_mode=True)
    assert result.exit_code == 1
    assert f"there is no keystore in {tmp_path}" in result.output
    assert f"./karma secure {tmp_path} makes one" in result.output


@pytest.mark.ros
def test_the_policy_of_a_graph_is_what_its_nodes_do_and_check_finds_what_came_later(
    domain: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rclpy")
    from std_msgs.msg import Empty
    from std_srvs.srv import Trigger

    from karma.command.secure import command
    from karma_ros.client import GraphClient

    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    keys = tmp_path / "keys"
    with GraphClient(name="server", domain_id=domain) as server:
        server.node.create_service(Trigger, "stop", lambda request, response: response)
        server.node.create_subscription(Empty, "heard", lambda message: None, 1)
        made = CliRunner().invoke(command, [str(keys)], standalone_mode=False)
        assert made.exit_code == 0, made.output
        policy = from_xml((keys / "policy.xml").read_text())
        assert {Use("service", "reply", "/stop"), Use("topic", "subscribe", "/heard")} <= policy["/server"]
        assert (keys / "enclaves" / "server" / "permissions.p7s").exists()
        assert CliRunner().invoke(command, [str(keys), "--check"], standalone_mode=False).return_value == 0
        server.node.create_publisher(Empty, "cmd_vel", 1)
        checked = CliRunner().invoke(command, [str(keys), "--check"], standalone_mode=False)
        assert checked.return_value == 1
        assert "not allowed: /server publishes topic /cmd_vel\n" in checked.output
