# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What every backend has to do alike: named checks that run against any `Backend`.

`suite` lists and runs them, `subject` is what a backend declares about itself, `trial` is the backend under test.
"""
