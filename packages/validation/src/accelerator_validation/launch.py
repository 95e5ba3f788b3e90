"""Starts a run: finds torch, the device, the suites and the ExecuTorch backends.

If the environment lacks packages that the suites need, the error says how to install them.
"""

from __future__ import annotations

import datetime as dt
import importlib.util
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from accelerator_reports.environment import installed_versions
from accelerator_reports.files.wording import count, install_command
from accelerator_validation.case import describe_error, short_message
from accelerator_validation.executorch.registry import find_backends, find_flows
from accelerator_validation.listing import start_listing, wait_for_offers
from accelerator_validation.matrix import Matrix, with_recipes
from accelerator_validation.plan import Plan, RunError
from accelerator_validation.platform_folder import PlatformFolder, apply_settings
from accelerator_validation.probe import ProbeResult, start_probe, wait_for_probe
from accelerator_validation.pytest_suites.source import PytestSource, pytest_matrices
from accelerator_validation.pytorch_tests.checkout import checkout_mismatch
from accelerator_validation.pytorch_tests.source import PytorchSource, with_pytorch_checkout
from accelerator_validation.request import (
    SUITE_FAMILIES,
    Request,
    plan_from_offers,
    read_matrices,
    with_torchbench_checkout,
)
from accelerator_validation.run import (
    DIAGNOSTIC_SUITES,
    FinishedRun,
    WatchCallback,
    begin_run,
    continue_run,
    journal_cases,
    lock_report,
    prepare_workers,
)
from accelerator_validation.sharding import apply_sharding, sharding_message
from accelerator_validation.side_process import SideProcess, WaitCallback, print_result

if TYPE_CHECKING:
    from accelerator_validation.cluster.cluster_pool import Cluster

# Reads the recipes and versions of ExecuTorch backends in a separate process.
#
# As a program, `python -m accelerator_validation.launch NAMES` prints the recipes
# and versions as JSON. NAMES has the names of backends, separated by commas. Importing a backend
# runs its vendor's code. If this code fails or crashes, only the separate process ends.

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


# Seconds between two messages that the start is still in progress.
_MESSAGE_INTERVAL_S = 15.0

# The harness is installed next to a plugin, without torch and without libraries of models. With
# these commands, pip selects versions that fit the installed packages, or names the conflict.
_INSTALL_ADVICE = """Install them without changing any other package:
  pip list --format=freeze > installed.txt
  pip install --constraint installed.txt {}"""

WatchFactory = Callable[[int | None], AbstractContextManager[WatchCallback]]
"""A function that gets the number of tests to run, or None if unknown, and returns a context
manager. The context manager provides the callback that shows the progress of the tests."""

ProgressCallback = Callable[[str], None]
"""Called with each message about the progress of the start, and with each warning."""


@dataclass(frozen=True, slots=True)
class SuiteSources:
    """The sources of suites and settings that are not part of this package.

    `platform` has a platform's settings and deployment recipes. `checkout` is the folder of a
    TorchBench checkout. `pytorch` names a PyTorch checkout and the test files to run. `pytest`
    names a vendor's pytest suite.
    """

    platform: PlatformFolder | None = None
    checkout: Path | None = None
    pytorch: PytorchSource = field(default_factory=PytorchSource)
    pytest: PytestSource = field(default_factory=PytestSource)


def make_plan(request: Request, sources: SuiteSources, today: dt.date) -> Plan:
    """Return the plan of a run: the tests that the request selects.

    Known issues that expire by `today` are ignored. Raises RunError if no plan is possible,
    ProblemsError if the platform's settings don't fit the suites, and ExpressionError if the
    request's `-k` expression is invalid.
    """
    matrices, _ = _suite_matrices(request, request.suites, sources)
    with start_listing(matrices) as listing:
        return _plan_from_listing(request, matrices, listing, today, _StartProgress(lambda _: None))


