"""Reads supported models from a vendor's document, and updates `stated-models.yaml` from it.

A `ModelList` describes which headings and columns to read. ProblemsError is raised if a heading or
a required column is missing, or if a mark is not in `ModelList.marks`. Therefore, models are never
lost silently if the document changes its form. The columns of names and examples are required. If
`ModelList.supported` names columns, at least one of them is required, too.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple, NoReturn

from markdown_it import MarkdownIt
from pydantic import ValidationError
from selectolax.lexbor import LexborHTMLParser, LexborNode

from accelerator_portal.catalog.files.shared_files import (
    GITHUB_FILE_AT_COMMIT,
    LIST_ITEM,
    ModelList,
    StatedModel,
    StatedModels,
    StatedPurpose,
)
from accelerator_portal.catalog.yaml_text import yaml_text
from accelerator_reports.files.fields import VERDICT_MARK
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.sources import Source
from accelerator_reports.files.text_file import HIDDEN_CHARACTER

NOT_MARKED = "not marked as supported"
_DEPRECATED = re.compile(r"\bdeprecated\b", re.IGNORECASE)
_LEVEL_BY_TAG = {f"h{level}": level for level in range(1, 7)}
_LIST_TAGS = frozenset({"ul", "ol"})
_CELL_TAGS = frozenset({"td", "th"})
# The most columns that a cell spans in browsers (https://html.spec.whatwg.org/#attr-tdth-colspan);
# here, it is also the most rows.
_MAX_SPAN = 1_000
# Tables in a tab of MkDocs are indented as if they were code.
_INDENTED_ROW = re.compile(r"^[ \t]+(?=\|)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _DocumentTable:
    """A table or a list of a document, with the texts of its cells.

    `headings` are the titles of the sections that contain the table or list, the outermost section
    first. The first row has the names of the columns. A list has one column, named `LIST_ITEM`, and
    a row for each list item that contains no other list.
    """

    headings: tuple[str, ...]
    rows: list[list[str]]
    is_list: bool


def _tables_and_headings(html: str) -> tuple[list[_DocumentTable], set[str]]:
    """Return the tables and lists of a page, and the titles of all its headings.

    A list within a list or a table is not returned separately.
    """
    tables: list[_DocumentTable] = []
    titles: set[str] = set()
    outer: list[tuple[int, str]] = []
    root = LexborHTMLParser(html).root
    for node in root.traverse() if root else ():
        tag = node.tag or ""
        headings = tuple(title for _, title in outer)
        if level := _LEVEL_BY_TAG.get(tag):
            title = _plain_text(node.text())
            outer = [heading for heading in outer if heading[0] < level] + [(level, title)]
            titles.add(title)
        elif tag == "table":
            tables.append(_DocumentTable(headings, _table_rows(node), is_list=False))
        elif tag in _LIST_TAGS and _LIST_TAGS.union(_CELL_TAGS).isdisjoint(_outer_tags(node)):
            items = (item for item in node.css("li") if not item.css("ul, ol"))
            rows = [[LIST_ITEM], *([_plain_text(item.text())] for item in items)]
            tables.append(_DocumentTable(headings, rows, is_list=True))
    return tables, titles


def _outer_tags(node: LexborNode) -> Iterator[str]:
    outer = node.parent
    while outer:
        yield outer.tag or ""
        outer = outer.parent


def _table_rows(table: LexborNode) -> list[list[str]]:
    """Return the cell texts of each row of a table. The first row has the column names.

    If a cell spans several columns or rows, its text is repeated in each column and row.
    """
    text_by_cell: dict[tuple[int, int], str] = {}
    rows = table.css("tr")
    for y, row in enumerate(rows):
        x = 0
        for cell in (node for node in row.iter() if node.tag in _CELL_TAGS):
            while (y, x) in text_by_cell:
                x += 1
            columns = range(x, x + _cell_span(cell, "colspan"))
            cells = product(range(y, y + _cell_span(cell, "rowspan")), columns)
            text_by_cell |= dict.fromkeys(cells, _cell_text(cell))
            x += len(columns)
    width = max((x for _, x in text_by_cell), default=-1) + 1
    head = len(table.css("thead tr")) or 1
    column_titles = ([text_by_cell.get((y, x), "") for y in range(head)] for x in range(width))
    names = [" ".join(dict.fromkeys(filter(None, texts))) for texts in column_titles]
    inner_rows = range(head, len(rows))
    return [names, *([text_by_cell.get((y, x), "") for x in range(width)] for y in inner_rows)]


def _cell_span(cell: LexborNode, name: str) -> int:
    """Return how many columns or rows a cell covers.

    `name` is the attribute to read, `colspan` or `rowspan`. `rowspan=0` means that the cell covers
    all rows below; the result is then `_MAX_SPAN`.
    """
    value = (cell.attributes.get(name) or "")[:9]
    if not value.isdecimal():
        return 1
    return min(int(value) or (_MAX_SPAN if name == "rowspan" else 1), _MAX_SPAN)


def _cell_text(cell: LexborNode) -> str:
    """Return a cell's text on one line, in which commas separate its lines and list items."""
    for node in cell.css("br, li"):
        node.insert_before(", ")
    return _plain_text(cell.text()).lstrip(", ")


