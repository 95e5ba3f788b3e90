"""Stores the artifacts of the jobs that act runs as zip files, in a folder for each workflow."""

from __future__ import annotations

import os
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_SEPARATOR = "__"


@dataclass(frozen=True, slots=True)
class Spool:
    """The folder of all artifacts. File names begin with the time, so that the newest is last."""

    folder: Path

    @classmethod
    def from_environment(cls) -> Spool:
        """Return the spool whose folder is in the variable PORTAL_ACT_SPOOL."""
        return cls(Path(os.environ["PORTAL_ACT_SPOOL"]))

    def add(self, workflow: str, name: str, path: Path) -> Path:
        """Pack a file, or the files in a folder. Returns the path of the zip file."""
        place = self.folder / workflow
        place.mkdir(parents=True, exist_ok=True)
        made = place / f"{time.time_ns()}{_SEPARATOR}{name}.zip"
        beside = made.with_suffix(".new")
        with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
            for file, inside in sorted(_files(path)):
                archive.write(file, inside)
        return beside.rename(made)

    def newest(self, workflow: str) -> dict[str, Path]:
        """Return the newest zip file of each artifact of a workflow, by the artifact's name."""
        files = sorted((self.folder / workflow).glob("*.zip"))
        return {file.stem.partition(_SEPARATOR)[2]: file for file in files}

    def all(self) -> Iterator[tuple[str, str, Path]]:
        """Yield workflow, name and zip file of each artifact, the oldest first."""
        for file in sorted(self.folder.glob("*/*.zip"), key=lambda one: one.name):
            yield file.parent.name, file.stem.partition(_SEPARATOR)[2], file


def _files(path: Path) -> Iterator[tuple[Path, str]]:
    if path.is_file():
        yield path, path.name
        return
    for file in path.rglob("*"):
        if file.is_file():
            yield file, file.relative_to(path).as_posix()
