"""Whatever a vendor hands over, each parser returns or names problems; nothing else comes of it.

Beside the tests of each parser, which begin with any bytes, text or JSON: here good files are
changed in a few places, so that what lies behind the first check is reached as well. Many more
examples than every day: `pytest --hypothesis-profile=many tests/hostile/test_properties.py`.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from selectolax.lexbor import LexborHTMLParser

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.accelerator import Accelerator
from accelerator_portal.catalog.files.install_file import Install
from accelerator_portal.catalog.files.versions_file import Compatibility
from accelerator_portal.catalog.markdown_file import parse_markdown
from accelerator_portal.checks import errors, load_and_check
from accelerator_portal.install.expand import expand
from accelerator_portal.results.result_matrices import matrices
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.site import Edition, RepositoryLinks, build_site
from accelerator_portal.site.pages.suites import csv_text
from accelerator_portal.site.vendor_text import render_vendor_text
from accelerator_reports.file_reading import ImportOptions
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.sources import SourcedFile
from accelerator_reports.files.text_file import HIDDEN_CHARACTER
from accelerator_reports.files.yaml_file import parse_yaml, validate
from accelerator_reports.formats.format_list import READERS, detect_format
from accelerator_reports.known_issues import KnownIssues
from accelerator_reports.report import Report
from accelerator_reports.report_file import KnownNames, read_report, report_problems, report_text
from accelerator_reports.validation_file import Validation
from tests.built_site import copy_sources
from tests.day import TODAY
from tests.folders import EXAMPLE, write_tree
from tests.hostile import formats, markdown
from tests.hostile.imported_files import JSON
from tests.hostile.mutations import mutated
from tests.hostile.reports import GOOD
from tests.portal.site.test_vendor_text import assert_harmless

# A whole folder takes a hundred times as long as one file.
FEW = settings(max_examples=settings().max_examples // 16)
NOW = dt.datetime(2026, 11, 21, tzinfo=dt.UTC)
T = TypeVar("T")
FRONT = EXAMPLE["accelerators/example/guide.md"].split("## ")[0]

ACME = Path(__file__).parents[1] / "portal/site/example/accelerators/acme"


def _acme(name: str) -> Any:  # noqa: ANN401 - any YAML
    text = json.dumps(yaml.safe_load((ACME / name).read_text("utf-8")), default=str)
    return json.loads(text)


_ISSUE = {
    "test": "made-up/first?dtype=float32",
    "action": "skip",
    "reason": "x",
    "url": "https://example.org/1",
    "expires": "2099-01-01",
}
_VALIDATION = {
    "suites": {
        "operators": {
            "tolerances": {"float16": {"rtol": 0.1, "atol": 0.1, "reason": "x"}},
            "axes": {"dtype": {"only": ["float32"], "reason": "x", "url": "https://x.example/1"}},
            "timeout_s": 90,
        }
    },
    "deploy": [{"id": "from-source", "title": "x", "script": "make", "check": "python"}],
}
FILES: dict[str, tuple[type[BaseModel], Any]] = {
    "accelerator.yaml": (Accelerator, _acme("accelerator.yaml")),
    "install.yaml": (Install, _acme("install.yaml")),
    "compatibility.yaml": (Compatibility, _acme("compatibility.yaml")),
    "known-issues.yaml": (KnownIssues, {"issues": [_ISSUE, _ISSUE | {"glob": "*", "test": None}]}),
    "validation.yaml": (Validation, _VALIDATION),
    "front matter": (SourcedFile, {"sources": _acme("accelerator.yaml")["sources"]}),
}
_RICH = GOOD["tests"][0] | {
    "parameters": {"dtype": "float32", "mode": "inference", "case": 1},
    "stage": "compare",
    "raw_status": "ok",
    "duration_s": 1.5,
    "reason": "x",
    "log_tail": "x",
    "known_issue": {"url": "https://example.org/1"},
    "metrics": {"speed": {"value": 2, "unit": "1"}},
    "evidence": [{"label": "log", "url": "https://example.org/2"}],
    "command": "pytest",
}
REPORT = GOOD | {"tests": [GOOD["tests"][0], _RICH], "note": "x"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("place")


def outcome(read: Callable[[], T]) -> T | tuple[Problem, ...]:
    """Return what was read, or the problems; nothing else may be raised."""
    try:
        return read()
    except ProblemsError as error:
        return error.problems


def assert_told(problems: tuple[Problem, ...]) -> None:
    assert problems
    assert all(str(problem).isprintable() for problem in problems)


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
def test_a_file_of_yaml_is_a_record_or_problems(name: str, data: st.DataObject) -> None:
    model, good = FILES[name]
    text = json.dumps(data.draw(mutated(good)), ensure_ascii=False, indent=1)
    file, problems = parse_yaml(name, text)
    record = None
    if file is not None:
        record, more = validate(model, file)
        problems = [*problems, *more]
    assert (record is None) <= bool(problems)
    for problem in problems:
        assert 1 <= problem.line <= text.count("\n") + 1
        assert str(problem).isprintable()


_PIECES = [*markdown.ACCEPTED.values(), *(text for text, _ in markdown.REFUSED.values())]
_BETWEEN = ["", " ", "\n", "\n\n", "> ", "- ", "    ", "\t", "`", "```\n", "[", "](", ")", "|", "*"]
# As a file gives it, without what it may not hold.
SOUP = st.lists(
    st.one_of(st.sampled_from(_PIECES), st.sampled_from(_BETWEEN), st.text(max_size=5)), max_size=12
).map(lambda parts: HIDDEN_CHARACTER.sub("", "".join(parts)))


@given(SOUP)
def test_any_markdown_is_problems_or_harmless(text: str) -> None:
    whole = f"{FRONT}## Prepare\n\n{text}"
    _, problems = parse_markdown("guide.md", whole)
    for problem in problems:
        assert 1 <= problem.line <= whole.count("\n") + 1
    tree = LexborHTMLParser(render_vendor_text(text, "prepare", lambda _: None))
    assert_harmless(tree)
    ids = Counter(node.attributes["id"] for node in tree.css("[id]"))
    assert not [name for name, number in ids.items() if number > 1]


@given(change=mutated(REPORT))
def test_a_report_is_read_or_refused_and_its_tables_are_made(change: Any, place: Path) -> None:  # noqa: ANN401 - any JSON
    file = place / "run.json"
    file.write_text(json.dumps(change), "utf-8", "surrogatepass")
    report = outcome(lambda: read_report(file))
    if not isinstance(report, Report):
        assert_told(report)
        return
    for problem in report_problems(report, "run.json", KnownNames(), NOW):
        assert str(problem).isprintable()
    file.write_text(report_text(report), "utf-8")
    assert read_report(file) == report
    assert_tables(report)


def assert_tables(report: Report) -> None:
    stored = StoredReport("run", "run.json", report, None)
    for matrix in matrices([stored], [report.accelerator]):
        text = csv_text([[name, *map(str, row)] for name, row in zip(matrix.names, matrix.cells)])  # noqa: B905 - of equal length by its type
        assert len(list(csv.reader(io.StringIO(text, newline="")))) == len(matrix.names)


def read_or_refused(name: str, file: Path) -> None:
    """Whatever a reader makes of a file is a report, or problems."""
    kind = outcome(lambda: detect_format(file))
    found = outcome(lambda: READERS[name](file, ImportOptions(suite="made-up")))
    for got in (kind, found):
        if isinstance(got, tuple):
            assert_told(got)


@pytest.mark.parametrize("name", JSON)
@given(data=st.data())
def test_a_document_of_json_is_read_or_refused(name: str, data: st.DataObject, place: Path) -> None:
    file = place / f"{name}.json"
    file.write_text(json.dumps(data.draw(mutated(JSON[name]))), "utf-8", "surrogatepass")
    read_or_refused(name, file)


# fmt: off
_XML = (
    "<testsuites>", "</testsuites>", "<testsuite name='s' tests='1'>", "</testsuite>",
    "<testcase name='t' classname='TestX' time='1'>", "</testcase>", "<testcase/>",
    "<testcase name='test_add_cpu_float32' time='nan'/>", "<failure message='x'>", "</failure>",
    "<error/>", "<skipped type='x'/>", "<rerunFailure/>", "<properties>", "</properties>",
    "<property name='dtype' value='x'/>", "<system-out>", "</system-out>", "<![CDATA[", "]]>",
    "<!--", "-->", "&lt;", "&x;", "&#0;", "&#x202e;", "<?x y?>", "<!DOCTYPE x>", "\x1b", "\x00",
    "<?xml version='1.0' encoding='utf-16'?>", " ", "\n", "x", "<", ">", "'", '"', "é",
)
_ROWS: dict[str, tuple[str, ...]] = {
    "dynamo-csv": (
        "name,accuracy,graph_breaks\n", "BERT,pass,0\n", "BERT,fail_accuracy,\n", "name,float32\n",
        "# https://example.org/1\n", ",", "\n", "\r", '"', "pass", "nan", "1e999", "=1", "\x00",
    ),
    "executorch-csv": (
        formats._HEADER, "i,add,xnnpack,,Pass,,True\n", "i,add,xnnpack,,Fail,Unknown Failure,\n",
        'i,add,xnnpack_static,"{""dtype"": ""torch.float32""}",Skip,,\n', ",", "\n", "\r", '"',
        "i[xnnpack-float32],add,vulkan,,Pass,,False\n", "{", "}", "\x00", "é", "Output 0 SNR,", "x",
    ),
}
# fmt: on


def _soup(pieces: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces) | st.text(max_size=3), max_size=25).map("".join)


@given(inside=_soup(_XML), whole=st.booleans())
def test_a_document_of_xml_is_read_or_refused(inside: str, whole: bool, place: Path) -> None:  # noqa: FBT001 - drawn
    text = f"<testsuites><testsuite name='s'>{inside}</testsuite></testsuites>" if whole else inside
    (place / "x.xml").write_text(text, "utf-8", "surrogatepass")
    read_or_refused("junit", place / "x.xml")


@pytest.mark.parametrize("name", _ROWS)
@given(data=st.data())
def test_a_table_is_read_or_refused(name: str, data: st.DataObject, place: Path) -> None:
    file = place / "inductor_huggingface_float32_inference_cuda_accuracy.csv"
    rows = _ROWS[name]
    text = rows[0] * data.draw(st.booleans()) + data.draw(_soup(rows))
    file.write_text(text, "utf-8", "surrogatepass", newline="")
    read_or_refused(name, file)


@pytest.mark.parametrize("name", [*READERS])
@given(content=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(name: str, content: bytes, place: Path) -> None:
    file = place / "inductor_huggingface_float32_inference_cuda_accuracy.csv"
    file.write_bytes(content)
    read_or_refused(name, file)


@pytest.fixture(scope="module")
def acme(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """A repository in which one file of the platform is another."""
    root = copy_sources(tmp_path_factory.mktemp("acme") / "repository", ACME.parents[1])
    good = {f"accelerators/acme/{file.name}": file.read_text("utf-8") for file in ACME.glob("*.*")}
    good["accelerators/acme/known-issues.yaml"] = json.dumps(FILES["known-issues.yaml"][1])
    good["accelerators/acme/validation.yaml"] = json.dumps(_VALIDATION)
    good["accelerators/acme/results/nightly.json"] = json.dumps(REPORT | {"accelerator": "acme"})

    def change(path: str, text: str) -> Path:
        return write_tree(root, good | {f"accelerators/acme/{path}": text})

    return change


def assert_built(root: Path) -> None:
    """Problems, or a site: pages of what is accepted are made without a fault."""
    catalog, problems = load_and_check(root, TODAY)
    assert all(str(problem).isprintable() for problem in problems)
    if isinstance(catalog, Catalog) and not errors(problems):
        assert expand(catalog)[0]
        repository = RepositoryLinks("https://x.example", "https://x/edit/")
        files = list(build_site(catalog, root, Edition(repository, TODAY)))
        paths = Counter(file.path for file in files)
        assert not [path for path, number in paths.items() if number > 1 or ".." in path]


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".yaml")])
@FEW
@given(data=st.data())
def test_a_folder_with_one_strange_file_is_problems_or_pages(
    name: str, data: st.DataObject, acme: Callable[[str, str], Path]
) -> None:
    assert_built(acme(name, json.dumps(data.draw(mutated(FILES[name][1])), indent=1)))


@FEW
@given(change=mutated(REPORT | {"accelerator": "acme"}))
def test_a_folder_with_a_strange_report_is_problems_or_pages(
    change: Any,  # noqa: ANN401 - any JSON
    acme: Callable[[str, str], Path],
) -> None:
    assert_built(acme("results/nightly.json", json.dumps(change)))


@FEW
@given(text=SOUP)
def test_a_folder_with_a_strange_text_is_problems_or_pages(
    text: str, acme: Callable[[str, str], Path]
) -> None:
    guide = (ACME / "faq.md").read_text("utf-8")
    assert_built(acme("faq.md", f"{guide}\n\n{text}\n"))
