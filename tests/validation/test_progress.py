"""What a listing says is told apart from what libraries print."""

from __future__ import annotations

import pytest

from accelerator_validation.listing import list_tests, print_progress, progress_messages
from accelerator_validation.plan import Offer
from tests.validation.runs import matrix


def test_what_is_marked_is_reported_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    print_progress("test_ops: 3 tests")
    said = capsys.readouterr().err.splitlines()
    assert list(progress_messages(["a warning", *said, "ImportError: no"])) == ["test_ops: 3 tests"]


def test_what_a_library_prints_at_the_end_is_not_taken_for_the_list() -> None:
    found = list_tests({"made-up": matrix(["farewell-1"])})
    assert found == {"made-up": [Offer("farewell-1")]}
