"""Fetches test reports from the feeds that platforms declare, and stores them in `results/`.

If a report cannot be fetched or is not valid, the last valid report stays.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from accelerator_automation.github.api import Api, GitHubError, read_response
from accelerator_automation.github.models import Artifacts, GitHubModel, ListedRuns, Number
from accelerator_automation.github.zip_members import ArtifactError, read_members
from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import OWN_RUNS
from accelerator_portal.catalog.files.accelerator import ReleaseAsset, ReportFeed, WorkflowArtifact
from accelerator_portal.catalog.loader import known_names
from accelerator_portal.checks import errors, run_checks
from accelerator_portal.http import (
    FetchError,
    HttpClient,
    InvalidResponseError,
    RequestLimits,
    open_client,
)
from accelerator_portal.results.history import result_kind
from accelerator_portal.results.result_table import ResultTable
from accelerator_reports.file_reading import MAX_REPORT_BYTES, read_bytes
from accelerator_reports.files.folders import ACCELERATORS, RESULTS, report_fault
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.text_file import write_bytes_atomically
from accelerator_reports.report import Report
from accelerator_reports.report_file import (
    KnownNames,
    exceeded_limits,
    first_test_line,
    read_report,
    report_problems,
    report_text,
    with_full_suite_names,
)

AGENT = "accelerator-portal (fetches test reports)"
REPORT_FILE = "report.json"
DEFAULT_LIMITS = RequestLimits(public_hosts_only=True)

# A pull request of a fork can start none of these, and so cannot leave a report in a vendor's name.
TRUSTED_EVENTS = {"push", "repository_dispatch", "schedule", "workflow_dispatch"}

SECONDS_IN_ALL = 10 * 60
"""The time limit for fetching all feeds together, in seconds."""

_MOST_THREADS = 8
_MOST_CHECKSUM_BYTES = 4096
_SHA256 = re.compile(r"\b[0-9a-f]{64}\b")

FeedOutcome = Literal["new", "unchanged", "refused", "unreachable"]


@dataclass(frozen=True, slots=True)
class FetchResult:
    """The result of fetching one feed, or of reading one report of this project's own runs.

    `accelerator` is the platform's id. `name` is the name of the feed or report. The report's file
    is `<name>.json` in `results/`. If `outcome` is `refused` or `unreachable`, `why` has the
    reasons.
    """

    accelerator: str
    name: str
    outcome: FeedOutcome
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FeedAccess:
    """How to read feeds, and which folders have further reports.

    `limits` are the limits of requests to feeds with a URL. By default, only public hosts are
    allowed. `api` is GitHub's API. Without `api`, feeds on GitHub are not read. `made_here` is the
    folder with the reports of own runs, `folder` the folder with other reports. The path of a
    report in these folders is `<accelerator>/<name>.json`.
    """

    limits: RequestLimits = DEFAULT_LIMITS
    api: Api | None = None
    made_here: Path | None = None
    folder: Path | None = None


class FeedError(Exception):
    """A feed's report could not be fetched, or is not valid."""

    def __init__(self, what: str, *, refused: bool = False) -> None:
        super().__init__(what)
        self.refused = refused
        """Whether the report is there, but is not valid or too large; otherwise, there is none or
        it could not be read."""


FeedBody = bytes | FeedError


class _Asset(GitHubModel):
    id: Number
    name: str
    size: int
    digest: str | None = None


class _Release(GitHubModel):
    assets: tuple[_Asset, ...]


def fetch_reports(
    root: Path, catalog: Catalog, now: dt.datetime, sources: FeedAccess | None = None
) -> list[FetchResult]:
    """Fetch every declared feed, store the valid new reports, and return a result for each feed.

    Also reads the reports in the folders of `sources`, stores them, and returns a result for each.
    Replaces files atomically. Raises OSError.
    """
    sources = sources or FeedAccess()
    platform_feeds = [(p, feed) for p in catalog.platforms for feed in p.accelerator.report_feeds]
    bodies = fetch_bodies([feed for _, feed in platform_feeds], sources.limits, sources.api)
    store = _ReportStore(root, catalog, known_names(catalog), now)
    feed_results = [
        store.add(platform.id, feed.name, body)
        for (platform, feed), body in zip(platform_feeds, bodies, strict=True)
    ]
    own_results = _store_folder(store, sources.made_here, own=True)
    return [*feed_results, *_store_folder(store, sources.folder), *own_results]


