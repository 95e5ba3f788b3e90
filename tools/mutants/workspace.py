"""Copies the working tree for mutation tests, applies mutants, and reads the state of the tree."""

from __future__ import annotations

import compileall
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from py_compile import PycInvalidationMode

from tools.mutants.mutant import Mutant
from tools.working_tree import copy_working_tree


def copy_tree(root: Path, target: Path) -> Path:
    """Copy all files that git tracks or would add, and compile `src`; return `target`.

    The compiled files are checked by the hash of their sources, so that a changed module is always
    compiled again.
    """
    copy_working_tree(root, target)
    compileall.compile_dir(
        target / "src", quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH
    )
    return target


@contextmanager
def mutated_tree(tree: Path, mutant: Mutant) -> Iterator[None]:
    """Write a mutant to the tree, and restore the original at the end of the block."""
    path = tree / mutant.change.path
    original = path.read_bytes()
    try:
        path.write_text(mutant.source, encoding="utf-8")
        yield
    finally:
        path.write_bytes(original)


@dataclass(frozen=True)
class State:
    """Hashes that show whether a recording or a result is still valid.

    `package` is the hash of the package and of the files that tests share. `tests` has the hash of
    each test file.
    """

    package: str
    tests: dict[str, str]

    def changed(self, earlier: State) -> list[str]:
        """Return the test files that are new or differ from `earlier`."""
        return [path for path, digest in self.tests.items() if earlier.tests.get(path) != digest]

    def has_file(self, test: str) -> bool:
        """Return whether the file of a test exists; true for a text that is no test's id."""
        file, separator, _ = test.partition("::")
        return not separator or file in self.tests


def read_state(root: Path) -> State:
    """Return the state of the tree; files that tests share count as part of the package."""
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
