"""`accelerator-portal pull-request-comment`: for the workflow that comments."""

from __future__ import annotations

from pathlib import Path

import click
from pydantic import ValidationError

from accelerator_portal.automation.events import PullRequestRun
from accelerator_portal.automation.github import GitHubError
from accelerator_portal.automation.github_client import client_here
from accelerator_portal.automation.ownership import maintainers
from accelerator_portal.automation.posting import post
from accelerator_portal.automation.pull_request_comment import HarmfulError
from accelerator_portal.catalog import load_catalog
from accelerator_portal.cli.options import ROOT


@click.command("pull-request-comment")
@ROOT
@click.option(
    "--event",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    envvar="GITHUB_EVENT_PATH",
    required=True,
    help="The event workflow_run as GitHub writes it; by default what GITHUB_EVENT_PATH names.",
)
def pull_request_comment(root: Path, event: Path) -> None:
    """Post or renew the comment on the pull request whose run ended. Needs GH_TOKEN.

    ROOT is the base, never the pull request: it says who answers for which folder.
    """
    try:
        run = PullRequestRun.model_validate_json(event.read_bytes())
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise click.ClickException(f"{event} is no event workflow_run: {place}") from None
    catalog, _ = load_catalog(root)
    if catalog is None:
        raise click.ClickException(f"{root} holds no usable data; name the repository's main")
    try:
        click.echo(post(client_here(), run, maintainers(catalog)))
    except (GitHubError, HarmfulError) as error:
        raise click.ClickException(str(error)) from None
