"""Lists the operating systems and devices of a platform's runs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from accelerator_portal.reports.report import Report
from accelerator_portal.reports.store import StoredReport

_UNDATED = dt.datetime.min.replace(tzinfo=dt.timezone.utc)


@dataclass(frozen=True, slots=True)
class TestedOn:
    """A system or a device model, with the newest run that states it."""

    __test__ = False

    name: str
    stored: StoredReport

    @property
    def day(self) -> dt.date | None:
        """The day of the run, where it states one."""
        started = self.stored.report.started
        return started.date() if started else None


def systems_of_runs(reports: Iterable[StoredReport]) -> tuple[TestedOn, ...]:
    """Return the operating systems of runs, with their architecture; the newest run first."""
    return _tested_on((_system(stored.report), stored) for stored in reports)


def devices_of_runs(reports: Iterable[StoredReport]) -> tuple[TestedOn, ...]:
    """Return the device models of runs; the newest run first."""
    return _tested_on((stored.report.environment.hardware, stored) for stored in reports)


def _tested_on(stated: Iterable[tuple[str | None, StoredReport]]) -> tuple[TestedOn, ...]:
    """A baseline is no run: nothing was tested."""
    runs = [(name, s) for name, s in stated if name and s.report.kind != "baseline"]
    found: dict[str, TestedOn] = {}
    for name, stored in sorted(runs, key=lambda run: (_age(run[1]), run[1].id), reverse=True):
        found.setdefault(name, TestedOn(name, stored))
    return tuple(found.values())


def _system(report: Report) -> str | None:
    system, arch = report.environment.os, report.environment.arch
    return f"{system} ({arch})" if system and arch else system


def _age(stored: StoredReport) -> dt.datetime:
    return stored.report.started or _UNDATED
