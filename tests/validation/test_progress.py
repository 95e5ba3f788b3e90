"""What a long listing says of itself is told apart from what libraries print."""

from __future__ import annotations

import pytest

from accelerator_validation.listing import print_progress, progress_messages


def test_what_is_marked_is_reported_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    print_progress("test_ops: 3 tests")
    said = capsys.readouterr().err.splitlines()
    assert list(progress_messages(["a warning", *said, "ImportError: no"])) == ["test_ops: 3 tests"]
