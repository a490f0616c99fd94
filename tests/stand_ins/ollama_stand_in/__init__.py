# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the Ollama daemon, for tests: Ollama's HTTP API over a real llama.cpp (docs/models.md)."""
