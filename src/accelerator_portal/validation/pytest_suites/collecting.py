"""Which tests a pytest suite has, asked of pytest itself in a process of its own.

As a program, `python -m accelerator_portal.validation.pytest_suites.collecting PATH FILE [MODULE]`
writes node ids into a file as JSON. The plugin is loaded: such tests import it.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from accelerator_portal.validation.case import brief
from accelerator_portal.validation.listing import AUTOLOAD
from accelerator_portal.validation.plan import ListingError
from accelerator_portal.validation.pytest_suites.arguments import DEVICE_VARIABLE, arguments

LIMIT_S = 900.0


@dataclass(frozen=True, slots=True)
class Nodes:
    """The tests of a suite by node id, and the modules that could not be collected."""

    tests: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


class Collected:
    """A plugin of pytest that keeps what was collected."""

    def __init__(self) -> None:
        self.broken: list[str] = []
        self.tests: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep what could not be collected."""
        if report.failed:
            self.broken.append(report.nodeid)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep the tests, less those that the suite's own settings leave out."""
        self.tests = [item.nodeid for item in session.items]


def collected_nodes(given: Mapping[str, str]) -> Nodes:
    """Return the nodes of a suite; raises ListingError."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "nodes.json")
        modules = [given["imports"]] if given["imports"] else []
        try:
            done = subprocess.run(
                [sys.executable, "-m", __name__, given["path"], str(file), *modules],
                env={
                    **os.environ,
                    AUTOLOAD: given["autoload"],
                    DEVICE_VARIABLE: given["device"],
                },
                capture_output=True,
                text=True,
                timeout=LIMIT_S,
                check=False,
                errors="replace",
            )
        except subprocess.TimeoutExpired:
            raise ListingError(f"pytest did not list the tests within {LIMIT_S:g} s") from None
        if not file.exists():
            said = (done.stderr or done.stdout).strip()
            why = brief(said) if said else f"it ended with status {done.returncode}"
            raise ListingError(f"pytest cannot list the tests: {why}")
        found = json.loads(file.read_text("utf-8"))
    return Nodes(tuple(found["tests"]), tuple(found["broken"]))


def main() -> None:
    """Write the nodes of the suite that the arguments name."""
    path, file, *modules = sys.argv[1:]
    for module in modules:
        importlib.import_module("torch")
        importlib.import_module(module)
    kept = Collected()
    status = pytest.main([*arguments(path), "--collect-only", "-q"], plugins=[kept])
    if status in {pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR}:
        sys.exit(int(status))
    nodes = Nodes(tuple(kept.tests), tuple(dict.fromkeys(kept.broken)))
    Path(file).write_text(json.dumps(asdict(nodes)), "utf-8")


if __name__ == "__main__":
    main()
