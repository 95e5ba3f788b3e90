"""Runs the command `accelerator-portal` when Python is called with `-m accelerator_portal.cli`."""

from __future__ import annotations

from accelerator_portal.cli import main

if __name__ == "__main__":
    main(prog_name="accelerator-portal")
