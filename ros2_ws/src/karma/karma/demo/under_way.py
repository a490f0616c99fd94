# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Says what is being done while it is being done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.status import Status


@contextmanager
def under_way(console: Console, text: str, *, every_step: bool = False) -> Iterator[Callable[[str], None]]:
    """Show a piece of work from its begin; what is yielded takes what it is at.

    On a terminal this is one line that changes. Elsewhere it is a line when the work begins and, with `every_step`, one
    for whatever it is at, with the seconds since it began.
    """
    began = time.monotonic()
    text = escape(text)
    if console.is_terminal:
        with Status(text, console=console) as status:
            yield lambda step: status.update(f"{text}  [dim]{escape(step)}[/]")
        return
    console.print(f" … {text}")
    told = ""

    def tell(step: str) -> None:
        nonlocal told
        if every_step and step != told:
            told = step
            console.print(f"   {time.monotonic() - began:.1f} s: {escape(step)}")

    yield tell
