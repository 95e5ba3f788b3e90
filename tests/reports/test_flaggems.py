from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_reports.file_reading import ImportOptions, ImportResult
from accelerator_reports.formats.flaggems import read_flaggems
from accelerator_reports.formats.format_list import detect_format
from tests.reports.format_file import FormatFile

# The structure is that of FlagGems' files; the tests are made up.
TESTS = """\
import pytest
import flag_gems

raise SystemExit("the file is never run")

@pytest.mark.skipif(flag_gems.vendor_name == "acme", reason="Issue #12: wrong result")
@pytest.mark.abs
def test_a(shape, dtype):
    pass

def test_b(dtype):
    if flag_gems.vendor_name in ("cambricon", "acme") or dtype is None:
        pytest.skip("not supported")

@pytest.mark.skipif(flag_gems.vendor_name == "acme" and SMALL, reason="a part")
@pytest.mark.skipif(flag_gems.vendor_name != "other", reason="only for another vendor")
@pytest.mark.skipif(flag_gems.vendor_name in VENDORS, reason="not known here")
def test_c(dtype):
    if flag_gems.vendor_name == "acme" and dtype == "int8":
        pytest.skip("a part")
    if flag_gems.vendor_name == "acme":
        dtype = "float32"

@pytest.mark.skipif(flag_gems.vendor_name == "acme", reason=f"{WHY}")
def test_d():
    pass

@pytest.mark.skipif(flag_gems.vendor_name == "acme", reason="no test")
def helper():
    pass

class TestE:
    def test_e(self):
        pass
"""
OF_ALL = (
    'pytestmark = [pytest.mark.x, pytest.mark.skipif(flag_gems.vendor_name == "acme", reason="r")]'
)


FILE = FormatFile("test_x.py", read_flaggems)


def read(tmp_path: Path, text: str, accelerator: str = "acme") -> ImportResult:
    return FILE.read(tmp_path, text, ImportOptions(accelerator=accelerator))


def test_only_what_is_left_out_whatever_its_parameters_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, TESTS)
    assert detect_format(tmp_path / "test_x.py") == "flaggems"
    assert [(t.name, t.outcome, t.reason) for t in found.tests] == [
        ("test_x::test_a", "skipped", "Issue #12: wrong result"),
        ("test_x::test_b", "skipped", "not supported"),
        ("test_x::test_d", "skipped", "The file states no reason."),
    ]
    issues = [test.known_issue and test.known_issue.url for test in found.tests]
    assert issues == ["https://github.com/flagos-ai/FlagGems/issues/12", None, None]
    left_out = {"not always skipped on this hardware": 1, "in classes": 1}
    assert found.entries == {"taken": 3, **left_out}
    assert [(suite.name, suite.kind) for suite in found.suites] == [("flaggems", "operator")]


def test_a_mark_of_the_file_holds_for_all_its_tests(tmp_path: Path) -> None:
    found = read(tmp_path, TESTS.replace("raise", f"{OF_ALL}\nraise"))
    assert [test.reason for test in found.tests] == ["r"] * 4


def test_flaggems_has_names_of_its_own_for_vendors(tmp_path: Path) -> None:
    assert [test.name for test in read(tmp_path, TESTS, "mlu").tests] == ["test_x::test_b"]
    assert not read(tmp_path, TESTS, "cuda").tests


@pytest.mark.parametrize(
    "condition",
    ["x.vendor_name in {[]}", f"x.vendor_name == {'-' * 2000}1", f"x{'.y' * 2000} == 'acme'"],
)
def test_a_condition_that_cannot_be_read_counts_as_false(tmp_path: Path, condition: str) -> None:
    mark = f'@pytest.mark.skipif({condition}, reason="r")\n'
    assert not read(tmp_path, f"{mark}def test_a(): pass\n").tests
