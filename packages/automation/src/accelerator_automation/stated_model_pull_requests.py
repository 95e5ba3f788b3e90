"""Opens a pull request for each platform whose vendor changed a list of supported models.

A platform's `stated-models.yaml` has lists of models. Each list is read from a document of the
vendor at a commit. The pull request replaces the lists whose documents have changed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import yaml
from pydantic import ValidationError

from accelerator_automation.cited_files import is_checked_on_day, newest_commit
from accelerator_automation.github.api import Api, GitHubError
from accelerator_automation.github.branch import BranchRepository
from accelerator_automation.proposals import (
    Proposal,
    ProposalKind,
    ProposalResults,
    ProposalTopic,
    names_list_item,
    update_pull_request,
)
from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import STATED_MODELS
from accelerator_portal.catalog.files.stated_models_file import ModelList, StatedModels
from accelerator_portal.catalog.markdown_quotes import code_span
from accelerator_portal.vendors.model_list_update import (
    CitedDocument,
    DocumentCopy,
    cited_document,
    stated_models_text,
    with_updated_list,
)
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.files.wording import count

KIND: ProposalKind = "stated-models"


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
            topic = ProposalTopic(KIND, platform.id, f"{KIND}/{platform.id}")
            propose = partial(_proposal, platform, changes)
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


def _proposal(
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
