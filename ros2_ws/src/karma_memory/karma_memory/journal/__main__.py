# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""python3 -m karma_memory.journal, as python3 -m karma_memory.command was called before 0.2.0: goes with 0.3.0."""

import sys

if __name__ == "__main__":
    from karma_memory.command.__main__ import main

    print("python3 -m karma_memory.journal is python3 -m karma_memory.command now", file=sys.stderr)
    raise SystemExit(main())
