"""What a long listing says of itself is told apart from what libraries print."""

from __future__ import annotations

import pytest

from accelerator_validation.listing import progress, reported


def test_what_is_marked_is_reported_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    progress("test_ops: 3 tests")
    said = capsys.readouterr().err.splitlines()
    assert list(reported(["a warning", *said, "ImportError: no"])) == ["test_ops: 3 tests"]
