"""Runs the command `accelerator-portal` when Python is called with `-m accelerator_reports.cli`."""

from __future__ import annotations

from accelerator_reports.cli import main

if __name__ == "__main__":
    main(prog_name="accelerator-portal")
