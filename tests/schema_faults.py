"""What editors say against files: check-jsonschema's own command, run in this process."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from check_jsonschema import main
from click.testing import CliRunner


def schema_faults(schema: Path, files: Iterable[Path]) -> str:
    """Return what check-jsonschema says against the files, empty if nothing."""
    command = ["--schemafile", str(schema), *map(str, files)]
    done = CliRunner().invoke(main, command, catch_exceptions=False)
    return "" if done.exit_code == 0 else done.output
