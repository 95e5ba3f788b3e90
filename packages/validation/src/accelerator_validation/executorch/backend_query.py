"""Reads the recipes and versions of ExecuTorch backends in a separate process.

As a program, `python -m accelerator_validation.executorch.backend_query NAMES` prints the recipes
and versions as JSON. NAMES has the names of backends, separated by commas. Importing a backend runs
its vendor's code. If this code fails or crashes, only the separate process ends.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from importlib import metadata

from accelerator_reports.environment import installed_versions
from accelerator_reports.files.wording import install_command
from accelerator_validation.case import short_message
from accelerator_validation.classify import describe_error
from accelerator_validation.executorch.registry import find_backends, find_flows
from accelerator_validation.plan import RunError
from accelerator_validation.probe import ProbeResult
from accelerator_validation.side_process import SideProcess, print_result

QUERY_TIMEOUT_S = 300

NO_EXECUTORCH = (
    "ExecuTorch is not installed in this environment; "
    "install the release for your torch. In a clone of the portal: "
    f"{install_command('accelerator-validation', 'executorch')}"
)


@dataclass(frozen=True, slots=True)
class BackendReply:
    """The recipes and versions of ExecuTorch backends.

    `recipes` has all values of the test parameter `recipe`. `packages` has the versions of packages
    by name. `fault` is the error message if a backend cannot be used, else None.
    """

    recipes: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    """The values in `recipes` that name a plain recipe, see `Recipe.is_plain`."""
    backend: Mapping[str, str] = field(default_factory=dict)
    """The `name` and `version` of the first backend, for the environment in a report."""
    packages: Mapping[str, str] = field(default_factory=dict)
    fault: str | None = None


def query_backend(names: str) -> BackendReply:
    """Read the recipes and versions of ExecuTorch backends in a separate process.

    `names` has the names of the backends, separated by commas. Raises RunError if a backend cannot
    be used.
    """
    with SideProcess(__name__, names) as process:
        process_output = process.wait(QUERY_TIMEOUT_S)
    if process_output.status is None:
        raise RunError(f'the backend "{names}" does not load within {QUERY_TIMEOUT_S} s')
    if process_output.status or process_output.result is None:
        error_text = short_message(process_output.stderr.strip()[-400:])
        problem = (
            f'loading the backend "{names}" ended its process with status {process_output.status}'
        )
        raise RunError(f"{problem}: {error_text}")
    reply = BackendReply(**json.loads(process_output.result))
    if reply.fault:
        raise RunError(reply.fault)
    return reply


def with_backend_facts(probed: ProbeResult, reply: BackendReply | None) -> ProbeResult:
    """Return a copy of a probe result with a backend's facts added to its environment.

    The facts are `backend` and `packages` of `reply`. If `reply` is None, no backend is tested, and
    the probe result is returned unchanged.
    """
    if reply is None:
        return probed
    packages = {**probed.environment.get("packages", {}), **reply.packages}
    backend_facts = {"backend": dict(reply.backend), "packages": packages}
    return replace(probed, environment={**probed.environment, **backend_facts})


def main() -> None:
    """Print a `BackendReply` as JSON, for the backends named in the command-line argument."""
    print_result(json.dumps(asdict(_backend_reply(sys.argv[1]))))


def _backend_reply(names: str) -> BackendReply:
    if importlib.util.find_spec("executorch") is None:
        return BackendReply(fault=NO_EXECUTORCH)
    try:
        backends, flows = find_backends(names), find_flows(names)
        backend = backends[0]
        version = backend.version() if backend.version else metadata.version("executorch")
    except RunError as error:
        return BackendReply(fault=str(error))
    except BaseException as error:  # noqa: BLE001 - a vendor's package may raise anything
        import_error_text = short_message(describe_error(error), 1000)
        return BackendReply(fault=f'the backend "{names}" cannot be loaded: {import_error_text}')
    backend_packages = (
        package for tested_backend in backends for package in tested_backend.packages
    )
    packages = installed_versions(("executorch", "torchao", *backend_packages))
    backend_facts = {"name": backend.runtime_name, "version": str(version)}
    plain_names = tuple(name for name, flow in flows.items() if flow.recipe.is_plain)
    return BackendReply(tuple(flows), plain_names, backend_facts, packages)


if __name__ == "__main__":
    main()
