"""Which files of a checkout are run: those that are named, those of named tests, or the usual."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from accelerator_portal.catalog.problem import did_you_mean
from accelerator_portal.reports.identity import UnreadableKeyError, parse_key
from accelerator_portal.validation.matrix import Matrix, TestFile, file_of

SUITE = "pytorch-tests"


class FilesError(Exception):
    """No such file; the message says which, and what would be right."""


def selected_files(
    matrix: Matrix,
    folder: Path,
    *,
    named: Iterable[str] = (),
    tests: Iterable[str] = (),
    everything: bool = False,
) -> tuple[TestFile, ...]:
    """Return the files of a folder of tests that a run is about; raises FilesError.

    A file may be named that the table does not have. `tests` are keys of tests.
    """
    table = {file.path: file for file in matrix.files}
    wanted = [_plain(name) for name in named]
    wanted = wanted or _of_tests(tests, [*table, *_others(folder, tests)])
    if not wanted:
        files = [file for file in matrix.files if file.usual or everything]
        return _not_empty([file for file in files if _is_there(folder, file.path)], folder)
    for name in wanted:
        if not _is_there(folder, name):
            known = [path for path in table if _is_there(folder, path)]
            raise FilesError(f'there is no file "{name}.py" in {folder}; {_near(name, known)}')
    return tuple(table.get(n) or TestFile(path=n, covers=n) for n in dict.fromkeys(wanted))


def _of_tests(keys: Iterable[str], paths: Iterable[str]) -> list[str]:
    files = [TestFile(path=path, covers=path) for path in paths]
    found = (file_of(name, files) for name in _names(keys))
    return list(dict.fromkeys(file.path for file in found if file))


def _others(folder: Path, keys: Iterable[str]) -> list[str]:
    """Return files that a test's name leads to; its last part may be a class."""
    found = []
    for name in _names(keys):
        words = name.partition("::")[0].split(".")
        found += ["/".join(words[:end]) for end in range(1, len(words) + 1)]
    return [path for path in found if _is_there(folder, path)]


def _names(keys: Iterable[str]) -> list[str]:
    found = []
    for key in keys:
        with suppress(UnreadableKeyError):  # the plan says that there is no such test
            identity = parse_key(key)
            found += [identity.name] if identity.suite == SUITE else []
    return found


def _plain(name: str) -> str:
    return name.strip().removeprefix("test/").removesuffix(".py")


def _is_there(folder: Path, path: str) -> bool:
    return (folder / f"{path}.py").is_file()


def _near(name: str, known: list[str]) -> str:
    return did_you_mean(name, known) if known else "use an existing file"


def _not_empty(files: list[TestFile], folder: Path) -> tuple[TestFile, ...]:
    if not files:
        what = f"{folder} has no PyTorch test files such as test_torch.py"
        raise FilesError(f"{what}. Pass files with --pytorch-files")
    return tuple(files)
