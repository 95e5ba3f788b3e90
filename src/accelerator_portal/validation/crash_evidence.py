"""What the log of a process that died, or was stopped, says: the last step and the stack."""

from __future__ import annotations

import re
from pathlib import Path

STEP = "validate: "
"""Begins a line in which a worker says what it starts with."""
REFERENCE = "the reference of "
"""Follows it where the device has nothing to do."""

# A stack of 100 frames with a list of 200 modules has less.
_READ = 65_536
_PRINTED = 800
_STACK = 2400

# How faulthandler begins: Python 3.14 and newer add the stack of C beneath that of Python.
_BEGIN = re.compile(r"^(?:Fatal Python error: |Timeout \(|Windows fatal exception: )", re.MULTILINE)
_THREAD = re.compile(
    r"^(?=(?:Stack|(?:Current thread|Thread) \S+.*) \(most recent call first\):)", re.MULTILINE
)
# Its identifier differs from run to run, and two equal crashes would differ by it.
_THREAD_ID = re.compile(r"^(Current thread|Thread) 0x[0-9a-f]+", re.MULTILINE)
_C_STACK = re.compile(r"^(?=Current thread's C stack trace)", re.MULTILINE)
_MODULES = re.compile(r"^Extension modules: .*\n?", re.MULTILINE)

# Beneath it there is nothing but this harness, and where it is installed is nobody's business.
_OWN_FRAME = re.compile(r'^  File "[^"]*accelerator_portal/validation/worker\.py".*', re.MULTILINE)
_FILE = re.compile(r'(?<=^  File ")[^"]+(?=")', re.MULTILINE)
_C_FILE = re.compile(r'(?<=^  Binary file ")[^"]+(?=")', re.MULTILINE)
_INSTALLED = re.compile(r".*[/\\](?:site-packages|lib[/\\]python[\d.]+)[/\\]")


def read_log(path: Path) -> str:
    """Return the end of a worker's log; empty where there is none."""
    try:
        data = path.read_bytes()
    except OSError:
        return ""
    text = data[-_READ:].decode("utf-8", "replace")
    return "".join(c for c in text if c.isprintable() or c == "\n")


def last_step(log: str) -> str | None:
    """Return what the process was at when it ended, as it had announced it."""
    steps = [line for line in log.splitlines() if line.startswith(STEP)]
    return steps[-1].removeprefix(STEP) if steps else None


def evidence(log: str) -> str:
    """Return what is worth keeping of a log: the end of what was printed, and the stack's top.

    The modules that faulthandler lists after the stack are left out, and steps that were done.
    """
    begin = _last(_BEGIN, log)
    printed = _without_steps_done(log[:begin]).strip()
    kept = [printed if len(printed) <= _PRINTED else f"…\n{printed[-_PRINTED:]}"]
    kept += _stack(log[begin:])
    return "\n".join(part for part in kept if part)


def _stack(said: str) -> list[str]:
    """Return what faulthandler wrote: its first line, one thread's frames, those of C."""
    python, *native = _C_STACK.split(_MODULES.sub("", said), maxsplit=1)
    head, *threads = _THREAD.split(python)
    parts = [head, *(_without_harness(frames) for frames in _telling(threads))]
    parts += [_C_FILE.sub(_short, part) for part in native]
    return [_top(part.strip(), _STACK // max(1, len(parts) - 1)) for part in parts]


def _telling(threads: list[str]) -> list[str]:
    """Return the thread that died; where it has no frame of Python, the main one, listed last."""
    died = [t for t in threads if t.startswith(("Current thread", "Stack"))]
    return [t for t in died if '\n  File "' in t][:1] or threads[-1:]


def _without_steps_done(printed: str) -> str:
    lines = printed.splitlines()
    steps = [number for number, line in enumerate(lines) if line.startswith(STEP)]
    return "\n".join(line for number, line in enumerate(lines) if number not in steps[:-1])


def _without_harness(frames: str) -> str:
    own = _OWN_FRAME.search(frames)
    without_id = _THREAD_ID.sub(r"\1", frames[: own.start()] if own else frames)
    return _FILE.sub(_short, without_id)


def _short(path: re.Match[str]) -> str:
    """Return a path without the folders that only this machine has."""
    inner = _INSTALLED.sub("", path[0])
    return "/".join(re.split(r"[/\\]", inner)[-3:]) if inner == path[0] else inner


def _top(frames: str, limit: int) -> str:
    if len(frames) <= limit:
        return frames
    return frames[: frames.rfind("\n", 0, limit)] + "\n  …"


def _last(pattern: re.Pattern[str], text: str) -> int:
    found = list(pattern.finditer(text))
    return found[-1].start() if found else len(text)
