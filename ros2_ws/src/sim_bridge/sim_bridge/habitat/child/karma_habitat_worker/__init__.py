# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What runs in the Python that has habitat-sim: thin, without ROS and without the rest of KARMA.

It needs numpy, habitat-lab and habitat-sim, and is written for Python 3.9 and later.
"""
