"""Part of `accelerator_portal.catalog.files.install_file`: Check, join_statements."""

from __future__ import annotations

import ast

from pydantic import field_validator

from accelerator_reports.files.fields import (
    Code,
    validation_error,
)
from accelerator_reports.files.sources import Sourced


class Check(Sourced):
    """A check of the installation: Python code and its expected output."""

    code: Code
    """Python code to run. Each line is one simple statement."""
    prints: Code
    """What the code prints if the installation works."""

    @field_validator("code")
    @classmethod
    def _validate_code(cls, code: str) -> str:
        """Return the code unchanged.

        Raises PydanticCustomError if the code is not valid Python, contains other statements than
        imports, assignments and expressions, or changes its meaning if `join_statements` joins it.
        """
        try:
            module = ast.parse(code)
            tree_dump = ast.dump(module)
        except SyntaxError as error:
            raise validation_error(f"invalid Python: {error.msg}", "correct the code") from None
        except (ValueError, RecursionError, MemoryError):
            raise validation_error("Python cannot parse this code", "reduce the nesting") from None
        if not all(
            isinstance(s, ast.Expr | ast.Assign | ast.Import | ast.ImportFrom) for s in module.body
        ):
            raise validation_error(
                "compound statements are not allowed", "use only imports, assignments and calls"
            )
        if not _has_same_syntax_tree(join_statements(code), tree_dump):
            what = "the lines change their meaning when joined into one line"
            raise validation_error(what, "write each statement on one line, without comments")
        return code


def join_statements(code: str) -> str:
    """Return the lines of `code` as one line, joined by `; `. Each line is one statement."""
    lines = (line.strip() for line in code.splitlines())
    return "; ".join(line for line in lines if line)


def _has_same_syntax_tree(line: str, tree_dump: str) -> bool:
    try:
        return ast.dump(ast.parse(line)) == tree_dump
    except (SyntaxError, RecursionError, MemoryError):
        return False
