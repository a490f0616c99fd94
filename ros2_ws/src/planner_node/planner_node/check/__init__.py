# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a plan's calls must fulfil, whoever planned: arguments, preconditions, safety."""
