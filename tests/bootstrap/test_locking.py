# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from bootstrap.locking import _markers


def test_a_pinned_requirement_keeps_its_environment_marker():
    text = '# a comment; with a semicolon\nplain==1.0\nA_b==2.0.1; platform_machine == "x86_64"\nopen>=3; more\n'
    assert _markers(text) == {"a-b": '; platform_machine == "x86_64"'}
