# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma doctor`: what is installed, what is missing, what works here."""

from __future__ import annotations

from pathlib import Path

import click

from karma_eval.json_file import json_option, write_json

MARKS = {"works": "[green]✓[/]", "missing": "[yellow]-[/]", "broken": "[red]✗[/]"}


@click.command("doctor")
@json_option("Write the findings there.")
def command(json_file: Path | None) -> int:
    """Say what is installed, what is missing and what works here.

    Ends with status 1 when something that KARMA cannot do without is missing or broken.
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from karma.findings import examine

    table = Table(title="KARMA on this machine", title_justify="left")
    for heading in ("", "what", "finding"):
        table.add_column(heading)
    findings = list(examine())
    for finding in findings:
        table.add_row(MARKS[finding.verdict], escape(finding.subject), escape(finding.text))
    Console().print(table)
    if json_file is not None:
        write_json(json_file, [finding.as_dict() for finding in findings])
    return 1 if any(finding.essential and finding.verdict != "works" for finding in findings) else 0
