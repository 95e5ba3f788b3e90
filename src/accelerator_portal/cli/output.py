"""Writing files and folders so that an interruption leaves what was there."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from accelerator_portal.results.beside import write_beside


def write_file(path: Path, text: str) -> None:
    """Write beside and rename. Raises OSError."""
    write_beside(path, text.encode())


def write_folder(folder: Path, files: Mapping[str, str | Path]) -> None:
    """Write a whole folder, texts or copies of files by path, beside and rename; it replaces one.

    Raises OSError; nothing is left of a folder that could not be written to its end.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        for path, content in files.items():
            target = beside / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Path):
                shutil.copyfile(content, target)
            else:
                target.write_text(content, encoding="utf-8")
        beside.chmod(0o755)
        if folder.exists():
            old = beside.with_name(beside.name + ".old")
            folder.rename(old)
            beside.rename(folder)
            shutil.rmtree(old)
        else:
            beside.rename(folder)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
