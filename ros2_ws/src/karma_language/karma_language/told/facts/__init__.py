# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Facts in what people say of themselves and their people (EMG-RAG): clauses as claims."""
