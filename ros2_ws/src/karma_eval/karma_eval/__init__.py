# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' protocols and the benchmarks. Depends on the libraries of the other packages; none depends on it."""
