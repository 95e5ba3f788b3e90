"""`accelerator-portal upstream`: starts tests of PyTorch's changes and reports their results."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, get_args

import click

from accelerator_automation.github.api import GitHubError
from accelerator_automation.github.client import client_from_environment
from accelerator_automation.upstream import answer_round, dispatch_round, summary
from accelerator_automation.upstream import callback as relay
from accelerator_automation.upstream import summary as failed_runs
from accelerator_automation.upstream.connections import clients_from_environment
from accelerator_automation.upstream.incoming import (
    MOST_BYTES,
    UPSTREAM,
    Change,
    RefusedEventError,
    confirmed_change,
    main_branch_change,
    read_event,
)
from accelerator_automation.upstream.planning import plan_tests as planned
from accelerator_portal.catalog.markdown_file import code_span
from accelerator_portal.cli.options import ROOT, catalog_of_main
from accelerator_reports.cli.options import INPUT_FILE, OUTPUT_FILE, print_problems
from accelerator_reports.files.clock import utc_now
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.files.text_file import write_text_atomically
from accelerator_reports.report import Report
from accelerator_reports.report_file import read_report

CallbackStatus = Literal["in_progress", "completed"]


@click.group()
def upstream() -> None:
    """Test changes of PyTorch and report the results."""


@upstream.command()
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
@click.option("--check-run", help="Pass the ID of the job's check run, which is job.check_run_id.")
@click.option(
    "--conclusion",
    type=click.Choice(get_args(relay.EarlyEnd)),
    help="State how a run without a report ended. Default: what the report says.",
)
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
@click.option("--commit", help="State the commit of PyTorch under test. Default: the report's.")
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
    ends. The job is read from the variables of GitHub Actions or Buildkite, or from WORKFLOW_NAME,
    WORKFLOW_URL, JOB_NAME, RUN_ID and RUN_ATTEMPT. With --test-results, print the counts for the
    input "test-results" of the relay's action.
    """
    try:
        if only_results:
            click.echo(json.dumps(relay.result_counts(_required_report(report))))
        else:
            click.echo(json.dumps(_callback_body(report, status, options), indent=1))
    except RefusedEventError as error:
        raise click.ClickException(" ".join(str(error).split())) from None


def _callback_body(
    file: Path | None, status: CallbackStatus, options: dict[str, Any]
) -> dict[str, Any]:
    now, ended = utc_now(), options["conclusion"]
    if ended and status == "in_progress":
        raise click.UsageError("a run that starts has no conclusion. Remove --conclusion")
    job = relay.workflow_job(
        os.environ, options["check_run"], options["artifact"], options["job_name"]
    )
    if status == "in_progress":
        if options["event_type"]:
            error_text = f"--{options['event_type']} can't send in_progress. Use --status completed"
            raise click.UsageError(error_text)
        return relay.in_progress_callback(_dispatched_event(options["event"]), job, now)
    report = None if ended and not file else _required_report(file)
    if event_type := options["event_type"]:
        commit = options["commit"] or (report and report.environment.torch_commit) or ""
        payload = relay.self_started_payload(event_type, commit)
        if report:
            _refuse_other_commits(commit, report)
        return relay.completed_callback(payload, job, report, now, ended)
    if options["commit"]:
        raise click.UsageError("the event states the commit. Remove --commit, or add --nightly")
    return relay.completed_callback(_dispatched_event(options["event"]), job, report, now, ended)


def _refuse_other_commits(commit: str, report: Report) -> None:
    """Raise click.UsageError if the report states that another commit of PyTorch was tested."""
    trigger = report.trigger
    stated_commits = {
        "environment.torch_commit": report.environment.torch_commit,
        "trigger.commit": trigger.commit if trigger.repository == UPSTREAM else None,
    }
    for place, stated_commit in stated_commits.items():
        if stated_commit and not commit.startswith(stated_commit):
            error_text = f"the commit is {commit}, but {place} in the report is {stated_commit}"
            raise click.UsageError(f"{error_text}. Correct --commit, or pass the other report")


def _required_report(file: Path | None) -> Report:
    if file is None:
        raise click.UsageError("no report given. Pass the file, for example report.json")
    return read_report(file)


def _dispatched_event(event: Path | None) -> relay.Dispatched:
    if event is None:
        raise click.UsageError("no event given. Pass its file with --event, or use --nightly")
    return relay.read_dispatched(_event_bytes(event))


EVENT = click.option(
    "--event",
    type=INPUT_FILE,
    envvar="GITHUB_EVENT_PATH",
    help="Read the event from this JSON file. Default: the file in GITHUB_EVENT_PATH.",
)
HOME = click.option(
    "--home",
    envvar="GITHUB_REPOSITORY",
    required=True,
    metavar="OWNER/NAME",
    help="Name this repository. Default: GITHUB_REPOSITORY.",
)
SUMMARY = click.option(
    "--summary",
    "summary_file",
    type=OUTPUT_FILE,
    envvar="GITHUB_STEP_SUMMARY",
    help="Append the summary to this file. Default: the file in GITHUB_STEP_SUMMARY, or print it.",
)


