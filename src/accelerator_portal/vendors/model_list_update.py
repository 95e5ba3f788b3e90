"""Updates a list of supported models in `stated-models.yaml` from a newer copy of its document."""

from __future__ import annotations

import datetime as dt
from typing import Any, NamedTuple

from accelerator_portal.catalog.files.stated_models_file import (
    GITHUB_FILE_AT_COMMIT,
    ModelList,
    StatedModels,
)
from accelerator_portal.catalog.yaml_text import yaml_text
from accelerator_portal.vendors.model_lists import read_models
from accelerator_reports.files.sources import Source

_SCHEMA_LINE = "# yaml-language-server: $schema=../../data/schema/stated-models.schema.json\n"


class CitedDocument(NamedTuple):
    """The document from which a list of models is read: a file in a repository on GitHub."""

    repository: str
    path: str


class DocumentCopy(NamedTuple):
    """The text of a document at a commit.

    `day` is the date of the commit. `read` is the date on which the document was read.
    """

    commit: str
    day: dt.date
    read: dt.date
    text: str


def cited_document(file: StatedModels, listed: ModelList) -> CitedDocument | None:
    """Return the document that `listed` is read from, or None if it is not a file on GitHub."""
    match = GITHUB_FILE_AT_COMMIT.fullmatch(file.sources[listed.source[0]].url or "")
    return CitedDocument(match["repository"], match["path"]) if match else None


def with_updated_list(
    file: StatedModels, place: int, document: CitedDocument, copy: DocumentCopy
) -> StatedModels:
    """Return a copy of `file` in which the list `lists[place]` is read again, from `copy`.

    `copy` is a copy of `document`. The list's source gets the commit and the dates of `copy`.
    Raises ProblemsError if the document does not fit the list's reading rules, for example if a
    heading is missing.
    """
    lists = list(file.lists)
    name = lists[place].source[0]
    lists[place] = read_models(document.path, copy.text, lists[place])
    url = f"https://github.com/{document.repository}/blob/{copy.commit}/{document.path}"
    dates = {"read": copy.read, "as_of": copy.day if copy.day != copy.read else None}
    source = Source.model_validate({**file.sources[name].model_dump(), "url": url, **dates})
    return StatedModels(sources={**file.sources, name: source}, lists=tuple(lists))


def stated_models_text(file: StatedModels) -> str:
    """Return the text of `stated-models.yaml`.

    A list has one source, so its `source` is written as an id, not as a list of ids.
    """
    data: dict[str, Any] = file.model_dump(exclude_defaults=True)
    for list_record in data["lists"]:
        list_record["source"] = list_record["source"][0]
    return _SCHEMA_LINE + yaml_text(data)
