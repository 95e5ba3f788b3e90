"""Print the test coverage of each component; `make coverage` calls it with coverage's JSON report.

A component is a folder of the package `accelerator_portal`, or another package.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_PORTAL = "accelerator_portal"
_COUNTS = ("covered_lines", "num_statements", "covered_branches", "num_branches")


def main() -> None:
    """Read the JSON report that the first argument names; print a Markdown table."""
    print("\n".join(table(json.loads(Path(sys.argv[1]).read_text("utf-8")))))


def table(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a Markdown table: statements and branches run, by component and in total.

    Modules directly in `accelerator_portal` are omitted.
    """
    components: dict[str, Counter[str]] = defaultdict(Counter)
    for name, file in report["files"].items():
        package, *folders, _ = name.partition("src/")[2].split("/")
        component = next(iter(folders), "") if package == _PORTAL else package
        if component:
            components[component].update({count: file["summary"][count] for count in _COUNTS})
    yield "| component | statements run | branches taken |"
    yield "| --- | ---: | ---: |"
    for component in sorted(components):
        yield _row(component, components[component])
    yield _row("**all**", sum(components.values(), Counter()))


def _row(name: str, counts: Mapping[str, int]) -> str:
    lines, statements, taken, branches = (counts.get(count, 0) for count in _COUNTS)
    return f"| {name} | {_share(lines, statements)} | {_share(taken, branches)} |"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}% of {whole:,}" if whole else "–"


if __name__ == "__main__":
    main()
