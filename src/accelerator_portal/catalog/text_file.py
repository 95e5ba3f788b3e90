"""Reading a contributed file as text: bounded, inside its folder, UTF-8."""

from __future__ import annotations

import stat
from pathlib import Path

from accelerator_portal.catalog.problem import Problem

MAX_BYTES = 256 * 1024


def read_text(root: Path, path: str, folder: str = "") -> str | Problem:
    """Return the text of `path`, or the one problem that keeps it from being read.

    `path` and `folder` are relative to `root`; the file, links followed, must lie in `folder`.
    A byte order mark is dropped and line ends become `\\n`.
    """
    file = root / path
    try:
        place = file.resolve(strict=True)
        status = place.stat()
    except FileNotFoundError:
        return Problem(path, 1, "the file is missing", "add it; CONTRIBUTING.md shows the format")
    except (OSError, RuntimeError) as error:
        return Problem(path, 1, f"the file cannot be opened ({error})", "make it a plain file")
    if not place.is_relative_to((root / folder).resolve()):
        return Problem(path, 1, "the link leads out of its folder", "put the file itself here")
    if not stat.S_ISREG(status.st_mode):
        return Problem(path, 1, "this is not a plain file", "replace it with a text file")
    if status.st_size > MAX_BYTES:
        what = f"the file has {status.st_size:,} bytes, more than {MAX_BYTES:,}"
        return Problem(path, 1, what, "shorten it")
    try:
        return _decode(path, place.read_bytes())
    except OSError as error:
        return Problem(path, 1, f"the file cannot be read ({error.strerror})", "allow reading it")


def _decode(path: str, data: bytes) -> str | Problem:
    if b"\x00" in data:
        line = data.count(b"\n", 0, data.index(b"\x00")) + 1
        return Problem(path, line, "the file is binary, not text", "write it as UTF-8 text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{data[error.start]:02x} is not UTF-8"
        return Problem(path, line, what, "save the file as UTF-8")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        return Problem(path, 1, "the file is empty", "fill it, CONTRIBUTING.md shows the format")
    return text
