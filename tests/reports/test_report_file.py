from __future__ import annotations

import json
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from accelerator_reports import report_file
from accelerator_reports.file_reading import paused_garbage_collection
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.report import Report
from accelerator_reports.report_file import first_test_line, read_report, report_text
from tests.reports.drawn import TESTS
from tests.reports.examples import REPORT, TEST, report


def written(tmp_path: Path, data: str | bytes) -> Path:
    path = tmp_path / "r.json"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def faults(path: Path) -> list[str]:
    with pytest.raises(ProblemsError) as caught:
        read_report(path)
    return [str(problem) for problem in caught.value.problems]


def test_each_test_stands_on_a_line_of_its_own(tmp_path: Path) -> None:
    text = report_text(report({}, {"name": "second"}))
    lines = text.splitlines()
    first = lines.index('  {"suite": "made-up", "name": "first", "outcome": "passed"},')
    assert lines[first + 1] == '  {"suite": "made-up", "name": "second", "outcome": "passed"}'
    assert first_test_line(written(tmp_path, text)) == first + 1


def test_a_report_that_nobody_uses_is_freed_at_once(tmp_path: Path) -> None:
    path = written(tmp_path, report_text(report({})))
    with paused_garbage_collection():
        test = weakref.ref(read_report(path).tests[0])
        assert test() is None


def test_a_report_without_tests_is_one(tmp_path: Path) -> None:
    made = report(tests=[])
    assert read_report(written(tmp_path, report_text(made))) == made


@given(TESTS)
def test_what_is_written_is_read_back(tests: list[dict[str, Any]]) -> None:
    made = report(tests=tests)
    text = report_text(made)
    assert Report.model_validate_json(text) == made
    assert report_text(Report.model_validate_json(text)) == text


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("", "1: invalid JSON in column 1: the file ends too early; create the file again"),
        ('{\n"a": }', "2: invalid JSON in column 6: expecting value; create the file again"),
        (
            json.dumps({**REPORT, "schema_version": 2, "new": 1, "tests": 3}),
            (
                "1: the report has schema_version 2, newer than 1; "
                "update accelerator-portal, or use the older version"
            ),
        ),
    ],
)
def test_a_fault_is_one_clear_message(data: str, expected: str, tmp_path: Path) -> None:
    assert faults(written(tmp_path, data)) == [f"r.json:{expected}"]


def test_the_line_of_a_faulty_test_is_named(tmp_path: Path) -> None:
    text = report_text(report({}, {"name": "second"}, {"name": "third"}))
    path = written(
        tmp_path, text.replace('"second", "outcome": "passed"', '"second", "outcome": 1')
    )
    (found,) = faults(path)
    line = text[: text.index('"second"')].count("\n") + 1
    assert found.startswith(f"r.json:{line}: tests[1].outcome: input should be 'passed'")


def test_of_very_many_faults_the_first_are_named(tmp_path: Path) -> None:
    made = {**REPORT, "tests": [{**TEST, "outcome": "x"}] * 500}
    found = faults(written(tmp_path, json.dumps(made)))
    assert len(found) == 101
    assert "r.json:1: more than 100 problems; fix the problems above first" in found


def test_a_file_that_is_too_big_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_file, "MAX_REPORT_BYTES", 1024 * 1024)
    path = written(tmp_path, b" " * (1024 * 1024 + 1))
    assert faults(path) == ["r.json:1: the file has 1 MiB, more than 1; split it by suite"]


def test_too_many_tests_are_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_file, "MAX_TESTS", 1)
    path = written(tmp_path, report_text(report({}, {"name": "second"})))
    assert faults(path) == ["r.json:20: the report has more than 1 tests; split it by suite"]


def test_a_part_of_the_operators_is_not_more_than_the_whole(tmp_path: Path) -> None:
    for covered, missing in ((["add", "mm"], []), (["add"], ["mm", "bmm"])):
        of_suite = {"covered": covered, "registered": 1, "core": 1, "core_missing": missing}
        suite = {"name": "made-up", "kind": "unit", "operators": of_suite}
        path = written(tmp_path, json.dumps({**REPORT, "suites": [suite], "tests": [TEST]}))
        what = "covered" if len(covered) > 1 else "missing"
        said = next(fault for fault in faults(path) if "operators" in fault)
        assert f"operators are {what} than exist; correct" in said


