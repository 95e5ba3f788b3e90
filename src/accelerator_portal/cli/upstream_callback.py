"""`accelerator-portal upstream callback`: what a vendor's job tells PyTorch's relay."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import click

from accelerator_portal.automation.upstream import callback as relay
from accelerator_portal.automation.upstream.change import RefusedEventError
from accelerator_portal.automation.upstream.incoming import MOST_BYTES
from accelerator_portal.cli.options import INPUT_FILE
from accelerator_portal.reports.report import Report
from accelerator_portal.reports.report_file import read_report

CallbackStatus = Literal["in_progress", "completed"]


@click.command()
@click.argument("report", type=INPUT_FILE, required=False)
@click.option(
    "--status",
    type=click.Choice(["in_progress", "completed"]),
    default="completed",
    help="Send this status of the job. Default: completed.",
)
@click.option(
    "--event",
    type=INPUT_FILE,
    envvar="GITHUB_EVENT_PATH",
    help="Read the relay's event from this JSON file.",
)
@click.option("--job-name", help="Name the job. Each leg of a matrix needs its own name.")
@click.option("--check-run", help="Pass the number of the job's check run: job.check_run_id.")
@click.option("--artifact", help="Link to the full report at this address.")
@click.option(
    "--nightly", "event_type", flag_value="nightly", help="Report a nightly run of your CI."
)
@click.option(
    "--periodic",
    "event_type",
    flag_value="periodic",
    help="Report another scheduled run of your CI.",
)
@click.option(
    "--commit", help="State PyTorch's commit of a nightly or periodic run. Default: the report's."
)
@click.option("--test-results", "only_results", is_flag=True, help="Print only the test counts.")
def callback(
    report: Path | None,
    status: CallbackStatus,
    *,
    only_results: bool,
    **options: Any,  # noqa: ANN401 - as click hands them over
) -> None:
    """Print the callback for PyTorch's cross-repository CI relay.

    Send "--status in_progress" when the job starts and "--status completed" with the report when it
    ends. With --test-results, print the counts for the input "test-results" of the relay's action.
    """
    with _one_line_errors():
        if only_results:
            click.echo(json.dumps(relay.result_counts(_report(report))))
        else:
            click.echo(json.dumps(_body(report, status, options), indent=1))


def _body(file: Path | None, status: CallbackStatus, options: dict[str, Any]) -> dict[str, Any]:
    now = dt.datetime.now(dt.timezone.utc)
    job = relay.job_of(os.environ, options["check_run"], options["artifact"], options["job_name"])
    if status == "in_progress":
        if options["event_type"]:
            what = f"--{options['event_type']} sends no in_progress. Send completed only"
            raise click.UsageError(what)
        return relay.in_progress(_dispatched(options["event"]), job, now)
    report = _report(file)
    if event_type := options["event_type"]:
        commit = options["commit"] or report.environment.torch_commit or ""
        return relay.completed(relay.self_started(event_type, commit), job, report, now)
    return relay.completed(_dispatched(options["event"]), job, report, now)


def _report(file: Path | None) -> Report:
    if file is None:
        raise click.UsageError("there is no report. Name the file, for example report.json")
    return read_report(file)


def _dispatched(event: Path | None) -> relay.Dispatched:
    if event is None:
        raise click.UsageError("there is no event. Name its file with --event, or use --nightly")
    with event.open("rb") as file:
        return relay.read_dispatched(file.read(MOST_BYTES + 1))


@contextmanager
def _one_line_errors() -> Iterator[None]:
    try:
        yield
    except RefusedEventError as error:
        raise click.ClickException(" ".join(str(error).split())) from None
