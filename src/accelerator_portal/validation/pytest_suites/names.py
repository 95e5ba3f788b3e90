"""Converts pytest's node ids to test names without hardware."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from accelerator_portal.reports.identity import Parameters, parameters_of
from accelerator_portal.reports.test_ids import identified_node, suite_id

# Folders whose names say nothing of whose tests they hold.
_PLAIN = frozenset({"", "test", "tests", "src", "python"})

# Devices of the machine that runs the tests of an accelerator, and of no machine at all.
_OTHERS = frozenset({"cpu", "meta"})


def suite_of(path: Path) -> str:
    """Return a name for the suite in a folder or file: `pytest-torch-foo` of `torch_foo/tests`."""
    folders = [path.stem if path.suffix == ".py" else path.name, *(p.name for p in path.parents)]
    own = next((name for name in folders if name.lower() not in _PLAIN), "")
    return suite_id(re.sub(r"[^a-zA-Z0-9]+", "-", f"pytest-{own}")) or "pytest"


def by_identity(nodeids: Iterable[str], device: str) -> dict[tuple[str, Parameters], str]:
    """Return nodes by name and parameters, as an import of pytest's own reports names them.

    Hardware is no part of an identity. Of tests that differ in their device alone, that of the
    device under test is kept, and one of the processor beside it goes first.
    """
    found: dict[tuple[str, Parameters], tuple[int, str]] = {}
    for nodeid in nodeids:
        known = identified_node(nodeid)
        key = known.name, parameters_of(known.parameters)
        rank = _rank(known.device, device)
        if key not in found or rank > found[key][0]:
            found[key] = rank, nodeid
    return {key: nodeid for key, (_, nodeid) in found.items()}


def _rank(named: str | None, device: str) -> int:
    kind = (named or "").partition(":")[0]
    if kind == device.partition(":")[0] or named is None:
        return 2
    return 0 if kind in _OTHERS else 1
