"""Runs the command as `python -m accelerator_portal.cli`, also if its script is not on PATH."""

from __future__ import annotations

from accelerator_portal.cli import main

if __name__ == "__main__":
    main(prog_name="accelerator-portal")
