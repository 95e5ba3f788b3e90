"""Computes roll-ups (summary tables, such as pass rates by month) of all archived runs.

pandas computes them or, if the archive is too large for memory, Dask.

Each row of a roll-up is about one accelerator, suite and month, which is one partition of the
archive. Pandas therefore computes the same rows from the whole archive as Dask computes from one
partition after the other. Numbers are counts and whole microseconds, whose sums do not depend on
the order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from accelerator_portal.results.partitions.manifest import (
    ListedFile,
    Partition,
    files_by_partition,
    read_manifest,
)
from accelerator_portal.results.partitions.parquet_files import read_listed_files
from accelerator_reports.outcomes import BAD, GOOD

if TYPE_CHECKING:
    import pandas as pd
    from distributed import Client

    Frame = pd.DataFrame


MOST_ROWS_IN_MEMORY = 5_000_000
"""The number of rows above which Dask is used. A row takes up to 300 bytes while it is grouped."""

PLACE_COLUMNS = ("accelerator", "suite", "month")
"""The columns by which every roll-up is grouped. Their values come from the names of the archive's
folders."""

CODE_COLUMNS = ("torch", "torch_commit", "plugin_version", "plugin_commit", "commit")
"""The columns that distinguish two versions of the tested code."""

MOST_SLOW = 10
"""The maximum number of slow tests that are listed for each accelerator, suite and month."""

RollupEngine = Literal["pandas", "dask"]


@dataclass(frozen=True, slots=True)
class Rollup:
    """A roll-up: its description, the columns that it reads, and the function that computes it.

    `make` gets a table with `columns` and with the columns `accelerator`, `suite` and `month`.
    """

    meaning: str
    """A description of the roll-up for readers."""
    columns: tuple[str, ...]
    make: Callable[[Frame], Frame]


class PartitionFiles(NamedTuple):
    """The Parquet files of a partition: the results of one accelerator, suite and month.

    `root` is the folder of the repository.
    """

    root: Path
    partition: Partition
    files: tuple[ListedFile, ...]

    @property
    def rows(self) -> int:
        """The number of rows in the files."""
        return sum(file.rows for file in self.files)


def result_partitions(root: Path, accelerators: Iterable[str]) -> list[PartitionFiles]:
    """Return the partitions with results of these accelerators' runs.

    Raises ProblemsError if a manifest is damaged, or missing although there are files.
    """
    files = (
        file
        for accelerator in accelerators
        for file in read_manifest(root, accelerator).files_of("runs", "results")
    )
    # Workers of a cluster may have another working directory.
    absolute_root = root.absolute()
    return [
        PartitionFiles(absolute_root, p, tuple(partition_files))
        for p, partition_files in files_by_partition(files).items()
    ]


def engine_for(partitions: Iterable[PartitionFiles]) -> RollupEngine:
    """Return `dask` if the partitions have more than MOST_ROWS_IN_MEMORY rows, else `pandas`."""
    rows = sum(partition.rows for partition in partitions)
    return "dask" if rows > MOST_ROWS_IN_MEMORY else "pandas"


def pandas_rollup(rollup: Rollup, partitions: Iterable[PartitionFiles]) -> pd.DataFrame:
    """Return a roll-up of all results in these partitions, computed with pandas.

    Raises ProblemsError if a file is missing or damaged.
    """
    import pandas as pd

    frames = [read_partition(partition, rollup.columns) for partition in partitions]
    whole = pd.concat(frames, ignore_index=True) if frames else _empty_frame(rollup)
    return rollup.make(whole)


def dask_rollup(rollup: Rollup, partitions: list[PartitionFiles], client: Client) -> pd.DataFrame:
    """Return the same table as `pandas_rollup`, computed on a Dask cluster.

    Each thread of a worker has one partition in memory at a time. If a worker is lost, other
    workers repeat its partitions. Raises ProblemsError if a file is missing or damaged, and
    KilledWorker if a partition is too large for the workers.
    """
    import dask
    import dask.dataframe as dd
    import pandas as pd

    if not partitions:
        return pandas_rollup(rollup, partitions)
    empty = _empty_frame(rollup)
    with dask.config.set({"dataframe.convert-string": False}):  # the types that pandas chose
        frame = dd.from_map(  # type: ignore[no-untyped-call]
            read_partition, partitions, columns=rollup.columns, meta=empty, enforce_metadata=False
        )
        partition_rollups = frame.map_partitions(
            rollup.make, meta=rollup.make(empty), enforce_metadata=False
        )
        futures = client.compute(list(partition_rollups.to_delayed()))
    # The results are in the order of the partitions, which is that of the groups.
    computed_rollups = client.gather(futures)
    joined_rollup: pd.DataFrame = pd.concat(computed_rollups, ignore_index=True)
    return joined_rollup


def read_partition(partition: PartitionFiles, columns: Iterable[str]) -> pd.DataFrame:
    """Return the rows of a partition.

    The table has the columns `columns`, `accelerator`, `suite` and `month`. Raises ProblemsError if
    a file is missing or damaged.
    """
    table = read_listed_files(partition.root, partition.files, list(columns))
    frame: pd.DataFrame = table.to_pandas()
    partition_key = partition.partition
    place_values = {
        "accelerator": partition_key.accelerator,
        "suite": partition_key.suite,
        "month": partition_key.month,
    }
    return frame.assign(**place_values).astype(dict.fromkeys(PLACE_COLUMNS, "str"))


def _empty_frame(rollup: Rollup) -> pd.DataFrame:
    import pyarrow as pa

    from accelerator_portal.results.partitions.columns import arrow_schema

    schema = arrow_schema("results")
    frame: pd.DataFrame = (
        pa.schema([schema.field(n) for n in rollup.columns]).empty_table().to_pandas()
    )
    return frame.assign(**dict.fromkeys(PLACE_COLUMNS, "")).astype(
        dict.fromkeys(PLACE_COLUMNS, "str")
    )


def outcome_counts(frame: Frame) -> Frame:
    """Return the number of results by accelerator, suite, month and outcome.

    The number is in the column `results`.
    """
    counts: Frame = _group_by(frame, *PLACE_COLUMNS, "outcome").size().reset_index(name="results")
    return counts


def pass_rates(frame: Frame) -> Frame:
    """Return the pass rate of each accelerator, suite and month, and the numbers behind it.

    The numbers are in the columns `reports`, `results` (all results), `passed` and `failed`. The
    column `pass_rate` is `passed` divided by the sum of `passed` and `failed`, from 0 to 1. It is
    NaN if this sum is 0.
    """
    marked = frame.assign(
        passed=frame["outcome"].isin(GOOD).astype("int64"),
        failed=frame["outcome"].isin(BAD).astype("int64"),
    )
    groups = _group_by(marked, *PLACE_COLUMNS)
    rates: Frame = groups.agg(
        reports=("report", "nunique"),
        results=("key", "size"),
        passed=("passed", "sum"),
        failed=("failed", "sum"),
    ).reset_index()
    return rates.assign(pass_rate=rates["passed"] / (rates["passed"] + rates["failed"]))


def flaky_tests(frame: Frame) -> Frame:
    """Return the tests that, within a month, both passed and failed on the same code.

    There is one row for each accelerator, month and test. Two results have the same code if the
    columns in `CODE_COLUMNS` are equal. Results without a PyTorch version are ignored, because
    their code is unknown. The columns `passed` and `failed` count the passes and failures. Code on
    which the test only passed or only failed does not count.
    """
    with_known_code = frame[frame["torch"].notna()]
    marked = with_known_code.assign(
        passed=with_known_code["outcome"].isin(GOOD).astype("int64"),
        failed=with_known_code["outcome"].isin(BAD).astype("int64"),
    )
    code = (
        _group_by(marked, *PLACE_COLUMNS, "key", *CODE_COLUMNS)[["passed", "failed"]]
        .sum()
        .reset_index()
    )
    both = code[(code["passed"] > 0) & (code["failed"] > 0)]
    counts: Frame = _group_by(both, *PLACE_COLUMNS, "key")[["passed", "failed"]].sum().reset_index()
    return counts


def slowest_tests(frame: Frame) -> Frame:
    """Return the MOST_SLOW slowest tests of each accelerator, suite and month, slowest first.

    The column `mean_seconds` is the mean duration of a test, by which the tests are sorted.
    `longest_seconds` is the longest duration. `runs` is the number of results with a duration.
    """
    timed = frame[frame["seconds"].notna()]
    whole = timed.assign(microseconds=(timed["seconds"] * 1e6).round().astype("int64"))
    groups = _group_by(whole, *PLACE_COLUMNS, "key")["microseconds"]
    durations = groups.agg(runs="size", total="sum", longest="max").reset_index()
    durations["mean_seconds"] = durations["total"] / durations["runs"] / 1e6
    durations["longest_seconds"] = durations["longest"] / 1e6
    ordered = durations.sort_values(
        [*PLACE_COLUMNS, "mean_seconds", "key"], ascending=[True, True, True, False, True]
    )
    slowest: Frame = _group_by(ordered, *PLACE_COLUMNS).head(MOST_SLOW)
    return slowest[[*PLACE_COLUMNS, "key", "runs", "mean_seconds", "longest_seconds"]].reset_index(
        drop=True
    )


def _group_by(frame: Frame, *names: str) -> Any:  # noqa: ANN401 - pandas has a class for each case
    return frame.groupby(list(names), sort=True, dropna=False, observed=True)


ROLLUPS: Mapping[str, Rollup] = {
    "outcomes": Rollup("How often each outcome was reported", ("outcome",), outcome_counts),
    "pass-rates": Rollup(
        "How many results passed and failed", ("key", "report", "outcome"), pass_rates
    ),
    "flaky": Rollup(
        "Tests that both passed and failed on the same code",
        ("key", "outcome", *CODE_COLUMNS),
        flaky_tests,
    ),
    "slowest": Rollup(
        f"The {MOST_SLOW} tests of each suite that took longest on average",
        ("key", "seconds"),
        slowest_tests,
    ),
}
"""The roll-ups by their names on the command line."""
