"""Writing a new platform's folder: a failure is told as it is, and nothing is left of it."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from accelerator_portal.cli.new import write_all


def test_a_failure_before_anything_was_written_is_the_one_that_is_told(tmp_path: Path) -> None:
    (tmp_path / "CODEOWNERS").write_text("before\n", "utf-8")
    with pytest.raises(OSError, match="name too long") as raised:
        write_all(tmp_path, "acme", {"x" * 300: "text"}, {"CODEOWNERS": "after\n"})
    assert raised.value.errno == errno.ENAMETOOLONG
    assert (tmp_path / "CODEOWNERS").read_text("utf-8") == "before\n"
    assert not (tmp_path / "accelerators/acme").exists()
