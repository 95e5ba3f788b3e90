"""An environment for a job: the packages of this checkout's `.venv`, with the job's own sources.

`make setup` in a job then finds everything installed, and takes no minute for each job.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

STAMP = ".installed"


def share_environment(shared: Path, workspace: Path) -> None:
    """Make `.venv` in a workspace; nothing where `shared` is not set up, or this is no portal."""
    if not (shared / STAMP).exists() or not (workspace / "src/accelerator_portal").is_dir():
        return
    place, python = workspace / ".venv", shared / "bin" / "python"
    subprocess.run([python, "-m", "venv", "--without-pip", str(place)], check=True)
    (packages,) = shared.glob("lib/python*/site-packages")
    (own,) = place.glob("lib/python*/site-packages")
    # Site reads these in their order: what is in the workspace comes first.
    (own / "shared.pth").write_text(f"{workspace / 'src'}\n{packages}\n", "utf-8")
    for program in (shared / "bin").iterdir():
        target = place / "bin" / program.name
        if not target.exists() and program.is_file():
            _copy(program, target, shared, place)
    (place / STAMP).touch()


def _copy(program: Path, target: Path, shared: Path, place: Path) -> None:
    """Copy a program; a script gets the Python of its place."""
    shutil.copy2(program, target)
    first = f"#!{shared / 'bin'}/python".encode()
    data = program.read_bytes()
    if data.startswith(first):
        target.write_bytes(data.replace(first, f"#!{place / 'bin'}/python".encode(), 1))
