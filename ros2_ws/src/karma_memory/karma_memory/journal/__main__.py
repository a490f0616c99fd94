# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""python3 -m karma_memory.journal DAMAGED NEW: copy what is intact of a damaged journal to a new file."""

from __future__ import annotations

import argparse
import sys

from karma_memory.journal import JournalError, salvage


def main() -> None:
    """Salvage a journal and say what could be read."""
    parser = argparse.ArgumentParser(prog="python3 -m karma_memory.journal", description=salvage.__doc__)
    parser.add_argument("damaged", help="the database file, which is only read")
    parser.add_argument("new", help="the file to write, which must not exist")
    arguments = parser.parse_args()
    try:
        report = salvage(arguments.damaged, arguments.new)
    except JournalError as error:
        sys.exit(str(error))
    print(f"{report.kept} events copied, {report.lost} lost, {report.images_lost} pictures lost")


if __name__ == "__main__":
    main()
