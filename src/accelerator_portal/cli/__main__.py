"""`python -m accelerator_portal.cli`: runs the command where its script is not on the path."""

from __future__ import annotations

from accelerator_portal.cli import main

if __name__ == "__main__":
    main(prog_name="accelerator-portal")