def test_an_operators_name_is_no_text(tmp_path: Path) -> None:
    of_suite = {"covered": ["add", "a\n\n# b"], "registered": 9, "core": 1}
    suite = {"name": "made-up", "kind": "unit", "operators": of_suite}
    path = written(tmp_path, json.dumps({**REPORT, "suites": [suite], "tests": [TEST]}))
    assert any("suites[0].operators.covered[1]" in fault for fault in faults(path))


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('"outcome": "passed"', '"outcome": "failed", "outcome": "passed"', 19),
        ('"kind": "self-reported"', '"kind": "baseline",\n "kind": "self-reported"', 5),
        ('"torch": "1.10.0"', '"torch": "1.9.1", "torch": "1.10.0"', 9),
        ('"tests": [', '"tests": [],\n "tests": [', 19),
    ],
)
def test_a_key_that_stands_twice_is_refused(old: str, new: str, line: int, tmp_path: Path) -> None:
    text = report_text(report())
    assert text.count(old) == 1
    (found,) = faults(written(tmp_path, text.replace(old, new)))
    assert found.startswith(f"r.json:{line}: the key ")
    assert "is listed twice; remove one" in found


@pytest.mark.parametrize("entry", ["{}", "0", '{"metrics": {"a": {}}}'])
def test_a_file_of_nothing_but_faults_takes_little_memory(entry: str, tmp_path: Path) -> None:
    """A million faulty tests: the first hundred faults are named, the rest is not looked at."""
    text = report_text(report())
    assert text.rstrip().endswith("]\n}")
    many = ",".join([entry] * (3_000_000 // len(entry)))
    path = written(tmp_path, json.dumps({**REPORT, "tests": []}).replace("[]}", f"[{many}]}}"))
    done = limited(f"from pathlib import Path; read_report(Path({str(path)!r}))")
    assert "more than 100 problems" in done or "more than 100,000 tests" in done, done


def test_a_file_of_unknown_keys_takes_little_memory(tmp_path: Path) -> None:
    keys = ",".join(f'"k{n}":1' for n in range(2_000_000))
    path = written(tmp_path, json.dumps(REPORT).removesuffix("}") + f",{keys}}}")
    done = limited(f"from pathlib import Path; read_report(Path({str(path)!r}))")
    assert "more than 2,000 keys in one object" in done, done


@pytest.mark.parametrize(
    ("place", "filling", "size"),
    [
        ("suites", "{},", 15_000_000),  # refused for its length
        ("environment", "[],", 3_500_000),
        ("suites", "[],", 3_500_000),
        ("origins", "[],", 3_500_000),
    ],
)
def test_a_value_that_is_far_too_large_takes_little_memory(
    place: str, filling: str, size: int, tmp_path: Path
) -> None:
    data = {name: value for name, value in REPORT.items() if name != place}
    value = f"[{filling * (size // len(filling))}0]"
    path = written(tmp_path, json.dumps(data).removesuffix("}") + f',"{place}":{value}}}')
    done = limited(f"from pathlib import Path; read_report(Path({str(path)!r}))", most=2**29)
    assert "ProblemsError" in done, done


@pytest.mark.parametrize(("more", "refused"), [(0, False), (1, True)])
def test_the_outermost_object_has_no_more_keys_than_others(
    more: int,
    refused: bool,  # noqa: FBT001 - a parameter
    tmp_path: Path,
) -> None:
    keys = report_file.MAX_MEMBERS + more - len(REPORT)
    path = written(tmp_path, json.dumps({**REPORT, **{f"x{n}": 1 for n in range(keys)}}))
    with pytest.raises(ProblemsError) as error:
        read_report(path)  # without the limit, each key is unknown
    assert ("more than 2,000 keys" in str(error.value)) == refused


def limited(code: str, most: int = 2**30) -> str:
    """Run code in a process with a limit of memory and time; return the end of what it says."""
    limits = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({most}, {most}))"
    reader = "from accelerator_reports.report_file import read_report"
    done = subprocess.run(
        [sys.executable, "-c", f"{reader}\n{limits}\n{code}"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.stderr
