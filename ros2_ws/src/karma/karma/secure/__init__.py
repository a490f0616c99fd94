# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""SROS2: what each node of the graph may do, and the keys by which DDS holds it to that."""
