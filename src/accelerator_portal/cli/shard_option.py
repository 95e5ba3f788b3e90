"""The options with which several machines share the tests of one run."""

from __future__ import annotations

import re

import click

from accelerator_portal.cli.options import INPUT_FILE
from accelerator_portal.reports.shard import MAX_SHARDS

_FORM = re.compile(r"([1-9]\d{0,8})/([1-9]\d{0,8})")


def _numbers(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    """Return K and N of `K/N`; refuse what cannot be a shard."""
    del context, parameter
    if value is None:
        return None
    match = _FORM.fullmatch(value)
    if not match:
        raise click.BadParameter(f'"{value}" is not in the form K/N, for example 2/4')
    index, number = int(match[1]), int(match[2])
    if index > number:
        raise click.BadParameter(f"there is no shard {index} of {number}; the last is {number}")
    if number > MAX_SHARDS:
        raise click.BadParameter(f"there can be at most {MAX_SHARDS} shards; {number} is more")
    return index, number


SHARD = click.option(
    "--shard",
    metavar="K/N",
    callback=_numbers,
    help="Run shard K of N. Merge the reports of all shards with `report merge`.",
)

TIMES = click.option(
    "--times",
    type=INPUT_FILE,
    metavar="REPORT",
    help="Balance shards by this report's times. Default: the platform's reports.",
)