def read_models(path: str, text: str, listed: ModelList) -> ModelList:
    """Return a copy of `listed` with `rows`, `left_out` and `models` read from its document.

    `path` and `text` are the path and the text of the document. It is HTML if the path ends with
    `.html`, otherwise Markdown. Raises ProblemsError if the document does not fit the reading rules
    in `listed`, for example if a heading is missing.
    """
    reader = _ModelReader(path, text, listed)
    for table in _document_tables(path, text, listed):
        if set(listed.headings).intersection(table.headings):
            reader.add_table(table)
    for purpose, title in listed.purpose_from.items():
        if not any(purpose in facts.purpose for facts in reader.models.values()):
            what = f'no heading or column "{title}" states a model for {purpose}'
            _raise_problem(path, what, "correct purpose_from")
    if not reader.models:
        _raise_problem(
            path, "no row states a supported model", "correct headings, columns or marks"
        )
    unused = set(listed.except_rows.values()) - set(reader.left_out)
    if unused:
        _raise_problem(path, f"no row is left out for: {min(unused)}", "remove it from except_rows")
    models = tuple(
        _stated_model(path, name, examples, model_facts)
        for (name, examples), model_facts in reader.models.items()
    )
    update = {"rows": reader.rows, "left_out": dict(reader.left_out), "models": models}
    return listed.model_copy(update=update)


def _document_tables(path: str, text: str, listed: ModelList) -> list[_DocumentTable]:
    """Return all tables of the document, or all its lists if `listed` reads list items.

    Raises ProblemsError if there is no table, or no list, below one of the headings in `listed`.
    """
    if not path.endswith(".html"):
        markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
        text = markdown.render(_INDENTED_ROW.sub("", text))
    all_tables, titles = _tables_and_headings(text)
    tables = [table for table in all_tables if table.is_list == (listed.name == LIST_ITEM)]
    for heading in (*listed.headings, *listed.except_headings):
        if heading not in titles:
            _raise_problem(
                path, f'the document has no heading "{heading}"', "name its headings again"
            )
        if not any(heading in table.headings for table in tables):
            kind = "list" if listed.name == LIST_ITEM else "table"
            what = f'the document has no {kind} below the heading "{heading}"'
            _raise_problem(path, what, "remove the heading, or correct name")
    return tables


def _stated_model(
    path: str, name: str, examples: str | None, model_facts: _ModelFacts
) -> StatedModel:
    details = "; ".join(model_facts.details) or None
    purpose = tuple(model_facts.purpose)
    try:
        return StatedModel(name=name, examples=examples, details=details, purpose=purpose)
    except ValidationError as error:
        what = f'"{name[:60]}": {error.errors(include_url=False)[0]["msg"]}'
        _raise_problem(path, what, "leave its row out with except_rows")


@dataclass(slots=True)
class _ModelFacts:
    details: dict[str, None] = field(default_factory=dict)
    purpose: dict[StatedPurpose, None] = field(default_factory=dict)


