# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One loaded model: a process with llama.cpp's own server in it, as Ollama starts one for each model it loads.

`python -m ollama_stand_in.runner FILE CONTEXT THREADS` prints the server's address and ends when its standard input
does, so that it never outlives whoever started it.
"""

from __future__ import annotations

import os
import sys

# Threads that spin for each other ruin everything on a machine with more to do than cores.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def main(file: str, context: int, threads: int) -> None:
    """Serve until the standard input ends."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = file
    parameters.n_ctx = context
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = max(threads, 2)
    parameters.warmup = False
    parameters.ui = False
    parameters.verbosity = -1
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # in the middle of an answer, too


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
