"""The command `accelerator-portal`."""

import sys

try:
    from accelerator_portal.cli.main import main
except KeyboardInterrupt:  # Ctrl+C while Python imports what the command needs
    sys.stderr.write("Interrupted. Nothing was done. To start again, run the command again.\n")
    sys.exit(130)

__all__ = ["main"]