@upstream.command()
@ROOT
@EVENT
@SUMMARY
@click.option(
    "--periodic",
    type=click.Choice(["daily", "weekly"]),
    help="Test the main branch, without an event.",
)
@click.option("--out", type=OUTPUT_FILE, required=True, help="Write the plan to this file.")
def plan(root: Path, summary_file: Path | None, out: Path, **option_values: Any) -> None:  # noqa: ANN401
    """Confirm an event with GitHub and plan its tests.

    The plan says which platforms test the change. Requires GH_TOKEN.

    If there is nothing to test, no plan is written. If an event is forged or out of order, the
    command prints the reason and fails, and no test runs.
    """
    catalog = catalog_of_main(root)
    with _errors_as_one_line(summary_file):
        change = _upstream_change(option_values["event"], option_values["periodic"])
    if not isinstance(change, Change):
        _write_summary(summary_file, f"{change}\n")
        return
    test_plan = planned(catalog, change)
    if test_plan.entries:
        write_text_atomically(out, test_plan.model_dump_json(indent=1) + "\n")
    _write_summary(summary_file, summary.plan_summary(test_plan))


@upstream.command()
@ROOT
@HOME
@SUMMARY
@click.option(
    "--out",
    type=OUTPUT_FILE,
    required=True,
    help="Write the log of dispatched runs and of those still waiting to this file.",
)
def dispatch(root: Path, home: str, summary_file: Path | None, out: Path) -> None:
    """Dispatch the planned test runs.

    The command reads the plans of earlier runs, and observes GitHub's rate limits. Before it
    dispatches a pull request, it asks GitHub again whether the pull request is open, at this
    commit, labeled and approved. If not, the dispatch is canceled, and the summary says why.

    Requires PORTAL_TOKEN to read this repository and pull requests, and to start workflows.
    Requires the GitHub App in UPSTREAM_APP_ID and UPSTREAM_APP_KEY to dispatch to vendors'
    repositories.

    A newer commit of a branch replaces older commits that are not sent yet. Dispatches that don't
    fit into the time of one run wait for the next run. If a dispatch fails, the others are
    sent before the command fails.
    """
    catalog = catalog_of_main(root)
    with _errors_as_one_line(summary_file):
        clients = clients_from_environment(home)
        dispatch_result = dispatch_round.run_dispatch_round(
            clients,
            lambda change: planned(catalog, confirmed_change(clients.own, change, utc_now())),
            lambda log: write_text_atomically(out, log.model_dump_json() + "\n"),
        )
    _write_summary(summary_file, summary.sent_summary(dispatch_result))
    sys.exit(int(dispatch_result.failed))


@upstream.command()
@HOME
@SUMMARY
def sweep(home: str, summary_file: Path | None) -> None:
    """Start failed runs of upstream events again.

    Requires PORTAL_TOKEN to read this repository's runs and to start them. A run is started at most
    three times.
    """
    with _errors_as_one_line(summary_file, "Error:"):
        sweep_result = failed_runs.restart_failed_runs(
            client_from_environment("PORTAL_TOKEN"), home, utc_now()
        )
    _write_summary(summary_file, summary.sweep_summary(sweep_result))
    sys.exit(int(bool(sweep_result.errors)))


@upstream.command()
@ROOT
@HOME
@SUMMARY
@click.option(
    "--out",
    type=OUTPUT_FILE,
    required=True,
    help="Write the ledger of reports already handled to this file.",
)
@click.option(
    "--keep", is_flag=True, help="Store reports of the main branch in the platforms' results."
)
def answer(root: Path, home: str, summary_file: Path | None, out: Path, *, keep: bool) -> None:
    """Fetch reports and comment on pull requests.

    The comment lists new failures and fixes.

    Requires PORTAL_TOKEN to read this repository, and the GitHub App in UPSTREAM_APP_ID and
    UPSTREAM_APP_KEY to read the vendors' runs and to comment upstream. If a comment can't be
    posted, the command fails and tries again in the next run.
    """
    catalog = catalog_of_main(root)
    with _errors_as_one_line(summary_file, "Error:"):
        clients = clients_from_environment(home)
        round_result = answer_round.run_answer_round(root, catalog, clients, utc_now(), keep=keep)
    write_text_atomically(out, round_result.ledger.model_dump_json() + "\n")
    _write_summary(
        summary_file,
        summary.answer_summary(round_result.lookups, round_result.answers, round_result.done),
    )
    sys.exit(int(round_result.failed))


def _upstream_change(
    event: Path | None, periodic: Literal["daily", "weekly"] | None
) -> Change | str:
    api, now = client_from_environment(), utc_now()
    if periodic:
        return main_branch_change(api, periodic, now)
    if event is None:
        raise click.UsageError("no event given. Pass one with --event")
    change = read_event(_event_bytes(event))
    return confirmed_change(api, change, now) if isinstance(change, Change) else change


def _event_bytes(event: Path) -> bytes:
    with event.open("rb") as file:
        return file.read(MOST_BYTES + 1)


@contextmanager
def _errors_as_one_line(
    summary_file: Path | None, heading: str = "No tests were started."
) -> Iterator[None]:
    """Print an error of the `with` block as one line instead of a traceback, and exit.

    The error is also written to the summary file `summary_file`, after `heading`. The problems of a
    ProblemsError are printed one per line, and are not written to the summary file.
    """
    try:
        yield
    except ProblemsError as error:
        print_problems(error.problems)
        sys.exit(1)
    except (RefusedEventError, GitHubError, ValueError) as error:
        error_text = " ".join(str(error).split())
        if summary_file:
            _write_summary(summary_file, f"**{heading}** {code_span(error_text)}\n")
        raise click.ClickException(error_text) from None


def _write_summary(summary_file: Path | None, text: str) -> None:
    if summary_file is None:
        click.echo(text, nl=False)
        return
    with summary_file.open("a", encoding="utf-8") as file:
        file.write(text)
