"""Lists the commands of this package for `accelerator-portal`: the test harness.

The summaries are the first sentences of the commands' docstrings; a test compares them.
"""

from accelerator_reports.cli.lazy_command import LazyCommand

COMMANDS = {
    "suites": LazyCommand(
        "accelerator_validation.cli.validate:suites", "Add the harness's test names to data/suites."
    ),
    "validate": LazyCommand(
        "accelerator_validation.cli.validate:validate",
        "Run test suites on a device and write a test report.",
    ),
}
