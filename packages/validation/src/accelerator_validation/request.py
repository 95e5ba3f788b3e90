"""Selects the tests of a run from the user's options, and chooses the number of workers."""

from __future__ import annotations

import datetime as dt
import difflib
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from accelerator_reports.files.problem import did_you_mean
from accelerator_reports.known_issues import KnownFailure
from accelerator_reports.outcomes import ReportKind, RunLevel, TriggerKind
from accelerator_reports.validation_file import Validation
from accelerator_validation.case import Case, parse_expression
from accelerator_validation.executorch.registry import DEFAULT_BACKEND
from accelerator_validation.matrix import Matrix, read_matrix, suite_names
from accelerator_validation.plan import (
    Offer,
    Plan,
    RunError,
    apply_known_issues,
    expand,
    hw_classifications,
)
from accelerator_validation.pytorch_tests.checkout import checkout_commit

# Names that stand for several suites.
SUITE_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "models": ("small-diffusers", "small-timm", "small-transformers", "weak-spots"),
    "full-models": ("huggingface", "timm"),
    "executorch": ("executorch-aten", "executorch-models", "executorch-operators"),
}

# The suites that run without --suite: they need only torch and packages from PyPI.
DEFAULT_SUITES = ("integration", "operators", "operator-inputs", "models")

SPEED_SUITES = frozenset({"speed"})
"""The suites that measure speed. While a test of these suites runs, no other test may run."""

DEPLOY = "deploy"
TORCHBENCH = "torchbench"


@dataclass(frozen=True, slots=True)
class ShardRequest:
    """Which part of a plan this machine runs: shard number `index`, from 1, of `count` shards.

    `times` has the recorded durations of tests in milliseconds by test id, with which the shards
    are balanced. The durations are integers, so that every machine computes the same shards.
    """

    index: int
    count: int
    times: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """The options of a run."""

    device: str
    """The device under test, for example `cuda` or `cuda:0`."""
    out: Path
    """The file of the report."""
    accelerator: str
    """The id of the platform under test, for the report."""
    suites: tuple[str, ...] = DEFAULT_SUITES
    """The names of suites, or of families of suites such as `models`."""
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The values to run by parameter name: `{"dtype": ("float32",)}`. A parameter without an
    entry is run with its default values. If `tests` is not empty, all its values are allowed."""
    matching: str | None = None
    """A `-k` expression that the ids of the tests to run must match."""
    tests: frozenset[str] = frozenset()
    """The tests to run: ids, or names without parameters, which stand for their tests that run by
    default. If empty, `suites`, `only`, `matching` and `everything` select the tests."""
    imports: str | None = None
    """A module to import after torch: a plugin that torch does not load by itself."""
    kind: ReportKind = "self-reported"
    trigger: TriggerKind = "manual"
    timeout_s: float | None = None
    """The time limit of each test in seconds. None: each suite has its own limit."""
    workers: int = 1
    """The number of worker processes."""
    threads: int = 1
    """The number of threads that torch uses in each worker."""
    issues: tuple[KnownFailure, ...] = ()
    """The known issues of the platform."""
    settings: Validation = field(default_factory=Validation)
    """The settings in the platform's `validation.yaml`."""
    scripts: bool = False
    """Whether scripts in a platform's folder may be run."""
    level: RunLevel = "quick"
    """How much of each test is tried."""
    records_operators: bool = True
    """Whether the ATen operators of each passed test are recorded."""
    everything: bool = False
    """Whether tests that don't run by default are included."""
    backend: str = DEFAULT_BACKEND
    """The names of the ExecuTorch backends to test, separated by commas."""
    run_url: str | None = None
    """The address of the CI run, or None."""
    locks: tuple[Path, ...] = ()
    """The lock files from which this environment was installed."""
    shard: ShardRequest | None = None
    """The part of the plan to run, if several machines share the plan."""
    scheduler: str | None = None
    """The address of the scheduler of a Dask cluster that runs the tests. None: this machine runs
    them."""

    @property
    def journal(self) -> Path:
        """The path of the run's journal, which is next to its report."""
        return self.out.with_name(f"{self.out.stem}.journal.jsonl")


def read_matrices(suites: Iterable[str]) -> dict[str, Matrix]:
    """Return the matrices of built-in suites, by suite name.

    `suites` has names of suites or of families. A family, such as `models`, stands for several
    suites. Raises RunError for an unknown name.
    """
    names, known_names = _expand_families(suites), suite_names()
    for name in names:
        if name not in known_names:
            remedy = did_you_mean(name, [*known_names, *SUITE_FAMILIES])
            period = "" if remedy.endswith("?") else "."
            pytest_hint = "For your own pytest suite, name its folder with --pytest"
            raise RunError(f'there is no suite "{name}"; {remedy}{period} {pytest_hint}')
    return {name: read_matrix(name) for name in names}


def _expand_families(suites: Iterable[str]) -> list[str]:
    return [name for suite in suites for name in SUITE_FAMILIES.get(suite, (suite,))]


def with_torchbench_checkout(
    matrices: Mapping[str, Matrix], checkout: Path | None
) -> dict[str, Matrix]:
    """Return the matrices by suite, with a TorchBench checkout added to the suite `torchbench`.

    Without this suite, the matrices are returned unchanged. Raises RunError if the suite runs and
    its checkout is missing or invalid.
    """
    if TORCHBENCH not in matrices:
        return dict(matrices)
    if checkout is None:
        problem = "TorchBench is not on PyPI; clone github.com/pytorch/benchmark"
        raise RunError(f"{problem}, and name the folder with --torchbench")
    if not (checkout / "torchbenchmark" / "models").is_dir():
        raise RunError(
            f"{checkout} is not a checkout of TorchBench; it has no torchbenchmark/models"
        )
    facts = {"checkout": str(checkout.resolve()), "commit": checkout_commit(checkout)}
    return {**matrices, TORCHBENCH: matrices[TORCHBENCH].model_copy(update={"given": facts})}


