"""Opens one pull request for each baseline that is outdated.

A baseline is a report of the results that a project's CI expects. It is converted from files on
GitHub at a commit, and converted again when these files have a newer commit. The baseline of a
PyTorch release is converted again when there is a newer release.
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
from accelerator_automation.events import ListedCommit
from accelerator_automation.github.api import Api, GitHubError
from accelerator_automation.github.branch import BranchRepository
from accelerator_automation.proposals import (
    Proposal,
    ProposalKind,
    ProposalResults,
    ProposalTopic,
    update_pull_request,
)
from accelerator_automation.stated_model_pull_requests import names_list_item
from accelerator_portal.catalog import Catalog, Problem, ProblemsError
from accelerator_portal.catalog.files.releases_file import Release
from accelerator_portal.catalog.markdown_quotes import code_span
from accelerator_portal.catalog.wording import count
from accelerator_portal.reports.formats.format_list import READERS, detect_format
from accelerator_portal.reports.identity import identity_of
from accelerator_portal.reports.merge import merged_results
from accelerator_portal.reports.reading import ImportOptions, ImportResult, with_entry_counts
from accelerator_portal.reports.report import Origin, Report
from accelerator_portal.reports.report_check import known_names, report_problems
from accelerator_portal.reports.report_file import report_text
from accelerator_portal.reports.report_names import with_imported_suite_names
from accelerator_portal.reports.store import StoredReport, stored_reports

KIND: ProposalKind = "baseline"

_PYTORCH = "pytorch/pytorch"

# The only format that is read from folders, and the names of its files. It is not detected, because
# some of these files look like a file of another format.
_FOLDER_FORMAT, _FOLDER_FILES = "flaggems", re.compile(r"test_[\w-]{1,200}\.py", re.ASCII)


def propose_baselines(api: Api, home: str, catalog: Catalog, now: dt.datetime) -> ProposalResults:
    """Open or update a pull request for each changed baseline; return the outcomes by report id.

    The baselines of each platform are checked once a week. If a file is gone or cannot be
    converted, `problems` of the result says why, and the baseline does not change. `home` is this
    repository (OWNER/NAME). Raises GitHubError for temporary errors. Other errors of GitHub are in
    `problems`, too.
    """
    done = ProposalResults("no changed baseline")
    repository = BranchRepository(api, home)
    turns = {
        p.id for place, p in enumerate(catalog.platforms) if is_checked_on_day(place, now.date())
    }
    for stored in _newest_baselines(stored_reports(catalog)[0]):
        if stored.report.accelerator not in turns:
            continue
        try:
            wanted = _proposal(api, catalog, stored, now)
            if wanted:
                topic = ProposalTopic(KIND, stored.id, f"{KIND}/{stored.id}")
                done.outcomes[stored.id] = update_pull_request(
                    repository, topic, wanted.unless_declined, room=done.has_room
                )
        except GitHubError as error:
            if error.passing:
                raise
            done.problems[stored.id] = f"GitHub refused a request: {error}"
        except ProblemsError as error:
            done.problems[stored.id] = str(error.problems[0])
    return done


def _newest_baselines(reports: Collection[StoredReport]) -> Collection[StoredReport]:
    """Return the baselines to convert again.

    If a platform has several baselines that were converted from the same files, only the newest one
    is returned.
    """
    again = [stored for stored in reports if is_converted_again(stored.report)]
    again.sort(key=lambda stored: str(stored.report.started or ""))
    return {(s.report.accelerator, *(o.path for o in s.report.origins)): s for s in again}.values()


def _proposal(
    api: Api, catalog: Catalog, stored: StoredReport, now: dt.datetime
) -> Proposal | None:
    """Return the proposal to update a baseline, or None if it needs no update.

    A baseline of a PyTorch release is updated only if there is a newer release. It is then
    converted from the files at the tag of the newest release. Other baselines are converted from
    the newest commit of each file, and are updated only if their tests changed. Raises GitHubError.
    Raises ProblemsError if a file cannot be converted or the new report is not valid.
    """
    before, release = stored.report, None
    torch = before.environment.torch
    if torch and before.origins[0].repository == _PYTORCH:
        release = catalog.releases.newest
        if Version(release.version) <= Version(torch):
            return None
    pairs = [(one, _origin_commit(api, one, release)) for one in before.origins]
    if not release and all(commit.sha.startswith(one.commit) for one, commit in pairs):
        return None
    found = merged_results([one for pair in pairs for one in _import_results(api, before, *pair)])
    newest = max((commit for _, commit in pairs), key=lambda commit: commit.time)
    at = dt.datetime.combine(release.date, dt.time(), dt.timezone.utc) if release else newest.time
    stated = {"torch": release.version} if release else {}
    changes = {
        "started": at,
        "environment": before.environment.model_copy(update=stated),
        "origins": tuple(one.model_copy(update={"commit": new.sha}) for one, new in pairs),
        "note": with_entry_counts(before.note, found.entries),
        "suites": found.suites,
        "tests": found.tests,
    }
    known = known_names(catalog)
    after = with_imported_suite_names(before.model_copy(update=changes), known)
    problems = list(report_problems(after, stored.path, known, now))
    if {suite.name for suite in after.suites} != {suite.name for suite in before.suites}:
        what = "the files of this baseline now have other suites"
        problems.append(Problem(stored.path, 1, what, "import them again by hand"))
    if problems:
        raise ProblemsError(problems)
    if not release and after.tests == before.tests:
        return None
    return _replacement_proposal(stored, after, newest)


def _origin_commit(api: Api, origin: Origin, release: Release | None) -> ListedCommit:
    tag = f"v{release.version}" if release else ""
    found = newest_commit(api, origin.repository, origin.path, tag)
    if found is None:
        raise GitHubError(f"{origin.repository} has no commit of {origin.path}")
    return found


def _import_results(
    api: Api, before: Report, origin: Origin, commit: ListedCommit
) -> Iterator[ImportResult]:
    """Yield the results of a baseline, converted from a file or folder at a commit.

    `origin` names the file or folder. In a folder, only test files are converted. `before` is the
    current baseline; the results are for its platform. Raises GitHubError, and ProblemsError if a
    file cannot be converted.
    """
    repository, path = BranchRepository(api, origin.repository), PurePosixPath(origin.path)
    is_file = bool(path.suffix)
    if is_file:
        files = {path.name: repository.file_text(origin.path, commit.sha).encode()}
    else:
        found = repository.folder_files(origin.path, commit.sha)
        files = {name: found[name] for name in sorted(found) if _FOLDER_FILES.fullmatch(name)}
    with TemporaryDirectory() as folder:
        for name, content in files.items():
            file = Path(folder, name)
            file.write_bytes(content)
            reader = READERS[detect_format(file) if is_file else _FOLDER_FORMAT]
            yield reader(file, ImportOptions(accelerator=before.accelerator))


def _replacement_proposal(stored: StoredReport, after: Report, newest: ListedCommit) -> Proposal:
    """Return the proposal to replace a stored report with `after`.

    `newest` is the newest commit of the files from which `after` was converted.
    """
    repositories = ", ".join(
        code_span(name) for name in dict.fromkeys(o.repository for o in after.origins)
    )
    lines = [
        (
            f"The CI of {repositories} expects other results since {code_span(stored.path)} "
            "was imported."
        ),
        f"Newest commit: {code_span(newest.sha)} of {newest.day}.",
        "",
        *_change_list_items(stored.report, after),
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
        versions=[newest.sha],
        lines=lines,
        reason="\n".join(f"{o.repository}@{o.commit}:{o.path}" for o in after.origins),
        edited=lambda _: report_text(after),
    )


def _change_list_items(before: Report, after: Report) -> Iterator[str]:
    """Yield Markdown list items: the number of tests, and the added, removed and changed tests."""
    old, new = (
        {unquote(identity_of(test).key): test for test in side.tests} for side in (before, after)
    )
    yield f"- {count(len(new), 'test')} (before: {len(old):,})"
    yield from names_list_item(
        "Added", [f"{key}: {new[key].outcome}" for key in new if key not in old]
    )
    yield from names_list_item(
        "Removed", [f"{key}: {old[key].outcome}" for key in old if key not in new]
    )
    pairs = [(key, old[key], new[key]) for key in new if key in old and new[key] != old[key]]
    changed = [
        f"{key}: {a.outcome}, now {b.outcome}" for key, a, b in pairs if a.outcome != b.outcome
    ]
    yield from names_list_item("Changed", changed)
    others = [key for key, a, b in pairs if a.outcome == b.outcome]
    yield from names_list_item("Same result, other details", others)
