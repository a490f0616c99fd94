# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Who is in a ROS domain."""

import socket

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from karma_ros.domain import claim_domain, has_participants


def test_a_domain_whose_first_participant_has_gone_still_has_the_others() -> None:
    with claim_domain(None) as domain, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as third:
        assert not has_participants(domain)
        third.bind(("0.0.0.0", 7400 + 250 * domain + 10 + 2 * 2))
        assert has_participants(domain)


def test_the_last_domain_has_fewer_ports() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
        last.bind(("0.0.0.0", 65534))
        assert has_participants(232)
