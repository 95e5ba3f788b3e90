"""Facts of a made-up plugin, beside the example platform."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.package_file import (
    IndexFacts,
    IndexFault,
    PackageFacts,
    PackagesRead,
    ReleaseFacts,
)
from tests.folders import COMPATIBILITY, EXAMPLE, edited

PACKAGE = "torch-example"
X86, ARM = "manylinux_2_28_x86_64", "manylinux_2_28_aarch64"
READ = dt.date(2026, 3, 1)

# The example's two rows, with plugins; and an option that installs them.
PLUGINS = edited(
    (COMPATIBILITY, '{torch: "1.10.0", variant', '{torch: "1.10.0", plugin: "1.10.0", variant'),
    (COMPATIBILITY, '{torch: "1.9.1", variant', '{torch: "1.9.1", plugin: "1.9.1", variant'),
    files=EXAMPLE,
)


def release(
    version: str,
    requires: str | Mapping[str, Sequence[str]] | None = None,
    **said: Any,  # noqa: ANN401 - fields
) -> ReleaseFacts:
    """Return a release with wheels for Linux x86_64 and Python 3.12 and 3.13."""
    fields: dict[str, Any] = {"date": dt.date(2026, 2, 1), "wheels": {X86: "cp312 cp313"}}
    if isinstance(requires, str):
        fields["requires"] = {"*": [requires] if requires else []}
    elif requires is not None:
        fields["requires"] = requires
    return ReleaseFacts.model_validate({"version": version, **fields, **said})


def with_facts(
    catalog: Catalog,
    releases: Sequence[ReleaseFacts],
    index: str = "pypi",
    read: PackagesRead | None = None,
    **said: Any,  # noqa: ANN401 - fields of the file
) -> Catalog:
    """Return the catalogue with these releases of the example's plugin."""
    found = IndexFacts(index=index, releases=tuple(releases))
    facts = PackageFacts(package=PACKAGE, indexes=(found,), **said)
    known = {**catalog.packages, PACKAGE: facts}
    return replace(catalog, packages=known, packages_read=read or PackagesRead(read=READ))


def fault(index: str = "pypi", since: dt.date = READ) -> IndexFault:
    """Return why the plugin's index could not be read."""
    return IndexFault(package=PACKAGE, index=index, since=since, what="it is closed")
