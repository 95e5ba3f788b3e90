"""Adds a row and its source to the text of a `compatibility.yaml`; existing rows stay unchanged."""

from __future__ import annotations

import re
from collections.abc import Mapping

from packaging.version import Version

from accelerator_portal.catalog.files.package_file import PYPI
from accelerator_portal.catalog.files.versions_file import Compatibility, CompatibilityRow
from accelerator_portal.catalog.yaml_text import cited_record, yaml_lines
from accelerator_portal.packages.plugin_releases import SOURCE_ID, PluginRelease
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.files.sources import Source
from accelerator_reports.files.yaml_file import (
    YamlFile,
    comment_start,
    edit_error,
    read_for_edit,
    replace_read_date,
)

_REMEDY = "write the rows as a list with one `- torch: ...` entry each, or add the row by hand"


def with_row(path: str, text: str, release: PluginRelease, row: CompatibilityRow) -> str:
    """Return `text`, the content of `compatibility.yaml`, with `row` added in version order.

    `path` names the file in errors. If `row.source` contains the placeholder SOURCE_ID, the file
    gets a source for the metadata of `release`, and the placeholder is replaced by its id. Returns
    `text` unchanged if the file already lists the plugin version. Raises ProblemsError if the file
    cannot be read, or is written in a form that cannot be edited.
    """
    before, file = read_for_edit(path, text, Compatibility, "row")
    if any(existing_row.plugin == row.plugin for existing_row in before.rows):
        return text
    lines = text.split("\n")
    position = _row_position(before, row)
    line_index = _insertion_index(path, file, before, position, lines)
    id_, new_lines = _with_metadata_source(path, file, before, release, lines)
    source_ids = tuple(dict.fromkeys(id_ if s == SOURCE_ID else s for s in row.source))
    new_row = row.model_copy(update={"source": source_ids})
    if file.line(("sources",)) <= line_index:
        line_index += len(new_lines) - len(lines)
    indent = lines[file.line(("rows", 0)) - 1].partition("-")[0]
    new_lines[line_index:line_index] = yaml_lines([cited_record(new_row)], indent)
    new_text = "\n".join(new_lines)
    after, _ = read_for_edit(path, new_text, Compatibility, "row")
    expected = (*before.rows[:position], new_row, *before.rows[position:])
    if after.rows != expected or not set(before.sources) <= set(after.sources):
        raise _row_edit_error(path, 1, "the new row cannot be written without changing other rows")
    return new_text


def _row_edit_error(path: str, line: int, what: str) -> ProblemsError:
    return edit_error(path, line, what, _REMEDY)


def _row_position(before: Compatibility, row: CompatibilityRow) -> int:
    """Return the index in `before.rows` at which the new row `row` is inserted.

    Rows are sorted by torch version, then by plugin version, newest first.
    """
    for position, existing_row in enumerate(before.rows):
        if _row_sort_key(existing_row) < _row_sort_key(row):
            return position
    return len(before.rows)


def _row_sort_key(row: CompatibilityRow) -> tuple[Version, Version]:
    return Version(row.torch), Version(row.plugin or "0")


def _insertion_index(
    path: str, file: YamlFile, before: Compatibility, position: int, lines: list[str]
) -> int:
    """Return the index in `lines` at which the new row's lines are inserted.

    `before` is the content of the file without the new row, and `position` the number of rows that
    the new row follows. Raises ProblemsError if the file has no rows, or if a row's first line does
    not start with a dash.
    """
    if not before.rows:
        raise _row_edit_error(
            path, file.line(("rows",)), "the file has no row after which a new row can be added"
        )
    for number in range(len(before.rows)):
        line = file.line(("rows", number))
        if not re.match(r"\s*- ", lines[line - 1]):
            raise _row_edit_error(path, line, "this row does not start with a dash on its own line")
    if position < len(before.rows):
        return comment_start(lines, file.line(("rows", position)) - 1)
    rows_line = file.line(("rows",))
    later_lines = (line for key, line in file.lines.items() if len(key) == 1 and line > rows_line)
    end = min(later_lines, default=len(lines) + 1) - 1
    while end > rows_line and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return end


def _with_metadata_source(
    path: str, file: YamlFile, before: Compatibility, release: PluginRelease, lines: list[str]
) -> tuple[str, list[str]]:
    """Return the id of the source for the release's metadata, and the lines with this source.

    If the file already has a source without `as_of` for the package, this source is used. If
    `release.read` is later than the source's `read` date, it replaces this date. The date then
    applies to all rows that cite the source. This is correct, because the nightly update compares
    every row with the index.

    If the file has no such source, a new source is added to the lines. Raises ProblemsError if the
    file's sources are not written one per line.
    """
    matching_ids = [
        id_
        for id_, s in before.sources.items()
        if _is_metadata_source(s, release) and s.as_of is None
    ]
    if matching_ids:
        line_index = file.line(("sources", matching_ids[0], "read")) - 1
        changed_lines = list(lines)
        if before.sources[matching_ids[0]].read < release.read:
            changed_lines[line_index] = replace_read_date(lines[line_index], release.read)
        return matching_ids[0], changed_lines
    sources_line = file.line(("sources",))
    if lines[sources_line - 1].rstrip() != "sources:":
        raise _row_edit_error(path, sources_line, "the sources are not written one per line")
    id_ = _new_source_id(before.sources, release.facts.version)
    return id_, [*lines[:sources_line], *_source_lines(id_, release), *lines[sources_line:]]


def _is_metadata_source(source: Source, release: PluginRelease) -> bool:
    if release.index == PYPI:
        return source.package == release.package
    return source.url == _index_page_url(release)


def _index_page_url(release: PluginRelease) -> str:
    return f"{release.index.rstrip('/')}/{release.package}/"


def _new_source_id(sources: Mapping[str, Source], version: str) -> str:
    source_id = f"package-{re.sub(r'[^0-9a-z]+', '-', version.lower()).strip('-')}"
    return source_id if source_id not in sources else f"{source_id}-index"


def _source_lines(id_: str, release: PluginRelease) -> list[str]:
    on_pypi = release.index == PYPI
    index_name = "PyPI" if on_pypi else "its package index"
    address = {"package": release.package} if on_pypi else {"url": _index_page_url(release)}
    title = f"{release.package} on {index_name}, wheel tags and metadata"
    return yaml_lines({id_: {**address, "title": title, "read": release.read}}, "  ")
