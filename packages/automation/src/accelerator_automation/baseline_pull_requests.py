"""Opens a pull request for each outdated baseline (the results that a project's CI expects).

A baseline is a report that is converted from files on GitHub at a commit. It is converted again
when these files have a newer commit. The baseline of a PyTorch release is converted again when
there is a newer release.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from urllib.parse import unquote

from packaging.version import Version

from accelerator_automation.cited_files import is_checked_on_day, is_converted_again, newest_commit
from accelerator_automation.github.api import Api, GitHubError
from accelerator_automation.github.branch import BranchRepository
from accelerator_automation.github.models import ListedCommit
from accelerator_automation.proposals import (
    Proposal,
    ProposalKind,
    ProposalResults,
    ProposalTopic,
    names_list_item,
    update_pull_request,
)
from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.releases_file import Release
from accelerator_portal.catalog.known_names import known_names
from accelerator_portal.catalog.markdown_quotes import code_span
from accelerator_portal.results.stored_reports import StoredReport, stored_reports
from accelerator_reports.file_reading import ImportOptions, ImportResult, with_entry_counts
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.wording import count
from accelerator_reports.formats.format_list import READERS, detect_format
from accelerator_reports.merge import merged_results
from accelerator_reports.report import Origin, Report
from accelerator_reports.report_check import report_problems
from accelerator_reports.report_file import report_text
from accelerator_reports.report_names import with_imported_suite_names
from accelerator_reports.test_keys import identity_of

KIND: ProposalKind = "baseline"

_PYTORCH_REPOSITORY = "pytorch/pytorch"

# The only format that is read from folders, and the names of its files. It is not detected, because
# some of these files look like a file of another format.
_FOLDER_FORMAT, _FOLDER_FILE_NAME = "flaggems", re.compile(r"test_[\w-]{1,200}\.py", re.ASCII)


def propose_baselines(api: Api, home: str, catalog: Catalog, now: dt.datetime) -> ProposalResults:
    """Open or update a pull request for each outdated baseline; return the outcomes by report id.

    The baselines of each platform are checked once a week. If a file is gone or cannot be
    converted, `problems` of the result says why, and the baseline does not change. `home` is this
    repository (OWNER/NAME). Raises GitHubError for a temporary error. A permanent error of GitHub
    is in `problems` instead.
    """
    results = ProposalResults("no changed baseline")
    repository = BranchRepository(api, home)
    due_platforms = {
        p.id for index, p in enumerate(catalog.platforms) if is_checked_on_day(index, now.date())
    }
    for stored in _newest_baselines(stored_reports(catalog)[0]):
        if stored.report.accelerator not in due_platforms:
            continue
        try:
            proposal = _proposal(api, catalog, stored, now)
            if proposal:
                topic = ProposalTopic(KIND, stored.id, f"{KIND}/{stored.id}")
                results.outcomes[stored.id] = update_pull_request(
                    repository, topic, proposal.unless_declined, room=results.has_room
                )
        except GitHubError as error:
            if error.passing:
                raise
            results.problems[stored.id] = f"GitHub refused a request: {error}"
        except ProblemsError as error:
            results.problems[stored.id] = str(error.problems[0])
    return results


def _newest_baselines(reports: Collection[StoredReport]) -> Collection[StoredReport]:
    """Return the baselines in `reports` that are to be converted again.

    If a platform has several baselines that were converted from the same files, only the newest one
    is returned.
    """
    baselines = [stored for stored in reports if is_converted_again(stored.report)]
    baselines.sort(key=lambda stored: str(stored.report.started or ""))
    return {
        (s.report.accelerator, *(o.path for o in s.report.origins)): s for s in baselines
    }.values()


def _proposal(
    api: Api, catalog: Catalog, stored: StoredReport, now: dt.datetime
) -> Proposal | None:
    """Return the proposal to update a baseline, or None if it needs no update.

    A baseline of a PyTorch release is updated only if there is a newer release. It is then
    converted from the files at the tag of the newest release. Other baselines are converted from
    the newest commit of each file, and are updated only if their tests changed. Raises GitHubError.
    Raises ProblemsError if a file cannot be converted or the new report is not valid.
    """
    old_report, release = stored.report, None
    torch_version = old_report.environment.torch
    if torch_version and old_report.origins[0].repository == _PYTORCH_REPOSITORY:
        release = catalog.releases.newest
        if Version(release.version) <= Version(torch_version):
            return None
    origin_commits = [(one, _origin_commit(api, one, release)) for one in old_report.origins]
    if not release and all(commit.sha.startswith(one.commit) for one, commit in origin_commits):
        return None
    results = merged_results(
        [one for pair in origin_commits for one in _import_results(api, old_report, *pair)]
    )
    latest_commit = max((commit for _, commit in origin_commits), key=lambda commit: commit.time)
    start_time = (
        dt.datetime.combine(release.date, dt.time(), dt.timezone.utc)
        if release
        else latest_commit.time
    )
    environment_update = {"torch": release.version} if release else {}
    changes = {
        "started": start_time,
        "environment": old_report.environment.model_copy(update=environment_update),
        "origins": tuple(
            one.model_copy(update={"commit": new_commit.sha}) for one, new_commit in origin_commits
        ),
        "note": with_entry_counts(old_report.note, results.entries),
        "suites": results.suites,
        "tests": results.tests,
    }
    catalog_names = known_names(catalog)
    new_report = with_imported_suite_names(old_report.model_copy(update=changes), catalog_names)
    problems = list(report_problems(new_report, stored.path, catalog_names, now))
    if {suite.name for suite in new_report.suites} != {suite.name for suite in old_report.suites}:
        what = "the files of this baseline now have other suites"
        problems.append(Problem(stored.path, 1, what, "import them again by hand"))
    if problems:
        raise ProblemsError(problems)
    if not release and new_report.tests == old_report.tests:
        return None
    return _replacement_proposal(stored, new_report, latest_commit)


def _origin_commit(api: Api, origin: Origin, release: Release | None) -> ListedCommit:
    tag = f"v{release.version}" if release else ""
    commit = newest_commit(api, origin.repository, origin.path, tag)
    if commit is None:
        raise GitHubError(f"{origin.repository} has no commit of {origin.path}")
    return commit


def _import_results(
    api: Api, baseline: Report, origin: Origin, commit: ListedCommit
) -> Iterator[ImportResult]:
    """Yield the results for a new baseline, converted from a file or folder at a commit.

    `origin` names the file or folder. In a folder, only test files are converted. The results are
    for the platform of the current `baseline`. Raises GitHubError, and ProblemsError if a file
    cannot be converted.
    """
    repository, path = BranchRepository(api, origin.repository), PurePosixPath(origin.path)
    is_file = bool(path.suffix)
    if is_file:
        files = {path.name: repository.file_text(origin.path, commit.sha).encode()}
    else:
        folder_files = repository.folder_files(origin.path, commit.sha)
        files = {
            name: folder_files[name]
            for name in sorted(folder_files)
            if _FOLDER_FILE_NAME.fullmatch(name)
        }
    with TemporaryDirectory() as folder:
        for name, content in files.items():
            file = Path(folder, name)
            file.write_bytes(content)
            reader = READERS[detect_format(file) if is_file else _FOLDER_FORMAT]
            yield reader(file, ImportOptions(accelerator=baseline.accelerator))


def _replacement_proposal(
    stored: StoredReport, new_report: Report, latest_commit: ListedCommit
) -> Proposal:
    """Return the proposal to replace a stored report with `new_report`.

    `latest_commit` is the newest commit of the files from which `new_report` was converted.
    """
    repositories = ", ".join(
        code_span(name) for name in dict.fromkeys(o.repository for o in new_report.origins)
    )
    lines = [
        (
            f"The CI of {repositories} expects other results since {code_span(stored.path)} "
            "was imported."
        ),
        f"Newest commit: {code_span(latest_commit.sha)} of {latest_commit.day}.",
        "",
        *_change_list_items(stored.report, new_report),
        "",
        "A baseline lists expected results. It is not a test run.",
        "In the note of the report, only the counts are new. Check that the rest still holds.",
        "",
        "Push changes to this branch; the nightly build keeps them.",
        "If you close this pull request, this commit is not proposed again.",
    ]
    return Proposal(
        path=stored.path,
        title=f"Update the results that {stored.id} expects",
        versions=[latest_commit.sha],
        lines=lines,
        reason="\n".join(f"{o.repository}@{o.commit}:{o.path}" for o in new_report.origins),
        edited=lambda _: report_text(new_report),
    )


def _change_list_items(old_report: Report, new_report: Report) -> Iterator[str]:
    """Yield Markdown list items: the number of tests, and the added, removed and changed tests."""
    old_tests, new_tests = (
        {unquote(identity_of(test).key): test for test in report.tests}
        for report in (old_report, new_report)
    )
    yield f"- {count(len(new_tests), 'test')} (before: {len(old_tests):,})"
    yield from names_list_item(
        "Added", [f"{key}: {new_tests[key].outcome}" for key in new_tests if key not in old_tests]
    )
    yield from names_list_item(
        "Removed", [f"{key}: {old_tests[key].outcome}" for key in old_tests if key not in new_tests]
    )
    changed_tests = [
        (key, old_tests[key], new_tests[key])
        for key in new_tests
        if key in old_tests and new_tests[key] != old_tests[key]
    ]
    outcome_changes = [
        f"{key}: {old_test.outcome}, now {new_test.outcome}"
        for key, old_test, new_test in changed_tests
        if old_test.outcome != new_test.outcome
    ]
    yield from names_list_item("Changed", outcome_changes)
    detail_changes = [
        key for key, old_test, new_test in changed_tests if old_test.outcome == new_test.outcome
    ]
    yield from names_list_item("Same result, other details", detail_changes)
