"""Writes files and folders so that the old version survives an interrupted write.

Everything is written to a temporary name in the same folder and renamed when it is complete. The
name is hidden and ends with `.new`: a process that is killed before the rename leaves a file that
the portal does not read and that git ignores. A later write to the same path removes it.
"""

from __future__ import annotations

import datetime as dt
import glob
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from accelerator_reports.files.clock import utc_now

LEFTOVER_AGE = dt.timedelta(hours=1)
"""Temporary files older than this were left by killed processes, because no write takes so long."""

_SUFFIX = ".new"

_DEVICES = frozenset({"/dev", "/dev/fd"})


def write_bytes_atomically(path: Path, data: bytes) -> None:
    """Write a file atomically and create its parent folders.

    If `path` is a symbolic link or a device such as /dev/stdout, the data is written through it
    directly, not atomically. Raises OSError if writing fails.
    """
    _write_atomically(path, lambda target: target.write_bytes(data))


def write_chunks_atomically(path: Path, chunks: Iterable[bytes]) -> None:
    """Write a file as `write_bytes_atomically` does, chunk by chunk."""

    def write(target: Path) -> None:
        with target.open("wb") as file:
            file.writelines(chunks)

    _write_atomically(path, write)


def write_text_atomically(path: Path, text: str) -> None:
    """Write a UTF-8 text file with `write_bytes_atomically`. Raises OSError if writing fails."""
    write_bytes_atomically(path, text.encode())


def _write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    is_device = str(path.absolute().parent) in _DEVICES  # a redirected stream is a regular file
    if path.is_symlink() or is_device or (path.exists() and not path.is_file()):
        write(path)
        return
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{_SUFFIX}")
    try:
        write(temporary)
        temporary.replace(path)
        _remove_leftovers_of(path)
    except OSError as error:  # it names the temporary file
        error.filename, error.filename2 = str(path), None
        raise
    finally:
        temporary.unlink(missing_ok=True)


def write_folder_atomically(folder: Path, files: Mapping[str, str | Path]) -> None:
    """Write a folder with the given files. An existing folder is replaced.

    `files` maps each path inside the folder to its text, or to a file to copy. Raises OSError if
    writing fails, and leaves the existing folder unchanged. Also raises OSError if the new folder
    is in place but the old one cannot be deleted.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{folder.name}."
    temporary = Path(tempfile.mkdtemp(prefix=prefix, suffix=_SUFFIX, dir=folder.parent))
    try:
        for path, content in files.items():
            target = temporary / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Path):
                shutil.copyfile(content, target)
            else:
                target.write_text(content, encoding="utf-8")
        temporary.chmod(0o755)
        if folder.exists():
            old_folder = temporary.with_suffix(f".old{_SUFFIX}")
            folder.rename(old_folder)
            try:
                temporary.rename(folder)
            except BaseException:
                old_folder.rename(folder)
                raise
            shutil.rmtree(old_folder)
        else:
            temporary.rename(folder)
        _remove_leftovers_of(folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def remove_leftovers(root: Path, now: dt.datetime, age: dt.timedelta = LEFTOVER_AGE) -> None:
    """Remove the temporary files and folders below `root` that killed processes left.

    Their names match `.*.new`, and they are at least as old as `age` at the time `now`. Pass a zero
    age only while a lock keeps others from writing below `root`. Files that cannot be removed stay.
    """
    _remove_older(root.rglob(f".*{_SUFFIX}"), now - age)


def _remove_leftovers_of(path: Path) -> None:
    """Remove the temporary files that killed processes left when they wrote `path`."""
    leftovers = path.parent.glob(f".{glob.escape(path.name)}.*{_SUFFIX}")
    _remove_older(leftovers, utc_now() - LEFTOVER_AGE)


def _remove_older(paths: Iterable[Path], newest: dt.datetime) -> None:
    for path in sorted(paths):
        with suppress(OSError):
            if path.lstat().st_mtime > newest.timestamp():
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