@dataclass(frozen=True, slots=True)
class _ReportStore:
    """Checks new reports, and stores the valid ones in the repository `root`.

    `known` has the platforms and suites that reports may name. `results` has the result files of
    each platform that got a new report, by platform id. The result files of the other platforms are
    in `catalog`.
    """

    root: Path
    catalog: Catalog
    known: KnownNames
    now: dt.datetime
    results: dict[str, tuple[Path, ...]] = field(default_factory=dict)

    def add(self, accelerator: str, name: str, body: FeedBody, *, own: bool = False) -> FetchResult:
        """Check and store one report; `own` is true for this project's own runs."""
        if isinstance(body, FeedError):
            outcome: FeedOutcome = "refused" if body.refused else "unreachable"
            return FetchResult(accelerator, name, outcome, (str(body),))
        target = self.root / ACCELERATORS / accelerator / RESULTS / f"{name}.json"
        try:
            with TemporaryDirectory(prefix="portal-feed-") as folder:
                file = Path(folder, target.name)
                file.write_bytes(body)
                report = self._read_checked_report(accelerator, file, own=own)
                text = report_text(report).encode()
                if target.exists() and read_bytes(target) == text:
                    return FetchResult(accelerator, name, "unchanged")
                self._check_history(report, file)
                file.write_bytes(text)
                self._check_folder(accelerator, file)
        except ProblemsError as error:
            return FetchResult(accelerator, name, "refused", tuple(map(str, error.problems)))
        write_bytes_atomically(target, text)
        self.results[accelerator] = _with_file(self._result_files(accelerator), target)
        return FetchResult(accelerator, name, "new")

    def _result_files(self, accelerator: str) -> tuple[Path, ...]:
        return self.results.get(accelerator, self.catalog.by_id[accelerator].results)

    def _read_checked_report(self, accelerator: str, file: Path, *, own: bool) -> Report:
        """Return a report after checking it without the platform's other reports.

        Raises ProblemsError.
        """
        report = read_report(file)
        lines = first_test_line(file)
        problems = list(report_problems(report, file.name, self.known, self.now, lines))
        if report.accelerator != accelerator:
            what = f'the report is about "{report.accelerator}"'
            remedy = f'use only reports about "{accelerator}" in its feeds'
            problems.append(Problem(file.name, 1, what, remedy))
        problems += self._order_problems(report, file.name)
        if report.kind == "made-here" and not own:
            remedy = "use kind: self-reported in fetched reports"
            problems.append(Problem(file.name, 1, "the report has kind: made-here", remedy))
        if problems:
            raise ProblemsError(problems)
        return report

    def _order_problems(self, report: Report, name: str) -> Iterator[Problem]:
        """Yield a problem if the report that is stored under this name is newer."""
        stored = self.root / ACCELERATORS / report.accelerator / RESULTS / name
        try:
            last_start = read_report(stored).started if stored.exists() else None
        except ProblemsError:
            return  # it must be replaced
        if last_start and report.started and report.started < last_start:
            days = f"({report.started:%Y-%m-%d %H:%M}, before {last_start:%Y-%m-%d %H:%M} UTC)"
            what = f"the report is older than the one that was fetched before {days}"
            yield Problem(name, 1, what, "publish the newest report at the feed's location")

    def _check_history(self, report: Report, file: Path) -> None:
        """Raise ProblemsError if the step `history` could not add the report to the history."""
        try:
            table = ResultTable.read(self.root, report.accelerator, result_kind(report))
        except ProblemsError:
            return  # that step reports the damage
        if report.started:
            table.add(with_full_suite_names(report, self.catalog.suite_names), file)

    def _check_folder(self, accelerator: str, file: Path) -> None:
        """Raise ProblemsError if the report `file` cannot be added to the platform's folder.

        The folder must not exceed its limits, and must not get new errors. An existing report with
        the same file name does not count, because `file` replaces it.
        """
        old_files = self._result_files(accelerator)
        new_files = _with_file(old_files, file)
        path = f"{ACCELERATORS}/{accelerator}/{RESULTS}"
        remedy = "remove older reports from the folder"
        problems = [
            Problem(path, 1, what, remedy) for what in exceeded_limits(new_files)
        ] or sorted(self._errors(accelerator, new_files) - self._errors(accelerator, old_files))
        if problems:
            raise ProblemsError(problems)

    def _errors(self, accelerator: str, results: tuple[Path, ...]) -> set[Problem]:
        """Return the errors that a platform has if `results` are its result files.

        Other platforms are left out of this check, so rules that compare platforms find nothing.
        """
        platform = replace(self.catalog.by_id[accelerator], results=results)
        alone = replace(self.catalog, platforms=(platform,))
        return set(errors(run_checks(alone, self.now.date())))


def _with_file(results: Iterable[Path], file: Path) -> tuple[Path, ...]:
    kept = (one for one in results if one.name != file.name)
    return tuple(sorted((*kept, file), key=lambda one: one.name))


def _store_folder(
    store: _ReportStore, folder: Path | None, *, own: bool = False
) -> Iterator[FetchResult]:
    catalog = store.catalog
    for file in sorted(folder.glob("*/*.json")) if folder else ():
        accelerator, name = file.parent.name, file.stem
        if accelerator not in catalog.by_id:
            yield FetchResult(
                accelerator, name, "refused", (f'there is no platform "{accelerator}"',)
            )
        elif own and (catalog.own_runs is None or accelerator not in catalog.own_runs.ids):
            why = f"{OWN_RUNS} does not list this platform"
            yield FetchResult(accelerator, name, "refused", (why,))
        elif fault := report_fault(file.name):
            yield FetchResult(accelerator, name, "refused", (": ".join(fault),))
        else:
            yield store.add(accelerator, name, _file_body(file), own=own)