def start_run(
    request: Request,
    sources: SuiteSources,
    today: dt.date,
    watch_factory: WatchFactory,
    report_progress: ProgressCallback,
) -> FinishedRun:
    """Plan the tests, check the device, run the tests, and return the finished run.

    The context manager of `watch_factory` shows the progress of the tests. `report_progress` is
    called with messages about the start. Raises the errors of `make_plan`. Also raises RunError if
    the report cannot be written, or if the cluster or the device cannot be used. If the suite
    `integration` runs, most faults of the device raise no error, because its tests report them.
    """
    matrices, backend_reply = _suite_matrices(request, request.suites, sources)
    with lock_report(request), _cluster_connection(request, report_progress) as cluster:
        if cluster:  # the report says how many workers there are
            request = replace(request, workers=cluster.slots)
        report_progress(
            f"Importing torch, listing the tests and checking the device {request.device}."
        )
        waiting = _StartProgress(report_progress)
        with start_listing(matrices) as listing:  # in parallel with the probe of the device
            probe_result = _usable_probe_result(request, matrices, cluster, waiting)
            probed = with_backend_facts(probe_result, backend_reply)
            if cluster is None:
                prepare_workers(request, matrices, probed)
            plan = _plan_from_listing(request, matrices, listing, today, waiting)
        _warn_about_checkout(matrices, probed, report_progress)
        if plan.shard:
            report_progress(sharding_message(plan, plan.shard))
        tests, workers = count(len(plan.cases_to_run), "test"), count(request.workers, "worker")
        report_progress(f"{tests} to run. Starting {workers}.")
        with watch_factory(len(plan.cases_to_run)) as watch:
            return begin_run(request, matrices, plan, probed, watch, cluster)


def resume_run(
    request: Request,
    sources: SuiteSources,
    watch_factory: WatchFactory,
    report_progress: ProgressCallback,
) -> FinishedRun:
    """Continue the interrupted run whose report the request names, and return the finished run.

    `watch_factory` and `report_progress` are as in `start_run`. Raises RunError, for example if the
    journal is missing or torch has another version, and ProblemsError if the platform's settings
    don't fit the suites.
    """
    cases = journal_cases(request)
    suites = tuple(dict.fromkeys(case.suite for case in cases))
    # The options that selected PyTorch's test files need not be repeated: the tests name the files.
    sources = replace(sources, pytorch=replace(sources.pytorch, files=()))
    tests_request = replace(request, tests=frozenset(case.id for case in cases))
    matrices, backend_reply = _suite_matrices(tests_request, suites, sources)
    with lock_report(request), _cluster_connection(request, report_progress) as cluster:
        report_progress(f"Checking {request.device}. This imports torch first.")
        waiting = _StartProgress(report_progress)
        probe_result = _usable_probe_result(request, matrices, cluster, waiting)
        probed = with_backend_facts(probe_result, backend_reply)
        _warn_about_checkout(matrices, probed, report_progress)
        with watch_factory(None) as watch:
            return continue_run(request, matrices, probed, watch, cluster)


def _cluster_connection(
    request: Request, report_progress: ProgressCallback
) -> AbstractContextManager[Cluster | None]:
    """Return a context manager that connects to the request's cluster.

    It provides None if the request names no cluster. Entering it raises RunError if the connection
    fails.
    """
    if request.scheduler is None:
        return nullcontext()
    report_progress(f"Connecting to the Dask scheduler at {request.scheduler}.")
    from accelerator_validation.cluster.cluster_pool import connect_to_cluster

    return connect_to_cluster(request.scheduler)


def _plan_from_listing(
    request: Request,
    matrices: Mapping[str, Matrix],
    listing: SideProcess,
    today: dt.date,
    waiting: _StartProgress,
) -> Plan:
    offers = wait_for_offers(listing, waiting, waiting.report_progress)
    return apply_sharding(plan_from_offers(request, matrices, offers, today), request, matrices)


class _StartProgress:
    """Reports every 15 seconds how long the start of the run has taken."""

    def __init__(self, report_progress: ProgressCallback) -> None:
        self.report_progress, self._next_message_s = report_progress, _MESSAGE_INTERVAL_S

    def __call__(self, seconds: float) -> None:
        if seconds >= self._next_message_s:
            self._next_message_s += _MESSAGE_INTERVAL_S
            self.report_progress(f"Still starting after {seconds:.0f} s.")


def _warn_about_checkout(
    matrices: Mapping[str, Matrix], probed: ProbeResult, report_progress: ProgressCallback
) -> None:
    for matrix in matrices.values():
        if matrix.files and (mismatch := checkout_mismatch(matrix.given, probed.environment)):
            report_progress(f"Warning: {mismatch}")


