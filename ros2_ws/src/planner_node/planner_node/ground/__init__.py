# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Names in goals to objects in the world; a person is asked where several may be meant."""
