"""Lists the commands of this package for `accelerator-portal`: test reports.

The summaries are the first sentences of the commands' docstrings; a test compares them.
"""

from accelerator_reports.cli.lazy_command import LazyCommand

COMMANDS = {
    "report": LazyCommand(
        "accelerator_reports.cli.report:report", "Import, check, merge and export test reports."
    ),
}
