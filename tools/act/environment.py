"""Creates a job's environment: the packages of this checkout's `.venv`, and the job's own sources.

`make setup` in a job then has nothing to install.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

STAMP = ".installed"


def share_environment(shared: Path, workspace: Path) -> None:
    """Create `.venv` in a workspace, with the packages of the environment `shared`.

    Does nothing if `shared` is not set up, or if the workspace is not the portal's.
    """
    if not (shared / STAMP).exists() or not (workspace / "src/accelerator_portal").is_dir():
        return
    place, python = workspace / ".venv", shared / "bin" / "python"
    subprocess.run([python, "-m", "venv", "--without-pip", str(place)], check=True)
    (packages,) = shared.glob("lib/python*/site-packages")
    (own,) = place.glob("lib/python*/site-packages")
    # Python's module site reads these in order: the workspace's sources come first.
    sources = [workspace / "src", *sorted(workspace.glob("packages/*/src"))]
    lines = "".join(f"{path}\n" for path in (*sources, packages))
    (own / "shared.pth").write_text(lines, "utf-8")
    for program in (shared / "bin").iterdir():
        target = place / "bin" / program.name
        if not target.exists() and program.is_file():
            _copy_program(program, target, shared, place)
    (place / STAMP).touch()


def _copy_program(program: Path, target: Path, shared: Path, place: Path) -> None:
    """Copy a program. The copy of a Python script uses the Python in the environment `place`."""
    shutil.copy2(program, target)
    first = f"#!{shared / 'bin'}/python".encode()
    data = program.read_bytes()
    if data.startswith(first):
        target.write_bytes(data.replace(first, f"#!{place / 'bin'}/python".encode(), 1))
