"""Lists the commands of this package for `accelerator-portal`: the nightly update and GitHub.

The summaries are the first sentences of the commands' docstrings; a test compares them.
"""

from accelerator_reports.cli.lazy_command import LazyCommand

COMMANDS = {
    "archive": LazyCommand(
        "accelerator_automation.cli.jobs:archive",
        "Fetch and push the branch that stores the archive.",
    ),
    "build": LazyCommand(
        "accelerator_automation.cli.jobs:build", "Build the site and check every link."
    ),
    "nightly": LazyCommand(
        "accelerator_automation.cli.jobs:nightly", "Run the nightly update and build the site."
    ),
    "pull-request-comment": LazyCommand(
        "accelerator_automation.cli.jobs:pull_request_comment",
        "Write the portal's comment on a pull request.",
    ),
    "push-data": LazyCommand(
        "accelerator_automation.cli.jobs:push_data", "Push changed files to a branch."
    ),
    "upstream": LazyCommand(
        "accelerator_automation.cli.upstream:upstream",
        "Test changes of PyTorch and report the results.",
    ),
}
