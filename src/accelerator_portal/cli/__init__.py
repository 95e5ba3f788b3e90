"""The command `accelerator-portal`."""

from accelerator_portal.cli.main import main

__all__ = ["main"]
