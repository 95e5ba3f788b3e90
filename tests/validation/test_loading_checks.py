"""Loading a plugin, with a module torch that is made up."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_validation.suite_interface import Context
from accelerator_validation.suites import loading_checks
from tests.validation.runs import matrix


def test_a_daemon_that_import_torch_leaves_behind_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = "import subprocess\nsubprocess.Popen(['sleep', '20'])\n"
    (tmp_path / "torch.py").write_text(program, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(loading_checks, "_LIMIT_S", 10)
    loading_checks.plain_import(Context("cpu", matrix([])))
