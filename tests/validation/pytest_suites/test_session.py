from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_validation.pytest_suites import suite
from accelerator_validation.pytest_suites.suite import collect_node_ids

CONFTEST = """
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
"""


def test_a_daemon_that_a_plugin_leaves_behind_does_not_stop_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_a.py").write_text("def test_a(): pass")
    monkeypatch.setattr(suite, "COLLECTION_TIMEOUT_S", 30)
    given = {"path": str(tmp_path), "device": "cpu", "imports": "", "autoload": "1"}
    assert collect_node_ids(given) == (["test_a.py::test_a"], [])
