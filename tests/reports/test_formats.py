"""One line of the table is all that a format needs to be offered, and to be recognized."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from accelerator_reports.cli.main import main
from accelerator_reports.file_reading import ImportOptions
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.formats.format_list import FORMATS, READERS, WRITERS, detect_format

READ = [name for name, form in FORMATS.items() if form.read]


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_read_or_written_and_has_a_name_for_sentences(name: str) -> None:
    form = FORMATS[name]
    assert form.read or form.write
    assert form.title


def test_no_two_formats_look_alike() -> None:
    told_by = [
        (mark, FORMATS[name].further)
        for name in READ
        for mark in FORMATS[name].starts or [FORMATS[name].keys]
    ]
    assert all(mark for mark, _ in told_by)
    assert len(set(told_by)) == len(told_by)


@pytest.mark.parametrize("name", READ)
def test_a_file_with_what_tells_a_format_is_of_that_format(name: str, tmp_path: Path) -> None:
    """What stands elsewhere is found wherever it is; the rest only near the beginning."""
    file = tmp_path / "results"
    form = FORMATS[name]
    for start in form.starts:
        beginning = b"<!-- x -->" if start.startswith(b"<") else b"x" * 100
        file.write_bytes(beginning + start + b"x" * 100_000 + b"".join(form.further))
        assert detect_format(file) == name
    if form.keys:
        further = [b'{"x": [', *form.further, b"]}"]
        keys = b", ".join(b'"%s": 1' % key.encode() for key in form.keys)
        file.write_bytes(b'{"y": %s, %s}' % (b"".join(further), keys))
        assert detect_format(file) == name


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (
            b'<test-run id="2"><test-case fullname="a.b"/></test-run>',
            "NUnit 3 XML; convert it with",
        ),
        (b"<!-- name, --><test-results/>", "NUnit 2 XML; convert it with"),
        (b"<TestRun id='1'/>", "a TRX file of Visual Studio; convert it with trx2junit"),
        (b"<assemblies/>", "xUnit.net XML; run xunit.console with -junit"),
        (b"<!doctype html><p>name,accuracy", "an HTML page, not test results; run the tests with"),
        (b"\x1f\x8b\x08\0<testsuite", "compressed with gzip; unpack it"),
        (b"PK\x03\x04\0", "a ZIP archive; unpack it"),
        (b"\x7fELF\0name,", "a binary file, not test results; run the tests with"),
        ("name,accuracy".encode("utf-16"), "in UTF-16; save it as UTF-8"),
        (b" \n", "empty; create it again"),
        (b'{"Action": "run", "Package": "p"}\n{}', "the output of go test -json; convert it with"),
        (b'{"numTotalTests": 1, "testResults": []}', "the JSON of Jest or Vitest; use jest-junit"),
        (
            b'{"exitcode": 0, "summary": {}, "tests": []}',
            "the JSON of pytest-json-report; run pytest",
        ),
        (
            b'{"classname": "A", "name": "b", "workflow_run_attempt": 1}\n{"name": "c"}',
            "a list of test cases that PyTorch's CI uploads; import the XML files",
        ),
        (
            b'{"date": "x", "failed": [], "passed": ["A::test_b_cpu"], "skipped": []}',
            "the report.json of ONNX's backend scoreboard; run pytest with --junit-xml",
        ),
        (
            b'{"passed": 1, "failed": 0}',
            'JSON of an unknown format, with the keys "passed", "failed"',
        ),
        (b'[{"a": 1}]', 'JSON of an unknown format, with the keys "a"; run the tests with'),
        (b"[1]", "JSON without the keys of any known format; run the tests with"),
        (b"TAP version 13\nok 1", "TAP output; convert it with tap-junit"),
        (b"not ok 1 - a\n1..1\n", "TAP output; convert it with tap-junit"),
        (b"1..2\nok 1\n", "TAP output; convert it with tap-junit"),
        (b"test: a\nsuccess: a\n", "probably the output of SubUnit; convert it with"),
        (b"dev;name;accuracy\n", "CSV with semicolons or tabs; separate its values with commas"),
        (b"name\taccuracy\n", "CSV with semicolons or tabs; separate its values with commas"),
        (b",name,accuracy\n", "CSV with a column without a name; remove it"),
        ("name,accuracy".encode("utf-32"), "in UTF-32; save it as UTF-8"),
        (b"\xb3\x2b\x02\x28", "probably the output of SubUnit; convert it with"),
        # marks of a format that are not keys of the outermost object
        (b'{"metrics": {"a": 1}}', 'JSON of an unknown format, with the keys "metrics"; run'),
        (b'["reportFormat"]', "JSON without the keys of any known format; run the tests with"),
        (
            b'{"numTotalTests": 1, "testResults": [{"reportFormat": 1}]}',
            "the JSON of Jest or Vitest; use jest-junit",
        ),
        (
            b'{"exitcode": 0, "summary": {}, "tests": [{"Result Detail": 1}]}',
            "the JSON of pytest-json-report; run pytest",
        ),
        (b"<!DOCTYPE html PUBLIC 'x' 'y'><html/>", "an HTML page, not test results; run"),
        (b"<?xml version='1.0'?><!DOCTYPE html><html/>", "an HTML page, not test results; run"),
    ],
)
def test_a_file_in_another_format_is_named(content: bytes, what: str, tmp_path: Path) -> None:
    file = tmp_path / "results"
    file.write_bytes(content)
    with pytest.raises(ProblemsError) as error:
        detect_format(file)
    assert f"the file is {what}" in str(error.value)


def test_a_header_is_a_whole_line(tmp_path: Path) -> None:
    file = tmp_path / "list.py"
    file.write_text("f(fullname,\n  name,accuracy)\nskip_dict = {\n", "utf-8")
    assert detect_format(file) == "xpu-skip-list"


def test_text_before_xml_is_named(tmp_path: Path) -> None:
    file = tmp_path / "results"
    file.write_text("Running\n1 test\n<testsuite/>", "utf-8")
    with pytest.raises(ProblemsError) as error:
        detect_format(file)
    assert str(error.value) == "results:3: there is text before the XML; remove it"


@pytest.mark.parametrize(
    "content",
    [
        b"x" * 100_000 + b"<testsuite",
        b"name,age\n",
        b"name,amplitude\n",
        b"model_name: x\nmetrics: [1]\n",
    ],
)
def test_a_sign_far_from_the_beginning_or_a_part_of_one_tells_nothing(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "results"
    file.write_bytes(content)
    with pytest.raises(ProblemsError) as error:
        detect_format(file)
    assert str(error.value) == (
        "results:1: unknown format; run the tests with an option or plugin that writes JUnit XML, "
        "and import that file. If it has one of these formats, pass it to --format: "
        f"{', '.join(sorted(READERS))}"
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_xml_may_be_in_utf_16(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "results"
    file.write_bytes('<testsuite name="ä"/>'.encode(encoding))
    assert detect_format(file) == "junit"


@pytest.mark.parametrize("name", READERS)
def test_every_reader_refuses_a_suite_that_is_none(name: str, tmp_path: Path) -> None:
    file = tmp_path / "results"
    file.touch()
    for suite, remedy in (
        ("My Suite", 'write "my-suite"'),
        (f"{'a' * 100}/x", f'write "{"a" * 60}"'),
    ):
        with pytest.raises(ProblemsError) as error:
            READERS[name](file, ImportOptions(suite))
        assert str(error.value) == f'results:1: "{suite[:60]}" is not a valid suite name; {remedy}'


@pytest.mark.parametrize(("command", "names"), [("import", READERS), ("export", WRITERS)])
def test_the_command_line_offers_every_format(command: str, names: dict[str, object]) -> None:
    words = CliRunner().invoke(main, ["report", command, "--help"]).output
    offered = "".join(words.split())
    assert f"[{'|'.join(sorted(names))}]" in offered
