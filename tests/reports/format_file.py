"""Reads made-up files of other formats."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from accelerator_reports.file_reading import ImportOptions, ImportResult, Reader
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.report import TestEntry


@dataclass(frozen=True)
class FormatFile:
    """The name of a file, and the reader of its format."""

    name: str
    reader: Reader

    def read(
        self, folder: Path, content: object, options: ImportOptions | None = None
    ) -> ImportResult:
        """Write the content (a text, bytes or any JSON value) to the file, and read it."""
        text = content if isinstance(content, str | bytes) else json.dumps(content)
        path = folder / self.name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self.reader(path, options or ImportOptions())

    def problems(
        self, folder: Path, content: object, options: ImportOptions | None = None
    ) -> list[str]:
        """Return the problems for which the file is refused."""
        with pytest.raises(ProblemsError) as caught:
            self.read(folder, content, options)
        return [str(problem) for problem in caught.value.problems]


def only(found: ImportResult) -> TestEntry:
    """Return the only test."""
    (test,) = found.tests
    return test
