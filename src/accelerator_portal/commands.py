"""Lists the commands of this package for `accelerator-portal`: data, packages, results, site.

The summaries are the first sentences of the commands' docstrings; a test compares them.
"""

from accelerator_reports.cli.lazy_command import LazyCommand

COMMANDS = {
    "additional-platforms": LazyCommand(
        "accelerator_portal.cli.additional_platforms:additional_platforms",
        "Write a hand-over to pytorch.org.",
        "site",
    ),
    "check": LazyCommand(
        "accelerator_portal.cli.check:check", "Check vendor folders and shared data."
    ),
    "diff": LazyCommand(
        "accelerator_portal.cli.build:diff", "List what readers will see of a change.", "site"
    ),
    "export": LazyCommand(
        "accelerator_portal.cli.build:export", "Export the site for another site generator.", "site"
    ),
    "facts": LazyCommand(
        "accelerator_portal.cli.facts:list_facts", "List facts with their sources."
    ),
    "history": LazyCommand(
        "accelerator_portal.cli.history:history", "Manage the history of test results.", "site"
    ),
    "install": LazyCommand(
        "accelerator_portal.cli.packages:install", "Verify install commands.", "packages"
    ),
    "new": LazyCommand(
        "accelerator_portal.cli.new:new", "Create the vendor folder of a new platform.", "site"
    ),
    "owners": LazyCommand(
        "accelerator_portal.cli.generated_files:owners", "Generate the code owners and issue forms."
    ),
    "packages": LazyCommand(
        "accelerator_portal.cli.packages:packages",
        "Manage package data from package indexes.",
        "packages",
    ),
    "plugin-release": LazyCommand(
        "accelerator_portal.cli.facts:plugin_release",
        "Add a plugin release to compatibility.yaml.",
    ),
    "release": LazyCommand(
        "accelerator_portal.cli.release:release",
        "Add, check and compare PyTorch releases.",
        "packages",
    ),
    "schema": LazyCommand(
        "accelerator_portal.cli.generated_files:schema",
        "Generate the JSON Schemas in data/schema/.",
    ),
    "stated-models": LazyCommand(
        "accelerator_portal.cli.stated_models:stated_models",
        "Update the lists of models that documents state.",
        "site",
    ),
}
