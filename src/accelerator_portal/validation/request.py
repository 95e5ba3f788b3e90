"""What a person asks of a run, and the plan that follows from it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from accelerator_portal.catalog.known_issues_file import KnownFailure
from accelerator_portal.catalog.problem import did_you_mean
from accelerator_portal.catalog.validation_file import Validation
from accelerator_portal.reports.outcomes import Kind, TriggerKind
from accelerator_portal.validation.case import Case
from accelerator_portal.validation.checkout_commit import commit_of
from accelerator_portal.validation.executorch.query import BackendReply, query_backend
from accelerator_portal.validation.executorch.registry import USUAL as USUAL_BACKEND
from accelerator_portal.validation.executorch.registry import BackendError
from accelerator_portal.validation.matrix import Matrix, read_matrix, suite_names
from accelerator_portal.validation.plan import Offer, Plan, expand, with_issues
from accelerator_portal.validation.selecting import expression
from accelerator_portal.validation.sharding import ShardRequest

# Words for several suites at once.
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "models": ("small-timm", "small-transformers", "weak-spots"),
    "full-models": ("full-timm", "full-transformers"),
    "executorch": ("executorch-aten", "executorch-models", "executorch-operators"),
}

# The same libraries with models of the size that they are used in.
FULL_SIZE: Mapping[str, str] = {
    "small-timm": "full-timm",
    "small-transformers": "full-transformers",
}

# What runs where nobody says which: what every machine with torch can try.
USUAL = ("integration", "operators", "operator-inputs", "models")


DEPLOY = "deploy"
TORCHBENCH = "torchbench"


class RunError(Exception):
    """The run cannot begin, or not go on; the message says why and what would be right."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for. `only` narrows axes, `tests` names cases by id; empty: everything.

    `everything` also means tests that are not usual; `backend` is one of ExecuTorch.
    """

    device: str
    out: Path
    accelerator: str
    suites: tuple[str, ...] = USUAL
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    matching: str | None = None
    tests: frozenset[str] = frozenset()
    imports: str | None = None
    kind: Kind = "self-reported"
    trigger: TriggerKind = "manual"
    timeout_s: float | None = None
    workers: int = 1
    threads: int = 1
    issues: tuple[KnownFailure, ...] = ()
    settings: Validation = field(default_factory=Validation)
    """The platform's own, of its `validation.yaml`."""
    scripts: bool = False
    """Whether a vendor's scripts may be run."""
    everything: bool = False
    backend: str = USUAL_BACKEND
    locks: tuple[Path, ...] = ()
    """The lock files that this environment was installed from."""
    shard: ShardRequest | None = None
    """Which part of the plan is run, where several machines run it together."""
    scheduler: str | None = None
    """The address of a Dask cluster that runs the tests, instead of this machine."""

    @property
    def journal(self) -> Path:
        """Where the journal of this run lies: beside its report."""
        return self.out.with_name(f"{self.out.stem}.journal.jsonl")


def matrices_of(suites: Iterable[str]) -> dict[str, Matrix]:
    """Read the matrices of suites and families; raises RunError for a name that is neither."""
    names: dict[str, None] = {}
    known = suite_names()
    for suite in suites:
        for name in FAMILIES.get(suite, (suite,)):
            if name not in known:
                if suite in FAMILIES:
                    continue  # not every family is whole yet
                remedy = did_you_mean(name, [*known, *FAMILIES])
                own = ", or name the folder of your own pytest suite with --pytest"
                raise RunError(f'there is no suite "{name}"; {remedy}{own}')
            names[name] = None
    return {name: read_matrix(name) for name in names}


def at_full_size(suites: Iterable[str]) -> tuple[str, ...]:
    """Return suites with those of small models replaced by those of full size."""
    names = [name for suite in suites for name in FAMILIES.get(suite, (suite,))]
    return tuple(FULL_SIZE.get(name, name) for name in names)


def with_checkout(matrices: Mapping[str, Matrix], checkout: Path | None) -> dict[str, Matrix]:
    """Return the matrices with the folder that TorchBench is read from; raises RunError."""
    if TORCHBENCH not in matrices:
        return dict(matrices)
    if checkout is None:
        what = "TorchBench is not on PyPI; clone github.com/pytorch/benchmark"
        raise RunError(f"{what}, and name the folder with --torchbench")
    if not (checkout / "torchbenchmark" / "models").is_dir():
        raise RunError(
            f"{checkout} is not a checkout of TorchBench; it has no torchbenchmark/models"
        )
    given = {"checkout": str(checkout.resolve()), "commit": commit_of(checkout)}
    return {**matrices, TORCHBENCH: matrices[TORCHBENCH].model_copy(update={"given": given})}


def refuse_scripts(request: Request, matrices: Mapping[str, Matrix]) -> None:
    """Run nothing that a vendor wrote unless that was asked for; raises RunError."""
    named = sorted(name for matrix in matrices.values() for name in matrix.deployments)
    if named and not request.scripts:
        what = f"the suite deploy runs scripts of the platform's folder ({', '.join(named)})"
        raise RunError(f"{what}; read them, then add --run-scripts")


def asked_of(request: Request, matrices: Mapping[str, Matrix]) -> BackendReply | None:
    """Ask the ExecuTorch backend of a request, if a suite needs one; raises RunError."""
    if set(FAMILIES["executorch"]).isdisjoint(matrices):
        return None
    try:
        return query_backend(request.backend)
    except BackendError as error:
        raise RunError(str(error)) from None


def planned(
    request: Request,
    matrices: Mapping[str, Matrix],
    offers: Mapping[str, list[Offer]],
    today: dt.date,
) -> Plan:
    """Make the plan of a request; raises RunError, also where nothing is left to run."""
    _known_axes(request, matrices, offers)
    if DEPLOY in matrices and not matrices[DEPLOY].deployments:
        what = f'there is no recipe for "{request.accelerator}"'
        remedy = "add deploy: to its validation.yaml, and set --known-issues to the portal's folder"
        raise RunError(f"{what}; {remedy}")
    matching = expression(request.matching) if request.matching else None
    cases = [
        case
        for case in _all(request, matrices, offers)
        if (not request.tests or case.id in request.tests) and (not matching or matching(case.id))
    ]
    missing = sorted(request.tests - {case.id for case in cases})
    if missing and not matching:
        raise RunError(f'there is no test "{missing[0]}"; list the tests with --plan')
    if not cases:
        raise RunError("no test is selected; list all tests with --plan and without -k")
    return with_issues(cases, request.issues, today)


def _all(
    request: Request, matrices: Mapping[str, Matrix], offers: Mapping[str, list[Offer]]
) -> Iterator[Case]:
    for suite, matrix in matrices.items():
        # Who names a test may mean one that is not run by default.
        only = {**matrix.axes, **request.only} if request.tests else request.only
        everything = request.everything or bool(request.tests)
        yield from expand(suite, matrix, offers[suite], only, everything=everything)


def _known_axes(
    request: Request, matrices: Mapping[str, Matrix], offers: Mapping[str, list[Offer]]
) -> None:
    for name, values in request.only.items():
        known = {value for matrix in matrices.values() for value in matrix.axes.get(name, ())}
        own = (offer.parameters.get(name) for found in offers.values() for offer in found)
        known |= {value for value in own if value is not None}
        for value in values:
            if value not in known:
                raise RunError(f"no suite has {name}={value}; {did_you_mean(value, known)}")
