"""What a report may ask of the site, and what it may not take from others."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.report import Report
from accelerator_reports.report_file import (
    MAX_CELLS,
    MAX_MODES,
    MAX_SUITES,
    KnownNames,
    read_report,
    report_problems,
    report_text,
    site_limit_faults,
)
from tests.reports.examples import report as example


def report(*tests: dict[str, Any], suites: tuple[str, ...] = ("s",)) -> Report:
    return example(
        suites=[{"name": name, "kind": "unit"} for name in suites],
        tests=[{"suite": "s", "name": "t", "outcome": "passed"} | test for test in tests],
    )


def in_mode(mode: object) -> dict[str, Any]:
    return {"parameters": {"mode": mode}}


@pytest.mark.parametrize("mode", ["../../../evil", "a/b", "x" * 61, "A B", ".", "..", "con\n", " "])
def test_a_mode_that_would_name_another_file_is_refused(mode: str, tmp_path: Path) -> None:
    (fault,) = site_limit_faults(report(in_mode(mode)))
    assert "is not a valid mode" in fault[0]
    (tmp_path / "r.json").write_text(report_text(report(in_mode(mode))), "utf-8")
    with pytest.raises(ProblemsError):
        read_report(tmp_path / "r.json")


@pytest.mark.parametrize("mode", ["inference", "eval_1", "x.y", ""])
def test_a_mode_is_a_word(mode: str) -> None:
    assert list(site_limit_faults(report(in_mode(mode)))) == []


def test_there_are_only_so_many_suites_and_modes() -> None:
    assert not list(site_limit_faults(report(suites=tuple(f"s{n}" for n in range(MAX_SUITES)))))
    assert list(site_limit_faults(report(suites=tuple(f"s{n}" for n in range(MAX_SUITES + 1)))))
    assert not list(site_limit_faults(report(*(in_mode(f"m{n}") for n in range(MAX_MODES)))))
    assert list(site_limit_faults(report(*(in_mode(f"m{n}") for n in range(MAX_MODES + 1)))))


def test_a_table_has_only_so_many_cells() -> None:
    many = [{"name": f"t{n}", "parameters": {"case": str(n)}} for n in range(1500)]
    assert MAX_CELLS < 1500 * 1500
    (fault,) = site_limit_faults(report(*many))
    assert fault[0] == "the tables would have 2,250,000 cells, more than 2,000,000"
    assert not list(site_limit_faults(report(*({"name": f"t{n}"} for n in range(3000)))))


def test_a_file_of_very_many_suites_is_refused_with_one_fault(tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    many = report(*({"suite": f"s{n}"} for n in range(1_000)), suites=("made-up",))
    file.write_text(report_text(many), "utf-8")
    with pytest.raises(ProblemsError) as error:
        read_report(file)
    assert str(error.value) == (
        "r.json:1: 1,001 suites, more than 100; put the tests of several suites into one, or split "
        "the report"
    )


@pytest.mark.parametrize("year", ["2100", "9999"])
def test_a_moment_in_the_future_has_one_answer(year: str) -> None:
    made = example(started=f"{year}-12-31T23:59:59Z")
    now = dt.datetime(2026, 1, 3, tzinfo=dt.timezone.utc)
    found = [str(p) for p in report_problems(made, "r.json", KnownNames(), now)]
    assert found == [f"r.json:1: started is in the future ({year}-12-31); correct it"]
