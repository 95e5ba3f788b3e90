"""Isolates a program of a stranger from the machine with bubblewrap.

The program can write to one folder only, sees no other process, and cannot get more rights than
the user has. It ends with the process that started it, and so does everything that it started.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from accelerator_reports.files.problem import UserError

PROGRAM = "bwrap"

# Sockets of services, such as Docker's, are in /run. The settings of name resolution are, too.
_SERVICES = ("--tmpfs", "/run", "--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve")


def isolated(command: Sequence[str], folder: Path, *, network: bool) -> list[str]:
    """Return the command that runs `command` isolated: it can write only below `folder`.

    `folder` is its current folder, and must exist. Without `network`, it has no network.
    """
    shared = ["--share-net"] if network else []
    place = str(folder)
    return [
        *(PROGRAM, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *_SERVICES),
        *("--bind", place, place, "--chdir", place),
        *("--unshare-all", *shared, "--new-session", "--die-with-parent", "--", *command),
    ]


def require_isolation() -> None:
    """Raise UserError if programs cannot be isolated on this machine; the message has the fix."""
    if sys.platform != "linux":
        raise UserError("installations are isolated with bubblewrap. Use a machine with Linux")
    if shutil.which(PROGRAM) is None:
        install = "Install it: apt-get install bubblewrap"
        raise UserError(f"installations are isolated with bubblewrap ({PROGRAM}). {install}")
    run = subprocess.run(
        isolated(["true"], Path.cwd(), network=False), capture_output=True, text=True, check=False
    )
    if run.returncode:
        what = f"bubblewrap does not work on this machine ({run.stderr.strip()[:200]})"
        raise UserError(f"{what}. Allow user namespaces, or use another machine")
