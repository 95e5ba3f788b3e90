"""Copies of the working tree: what a mutation run changes and what it runs in."""

from __future__ import annotations

import compileall
import hashlib
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from py_compile import PycInvalidationMode

from tools.mutants.mutant import Mutant

_READ_BY_TESTS = ("src", "tests")


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


def digest(root: Path, folders: Iterable[str] = _READ_BY_TESTS) -> str:
    """What the sources and the tests are."""
    found = hashlib.sha256()
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            found.update(f"{path.relative_to(root)}\0".encode())
            found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()
