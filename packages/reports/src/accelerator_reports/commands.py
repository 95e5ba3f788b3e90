"""Lists the commands of this package for `accelerator-portal`: test reports.

The summaries are the first sentences of the commands' docstrings; a test compares them.
"""

from accelerator_reports.cli.lazy_command import LazyCommand

_REPORT = "accelerator_reports.cli.report"
_REPORT_COMMANDS = {
    "check": LazyCommand(
        f"{_REPORT}:check_reports", "Check reports against the schema and for consistency."
    ),
    "compare": LazyCommand(f"{_REPORT}:compare", "List new failures, fixes and other differences."),
    "export": LazyCommand(
        f"{_REPORT}:export_report",
        "Write a report in another format, for CI or another tool.",
    ),
    "import": LazyCommand(
        f"{_REPORT}_import:import_report", "Convert test results in other formats to one report."
    ),
    "merge": LazyCommand(
        f"{_REPORT}:merge", "Merge the reports of all shards of a run into one report."
    ),
    "show": LazyCommand(f"{_REPORT}:show", "Show origin, environment and outcomes of a report."),
}

COMMANDS = {
    "report": LazyCommand(
        "accelerator_reports",
        "Import, check, merge and export test reports.",
        commands=_REPORT_COMMANDS,
    ),
}