def require_script_permission(request: Request, matrices: Mapping[str, Matrix]) -> None:
    """Raise RunError if the run needs a vendor's scripts, but the request does not allow them."""
    recipe_names = sorted(name for matrix in matrices.values() for name in matrix.deployments)
    if recipe_names and not request.scripts:
        problem = (
            f"the suite deploy runs scripts of the platform's folder ({', '.join(recipe_names)})"
        )
        raise RunError(f"{problem}; read them, then add --run-scripts")


def plan_from_offers(
    request: Request,
    matrices: Mapping[str, Matrix],
    offers: Mapping[str, list[Offer]],
    today: dt.date,
) -> Plan:
    """Return the plan of a request, from the tests that each suite offers.

    Known issues that expire by `today` are ignored. Raises ExpressionError if the `-k` expression
    is invalid. Raises RunError in these cases:

    - No suite has a requested value of a parameter.
    - The suite `deploy` runs, but the platform has no recipe for it.
    - A test named in the request does not exist, and there is no `-k` expression.
    - No test is selected.
    """
    _require_known_values(request, matrices, offers)
    if DEPLOY in matrices and not matrices[DEPLOY].deployments:
        problem = f'there is no recipe for "{request.accelerator}"'
        remedy = "add deploy: to its validation.yaml, and set --known-issues to the portal's folder"
        raise RunError(f"{problem}; {remedy}")
    matches_expression = parse_expression(request.matching) if request.matching else None
    everything = request.everything or bool(request.tests)
    usual_ids = _ids_of_names(request, matrices, offers)
    known_cases = [
        case
        for suite, matrix in matrices.items()
        for case in expand(
            suite,
            matrix,
            offers[suite],
            # A named test may be one that does not run by default.
            {**matrix.axes, **request.only} if request.tests else request.only,
            everything=everything,
        )
    ]
    cases = [
        case
        for case in known_cases
        if (not request.tests or case.id in request.tests or case.id in usual_ids)
        and (not matches_expression or matches_expression(case.id))
    ]
    selected = {name for case in cases for name in _names_of_test(case)}
    missing_ids = sorted(request.tests - selected)
    if missing_ids and not matches_expression:
        raise RunError(_missing_test_text(missing_ids[0], known_cases))
    if not cases:
        raise RunError("no test is selected; list all tests with --plan and without -k")
    plan = apply_known_issues(cases, request.issues, today)
    return replace(plan, hw_classifications=hw_classifications(offers))


def _names_of_test(case: Case) -> tuple[str, ...]:
    """Return the texts that select a test: its id, also without parameters, and its name alone."""
    return case.id, case.id.partition("?")[0], case.name


def _ids_of_names(
    request: Request, matrices: Mapping[str, Matrix], offers: Mapping[str, list[Offer]]
) -> set[str]:
    """Return the ids of the tests that the request names without parameters.

    These are the tests that run by default, or with the requested values of parameters.
    """
    if not request.tests:
        return set()
    return {
        case.id
        for suite, matrix in matrices.items()
        for case in expand(
            suite, matrix, offers[suite], request.only, everything=request.everything
        )
        if not request.tests.isdisjoint(_names_of_test(case))
    }


def _missing_test_text(test: str, cases: Iterable[Case]) -> str:
    """Return what is wrong with the name of a test that selects nothing, and which exist."""
    name = test.partition("?")[0]
    ids = [case.id for case in cases if name in _names_of_test(case)]
    problem = f'there is no test "{test}"'
    if ids:
        nearest = difflib.get_close_matches(test, ids, n=1, cutoff=0)[0]
        return f'{problem}; did you mean "{nearest}"? Without ?, the name selects all its tests'
    names = {text for case in cases for text in _names_of_test(case)[1:]}
    nearest_names = difflib.get_close_matches(name, names, n=1)
    remedy = f'did you mean "{nearest_names[0]}"? List' if nearest_names else "list"
    return f"{problem}; {remedy} the tests with --plan"


def _require_known_values(
    request: Request, matrices: Mapping[str, Matrix], offers: Mapping[str, list[Offer]]
) -> None:
    for name, values in request.only.items():
        known_values = {
            value for matrix in matrices.values() for value in matrix.axes.get(name, ())
        }
        tests = [test for suite in offers.values() for test in suite]
        known_values |= {test.parameters[name] for test in tests if name in test.parameters}
        for value in values:
            if value not in known_values:
                raise RunError(f"no suite has {name}={value}; {did_you_mean(value, known_values)}")


@dataclass(frozen=True, slots=True)
class Resources:
    """The number of workers of a run, and the number of threads of each worker."""

    workers: int
    threads: int


def resources_for(suites: Collection[str], workers: int | None, threads: int | None) -> Resources:
    """Return the numbers of workers and threads of a run. None stands for a default number.

    Raises RunError if a suite measures speed and other suites or workers would run beside it.
    """
    speed_suites = sorted(SPEED_SUITES.intersection(suites))
    if not speed_suites:
        return Resources(workers or min(2, processor_count()), threads or 1)
    if other_suites := sorted(set(suites) - SPEED_SUITES):
        problem = f"the suite {speed_suites[0]} cannot run together with {', '.join(other_suites)}"
        raise RunError(f"{problem}: they would slow each other down. Run them separately")
    if workers and workers > 1:
        problem = f"the suite {speed_suites[0]} cannot run with {workers} workers"
        raise RunError(f"{problem}: they would slow each other down. Remove --workers")
    return Resources(1, threads or processor_count())


def processor_count() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
