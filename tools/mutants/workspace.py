"""Copies of the working tree: what a mutation run changes and what it runs in."""

from __future__ import annotations

import compileall
import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from py_compile import PycInvalidationMode

from tools.mutants.mutant import Mutant


def copy_tree(root: Path, target: Path) -> Path:
    """Copy every file that git knows or would add, and compile the package.

    The compiled files are checked against the content of their sources: a changed module is
    never taken for the one before, however fast they follow each other.
    """
    listing = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = subprocess.run(listing, cwd=root, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (root / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target / name)
    compileall.compile_dir(
        target / "src", quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH
    )
    return target


@contextmanager
def mutated(tree: Path, mutant: Mutant | None) -> Iterator[None]:
    """Put the mutant into the tree, and the module as it was back."""
    if mutant is None:
        yield
        return
    path = tree / mutant.change.path
    original = path.read_bytes()
    try:
        path.write_text(mutant.source, encoding="utf-8")
        yield
    finally:
        path.write_bytes(original)


@dataclass(frozen=True)
class State:
    """What the package is, and each test file: whether a recording or a result still holds."""

    package: str
    tests: dict[str, str]

    def changed(self, earlier: State) -> list[str]:
        """The test files that are new or differ."""
        return [path for path, digest in self.tests.items() if earlier.tests.get(path) != digest]


def read_state(root: Path) -> State:
    """The state of the tree; what test files share counts as the package does."""
    kinds = ("src/**/*.py", "src/**/*.yaml", "tests/**/*.py", "tests/**/*.yaml")
    files = [path for kind in kinds for path in sorted(root.glob(kind))]
    digests = {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }
    tests = {name: digests.pop(name) for name in list(digests) if _is_test_file(name)}
    return State(hashlib.sha256(json.dumps(digests).encode()).hexdigest(), tests)


def _is_test_file(name: str) -> bool:
    return name.startswith("tests/") and Path(name).name.startswith("test_")