def _file_body(file: Path) -> FeedBody:
    try:
        return read_bytes(file, MAX_REPORT_BYTES)
    except ProblemsError as error:
        return FeedError(str(error), refused=True)


def fetch_bodies(
    feeds: Iterable[ReportFeed], limits: RequestLimits, api: Api | None
) -> list[FeedBody]:
    """Return the content of each feed, or a FeedError, in the order of `feeds`.

    Without `api`, each feed on GitHub gets a FeedError.
    """
    return asyncio.run(_fetch_bodies(feeds, limits, api))


async def _fetch_bodies(
    feeds: Iterable[ReportFeed], limits: RequestLimits, api: Api | None
) -> list[FeedBody]:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + SECONDS_IN_ALL
    with ThreadPoolExecutor(_MOST_THREADS) as pool:
        async with open_client(AGENT, limits) as client:

            async def fetch_feed(feed: ReportFeed) -> FeedBody:
                try:
                    async with asyncio.timeout_at(deadline):
                        if feed.url:
                            return await _fetch_url(client, feed.url, feed.sha256)
                        # In a copy of the context, the step's traffic also counts this thread.
                        in_context = copy_context().run
                        return await loop.run_in_executor(
                            pool, in_context, _fetch_from_github, feed, api
                        )
                except TimeoutError:
                    limit = f"{SECONDS_IN_ALL // 60} minutes, the limit for all feeds"
                    return FeedError(f"it was not received within {limit}")
                except FeedError as error:
                    return error
                except (FetchError, GitHubError, ArtifactError) as error:
                    refused = isinstance(error, InvalidResponseError | ArtifactError)
                    return FeedError(str(error), refused=refused)
                except Exception as error:  # noqa: BLE001 - one feed must not end the night
                    return FeedError(f"it could not be read ({type(error).__name__}: {error})")

            return list(await asyncio.gather(*map(fetch_feed, feeds)))


async def _fetch_url(client: HttpClient, url: str, checksum_url: str | None) -> bytes:
    response = await client.get(url, {"accept": "application/json"}, max_bytes=MAX_REPORT_BYTES)
    if checksum_url:
        checksum_response = await client.get(checksum_url, max_bytes=_MOST_CHECKSUM_BYTES)
        _verify_checksum(response.body, checksum_response.body.decode("ascii", "replace").lower())
    return response.body


def _verify_checksum(body: bytes, checksum_text: str) -> None:
    match = _SHA256.search(checksum_text)
    if match is None:
        raise FeedError("its checksum is not a SHA-256 checksum", refused=True)
    if hashlib.sha256(body).hexdigest() != match[0]:
        raise FeedError("its checksum doesn't match", refused=True)


def _fetch_from_github(feed: ReportFeed, api: Api | None) -> bytes:
    if api is None:
        raise FeedError("no request was sent to GitHub, because there is no token")
    if feed.release:
        return _download_asset(feed.release, api)
    if feed.artifact:
        return _download_artifact(feed.artifact, api)
    raise LookupError(f"the feed {feed.name} has no location")  # its model refuses that


def _download_asset(location: ReleaseAsset, api: Api) -> bytes:
    releases_path = f"repos/{location.repository}/releases"
    release = read_response(api, f"{releases_path}/latest", _Release)
    listed_asset = next((asset for asset in release.assets if asset.name == location.asset), None)
    if listed_asset is None:
        raise FeedError(f"the newest release of {location.repository} has no {location.asset}")
    if listed_asset.size > MAX_REPORT_BYTES:
        raise FeedError(f"{location.asset} has more than {MAX_REPORT_BYTES:,} bytes", refused=True)
    body = api.download(f"{releases_path}/assets/{listed_asset.id}", MAX_REPORT_BYTES)
    if listed_asset.digest:
        _verify_checksum(body, listed_asset.digest)
    return body


def _download_artifact(location: WorkflowArtifact, api: Api) -> bytes:
    actions_path = f"repos/{location.repository}/actions"
    query = f"branch={location.branch}&status=success&exclude_pull_requests=true&per_page=50"
    runs = read_response(
        api, f"{actions_path}/workflows/{location.workflow}/runs?{query}", ListedRuns
    ).workflow_runs
    for run in runs:
        source = run.head_repository.full_name if run.head_repository else ""
        if run.event not in TRUSTED_EVENTS or source.casefold() != location.repository.casefold():
            continue
        query = f"name={location.artifact}&per_page=20"
        artifacts = read_response(
            api, f"{actions_path}/runs/{run.id}/artifacts?{query}", Artifacts
        ).artifacts
        if unexpired := [artifact for artifact in artifacts if not artifact.expired]:
            archive = api.download(
                f"{actions_path}/artifacts/{unexpired[0].id}/zip", MAX_REPORT_BYTES
            )
            files = read_members(archive, {REPORT_FILE: MAX_REPORT_BYTES}, MAX_REPORT_BYTES)
            if REPORT_FILE not in files:
                raise FeedError(
                    f"the artifact {location.artifact} has no {REPORT_FILE}", refused=True
                )
            return files[REPORT_FILE]
    what = f"no successful run of {location.workflow} on {location.branch} has {location.artifact}"
    raise FeedError(what)
