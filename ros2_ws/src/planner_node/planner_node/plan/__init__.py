# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals to skills: by task planning, by a language model call by call, or as a person has written them."""
