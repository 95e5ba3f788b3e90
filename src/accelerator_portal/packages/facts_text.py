"""Formats the facts of a package's releases as JSON, one release per line, for readable diffs."""

from __future__ import annotations

from accelerator_portal.catalog.files.package_file import PackageFacts, PackagesRead
from accelerator_portal.catalog.json_text import json_text


def facts_text(facts: PackageFacts) -> str:
    """Return the JSON text of a package's file in `data/packages`."""
    data = facts.model_dump(mode="json", exclude_defaults=True)
    data["changes"] = data.get("changes", [])
    return json_text(data, depth=4) + "\n"  # the package, its indexes, each index, its releases


def packages_read_text(read: PackagesRead) -> str:
    """Return the JSON text of `data/packages-read.json`, which states when packages were read."""
    return json_text(read.model_dump(mode="json"), depth=2) + "\n"


def release_line_number(facts: PackageFacts, index: str, version: str) -> int:
    """Return the line number of a release in the result of `facts_text`; 1 if it is missing.

    `index` is `pypi` or the address of the index that has the release.
    """
    line = 3  # the brace, the package, the list of indexes
    for index_facts in facts.indexes:
        line += 3 if index_facts.about is None else 4  # the brace, the index, `about`, the releases
        for release in index_facts.releases:
            line += 1
            if (index_facts.index, release.version) == (index, version):
                return line
        line += 2 if index_facts.releases else 1  # an empty list ends on its own line
    return 1
