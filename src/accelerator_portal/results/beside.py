"""Writing a file so that an interruption leaves what was there."""

from __future__ import annotations

from pathlib import Path


def write_beside(path: Path, data: bytes) -> None:
    """Write beside and rename. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".new")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
