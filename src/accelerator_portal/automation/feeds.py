"""Fetching the reports that platforms declare, and keeping the last good one where that fails."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from accelerator_portal.automation.feed_check import FolderCheck
from accelerator_portal.automation.feed_sources import Body, FeedError, bodies
from accelerator_portal.automation.github import Api
from accelerator_portal.catalog import Catalog, Problem, ProblemsError
from accelerator_portal.catalog.atomic_write import write_bytes_atomically
from accelerator_portal.catalog.catalog import ACCELERATORS, OWN_RUNS, RESULTS
from accelerator_portal.catalog.folder_name import report_fault
from accelerator_portal.http.limits import RequestLimits
from accelerator_portal.reports.report import Report
from accelerator_portal.reports.report_check import KnownNames, known_names, report_problems
from accelerator_portal.reports.report_file import line_of_tests, read_report, report_text

FeedOutcome = Literal["new", "unchanged", "refused", "unreachable"]


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of one feed; `why` says why it was not taken. The last good report stays then."""

    accelerator: str
    name: str
    outcome: FeedOutcome
    why: tuple[str, ...] = ()


def fetch_reports(
    root: Path,
    catalog: Catalog,
    now: dt.datetime,
    sources: FeedAccess | None = None,
) -> list[Fetched]:
    """Fetch every declared feed, so many at once, and write what is new and without fault.

    A report is written beside the last one and renamed. Raises OSError.
    """
    sources = sources or FeedAccess()
    wanted = [(p, feed) for p in catalog.platforms for feed in p.accelerator.report_feeds]
    found = bodies([feed for _, feed in wanted], sources.limits, sources.api)
    desk = _Desk(root, known_names(catalog), FolderCheck(catalog, now.date()), now)
    fetched = [
        _taken(desk, platform.id, feed.name, body)
        for (platform, feed), body in zip(wanted, found, strict=True)
    ]
    return fetched + list(_made_here(replace(desk, own=True), catalog, sources.made_here))


@dataclass(frozen=True, slots=True)
class FeedAccess:
    """Where reports come from, and how they are asked for.

    `made_here` is a folder with `<accelerator>/<name>.json`, of runs of this project's own; `api`
    is GitHub's.
    """

    limits: RequestLimits | None = None
    api: Api | None = None
    made_here: Path | None = None


@dataclass(frozen=True, slots=True)
class _Desk:
    """What is needed to look at a report and to put it away; `own`: of this project's own runs."""

    root: Path
    known: KnownNames
    folders: FolderCheck
    now: dt.datetime
    own: bool = False


def _made_here(desk: _Desk, catalog: Catalog, folder: Path | None) -> Iterator[Fetched]:
    for file in sorted(folder.glob("*/*.json")) if folder else ():
        accelerator, name = file.parent.name, file.stem
        if accelerator not in catalog.by_id:
            yield Fetched(accelerator, name, "refused", (f'there is no platform "{accelerator}"',))
        elif catalog.own_runs is None or accelerator not in catalog.own_runs.ids:
            why = f"{OWN_RUNS} does not list this platform"
            yield Fetched(accelerator, name, "refused", (why,))
        elif wrong := report_fault(file.name):
            yield Fetched(accelerator, name, "refused", (": ".join(wrong),))
        else:
            yield _taken(desk, accelerator, name, file.read_bytes())


def _taken(desk: _Desk, accelerator: str, name: str, body: Body) -> Fetched:
    if isinstance(body, FeedError):
        outcome: FeedOutcome = "refused" if body.refused else "unreachable"
        return Fetched(accelerator, name, outcome, (str(body),))
    target = desk.root / ACCELERATORS / accelerator / RESULTS / f"{name}.json"
    try:
        text = report_text(_whole(desk, accelerator, name, body)).encode()
        if target.exists() and target.read_bytes() == text:
            return Fetched(accelerator, name, "unchanged")
        _fit(desk, accelerator, name, text)
    except ProblemsError as error:
        return Fetched(accelerator, name, "refused", tuple(map(str, error.problems)))
    write_bytes_atomically(target, text)
    desk.folders.take(accelerator, target)
    return Fetched(accelerator, name, "new")


def _whole(desk: _Desk, accelerator: str, name: str, body: bytes) -> Report:
    """Read a report that has no fault by itself. Raises ProblemsError."""
    with TemporaryDirectory(prefix="portal-feed-") as folder:
        place = Path(folder, f"{name}.json")
        place.write_bytes(body)
        report = read_report(place)
        problems = list(
            report_problems(report, place.name, desk.known, desk.now, line_of_tests(place))
        )
    problems += _claims(accelerator, name, report, own=desk.own)
    if problems:
        raise ProblemsError(problems)
    return report


def _fit(desk: _Desk, accelerator: str, name: str, text: bytes) -> None:
    """Look at a report within its folder. Raises ProblemsError."""
    with TemporaryDirectory(prefix="portal-feed-") as folder:
        place = Path(folder, f"{name}.json")
        place.write_bytes(text)
        if problems := desk.folders.problems(accelerator, place):
            raise ProblemsError(problems)


def _claims(accelerator: str, name: str, report: Report, *, own: bool) -> Iterator[Problem]:
    """A vendor speaks for no other one, and not for this project."""
    if report.accelerator != accelerator:
        what = f'the report is about "{report.accelerator}"'
        yield Problem(f"{name}.json", 1, what, f'a feed of "{accelerator}" has its reports')
    if report.kind == "made-here" and not own:
        what = "the report has kind: made-here"
        yield Problem(f"{name}.json", 1, what, "use kind: self-reported in fetched reports")
