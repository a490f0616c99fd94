# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What nodes do on the graph, as it runs, and as a policy of SROS2 (schema 0.2.0): one enclave for each node."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rclpy.node import Node

Policy = Mapping[str, frozenset["Use"]]
"""Full name of a node, which is also that of its enclave → what it uses."""
VERSION = "0.2.0"
_ELEMENTS = {"topic": "topics", "service": "services", "action": "actions"}
_OF_ACTIONS = {"call": "request", "execute": "reply"}
_HIDDEN = "/_action/"
_LABELS = {"publish": "publishes", "subscribe": "hears", "reply": "serves", "request": "calls"}
"""What may be done with a topic, a service or an action, as attributes of the policy; and for people."""


class Use(NamedTuple):
    """One thing that a node uses."""

    kind: str
    """topic, service or action."""
    how: str
    """publish, subscribe, reply or request."""
    name: str

    def __str__(self) -> str:
        return f"{_LABELS[self.how]} {self.kind} {self.name}"


def used_by(node: Node, others: Iterable[str]) -> dict[str, frozenset[Use]]:
    """Return what the nodes of these full names use on the graph that `node` sees: nothing, where they are not."""
    from rclpy.action import get_action_client_names_and_types_by_node, get_action_server_names_and_types_by_node

    asked = {
        ("topic", "publish"): node.get_publisher_names_and_types_by_node,
        ("topic", "subscribe"): node.get_subscriber_names_and_types_by_node,
        ("service", "reply"): node.get_service_names_and_types_by_node,
        ("service", "request"): node.get_client_names_and_types_by_node,
        ("action", "reply"): lambda *of: get_action_server_names_and_types_by_node(node, *of),
        ("action", "request"): lambda *of: get_action_client_names_and_types_by_node(node, *of),
    }
    there = {
        f"{namespace.rstrip('/')}/{name}": (name, namespace) for name, namespace in node.get_node_names_and_namespaces()
    }
    return {
        full: frozenset(
            Use(kind, how, name)
            for (kind, how), ask in asked.items()
            for name, _ in (ask(*there[full]) if full in there else ())
            if _HIDDEN not in name
        )
        for full in others
    }


def to_xml(policy: Policy) -> str:
    """Return a policy as XML."""
    root = ET.Element("policy", version=VERSION)
    enclaves = ET.SubElement(root, "enclaves")
    for full, uses in sorted(policy.items()):
        namespace, _, name = full.rpartition("/")
        profiles = ET.SubElement(ET.SubElement(enclaves, "enclave", path=full), "profiles")
        profile = ET.SubElement(profiles, "profile", ns=namespace or "/", node=name)
        groups: dict[tuple[str, str], list[str]] = {}
        for kind, how, used in sorted(uses):
            groups.setdefault((kind, how), []).append(used)
        for (kind, how), names in groups.items():
            group = ET.SubElement(profile, _ELEMENTS[kind], {_attribute(kind, how): "ALLOW"})
            for used in names:
                ET.SubElement(group, kind).text = used
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _attribute(kind: str, how: str) -> str:
    return next(name for name, same in _OF_ACTIONS.items() if same == how) if kind == "action" else how


def from_xml(text: str) -> dict[str, frozenset[Use]]:
    """Return the policy in XML that `to_xml` wrote, people may have edited. ValueError for what is none."""
    try:
        root = ET.fromstring(text)  # noqa: S314 - a file of one's own keystore
    except ET.ParseError as error:
        raise ValueError(f"it is no XML: {error}") from error
    if root.tag != "policy" or root.get("version") != VERSION:
        raise ValueError(f"it is no policy of version {VERSION}")
    found: dict[str, set[Use]] = {}
    for enclave in root.iter("enclave"):
        uses = found.setdefault(enclave.get("path", ""), set())
        for kind, element in _ELEMENTS.items():
            for group in enclave.iter(element):
                hows = [how for how, rule in group.attrib.items() if rule == "ALLOW"]
                names = [(one.text or "").strip() for one in group.iter(kind)]
                uses |= {Use(kind, _OF_ACTIONS.get(how, how), name) for how in hows for name in names}
    return {path: frozenset(uses) for path, uses in found.items()}


def merged(known: Policy, seen: Policy) -> dict[str, frozenset[Use]]:
    """Return all that either policy allows: some of a graph is used only now and then."""
    return {full: known.get(full, frozenset()) | seen.get(full, frozenset()) for full in {**known, **seen}}


def differences(policy: Policy, seen: Policy) -> tuple[list[str], list[str]]:
    """Return what nodes use without being allowed to, and what they may and don't use now, as sentences."""
    forbidden, idle = [], []
    for full in sorted({**policy, **seen}):
        allowed, used = policy.get(full, frozenset()), seen.get(full, frozenset())
        forbidden += [f"{full} {use}" for use in sorted(used - allowed)]
        idle += [f"{full} {use}" for use in sorted(allowed - used)]
    return forbidden, idle
