"""Runs the steps of a nightly run, such as fetching reports and building the site; sums them up."""

from __future__ import annotations

import datetime as dt
import hashlib
import time
import traceback
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from accelerator_automation.archive_store import (
    Archive,
    DamagedObjectError,
    archive_good_folders,
    damaged_folders,
    gzip_compress,
    gzip_decompress,
    is_published,
    last_good_dates,
    store_published_digest,
)
from accelerator_automation.building import (
    BrokenLinksError,
    Engine,
    Quarantine,
    build_with_quarantine,
    inputs_digest,
    mkdocs,
)
from accelerator_automation.cited_files import report_cited_files
from accelerator_automation.feeds import DEFAULT_LIMITS, FeedAccess, FetchResult, fetch_reports
from accelerator_automation.github.api import Api
from accelerator_automation.issues import Issues, update_breakage_issues
from accelerator_automation.pull_requests import (
    propose_baselines,
    propose_pytorch_releases,
    propose_releases,
    propose_stated_models,
)
from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.markdown_file import code_span
from accelerator_portal.checks import errors
from accelerator_portal.checks.quarantine import load_with_quarantine
from accelerator_portal.checks.stored_data import is_package_data, stored_data_problems
from accelerator_portal.http import Traffic, count_traffic
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.packages.sync import (
    SyncOptions,
    SyncResult,
    sync,
    sync_summary,
)
from accelerator_portal.packages.trial_installs import Machine, TrialJob, import_trials
from accelerator_portal.packages.verification import (
    ResolverFactory,
    Verification,
    resolver_of_reachable_hosts,
    total_counts,
    verify_commands,
)
from accelerator_portal.releases.published_builds import QueryOptions, query_release
from accelerator_portal.results.evidence_level import Breakage, open_breakages
from accelerator_portal.results.report_intake import (
    add_reports,
    folder_reports,
    without_future_reports,
)
from accelerator_portal.results.result_files import merge_months, month_of
from accelerator_portal.results.result_table import read_history
from accelerator_portal.results.stored_reports import StoredReport, stored_reports
from accelerator_reports.files.clock import utc_now
from accelerator_reports.files.problem import Problem, ProblemsError, UserError, system_error_text
from accelerator_reports.files.wording import count
from accelerator_reports.report import Report

# Runs the steps of a job in order; a failed step does not stop the others.

NightStep = tuple[str, Callable[[], str]]
"""A step: its name, and a function that carries it out and returns the result in one line."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """The name and the result of a step.

    `words` is the result in one line. If the step `failed`, `words` gives the reason. `seconds` is
    the duration of the step.
    """

    name: str
    words: str
    failed: bool = False
    seconds: float = field(default=0, compare=False)
    traffic: Traffic = field(default_factory=Traffic, compare=False)
    """The step's network traffic, without the traffic of programs that the step started."""


class StepFailed(Exception):  # noqa: N818 - the name says what the step did
    """A step could not be done; the message gives the reason."""


_EXPECTED_ERRORS = (ProblemsError, StepFailed, UserError)


def run_steps(
    steps: Sequence[NightStep], on_result: Callable[[StepResult], None]
) -> tuple[StepResult, ...]:
    """Run the steps in order and return their results; a failed step does not stop the others.

    `on_result` is called with the result of each step. If a step raises an unexpected exception,
    the step has failed, and the reason is the end of the traceback. Only an interruption, such as
    Ctrl+C, skips the remaining steps.
    """
    results = []
    for step in steps:
        start = time.monotonic()
        with count_traffic() as traffic:
            result = _run_step(step)
        result = replace(result, seconds=time.monotonic() - start, traffic=traffic)
        on_result(result)
        results.append(result)
    return tuple(results)


def _run_step(step: NightStep) -> StepResult:
    name, work = step
    try:
        return StepResult(name, work())
    except OSError as error:
        return StepResult(name, system_error_text(error), failed=True)
    except _EXPECTED_ERRORS as error:
        return StepResult(name, str(error), failed=True)
    except Exception as error:  # noqa: BLE001 - whatever it is, the other steps can be done
        lines = "".join(traceback.format_exception(error)).strip().splitlines()
        return StepResult(name, " / ".join(lines[-3:]), failed=True)


UV_CACHE = Path(".cache/uv")

MOST_RUNS = 60
"""The maximum number of archived runs of one report name. The history keeps the results of older
runs."""

MOST_PACKAGE_VERSIONS = 120
"""The maximum number of archived versions of one package's data: one for each day with a change."""

_PACKAGES_FOLDER = "data/packages"
_MOST_BYTES = 64 * 1024 * 1024

