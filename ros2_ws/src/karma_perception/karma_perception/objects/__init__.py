# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Things: instances of a frame, identities over frames, what is where and rests on what."""
