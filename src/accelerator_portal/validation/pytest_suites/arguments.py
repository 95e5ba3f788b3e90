"""How pytest is called, for listing tests and for running them alike."""

from __future__ import annotations

from importlib.util import find_spec

DEVICE_VARIABLE = "ACCELERATOR_PORTAL_DEVICE"
"""Where a suite can read which device the command was given."""


def arguments(path: str) -> list[str]:
    """Return pytest's arguments; what the suite's own configuration says stays in force.

    Workers, stacks of crashes, and what is printed are this harness's: pytest's own means for them
    are off.
    """
    one_process = ["-n0"] if find_spec("xdist") else []
    off = ["-p", "no:cacheprovider", "-p", "no:faulthandler", "--capture=no", "--color=no"]
    return [*off, *one_process, path]
