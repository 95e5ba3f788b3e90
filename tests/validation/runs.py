"""Runs of the fake suite."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from pathlib import Path

from accelerator_reports.known_issues import KnownFailure
from accelerator_validation.case import Case
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Plan, apply_known_issues
from accelerator_validation.probe import ProbeResult
from accelerator_validation.request import Request
from accelerator_validation.run import FinishedRun, begin_run, continue_run

TODAY = dt.date(2026, 3, 1)
TORCH = ProbeResult({"torch": "2.13.0"})


def matrix(names: Iterable[str], timeout_s: float = 30) -> Matrix:
    return Matrix(
        kind="unit",
        module="tests.validation.fake_suite",
        description="Tests that do what their names say.",
        tests=tuple(names),
        timeout_s=timeout_s,
    )


def request(folder: Path, device: str = "none", workers: int = 1) -> Request:
    return Request(device, folder / "report.json", "example", workers=workers)


def plan(names: Iterable[str], issues: Iterable[KnownFailure] = ()) -> Plan:
    return apply_known_issues([Case("made-up", name) for name in names], issues, TODAY)


def run(
    asked: Request, names: list[str], timeout_s: float = 30, probed: ProbeResult = TORCH
) -> FinishedRun:
    matrices = {"made-up": matrix(names, timeout_s)}
    return begin_run(asked, matrices, plan(names), probed, lambda *_: None)


def go_on(
    asked: Request, names: list[str], probed: ProbeResult = TORCH, timeout_s: float = 30
) -> FinishedRun:
    return continue_run(asked, {"made-up": matrix(names, timeout_s)}, probed, lambda *_: None)
