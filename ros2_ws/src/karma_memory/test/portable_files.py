# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Exported files: what is in them, and how a test makes other ones of them."""

import gzip
import json
from hashlib import sha256

from karma_memory.journal import PortableFile, import_journal


def imported(path, journal, **options):
    with PortableFile(path) as file:
        return import_journal(file, journal, **options)


def lines(path):
    return gzip.decompress(path.read_bytes()).splitlines(keepends=True)


def rewritten(path, new, *, sealed=True):
    """Write other lines to a file, with a checksum that fits them."""
    body = b"".join(new)
    seal = json.dumps({"sha256": sha256(body).hexdigest()}).encode() + b"\n" if sealed else b""
    path.write_bytes(gzip.compress(body + seal))
