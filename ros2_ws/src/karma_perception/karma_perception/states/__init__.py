# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What state the objects are in (KARMA 3.4): from the simulator, from a vision-language model, or unknown."""
