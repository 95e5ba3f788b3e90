"""`accelerator-portal history rollup`: counts, rates, flaky and slow tests by suite and month."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

import click

from accelerator_portal.catalog.atomic_write import write_bytes_atomically
from accelerator_portal.catalog.wording import count
from accelerator_portal.cli.extras import require_extra
from accelerator_portal.cli.history_archive import refuse_without_history
from accelerator_portal.cli.options import OUTPUT_FILE, ROOT
from accelerator_portal.results.partitions.layout import archived_accelerators
from accelerator_portal.results.rolling_up import (
    MOST_ROWS_IN_MEMORY,
    ROLLUPS,
    PartitionFiles,
    Rollup,
    RollupEngine,
    dask_rollup,
    engine_for,
    pandas_rollup,
    result_partitions,
)

if TYPE_CHECKING:
    import pandas as pd
    from distributed import Client

_CONNECT_S = 20


@click.command()
@ROOT
@click.option(
    "--accelerator",
    "accelerators",
    multiple=True,
    metavar="ID",
    help="Include only this accelerator. Repeatable.",
)
@click.option(
    "--engine",
    type=click.Choice(get_args(RollupEngine)),
    help=f"Use this engine. Default: pandas up to {MOST_ROWS_IN_MEMORY:,} results, Dask for more.",
)
@click.option("--scheduler", metavar="ADDRESS", help="Use the workers of this Dask cluster.")
@click.option(
    "--out",
    type=OUTPUT_FILE,
    help="Write this .csv, .json or .parquet file. Default: print CSV.",
)
@click.argument("name", type=click.Choice(tuple(ROLLUPS)))
def rollup(  # noqa: PLR0913, PLR0917 - click hands over each option
    root: Path,
    name: str,
    accelerators: tuple[str, ...],
    engine: str | None,
    scheduler: str | None,
    out: Path | None,
) -> None:
    """Summarize the results of all archived runs by accelerator, suite and month.

    Dask workers read the files themselves: the repository must have the same path on each worker.
    """
    if out and out.suffix not in _WRITERS:
        raise click.UsageError(f"{out}: use a name that ends with {', '.join(_WRITERS)}")
    if scheduler and engine == "pandas":
        raise click.UsageError("--scheduler requires Dask. Remove --engine pandas")
    for accelerator in accelerators:
        refuse_without_history(root, accelerator)
    partitions = result_partitions(root, accelerators or archived_accelerators(root))
    chosen = cast("RollupEngine | None", "dask" if scheduler else engine)
    frame = _made(ROLLUPS[name], partitions, chosen or engine_for(partitions), scheduler)
    if out is None:
        click.echo(frame.to_csv(index=False), nl=False)
        return
    write_bytes_atomically(out, _WRITERS[out.suffix](frame))
    click.echo(f"Wrote {count(len(frame), 'row')} to {out}.")


def _made(
    rollup: Rollup, partitions: list[PartitionFiles], engine: RollupEngine, scheduler: str | None
) -> pd.DataFrame:
    if engine == "pandas":
        return pandas_rollup(rollup, partitions)
    require_extra("cluster", "history rollup with Dask")
    with _connected(scheduler) as client:
        return dask_rollup(rollup, partitions, client)


@contextmanager
def _connected(scheduler: str | None) -> Iterator[Client]:
    """Connect to a cluster, or start workers on this machine for the time of a roll-up."""
    from distributed import Client, LocalCluster

    if scheduler is None:
        with (
            LocalCluster(threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = Client(scheduler, timeout=_CONNECT_S)
    except (OSError, ValueError):
        what = f"the Dask scheduler {scheduler} doesn't respond. Start it, or correct --scheduler"
        raise click.ClickException(what) from None
    with client:
        yield client


def _csv(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=False).encode()


def _json(frame: pd.DataFrame) -> bytes:
    return frame.to_json(orient="records", indent=1).encode()


def _parquet(frame: pd.DataFrame) -> bytes:
    return frame.to_parquet(index=False, compression="zstd")


_WRITERS = {".csv": _csv, ".json": _json, ".parquet": _parquet}
