"""Writing files and folders so that an interruption leaves what was there.

Everything is written beside its place and renamed when it is whole.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path


def write_bytes_atomically(path: Path, data: bytes) -> None:
    """Write a file. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".new")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write_text_atomically(path: Path, text: str) -> None:
    """Write a file, in UTF-8. Raises OSError."""
    write_bytes_atomically(path, text.encode())


def write_folder_atomically(folder: Path, files: Mapping[str, str | Path]) -> None:
    """Write a whole folder, texts or copies of files by path; it replaces one that is there.

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
