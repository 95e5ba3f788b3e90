"""Commands fetch from hosts that `data/hosts.yaml` lists, over https.

Readers paste commands into a shell, often as root. A new host is a line in that file, which a
maintainer of the portal looks at. This holds for the steps of `install.yaml` and for code in guides
and FAQs.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.catalog import HOSTS
from accelerator_portal.catalog.markdown_file import MarkdownFile
from accelerator_portal.catalog.yaml_file import Location
from accelerator_portal.install.addresses import host_of, step_addresses, text_addresses

_SAFE = {"https", "ssh"}


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield addresses of hosts that are not listed, and of protocols that can be tampered with."""
    known = {entry.host for entry in catalog.hosts.hosts} if catalog.hosts else None
    for platform in catalog.platforms:
        for location, address in _of_steps(platform):
            for what, remedy in _faults(address, known):
                yield platform.problem("install.yaml", location, what, remedy)
        for file in (platform.guide, platform.faq):
            yield from _of_text(file, known)


def _of_steps(platform: Platform) -> Iterator[tuple[Location, str]]:
    for place, option in enumerate(platform.install.options):
        for number, step in enumerate(option.steps):
            for inside, address in step_addresses(step):
                yield ("options", place, "steps", number, *inside), address


def _of_text(file: MarkdownFile, known: set[str] | None) -> Iterator[Problem]:
    for block in file.code:
        for number, line in enumerate(block.text.split("\n"), block.line):
            for address in text_addresses(line):
                for what, remedy in _faults(address, known):
                    yield Problem(file.path, number, what, remedy)


def _faults(address: str, known: set[str] | None) -> Iterator[tuple[str, str]]:
    scheme, _, rest = address.partition("://")
    if rest.startswith("{"):
        return  # a placeholder; what it stands for is checked where it is written
    if scheme.lower().removeprefix("git+") not in _SAFE:
        yield f'"{address[:80]}" is not fetched over https', "write https://"
    host = host_of(address)
    if known is not None and host not in known:
        what = f'"{host}" is not among the hosts that commands may name'
        yield what, f"add it to {HOSTS} with its owner, or use another"
