"""The selector with an axis that the library does not have: the C library, made up for the tests.

Every row is for glibc; on Linux there is a second one for musl, with another command.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from accelerator_portal.catalog import Catalog
from accelerator_portal.install import InstallRow, Selector, expand, make_selector
from accelerator_portal.install.rows import AXES, Axis, Value

MUSL_COMMAND = "made up for musl"


@dataclass(frozen=True, slots=True)
class LibcRow(InstallRow):
    """A row that says for which C library it is."""

    libc: str = "glibc"


def _values(_: Catalog, rows: Sequence[InstallRow]) -> tuple[Value, ...]:
    used = {row.libc for row in rows if isinstance(row, LibcRow)}
    known = (Value("glibc", "GNU"), Value("musl", "musl"))
    return tuple(value for value in known if value.id in used)


LIBC = Axis("libc", "C library", 8, _values)


def _rows(row: InstallRow) -> Iterator[LibcRow]:
    parts = {field.name: getattr(row, field.name) for field in fields(row)}
    yield LibcRow(**parts)
    if row.os == "linux":
        parts["commands"] = (*row.commands, MUSL_COMMAND)
        yield LibcRow(**parts, libc="musl")


def further_selector(catalog: Catalog) -> Selector:
    """Return the selector of a catalogue's rows with the axis `libc` beside the library's own."""
    rows = tuple(further for row in expand(catalog)[0] for further in _rows(row))
    return make_selector(catalog, rows, (*AXES, LIBC))