@dataclass
class _ModelReader:
    path: str
    text: str
    listed: ModelList
    rows: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    models: dict[tuple[str, str | None], _ModelFacts] = field(default_factory=dict)

    def add_table(self, table: _DocumentTable) -> None:
        """Add the models in a table's rows to `models`.

        If the table is below one of `except_headings`, its rows are only counted, in `rows` and
        `left_out`.
        """
        reasons = [r for h, r in self.listed.except_headings.items() if h in table.headings]
        header, *rows = table.rows
        self.rows += len(rows)
        if reasons:
            self.left_out[reasons[0]] += len(rows)
            return
        support_columns = [c for c in self.listed.supported if c in header]
        missing = [c for c in (self.listed.name, self.listed.examples) if c and c not in header]
        if self.listed.supported and not support_columns:
            missing.append(self.listed.supported[0])
        if missing:
            what = f'the table below "{table.headings[-1]}" has no column "{missing[0]}"'
            columns = list(filter(None, header))
            remedy = f"it has {', '.join(columns)}" if columns else "it has no columns"
            self._raise_row_problem(what, remedy, columns[0] if columns else "")
        last_name = ""
        for cells in rows:
            row = dict(zip(header, cells, strict=True))
            last_name = row[self.listed.name] = row[self.listed.name] or last_name
            self._read_row(row, support_columns, table.headings)

    def _read_row(
        self, row: Mapping[str, str], support_columns: list[str], headings: tuple[str, ...]
    ) -> None:
        name = row[self.listed.name]
        if not name:
            self._raise_row_problem("a row has no name of a model", "leave its heading out", "")
        for words, reason in self.listed.except_rows.items():
            if any(words in cell for cell in row.values()):
                self.left_out[reason] += 1
                return
        marked = [column for column in support_columns if self._is_marked_supported(row, column)]
        if support_columns and not marked:
            self.left_out[NOT_MARKED] += 1
            return
        examples = _without_marks(row[self.listed.examples]) if self.listed.examples else None
        model_name = _without_marks(name) or name
        read_columns = {self.listed.name, self.listed.examples, *self.listed.details}
        if any(_DEPRECATED.search(row[column]) for column in row.keys() - read_columns):
            model_name += " (Deprecated)"
        model_facts = self.models.setdefault((model_name, examples or None), _ModelFacts())
        for purpose, title in self.listed.purpose_from.items():
            if title in headings or row.get(title):
                model_facts.purpose[purpose] = None
        details = [self._cell_detail(row[c], c) for c in self.listed.details if c in row]
        # The title of the only column in `supported`, such as "Supported", adds nothing. If a table
        # has one of several, its title adds nothing to columns of details.
        names_columns = len(self.listed.supported) > 1 and (len(support_columns) > 1 or not details)
        if words := ", ".join(filter(None, (*details, *(marked if names_columns else ())))):
            model_facts.details[words] = None

    def _cell_detail(self, cell: str, column: str) -> str:
        """Return the detail that a cell states about a model: the cell's text without marks.

        If the cell is a mark that means support, return the column's name. If the mark means no
        support, return "".
        """
        if cell in self.listed.marks:
            return column if self.listed.marks[cell] else ""
        return _without_marks(cell)

    def _is_marked_supported(self, row: Mapping[str, str], column: str) -> bool:
        mark = row[column]
        if mark not in self.listed.marks:
            what = f'"{row[self.listed.name]}" has "{mark[:60]}" in the column "{column}"'
            self._raise_row_problem(what, "add it to marks", row[self.listed.name])
        return self.listed.marks[mark]

    def _raise_row_problem(self, what: str, remedy: str, near: str) -> NoReturn:
        lines = self.text.splitlines()
        line = next((number for number, text in enumerate(lines, 1) if near and near in text), 1)
        _raise_problem(self.path, what, remedy, line)


def _raise_problem(path: str, what: str, remedy: str, line: int = 1) -> NoReturn:
    raise ProblemsError([Problem(path, line, what, remedy)])


def _plain_text(text: str) -> str:
    return " ".join(HIDDEN_CHARACTER.sub(" ", text).split())


def _without_marks(text: str) -> str:
    """Return a text without symbols that look like verdicts, such as check marks."""
    return " ".join(VERDICT_MARK.sub("", text).split()).strip(" ,")


# Updates a list of supported models in `stated-models.yaml` from a newer copy of its document.

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
