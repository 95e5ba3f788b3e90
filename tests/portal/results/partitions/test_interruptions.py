"""A command that is killed at any point continues when it runs again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from accelerator_portal.results.folding import fold_reports
from accelerator_portal.results.partitions.checking import check_accelerator
from accelerator_portal.results.partitions.compaction import compact_accelerator
from tests.portal.results.partitions.archived import DAYS, archive, content, named, report_of

REPORTS = [report_of(day, outcomes) for day, outcomes in enumerate(DAYS)]

CHANGES = ("write_bytes", "replace", "unlink")


class KilledError(BaseException):
    """Stands for the end of the process."""


@contextmanager
def killed_after(changes: int) -> Iterator[None]:
    """Allow a number of changes of files; after that, no line of code changes a file."""
    left = [changes]

    def counted(change: Callable[..., Any]) -> Callable[..., Any]:
        def counted_change(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401
            if left[0] == 0:
                raise KilledError
            left[0] -= 1
            return change(*arguments, **options)

        return counted_change

    with ExitStack() as patches:
        for name in CHANGES:
            patches.enter_context(mock.patch.object(Path, name, counted(getattr(Path, name))))
        yield


COMMANDS: dict[str, Callable[[Path], object]] = {
    "the first fold": lambda root: fold_reports(root, named(*REPORTS)),
    "rebuild": lambda root: fold_reports(root, named(*REPORTS), anew=True),
    "compact": lambda root: compact_accelerator(root, "example", "2026-05"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_is_killed_at_any_change_continues(tmp_path: Path, command: str) -> None:
    run = COMMANDS[command]

    def prepared(name: str) -> Path:
        if command != "the first fold":
            archive(tmp_path / name, *REPORTS)
        return tmp_path / name

    run(whole := prepared("whole"))
    for changes in range(1000):
        root, finished = prepared(str(changes)), False
        with suppress(KilledError), killed_after(changes):
            run(root)
            finished = True
        run(root)
        assert content(root) == content(whole)
        assert not list(check_accelerator(root, "example"))
        if finished:
            break
    assert changes > len(REPORTS)
