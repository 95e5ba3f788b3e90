"""Opens a pull request for each platform whose cited documents now list other models.

A platform's `stated-models.yaml` has lists of models, each read from a document of the vendor at a
commit.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import yaml

from accelerator_automation.cited_files import is_turn, newest_commit
from accelerator_automation.github.api import Api, GitHubError
from accelerator_automation.github.branch import BaseCommit, BranchRepository
from accelerator_automation.plugin_pull_requests import MOST_OPENED
from accelerator_automation.proposals import (
    PlatformProposal,
    ProposalKind,
    ProposalResults,
    proposal_text,
    settle,
)
from accelerator_portal.catalog import Catalog, ProblemsError
from accelerator_portal.catalog.catalog import STATED_MODELS
from accelerator_portal.catalog.files.stated_models_file import ModelList, StatedModels
from accelerator_portal.catalog.wording import count
from accelerator_portal.site.difference.harmless import span
from accelerator_portal.vendors.stated_lists import (
    CitedDocument,
    DocumentCopy,
    document_of,
    file_text,
    with_list,
)

KIND: ProposalKind = "stated-models"

_MOST_LISTED = 50


@dataclass(frozen=True, slots=True)
class ListChange:
    """A list of models before and after its cited document changed.

    `place` is the index of the list in `stated-models.yaml`, `copy` is the new document.
    """

    place: int
    document: CitedDocument
    copy: DocumentCopy
    before: ModelList
    after: ModelList


@dataclass(frozen=True)
class ModelsProposal(PlatformProposal):
    """A pull request that updates a platform's lists of models."""

    changes: tuple[ListChange, ...]
    kind = KIND
    file = STATED_MODELS

    @property
    def title(self) -> str:
        """The title, with the platform."""
        return f"Update the models that documents state for {self.about}"

    @property
    def body(self) -> str:
        """The text of the pull request: the added, removed and changed models."""
        lines = [line for change in self.changes for line in (*_words(change), "")]
        file = span(self.path)
        lines += [
            "A statement is not a test: these models were not run.",
            "",
            f"The lists are in {file}. Push changes to this branch; the nightly build keeps them.",
            "If you close this pull request, these commits are not proposed again.",
        ]
        commits = [change.copy.commit for change in self.changes]
        return proposal_text(KIND, self.about, commits, lines)

    @property
    def reason(self) -> str:
        """The body of the commit message, with the documents."""
        names = ", ".join(f"{one.document.repository}/{one.document.path}" for one in self.changes)
        return f"Read again: {names}."

    def without(self, versions: Collection[str]) -> ModelsProposal | None:
        """Return the proposal without these commits, or None if no list is left."""
        changes = tuple(one for one in self.changes if one.copy.commit not in versions)
        return replace(self, changes=changes) if changes else None

    def edited(self, text: str) -> str:
        """Return the text of the file with every list replaced. Raises ProblemsError."""
        file = StatedModels.model_validate(yaml.safe_load(text))
        for change in self.changes:
            file = with_list(file, change.place, change.document, change.copy)
        return file_text(file)


def propose_stated_models(api: Api, home: str, catalog: Catalog, day: dt.date) -> ProposalResults:
    """Open or update a pull request for each platform with changed lists.

    Returns the outcomes by platform id. Each platform is checked once a week. If a list can no
    longer be read from its document, `problems` of the result says why, and the list does not
    change. `home` is this repository (OWNER/NAME). Raises GitHubError.
    """
    done = ProposalResults("no changed list of models")
    repository = BranchRepository(api, home)
    base: BaseCommit | None = None
    for place, platform in enumerate(catalog.platforms):
        file = platform.stated_models
        if file is None or not is_turn(place, day):
            continue
        changes = tuple(_changes(api, platform.id, file, day, done))
        if changes:
            base = base or repository.base()
            room = done.count("opened") < MOST_OPENED
            wanted = ModelsProposal(platform, changes)
            done.outcomes[platform.id] = settle(repository, base, wanted, room=room)
    return done


def _changes(
    api: Api, name: str, file: StatedModels, day: dt.date, done: ProposalResults
) -> Iterator[ListChange]:
    """Yield the lists whose models have changed; add problems with documents to `done`.

    `name` is the platform's id, under which the problems are added.
    """
    for place, before in enumerate(file.lists):
        document = document_of(file, before)
        if document is None:
            continue
        try:
            newest = newest_commit(api, document.repository, document.path)
            if newest is None:
                done.problems[name] = f"{document.repository} has no commit of {document.path}"
                continue
            text = BranchRepository(api, document.repository).file_text(document.path, newest.sha)
            copy = DocumentCopy(newest.sha, newest.day, day, text)
            after = with_list(file, place, document, copy).lists[place]
        except GitHubError as error:
            if error.passing:
                raise
            done.problems[name] = f"GitHub does not return {document.path}: {error}"
            continue
        except ProblemsError as error:
            done.problems[name] = str(error.problems[0])
            continue
        if after != before:
            yield ListChange(place, document, copy, before, after)


def _words(change: ListChange) -> Iterator[str]:
    """Yield lines of Markdown that name the added, removed and changed models of a list."""
    document, after = change.document, change.after
    commit = f"{span(change.copy.commit)} of {change.copy.day}"
    yield f"{span(f'{document.repository}/{document.path}')} at {commit}:"
    yield ""
    yield f"- {count(after.rows, 'row')}, {after.taken:,} taken (before: {change.before.taken:,})"
    old, new = ([one.name for one in side.models] for side in (change.before, after))
    changed = [
        one.name for one in after.models if one.name in old and one not in change.before.models
    ]
    yield from listed("Added", [name for name in new if name not in old])
    yield from listed("Removed", [name for name in old if name not in new])
    yield from listed("Changed", changed)


def listed(heading: str, names: list[str]) -> Iterator[str]:
    """Yield one list item, with `heading` and the names; nothing if there are no names.

    At most _MOST_LISTED names are shown, then the number of the others.
    """
    found = list(dict.fromkeys(names))
    if found:
        more = len(found) - _MOST_LISTED
        end = f" and {more:,} more" if more > 0 else ""
        yield f"- {heading}: {', '.join(map(span, found[:_MOST_LISTED]))}{end}"
