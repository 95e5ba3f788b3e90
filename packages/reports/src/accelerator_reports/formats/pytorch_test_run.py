"""Reads test results from a JSON file of test cases that PyTorch's CI uploads.

PyTorch's `tools/stats/upload_test_stats.py` uploads the files:

    {"classname": "TestTorch", "name": "test_copy", "time": 0.01, "file": "test_torch.py",
     "workflow_id": 1, "workflow_run_attempt": 1, "job_id": 2, "invoking_file": "test_torch",
     "skipped": {"type": "pytest.skip", "message": "…", "text": "…"}}

The file has one object per line, or a list of objects. Each object is a `<testcase>` of JUnit XML.
It has the attributes of the `<testcase>`, and its child elements with their tags as keys. Several
child elements with the same tag are a list. `file` is the file of the test, `invoking_file` is the
file that was run.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from accelerator_reports.file_reading import (
    ImportOptions,
    ImportResult,
    file_error,
    lines_of,
    load_json,
    parse_json_in_file,
    read_text,
)
from accelerator_reports.formats.imported_tests import ImportedTests, chosen_suite
from accelerator_reports.formats.junit import (
    NAMELESS,
    parsed_test_id,
    standard_fields,
)
from accelerator_reports.formats.junit_xml import (
    ATTEMPT_TAGS,
    RESULT_TAGS,
    CaseElement,
    ResultElement,
    SuiteElement,
)
from accelerator_reports.report import Suite

_SUITE = "pytorch-tests"
_SUMMARY_FAULT = "the file has test counts but no test names"


def read_pytorch_test_run(path: Path, options: ImportOptions) -> ImportResult:
    """Read a file of test cases that PyTorch's CI uploaded. `options.suite` names the suite.

    Raises ProblemsError if the file or the suite name is invalid.
    """
    suite = chosen_suite(path, options) or _SUITE
    imported = ImportedTests(path, options)
    jobs: set[str] = set()
    for line, record in _test_records(path):
        if not isinstance(record, dict):
            imported.leave_out(line, "this is not a test case object", "use one object per test")
            continue
        if "name" not in record and "tests" in record:
            raise file_error(path, line, _SUMMARY_FAULT, "use a file of the collection test_run")
        jobs.add(str(record.get("job_id")))
        _add_test(imported, line, suite, record)
    note = f"Results of {len(jobs)} jobs of PyTorch's CI." if len(jobs) > 1 else None
    return imported.result((Suite(name=suite, kind="unit"),), note=note)


def _test_records(path: Path) -> Iterator[tuple[int, Any]]:
    text = read_text(path)
    if text.lstrip().startswith("["):
        yield from ((1, record) for record in load_json(path, strict=False))
        return
    for number, line in enumerate(lines_of(path, text), 1):
        if line.strip():
            yield (
                number,
                parse_json_in_file(path, line, "use one object per line", number, strict=False),
            )


def _add_test(imported: ImportedTests, line: int, suite: str, record: dict[str, Any]) -> None:
    case = _case_of_record(line, suite, record)
    parsed_id = parsed_test_id(case)
    if not parsed_id.name:
        imported.leave_out(line, *NAMELESS)
        return
    fields = standard_fields(case, suite, parsed_id)
    if case.attributes.get("time") and "duration_s" not in fields:
        what = f'time: "{case.attributes["time"][:40]}" is not a number of seconds'
        imported.leave_out_value(line, what, "use a number")
    imported.add(line, fields, place=f'"{parsed_id.name[:60]}"', device=parsed_id.device)


def _case_of_record(line: int, suite: str, record: dict[str, Any]) -> CaseElement:
    attributes = {key: str(value) for key, value in record.items() if _is_attribute_value(value)}
    if "file" not in attributes and (invoking := attributes.get("invoking_file")):
        attributes["file"] = f"{invoking.replace('.', '/')}.py"
    case = CaseElement(line, SuiteElement(line, {"name": suite}), attributes)
    for tag, common_tag in RESULT_TAGS.items():
        elements = _elements_with_tag(record, tag)
        case.results += (_result(common_tag, element) for element in elements)
    case.retries = sum(len(_elements_with_tag(record, tag)) for tag in ATTEMPT_TAGS)
    outputs = [*_elements_with_tag(record, "system-out"), *_elements_with_tag(record, "system-err")]
    case.output = "\n".join(_element_text(element) for element in outputs)
    return case


def _result(tag: str, element: dict[str, Any]) -> ResultElement:
    attributes = {key: str(value) for key, value in element.items() if _is_attribute_value(value)}
    return ResultElement(tag, attributes, _element_text(element))


def _elements_with_tag(record: dict[str, Any], tag: str) -> list[dict[str, Any]]:
    value = record.get(tag, [])
    return [e for e in (value if isinstance(value, list) else [value]) if isinstance(e, dict)]


def _element_text(element: dict[str, Any]) -> str:
    return str(element.get("text", ""))


def _is_attribute_value(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)
