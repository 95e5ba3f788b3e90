"""Reads contributed text files, and writes files that survive an interrupted write."""

from __future__ import annotations

import datetime as dt
import errno
import glob
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from accelerator_reports.files.clock import utc_now
from accelerator_reports.files.problem import Problem

MAX_BYTES = 256 * 1024

# YAML or Python read some of these characters as line ends, but editors do not, so that all line
# numbers below would be wrong. Others are invisible or change the direction of text: readers would
# see other text than they paste. Source: the property Default_Ignorable_Code_Point of Unicode 16,
# and the empty pattern of Braille. Private-use characters and noncharacters look different on each
# machine, and the space of Ogham is a stroke. A fifth mark on a letter covers the lines around it;
# no language needs one.
_COMBINING_MARK = (
    r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
HIDDEN_CHARACTER = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\u1680\ue000-\uf8ff\ufdd0-\ufdef\ufffc\ufffe\uffff"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
    rf"|(?<={_COMBINING_MARK}{{4}}){_COMBINING_MARK}"
)


_FORMAT_PAGE = 'the page "The file format" of the site describes the format'
_CONFLICT_MARKER = re.compile(r"^(?:<{7}|>{7}) .*", re.MULTILINE)


def is_plain(text: str) -> bool:
    """Return whether a text has only visible ASCII characters. A search takes much longer."""
    return text.isascii() and text.isprintable()


def escape_sequence(character: str) -> str:
    r"""Return the escape sequence of a character in Python and YAML: `\u202e`, `\U000e0001`."""
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - four digits


def one_line(text: str) -> str:
    """Return a text on one line, with a space in place of invisible characters and line breaks."""
    return " ".join(HIDDEN_CHARACTER.sub(" ", text).split())


def read_text(root: Path, path: str, folder: str = "") -> str | Problem:
    r"""Return the text of `path`, or the problem that prevents reading it.

    `path` and `folder` are relative to `root`. The file must be inside `folder`, also after
    following symbolic links. A byte order mark is dropped and line ends become `\n`.
    """
    file = root / path
    try:
        resolved_file = file.resolve(strict=True)
        fault = _file_fault(resolved_file, (root / folder).resolve())
        return Problem(path, 1, *fault) if fault else _decode_text(path, resolved_file.read_bytes())
    except FileNotFoundError:
        return Problem(path, 1, "file not found", f"create it; {_FORMAT_PAGE}")
    except (OSError, RuntimeError) as error:
        what = f"the file cannot be read ({_read_error_reason(error)})"
        return Problem(path, 1, what, "make it a readable regular file")


def _read_error_reason(error: OSError | RuntimeError) -> str | None:
    """Return why a file cannot be read, or None if the error has no text.

    For a symbolic link to itself, Python 3.12 and older raise RuntimeError.
    """
    if isinstance(error, RuntimeError) or error.errno == errno.ELOOP:
        return "the symbolic link points to itself"
    return error.strerror


def _file_fault(resolved_file: Path, folder: Path) -> tuple[str, str] | None:
    """Return what is wrong with a file, and the fix; None if the file can be read."""
    status = resolved_file.stat()
    if not resolved_file.is_relative_to(folder):
        return "the symbolic link points outside its folder", "replace the link with the file"
    if not stat.S_ISREG(status.st_mode):
        return "this is not a regular file", "replace it with a text file"
    if status.st_size > MAX_BYTES:
        return f"the file has {status.st_size:,} bytes, more than {MAX_BYTES:,}", "shorten it"
    return None


def _decode_text(path: str, data: bytes) -> str | Problem:
    if b"\x00" in data:
        line = data.count(b"\n", 0, data.index(b"\x00")) + 1
        return Problem(path, line, "the file is binary, not text", "replace it with UTF-8 text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
        return Problem(path, line, what, "save the file as UTF-8")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        return Problem(path, 1, "the file is empty", f"add content; {_FORMAT_PAGE}")
    if marker := _CONFLICT_MARKER.search(text):
        line = text.count("\n", 0, marker.start()) + 1
        what = f'"{marker[0][:60]}" is a marker of a merge conflict'
        return Problem(path, line, what, "keep one of the two versions, and delete the markers")
    if hidden := HIDDEN_CHARACTER.search(text):
        line = text.count("\n", 0, hidden.start()) + 1
        what = f"the character U+{ord(hidden[0]):04X} is not allowed in text"
        return Problem(path, line, what, "delete it; to mention it, write its number")
    return text


# Writes files and folders so that the old version survives an interrupted write.
#
# Everything is written to a temporary name in the same folder and renamed when it is complete. The
# name is hidden and ends with `.new`: a process that is killed before the rename leaves a file that
# the portal does not read and that git ignores. A later write to the same path removes it.

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