def _suite_matrices(
    request: Request, suites: tuple[str, ...], sources: SuiteSources
) -> tuple[Mapping[str, Matrix], BackendReply | None]:
    """Return the matrix of each suite, and the facts about the tested ExecuTorch backends.

    The matrices include the backends' recipes and the platform's settings. If no suite tests
    ExecuTorch, the second value is None. Raises RunError and ProblemsError as `make_plan` does.
    """
    pytest_suites = pytest_matrices(suites, request, sources.pytest)
    matrices = with_torchbench_checkout(
        read_matrices(s for s in suites if s not in pytest_suites), sources.checkout
    )
    matrices = {**with_pytorch_checkout(matrices, request, sources.pytorch), **pytest_suites}
    matrices = {name: matrix.at_level(request.level) for name, matrix in matrices.items()}
    _require_packages(matrices)
    _require_import(request)
    reply = None
    if not set(SUITE_FAMILIES["executorch"]).isdisjoint(matrices):
        reply = query_backend(request.backend)
        matrices = {n: with_recipes(m, reply.recipes, reply.plain) for n, m in matrices.items()}
    return apply_settings(matrices, sources.platform) if sources.platform else matrices, reply


def _require_packages(matrices: Mapping[str, Matrix]) -> None:
    if not is_installed("torch"):
        raise RunError(no_torch_message())
    if missing_by_suite := missing_packages(matrices):
        raise RunError(missing_packages_message(missing_by_suite, matrices))


def _require_import(request: Request) -> None:
    """Raise RunError if the module of `--import` is missing. A cluster's workers may have it."""
    module = request.imports
    if module and not request.scheduler and not is_installed(module.partition(".")[0]):
        problem = f'--import: the module "{module}" is not installed for {sys.executable}'
        raise RunError(f"{problem}. Install the plugin, or correct the name")


def _usable_probe_result(
    request: Request, suites: Iterable[str], cluster: Cluster | None, waiting: _StartProgress
) -> ProbeResult:
    """Return the result of probing the device. Raises RunError if the device cannot be used.

    If `suites` contains `integration`, the result of a failed probe is usually returned, because
    the tests of this suite report the cause. RunError is then raised only if torch is missing, the
    probe hangs, or torch does not know the device type.
    """
    probe_result = _run_probe(request, cluster, waiting)
    if probe_result.fault == "no torch":
        raise RunError(no_torch_message())
    if probe_result.fault == "hang":  # every test would hang in the same place
        raise RunError(f'"{request.device}": {probe_result.message}')
    if probe_result.fault and (probe_result.unknown or DIAGNOSTIC_SUITES.isdisjoint(suites)):
        problem = (
            "import torch fails" if probe_result.fault == "import" else "the device cannot be used"
        )
        raise RunError(f'"{request.device}": {problem}. {probe_result.message}')
    if probe_result.fault:
        waiting.report_progress(f'"{request.device}" cannot be used: {probe_result.message}')
    return probe_result


def _run_probe(request: Request, cluster: Cluster | None, waiting: WaitCallback) -> ProbeResult:
    if cluster:
        return cluster.probe(request.device, request.imports, waiting)
    with start_probe(request.device, request.imports) as probing:
        return wait_for_probe(probing, waiting)


def is_installed(module: str) -> bool:
    """Return whether a top-level module is installed, without importing it."""
    return bool(module) and find_spec(module) is not None


def missing_packages(
    matrices: Mapping[str, Matrix], installed: Callable[[str], bool] = is_installed
) -> dict[str, tuple[str, ...]]:
    """Return the packages that each suite needs and that are not installed, by suite.

    Suites that lack no package are omitted. `installed` tells whether a module is installed.
    """
    missing_by_suite = {
        suite: tuple(package for package in matrix.packages if not installed(package))
        for suite, matrix in matrices.items()
    }
    return {suite: packages for suite, packages in missing_by_suite.items() if packages}


def missing_packages_message(
    missing_by_suite: Mapping[str, Iterable[str]], suites: Iterable[str]
) -> str:
    """Return an error message with the missing packages, a fix, and the suites that can run.

    `missing_by_suite` has the missing packages by suite, and `suites` are all suites of the run.
    """
    needs = [
        f'the suite "{suite}" needs {" and ".join(names)}'
        for suite, names in missing_by_suite.items()
    ]
    packages = sorted({name for names in missing_by_suite.values() for name in names})
    problem = f"{'; '.join(needs)}, not installed for {sys.executable}."
    lines = [f"{problem[0].upper()}{problem[1:]}", _INSTALL_ADVICE.format(" ".join(packages))]
    if runnable_suites := [suite for suite in suites if suite not in missing_by_suite]:
        lines.append(
            f"Or run suites that don't need them: --suite {' --suite '.join(runnable_suites)}"
        )
    return "\n".join(lines)


def no_torch_message() -> str:
    """Return the error message for an environment without torch."""
    return (
        f"PyTorch is not installed for {sys.executable}. Activate the environment that has torch "
        "and your plugin and run, in a clone of the portal: "
        f"{install_command('accelerator-validation')}\n"
        "Or name the Python of that environment with --python"
    )
