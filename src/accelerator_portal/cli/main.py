"""Defines the command `accelerator-portal`, and imports a subcommand only when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

import click

from accelerator_portal.cli.error_messages import failures_as_messages
from accelerator_portal.cli.extras import Extra, is_installed, missing_extra_command


class LazyCommand(NamedTuple):
    """A subcommand that is not imported yet.

    `place` is its module and name, such as `accelerator_portal.cli.build:build`. `summary` is the
    first sentence of its help. `extra` is the extra that it needs, or None.
    """

    place: str
    summary: str
    extra: Extra | None = None


class LazyGroup(click.Group):
    """A command group that lists its subcommands without importing them.

    Source: "Lazily Loading Subcommands", click's documentation.
    """

    def __init__(self, *, lazy_commands: Mapping[str, LazyCommand], **options: Any) -> None:  # noqa: ANN401 - click's own
        stubs = {name: click.Command(name, help=c.summary) for name, c in lazy_commands.items()}
        super().__init__(commands=stubs, **options)  # click lists, completes and suggests these
        self.lazy_commands = lazy_commands

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the subcommand `cmd_name`, or return None if there is none.

        If its extra is not installed, return a command that says how to install the extra.
        """
        if cmd_name not in self.lazy_commands:
            return super().get_command(ctx, cmd_name)
        entry_point, summary, extra = self.lazy_commands[cmd_name]
        if extra and not is_installed(extra):
            return missing_extra_command(cmd_name, summary, extra)
        module, _, name = entry_point.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of subcommands to the help text, each with its summary."""
        click.Group(commands=self.commands).format_commands(ctx, formatter)

    def make_context(self, *words: Any, **options: Any) -> click.Context:  # noqa: ANN401 - click's own
        """Parse the command line; errors are printed as messages, without a traceback."""
        with failures_as_messages():
            return super().make_context(*words, **options)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own
        """Run the subcommand; errors are printed as messages, without a traceback."""
        with failures_as_messages():
            return super().invoke(ctx)


def _lazy_command(entry_point: str, summary: str, extra: Extra | None = None) -> LazyCommand:
    return LazyCommand(f"accelerator_portal.cli.{entry_point}", summary, extra)


# The summaries are the first sentences of the commands' docstrings; a test compares them. Another
# test runs the commands without any extra: a command that needs an extra must name it here.
COMMANDS = {
    "archive": _lazy_command(
        "archive:archive", "Fetch and push the branch that stores the archive."
    ),
    "build": _lazy_command("build:build", "Build the site and check every link.", "site"),
    "check": _lazy_command("check:check", "Check vendor folders and shared data."),
    "diff": _lazy_command("build:diff", "List the changes between two built sites.", "site"),
    "export": _lazy_command("build:export", "Export the site for another site generator.", "site"),
    "facts": _lazy_command("facts:list_facts", "List facts with their sources."),
    "history": _lazy_command("history:history", "Manage the history of test results.", "site"),
    "install": _lazy_command("packages:install", "Verify install commands.", "packages"),
    "new": _lazy_command("new:new", "Create the vendor folder of a new platform.", "site"),
    "nightly": _lazy_command(
        "nightly:nightly", "Run the nightly update and build the site.", "automation"
    ),
    "owners": _lazy_command("generated_files:owners", "Generate the code owners and issue forms."),
    "packages": _lazy_command(
        "packages:packages", "Manage package data from package indexes.", "packages"
    ),
    "plugin-release": _lazy_command(
        "plugin_release:plugin_release", "Add a plugin release to compatibility.yaml."
    ),
    "pull-request-comment": _lazy_command(
        "pull_request_comment:pull_request_comment",
        "Write the portal's comment on a pull request.",
        "automation",
    ),
    "push-data": _lazy_command("archive:push_data", "Push changed files to a branch."),
    "release": _lazy_command(
        "release:release", "Add, check and compare PyTorch releases.", "packages"
    ),
    "report": _lazy_command("report:report", "Import, check, merge and export test reports."),
    "schema": _lazy_command("generated_files:schema", "Generate the JSON Schemas in data/schema/."),
    "stated-models": _lazy_command(
        "stated_models:stated_models", "Update the lists of models that documents state.", "site"
    ),
    "suites": _lazy_command(
        "generated_files:suites", "Add the harness's test names to data/suites."
    ),
    "upstream": _lazy_command(
        "upstream:upstream", "Test changes of PyTorch and report the results.", "automation"
    ),
    "validate": _lazy_command(
        "validate:validate", "Run test suites on a device and write a test report."
    ),
}


def _show_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    try:
        portal_version = version("accelerator-portal")
    except PackageNotFoundError:
        error_text = "The package accelerator-portal is not installed, so its version is not known"
        raise click.ClickException(
            f"{error_text}. In a clone of the portal, run: make setup"
        ) from None
    click.echo(f"accelerator-portal, version {portal_version}")
    context.exit()


@click.group(
    cls=LazyGroup, lazy_commands=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
def main() -> None:
    """Manage the PyTorch accelerator portal: data, site, test reports and automation."""
