"""`accelerator-portal pull-request-comment`: posts the portal's comment on a pull request."""

from __future__ import annotations

from pathlib import Path

import click
from pydantic import ValidationError

from accelerator_automation.github.client import client_from_environment
from accelerator_automation.github.models import PullRequestRun
from accelerator_automation.platform_maintainers import maintainers
from accelerator_automation.site_change_comment import post_comment
from accelerator_portal.cli.options import ROOT, catalog_of_main
from accelerator_reports.cli.options import INPUT_FILE


@click.command("pull-request-comment")
@ROOT
@click.option(
    "--event",
    type=INPUT_FILE,
    envvar="GITHUB_EVENT_PATH",
    required=True,
    help="Read GitHub's workflow_run event from this file. Default: the file in GITHUB_EVENT_PATH.",
)
def pull_request_comment(root: Path, event: Path) -> None:
    """Write the portal's comment on a pull request. Needs GH_TOKEN.

    ROOT is a checkout of the base branch, never of the pull request. The command reads the
    platforms' maintainers from this checkout.
    """
    try:
        run = PullRequestRun.model_validate_json(event.read_bytes())
    except ValidationError as error:
        location = ".".join(map(str, error.errors()[0]["loc"]))
        raise click.ClickException(f"{event} isn't a workflow_run event: {location}") from None
    catalog = catalog_of_main(root)
    click.echo(post_comment(client_from_environment(), run, maintainers(catalog)))
