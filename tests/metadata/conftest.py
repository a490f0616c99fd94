# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the packages say of themselves, and what builds them: the modules here are imported by name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
