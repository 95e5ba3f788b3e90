"""The changes of a history as one Parquet file: by time, then report, then key."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from accelerator_portal.reports.reading import read_bytes, refuse
from accelerator_portal.results.beside import write_beside
from accelerator_portal.results.history import Change

if TYPE_CHECKING:
    import pandas as pd

_TYPES = dict.fromkeys(Change._fields, "str") | {"started": "datetime64[us, UTC]"}


def changes_table(changes: Iterable[Change]) -> pd.DataFrame:
    """Return changes as a table, with the columns that `Change` names."""
    import pandas as pd

    return _sorted(pd.DataFrame(changes, columns=list(_TYPES)).astype(_TYPES))


def append_changes(path: Path, changes: Iterable[Change]) -> None:
    """Add changes to a file, which is made where there is none; write beside and rename.

    What the file already has of the same reports is replaced: whoever writes the changes first and
    the state after them can be interrupted in between, and fold the report again.

    Raises ProblemsError where the file is no table of changes, OSError where it cannot be written.
    """
    import pandas as pd

    table = changes_table(changes)
    if path.exists():
        known = read_changes(path)
        kept = known[~known["report"].isin(table["report"])]
        table = _sorted(pd.concat([kept, table], ignore_index=True))
    data: bytes = table.to_parquet(None, engine="pyarrow", compression="zstd", index=False)
    write_beside(path, data)


def read_changes(path: Path) -> pd.DataFrame:
    """Read a file of changes.

    Raises ProblemsError.
    """
    import pandas as pd

    try:
        table = pd.read_parquet(io.BytesIO(read_bytes(path)), engine="pyarrow")
    except (ValueError, OSError):
        table = None
    if table is None or table.dtypes.astype("str").to_dict() != _TYPES:
        what = "this is no table of changes"
        raise refuse(path, 1, what, "rebuild the history from all reports")
    return table


def _sorted(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values(["started", "report", "key"], ignore_index=True)