TRIAL_SYSTEM = Machine("linux", "x86_64", "3.12")
"""The system of the job in `trials.yml`."""

SyncFunction = Callable[[Path, Catalog, SyncOptions], SyncResult]
"""Updates data/packages, and returns what changed. Raises OSError."""


@dataclass
class NightRun:
    """The inputs and the results of a nightly run.

    If `archive` or `api` is None, the steps that need it are skipped. `engine` builds the site,
    `package_sync` updates the package data, and `resolver` resolves the install commands.
    """

    root: Path
    """The repository."""
    out: Path
    """The folder of the site."""
    catalog: Catalog
    """The catalog before the first step."""
    archive: Archive | None = None
    api: Api | None = None
    repository: str | None = None
    """The repository in which issues are opened, as OWNER/NAME."""
    made_here: Path | None = None
    """The folder with reports of this project's own runs."""
    reports: Path | None = None
    """The folder with other reports."""
    private_hosts: frozenset[str] = frozenset()
    """The hosts in private networks from which feeds may be fetched."""
    preview: bool = False
    """Whether another job publishes the site. This run then builds the site only as a check,
    and does not store the digest of the site's inputs."""
    engine: Engine = field(default_factory=lambda: partial(mkdocs, quiet=True))
    on_search: Callable[[str], None] = lambda _: None
    """Called with a line before each build that searches for the folder that stops the build."""
    package_sync: SyncFunction = sync
    resolver: ResolverFactory = resolver_of_reachable_hosts
    now: dt.datetime = field(default_factory=utc_now)
    fetched: list[FetchResult] = field(default_factory=list)
    """The result for each feed, and for each report of this project's own runs."""
    valid_catalog: Catalog | None = None
    """The catalog after the step `folders`: with all new data and without broken folders. None
    before that step, or if the shared data has errors."""
    standing_in: dict[str, dt.date] = field(default_factory=dict)
    """By platform id, the day since which the site shows the last valid version of a quarantined
    platform."""
    issues: Issues | None = None
    """How many issues of regressions were opened, updated and closed. None before the step
    `issues`."""
    published: bool = False
    """Whether the site was built, because something had changed."""
    pull_requests: str | None = None
    """The repository in which pull requests are opened, as OWNER/NAME."""
    trials: Path | None = None
    """The folder with the results of the job that runs the install commands."""
    trial_system: Machine = TRIAL_SYSTEM
    """The system of the job that runs the install commands."""
    release_indexes: QueryOptions = field(default_factory=QueryOptions)
    """Options for requests to package indexes about a PyTorch release."""
    steps: tuple[StepResult, ...] = ()
    """The results of the steps, once all have run."""
    difference: str = ""
    """The changes on the site, as Markdown, once all steps have run."""

    @property
    def failed(self) -> bool:
        """Whether a step failed."""
        return any(step.failed for step in self.steps)

    @property
    def is_to_publish(self) -> bool:
        """Whether to publish the site.

        False if the step `site` failed. Otherwise, true if the site was built or another step
        failed: the operations page of the site shows the failure.
        """
        site_failed = any(step.failed for step in self.steps if step.name == "site")
        return not site_failed and (self.published or self.failed)

    def set_aside(self) -> dict[str, tuple[Problem, ...]]:
        """Return the problems of each quarantined folder, by platform id."""
        return dict(self.valid_catalog.set_aside) if self.valid_catalog else {}

    def breakages(self) -> tuple[list[tuple[Platform, Breakage]], list[str]]:
        """Return the open regressions, each with its platform, and the ids of unknown platforms.

        The regressions of a platform are unknown if its history cannot be read; the step `history`
        has reported that.
        """
        found: list[tuple[Platform, Breakage]] = []
        unknown: list[str] = []
        for platform in self.valid_catalog.platforms if self.valid_catalog else ():
            try:
                found += [(platform, breakage) for breakage in self._breakages_of(platform)]
            except ProblemsError:
                unknown.append(platform.id)
        return found, unknown

    def overdue(self) -> tuple[tuple[str, Breakage], ...]:
        """Return the regressions that are open for too long, each with the id of its platform.

        The limit is `breakage_hours` among the deadlines of the catalog's criteria.
        """
        return tuple((p.id, breakage) for p, breakage in self.breakages()[0] if breakage.overdue)

    def _breakages_of(self, platform: Platform) -> tuple[Breakage, ...]:
        if self.valid_catalog is None or self.valid_catalog.criteria is None:
            return ()
        deadline = dt.timedelta(hours=self.valid_catalog.criteria.deadlines.breakage_hours)
        return open_breakages(read_history(self.root, platform.id, "runs"), self.now, deadline)


