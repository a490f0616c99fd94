# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""EMG-RAG: users who tell, correct and take back facts for four weeks, generated, and questions about them."""
