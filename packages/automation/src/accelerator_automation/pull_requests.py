"""Opens pull requests for outdated baselines, plugin and PyTorch releases, and stated models.

A baseline is a report that is converted from files on GitHub at a commit. It is converted again
when these files have a newer commit. The baseline of a PyTorch release is converted again when
there is a newer release.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from urllib.parse import unquote

import yaml
from packaging.version import Version
from pydantic import ValidationError

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
from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import RELEASES, STATED_MODELS
from accelerator_portal.catalog.files.package_file import PYPI
from accelerator_portal.catalog.files.shared_files import ModelList, StatedModels
from accelerator_portal.catalog.files.versions_file import Release
from accelerator_portal.catalog.loader import known_names
from accelerator_portal.catalog.markdown_file import code_span, escape_hidden_characters
from accelerator_portal.checks.release_addition import ReleaseAddition, release_addition
from accelerator_portal.packages.compatibility_edit import with_row
from accelerator_portal.packages.plugin_releases import RowProposal, new_releases, proposal
from accelerator_portal.packages.portal_packages import TORCH
from accelerator_portal.releases.published_builds import PublishedRelease
from accelerator_portal.releases.release_entry import NoReleaseError, with_release
from accelerator_portal.results.stored_reports import StoredReport, stored_reports
from accelerator_portal.vendors.model_lists import (
    CitedDocument,
    DocumentCopy,
    cited_document,
    stated_models_text,
    with_updated_list,
)
from accelerator_reports.file_reading import ImportOptions, ImportResult, with_entry_counts
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.wording import count
from accelerator_reports.formats.format_list import READERS, detect_format
from accelerator_reports.merge import merged_results
from accelerator_reports.report import Origin, Report
from accelerator_reports.report_file import report_problems, report_text, with_imported_suite_names
from accelerator_reports.test_ids import identity_of

BASELINE: ProposalKind = "baseline"

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
            proposal = _baseline_proposal(api, catalog, stored, now)
            if proposal:
                topic = ProposalTopic(BASELINE, stored.id, f"{BASELINE}/{stored.id}")
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


def _baseline_proposal(
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


# Opens one pull request per platform for plugin releases that `compatibility.yaml` lacks.
#
# If the metadata of a release states a torch version, the release gets a row in the platform's
# file.

PLUGIN_RELEASE: ProposalKind = "plugin-release"

_MOST_TITLE = 200


def propose_releases(api: Api, home: str, catalog: Catalog) -> ProposalResults:
    """Open or update a pull request for each platform with new plugin releases.

    Returns the outcomes by platform id. `home` is this repository (OWNER/NAME). Raises GitHubError.
    """
    results = ProposalResults("no new plugin release")
    repository = BranchRepository(api, home)
    for platform in catalog.platforms:
        rows = _new_rows(catalog, platform, results)
        if not rows:
            continue
        topic = ProposalTopic(PLUGIN_RELEASE, platform.id, f"{PLUGIN_RELEASE}/{platform.id}")
        propose = partial(_plugin_proposal, platform, rows)
        try:
            results.outcomes[platform.id] = update_pull_request(
                repository, topic, propose, room=results.has_room
            )
        except ProblemsError as error:
            results.add_problem(platform.id, str(error.problems[0]))
    return results


def _new_rows(
    catalog: Catalog, platform: Platform, results: ProposalResults
) -> tuple[RowProposal, ...]:
    """Return the proposals for new releases whose metadata states a torch version.

    For each new release whose metadata states no torch version, adds a problem to `results`. The
    problem names the command with which a person adds the row.
    """
    proposals = [
        proposal(catalog, platform, release) for release in new_releases(catalog, platform)
    ]
    for row in proposals:
        if row.row is None:
            version = row.release.facts.version
            command = f"accelerator-portal plugin-release {platform.id} {version} --torch VERSION"
            what = f"the metadata of {row.release.name} states no torch version; run {command}"
            results.add_problem(platform.id, what)
    return tuple(row for row in proposals if row.row)


def _plugin_proposal(
    platform: Platform, proposals: Iterable[RowProposal], declined: Collection[str]
) -> Proposal | None:
    """Return the pull request that adds a row to `compatibility.yaml` for each plugin release.

    `proposals` has the rows. Rows for the versions in `declined` are omitted. Returns None if no
    row remains.
    """
    rows = [row for row in proposals if row.release.facts.version not in declined]
    if not rows:
        return None
    path = platform.path("compatibility.yaml")
    names = ", ".join(escape_hidden_characters(row.release.name) for row in rows)
    required = " and ".join(sorted({line for row in rows for line in row.evidence.required}))
    owners = ", ".join(code_span(person.github) for person in platform.accelerator.maintainers)
    lines = [line for row in rows for line in (*_release_lines(row), "")]
    lines += [
        f"Owners of the folder: {owners or 'none are named'}.",
        "",
        (
            f"The rows are in {code_span(path)}. Push changes to this branch; "
            "the nightly build keeps them."
        ),
        "If you close this pull request, these releases are not proposed again.",
    ]
    return Proposal(
        path=path,
        title=f"Add {names} to {platform.id}"[:_MOST_TITLE],
        versions=[row.release.facts.version for row in rows],
        lines=lines,
        reason=f"The wheel metadata requires {required}."
        if required
        else "The package index lists it.",
        edited=lambda text: _with_rows(path, text, rows),
    )


def _release_lines(proposal: RowProposal) -> Iterator[str]:
    facts, row = proposal.release.facts, proposal.row
    date_text = f" on {facts.date}" if facts.date else ""
    required = " and ".join(map(code_span, proposal.evidence.required))
    requires = f"It requires {required}." if required else "Its metadata names no torch version."
    yield f"{code_span(proposal.release.name)} was published{date_text}. {requires}"
    yield ""
    yield f"- Wheels: {code_span(', '.join(proposal.systems) or 'none')}"
    yield f"- Python: {code_span(', '.join(row.python) if row and row.python else 'not stated')}"
    for question in proposal.questions:
        yield (
            f"- To add: the {code_span(question.name)}, with its source. "
            f"The newest row with this field has {code_span(question.example)}."
        )


def _with_rows(path: str, text: str, proposals: Iterable[RowProposal]) -> str:
    """Return `text`, the content of `compatibility.yaml` at `path`, with every proposed row added.

    Raises ProblemsError.
    """
    for row in sorted(proposals, key=lambda row: Version(row.release.facts.version)):
        if row.row:
            text = with_row(path, text, row.release, row.row)
    return text


# Opens a pull request for each PyTorch release to add or complete in `data/releases.yaml`.

PYTORCH_RELEASE: ProposalKind = "pytorch-release"
ABOUT = "torch"

COMPLETED_FOR = dt.timedelta(days=30)
"""The time after a PyTorch release during which new builds of it are added to its entry."""

_MOST_LISTED = 40

AskIndexes = Callable[[str], PublishedRelease]
"""Returns the builds and dates of a version in the package indexes."""


def propose_pytorch_releases(
    api: Api, home: str, catalog: Catalog, ask: AskIndexes, day: dt.date
) -> ProposalResults:
    """Open or update a pull request for each release whose entry is missing or incomplete.

    Returns the outcomes by version. `ask` takes a version and returns its builds and dates in the
    package indexes. The existing entries are read from `data/releases.yaml` on the default branch.
    `home` is this repository (OWNER/NAME). Raises GitHubError.
    """
    results = ProposalResults("no new PyTorch release")
    versions = list(incomplete_releases(catalog, day))
    if not versions:
        return results
    repository = BranchRepository(api, home)
    text = repository.file_text(RELEASES, repository.base.commit)
    for version in versions:
        try:
            addition = release_addition(catalog, text, ask(version), day)
            if addition.own_problems:
                results.problems[version] = str(addition.own_problems[0])
            elif not addition.change.is_empty:
                topic = ProposalTopic(PYTORCH_RELEASE, ABOUT, f"{PYTORCH_RELEASE}/{version}")
                propose = _release_proposal(addition, day).unless_declined
                results.outcomes[version] = update_pull_request(repository, topic, propose)
        except NoReleaseError as error:
            results.problems[version] = str(error)
        except ProblemsError as error:
            results.problems[version] = str(error.problems[0])
    return results


def incomplete_releases(catalog: Catalog, day: dt.date) -> Iterator[str]:
    """Yield the PyTorch versions whose entry in `data/releases.yaml` may be missing or incomplete.

    Yields the newest version in the catalog if it was released at most `COMPLETED_FOR` ago. Then
    yields each newer version on PyPI that is final and not yanked.
    """
    newest = catalog.releases.newest
    if day - newest.date <= COMPLETED_FOR:
        yield newest.version
    facts = catalog.packages[TORCH].on(PYPI) if TORCH in catalog.packages else None
    for release in facts.releases if facts else ():
        version = Version(release.version)
        final = not version.is_prerelease and version.local is None and release.yanked is None
        if final and version > Version(newest.version):
            yield release.version


def _release_proposal(addition: ReleaseAddition, day: dt.date) -> Proposal:
    """Return the pull request that adds or completes a release's entry in `data/releases.yaml`.

    `day` is the date on which the package indexes were read.
    """
    verb = "Add" if addition.change.is_new else "Complete"
    return Proposal(
        path=RELEASES,
        title=f"{verb} torch {addition.published.version}",
        versions=[addition.published.version],
        lines=list(_paragraphs(addition)),
        reason="PyPI and PyTorch's indexes publish these builds; the sources name each index.",
        edited=lambda text: with_release(RELEASES, text, addition.change, day),
    )


def _paragraphs(addition: ReleaseAddition) -> Iterator[str]:
    published, change = addition.published, addition.change
    date_text = f" on {published.date}" if published.date else ""
    name = code_span(f"torch {published.version}")
    yield f"{name} was published{date_text}. The indexes have these builds:"
    yield ""
    added_keys = {(wheel.variant, wheel.os, arch) for wheel in change.wheels for arch in wheel.arch}
    builds = [build for build in published.builds if build.key in added_keys]
    yield from _limited_list_items(
        f"{code_span(' '.join(build.key))}: {code_span(', '.join(sorted(build.tags)))}, "
        f"Python {code_span(', '.join(sorted(build.pythons)))}, from {code_span(build.index)}"
        for build in builds
    )
    if change.torchvision:
        yield f"- {code_span(f'torchvision {change.torchvision}')} requires {name}."
    for companion_release in change.companions:
        companion = code_span(f"{companion_release.package} {companion_release.version}")
        yield f"- {companion} matches {name}, according to its metadata on PyPI."
    yield ""
    yield from _section("To check, because the entry and the indexes differ", change.differences)
    unread_lines = [f"{name}: {fault}" for name, fault in sorted(published.unread.items())]
    yield from _section("Could not be read; a later run completes the entry", unread_lines)
    yield from _section("Files to update for this release", map(str, addition.problems))
    yield "The indexes state neither Docker images nor LibTorch archives: add them by hand."
    yield ""
    file_span = code_span(RELEASES)
    yield f"The entry is in {file_span}. Push changes to this branch; the nightly build keeps them."
    yield "If you close this pull request, the release is not proposed again."


def _section(heading: str, lines: Iterable[str]) -> Iterator[str]:
    all_lines = list(lines)
    if all_lines:
        yield f"{heading}:"
        yield ""
        yield from _limited_list_items(code_span(line) for line in all_lines)
        yield ""


def _limited_list_items(lines: Iterable[str]) -> Iterator[str]:
    """Yield the first _MOST_LISTED lines as list items, then an item with the number left out."""
    all_lines = list(lines)
    yield from (f"- {line}" for line in all_lines[:_MOST_LISTED])
    if len(all_lines) > _MOST_LISTED:
        yield f"- {len(all_lines) - _MOST_LISTED} more"


# Opens a pull request for each platform whose vendor changed a list of supported models.
#
# A platform's `stated-models.yaml` has lists of models. Each list is read from a document of the
# vendor at a commit. The pull request replaces the lists whose documents have changed.

STATED_MODEL_LISTS: ProposalKind = "stated-models"


@dataclass(frozen=True, slots=True)
class ListChange:
    """A list of models before and after its cited document changed.

    `index` is the index of the list in `stated-models.yaml`. `copy` is the new version of the
    document.
    """

    index: int
    document: CitedDocument
    copy: DocumentCopy
    before: ModelList
    after: ModelList


def propose_stated_models(api: Api, home: str, catalog: Catalog, day: dt.date) -> ProposalResults:
    """Open or update a pull request for each platform with changed lists.

    Returns the outcomes by platform id. Each platform is checked once a week. If a list can no
    longer be read from its document, `problems` of the result says why, and the list does not
    change. `home` is this repository (OWNER/NAME). Raises GitHubError.
    """
    results = ProposalResults("no changed list of models")
    repository = BranchRepository(api, home)
    for index, platform in enumerate(catalog.platforms):
        file = platform.stated_models
        if file is None or not is_checked_on_day(index, day):
            continue
        changes = tuple(_changes(api, platform.id, file, day, results))
        if changes:
            topic = ProposalTopic(
                STATED_MODEL_LISTS, platform.id, f"{STATED_MODEL_LISTS}/{platform.id}"
            )
            propose = partial(_stated_models_proposal, platform, changes)
            try:
                results.outcomes[platform.id] = update_pull_request(
                    repository, topic, propose, room=results.has_room
                )
            except ProblemsError as error:
                results.add_problem(platform.id, str(error.problems[0]))
            except (ValidationError, yaml.YAMLError):
                what = f"{topic.branch} or main has an invalid {STATED_MODELS}"
                results.add_problem(platform.id, what)
    return results


def _changes(
    api: Api, name: str, file: StatedModels, day: dt.date, results: ProposalResults
) -> Iterator[ListChange]:
    """Yield the change of each list whose document no longer states the same models.

    `name` is the platform's id. If a document cannot be read, adds a problem to `results`.
    """
    for index, old_list in enumerate(file.lists):
        document = cited_document(file, old_list)
        if document is None:
            continue
        try:
            latest_commit = newest_commit(api, document.repository, document.path)
            if latest_commit is None:
                results.add_problem(name, f"{document.repository} has no commit of {document.path}")
                continue
            text = BranchRepository(api, document.repository).file_text(
                document.path, latest_commit.sha
            )
            copy = DocumentCopy(latest_commit.sha, latest_commit.day, day, text)
            new_list = with_updated_list(file, index, document, copy).lists[index]
        except GitHubError as error:
            if error.passing:
                raise
            results.add_problem(name, f"GitHub does not return {document.path}: {error}")
            continue
        except ProblemsError as error:
            results.add_problem(name, str(error.problems[0]))
            continue
        if new_list != old_list:
            yield ListChange(index, document, copy, old_list, new_list)


def _stated_models_proposal(
    platform: Platform, list_changes: Iterable[ListChange], declined: Collection[str]
) -> Proposal | None:
    """Return the pull request that updates a platform's lists of models.

    Lists whose document's newest commit is in `declined` are omitted. Returns None if no list
    remains.
    """
    changes = [change for change in list_changes if change.copy.commit not in declined]
    if not changes:
        return None
    path = platform.path(STATED_MODELS)
    file_span = code_span(path)
    names = ", ".join(f"{one.document.repository}/{one.document.path}" for one in changes)
    lines = [line for change in changes for line in (*_change_lines(change), "")]
    lines += [
        "A statement is not a test: these models were not run.",
        "",
        f"The lists are in {file_span}. Push changes to this branch; the nightly build keeps them.",
        "If you close this pull request, these commits are not proposed again.",
    ]
    return Proposal(
        path=path,
        title=f"Update the models that documents state for {platform.id}",
        versions=[change.copy.commit for change in changes],
        lines=lines,
        reason=f"Read again: {names}.",
        edited=lambda text: _with_changes(text, changes),
    )


def _with_changes(text: str, changes: Iterable[ListChange]) -> str:
    """Return `text`, the content of `stated-models.yaml`, with the changed lists.

    Raises ProblemsError.
    """
    file = StatedModels.model_validate(yaml.safe_load(text))
    for change in changes:
        file = with_updated_list(file, change.index, change.document, change.copy)
    return stated_models_text(file)


def _change_lines(change: ListChange) -> Iterator[str]:
    """Yield lines of Markdown that name the added, removed and changed models of a list."""
    document, after = change.document, change.after
    commit = f"{code_span(change.copy.commit)} of {change.copy.day}"
    yield f"{code_span(f'{document.repository}/{document.path}')} at {commit}:"
    yield ""
    yield f"- {count(after.rows, 'row')}, {after.taken:,} taken (before: {change.before.taken:,})"
    old_names, new_names = (
        [model.name for model in model_list.models] for model_list in (change.before, after)
    )
    changed_names = [
        model.name
        for model in after.models
        if model.name in old_names and model not in change.before.models
    ]
    yield from names_list_item("Added", [name for name in new_names if name not in old_names])
    yield from names_list_item("Removed", [name for name in old_names if name not in new_names])
    yield from names_list_item("Changed", changed_names)