def steps(tonight: NightRun, skip: Collection[str] = ()) -> list[NightStep]:
    """Return the steps in their order, each as a name and a function.

    `skip` has the names of steps to omit: keys of `NETWORK_STEPS` (`packages`, `commands`).
    """
    api, now, catalog = tonight.api, tonight.now, partial(_require_catalog, tonight)
    step_list: list[NightStep] = [("reports", partial(_collect_reports, tonight))]
    step_list += [
        (name, partial(work, tonight)) for name, work in NETWORK_STEPS.items() if name not in skip
    ]
    if tonight.trials:
        step_list.append(("installations", partial(_record_trials, tonight, tonight.trials)))
    step_list.append(("history", partial(_update_histories, tonight)))
    step_list.append(("folders", partial(_check_folders, tonight)))
    step_list.append(("site", partial(_build_site, tonight)))
    if (
        tonight.archive
    ):  # after the build, which shows whether the folders are as valid as they seem
        step_list.append(("archive", partial(_archive_results, tonight, tonight.archive)))
    if api and tonight.repository:
        home = tonight.repository
        step_list += [
            ("issues", partial(_update_regression_issues, tonight, api, home)),
            ("cited files", lambda: report_cited_files(api, home, catalog(), now.date()).words),
        ]
    if api and tonight.pull_requests:
        base = tonight.pull_requests
        step_list += [
            ("plugin releases", lambda: propose_releases(api, base, catalog()).words),
            ("PyTorch releases", partial(_propose_pytorch, tonight, api, base)),
            (
                "stated models",
                lambda: propose_stated_models(api, base, catalog(), now.date()).words,
            ),
            ("baselines", lambda: propose_baselines(api, base, catalog(), now).words),
        ]
    return step_list


def _collect_reports(tonight: NightRun) -> str:
    limits = replace(DEFAULT_LIMITS, private_hosts=tonight.private_hosts)
    sources = FeedAccess(limits, tonight.api, tonight.made_here, tonight.reports)
    tonight.fetched += fetch_reports(tonight.root, tonight.catalog, tonight.now, sources)
    new_count = sum(feed.outcome == "new" for feed in tonight.fetched)
    return f"{count(len(tonight.fetched), 'feed')}, {new_count} new"


def _sync_packages(tonight: NightRun) -> str:
    options = SyncOptions(day=tonight.now.date())
    return sync_summary(tonight.package_sync(tonight.root, tonight.catalog, options))


def _verify_commands(tonight: NightRun) -> str:
    how = Verification(day=tonight.now.date(), cache=UV_CACHE.absolute(), resolver=tonight.resolver)
    found = verify_commands(tonight.root, tonight.catalog, how)
    return str(total_counts(found) or found[-1]) if found else "done"


def _record_trials(tonight: NightRun, folder: Path) -> str:
    catalog = tonight.catalog
    modules = {p.id: ("torch", p.accelerator.package.module) for p in catalog.platforms}
    job = TrialJob(folder, tonight.trial_system, modules)
    taken = import_trials(tonight.root, rows_by_platform(catalog), job, tonight.now.date())
    return f"{count(taken, 'command')} installed and imported"


def _update_histories(tonight: NightRun) -> str:
    """Add the valid reports to the histories, and merge the history files of past months.

    Returns the result in one line. If a report, a history or another file of stored data has an
    error, raises ProblemsError after adding the valid reports.
    """
    reports, future_problems = without_future_reports(folder_reports(tonight.root)[0], tonight.now)
    intake = add_reports(tonight.root, reports)
    merge_problems = merge_months(tonight.root, month_of(tonight.now))
    damage = stored_data_problems(tonight.catalog, tonight.root)
    problems = {*future_problems, *intake.problems, *merge_problems, *damage}
    if problems:
        raise ProblemsError(problems)
    return str(intake.total or intake.histories[-1]) if intake.histories else "done"


def _check_folders(tonight: NightRun) -> str:
    catalog, problems = load_with_quarantine(tonight.root, tonight.now.date())
    if shared_errors := errors(problems):
        more = f" / and {len(shared_errors) - 3} more" if shared_errors[3:] else ""
        raise StepFailed(" / ".join(map(str, shared_errors[:3])) + more)
    if catalog is None:
        raise StepFailed("the shared data cannot be used")
    tonight.valid_catalog = catalog
    if damaged := [problem for problem in problems if is_package_data(problem)]:
        raise ProblemsError(damaged)
    quarantined = tonight.valid_catalog.set_aside
    return f"{len(tonight.valid_catalog.platforms)} valid, {len(quarantined)} quarantined"


