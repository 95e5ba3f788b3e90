"""A row in the text of a file: everything that a person wrote stays as it is."""

from __future__ import annotations

import datetime as dt
import difflib

import pytest

from accelerator_portal.catalog.files.versions_file import CompatibilityRow
from accelerator_portal.packages.compatibility_edit import with_row
from accelerator_portal.packages.plugin_releases import PluginRelease
from accelerator_reports.files.problem import ProblemsError
from tests.portal.packages.made_up import release

PATH = "accelerators/example/compatibility.yaml"
DAY = dt.date(2026, 3, 1)
RELEASE = PluginRelease("example", "torch-example", "pypi", release("2.1.0"), DAY)

FLOW = """\
sources: {other: {url: "https://example.org", title: T, read: 2026-01-02}}
rows:
  - {torch: "2.2.0", source: other}
"""

TEXT = """\
# The first line.
sources:
  pypi: # where it is published
    package: torch-example
    title: torch-example on PyPI
    read: 2026-01-02 # by a person
  table:
    url: https://example.org/table
    title: A table
    read: 2026-01-02
components: >
  Words.
rows:
  # The newest one.
  - torch: "2.2.0"
    plugin: "2.2.0"
    source: pypi

  # An older one.
  - {torch: "2.0.0", plugin: "2.0.0", source: [pypi, table]} # it works
# The end.
"""


def row(torch: str, plugin: str = "2.1.0", **more: object) -> CompatibilityRow:
    fields = {"torch": torch, "plugin": plugin, "source": "package", **more}
    return CompatibilityRow.model_validate(fields)


def change(text: str, new: CompatibilityRow, found: PluginRelease = RELEASE) -> list[str]:
    """The lines that are added and removed."""
    after = with_row(PATH, text, found, new)
    lines = difflib.unified_diff(text.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line for line in lines if not line.startswith(("@@", "---", "+++"))]


DATED = ["-    read: 2026-01-02 # by a person", "+    read: 2026-03-01 # by a person"]


def added(torch: str) -> list[str]:
    return [f'+  - torch: "{torch}"', '+    plugin: "2.1.0"', "+    source: pypi"]


@pytest.mark.parametrize(
    ("torch", "before"),
    [("2.3.0", "  # The newest one."), ("2.1.0", "  # An older one."), ("1.9.0", "# The end.")],
)
def test_a_row_has_the_place_of_its_version_and_comments_stay(torch: str, before: str) -> None:
    assert change(TEXT, row(torch)) == DATED + added(torch)
    lines = with_row(PATH, TEXT, RELEASE, row(torch)).splitlines()
    assert lines[lines.index(f'  - torch: "{torch}"') + 3] == before


def test_of_one_torch_release_the_newer_plugin_stands_first() -> None:
    text = with_row(PATH, TEXT, RELEASE, row("2.2.0", "2.2.0.post1"))
    assert text.index("2.2.0.post1") < text.index("# The newest one.")
    text = with_row(PATH, TEXT, RELEASE, row("2.2.0", "2.1.0"))
    assert text.index("# The newest one.") < text.index('"2.1.0"') < text.index("# An older one.")


def test_every_field_is_written_so_that_yaml_reads_it_back() -> None:
    new = row(
        "2.1.0",
        python=["3.12", "3.13t"],
        variant="ex2",
        needs={"SDK: new": "==9.*"},
        includes={"lib": "1.0"},
        note='He said "no": # really',
        source=["package", "table"],
    )
    assert change(TEXT, new)[2:] == [
        '+  - torch: "2.1.0"',
        '+    plugin: "2.1.0"',
        "+    variant: ex2",
        '+    python: ["3.12", "3.13t"]',
        "+    needs:",
        "+      'SDK: new': ==9.*",
        "+    includes:",
        '+      lib: "1.0"',
        "+    note: 'He said \"no\": # really'",
        "+    source: [pypi, table]",
    ]


def test_a_release_that_stands_in_the_file_changes_nothing() -> None:
    assert with_row(PATH, TEXT, RELEASE, row("2.2.0", "2.2.0")) == TEXT


def test_a_source_that_was_read_later_keeps_its_day() -> None:
    later = TEXT.replace("read: 2026-01-02 # by", "read: 2026-04-01 # by")
    assert change(later, row("2.1.0")) == added("2.1.0")


@pytest.mark.parametrize("old", ["package: torch-example", "title: torch-example on PyPI"])
def test_without_a_current_source_of_the_package_the_row_brings_one(old: str) -> None:
    new = "package: another" if old.startswith("package") else f"{old}\n    as_of: 2026-01-01"
    assert change(TEXT.replace(old, new), row("2.3.0")) == [
        "+  package-2-1-0:",
        "+    package: torch-example",
        "+    title: torch-example on PyPI, wheel tags and metadata",
        "+    read: 2026-03-01",
        '+  - torch: "2.3.0"',
        '+    plugin: "2.1.0"',
        "+    source: package-2-1-0",
    ]


def test_the_sources_may_be_below_the_rows() -> None:
    first, sources, rest = TEXT.partition("sources:\n")
    sources_text, components, rows_text = rest.partition("components:")
    below = f"{first}{components}{rows_text}{sources}{sources_text}"
    new = row("2.3.0")
    assert sorted(change(below, new)) == sorted(change(TEXT, new))
    other = below.replace("package: torch-example", "package: another")
    assert "+  package-2-1-0:" in change(other, new)


def test_the_source_on_another_index_is_its_page() -> None:
    own = PluginRelease(
        "example", "torch-example", "https://example.org/simple", RELEASE.facts, DAY
    )
    assert "+    url: https://example.org/simple/torch-example/" in change(TEXT, row("2.3.0"), own)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TEXT.partition("rows:")[0] + "rows: []\n", "the file has no row"),
        (
            TEXT.partition("rows:")[0] + 'rows: [{torch: "2.2.0", source: [pypi, table]}]\n',
            "does not start with a dash",
        ),
        ("rows: [\n", "not valid YAML"),
        (TEXT.replace('plugin: "2.2.0"', "plugin: [2]"), "no row can be added"),
        (FLOW, "the sources are not written one per line"),
    ],
)
def test_a_file_in_another_form_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(ProblemsError, match=words) as caught:
        with_row(PATH, text, RELEASE, row("2.3.0"))
    assert str(caught.value).startswith(f"{PATH}:")
