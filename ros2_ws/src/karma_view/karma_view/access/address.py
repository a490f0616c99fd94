# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where the page listens, and what people have to open."""

from __future__ import annotations

import errno
import fcntl
import ipaddress
import socket
import struct

EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - only with a token
_SIOCGIFADDR = 0x8915


class AddressError(RuntimeError):
    """Nothing can listen there; the message says why and what to do."""


def is_loopback(host: str) -> bool:
    """Whether a name or address is this machine's own and nobody else can reach it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; port 0: any that is free. AddressError."""
    if not host:
        raise AddressError(
            "the address to listen on is missing: 127.0.0.1 is this machine's own, 0.0.0.0 all that it has"
        )
    if not 0 <= port <= 65535:
        raise AddressError(f"{port} is no port: they go from 0 to 65535")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, _, _, _, address = min(found, key=lambda info: info[0] != socket.AF_INET)
        both = host == "::" and socket.has_dualstack_ipv6()
        return socket.create_server(address, family=family, dualstack_ipv6=both)
    except (OSError, UnicodeError) as error:
        raise AddressError(_why(error, host, port)) from error


def addresses(host: str, port: int, path: str = "/") -> list[str]:
    """Return what can be opened in a browser where the page listens on `host`: one for each of the machine's addresses.

    With `0.0.0.0` or `::`, IPv4 addresses only, and this machine's own first.
    """
    hosts = ["localhost", *_ipv4_addresses()] if host in EVERYWHERE else [f"[{host}]" if ":" in host else host]
    return [f"http://{name}:{port}{path}" for name in hosts]


def _ipv4_addresses() -> list[str]:
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            try:
                answer = fcntl.ioctl(probe, _SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
            except OSError:  # an interface without one
                continue
            found.append(socket.inet_ntoa(answer[20:24]))
    return [address for address in found if not is_loopback(address)]


def _why(error: Exception, host: str, port: int) -> str:
    code = error.errno if isinstance(error, OSError) else None
    if code == errno.EADDRINUSE:
        return f"port {port} on {host} is taken: choose another one (0: any)"
    if code in (errno.EACCES, errno.EPERM):
        return f"port {port} needs rights that you do not have: choose one from 1024 on (0: any)"
    if code == errno.EADDRNOTAVAIL or isinstance(error, (socket.gaierror, UnicodeError)):
        return f"{host!r} is not an address of this machine: choose 127.0.0.1 for itself alone, 0.0.0.0 for all it has"
    return f"nothing can listen on port {port} of {host}: {error}"
