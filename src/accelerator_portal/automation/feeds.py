"""Fetching the reports that platforms declare, and keeping the last good one where that fails."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import httpx

from accelerator_portal.catalog import Catalog, Platform, Problem, ProblemsError
from accelerator_portal.catalog.accelerator import ReportFeed
from accelerator_portal.catalog.catalog import RESULTS
from accelerator_portal.packages.fetching import Fetcher, FetchError, Manners
from accelerator_portal.reports.reading import MAX_BYTES
from accelerator_portal.reports.report import Report
from accelerator_portal.reports.report_check import Known, report_problems
from accelerator_portal.reports.report_file import line_of_tests, read_report, report_text
from accelerator_portal.results.beside import write_beside

AGENT = "accelerator-portal (fetches test reports)"

Outcome = Literal["new", "unchanged", "refused", "unreachable"]


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of one feed; `why` says why it was not taken. The last good report stays then."""

    accelerator: str
    name: str
    outcome: Outcome
    why: tuple[str, ...] = ()


def fetch_reports(
    root: Path, catalog: Catalog, now: dt.datetime, manners: Manners | None = None
) -> list[Fetched]:
    """Fetch every declared feed, so many at once, and write what is new and without fault.

    A report is written beside the last one and renamed. Raises OSError.
    """
    wanted = [(p, feed) for p in catalog.platforms for feed in p.accelerator.report_feeds]
    bodies = asyncio.run(_bodies([feed for _, feed in wanted], manners))
    desk = _Desk(root, Known(frozenset(catalog.by_id), catalog.suites), now)
    return [
        _taken(desk, platform, feed, body)
        for (platform, feed), body in zip(wanted, bodies, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Desk:
    """What is needed to look at a report and to put it away."""

    root: Path
    known: Known
    now: dt.datetime


async def _bodies(feeds: Iterable[ReportFeed], manners: Manners | None) -> list[bytes | str]:
    """The body of each feed, or why there is none."""
    async with httpx.AsyncClient(timeout=20.0, headers={"user-agent": AGENT}) as client:
        fetcher = Fetcher(client, manners)

        async def one(feed: ReportFeed) -> bytes | str:
            try:
                answer = await fetcher.get(feed.url, {"accept": "application/json"}, MAX_BYTES)
            except FetchError as error:
                return str(error)
            return answer.body

        return list(await asyncio.gather(*map(one, feeds)))


def _taken(desk: _Desk, platform: Platform, feed: ReportFeed, body: bytes | str) -> Fetched:
    if isinstance(body, str):
        return Fetched(platform.id, feed.name, "unreachable", (body,))
    with TemporaryDirectory(prefix="portal-feed-") as folder:
        place = Path(folder, f"{feed.name}.json")
        place.write_bytes(body)
        try:
            report = read_report(place)
        except ProblemsError as error:
            return Fetched(platform.id, feed.name, "refused", tuple(map(str, error.problems)))
        problems = list(
            report_problems(report, place.name, desk.known, desk.now, line_of_tests(place))
        )
    problems += _claims(platform, feed, report)
    if problems:
        return Fetched(platform.id, feed.name, "refused", tuple(map(str, problems)))
    target = desk.root / platform.path(f"{RESULTS}/{feed.name}.json")
    text = report_text(report).encode()
    if target.exists() and target.read_bytes() == text:
        return Fetched(platform.id, feed.name, "unchanged")
    write_beside(target, text)
    return Fetched(platform.id, feed.name, "new")


def _claims(platform: Platform, feed: ReportFeed, report: Report) -> Iterator[Problem]:
    """A vendor speaks for no other one, and not for this project."""
    if report.accelerator != platform.id:
        what = f'the report is about "{report.accelerator}"'
        yield Problem(f"{feed.name}.json", 1, what, f'a feed of "{platform.id}" has its reports')
    if report.kind == "made-here":
        what = "the report says that it was made here"
        yield Problem(f"{feed.name}.json", 1, what, "what is fetched is self-reported")
