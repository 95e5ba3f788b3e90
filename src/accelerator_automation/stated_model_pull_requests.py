"""Opens a pull request for each platform whose cited documents now list other models.

A platform's `stated-models.yaml` has lists of models, each read from a document of the vendor at a
commit.
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
    update_pull_request,
)
from accelerator_portal.catalog import Catalog, Platform, ProblemsError
from accelerator_portal.catalog.catalog import STATED_MODELS
from accelerator_portal.catalog.files.stated_models_file import ModelList, StatedModels
from accelerator_portal.catalog.markdown_quotes import code_span
from accelerator_portal.catalog.wording import count
from accelerator_portal.vendors.stated_lists import (
    CitedDocument,
    DocumentCopy,
    cited_document,
    stated_models_text,
    with_updated_list,
)

KIND: ProposalKind = "stated-models"

_MOST_LISTED = 50


@dataclass(frozen=True, slots=True)
class ListChange:
    """A list of models before and after its cited document changed.

    `place` is the index of the list in `stated-models.yaml`. `copy` is the new version of the
    document.
    """

    place: int
    document: CitedDocument
    copy: DocumentCopy
    before: ModelList
    after: ModelList


def _proposal(
    platform: Platform, found: Iterable[ListChange], declined: Collection[str]
) -> Proposal | None:
    """Return the proposal to update a platform's lists.

    Lists whose new commit is in `declined` are omitted. Returns None if no list remains.
    """
    changes = [change for change in found if change.copy.commit not in declined]
    if not changes:
        return None
    path = platform.path(STATED_MODELS)
    file = code_span(path)
    names = ", ".join(f"{one.document.repository}/{one.document.path}" for one in changes)
    lines = [line for change in changes for line in (*_change_lines(change), "")]
    lines += [
        "A statement is not a test: these models were not run.",
        "",
        f"The lists are in {file}. Push changes to this branch; the nightly build keeps them.",
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
    """Return the text of the file with every list replaced. Raises ProblemsError."""
    file = StatedModels.model_validate(yaml.safe_load(text))
    for change in changes:
        file = with_updated_list(file, change.place, change.document, change.copy)
    return stated_models_text(file)


def propose_stated_models(api: Api, home: str, catalog: Catalog, day: dt.date) -> ProposalResults:
    """Open or update a pull request for each platform with changed lists.

    Returns the outcomes by platform id. Each platform is checked once a week. If a list can no
    longer be read from its document, `problems` of the result says why, and the list does not
    change. `home` is this repository (OWNER/NAME). Raises GitHubError.
    """
    done = ProposalResults("no changed list of models")
    repository = BranchRepository(api, home)
    for place, platform in enumerate(catalog.platforms):
        file = platform.stated_models
        if file is None or not is_checked_on_day(place, day):
            continue
        changes = tuple(_changes(api, platform.id, file, day, done))
        if changes:
            topic = ProposalTopic(KIND, platform.id, f"{KIND}/{platform.id}")
            propose = partial(_proposal, platform, changes)
            try:
                done.outcomes[platform.id] = update_pull_request(
                    repository, topic, propose, room=done.has_room
                )
            except ProblemsError as error:
                done.add_problem(platform.id, str(error.problems[0]))
            except ValidationError:
                what = f"{topic.branch} or main has an invalid {STATED_MODELS}"
                done.add_problem(platform.id, what)
    return done


def _changes(
    api: Api, name: str, file: StatedModels, day: dt.date, done: ProposalResults
) -> Iterator[ListChange]:
    """Yield the lists whose content has changed; add problems with documents to `done`.

    `name` is the platform's id.
    """
    for place, before in enumerate(file.lists):
        document = cited_document(file, before)
        if document is None:
            continue
        try:
            newest = newest_commit(api, document.repository, document.path)
            if newest is None:
                done.add_problem(name, f"{document.repository} has no commit of {document.path}")
                continue
            text = BranchRepository(api, document.repository).file_text(document.path, newest.sha)
            copy = DocumentCopy(newest.sha, newest.day, day, text)
            after = with_updated_list(file, place, document, copy).lists[place]
        except GitHubError as error:
            if error.passing:
                raise
            done.add_problem(name, f"GitHub does not return {document.path}: {error}")
            continue
        except ProblemsError as error:
            done.add_problem(name, str(error.problems[0]))
            continue
        if after != before:
            yield ListChange(place, document, copy, before, after)


def _change_lines(change: ListChange) -> Iterator[str]:
    """Yield lines of Markdown that name the added, removed and changed models of a list."""
    document, after = change.document, change.after
    commit = f"{code_span(change.copy.commit)} of {change.copy.day}"
    yield f"{code_span(f'{document.repository}/{document.path}')} at {commit}:"
    yield ""
    yield f"- {count(after.rows, 'row')}, {after.taken:,} taken (before: {change.before.taken:,})"
    old, new = ([one.name for one in side.models] for side in (change.before, after))
    changed = [
        one.name for one in after.models if one.name in old and one not in change.before.models
    ]
    yield from names_list_item("Added", [name for name in new if name not in old])
    yield from names_list_item("Removed", [name for name in old if name not in new])
    yield from names_list_item("Changed", changed)


def names_list_item(heading: str, names: list[str]) -> Iterator[str]:
    """Yield one list item, with `heading` and the names; nothing if there are no names.

    At most _MOST_LISTED names are shown, then the number of the others.
    """
    found = list(dict.fromkeys(names))
    if found:
        more = len(found) - _MOST_LISTED
        end = f" and {more:,} more" if more > 0 else ""
        yield f"- {heading}: {', '.join(map(code_span, found[:_MOST_LISTED]))}{end}"
