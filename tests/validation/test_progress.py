from __future__ import annotations

import pytest

from accelerator_portal.validation.progress import echoed, progress


def test_progress_is_shown_and_the_rest_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    progress("test_ops: 3 tests")
    said = capsys.readouterr().err
    assert echoed([said, "a warning\n", "\n", "ImportError: no\n"]) == [
        "a warning",
        "ImportError: no",
    ]
    assert capsys.readouterr().err == "test_ops: 3 tests\n"
