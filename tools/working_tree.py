"""Copies the files of the working tree, for tools that must not change the tree itself."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


def copy_working_tree(root: Path, target: Path) -> None:
    """Copy all files that git tracks or would add, as they are in the working tree `root`."""
    listing = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = subprocess.run(listing, cwd=root, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (root / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target / name)
