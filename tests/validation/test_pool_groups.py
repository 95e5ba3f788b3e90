from __future__ import annotations

from pathlib import Path

from accelerator_validation.matrix import Matrix, TestFile
from accelerator_validation.run import begin_run
from tests.validation.runs import TORCH, plan, request

NAMES = ["a", "a.T::one", "a.T::two", "b.T::one", "b.T::two", "of_no_file"]


def test_no_process_runs_tests_of_two_files(tmp_path: Path) -> None:
    files = tuple(TestFile(path=name, covers=name) for name in ("a", "b"))
    made = Matrix(
        kind="unit",
        module="tests.validation.fake_suite",
        description="Tests of two files.",
        files=files,
        tests=tuple(NAMES),
    )
    done = begin_run(request(tmp_path), {"made-up": made}, plan(NAMES), TORCH, lambda *_: None)
    by_group: dict[str, set[float]] = {}
    for test in done.report.tests:
        assert test.outcome == "passed"
        by_group.setdefault(made.group(test.name), set()).add(test.metrics["pid"].value)
    assert list(by_group) == ["a", "b", ""]
    assert [len(pids) for pids in by_group.values()] == [1, 1, 1]
    assert len(set.union(*by_group.values())) == 3
