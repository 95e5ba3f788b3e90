"""Creates the matrix of a vendor's pytest suite, and maps the names of tests to pytest node ids."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from accelerator_reports.test_ids import (
    Parameters,
    parameters_of,
    parse_pytest_node_id,
    valid_suite_id,
)
from accelerator_validation.listing import AUTOLOAD
from accelerator_validation.matrix import Matrix, read_matrix, suite_names
from accelerator_validation.plan import RunError
from accelerator_validation.request import Request

TEMPLATE_SUITE = "pytest"
"""The name of the matrix on which all pytest suites are based. It cannot be run as a suite."""

# Folder names that don't identify a project.
_GENERIC_FOLDER_NAMES = frozenset({"", "test", "tests", "src", "python"})

# Device types that are not an accelerator.
_NON_ACCELERATOR_TYPES = frozenset({"cpu", "meta"})


@dataclass(frozen=True, slots=True)
class PytestSource:
    """A vendor's pytest suite: the path of its folder or file, and its name.

    If `name` is None, the suite has the `default_suite_name` of its path.
    """

    path: Path | None = None
    name: str | None = None

    @property
    def suite(self) -> str | None:
        """The name of the suite, or None if neither a path nor a name is given.

        Raises RunError if the name is invalid, or if it is given without a path.
        """
        if self.path is None:
            if self.name:
                raise RunError("--suite-name names the suite of --pytest; add --pytest PATH")
            return None
        if self.name is None:
            return default_suite_name(self.path.resolve())
        remedy = "use another name, such as torch-foo-tests"
        if self.name in suite_names():
            raise RunError(f'--suite-name: "{self.name}" is a built-in suite; {remedy}')
        valid_name = valid_suite_id(self.name)
        if valid_name != self.name:
            remedy = f'write "{valid_name}"' if valid_name else remedy
            problem = f'--suite-name: "{self.name[:60]}" is not a valid suite name'
            raise RunError(f"{problem}; {remedy}")
        return self.name


def pytest_matrices(
    suites: Iterable[str], request: Request, source: PytestSource
) -> dict[str, Matrix]:
    """Return the matrix of a vendor's pytest suite, by the suite's name.

    The result is empty if `suites`, the suites to run, does not contain the suite.

    Raises RunError if `suites` contains `TEMPLATE_SUITE`, and the errors of `PytestSource.suite`.
    """
    name = source.suite
    if TEMPLATE_SUITE in suites:
        raise RunError("the suite pytest needs a folder of tests. Pass it with --pytest")
    if name is None or source.path is None or name not in suites:
        return {}
    return {
        name: read_matrix(TEMPLATE_SUITE).model_copy(
            update={"given": _given_values(request, source.path)}
        )
    }


def _given_values(request: Request, path: Path) -> Mapping[str, str]:
    """Return the values for `Matrix.given`: `path`, `device`, `imports` and `autoload`.

    `imports` is the module to import after torch, or "". `autoload` is "0" if torch must not load
    plugins by itself.
    """
    return {
        "path": str(path.resolve()),
        "device": request.device,
        "imports": request.imports or "",
        "autoload": os.environ.get(AUTOLOAD, "1"),  # the listing process sets it to 0
    }


def default_suite_name(path: Path) -> str:
    """Return a suite name for a folder or file: `pytest-torch-foo` for `torch_foo/tests`."""
    folders = [path.stem if path.suffix == ".py" else path.name, *(p.name for p in path.parents)]
    project_name = next((name for name in folders if name.lower() not in _GENERIC_FOLDER_NAMES), "")
    return valid_suite_id(re.sub(r"[^a-zA-Z0-9]+", "-", f"pytest-{project_name}")) or "pytest"


def node_id_by_identity(nodeids: Iterable[str], device: str) -> dict[tuple[str, Parameters], str]:
    """Return the node id of each test, by the test's name and parameters in reports.

    The name and the parameters do not contain the device. If several tests differ only in their
    device, the result has the test for `device`. If there is no test for `device`, the result has a
    test for another accelerator, or else the test for the CPU.
    """
    ranked_ids: dict[tuple[str, Parameters], tuple[int, str]] = {}
    for nodeid in nodeids:
        parsed_id = parse_pytest_node_id(nodeid)
        key = parsed_id.name, parameters_of(parsed_id.parameters)
        rank = _device_preference(parsed_id.device, device)
        if key not in ranked_ids or rank > ranked_ids[key][0]:
            ranked_ids[key] = rank, nodeid
    return {key: nodeid for key, (_, nodeid) in ranked_ids.items()}


def _device_preference(node_device: str | None, device: str) -> int:
    node_device_type = (node_device or "").partition(":")[0]
    if node_device_type == device.partition(":")[0] or node_device is None:
        return 2
    return 0 if node_device_type in _NON_ACCELERATOR_TYPES else 1