def _archive_results(tonight: NightRun, archive: Archive) -> str:
    catalog, today = tonight.valid_catalog, tonight.now.date()
    changed_packages = archive_package_data(archive, tonight.root, today)
    if catalog is None:
        return f"{count(changed_packages, 'package')} with changes"
    new_runs = archive_runs(archive, stored_reports(catalog)[0], tonight.root)
    new_versions = archive_good_folders(
        archive, tonight.root, catalog.by_id, catalog.set_aside, today
    )
    if damaged := damaged_folders(archive, catalog.set_aside):
        reason = "the last valid version is damaged, so the platform is not shown. Fix its folder"
        raise StepFailed(f"{', '.join(damaged)}: {reason}")
    result_parts = (
        count(new_runs, "new run"),
        f"{count(changed_packages, 'package')} with changes",
        f"{count(len(new_versions), 'new version')} of folders",
        f"{len(tonight.standing_in)} shown in their last valid version",
    )
    return ", ".join(result_parts)


def _build_site(tonight: NightRun) -> str:
    """Build the site, unless its inputs are unchanged; return the result in one line.

    A platform whose folder stops the build or causes broken links is quarantined, too.
    """
    root, catalog, archive = tonight.root, tonight.valid_catalog, tonight.archive
    if catalog is None:
        raise StepFailed("the shared data has errors, so the existing site stays")
    day = tonight.now.date()
    tonight.standing_in = last_good_dates(archive, catalog.set_aside, day) if archive else {}
    digest = inputs_digest(root, catalog, tonight.standing_in)
    if archive and is_published(archive, digest):
        return "no changes, so the existing site stays"
    try:
        built = build_with_quarantine(
            root,
            tonight.out,
            catalog,
            Quarantine(archive, tonight.standing_in),
            day,
            engine=tonight.engine,
            on_search=tonight.on_search,
        )
    except BrokenLinksError as error:
        raise StepFailed(" / ".join([*error.links[:2], str(error)])) from None
    tonight.published = True
    if built.excluded:
        tonight.valid_catalog, _ = load_with_quarantine(root, day, excluded=built.excluded)
        tonight.standing_in = dict(built.standing_in)
        digest = inputs_digest(root, _require_catalog(tonight), built.standing_in)
        tonight.published = not (archive and is_published(archive, digest))
    if archive and not tonight.preview:
        store_published_digest(archive, digest)
    without = (f"{name} is quarantined, because {why}" for name, why in built.excluded.items())
    return "; ".join((f"Built the site in {tonight.out}", *without)) + "."


def _update_regression_issues(tonight: NightRun, api: Api, repository: str) -> str:
    breakages, unknown = tonight.breakages()
    unseen = {*tonight.set_aside(), *unknown}
    issues = update_breakage_issues(api, repository, breakages, unseen)
    tonight.issues = issues
    waiting_text = (
        f", {count(issues.waiting, 'regression')} without an issue" if issues.waiting else ""
    )
    return f"{issues.words}{waiting_text}"


def _propose_pytorch(tonight: NightRun, api: Api, repository: str) -> str:
    catalog = _require_catalog(tonight)
    ask_indexes = partial(query_release, tonight.root, catalog, options=tonight.release_indexes)
    day = tonight.now.date()
    return propose_pytorch_releases(api, repository, catalog, ask_indexes, day).words


def _require_catalog(tonight: NightRun) -> Catalog:
    if tonight.valid_catalog is None:
        raise StepFailed("the shared data cannot be used; no issue or pull request is opened")
    return tonight.valid_catalog


NETWORK_STEPS: Mapping[str, Callable[[NightRun], str]] = {
    "packages": _sync_packages,
    "commands": _verify_commands,
}
"""The steps that use the network and can be skipped, by name."""


def archive_runs(
    archive: Archive, reports: Iterable[StoredReport], root: Path, most: int = MOST_RUNS
) -> int:
    """Archive the reports of test runs, without baselines; return how many are new or changed.

    The path of an object is `runs/<platform>/<report name>/<start>.json.gz`. If a report states no
    start, the path has a digest of the report instead. Keeps the newest `most` objects of each
    report name. Raises ArchiveError, OSError.
    """
    new_count = 0
    for stored in reports:
        if stored.report.kind == "baseline":
            continue  # the history keeps expected results
        folder = f"runs/{stored.report.accelerator}/{Path(stored.path).stem}"
        content = (root / stored.path).read_bytes()
        path, data = (
            f"{folder}/{_run_object_stem(stored.report, content)}.json.gz",
            gzip_compress(content),
        )
        if archive.read(path) != data:
            archive.write(path, data)
            archive.drop_oldest(folder, most)
            new_count += 1
    return new_count


