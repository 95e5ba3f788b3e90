"""Two runs cannot write one report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from accelerator_validation.plan import RunError
from accelerator_validation.run import lock_path, lock_report
from tests.validation.runs import request


def test_the_second_run_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    first, second = request(tmp_path), request(tmp_path)
    with lock_report(first):
        with (
            pytest.raises(RunError, match=r"another run is writing .*report\.json"),
            lock_report(second),
        ):
            pass
        with lock_report(replace(first, out=tmp_path / "other.json")):
            pass
    with lock_report(second):
        assert lock_path(second).exists()
    assert not any(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(RunError, match="cannot be written"),
        lock_report(request(tmp_path / "file")),
    ):
        pass
