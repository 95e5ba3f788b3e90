"""From a request to a run: the suites' matrices, the device tried once, and then the run itself."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from accelerator_portal.catalog import Platform
from accelerator_portal.validation.executorch.asking import BackendReply, with_backend
from accelerator_portal.validation.matrix import Matrix, with_recipes
from accelerator_portal.validation.own_settings import applied
from accelerator_portal.validation.plan import Plan
from accelerator_portal.validation.probe import Probed, probe
from accelerator_portal.validation.pytest_suites.given import PytestSource, pytest_matrices
from accelerator_portal.validation.pytorch_tests.checkout import difference
from accelerator_portal.validation.pytorch_tests.given import PytorchSource, with_pytorch
from accelerator_portal.validation.request import (
    Request,
    RunError,
    asked_of,
    matrices_of,
    planned,
    with_checkout,
)
from accelerator_portal.validation.run import (
    DIAGNOSING,
    Finished,
    Watch,
    begin,
    resume,
    suites_of_journal,
)

NO_TORCH = (
    "PyTorch is not installed in this environment; "
    "install it: pip install 'accelerator-portal[validation]', or what your plugin asks for"
)

WatchFactory = Callable[[int | None], AbstractContextManager[Watch]]
"""From how many tests there are to run, where that is known, to what is told of each."""

Told = Callable[[str], None]
"""Told why the device cannot be used, where the run goes on all the same."""


@dataclass(frozen=True, slots=True)
class SuiteSources:
    """What changes the suites: the platform's folder, checkouts, a pytest suite."""

    platform: Platform | None = None
    checkout: Path | None = None
    pytorch: PytorchSource = field(default_factory=PytorchSource)
    pytest: PytestSource = field(default_factory=PytestSource)


def plan_of(request: Request, sources: SuiteSources, today: dt.date) -> Plan:
    """Return what a run of this day would do: known issues expire.

    Raises RunError, ProblemsError, ExpressionError.
    """
    matrices, _ = _matrices(request, request.suites, sources)
    return planned(request, matrices, today)


def start(
    request: Request, sources: SuiteSources, today: dt.date, watching: WatchFactory, told: Told
) -> Finished:
    """Plan, try the device, and run. Raises as `plan_of` does."""
    matrices, asked = _matrices(request, request.suites, sources)
    with ThreadPoolExecutor() as both:  # each is a process that imports torch
        planning = both.submit(planned, request, matrices, today)
        probed = with_backend(_probed(request, told), asked)
        plan = planning.result()
    _warn(matrices, probed, told)
    with watching(len(plan.to_run)) as watch:
        return begin(request, matrices, plan, probed, watch)


def go_on(request: Request, sources: SuiteSources, watching: WatchFactory, told: Told) -> Finished:
    """Go on with the run that the request's report belongs to. Raises RunError."""
    matrices, asked = _matrices(request, suites_of_journal(request), sources)
    probed = with_backend(_probed(request, told), asked)
    _warn(matrices, probed, told)
    with watching(None) as watch:
        return resume(request, matrices, probed, watch)


def _warn(matrices: Mapping[str, Matrix], probed: Probed, told: Told) -> None:
    """Tell of a checkout of PyTorch that is not the installed torch's."""
    for matrix in matrices.values():
        if matrix.files and (words := difference(matrix.given, probed.environment)):
            told(f"Warning: {words}")


def _matrices(
    request: Request, suites: tuple[str, ...], sources: SuiteSources
) -> tuple[Mapping[str, Matrix], BackendReply | None]:
    """Read the matrices of suites, as the ExecuTorch backend and the platform want them."""
    own = pytest_matrices(suites, request, sources.pytest)
    matrices = with_checkout(matrices_of(s for s in suites if s not in own), sources.checkout)
    matrices = {**with_pytorch(matrices, request, sources.pytorch), **own}
    asked = asked_of(request, matrices)
    recipes = asked.recipes if asked else None
    found = {name: with_recipes(matrix, recipes) for name, matrix in matrices.items()}
    return applied(found, sources.platform) if sources.platform else found, asked


def _probed(request: Request, told: Told) -> Probed:
    """Try the device; go on without it only where a suite can say what is wrong with it."""
    found = probe(request.device, request.imports)
    if found.fault == "no torch":
        raise RunError(NO_TORCH)
    if found.fault and (found.unknown or DIAGNOSING.isdisjoint(request.suites)):
        what = "import torch fails" if found.fault == "import" else "the device cannot be used"
        raise RunError(f'"{request.device}": {what}. {found.words}')
    if found.fault:
        told(f'"{request.device}" cannot be used: {found.words}')
    return found
