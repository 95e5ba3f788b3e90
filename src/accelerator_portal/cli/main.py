"""The command `accelerator-portal`: its commands are imported when they are called."""

from __future__ import annotations

import click

from accelerator_portal.cli.extras import Extra
from accelerator_portal.cli.lazy_group import LazyCommand, LazyGroup


def _in(place: str, summary: str, extra: Extra | None = None) -> LazyCommand:
    return LazyCommand(f"accelerator_portal.cli.{place}", summary, extra)


# The summaries are the first sentences of the commands' docstrings; a test compares them. Another
# runs without any extra: a command that needs one must name it here.
COMMANDS = {
    "archive": _in("archive:archive", "Bring and push the branch with what the nightly keeps."),
    "build": _in(
        "build:build",
        "Build the site with MkDocs, strictly, and look at every link before it is published.",
        "site",
    ),
    "check": _in(
        "check:check",
        "Check every vendor's folder and the shared data; print all problems at once.",
    ),
    "diff": _in(
        "diff:diff",
        "Say what readers will see differently: BASE and HEAD are built sites, or their api/v1.",
        "site",
    ),
    "export": _in(
        "export:export",
        "Write the site's pages as plain Markdown, with its data and assets, for another engine.",
        "site",
    ),
    "facts": _in(
        "facts:list_facts",
        "List facts with their sources, all of them or a sample, to check them by hand.",
    ),
    "history": _in("history:history", "Keep what reports said over time, and show it.", "site"),
    "import-platforms": _in(
        "import_platforms:import_platforms",
        "Make a vendor folder from each entry of FILE, pytorch.org's additional-platforms.json.",
        "site",
    ),
    "install": _in("install:install", "Look at install commands.", "packages"),
    "new": _in(
        "new:new", "Write the folder of a new platform ID, so that it passes the check.", "site"
    ),
    "nightly": _in(
        "nightly:nightly",
        "Take what is new, set aside what is broken, publish the rest, say what changed.",
        "automation",
    ),
    "owners": _in(
        "owners:owners", "Write .github/CODEOWNERS and the issue forms that list platforms."
    ),
    "packages": _in(
        "packages:packages", "Keep what package indexes say of the platforms' packages.", "packages"
    ),
    "plugin-release": _in(
        "plugin_release:plugin_release",
        "Add the compatibility row of a plugin release to PLATFORM's folder.",
    ),
    "pull-request-comment": _in(
        "pull_request_comment:pull_request_comment",
        "Post or renew the comment on the pull request whose run ended.",
        "automation",
    ),
    "push-data": _in(
        "push_data:push_data",
        "Push the files that changed below PATHS, also where the branch has moved.",
    ),
    "report": _in("report:report", "Import, check, merge, show, compare and export test reports."),
    "schema": _in(
        "schema:schema", "Write the JSON Schemas of the contributed files into data/schema/."
    ),
    "suites": _in(
        "suites:suites", "Add the names of the harness's tests to data/suites; needs torch."
    ),
    "upstream": _in(
        "upstream:upstream",
        "Answer PyTorch's events: plan who tests a change, tell them, say what is news.",
        "automation",
    ),
    "validate": _in(
        "validate:validate", "Run test suites on a device and write the common test report."
    ),
}


@click.group(
    cls=LazyGroup,
    lazy_commands=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="accelerator-portal")
def main() -> None:
    """Look after the PyTorch accelerator portal's data."""
