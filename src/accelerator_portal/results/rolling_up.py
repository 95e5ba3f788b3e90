"""Making a roll-up of all runs in the archive: with pandas, or with Dask where it does not fit."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from accelerator_portal.results.partitions.compaction import partitions_of, read_parts
from accelerator_portal.results.partitions.layout import Partition
from accelerator_portal.results.partitions.manifest import ListedFile, read_manifest
from accelerator_portal.results.rollups import PLACE, Rollup

if TYPE_CHECKING:
    import pandas as pd
    from distributed import Client

MOST_ROWS_IN_MEMORY = 5_000_000
"""Above this, Dask is used. A row takes up to 300 bytes while it is grouped."""

RollupEngine = Literal["pandas", "dask"]


class PartitionFiles(NamedTuple):
    """The files of a partition, and the repository that they are in."""

    root: Path
    partition: Partition
    files: tuple[ListedFile, ...]

    @property
    def rows(self) -> int:
        """How many rows they have."""
        return sum(file.rows for file in self.files)


def result_partitions(root: Path, accelerators: Iterable[str]) -> list[PartitionFiles]:
    """Return the partitions with results of runs; only manifests are read. Raises ProblemsError."""
    files = (
        file
        for accelerator in accelerators
        for file in read_manifest(root, accelerator).files_of("runs", "results")
    )
    # Workers of a cluster may have another working directory.
    where = root.absolute()
    return [PartitionFiles(where, p, tuple(found)) for p, found in partitions_of(files).items()]


def engine_for(partitions: Iterable[PartitionFiles]) -> RollupEngine:
    """Return what rolls up so many rows."""
    rows = sum(partition.rows for partition in partitions)
    return "dask" if rows > MOST_ROWS_IN_MEMORY else "pandas"


def pandas_rollup(rollup: Rollup, partitions: Iterable[PartitionFiles]) -> pd.DataFrame:
    """Make a roll-up of all rows in one frame. Raises ProblemsError where a file is damaged."""
    import pandas as pd

    frames = [read_partition(partition, rollup.columns) for partition in partitions]
    whole = pd.concat(frames, ignore_index=True) if frames else _empty(rollup)
    made: pd.DataFrame = rollup.make(whole)
    return made


def dask_rollup(rollup: Rollup, partitions: list[PartitionFiles], client: Client) -> pd.DataFrame:
    """Make the same roll-up on a cluster, a partition at a time on each worker.

    A worker that is lost costs the partitions that it had; others take them. Raises ProblemsError
    where a file is damaged, and KilledWorker where a partition alone is too large for the workers.
    """
    import dask
    import dask.dataframe as dd
    import pandas as pd

    if not partitions:
        return pandas_rollup(rollup, partitions)
    empty = _empty(rollup)
    with dask.config.set({"dataframe.convert-string": False}):  # the types that pandas chose
        frame = dd.from_map(  # type: ignore[no-untyped-call]
            read_partition, partitions, columns=rollup.columns, meta=empty, enforce_metadata=False
        )
        made = frame.map_partitions(rollup.make, meta=rollup.make(empty), enforce_metadata=False)
        futures = client.compute(list(made.to_delayed()))
    found = client.gather(futures)  # in the order of the partitions, which is that of the groups
    together: pd.DataFrame = pd.concat(found, ignore_index=True)
    return together


def read_partition(partition: PartitionFiles, columns: Iterable[str]) -> pd.DataFrame:
    """Return rows of a partition with the columns that its folder names. Raises ProblemsError."""
    table = read_parts(partition.root, partition.files, list(columns))
    frame: pd.DataFrame = table.to_pandas()
    place = partition.partition
    named = {"accelerator": place.accelerator, "suite": place.suite, "month": place.month}
    return frame.assign(**named).astype(dict.fromkeys(PLACE, "str"))


def _empty(rollup: Rollup) -> pd.DataFrame:
    import pyarrow as pa

    from accelerator_portal.results.partitions.columns import arrow_schema

    schema = arrow_schema("results")
    frame: pd.DataFrame = (
        pa.schema([schema.field(n) for n in rollup.columns]).empty_table().to_pandas()
    )
    return frame.assign(**dict.fromkeys(PLACE, "")).astype(dict.fromkeys(PLACE, "str"))
