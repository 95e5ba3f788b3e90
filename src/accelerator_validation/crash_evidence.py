"""Extracts the last step and the stack from the log of a process that died or was killed."""

from __future__ import annotations

import re
from pathlib import Path

STEP_PREFIX = "validate: "
"""The prefix of a line in which a worker announces a step."""
REFERENCE_PREFIX = "the reference of "
"""The text after `STEP_PREFIX` if the step does not use the device."""

# The number of bytes used; a stack of 100 frames with a list of 200 modules is smaller.
_READ = 65_536
_PRINTED = 800
_STACK = 2400

# The first line of faulthandler. Python 3.14 and newer add the C stack below the Python stack.
_FAULTHANDLER_START = re.compile(
    r"^(?:Fatal Python error: |Timeout \(|Windows fatal exception: )", re.MULTILINE
)
_THREAD = re.compile(
    r"^(?=(?:Stack|(?:Current thread|Thread) \S+.*) \(most recent call first\):)", re.MULTILINE
)
# The identifier of a thread, which would make two equal crashes differ.
_THREAD_ID = re.compile(r"^(Current thread|Thread) 0x[0-9a-f]+", re.MULTILINE)
_C_STACK = re.compile(r"^(?=Current thread's C stack trace)", re.MULTILINE)
_MODULES = re.compile(r"^Extension modules: .*\n?", re.MULTILINE)

# The frames below are only those of this harness, with paths of this machine.
_OWN_FRAME = re.compile(r'^  File "[^"]*accelerator_validation/worker\.py".*', re.MULTILINE)
_PYTHON_FRAME_PATH = re.compile(r'(?<=^  File ")[^"]+(?=")', re.MULTILINE)
_C_FILE = re.compile(r'(?<=^  Binary file ")[^"]+(?=")', re.MULTILINE)
_INSTALLED = re.compile(r".*[/\\](?:site-packages|lib[/\\]python[\d.]+)[/\\]")


def read_log(path: Path) -> str:
    """Return the printable text in the last 64 KiB of a log file, or "" if it cannot be read."""
    try:
        data = path.read_bytes()
    except OSError:
        return ""
    text = data[-_READ:].decode("utf-8", "replace")
    return "".join(c for c in text if c.isprintable() or c == "\n")


def last_step(log: str) -> str | None:
    """Return the last step that the process announced, or None if there is no announcement."""
    steps = [line for line in log.splitlines() if line.startswith(STEP_PREFIX)]
    return steps[-1].removeprefix(STEP_PREFIX) if steps else None


def crash_excerpt(log: str) -> str:
    """Return the end of the output in a log, and the top of the stack that faulthandler wrote.

    The announcements of completed steps and faulthandler's list of modules are omitted.
    """
    *_, begin = (len(log), *(match.start() for match in _FAULTHANDLER_START.finditer(log)))
    lines = log[:begin].splitlines()
    done = [number for number, line in enumerate(lines) if line.startswith(STEP_PREFIX)][:-1]
    printed = "\n".join(line for number, line in enumerate(lines) if number not in done).strip()
    kept = [printed if len(printed) <= _PRINTED else f"…\n{printed[-_PRINTED:]}"]
    return "\n".join(filter(None, [*kept, *_stack(log[begin:])]))


def _stack(text: str) -> list[str]:
    """Return the shortened parts of a stack that faulthandler wrote.

    The parts are the first line, the Python frames of the crashed thread, and the C frames, if any.
    If the crashed thread has no Python frames, the frames of the main thread are returned instead.
    """
    python, *native = _C_STACK.split(_MODULES.sub("", text), maxsplit=1)
    head, *threads = _THREAD.split(python)
    died = [t for t in threads if t.startswith(("Current thread", "Stack")) and '\n  File "' in t]
    parts = [head]
    for frames in died[:1] or threads[-1:]:  # without Python frames: the main thread, which is last
        above_harness = _OWN_FRAME.split(frames, maxsplit=1)[0]
        parts.append(_PYTHON_FRAME_PATH.sub(_shortened_path, _THREAD_ID.sub(r"\1", above_harness)))
    parts += [_C_FILE.sub(_shortened_path, part) for part in native]
    return [_top_frames(part.strip(), _STACK // max(1, len(parts) - 1)) for part in parts]


def _shortened_path(path: re.Match[str]) -> str:
    """Return a path without the folders that are specific to this machine."""
    inner = _INSTALLED.sub("", path[0])
    return "/".join(re.split(r"[/\\]", inner)[-3:]) if inner == path[0] else inner


def _top_frames(frames: str, limit: int) -> str:
    if len(frames) <= limit:
        return frames
    return frames[: frames.rfind("\n", 0, limit)] + "\n  …"
