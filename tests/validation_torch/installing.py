"""Installs the test double into an empty folder, as pip would: the package and its entry point."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

DOUBLE = Path(__file__).parent / "double"
SHIM = Path(__file__).parent / "shim"


def install_double(site: Path, *, entry_point: bool = True) -> Path:
    """Put torch_paper into a folder that can stand on PYTHONPATH; return the folder."""
    project = tomllib.loads((DOUBLE / "pyproject.toml").read_text("utf-8"))["project"]
    shutil.copytree(DOUBLE / "torch_paper", site / "torch_paper")
    info = site / f"torch_paper-{project['version']}.dist-info"
    info.mkdir()
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(head, "utf-8")
    if entry_point:
        points = project["entry-points"]["torch.backends"]
        lines = "".join(f"{name} = {value}\n" for name, value in points.items())
        (info / "entry_points.txt").write_text(f"[torch.backends]\n{lines}", "utf-8")
    return site
