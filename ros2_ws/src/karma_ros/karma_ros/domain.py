# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""ROS domains: one graph each, so that two of them never mix."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

PRIVATE_DOMAINS = range(1, 100)
"""Domains whose ports lie below Linux' ephemeral ports (RTPS 2.2, 9.6.1.1: 7400 + 250 d); 0 is everybody's."""

MOST_PARTICIPANTS = 120
"""Whose ports lie before those of the next domain; the first may have gone while others stay."""


class DomainInUseError(RuntimeError):
    """Another graph of KARMA runs there."""


@contextmanager
def claim_domain(domain_id: int | None, namespace: str = "") -> Iterator[int]:
    """Hold a domain and namespace for one graph; with None, a domain of its own that nobody uses.

    The claim is an abstract socket, which the kernel gives back however the process ends. DomainInUseError when another
    graph holds it.
    """
    if domain_id is not None:
        with _claim(f"{domain_id}/{namespace.strip('/')}") as free:
            if not free:
                where = f"domain {domain_id}" + (f", namespace {namespace}" if namespace else "")
                raise DomainInUseError(
                    f"a graph is already running in {where}: stop it, or choose another ROS_DOMAIN_ID or --namespace"
                )
            yield domain_id
        return
    start = os.getpid()
    for offset in range(len(PRIVATE_DOMAINS)):
        candidate = PRIVATE_DOMAINS[(start + offset) % len(PRIVATE_DOMAINS)]
        with _claim(f"{candidate}/") as free:
            if free and not has_participants(candidate):
                yield candidate
                return
    raise DomainInUseError(f"all of the domains {PRIVATE_DOMAINS[0]} to {PRIVATE_DOMAINS[-1]} are in use")


@contextmanager
def _claim(name: str) -> Iterator[bool]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as claim:
        try:
            claim.bind(f"\0karma-graph/{os.getuid()}/{name}")
        except OSError:
            yield False
        else:
            yield True


def has_participants(domain_id: int) -> bool:
    """Whether somebody here listens on the discovery port of any of the domain's participants."""
    ports = (discovery_port(domain_id, participant) for participant in range(MOST_PARTICIPANTS))
    return any(_is_taken(port) for port in ports if port < 65536)


def discovery_port(domain_id: int, participant: int) -> int:
    """Return the UDP port on which a participant of a domain, from 0, is discovered (RTPS 2.2, 9.6.1.1)."""
    return 7400 + 250 * domain_id + 10 + 2 * participant


def _is_taken(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False
