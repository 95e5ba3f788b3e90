"""Reads a contributed text file; checks its encoding, its size and that it is inside its folder."""

from __future__ import annotations

import errno
import re
import stat
from pathlib import Path

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