def _run_object_stem(report: Report, content: bytes) -> str:
    if report.started is None:
        return f"0-{hashlib.sha256(content).hexdigest()[:12]}"
    return f"{report.started.astimezone(dt.timezone.utc):%Y%m%dT%H%M%SZ}"


def archive_package_data(archive: Archive, root: Path, today: dt.date) -> int:
    """Archive each file of `data/packages` that has changed; return the number of changed files.

    Raises ArchiveError, OSError.
    """
    changed_count = 0
    for file in sorted((root / _PACKAGES_FOLDER).glob("*.json")):
        folder, content = f"packages/{file.stem}", file.read_bytes()
        names = archive.names(folder)
        last_version = archive.read(f"{folder}/{names[-1]}") if names else None
        if last_version is not None and _has_content(last_version, content):
            continue
        archive.write(f"{folder}/{today.isoformat()}.json.gz", gzip_compress(content))
        archive.drop_oldest(folder, MOST_PACKAGE_VERSIONS)
        changed_count += 1
    return changed_count


def _has_content(data: bytes, content: bytes) -> bool:
    try:
        return gzip_decompress(data, _MOST_BYTES) == content
    except DamagedObjectError:  # it is written again
        return False


# Writes the summary of a nightly update of the portal's data, as Markdown for GitHub Actions.

_MOST_PROBLEMS = 20
"""The maximum number of problems of a step in the summary."""

_MOST_CHARACTERS = 1500
"""The maximum length of a problem in the summary. A `Problem` is shorter, so that its fix shows."""


def summary(night: NightRun) -> str:
    """Return the summary as Markdown. Markdown in text from vendors has no effect."""
    lines = ["# Nightly", "", *(_step_item(step) for step in night.steps)]
    changed_feeds = [feed for feed in night.fetched if feed.outcome != "unchanged"]
    if night.fetched and not changed_feeds:
        lines += ["", "No new reports."]
    for title, outcome in (
        ("New reports", "new"),
        ("Rejected (the last valid report stays)", "refused"),
        ("Not reachable (the last valid report stays)", "unreachable"),
    ):
        feeds = [feed for feed in changed_feeds if feed.outcome == outcome]
        if feeds:
            lines += ["", f"## {title}", "", *(_feed_item(feed) for feed in feeds)]
    if quarantined := night.set_aside():
        lines += ["", "## Quarantined", ""]
        for folder, problems in quarantined.items():
            since = night.standing_in.get(folder)
            shown_text = (
                f"shown in its last valid version, from before {since}" if since else "not shown"
            )
            problem_text = code_span(str(problems[0]), _MOST_CHARACTERS)
            lines += [f"- {code_span(folder)}, {shown_text}: {problem_text}"]
    if overdue := night.overdue():
        names = {platform.id: platform.accelerator.name for platform in night.catalog.platforms}
        lines += ["", "## Overdue", ""]
        for accelerator, breakage in overdue:
            name, key = code_span(names[accelerator]), code_span(breakage.key)
            hours = int(breakage.age.total_seconds() // 3600)
            lines += [f"- {name}: {key}, {count(hours, 'hour')}"]
    if night.issues and night.issues.waiting:
        lines += ["", f"Regressions without an issue yet: {night.issues.waiting:,}."]
    if night.difference:
        lines += ["", "## Changes on the site", "", night.difference.strip()]
    return "\n".join(lines) + "\n"


def _step_item(step: StepResult) -> str:
    title, lines = f"- {'**failed** ' if step.failed else ''}{step.name}:", step.words.splitlines()
    if len(lines) <= 1:
        return f"{title} {code_span(step.words, _MOST_CHARACTERS)}"
    items = [f"    - {code_span(line, _MOST_CHARACTERS)}" for line in lines[:_MOST_PROBLEMS]]
    if len(lines) > _MOST_PROBLEMS:
        items.append(f"    - and {len(lines) - _MOST_PROBLEMS:,} more")
    return "\n".join([title, *items])


def _feed_item(feed: FetchResult) -> str:
    why = f": {code_span(feed.why[0], _MOST_CHARACTERS)}" if feed.why else ""
    more = f" and {len(feed.why) - 1} more" if len(feed.why) > 1 else ""
    return f"- {code_span(f'{feed.accelerator}/{feed.name}')}{why}{more}"
