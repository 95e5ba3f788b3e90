"""`python -m accelerator_portal.cli`: the command, for where its script is not on the path."""

from __future__ import annotations

from accelerator_portal.cli import main

if __name__ == "__main__":
    main(prog_name="accelerator-portal")
