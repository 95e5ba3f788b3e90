from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.built_site import EXAMPLE, MKDOCS_ENVIRONMENT, copy_sources


def built(root: Path, out: Path, seed: str) -> dict[str, bytes]:
    """Every file that a build by the command line makes; `seed` orders Python's sets."""
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(out)],
        cwd=root,
        env={**os.environ, **MKDOCS_ENVIRONMENT, "PYTHONHASHSEED": seed},
        check=True,
        timeout=120,
    )
    files = (file for file in out.rglob("*") if file.is_file())
    return {file.relative_to(out).as_posix(): file.read_bytes() for file in files}


def test_two_builds_are_identical_to_the_byte(tmp_path: Path) -> None:
    root = copy_sources(tmp_path / "repository", EXAMPLE)
    first, second = (built(root, tmp_path / seed, seed) for seed in ("1", "2"))
    assert first.keys() == second.keys()
    assert [path for path, data in first.items() if data != second[path]] == []
