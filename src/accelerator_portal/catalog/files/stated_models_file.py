"""Models `stated-models.yaml`: models that a platform runs according to documents, not to tests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from accelerator_reports.files.fields import (
    Count,
    Flag,
    Line,
    Name,
    Paragraph,
    StrictModel,
    reject_verdict_marks,
    validation_error,
)
from accelerator_reports.files.sources import Sourced, SourcedFile

GITHUB_FILE_AT_COMMIT = re.compile(
    r"https://github\.com/(?P<repository>[^/]+/[^/]+)/blob/(?P<commit>[0-9a-f]{40})/(?P<path>.+)"
)
"""Pattern for the address of a file on GitHub at a commit."""

LIST_ITEM = "list item"
"""The value of `ModelList.name` if a document lists models as items of a list, not in a table."""

StatedPurpose = Literal["training", "inference"]

# A check mark next to a model would look like a test result.
_UnmarkedText = Annotated[Paragraph, AfterValidator(reject_verdict_marks)]


class StatedModel(StrictModel):
    """A model in the list of a document, in the document's words."""

    name: Annotated[Line, AfterValidator(reject_verdict_marks)]
    """Name of the model or model family, with `(Deprecated)` if another column says so."""
    examples: _UnmarkedText | None = None
    """Examples of the model that the document names."""
    details: _UnmarkedText | None = None
    """What the model runs with according to the document: an engine, data types or devices."""
    purpose: tuple[StatedPurpose, ...] = ()
    """The purpose that the document states for this model. Default: `purpose` of the list."""


class ModelList(Sourced):
    """A list of models in a document: how to read its tables or lists, and their content.

    `accelerator-portal stated-models` writes `rows`, `left_out` and `models`.
    """

    by: Name
    """Publisher of the document, for example `Enflame`."""
    software: Line
    """The software with which the document says that the models run, for example `vLLM-GCU`."""
    headings: Annotated[tuple[Line, ...], Field(min_length=1)]
    """Headings of the document. The tables or lists below them are read."""
    purpose: tuple[StatedPurpose, ...] = ()
    """The purpose that the document states for all models of the list. Omit it if the document
    states no purpose."""
    purpose_from: Mapping[StatedPurpose, Line] = Field(default_factory=dict)
    """Where the document states a purpose: the title of a section or of a column, by purpose, for
    example `training: Training`. A model has the purpose if it is in the section, or if its cell in
    the column is not empty."""
    except_headings: Mapping[Line, Line] = Field(default_factory=dict)
    """Headings whose tables are not read, each with the reason."""
    name: Line
    """Title of the column that contains the name of the model. `list item`: the models are the
    items of lists, not rows of tables. An item that contains another list is not read."""
    examples: Line | None = None
    """Title of the column that contains examples of the model."""
    details: tuple[Line, ...] = ()
    """Titles of the columns that say what the model runs with, such as data types. If a cell
    contains only a mark that means support, the title of its column is used."""
    supported: tuple[Line, ...] = ()
    """Titles of the columns with marks that say whether the model is supported. One such mark is
    enough. Default: every row counts as supported."""
    marks: Mapping[str, Flag] = Field(default_factory=dict)
    """Each text that the columns in `supported` contain, and whether it means support, for example
    `Planned: false`. Any other text is an error."""
    except_rows: Mapping[Line, Line] = Field(default_factory=dict)
    """Texts, each with a reason. A row that contains the text in any column is left out."""
    rows: Count = 0
    """Number of rows in the tables."""
    left_out: Mapping[Line, Count] = Field(default_factory=dict)
    """Number of rows that were left out, by reason."""
    models: tuple[StatedModel, ...] = ()
    """The models. Rows that differ only in details count as one model."""

    @property
    def taken(self) -> int:
        """The number of rows that state a supported model: `rows` minus `left_out`."""
        return self.rows - sum(self.left_out.values())

    @model_validator(mode="after")
    def _check_marks_and_columns(self) -> ModelList:
        if bool(self.marks) != bool(self.supported):
            raise validation_error(
                "supported needs marks, and marks need supported", "set both or neither"
            )
        return self


class StatedModels(SourcedFile):
    """Lists of models that run on one platform, according to documents."""

    lists: Annotated[tuple[ModelList, ...], Field(min_length=1)]
    """The lists. Each has a source of its own: a file on GitHub at a commit."""

    @model_validator(mode="after")
    def _check_list_sources(self) -> StatedModels:
        source_ids = [model_list.source for model_list in self.lists]
        for ids in source_ids:
            url = self.sources[ids[0]].url if len(ids) == 1 and ids[0] in self.sources else None
            if url is None or not GITHUB_FILE_AT_COMMIT.fullmatch(url):
                remedy = "name one source whose url is a file on GitHub at a full commit"
                raise validation_error(
                    f'the source of the list, "{", ".join(ids)}", is no such file', remedy
                )
        if len(set(source_ids)) != len(source_ids):
            raise validation_error("two lists have the same source", "put them into one list")
        return self
