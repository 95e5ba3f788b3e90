"""Applies the exact fixes of problems to texts of files, for `accelerator-portal check --fix`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from accelerator_portal.catalog.grouping import grouped
from accelerator_reports.files.problem import Problem


def fixed_text(text: str, problems: Iterable[Problem]) -> tuple[str, list[Problem]]:
    """Return a file's text after fixing its problems, and the problems that were fixed.

    A fix is applied only if the line of the problem contains the old text exactly once.
    """
    lines = text.split("\n")
    solved = []
    for problem in problems:
        line_index = problem.line - 1
        fix = problem.fix
        if fix and line_index < len(lines) and lines[line_index].count(fix.old) == 1:
            lines[line_index] = lines[line_index].replace(fix.old, fix.new)
            solved.append(problem)
    return "\n".join(lines), solved


def fixed_files(root: Path, problems: Iterable[Problem]) -> tuple[dict[Path, str], list[Problem]]:
    """Return the new text of each file with fixable problems, and the problems that it fixes.

    Writes no file. Raises OSError if a file cannot be read.
    """
    by_path = grouped((problem.path, problem) for problem in problems if problem.fix)
    texts: dict[Path, str] = {}
    all_solved: list[Problem] = []
    for path, file_problems in by_path.items():
        text = (root / path).read_bytes().decode()
        new_text, solved = fixed_text(text, file_problems)
        if solved:
            texts[root / path] = new_text
            all_solved += solved
    return texts, all_solved
